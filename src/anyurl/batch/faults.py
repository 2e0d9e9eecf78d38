"""The numbers in the column ``fault``, and their meanings.

Rule: a number never changes its meaning; new ones are added at the end.
"""

from __future__ import annotations

from functools import cache

from anyurl.errors import URLSyntaxError
from anyurl.url.faults import FAULTS

OTHER = 32_767
"""The number for faults of grammars whose faults have names only."""


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
    """The number of a fault, and its position in characters."""
    first = next(one for one in error.diagnostics if one.severity == "error")
    return _numbers().get(first.code, OTHER), first.span[0]
