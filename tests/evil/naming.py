"""Cells of names that a server chose (E1 to E8, E12), the same for every listing. `add_names` gives them to a column.

Rule: the entry of a hostile name is there with its octets as they came, nothing would save under it, what `safe_name`
makes of it is one component that no system obeys, and the good entry beside it stays usable.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anyurl.errors import LocalFileError
from anyurl.saving.save import safe_name
from tests.evil.cell import Cell, Column, is_harmless
from tests.evil.outcomes import LIMIT, NAME, OK, PROTO
from tests.evil.rig import Got

HARMLESS = b"harmless.txt"

NAMES: Mapping[str, tuple[bytes, str]] = {
    "E1": (b"../../x", NAME),
    "E2": (b"/etc/passwd", NAME),
    "E3": (rb"..\..\x", NAME),
    "E4 dot": (b".", NAME),
    "E4 dots": (b"..", NAME),
    "E4 empty": (b"", NAME),
    "E5 escape": (b"a\x1b[31m", NAME),
    "E5 return": (b"a\rb", NAME),
    "E5 bell": (b"a\x07b", NAME),
    "E6": (b"a\0b", NAME),
    "E7 hidden": (b".bashrc", OK),
    "E7 option": (b"-rf", OK),
    "E8 long": (b"x" * 300, OK),
    "E8 device": (b"CON", OK),
    "E8 dot": (b"x.", OK),
}

SAVED_AS = {"E7 hidden": "_.bashrc", "E7 option": "_-rf", "E8 device": "_CON", "E8 dot": "x._"}

MANY = 6_000
"""Entries of the endless listing, where the guard allows 5,000: its own 100,000 would take seconds."""


def add_names(
    column: Column,
    listing: Callable[[Sequence[bytes]], Any],
    url: str,
    *,
    verb: str = "list",
    what: str = "",
    words: Mapping[str, str | None] | None = None,
    line: bytes = b"",
    twice: bool = True,
    **how: Any,
) -> None:
    """Give a column the cells E1 to E8 and E12.

    Args:
        listing: The script of a server that lists these names.
        url: What is listed.
        what: Where there are several kinds of listing: which.
        words: What a cell comes to instead of what `NAMES` says; None leaves it out.
        line: One line of an endless listing.
        how: Of the cells.
    """
    behind = f" {what}" if what else ""
    for fault, (name, usual) in NAMES.items():
        word = (words or {}).get(fault, usual)
        if word is None:
            continue
        holds = None if word == PROTO else lambda got, n=name, f=fault: _holds(got, n, SAVED_AS.get(f))
        if fault == "E6" and word == OK:
            holds = _is_left_out
        column.add(Cell(f"{fault}{behind}", word, listing([HARMLESS, name]), url=url, verb=verb, holds=holds, **how))
    if twice:
        column.add(
            Cell(f"E12 twice{behind}", OK, listing([HARMLESS, HARMLESS]), url=url, verb=verb, holds=_is_twice, **how),
            Cell(
                f"E12 many{behind}", LIMIT, listing([b"%d" % number for number in range(MANY)]), url=url, verb=verb,
                limits={"listing_entries": 5_000}, stream=True, **how,
            ),
        )  # fmt: skip


def _is_left_out(got: Got) -> None:
    assert [os.fsencode(each) for each in got.names] == [HARMLESS]
    assert "a line of" in got.notes


def _holds(got: Got, name: bytes, saved_as: str | None) -> None:
    raw = [os.fsencode(each) for each in got.names]
    assert HARMLESS in raw, raw
    assert name in raw, f"{name!r} is not among {raw}"
    hostile = name.decode("utf-8", "surrogateescape")
    assert not is_harmless(hostile)
    check_saved_name(hostile, saved_as)


def check_saved_name(hostile: str, saved_as: str | None = None) -> None:
    """What `safe_name` makes of a name is one harmless component."""
    try:
        safe = safe_name(hostile)
    except LocalFileError:
        assert "\0" in hostile
        return
    assert not {"/", "\\"} & set(safe)
    assert safe.isprintable()
    assert 0 < len(os.fsencode(safe)) <= 255
    assert safe[0] not in ".-~"
    assert safe[-1] not in ". "
    assert saved_as is None or safe == saved_as, safe


def _is_twice(got: Got) -> None:
    assert [os.fsencode(name) for name in got.names] == [HARMLESS, HARMLESS]
