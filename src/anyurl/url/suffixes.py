"""Registered domains, by the public suffix list of the publicsuffixlist package.

Rule: callers name the extra of anyurl that installs it. For a name that matches no rule, the last label is the suffix.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from anyurl.errors import MissingExtraError
from anyurl.url.host import parse_ipv4


def registered_domain(host: str, *, extra: str, what: str, listed: bool = False) -> str | None:
    """The registered domain of a host; None for an address and for a public suffix itself.

    Args:
        extra: The extra of anyurl that installs the list.
        what: The feature that needs it, for the error.
        listed: Return None if the suffix is not in the list.

    Raises:
        MissingExtraError: publicsuffixlist is not installed.
    """
    suffixes, name = _suffixes(extra, what), _name(host)
    domain: str | None = name and suffixes.privatesuffix(name, accept_unknown=not listed)
    return domain


def public_suffix(host: str, *, extra: str, what: str) -> str | None:
    """The public suffix of a host (``co.uk``); None for an address. Arguments and errors: `registered_domain`."""
    suffixes, name = _suffixes(extra, what), _name(host)
    suffix: str | None = name and suffixes.publicsuffix(name)
    return suffix


def _name(host: str) -> str | None:
    """The name without its last dot; None for an address, and for none."""
    bare = host.removesuffix(".")
    return None if not bare or ":" in bare or parse_ipv4(bare) is not None else bare


@cache
def _suffixes(extra: str, what: str) -> Any:
    """The list, cached: parsing it takes a tenth of a second."""
    try:
        from publicsuffixlist import PublicSuffixList
    except ImportError:
        raise MissingExtraError(
            f"{what} need publicsuffixlist: in a clone of anyurl, pip install '.[{extra}]'.", extra=extra
        ) from None
    return PublicSuffixList()
