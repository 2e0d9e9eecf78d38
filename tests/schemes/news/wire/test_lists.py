"""Listings and wildmats of news servers."""

from __future__ import annotations

import random
import re

import pytest

from anyurl.errors import LimitError
from anyurl.schemes.news.wire.lists import (
    MAX_LINE_BYTES,
    MAX_LISTING_BYTES,
    GroupListReader,
    Wildmat,
    count_in,
    read_active,
    read_capabilities,
    read_description,
    read_header_line,
    read_overview,
    read_selected,
)
from anyurl.testing import three_ways
from tests.rows import each_row

# --- listings -------------------------------------------------------------------------------------------------------


def test_lines_of_a_listing() -> None:
    for pieces in three_ways(b"a b\r\n\r\nc\td\r\n", b"e"):
        reader = GroupListReader()
        assert [line for piece in pieces for line in reader.feed(piece)] == [b"a b", b"", b"c\td"]


def test_a_line_has_an_end_and_may_hold_anything() -> None:
    with pytest.raises(LimitError, match="longer than 65,536"):
        GroupListReader().feed(b"x" * (MAX_LINE_BYTES + 2))
    assert GroupListReader().feed(b"a\0b\r\na\rb\r\n") == [b"a\0b", b"a\rb"]


def test_a_listing_has_an_end() -> None:
    reader = GroupListReader()
    piece = (b"x" * MAX_LINE_BYTES + b"\r\n") * 64
    for _ in range(MAX_LISTING_BYTES // len(piece)):
        reader.feed(piece)
    with pytest.raises(LimitError, match="more than 268,435,456 octets"):
        reader.feed(piece)


OVERVIEW = b"12\tRe: x\tMe <me@h>\tSun, 22 Nov 2026 03:07:51 GMT\t<b@h>\t<a@h> <c@h>\t456\t7\tXref: h a:12\tmore"


def test_an_overview() -> None:
    found = read_overview(OVERVIEW)
    assert found is not None
    assert found[:8] == [
        "12", "Re: x", "Me <me@h>", "Sun, 22 Nov 2026 03:07:51 GMT", "<b@h>", "<a@h> <c@h>", "456", "7",
    ]  # fmt: skip
    assert read_overview(b"3\tcaf\xe9\t\t\t<a@h>\t\t\t") == ["3", "caf\udce9", "", "", "<a@h>", "", "", ""]
    assert [count_in(text) for text in ("9223372036854775807", "0" * 18 + "7", "0" * 19 + "7")] == [2**63 - 1, 7, None]
    assert [count_in(text) for text in ("456", "", "x", "\u0663", "9223372036854775808")] == [
        456,
        None,
        None,
        None,
        None,
    ]


@pytest.mark.parametrize("line", [b"", b"x", b"1\ta\tb", b"x" + b"\t" * 7, b"-1" + b"\t" * 7, b"9" * 20 + b"\t" * 7])
def test_what_is_no_overview(line: bytes) -> None:
    assert read_overview(line) is None


def test_groups() -> None:
    found = read_selected([b"3", b"10", b"12", b"a.b"])
    assert found is not None
    assert (found.name, found.count, found.low, found.high) == (b"a.b", 3, 10, 12)
    empty = read_selected([b"5", b"11", b"10"])  # RFC 3977 6.1.1.2: high below low is empty, whatever was counted
    assert empty is not None
    assert (empty.count, empty.name) == (0, b"")
    assert [read_selected(words) for words in ([], [b"x", b"1", b"2"], [b"1", b"-2", b"3"])] == [None, None, None]
    active = read_active(b"a.b 0000000012 0000000010 y")
    assert active is not None
    assert (active.name, active.count, active.low, active.high, active.status) == (b"a.b", 3, 10, 12, "y")
    assert read_active(b"a.b 1 2") is None
    strange = read_active(b"a.b x y =c.d")
    assert strange is not None
    assert (strange.count, strange.status) == (None, "=c.d")
    assert read_description(b"a.b\tAbout  a b ") == (b"a.b", b"About  a b")
    assert read_description(b"a.b") == (b"a.b", b"")
    assert read_description(b"") is None
    assert read_header_line(b"0 123") == (0, b"123")
    assert read_header_line(b"x 123") is None


def test_capabilities() -> None:
    found = read_capabilities([b"VERSION 2", b"over msgid", b"", b"LIST ACTIVE NEWSGROUPS"])
    assert found == {"VERSION": ("2",), "OVER": ("MSGID",), "LIST": ("ACTIVE", "NEWSGROUPS")}


def test_what_is_collected_has_few_lines() -> None:
    reader = GroupListReader(1000, 3)
    assert reader.feed(b"a\r\nb\r\nc\r\n") == [b"a", b"b", b"c"]
    with pytest.raises(LimitError, match="more than 3 lines"):
        reader.feed(b"d\r\n")
    with pytest.raises(LimitError, match="more than 10 octets"):
        GroupListReader(10).feed(b"x" * 11)


WILDMATS = [
    ("*", "anything", True),
    ("a.*", "a.b", True),
    ("a.*", "b.a.", False),
    ("a.?", "a.bc", False),
    ("a.b", "a.b", True),
    ("a.*,!a.b", "a.b", False),
    ("a.*,!a.b", "a.c", True),
    ("!a.b,a.*", "a.b", True),  # RFC 3977 4.1: the last one that fits decides
    ("!a.b", "c", False),  # and where none fits, it is not taken
    ("*a*b*c*", "xxaxxbxxcxx", True),
    ("*a*b*c", "xxaxxbxxcxx", False),
    ("a[b]", "a[b]", True),
    ("*é?", "caféx", True),
    ("", "", True),
]


@each_row(("pattern", "name", "taken"), WILDMATS)
def test_wildmats(pattern: str, name: str, taken: bool) -> None:
    assert Wildmat(pattern).matches(name) is taken


def test_wildmats_against_regular_expressions() -> None:
    chance = random.Random(3977)
    for _ in range(3000):
        pattern = "".join(chance.choices("ab*?", k=chance.randrange(7)))
        name = "".join(chance.choices("ab", k=chance.randrange(7)))
        oracle = re.fullmatch(pattern.replace("*", ".*").replace("?", "."), name) is not None
        assert Wildmat(pattern).matches(name) is oracle, (pattern, name)


def test_a_hostile_wildmat_takes_no_exponential_time() -> None:
    assert Wildmat("*a" * 100 + "b").matches("a" * 2000) is False
