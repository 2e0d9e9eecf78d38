"""Octets between streams: lengths, chunks, and the clock that only octets turn back."""

from __future__ import annotations

import asyncio

import pytest

from anyurl.errors import LimitError, RemoteProtocolError, TransferTimeout
from anyurl.proxy.streams import Flow


class Sink:
    """A writer that keeps what is written."""

    def __init__(self) -> None:
        self.octets = b""

    def write(self, data: bytes) -> None:
        self.octets += data

    async def drain(self) -> None:
        """Nothing waits here."""


def fed(*pieces: bytes, ends: bool = True) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    for piece in pieces:
        reader.feed_data(piece)
    if ends:
        reader.feed_eof()
    return reader


async def handed_on(reader: asyncio.StreamReader, length: int | None = None, chunks: bool = False) -> bytes:
    sink = Sink()
    async with Flow(1, None) as flow:
        if chunks:
            await flow.hand_on_chunks(reader, sink)  # type: ignore[arg-type]
        else:
            await flow.hand_on(reader, sink, length)  # type: ignore[arg-type]
    return sink.octets


def test_a_length_and_no_octet_more() -> None:
    async def main() -> None:
        reader = fed(b"hello world")
        assert await handed_on(reader, 5) == b"hello"
        assert await reader.read() == b" world"
        assert await handed_on(fed(b"all")) == b"all"
        with pytest.raises(RemoteProtocolError, match="ends 2 octets before its length"):
            await handed_on(fed(b"abc"), 5)

    asyncio.run(main())


@pytest.mark.parametrize("cut", range(1, 30))
def test_chunks_in_any_pieces(cut: int) -> None:
    octets = b"A;x\r\n0123456789\r\n2\r\nab\r\n0\r\nT: x\r\n\r\nrest"

    async def main() -> None:
        reader = fed(octets[:cut], octets[cut:])
        assert await handed_on(reader, chunks=True) == b"A\r\n0123456789\r\n2\r\nab\r\n0\r\n\r\n"
        assert await reader.read() == b"rest"

    asyncio.run(main())


@pytest.mark.parametrize(
    "octets",
    [b"", b"g\r\n", b"3\r\nab", b"3\r\nabcd\r\n", b"0\r\n" + b"a: b\r\n" * 200, b"1\nx\n0\n\n", b"f" * 16 + b"\r\n"],
)
def test_what_is_not_chunked(octets: bytes) -> None:
    async def main() -> None:
        with pytest.raises(RemoteProtocolError):
            await handed_on(fed(octets), chunks=True)

    asyncio.run(main())


def test_the_clock_turns_back_with_each_octet_and_with_nothing_else() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        for at in (0.1, 0.2, 0.3):
            loop.call_later(at, reader.feed_data, b"x")
        began = loop.time()
        with pytest.raises(TransferTimeout, match=r"Nothing moved for 0\.25 seconds\."):
            async with Flow(0.25, None) as flow:
                await flow.hand_on(reader, Sink())  # type: ignore[arg-type]
        return loop.time() - began

    assert asyncio.run(main()) > 0.5


def test_so_many_octets() -> None:
    async def main() -> None:
        async with Flow(1, 5) as flow:
            flow.count(b"12345")
            with pytest.raises(LimitError):
                flow.count(b"6")

    asyncio.run(main())
