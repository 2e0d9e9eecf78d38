"""Dates become seconds as the standard library has them, for every year that servers can write."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.dates import parse_date, past_timestamp, retry_after, timestamp, year_of
from tests.rows import each_row


@given(st.datetimes(timezones=st.just(dt.UTC)))
def test_a_moment_is_what_the_standard_library_says(when: dt.datetime) -> None:
    when = when.replace(microsecond=0)
    parts = (when.year, when.month, when.day, when.hour, when.minute, when.second)
    assert timestamp(*parts) == (when - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)).total_seconds()


@given(st.integers(0, 253_402_300_799))
def test_the_year_of_a_moment(seconds: int) -> None:
    assert year_of(seconds) == (dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=seconds)).year


@each_row(
    "date",
    [(2003, 2, 29), (1900, 2, 29), (2003, 0, 1), (2003, 13, 1), (2003, 4, 31), (2003, 1, 0), (0, 1, 1), (10000, 1, 1),
     (2003, 1, 1, 24), (2003, 1, 1, 0, 60), (2003, 1, 1, 0, 0, 61)],
)  # fmt: skip
def test_what_is_no_date_is_none(date: tuple[int, ...]) -> None:
    assert timestamp(*date) is None


def test_a_leap_second_is_the_next_minute() -> None:
    assert timestamp(1998, 12, 31, 23, 59, 60) == timestamp(1999, 1, 1)


NOW = timestamp(2026, 3, 10, 12, 0)
PAST = [
    ("today", (3, 10, 11, 59), (2026, 3, 10, 11, 59)),
    ("an hour ahead: another time zone", (3, 10, 13, 0), (2026, 3, 10, 13, 0)),
    ("a day and a minute ahead: last year", (3, 11, 12, 1), (2025, 3, 11, 12, 1)),
    ("this year", (1, 1, 0, 0), (2026, 1, 1, 0, 0)),
    ("last year", (12, 31, 23, 59), (2025, 12, 31, 23, 59)),
    ("29 February: the last one there was", (2, 29, 1, 0), (2024, 2, 29, 1, 0)),
]


@pytest.mark.parametrize(("date", "meant"), [row[1:] for row in PAST], ids=[row[0] for row in PAST])
def test_a_date_without_a_year_is_the_latest_that_is_past(
    date: tuple[int, int, int, int], meant: tuple[int, ...]
) -> None:
    assert NOW is not None
    assert past_timestamp(*date, now=NOW) == timestamp(*meant)


def test_new_year_is_no_trap() -> None:
    now = timestamp(2027, 1, 1, 0, 30)
    assert now is not None
    assert past_timestamp(12, 31, 23, 0, now=now) == timestamp(2026, 12, 31, 23, 0)
    now = timestamp(2026, 12, 31, 23, 30)
    assert now is not None
    assert past_timestamp(1, 1, 0, 30, now=now) == timestamp(2027, 1, 1, 0, 30)


def test_a_day_that_never_was_has_no_moment() -> None:
    assert past_timestamp(2, 30, 0, 0, now=1e9) is None


@each_row(
    ("text", "seconds"),
    [
        pytest.param("Sun, 06 Nov 1994 08:49:37 GMT", 784111777, id="RFC 9110 5.6.7: IMF-fixdate"),
        pytest.param("Sunday, 06-Nov-94 08:49:37 GMT", 784111777, id="RFC 9110 5.6.7: RFC 850"),
        pytest.param("Sun Nov  6 08:49:37 1994", 784111777, id="RFC 9110 5.6.7: asctime"),
        pytest.param("Sun, 06 Nov 1994 08:49:37 UTC", 784111777, id="UTC for GMT, seen in the wild"),
        pytest.param("Thu, 01 Jan 1970 00:00:00 GMT", 0, id="the epoch"),
        pytest.param("Wed, 31 Dec 1969 23:59:59 GMT", -1, id="before it"),
        pytest.param("Tue, 29 Feb 2000 12:00:00 GMT", 951825600, id="a leap day"),
        pytest.param("Sat, 31 Dec 2016 23:59:60 GMT", 1483228800, id="a leap second"),
        pytest.param("Friday, 01-Jan-69 00:00:00 GMT", 3124224000, id="two digits below 70: 2069"),
        pytest.param("Thu, 29 Feb 2001 12:00:00 GMT", None, id="no such day"),
        pytest.param("Sun, 06 Nov 1994 24:00:00 GMT", None, id="no such hour"),
        pytest.param("Sun, 06 Nov 1994 08:60:00 GMT", None, id="no such minute"),
        pytest.param("Sun, 06 Nov 1994 08:49 GMT", None, id="no seconds"),
        pytest.param("Sun, 06 Nov 1994 08:49:37 CET", None, id="another zone"),
        pytest.param("Sun, 06 Nov 1994 08:49:37 +0000", 784111777.0, id="a mail date"),
        pytest.param("Foo, 06 Nov 1994 08:49:37 GMT", None, id="no such weekday"),
        pytest.param("Sun, 06 Foo 1994 08:49:37 GMT", None, id="no such month"),
        pytest.param("Sun, ٠٦ Nov 1994 08:49:37 GMT", None, id="digits of another script"),
        pytest.param("Sun, 06 Nov 99999 08:49:37 GMT", None, id="five digits"),
        pytest.param("0", None, id="what servers write for 'expired'"),
        pytest.param("", None, id="nothing"),
        pytest.param("1994-11-06T08:49:37Z", None, id="RFC 3339"),
    ],
)
def test_dates_of_http(text: str, seconds: int | None) -> None:
    assert parse_date(text) == seconds


@each_row(
    ("wish", "date", "seconds"),
    [
        ("120", None, 120.0),
        (" 7 ", "whenever", 7.0),  # a number needs no Date
        ("9" * 30, None, 999_999_999.0),
        ("Sun, 06 Nov 1994 08:50:07 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 30.0),  # by the sender's clock
        ("Sun, 06 Nov 1994 08:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 0.0),  # it is over
        ("Sun, 06 Nov 1994 08:49:42 GMT", None, 5.0),  # by ours
        ("Sun, 06 Nov 1994 08:49:42 GMT", "whenever", None),  # by a clock that nobody can read
        ("soon", None, None),
        ("-1", None, None),
        ("", None, None),
        ("٣", None, None),
    ],
)
def test_how_long_to_wait(wish: str, date: str | None, seconds: float | None) -> None:
    """RFC 9110 10.2.3."""
    assert retry_after(wish, date, now=784_111_777.0) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Sun, 06 Nov 1994 09:49:37 +0100", 784111777.0),
        ("Sun, 06 Nov 1994 07:19:37 -0130", 784111777.0),
        ("Sun, 06 Nov 1994 08:49:37", 784111777.0),
        ("Sun, 06 Nov 1994 08:49:37 +01", None),
        ("Sun, 06 Nov 1994 08:49:37 CET", None),
    ],
)
def test_dates_with_another_zone_or_none_are_read(text: str, seconds: float | None) -> None:
    assert parse_date(text) == seconds
