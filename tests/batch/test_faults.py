"""The numbers of faults and their names."""

from __future__ import annotations

from anyurl import URL, URLSyntaxError
from anyurl.batch import columns, fault_names
from anyurl.batch.faults import OTHER, number_and_place
from anyurl.url.cut import numbers
from tests.batch.texts import rows


def test_each_fault_has_a_name() -> None:
    names = fault_names()
    assert (names[0], names[OTHER]) == ("none", "other")
    assert [name for name in names.values() if not name.replace("-", "").isalpha()] == []
    made = columns([text for text in rows(7, 3_000) if text is not None], ["fault"], layout="string")
    numbers = set(made.field("fault").to_pylist())
    assert len(numbers) > 20
    assert numbers <= names.keys()


def test_a_number_is_that_of_the_kernel_and_a_name_that_of_the_diagnostic() -> None:
    names = fault_names()
    kernel = {value for name, value in vars(numbers).items() if name.startswith("FAULT_")}
    assert set(names) == {0, *kernel, 32_767}
    for text in rows(8, 2_000):
        if text is None:
            continue
        number = columns([text], ["fault"]).to_pylist()[0]["fault"]
        try:
            URL(text)
        except URLSyntaxError as error:
            assert names[number] == error.diagnostics[0].code
        else:
            assert names[number] == "none"


def test_the_place_of_a_fault_is_where_it_begins() -> None:
    for text in rows(9, 1_000):
        try:
            URL(text or "http://h/")
        except URLSyntaxError as error:
            first = next(one for one in error.diagnostics if one.severity == "error")
            number, place = number_and_place(error)
            assert (fault_names()[number], place) == (first.code, first.span[0])
