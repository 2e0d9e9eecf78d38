"""The tag loop against the regular expressions of the reader that it serves: the same rows, or none."""

from __future__ import annotations

import random
from array import array

import pytest

from anyurl.text.scan import tags
from anyurl.text.scan.tags import LINK, OTHER, PLAIN, TEXT, Tags
from tests.rows import each_row


def rows(data: bytes, every: bool = True, in_html: bool = True) -> tuple[list[tuple[int, bytes]], int]:
    """What is written of a text, and where the scan ended."""
    out = memoryview(array("q", bytes(8 * tags.COLUMNS * tags.MAX_ROWS)))
    names = memoryview(array("q", bytes(16 * tags.MAX_ATTRIBUTES)))
    scanner = Tags(out, names, every, in_html)
    count = scanner.scan(data, 0)
    return [(out[3 * row], data[out[3 * row + 1] : out[3 * row + 2]]) for row in range(count)], scanner.tell()


@each_row(
    ("data", "expected", "end"),
    [
        (b"text <b>", [(TEXT, b"text ")], 8),
        (b'<a href="http://h/a">x</a>', [(PLAIN, b"http://h/a")], 26),
        (b"<A HREF = b>", [(LINK, b"b")], 12),
        (b"<a href='http://h/#f' title=\"t\">", [(LINK, b"http://h/#f"), (OTHER, b"t")], 32),
        (b'<a href=a href="b" HREF=c>', [(LINK, b"a")], 26),
        (b'<a href="http://h/a/../b">', [(LINK, b"http://h/a/../b")], 26),
        (b'<a href="http://h/?a&amp;b">', [(LINK, b"http://h/?a&amp;b")], 28),
        (b"<a\n/href\t=\ra/b/>", [(LINK, b"a/b/")], 16),
        (b"<br/><a href>", [], 13),
        (b"<a =b=c>", [(OTHER, b"c")], 8),
        (b"<svg><use xlink:href=a>", [(LINK, b"a")], 23),
        (b"</a href=b>", [], 11),
    ],
)
def test_rows(data: bytes, expected: list[tuple[int, bytes]], end: int) -> None:
    assert rows(data) == (expected, end)


@each_row(
    "data",
    [
        b"<!-- x -->",
        b"<?x?>",
        b"<script>",
        b"<BASE href=a>",
        b"<meta x>",
        b"<a",
        b"<a ",
        b"<a href",
        b"<a href=",
        b"<a href=x",
        b'<a href="x',
        b"<img srcset=a>",
        b"<object data=a>",
        b"<1>",
        b"<",
        b"x",
        b"</a",
        b"< a>",
        b"<a " + b" ".join(b"a%d" % i for i in range(40)) + b">",
    ],
)
def test_what_is_no_simple_tag_is_left_to_the_caller(data: bytes) -> None:
    assert rows(data) == ([], 0)


def test_a_namespace_is_no_link() -> None:
    assert rows(b"<html xmlns='x:y' XMLNS:a='x:z' xml:base='x:b' xlink:href='x:c'>") == (
        [(OTHER, b"x:b"), (LINK, b"x:c")],
        64,
    )


def test_in_xml_a_colon_may_be_a_reference_and_values_stand_between_quotation_marks() -> None:
    assert rows(b"<a b='x&#58;y'>c&#58;d<e>", every=False) == ([], 25)
    assert rows(b"<a b='x&#58;y'>c&#58;d<e>", every=False, in_html=False) == (
        [(OTHER, b"x&#58;y"), (TEXT, b"c&#58;d")],
        25,
    )
    assert rows(b"<a b=x:y>", in_html=False) == ([], 0)


def test_in_xml_no_element_is_special() -> None:
    assert rows(b"<script><a srcset='x:y'><title>", in_html=False) == ([(OTHER, b"x:y")], 31)


def test_without_every_only_what_has_a_colon_counts() -> None:
    assert rows(b"<a b=c d=e:f>texts<b>te:xt<i>", every=False)[0] == [(OTHER, b"e:f"), (TEXT, b"te:xt")]


def test_rows_of_a_long_text_come_in_parts() -> None:
    data = b'<a href="http://h/">x</a>' * 1000
    written, end = rows(data)
    assert 200 < len(written) <= tags.MAX_ROWS
    assert 0 < end < len(data)
    assert data[end : end + 1] in (b"<", b"x")


def test_nonsense_is_read_within_its_bounds() -> None:
    chance = random.Random(7)
    pieces = (
        b"<",
        b">",
        b"a",
        b"href",
        b"=",
        b'"',
        b"'",
        b" ",
        b"/",
        b":",
        b"http://h/",
        b"\n",
        b"\xc3\xa9",
        b"<a ",
        b"src=",
    )
    for _ in range(2000):
        data = b"".join(chance.choice(pieces) for _ in range(chance.randrange(1, 30)))
        written, end = rows(data)
        assert 0 <= end <= len(data)
        assert all(text in data for _, text in written)


@pytest.mark.parametrize("name", [b"b'", b'b"', b"'b", b'"b', b"b'c", b"'", b'"'])
def test_in_xml_a_name_has_no_quotation_mark(name: bytes) -> None:
    assert rows(b"<a " + name + b"='x:y'>", in_html=False) == ([], 0)


@pytest.mark.parametrize("at", range(4))
def test_an_attribute_that_is_nearly_a_link_is_none(at: int) -> None:
    for name in (b"href", b"HREF"):
        for letter in (b"x", b"E", b"e", b"f", b"-"):
            other = name[:at] + letter + name[at + 1 :]
            kind = LINK if other.lower() == b"href" else OTHER
            assert rows(b"<a " + other + b"='x:y'>")[0] == [(kind, b"x:y")], other


@pytest.mark.parametrize("at", range(3))
def test_an_attribute_that_is_nearly_a_source_is_none(at: int) -> None:
    for letter in (b"x", b"R", b"c", b"-"):
        other = b"src"[:at] + letter + b"src"[at + 1 :]
        kind = LINK if other.lower() == b"src" else OTHER
        assert rows(b"<a " + other + b"='x:y'>")[0] == [(kind, b"x:y")], other
