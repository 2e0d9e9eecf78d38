"""URLs in text: finding them, and writing them so that they can be found again (RFC 1738 appendix)."""

from __future__ import annotations

from anyurl.text.defang import defang
from anyurl.text.find import find
from anyurl.text.found import Found
from anyurl.text.limits import Budget
from anyurl.text.readers.registry import Reader, formats, register_reader
from anyurl.text.replace import replace
from anyurl.text.wrap import unwrap, wrap

__all__ = ["Budget", "Found", "Reader", "defang", "find", "formats", "register_reader", "replace", "unwrap", "wrap"]
