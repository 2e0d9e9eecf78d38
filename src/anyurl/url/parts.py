"""The type of a URL's parts for code that does not know the scheme (RFC 1738 2.1: the scheme-specific part).

Rule: only the protocol is here. Each scheme defines its own class of parts in its own package.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class AnyParts(Protocol):
    """The scheme-specific parts of a URL; ``FtpParts.of(url)`` and the like return them with the scheme's own type."""

    def url_path(self) -> str:
        """The encoded url-path, including the query if the scheme has one, as `URL.build` writes it."""
        ...

    def as_dict(self) -> Mapping[str, object]:
        """The fields by name."""
        ...
