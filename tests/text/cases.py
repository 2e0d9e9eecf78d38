"""Reads the labelled cases in ``tests/data/text``."""

from __future__ import annotations

import re
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data" / "text"

_ESCAPE = re.compile(r"\\(?:([nrt\\])|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}


def unescaped(text: str) -> str:
    """The text that is meant."""
    return _ESCAPE.sub(
        lambda match: _SIMPLE[match[1]] if match[1] else chr(int(match[2] or match[3] or match[4], 16)), text
    )


def rows(name: str, columns: int) -> list[tuple[str, ...]]:
    """The cases of a file: its columns and, last, the options."""
    found = []
    for line in (DATA / name).read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            cells = line.split("\t")
            assert len(cells) in (columns, columns + 1), line
            found.append((*cells, "") if len(cells) == columns else tuple(cells))
    return found
