"""The gopher codec: requests out, menus and texts in (RFC 1436; FAULTS rows B2 to B8, C3, D5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import AnyURLError, LimitError, LocalProtocolError, RemoteProtocolError
from anyurl.schemes.gopher.wire.menus import (
    MAX_LINE_BYTES,
    MAX_MENU_BYTES,
    MenuItem,
    MenuReader,
    TextReader,
    error_in,
    read_item,
    request,
)
from anyurl.testing import ProtocolContract
from tests.rows import each_row

# --- requests --------------------------------------------------------------------------------------------------------

REQUESTS = [
    ("RFC 1436 2: the top menu is an empty line", (b"",), b"\r\n"),
    ("a selector", (b"0/a b?c",), b"0/a b?c\r\n"),
    ("RFC 1436 3.7: a search", (b"7/s", b"two words"), b"7/s\ttwo words\r\n"),
    ("RFC 1738 3.4.3: Gopher+ with an empty search", (b"0/a", b"", b"+"), b"0/a\t\t+\r\n"),
    ("octets that are not UTF-8", (b"\xff\x1b",), b"\xff\x1b\r\n"),
]


@pytest.mark.parametrize(("fields", "line"), [row[1:] for row in REQUESTS], ids=[row[0] for row in REQUESTS])
def test_a_request_is_one_line(fields: tuple[bytes, ...], line: bytes) -> None:
    assert request(*fields) == line


@each_row("octet", [b"\r", b"\n", b"\t", b"\0"])
@each_row("place", [0, 1, 2])
def test_a_field_that_would_end_is_refused(octet: bytes, place: int) -> None:
    fields = [b"a", b"b", b"c"]
    fields[place] += octet
    with pytest.raises(LocalProtocolError, match=r"^A field of a gopher request holds CR, LF, TAB or NUL"):
        request(*fields)


@given(st.lists(st.binary(), min_size=1, max_size=4))
def test_a_request_never_holds_a_second_line(fields: list[bytes]) -> None:
    try:
        line = request(*fields)
    except LocalProtocolError:
        return
    assert line.endswith(b"\r\n")
    assert line[:-2].split(b"\t") == fields
    assert not set(line[:-2]) & {0, 10, 13}


# --- menus -----------------------------------------------------------------------------------------------------------

LINES = [
    ("RFC 1436 2", b"0About\t0/about\th\t70", MenuItem("0", b"About", b"0/about", b"h", 70)),
    ("Gopher+ 2.1: an item with attributes", b"1Dir\t1/d\th\t7070\t+", MenuItem("1", b"Dir", b"1/d", b"h", 7070, "+")),
    ("an item with a form", b"0F\t0/f\th\t70\t?", MenuItem("0", b"F", b"0/f", b"h", 70, "?")),
    ("another fifth field is no tag", b"0F\t0/f\th\t70\tx", MenuItem("0", b"F", b"0/f", b"h", 70)),
    ("no port: the scheme's own", b"0a\tb\th", MenuItem("0", b"a", b"b", b"h", 70)),
    ("spaces around host and port", b"0a\tb\t h \t 71 ", MenuItem("0", b"a", b"b", b"h", 71)),
    ("a port that is none", b"0a\tb\th\tx", MenuItem("0", b"a", b"b", b"h", None)),
    ("a port beyond 65535", b"0a\tb\th\t65561", MenuItem("0", b"a", b"b", b"h", None)),
    ("a port of many digits", b"0a\tb\th\t" + b"1" * 4000, MenuItem("0", b"a", b"b", b"h", None)),
    ("a text for people", b"iHello\t\terror.host\t1", MenuItem("i", b"Hello", b"", b"error.host", 1)),
    ("a text for people, no tabs", b"iHello", MenuItem("i", b"Hello", b"", b"")),
    ("an error, no tabs", b"3No such item", MenuItem("3", b"No such item", b"", b"")),
    ("no type, no tabs", b"Hello", MenuItem("i", b"Hello", b"", b"")),
    ("an empty line", b"", MenuItem("i", b"", b"", b"")),
    ("Latin-1 and controls are kept", b"0\xfc\x1b[1m\ts\th\t70", MenuItem("0", b"\xfc\x1b[1m", b"s", b"h", 70)),
    ("a type beyond ASCII is one octet", b"\xfca\ts\th\t70", MenuItem("\udcfc", b"a", b"s", b"h", 70)),
    ("more fields", b"0a\ts\th\t70\t+\tx\ty", MenuItem("0", b"a", b"s", b"h", 70, "+")),
    ("only tabs", b"\t\t\t", MenuItem("i", b"", b"", b"", 70)),
    ("no type", b"\ts\th\t70", MenuItem("i", b"", b"s", b"h", 70)),
]


@each_row(("line", "item"), [row[1:] for row in LINES], ids=[row[0] for row in LINES])
def test_a_line_is_an_item(line: bytes, item: MenuItem) -> None:
    assert read_item(line) == item


A, B = MenuItem("0", b"a", b"s", b"h", 70), MenuItem("1", b"b", b"t", b"h", 70)


def read_menu(pieces: Sequence[bytes]) -> tuple[list[MenuItem], bool]:
    reader = MenuReader()
    items = [item for piece in pieces for item in reader.feed(piece)]
    return items + reader.finish(), reader.ended


class TestMenuReader(ProtocolContract):
    cases = (
        (b"0a\ts\th\t70\r\n1b\tt\th\t70\r\n.\r\n", b"\r\n"),
        (b"0a\ts\th\t70\n1b\tt\th\t70\n.\n", b" \n"),
        (b".\r\n", b"\n"),
    )

    def read(self, pieces: Sequence[bytes]) -> Any:
        return read_menu(pieces)


MENUS = [
    ("RFC 1436 3.8", b"0a\ts\th\t70\r\n1b\tt\th\t70\r\n.\r\n", [A, B], True),
    ("bare LF", b"0a\ts\th\t70\n1b\tt\th\t70\n.\n", [A, B], True),
    ("no end mark", b"0a\ts\th\t70\r\n1b\tt\th\t70\r\n", [A, B], False),
    ("no end mark and no line end", b"0a\ts\th\t70\r\n1b\tt\th\t70", [A, B], False),
    ("the end mark without its line end", b"0a\ts\th\t70\r\n.", [A], True),
    ("an empty menu", b".\r\n", [], True),
    ("nothing at all", b"", [], False),
]


@pytest.mark.parametrize(("data", "items", "ended"), [row[1:] for row in MENUS], ids=[row[0] for row in MENUS])
def test_a_menu(data: bytes, items: list[MenuItem], ended: bool) -> None:
    assert read_menu([data]) == (items, ended)
    assert read_menu([data[i : i + 1] for i in range(len(data))]) == (items, ended)


C = MenuItem("0", b"c", b"u", b"h", 70)
"""What the octets ``0c<tab>u<tab>h<tab>70`` say."""


def test_a_dot_with_items_behind_it_ends_nothing_and_is_odd() -> None:
    for pieces in ([b"0a\ts\th\t70\r\n.\r\n0c\tu\th\t70\r\n"], [b"0a\ts\th\t70\r\n.\r\n", b"0c\tu\th\t70"]):
        reader = MenuReader()
        items = [item for piece in pieces for item in reader.feed(piece)] + reader.finish()
        assert (items, reader.ended, reader.odd.lines) == ([A, C], False, [b"."])
    reader = MenuReader()
    assert (reader.feed(b".\r\n\r\n \r\n") + reader.finish(), reader.ended, reader.odd.count) == ([], True, 0)


@each_row("odd", [b"0a\0b\ts\th\t70", b"\0", b"."])
@each_row("at", [0, 1, 2])
def test_an_odd_line_hides_no_other(odd: bytes, at: int) -> None:
    lines = [b"0a\ts\th\t70", b"1b\tt\th\t70"]
    data = b"\r\n".join((*lines[:at], odd, *lines[at:], b".", b""))
    reader = MenuReader()
    assert reader.feed(data) + reader.finish() == [A, B]
    assert (reader.ended, reader.odd.lines, reader.plain) == (True, [odd], False)


PLAIN = [b"====: not found", b"Error: not found", b"", b"<html>", b"100 years of it", b"2001: a text"]


@pytest.mark.parametrize("line", PLAIN)
def test_a_sentence_before_the_items_is_a_line_for_people(line: bytes) -> None:
    text = MenuItem("i", line)
    for end in (b"\r\n", b"\n"):
        for data in (end.join((line, b"0a\ts\th\t70", b".", b"")), end.join((line, b"0a\ts\th\t70"))):
            assert read_menu([data])[0] == [text, A] == read_menu([data[i : i + 1] for i in range(len(data))])[0]
    reader = MenuReader()
    assert reader.feed(line + b"\r\n") == []
    assert (reader.finish(), reader.plain) == ([text], True)


NOT_MENUS = [
    ("a mail server", b"220 mail.example.org ESMTP\r\n"),
    ("a web server", b"HTTP/1.1 400 Bad Request\r\n\r\n"),
    ("an ssh server", b"SSH-2.0-OpenSSH_9.2\r\n"),
    ("NUL", b"0a\0b\ts\th\t70\r\n"),
    ("a mailbox", b"+OK ready\r\n"),
    ("a screen", b"RFB 003.008\n"),
    ("a picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
]


@pytest.mark.parametrize("data", [row[1] for row in NOT_MENUS], ids=[row[0] for row in NOT_MENUS])
def test_what_is_no_menu(data: bytes) -> None:
    with pytest.raises(RemoteProtocolError, match="gopher menu"):
        read_menu([data])
    with pytest.raises(RemoteProtocolError, match="gopher menu"):
        read_menu([data[i : i + 1] for i in range(len(data))])


def test_a_line_has_a_limit_ended_or_not() -> None:
    with pytest.raises(LimitError) as caught:
        read_menu([b"0" + b"a" * 10_000_000])
    assert caught.value.limit == "MAX_LINE_BYTES"
    assert read_menu([b"i" + b"a" * (MAX_LINE_BYTES - 1) + b"\r\n"])[0][0].type == "i"
    with pytest.raises(LimitError):
        read_menu([b"i" + b"a" * MAX_LINE_BYTES + b"\r\n"])


def test_a_menu_has_a_limit() -> None:
    block = (b"i" + b"a" * (MAX_LINE_BYTES - 3) + b"\r\n") * 256
    with pytest.raises(LimitError) as caught:
        read_menu([block] * (MAX_MENU_BYTES // len(block) + 1))
    assert caught.value.limit == "MAX_MENU_BYTES"


# --- texts -----------------------------------------------------------------------------------------------------------


def read_text(pieces: Sequence[bytes]) -> tuple[bytes, bool]:
    reader = TextReader()
    text = b"".join(reader.feed(piece) for piece in pieces)
    return text + reader.finish(), reader.ended


class TestTextReader(ProtocolContract):
    cases = ((b"a\r\n..b\r\n.\r\n", b"\r\n"), (b".\r\n", b" "), (b"...\n\n.\n", b"\n\r\n"))

    def read(self, pieces: Sequence[bytes]) -> Any:
        return read_text(pieces)


TEXTS = [
    ("RFC 1436 3.8", b"a\r\nb\r\n.\r\n", b"a\nb\n", True),
    ("a doubled dot is one", b"..a\r\n..\r\n...\r\n.\r\n", b".a\n.\n..\n", True),
    ("a single dot before a word stays", b".a\r\n.\r\n", b".a\n", True),
    ("dots inside a line stay", b"a..\r\na.\r\n.\r\n", b"a..\na.\n", True),
    ("bare LF", b"a\n..b\n.\n", b"a\n.b\n", True),
    ("bare LF and no dot", b"a\nb\n.\n", b"a\nb\n", True),
    ("lines end one way and the dot the other", b"a\r\nb\n.\r\n", b"a\nb\n", True),
    ("no end mark", b"a\r\nb\r\n", b"a\nb\n", False),
    ("no end mark and no line end", b"a\r\nb", b"a\nb", False),
    ("the end mark without its line end", b"a\r\n.", b"a\n", True),
    ("the end mark with half its line end", b"a\r\n.\r", b"a\n", True),
    ("empty", b".\r\n", b"", True),
    ("nothing at all", b"", b"", False),
    ("a bare CR is data", b"a\rb\r\n.\r\n", b"a\rb\n", True),
    ("a CR at the very end is data", b"a\r", b"a\r", False),
    ("a dot behind a bare CR ends nothing", b"a\r.\r\n.\r\n", b"a\r.\n", True),
    ("NUL is data", b"a\0\r\n.\r\n", b"a\0\n", True),
    ("empty lines", b"\r\n\r\n.\r\n", b"\n\n", True),
    ("CR CR LF: one is data", b"a\r\r\n.\r\n", b"a\r\n", True),
]


@each_row(("data", "text", "ended"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_a_text(data: bytes, text: bytes, ended: bool) -> None:
    assert read_text([data]) == (text, ended)
    assert read_text([data[i : i + 1] for i in range(len(data))]) == (text, ended)


@given(st.binary(), st.integers(1, 7))
def test_how_a_text_is_cut_does_not_matter(data: bytes, size: int) -> None:
    data = data.replace(b"x", b"\r\n").replace(b"y", b".").replace(b"z", b"\n")
    assert read_text([data[i : i + size] for i in range(0, len(data), size)]) == read_text([data])


@given(st.lists(st.sampled_from([b"", b".", b"..", b"a", b".a", b"a."])))
def test_a_dotted_text_is_itself_again(lines: list[bytes]) -> None:
    dotted = b"".join((b"." if line.startswith(b".") else b"") + line + b"\r\n" for line in lines) + b".\r\n"
    assert read_text([dotted]) == (b"".join(line + b"\n" for line in lines), True)


@pytest.mark.parametrize(
    ("data", "cut"),
    [
        (b"a\r\nb", True),
        (b"a\r\nb\r\n", False),
        (b"", False),
        (b"a\r\n.", False),
        (b"a\r\n..", True),
        (b"a\n.\nb", True),
    ],
)
def test_a_text_that_ends_in_the_middle_of_a_line_is_told(data: bytes, cut: bool) -> None:
    for pieces in ([data], [data[at : at + 1] for at in range(len(data))]):
        reader = TextReader()
        for piece in pieces:
            reader.feed(piece)
        reader.finish()
        assert reader.cut is cut


@each_row(
    ("data", "text", "ended"),
    [
        (b".\r\nx", b".\nx", False),
        (b"a\r\n.\r\nb\r\n", b"a\n.\nb\n", False),
        (b"a\r\n.\r\nb\r\n.\r\n", b"a\n.\nb\n", True),
        (b"a\n.\n\n \nb\n", b"a\n.\n\n \nb\n", False),
        (b".\r\n.\r\n", b".\n", True),
        (b"..a\n.\n..b\n.", b".a\n.\n..b\n", True),  # from there on it is known that dots are not doubled
        (b".\n" + b" " * MAX_LINE_BYTES + b"\n", b".\n" + b" " * MAX_LINE_BYTES + b"\n", False),
        (b".\n" + b"\n" * MAX_LINE_BYTES, b".\n" + b"\n" * MAX_LINE_BYTES, False),
    ],
)
def test_a_dot_with_more_behind_it_ends_nothing(data: bytes, text: bytes, ended: bool) -> None:
    for size in (len(data), 1, 2, 3):
        reader = TextReader()
        read = b"".join(reader.feed(data[at : at + size]) for at in range(0, len(data), size)) + reader.finish()
        assert (read, reader.ended, reader.inner) == (text, ended, True)


@pytest.mark.parametrize("blank", [b"", b"\r\n", b"\n\n", b" ", b"\r"])
def test_blanks_behind_the_dot_are_nothing(blank: bytes) -> None:
    reader = TextReader()
    data = b"a\r\n.\r\n" + blank
    read = b"".join(reader.feed(data[at : at + 1]) for at in range(len(data))) + reader.finish()
    assert (read, reader.ended, reader.inner) == (b"a\n", True, False)


def test_nul_is_told() -> None:
    reader = TextReader()
    assert (reader.feed(b"a\n"), reader.holds_nul) == (b"a\n", False)
    assert (reader.feed(b"\0"), reader.holds_nul) == (b"\0", True)


def test_a_line_of_a_text_may_be_long_and_is_not_held() -> None:
    reader = TextReader()
    assert sum(len(reader.feed(b"a" * 100_000)) for _ in range(100)) == 10_000_000


ERRORS = [
    (b"3no such thing\t\terror.host\t1", b"no such thing"),
    (b"3no such thing\t\terror.host\t1\t+", b"no such thing"),
    (b"3no such thing\tfake\t(NULL)\t0\r\n", b"no such thing"),
    (b"3.14159 is a number", None),
    (b"3 tabs\tin\ta line", None),
    (b"3rd\tcolumn\tof a\ttable", None),
    (b"0no\t\terror.host\t1", None),
    (b"", None),
]


@each_row(("line", "words"), ERRORS)
def test_a_refusal_of_a_plain_server(line: bytes, words: bytes | None) -> None:
    assert error_in(line) == words


@given(st.binary(max_size=300), st.integers(1, 50))
def test_whatever_comes_only_errors_of_the_tree_come_out(data: bytes, size: int) -> None:
    results: list[Any] = []
    for pieces in ([data], [data[i : i + size] for i in range(0, len(data), size)]):
        try:
            results.append(read_menu(pieces))
        except AnyURLError as error:
            results.append(type(error))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"a\r\nb\r\n.\r\n", b"a\nb\n"),
        (b"a\nb\n.\n", b"a\nb\n"),
        (b"a\r\r\n.\r\n", b"a\r\n"),  # one CR belongs to the line's end
        (b"..a\r\nb\r\n.\r\n", b".a\nb\n"),
        (b"a\r\n..b\r\n.\r\n", b"a\n.b\n"),
        (b".\r\n", b""),
    ],
)
def test_a_text_that_comes_with_its_dot(text: bytes, expected: bytes) -> None:
    """However it is cut into pieces, it is the same."""
    for size in (len(text), 1, 2, 3):
        reader = TextReader()
        read = b"".join(reader.feed(text[at : at + size]) for at in range(0, len(text), size)) + reader.finish()
        assert (read, reader.ended, reader.inner) == (expected, True, False)
