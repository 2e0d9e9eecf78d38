"""The colours of a terminal, and what each means.

Rule: colour marks problems, bold the subject of a screen, faint secondary text; everything else is in the terminal's
default. No meaning depends on colour alone. Red and magenta are the only two of the eight colours that are readable on
both black and white in every common palette; yellow and cyan are not readable on white, nor blue on black.
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
