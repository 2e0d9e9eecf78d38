"""Content codings: never more than was asked for, never a bomb, and an end that is one."""

from __future__ import annotations

from anyurl.net.http.coding import ContentDecoder
from fuzz import kit

_CODINGS = (("gzip",), ("deflate",), ("gzip", "gzip"), ("deflate", "gzip"))
_FREE = 1 << 16
_RATIO = 200


def fuzz(data: bytes) -> None:
    """One octet chooses the codings, the rest is the body."""
    codings = _CODINGS[(data[0] if data else 0) % len(_CODINGS)]
    kit.outcome(lambda: _decode(data[1:], codings, 64))
    kit.outcome(lambda: _decode(data[1:], codings, 1 << 20))


def _decode(data: bytes, codings: tuple[str, ...], size: int) -> None:
    decoder = ContentDecoder(codings, max_ratio=_RATIO, free=_FREE)
    total = 0
    for start in range(0, len(data), size):
        got = decoder.decode(data[start : start + size], 4096)
        while True:
            kit.same(len(got) <= 4096, True, "more came than was asked for")
            total += len(got)
            if not decoder.has_rest:
                break
            got = decoder.decode(b"", 4096)
    kit.same(total <= max(_FREE, _RATIO * len(data)) + 4096, True, "a bomb went off")
    decoder.finish()
