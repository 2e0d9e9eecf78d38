"""The colours of a terminal, and what each means.

Rule: colour says that something is wrong, bold what a screen is about, faint what only leads the eye; everything else
is as the person has it. No meaning stands in a colour alone. Red and magenta are the two of the eight that can be read
on black and on white in every palette that terminals come with; yellow and cyan can't be on white, blue can't on black.
"""

from __future__ import annotations

import os
from functools import cache

FAULT = "31"
"""An error, a refusal."""

CAUTION = "35"
"""What may be meant, and may not."""

STRONG = "1"
QUIET = "2"

BY_SEVERITY = {"error": (FAULT,), "warning": (CAUTION,), "remark": ()}
"""What a terminal shows a fault of a URL with."""

PLAIN = ("dumb", "unknown")
"""Terminals that obey no escape sequence, as terminfo calls them; who listens to a terminal sets one of them, too."""


def is_plain() -> bool:
    """Whether this terminal obeys no escape sequence."""
    return os.environ.get("TERM") in PLAIN


def has_colours() -> bool:
    """Whether this terminal shows colours, and the person wants some (no-color.org)."""
    return not is_plain() and not os.environ.get("NO_COLOR")


@cache
def has_rich() -> bool:
    """Whether rich, which draws tables and progress, is installed; it is not loaded."""
    from importlib.machinery import PathFinder

    return PathFinder.find_spec("rich") is not None


_ASCII = str.maketrans("─│┬└…", "-|+`>")


def as_ascii(text: str, encoding: str) -> str:
    """A drawing as it is, or in ASCII where an encoding lacks what lines are drawn with: each in one column."""
    try:
        "─│┬└…".encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII)
    return text


def painted(text: str, *meanings: str) -> str:
    """A text, without line ends, with the sequences (ECMA-48 SGR) of its meanings."""
    return f"\x1b[{';'.join(meanings)}m{text}\x1b[0m" if text and meanings else text
