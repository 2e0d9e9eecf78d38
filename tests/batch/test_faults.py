"""The numbers of faults and their names."""

from __future__ import annotations

from anyurl import URL, URLSyntaxError
from anyurl.batch import columns, fault_names
from anyurl.kernel import numbers
from tests.batch.texts import rows


def test_each_fault_has_a_name() -> None:
    names = fault_names()
    assert names[0] == "none"
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
