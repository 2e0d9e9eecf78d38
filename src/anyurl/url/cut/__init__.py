"""The inner loops: the percent codec, the cut of a URL, the strict grammar, the search for URLs in text.

One ``.py`` each, compiled by Cython where there is a C compiler, or run as it is.

Rule: the kernel knows octets and offsets; it knows no scheme, raises nothing of its own and imports nothing above it.
"""

from __future__ import annotations

from anyurl.url.cut.percent import COMPILED, decode_text, encode_text, percent_decode, percent_encode

__all__ = ["COMPILED", "decode_text", "encode_text", "percent_decode", "percent_encode"]
