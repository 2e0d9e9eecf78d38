"""Timestamps from the dates that servers write: seconds since the epoch, by the proleptic Gregorian calendar.

Rule: integer arithmetic only, without a clock and without time zones: all dates count as UTC. HTTP's are here because
servers and proxies send them, whose modules do not see each other.
"""

from __future__ import annotations

from functools import lru_cache

DAY = 86_400
"""Seconds of a day."""

_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

MONTHS = {
    name: number
    for number, name in enumerate(
        (b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"), start=1
    )
}
"""Numbers of the months by their English names, three letters in lower case."""


def timestamp(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> float | None:
    """Seconds since the epoch; None if the date or time does not exist (RFC 3659 2.3; a leap second is allowed)."""
    if not (1 <= month <= 12 and 1 <= day <= days_in(year, month) and 1 <= year <= 9999):
        return None
    if not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 60):
        return None
    return float(days_before(year, month, day) * DAY + hour * 3600 + minute * 60 + second)


def days_in(year: int, month: int) -> int:
    """The number of days of a month (1 to 12)."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if leap and month == 2 else _MONTH_DAYS[month - 1]


def days_before(year: int, month: int, day: int) -> int:
    """Days from 1 January 1970 to that date."""
    # Years begin in March here, so that the leap day comes last (Hinnant, "Low-Level Date Algorithms").
    shifted = year - (month <= 2)
    era, year_of_era = divmod(shifted, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468


@lru_cache(maxsize=4)  # called with the same `now` for each line of a listing
def year_of(seconds: float) -> int:
    """The year (UTC) of a timestamp."""
    days = int(seconds // DAY)
    year = 1970 + days // 366
    while days_before(year + 1, 1, 1) <= days:
        year += 1
    return year


def past_timestamp(month: int, day: int, hour: int, minute: int, *, now: float) -> float | None:
    """The timestamp of a date without a year: the latest possible one that is not in the future.

    ``ls`` omits the year of files changed within the last half year. One day of tolerance allows for the server's time
    zone.
    """
    year = year_of(now + DAY)
    # Eight years back there is always a 29 February, even across a century year without one.
    for candidate in range(year, year - 9, -1):
        found = timestamp(candidate, month, day, hour, minute)
        if found is not None and found <= now + DAY:
            return found
    return None


REMEMBERED = 256
"""Dates whose parsed result is cached: a server sends similar ones in every response."""

MONTH_NAMES = tuple(name.decode("ascii") for name in MONTHS)
DAY_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CENTURY_PIVOT = 70
"""Two-digit years from this one on are in the 1900s (as in POSIX strptime; RFC 850 dates are obsolete)."""


@lru_cache(REMEMBERED)
def parse_date(text: str) -> float | None:
    """Seconds since the epoch of an HTTP date in any of its three forms, or None (RFC 9110 5.6.7).

    ``Sun, 06 Nov 1994 08:49:37 GMT``, ``Sunday, 06-Nov-94 08:49:37 GMT``, ``Sun Nov  6 08:49:37 1994``. As curl and
    wget do, it also reads the first one with another zone (``+0100``), and without any.
    """
    words = text.replace(",", " ", 1).split()
    offset = 0
    if (
        len(words) == 6
        and (zone := words[5])[0] in "+-"
        and len(zone) == 5
        and zone[1:].isascii()
        and zone[1:].isdigit()
    ):
        offset = (int(zone[1:3]) * 3600 + int(zone[3:]) * 60) * (1 if zone[0] == "+" else -1)
        words[5] = "GMT"
    words = " ".join(words).replace("-", " ", 2).split()
    if len(words) == 5 and words[1].isdigit():
        words.append("GMT")
    if len(words) == 6 and words[5] in ("GMT", "UTC"):
        weekday, day, month, year, clock, _ = words
    elif len(words) == 5:
        weekday, month, day, clock, year = words
    else:
        return None
    if weekday[:3].lower() not in DAY_NAMES or month.lower() not in MONTH_NAMES:
        return None
    numbers = [day, year, *clock.split(":")]
    if len(numbers) != 5 or not all(number.isascii() and number.isdigit() and len(number) <= 4 for number in numbers):
        return None
    d, y, hour, minute, second = map(int, numbers)
    if len(year) == 2:
        y += 1900 if y >= _CENTURY_PIVOT else 2000
    found = timestamp(y, MONTH_NAMES.index(month.lower()) + 1, d, hour, minute, second)
    return found if found is None else found - offset


def retry_after(wish: str, date: str | None, now: float) -> float | None:
    """The seconds of a Retry-After, which is their number or a date (RFC 9110 10.2.3); None if it is neither.

    Args:
        date: The Date of the same answer, by which its sender counts.
        now: The time that counts without one: a sender without a clock sends none (RFC 9110 6.6.1).
    """
    wish = wish.strip()
    if wish.isascii() and wish.isdigit():
        return float(wish[:9])
    then, since = parse_date(wish), now if date is None else parse_date(date)
    return None if then is None or since is None else max(0.0, then - since)
