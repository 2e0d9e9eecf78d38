"""What stands around a candidate: brackets, folded lines, the marks of quoted mail, attributes (RFC 1738 appendix)."""

from __future__ import annotations

import pytest

from anyurl.text.scan import rows
from anyurl.text.scan.wrapper import ATTRIBUTES
from tests.rows import each_row
from tests.text.scan.scanning import raws, read

WRAPPED = [
    ("<http://h/a>", "http://h/a", 0, rows.ANGLE),
    ("<URL:http://h/a>", "http://h/a", 0, rows.URL_PREFIX),
    ("<url: http://h/a >", "http://h/a", 0, rows.URL_PREFIX),
    ("<http://h/#a>", "http://h/#a", 0, rows.ANGLE),
    ("<http://h/a-->", "http://h/a--", 0, rows.ANGLE),
    ("<http://h/a.>", "http://h/a.", 0, rows.ANGLE),
    ("URL:http://h/a", "http://h/a", 0, rows.URL_PREFIX),
    ("uRl:http://h/a", "http://h/a", 0, rows.URL_PREFIX),
    ("vrl:http://h/a", "http://h/a", 0, rows.BARE),
    ("<http://h/a\n b>", "http://h/a\n b", rows.FOLDED, rows.ANGLE),
    ("<http://h/a b c d>", "http://h/a", 0, rows.BARE),
    ("<URL:http://h/a b c d>", "http://h/a b c d", rows.FOLDED, rows.URL_PREFIX),
    ("<URL:http://h/a\n  b>", "http://h/a\n  b", rows.FOLDED, rows.URL_PREFIX),
    ("<URL:http://h/a-\n  b>", "http://h/a-\n  b", rows.FOLDED, rows.URL_PREFIX),
    ("> <http://h/a\n> b>", "http://h/a\n> b", rows.FOLDED, rows.ANGLE),
    ("# <http://h/a\n# b>", "http://h/a\n# b", rows.FOLDED, rows.ANGLE),
    (" * <http://h/a\n * b>", "http://h/a\n * b", rows.FOLDED, rows.ANGLE),
    ("<http://h/a\n> b>", "http://h/a", rows.FOLDED, rows.ANGLE),
    ("| <http://h/a |\n| b> |", "http://h/a |\n| b", rows.FOLDED, rows.ANGLE),
    ('<http://h/"a>', "http://h/", 0, rows.BARE),
    ("<http://h/a", "http://h/a", 0, rows.BARE),
    ("[t](http://h/a)", "http://h/a", 0, rows.MARKDOWN),
    ("[t](<http://h/a>)", "http://h/a", 0, rows.MARKDOWN),
    ("[t](<http://h/a b>)", "http://h/a b", rows.SPACED, rows.MARKDOWN),
    ("[t](<http://h/a\nb>)", "http://h/a\nb", rows.FOLDED, rows.MARKDOWN),
    ("[n]: http://h/a", "http://h/a", 0, rows.MARKDOWN),
    ("  [n]: http://h/a", "http://h/a", 0, rows.MARKDOWN),
    ("[^n]: http://h/a", "http://h/a", 0, rows.BARE),
    ("n]: http://h/a", "http://h/a", 0, rows.BARE),
    (".. _n: http://h/a", "http://h/a", 0, rows.RST),
    (".. n: http://h/a", "http://h/a", 0, rows.BARE),
    ("`x <http://h/a>`_", "http://h/a", 0, rows.RST),
    ("`x <http://h/a>` ", "http://h/a", 0, rows.ANGLE),
    ('<a href="http://h/a">', "http://h/a", 0, rows.HTML_ATTRIBUTE),
    ("<a HREF = 'http://h/a'>", "http://h/a", 0, rows.HTML_ATTRIBUTE),
    ("src=http://h/a", "http://h/a", 0, rows.HTML_ATTRIBUTE),
    ('\\"<a href=\\"http://h/\\">', "http://h/", 0, rows.HTML_ATTRIBUTE),
    ('<a title="http://h/a">', "http://h/a", 0, rows.BARE),
    ("<a href=\"http://h/a'>", "http://h/a", 0, rows.BARE),
]  # fmt: skip


@each_row(("text", "raw", "kind", "context"), WRAPPED, ids=[repr(row[0]) for row in WRAPPED])
def test_what_stands_around_a_candidate(text: str, raw: str, kind: int, context: int) -> None:
    assert read(text) == [(raw, kind, context, None)]


@pytest.mark.parametrize(
    "text", ['<x xmlns="http://h/a">', "<x xmlns:b='http://h/a'>", "<>", "<a b:c>", "< >", "<URL:>", "URL:"]
)
def test_a_namespace_and_what_is_no_wrapper(text: str) -> None:
    assert raws(text) == []


@each_row("name", sorted(ATTRIBUTES))
def test_each_attribute_that_holds_a_url(name: bytes) -> None:
    for written in (name, name.upper()):
        ((_, _, context, _),) = read(b" " + written + b'="http://h/a"')
        if len(name) < 16:
            assert context == rows.HTML_ATTRIBUTE


@pytest.mark.parametrize(
    ("text", "raw", "joined"),
    [
        ("<http://h/a b>", "http://h/a", "http://h/a b"),
        ("<http://h/a b c>", "http://h/a", "http://h/a b c"),
        ("<http://h/a\n b c>", "http://h/a\n b", "http://h/a\n b c"),
    ],
)
def test_a_label_ends_what_stands_in_brackets(text: str, raw: str, joined: str) -> None:
    assert read(text) == [(raw, rows.FOLDED | rows.LABELLED, rows.ANGLE, joined)]


def test_a_wrapper_is_only_read_where_it_is_sought() -> None:
    assert read("<http://h/a b>", rows.NO_WRAPPERS)[0][0] == "http://h/a"


def test_a_wrapper_at_the_end_of_a_part_waits_for_more() -> None:
    for text in ("<http://h/a", "<http://h/a>", "<http://h/a>`", "<http://h/a b\n", "<URL:http://h/a"):
        assert read(text, final=False) == []
    assert raws("<http://h/a>") == ["http://h/a"]


@each_row(
    ("data", "raw"),
    [
        (b"http://b\xfccher.example/", "http://b\udcfccher.example/"),  # Latin-1
        (b"http://h/\xfc", "http://h/"),
        (b"http://h/\xff\xfe", "http://h/"),
        (b"http://h/\xd7a", "http://h/"),  # a multiplication sign of Latin-1
        (b"http://h/\xf7a", "http://h/"),
        (b"http://h/\xe9a", "http://h/\udce9a"),
        (b"http://h/\xc0\xaf", "http://h/"),  # overlong
        (b"http://h/\xe0\x80\xaf", "http://h/"),
        (b"http://h/\xf0\x80\x80\xaf", "http://h/"),
        (b"http://h/\xf5\x80\x80\x80", "http://h/"),
        (b"http://h/\xc3\xa9", "http://h/é"),
        (b"http://h/\xf0\x90\x8c\x80a", "http://h/\U00010300a"),
        (b"http://h/\xe3\x81", "http://h/"),
        (b"http://h/\x80", "http://h/"),
    ],
)
def test_what_is_no_utf_8_ends_a_url_but_for_a_letter_of_latin_1(data: bytes, raw: str) -> None:
    assert raws(data) == [raw]
