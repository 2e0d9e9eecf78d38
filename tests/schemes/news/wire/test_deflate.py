"""Both directions of a compressed connection (RFC 8054), and what is no stream of one."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import LimitError, RemoteProtocolError
from anyurl.schemes.news.wire.deflate import FREE_BYTES, MAX_BARREN, MAX_RATIO, Deflate


def test_both_directions() -> None:
    ours, theirs = Deflate(), Deflate()
    for text in (b"LIST\r\n", b"QUIT\r\n"):
        for octet in ours.encode(text):
            theirs.feed(bytes((octet,)))
        assert theirs.decode(100) == text
        assert theirs.decode(100) == b""


def test_no_more_is_decoded_than_is_asked_for() -> None:
    ours, theirs = Deflate(), Deflate()
    theirs.feed(ours.encode(b"x" * 1_000_000))
    sizes = []
    while theirs.has_more:
        sizes.append(len(theirs.decode(65_536)))
    assert max(sizes) == 65_536
    assert sum(sizes) == 1_000_000


def test_bombs() -> None:
    bomb = zlib.compressobj(9, wbits=-15)
    data = bomb.compress(bytes(32 * 1024 * 1024)) + bomb.flush(zlib.Z_SYNC_FLUSH)
    stream = Deflate()
    stream.feed(data)
    for _ in range(FREE_BYTES >> 20):
        assert len(stream.decode(1 << 20)) == 1 << 20
    with pytest.raises(LimitError, match="a bomb"):
        stream.decode(1 << 20)


def test_what_decompresses_to_nothing_does_not_go_on_for_ever() -> None:
    """Empty blocks are octets, so that no clock of silence sees them."""
    stream = Deflate()
    stream.feed(Deflate().encode(b"220 0\r\n"))
    assert stream.decode(100) == b"220 0\r\n"
    blocks = b"\0\0\0\xff\xff" * 10_000
    for _ in range(MAX_BARREN // len(blocks)):
        stream.feed(blocks)
        assert stream.decode(100) == b""
    stream.feed(blocks)
    with pytest.raises(LimitError, match="decompress to nothing"):
        stream.decode(100)


@pytest.mark.parametrize(
    ("data", "message"), [(b"200 plain\r\n" * 9, "not compressed"), (b"\x03\x00", "which has no end")]
)
def test_streams_that_are_none(data: bytes, message: str) -> None:
    stream = Deflate()
    stream.feed(data)
    with pytest.raises(RemoteProtocolError, match=message):
        stream.decode(100)


@given(st.lists(st.binary(max_size=300), max_size=5), st.integers(1, 50))
def test_what_the_standard_library_packs_and_unpacks(pieces: list[bytes], at_most: int) -> None:
    packer, unpacker, ours = zlib.compressobj(wbits=-15), zlib.decompressobj(-15), Deflate()
    for piece in pieces:
        assert unpacker.decompress(ours.encode(piece)) == piece  # flushed: the server waits for complete commands
        ours.feed(packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH))
        came = b""
        while ours.has_more:
            data = ours.decode(at_most)
            assert len(data) <= at_most
            came += data
        assert came == piece


def test_there_is_more_once_something_was_fed_and_until_it_is_decoded() -> None:
    stream = Deflate()
    stream.feed(b"")
    assert not stream.has_more
    stream.feed(Deflate().encode(b"abcd"))
    stream.feed(b"")
    assert stream.has_more
    assert (stream.decode(4), stream.has_more) == (b"abcd", True)  # as much as was asked for: there may be more
    assert (stream.decode(4), stream.has_more) == (b"", False)


def test_only_a_long_stream_is_held_to_the_ratio() -> None:
    """A short repetitive listing is none; and a long one that compresses as overview lines do is none either."""
    assert (MAX_RATIO, FREE_BYTES, MAX_BARREN) == (200, 8 << 20, 8 << 20)
    stream = Deflate()
    stream.feed(Deflate().encode(bytes(FREE_BYTES)))
    while stream.has_more:
        stream.decode(1 << 20)
    dull = b"".join(b"%d\tRe: the same subject\r\n" % number for number in range(400_000))
    assert len(dull) > FREE_BYTES
    stream = Deflate()
    stream.feed(Deflate().encode(dull))
    assert b"".join(iter(lambda: stream.decode(1 << 20), b"")) == dull


def test_each_fault_says_what_it_is() -> None:
    stream = Deflate()
    stream.feed(b"\xff")
    with pytest.raises(RemoteProtocolError) as caught:
        stream.decode(1)
    assert str(caught.value) == "The news server agreed to compress, but its octets are not compressed."
    assert isinstance(caught.value.__cause__, zlib.error)
    stream = Deflate()
    stream.feed(zlib.compressobj(wbits=-15).flush())
    with pytest.raises(RemoteProtocolError) as caught:
        stream.decode(1)
    assert str(caught.value) == "The news server ended its compressed stream, which has no end (RFC 8054 2.2.2)."
