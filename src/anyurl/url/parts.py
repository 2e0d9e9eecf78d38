"""What the parts of a URL are to whoever does not know its scheme (RFC 1738 2.1: the scheme-specific part).

Rule: a type and no more. What a scheme reads from its URLs stands in its own folder, and says so by its own class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class AnyParts(Protocol):
    """What a scheme reads from a URL; ``FtpParts.of(url)`` and its like give it with the type of its scheme."""

    def url_path(self) -> str:
        """The encoded url-path, with the query where the scheme has one: what `URL.build` writes."""
        ...

    def as_dict(self) -> Mapping[str, object]:
        """The fields by name."""
        ...
