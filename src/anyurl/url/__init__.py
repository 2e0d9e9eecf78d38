"""The URL value: its components, how it is made, resolved, compared (RFC 1738 2 and 3.1, RFC 3986)."""

from __future__ import annotations

from anyurl.url.reading import parse
from anyurl.url.url import URL

__all__ = ["URL", "parse"]
