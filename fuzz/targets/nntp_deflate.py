"""The compressed stream of a news server: in pieces as whole, and no more out than was asked for."""

from __future__ import annotations

from anyurl.schemes.news.wire.deflate import Deflate
from fuzz import kit

AT_MOST = 4096


def fuzz(data: bytes) -> None:
    """What comes after 206; and the same octets sent and received."""
    kit.outcome(lambda: _read([data]))
    ours, theirs = Deflate(), Deflate()
    theirs.feed(ours.encode(data))
    kit.same(_drain(theirs), data, "what was sent")


def _read(pieces: list[bytes]) -> bytes:
    stream = Deflate()
    out = b""
    for piece in pieces:
        stream.feed(piece)
        out += _drain(stream)
    return out


def _drain(stream: Deflate) -> bytes:
    out = b""
    while stream.has_more:
        data = stream.decode(AT_MOST)
        assert len(data) <= AT_MOST
        out += data
        if not data:
            break
    return out
