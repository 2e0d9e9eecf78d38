"""Columns say what `URL` says, of every row, in every layout Arrow has for text."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anyurl
from anyurl import URL, URLSyntaxError
from anyurl.batch import FIELDS, columns
from anyurl.batch.columns import Columns, _together
from anyurl.batch.faults import number_and_place
from anyurl.url.cut.columns import COMPILED
from tests.batch.texts import WRITTEN, rows
from tests.rows import each_row

TEXTS = FIELDS[:7]
KNOWN = (*FIELDS, "explicit_port")


def said(text: str | bytes | None, grammar: str = "current") -> dict[str, object] | None:
    """What the row of a text has to be."""
    if text is None:
        return None
    try:
        url = URL(text) if grammar == "current" else anyurl.parse(text, grammar)
    except URLSyntaxError as error:
        number, place = number_and_place(error)
        return dict.fromkeys(KNOWN) | {"fault": number, "fault_at": place}
    row: dict[str, object] = {}
    for field in TEXTS:
        value = getattr(url, field)
        try:
            row[field] = value if value is None else value.encode().decode()
        except UnicodeEncodeError:
            row[field] = getattr(url, f"raw_{field}")
    return row | {"port": url.port, "fault": 0, "fault_at": None, "explicit_port": url.explicit_port}


def octets(texts: list[str | None]) -> list[bytes | None]:
    return [None if text is None else text.encode() for text in texts]


KINDS: dict[str, Callable[[list[str | None]], Any]] = {
    "string": lambda texts: pa.array(texts, pa.string()),
    "large_string": lambda texts: pa.array(texts, pa.large_string()),
    "string_view": lambda texts: pa.array(texts, pa.string_view()),
    "binary": lambda texts: pa.array(octets(texts), pa.binary()),
    "large_binary": lambda texts: pa.array(octets(texts), pa.large_binary()),
    "binary_view": lambda texts: pa.array(octets(texts), pa.binary_view()),
    "dictionary": lambda texts: pa.array(texts, pa.string()).dictionary_encode(),
}


@each_row("kind", KINDS)
@each_row("layout", ["view", "string"])
@each_row("offset", [0, 3, 9])
def test_every_row_says_what_the_url_says(kind: str, layout: Any, offset: int) -> None:
    texts = rows(offset + len(kind), 500)
    made = columns(KINDS[kind](texts)[offset:], KNOWN, layout=layout)
    made.validate(full=True)
    assert made.to_pylist() == [said(text) for text in texts[offset:]]
    for field in TEXTS:
        name = made.type.field(field).type
        assert name == (
            pa.string_view()
            if layout == "view"
            else pa.large_string()
            if "large" in kind or "view" in kind
            else pa.string()
        )


@each_row("seed", range(8))
def test_so_do_many_rows_read_by_several_threads(seed: int) -> None:
    texts = rows(1000 + seed, 2_000)
    assert columns(texts, KNOWN, threads=seed % 4 + 1).to_pylist() == [said(text) for text in texts]


@given(st.lists(st.none() | st.text(max_size=40) | st.sampled_from(WRITTEN).flatmap(
    lambda text: st.tuples(st.just(text), st.text(max_size=4)).map("".join)), max_size=20))  # fmt: skip
def test_any_text_is_a_row(texts: list[str | None]) -> None:
    texts = [text for text in texts if text is None or not any("\ud800" <= char <= "\udfff" for char in text)]
    assert columns(texts, KNOWN).to_pylist() == [said(text) for text in texts]


def test_octets_that_are_no_text_are_read_as_url_reads_them() -> None:
    given = [b"http://h/\xff\xfe", b"http://\xff/", b"\xff", b"http://h\x00/"]
    assert columns(given, KNOWN).to_pylist() == [said(one) for one in given]


@pytest.mark.parametrize("grammar", ["rfc1738", "rfc1738-draft07", "browser"])
def test_another_grammar_reads_the_rows(grammar: str) -> None:
    texts: list[str | None] = [*WRITTEN, None]
    made = columns(texts, KNOWN, grammar=grammar)
    assert made.to_pylist() == [said(text, grammar) for text in texts]


def test_null_is_not_empty() -> None:
    wanted = ["query", "fragment", "user", "password"]
    made = columns(["http://h/?#", "http://@h/", "http://:@h/", "http://h/", None], wanted)
    assert made.to_pylist() == [
        {"query": "", "fragment": "", "user": None, "password": None},
        {"query": None, "fragment": None, "user": "", "password": None},
        {"query": None, "fragment": None, "user": "", "password": ""},
        {"query": None, "fragment": None, "user": None, "password": None},
        None,
    ]


def test_views_point_into_the_text() -> None:
    array = pa.array(["http://host.dom/a/path/that/is/longer"])
    path = columns(array, ["path"]).field("path")
    assert path.buffers()[2].address == array.buffers()[2].address


@each_row("array", [
    pa.array([], pa.string()), pa.array([], pa.string_view()), pa.array([None, None], pa.string()), pa.nulls(3),
    pa.array(["", ""]), pa.array(["x", "http://h/"]).slice(2), pa.chunked_array([], pa.string()),
    pa.chunked_array([["http://h/"], [], [None]], pa.string()),
], ids=str)  # fmt: skip
def test_what_is_empty_has_rows_as_it_has(array: Any) -> None:
    made = columns(array, KNOWN)
    made.validate(full=True)
    assert made.to_pylist() == [said(text) for text in array.to_pylist()]
    assert isinstance(made, pa.ChunkedArray) == isinstance(array, pa.ChunkedArray)


def test_types_are_those_that_engines_take() -> None:
    made = columns(["http://h/"], KNOWN, layout="string").type
    assert {made.field(name).type for name in TEXTS} == {pa.string()}
    assert [made.field(name).type for name in KNOWN[7:]] == [pa.int32(), pa.int16(), pa.int32(), pa.int32()]


@each_row(
    ("arguments", "error", "sentence"),
    [
        ((["x:", None, 1],), TypeError, "a column of URLs has to hold text, and row 2 of the list is of type int"),
        ((["x:", "http://h/\udcff"],), TypeError, "row 1 of the list has a lone surrogate, which has no UTF-8 octets"),
        (([b"x:", "http://h/\ud800"],), TypeError, "row 1 of the list has a lone surrogate, which has no UTF-8 octets"),
        ((5,), TypeError, "a column of URLs is an Arrow column of text or a list, not int"),
        (("http://h/",), TypeError, "a column of URLs is an Arrow column of text or a list, not str"),
        ((pa.array([1]),), TypeError, "a column of URLs is of type int64; it has to be string"),
        ((["x:"], ["hosd"]), ValueError, "there is no field 'hosd'; there are scheme, user"),
        ((["x:"], "host"), TypeError, "fields is a list of str, not str"),
        ((["x:"], ["host", "host"]), ValueError, "a field is named twice"),
    ],
)
def test_what_is_no_column_is_told(arguments: tuple[Any, ...], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error) as caught:
        columns(*arguments)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"layout": "rows"}, ValueError),
        ({"threads": 0}, ValueError),
        ({"threads": "2"}, TypeError),
        ({"grammar": "rfc9999"}, anyurl.UnsupportedError),
    ],
)
def test_options_are_checked(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        columns(["x:"], **options)


def test_what_threads_leave_is_in_the_order_of_the_rows() -> None:
    begun = Barrier(2)

    def work(first: int, stop: int) -> list[int]:
        begun.wait(10)  # both are at work at once
        return [*range(first, stop)]

    assert _together(work, [(0, 3), (3, 5)]) == [0, 1, 2, 3, 4]


def test_importing_anyurl_loads_no_arrow() -> None:
    code = "import sys, anyurl, anyurl.batch; sys.exit('pyarrow' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_arrow_the_extra_is_named() -> None:
    code = "import sys; sys.modules['pyarrow'] = None; from anyurl.batch import columns; columns(['x:'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith("Columns need pyarrow: in a clone of anyurl, pip install '.[batch]'.")


@pytest.mark.kernel("compiled")
def test_the_kernel_is_what_cuts() -> None:
    assert COMPILED


def test_the_slices_of_a_long_text_overlap_and_leave_out_nothing() -> None:
    """A view points into a buffer with 32 bits: a row that begins in one slice ends in it."""
    given = SimpleNamespace(data=pa.py_buffer(b"abcdefg"))
    slices = Columns.slices(SimpleNamespace(given=given, shift=1))  # type: ignore[arg-type]
    assert [each.to_pybytes() for each in slices] == [b"abcd", b"cdef", b"efg", b"g"]
