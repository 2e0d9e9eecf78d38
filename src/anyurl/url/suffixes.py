"""Which names anybody may register below: the public suffix list, as the publicsuffixlist package brings it.

Rule: whoever needs it says which extra of anyurl has it. A name that is on no list has a last label that is one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from anyurl.errors import MissingExtraError
from anyurl.url.host import parse_ipv4


def registered_domain(host: str, *, extra: str, what: str, listed: bool = False) -> str | None:
    """The registered domain that a host belongs to; None for an address, and for what is a public suffix itself.

    Args:
        extra: The extra of anyurl that has the list.
        what: What needs it, for the error.
        listed: Only where the list has the suffix.

    Raises:
        MissingExtraError: publicsuffixlist is not installed.
    """
    suffixes = _suffixes(extra, what)
    bare = host.removesuffix(".")
    if not bare or ":" in bare or parse_ipv4(bare) is not None:
        return None
    domain: str | None = suffixes.privatesuffix(bare, accept_unknown=not listed)
    return domain


@cache
def _suffixes(extra: str, what: str) -> Any:
    """The list; to read it takes a tenth of a second."""
    try:
        from publicsuffixlist import PublicSuffixList
    except ImportError:
        raise MissingExtraError(f"{what} need publicsuffixlist: pip install 'anyurl[{extra}]'.", extra=extra) from None
    return PublicSuffixList()
