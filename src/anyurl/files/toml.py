"""TOML from untrusted sources, such as the settings file of a checked tree.

Rule: no key with more than `MAX_DOTS` dots is parsed. Attack: the time of Python's parser grows with the square of the
number of parts of a key: 80 kB of ``a.a.a`` take 20 s, and 1 MiB an hour.
"""

from __future__ import annotations

import re
from typing import Any

MAX_DOTS = 16
"""Dots in one key; our own keys need three, and those of a pyproject.toml hardly more."""

# An unterminated string ends with its line or the text, so that no closing quote is searched for twice.
_NO_KEY = re.compile(
    r'"""(?:[^"\\]|\\.|(?>"(?!"")))*+(?:"""|\Z)|' r"'''(?:[^']|(?>'(?!'')))*+(?:'''|\Z)|"
    r'"(?:[^"\\\n]|\\[^\n])*+(?:"|(?=\n)|\Z|\\)|' r"'[^'\n]*+(?:'|(?=\n)|\Z)|" r"#[^\n]*",
    re.DOTALL,
)  # fmt: skip
"""Strings and comments, whose dots do not separate keys."""

_BETWEEN_KEYS = re.compile(r"[,=\[\]{}]")


def read_toml(text: str) -> dict[str, Any]:
    """Parse TOML.

    Raises:
        ValueError: It is malformed, or has a key with too many dots.
        RecursionError: It is nested too deeply.
    """
    import tomllib

    bare = _NO_KEY.sub(lambda match: "\n" * match[0].count("\n"), text)
    for number, line in enumerate(bare.split("\n"), 1):
        if line.count(".") > MAX_DOTS and max(part.count(".") for part in _BETWEEN_KEYS.split(line)) > MAX_DOTS:
            raise ValueError(f"line {number} has a key of more than {MAX_DOTS} dots")
    return tomllib.loads(text)
