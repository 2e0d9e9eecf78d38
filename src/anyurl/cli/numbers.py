"""Entries by their numbers: ``-n 3`` follows the third entry of a listing, as `ls` numbers them on a terminal.

Rule: only entries with a URL have a number, which leads where the entry itself would: it is judged as a link of the
listing, never as the user's own URL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from anyurl.cli.arguments import Parameter, UsageError
from anyurl.cli.settings import MOST

if TYPE_CHECKING:
    from anyurl.access import Client
    from anyurl.dialogue import Entry
    from anyurl.url import URL
    from anyurl.values import Provenance

HEADING = "#"
"""The heading of the column of numbers."""

number_option = Parameter(
    "-n",
    "--number",
    "numbers",
    metavar="NUMBER",
    between=(1, MOST),
    multiple=True,
    help="Follow the entry with this number of the listing at URL, as `ls` numbers them on a terminal. Repeatable: the "
    "next number is that of an entry in the listing so reached.",
)


def refuse_with_numbers(explain: bool, program: str | None = None) -> None:
    """Raises UsageError for options about the URL itself: where a number leads is not known before the listing is."""
    if explain:
        raise UsageError("--explain makes no connection, and where a number leads is known from the listing only.")
    if program is not None:
        raise UsageError("--program is for a URL of your own, not for one that a number leads to.")


def numbered(entries: Iterable[Entry]) -> Iterator[tuple[int, Entry]]:
    """Each entry with its number; 0 for one without a URL."""
    count = 0
    for entry in entries:
        count += entry.url is not None
        yield 0 if entry.url is None else count, entry


def follow(client: Client, url: URL, origin: Provenance, numbers: Sequence[int]) -> tuple[URL, Provenance]:
    """Where the numbers lead from a listing, and who named that: the last listing.

    Raises:
        UsageError: A listing has no entry of that number.
        AnyURLError: A listing can't be opened.
    """
    from anyurl.client.named import origin_from

    for number in numbers:
        with client.list(url, came_from=origin) as listing:
            last = 0
            for here, entry in numbered(listing.entries()):
                if here == number and entry.url is not None:
                    url, origin = entry.url, origin_from(listing)
                    break
                last = max(last, here)
            else:
                there = f"ends with entry {last:,}" if last else "has no entry with a URL"
                raise UsageError(f"There is no entry {number:,}: the listing {listing.url.masked} {there}.")
    return url, origin
