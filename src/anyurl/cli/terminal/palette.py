"""The colours of a terminal, and what each means.

Rule: colour marks problems, bold the subject of a screen, faint secondary text; everything else is in the terminal's
default. No meaning depends on colour alone. Red and magenta are the only two of the eight colours that are readable on
both black and white in every common palette; yellow and cyan are not readable on white, nor blue on black.
"""

from __future__ import annotations

import os
from functools import cache

FAULT = "31"
"""An error or a refusal."""

CAUTION = "35"
"""A warning: something that may or may not be intended."""

STRONG = "1"
QUIET = "2"

BY_SEVERITY = {"error": (FAULT,), "warning": (CAUTION,), "remark": ()}
"""The meanings of a fault of a URL, by its severity."""

PLAIN = ("dumb", "unknown")
"""Values of TERM for terminals without escape sequences; users of screen readers set them as well."""


def is_plain() -> bool:
    """Whether this terminal supports no escape sequences."""
    return os.environ.get("TERM") in PLAIN


def has_colours() -> bool:
    """Whether this terminal shows colours, and the person has not disabled them (no-color.org)."""
    return not is_plain() and not os.environ.get("NO_COLOR")


@cache
def has_rich() -> bool:
    """Whether rich, which draws tables and progress bars, is installed; it is not loaded."""
    from importlib.machinery import PathFinder

    return PathFinder.find_spec("rich") is not None


_ASCII = str.maketrans("─│┬└…", "-|+`>")


def as_ascii(text: str, encoding: str) -> str:
    """A drawing, in ASCII if the encoding lacks box-drawing characters; each is replaced by one character."""
    try:
        "─│┬└…".encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII)
    return text


def painted(text: str, *meanings: str) -> str:
    """A text without line ends, with the escape sequences (ECMA-48 SGR) of its meanings."""
    return f"\x1b[{';'.join(meanings)}m{text}\x1b[0m" if text and meanings else text
