"""Dates become seconds as the standard library has them, for every year that servers can write."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.schemes.kit.dates import past_timestamp, timestamp, year_of


@given(st.datetimes(timezones=st.just(dt.UTC)))
def test_a_moment_is_what_the_standard_library_says(when: dt.datetime) -> None:
    when = when.replace(microsecond=0)
    parts = (when.year, when.month, when.day, when.hour, when.minute, when.second)
    assert timestamp(*parts) == (when - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)).total_seconds()


@given(st.integers(0, 253_402_300_799))
def test_the_year_of_a_moment(seconds: int) -> None:
    assert year_of(seconds) == (dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=seconds)).year


@pytest.mark.parametrize(
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
