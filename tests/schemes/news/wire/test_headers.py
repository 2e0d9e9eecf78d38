"""Heads, dates and words of other charsets (RFC 5322 2.2, 3.3, 4.3; RFC 2047)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from email.charset import BASE64, QP, Charset
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.schemes.news.wire.headers import MAX_HEAD_BYTES, decode_field, read_date, read_head
from tests.rows import each_row


def test_heads() -> None:
    head = b"Subject: a\r\n b\r\nFROM : me\r\nX\r\nSubject: second\r\n folded too\r\nEmpty:\r\n\r\n"
    assert read_head(head) == {"subject": b"a b", "from": b"me", "empty": b""}
    assert read_head(head.replace(b"\r\n", b"\n")) == read_head(head)
    assert read_head(b"A: b\r\nC: d\r\n\te\r\n") == read_head(b"A: b\nC: d\n e\n") == {"a": b"b", "c": b"d e"}
    assert read_head(b" begins folded\r\nA: b") == {"a": b"b"}


DATES = [
    (b"Sun, 22 Nov 2026 03:07:51 -0000 (UTC)", 1795316871.0),
    (b"22 Nov 2026 03:07:51 GMT", 1795316871.0),
    (b"Sun, 22 Nov 2026 04:07:51 +0100", 1795316871.0),
    (b"Sat, 21 Nov 2026 19:07:51 PST", 1795316871.0),
    (b"Sun, 22 Nov 2026 03:07 Z", 1795316820.0),
    (b"Tuesday, 20-Dec-94 00:00:00 GMT", None),  # RFC 850, which no news article has had since 1987
    (b"Tue, 20 Dec 94 00:00:00 GMT", 787881600.0),
    (b"Tue, 20 Dec 094 00:00:00", 787881600.0),  # RFC 5322 4.3: three digits count from 1900
    (b"Thu, 30 Feb 1995 00:00:00 GMT", None),
    (b"20 Foo 1994 00:00:00 GMT", None),
    (b"", None),
    (b"0" * 10_000, None),
]


@each_row(("text", "seconds"), DATES)
def test_dates(text: bytes, seconds: float | None) -> None:
    assert read_date(text) == seconds


SHOWN = [
    (b"plain", "plain"),
    (b"Gr\xc3\xbc\xc3\x9fe", "Grüße"),
    (b"Gr\xfc\xdfe", "Grüße"),  # Latin-1, as it was before UTF-8
    (b"=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
    (b"=?ISO-8859-1?B?R3L832U=?=", "Grüße"),
    (b"=?utf-8?q?a_b?= =?utf-8?q?c?= d", "a bc d"),  # RFC 2047 6.2
    (b"=?utf-8*en?q?a?=", "a"),  # RFC 2231 5
    (b"=?utf-8?b?R3LDvMOfZQ?=", "Grüße"),  # without padding
    (b"=?utf-8?q?Gr=C3?= =?utf-8?q?=BC=C3=9Fe?= x", "Grüße x"),  # a character that is cut
    (b"=?utf-8?b?R3LD?=  =?UTF8?b?vA==?= =?utf-8?q?=C3?==?utf-8?q?=9Fe?=", "Grüße"),
    (b"=?utf-8?q?=C3?= x =?utf-8?q?=BC?=", "\ufffd x \ufffd"),
    (b"=?utf-8?q?=C3?= =?iso-8859-1?q?=BC?=", "\ufffd¼"),
    (b"=?utf-8?q?Gr=C3=BC=C3=9Fe aus?= =?utf-8?q?_Wien?=", "Grüße aus Wien"),  # with spaces, against RFC 2047 4.2
    (b"caf\xe9 =?utf-8?q?=C3=BC?=", "café ü"),
    (b"=?utf-8?b?!?=", ""),
    (b"=?utf-8?q?=FF?=", "\ufffd"),
    (b"=?nope?q?a?=", "=?nope?q?a?="),
    (b"=?idna?q?a?=", "=?idna?q?a?="),
    (b"=?utf-8?x?a?=", "=?utf-8?x?a?="),
    (b"=?=?=?", "=?=?=?"),
]


@each_row(("field", "text"), SHOWN)
def test_words_in_other_charsets(field: bytes, text: str) -> None:
    assert decode_field(field) == text


def test_the_zones_of_a_date_are_those_of_rfc_5322_4_3() -> None:
    """All other names count as UTC; an offset is hours and minutes, east of Greenwich where it is positive."""
    noon = 784900800.0  # 15 Nov 1994 12:00:00 UTC
    hours = {"EST": 5, "EDT": 4, "CST": 6, "CDT": 5, "MST": 7, "MDT": 6, "PST": 8, "PDT": 7, "pst": 8}
    for name, behind in {**hours, "GMT": 0, "UT": 0, "Z": 0, "A": 0, "MEZ": 0, "+0000": 0}.items():
        assert read_date(f"15 Nov 1994 12:00:00 {name}") == noon + behind * 3600, name
    assert read_date("15 Nov 1994 12:00:00 +0530") == noon - 5.5 * 3600
    assert read_date("15 Nov 1994 12:00:00 -0330") == noon + 3.5 * 3600


@pytest.mark.parametrize(
    ("time", "second"),
    [("00:00:00", 0), ("23:59:59", 86399), ("23:59:60", 86400), ("23:59", 86340), ("24:00:00", None),
     ("00:60:00", None), ("00:00:61", None)],
)  # fmt: skip
def test_the_first_and_the_last_second_of_a_day(time: str, second: int | None) -> None:
    assert read_date(f"1 Jan 1970 {time} GMT") == second


@pytest.mark.parametrize(("written", "year"), [("49", 2049), ("50", 1950), ("99", 1999), ("00", 2000), ("123", 2023)])
def test_years_of_two_and_three_digits(written: str, year: int) -> None:
    """RFC 5322 4.3: 00 to 49 count from 2000, 50 to 99 and three digits from 1900."""
    assert read_date(f"1 Jan {written} 00:00:00") == datetime(year, 1, 1, tzinfo=UTC).timestamp()


@given(second=st.integers(-2_208_988_800, 4_102_444_800), minutes=st.integers(-14 * 60, 14 * 60))
def test_a_date_that_the_standard_library_writes(second: int, minutes: int) -> None:
    there = datetime.fromtimestamp(second, timezone(timedelta(minutes=minutes)))
    text = format_datetime(there)
    assert read_date(text) == read_date(text.encode()) == second


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=40))
def test_words_that_the_standard_library_encodes(text: str) -> None:
    for coding in (BASE64, QP):
        charset = Charset("utf-8")
        charset.header_encoding = coding
        word = charset.header_encode(text)
        assert decode_field(word) == decode_field(word.encode()) == text


@each_row(
    ("field", "text"),
    [
        # RFC 2047 8, where comments are left out
        ("=?ISO-8859-1?Q?a?=", "a"), ("=?ISO-8859-1?Q?a?= b", "a b"), ("=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=", "ab"),
        ("=?ISO-8859-1?Q?a?=  =?ISO-8859-1?Q?b?=", "ab"), ("=?ISO-8859-1?Q?a?=\r\n    =?ISO-8859-1?Q?b?=", "ab"),
        ("=?ISO-8859-1?Q?a_b?=", "a b"), ("=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?=", "a b"),
        ("=?US-ASCII?Q?Keith_Moore?= <moore@cs.utk.edu>", "Keith Moore <moore@cs.utk.edu>"),
        ("=?ISO-8859-1?B?SWYgeW91IGNhbiByZWFkIHRoaXMgeW8=?= =?ISO-8859-2?B?dSB1bmRlcnN0YW5kIHRoZSBleGFtcGxlLg==?=",
         "If you can read this you understand the example."),
        ("caf\udce9", "café"), ("=?utf-8?q?a?= caf\udce9", "a café"),  # octets that an overview has as surrogates
        ("plain =3D text", "plain =3D text"), ("", ""),
    ],
)  # fmt: skip
def test_the_examples_of_rfc_2047(field: str, text: str) -> None:
    assert decode_field(field) == text


def test_a_head_may_be_as_long_as_one_of_http() -> None:
    assert MAX_HEAD_BYTES == 262_144
    assert read_head(b"") == {}
    assert read_head(b": nameless\r\nno colon\r\n folded\r\nA:b:c\r\n") == {"a": b"b:c"}


WORDS = st.lists(st.text("abz!~09=?:", min_size=1, max_size=9), min_size=1, max_size=4)


@given(st.dictionaries(st.text("abc-9", min_size=1, max_size=9), WORDS, max_size=5))
def test_fields_come_back_folded_or_not(fields: dict[str, list[str]]) -> None:
    expected = {name: " ".join(words).encode() for name, words in fields.items()}
    for space in (" ", "\r\n ", "\n\t"):
        head = "".join(f"{name.title()}: {space.join(words)}\r\n" for name, words in fields.items())
        assert read_head(head.encode()) == expected
