"""TOML as it comes from anybody: a tree that is checked brings a file of settings, and so does whoever starts a server.

Rule: the reader of Python's library takes the square of the parts of one key: 80 kB of ``a.a.a`` keep it for 20 s, and
1 MiB for an hour. What it reads has no key of more than `MAX_DOTS` dots.
"""

from __future__ import annotations

import re
from typing import Any

MAX_DOTS = 16
"""Of one key; ours need three, and those of a pyproject.toml hardly more."""

# An end that is missing is that of the line or of the text, so that no quote is looked for twice.
_NO_KEY = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)|' r"'''(?:[^']|'(?!''))*+(?:'''|\Z)|"
    r'"(?:[^"\\\n]|\\[^\n])*+(?:"|(?=\n)|\Z|\\)|' r"'[^'\n]*+(?:'|(?=\n)|\Z)|" r"#[^\n]*",
    re.DOTALL,
)  # fmt: skip
"""Texts and comments, whose dots part nothing."""

_BETWEEN_KEYS = re.compile(r"[,=\[\]{}]")


def read_toml(text: str) -> dict[str, Any]:
    """Read it.

    Raises:
        ValueError: It is no TOML, or has a key without end; RecursionError, where it is nested too deeply.
    """
    import tomllib

    bare = _NO_KEY.sub(lambda match: "\n" * match[0].count("\n"), text)
    for number, line in enumerate(bare.split("\n"), 1):
        if line.count(".") > MAX_DOTS and max(part.count(".") for part in _BETWEEN_KEYS.split(line)) > MAX_DOTS:
            raise ValueError(f"line {number} has a key of more than {MAX_DOTS} dots")
    return tomllib.loads(text)
