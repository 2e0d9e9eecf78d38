"""The numbers of the column ``fault``, and what they mean.

Rule: a number never changes its meaning; new ones are added behind the last.
"""

from __future__ import annotations

from functools import cache

from anyurl.errors import URLSyntaxError
from anyurl.url.faults import FAULTS

OTHER = 32_767
"""A fault that has no number: of a grammar whose faults have names only."""


def fault_names() -> dict[int, str]:
    """The names of the numbers in the column ``fault``: the codes of the `Diagnostic` that `URL` raises.

    >>> fault_names()[7]
    'space'
    """
    return {0: "none", **{number: fault[0] for number, fault in FAULTS.items()}, OTHER: "other"}


@cache
def _numbers() -> dict[str, int]:
    return {fault[0]: number for number, fault in reversed(FAULTS.items())}


def number_and_place(error: URLSyntaxError) -> tuple[int, int]:
    """The number of what is wrong with a text, and the character at which it is."""
    first = next(one for one in error.diagnostics if one.severity == "error")
    return _numbers().get(first.code, OTHER), first.span[0]
