"""Octets between streams: lengths, chunks, and the clock that only octets turn back."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from anyurl.errors import LimitError, RemoteProtocolError, TransferTimeout
from anyurl.proxy.sockets import PIECE, StreamSocket
from anyurl.proxy.streams import OCTETS_IN_A_ROW, TRAILERS_AT_MOST, Flow


async def handed_on(*pieces: bytes, length: int | None = None, chunks: bool = False) -> tuple[bytes, bytes]:
    """What is handed on of these, and what is left of them."""
    (feeder, taken), (given, kept) = socket.socketpair(), socket.socketpair()
    source, sink = StreamSocket(taken), StreamSocket(given)
    with feeder, kept:
        try:
            for piece in pieces:
                feeder.sendall(piece)
            feeder.shutdown(socket.SHUT_WR)
            async with Flow(1, None) as flow:
                if chunks:
                    await flow.hand_on_chunks(source, sink)
                else:
                    await flow.hand_on(source, sink, length)
            sink.close()
            left = bytes(await source.piece())
        finally:
            source.close()
            sink.close()
        return b"".join(iter(lambda: kept.recv(65_536), b"")), left


def test_a_length_and_no_octet_more() -> None:
    async def main() -> None:
        assert await handed_on(b"hello world", length=5) == (b"hello", b" world")
        assert await handed_on(b"all") == (b"all", b"")
        with pytest.raises(RemoteProtocolError, match="ends 2 octets before its length"):
            await handed_on(b"abc", length=5)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("octets", "length", "written"),
    [
        (b"HEAD|body", 4, [b"head|body"]),
        (b"HEAD|body and the next", 4, [b"head|body"]),
        (b"HEAD|body", None, [b"head|body"]),
        (b"HEAD|", 0, [b"head|"]),
        (b"HEAD|bo", 4, [b"head|bo", b"dy"]),
        (b"HEAD|", 2, [b"head|", b"dy"]),
    ],
)
@pytest.mark.skipif(not hasattr(socket, "SOCK_SEQPACKET"), reason="there is no socket that keeps writes apart here")
def test_a_head_goes_out_with_what_came_with_it_and_waits_for_no_more(
    octets: bytes, length: int | None, written: list[bytes]
) -> None:
    """Each write wakes the reader, and a small answer is one write."""

    async def main() -> list[bytes]:
        feeder, taken = socket.socketpair()
        given, kept = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        source, sink = StreamSocket(taken), StreamSocket(given)
        try:
            with feeder, kept:
                feeder.sendall(octets)
                async with Flow(1, None) as flow:
                    assert await source.read_until(b"|", 100) == b"HEAD|"
                    handing = asyncio.create_task(flow.hand_on(source, sink, length, before=b"head|"))
                    await asyncio.sleep(0.01)
                    got = [kept.recv(100)]  # before the rest has come
                    feeder.sendall(b"dy" if len(written) > 1 else b"")
                    feeder.shutdown(socket.SHUT_WR)
                    await handing
                sink.close()
                return [*got, *iter(lambda: kept.recv(100), b"")]
        finally:
            source.close()
            sink.close()

    assert asyncio.run(main()) == written


@pytest.mark.parametrize("cut", range(1, 30))
def test_chunks_in_any_pieces(cut: int) -> None:
    octets = b"A;x\r\n0123456789\r\n2\r\nab\r\n0\r\nT: x\r\n\r\nrest"

    async def main() -> None:
        got = await handed_on(octets[:cut], octets[cut:], chunks=True)
        assert got == (b"A\r\n0123456789\r\n2\r\nab\r\n0\r\n\r\n", b"rest")

    asyncio.run(main())


def test_as_many_trailers_as_are_allowed_and_not_one_more() -> None:
    trailers = b"a: b\r\n" * TRAILERS_AT_MOST

    async def main() -> None:
        assert await handed_on(b"0\r\n" + trailers + b"\r\n", chunks=True) == (b"0\r\n\r\n", b"")
        with pytest.raises(RemoteProtocolError, match="at most 100 trailers"):
            await handed_on(b"0\r\na: b\r\n" + trailers + b"\r\n", chunks=True)

    asyncio.run(main())


@pytest.mark.parametrize(
    "octets",
    [b"", b"g\r\n", b"3\r\nab", b"3\r\nabcd\r\n", b"0\r\n" + b"a: b\r\n" * 200, b"1\nx\n0\n\n", b"f" * 16 + b"\r\n"],
)
def test_what_is_not_chunked(octets: bytes) -> None:
    async def main() -> None:
        with pytest.raises(RemoteProtocolError):
            await handed_on(octets, chunks=True)

    asyncio.run(main())


def test_the_clock_turns_back_with_each_octet_and_with_nothing_else() -> None:
    """On a clock of the test's own: each octet gives the whole time again, and at most a twentieth more."""

    clock = [0.0]

    async def main() -> None:
        asyncio.get_running_loop().time = lambda: clock[0]  # type: ignore[method-assign]
        async with Flow(10, None) as flow:
            for _ in range(5):
                clock[0] += 9.9
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                flow.count(1)
            clock[0] += 10.6
            await asyncio.get_running_loop().create_future()

    with pytest.raises(TransferTimeout, match=r"Nothing moved for 10 seconds\."):
        asyncio.run(main())
    assert clock[0] > 50


def test_octets_that_come_in_a_row_do_not_set_the_clock_each_time() -> None:
    clock = [100.0]

    async def main() -> None:
        asyncio.get_running_loop().time = lambda: clock[0]  # type: ignore[method-assign]
        async with Flow(10, None) as flow:
            whens = set()
            for _ in range(40):
                clock[0] += 0.1  # a twentieth of the idle time is half a second
                flow.count(1)
                whens.add(flow._clock.when())
            assert len(whens) <= 8

    asyncio.run(main())


def test_an_octet_that_comes_when_the_time_is_over_changes_nothing() -> None:
    clock = [100.0]

    async def main() -> None:
        asyncio.get_running_loop().time = lambda: clock[0]  # type: ignore[method-assign]
        async with Flow(10, None) as flow:
            clock[0] += 11
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                flow.count(1)

    with pytest.raises(TransferTimeout, match=r"Nothing moved for 10 seconds\."):
        asyncio.run(main())


def test_so_many_octets() -> None:
    async def main() -> None:
        async with Flow(1, 5) as flow:
            flow.count(5)
            with pytest.raises(LimitError):
                flow.count(1)

    asyncio.run(main())


class Endless:
    """A source that always has octets and a sink that always takes them, up to so many."""

    def __init__(self, left: int) -> None:
        self.left = left

    async def piece(self, most: int = PIECE) -> memoryview:
        size = min(most, self.left)
        self.left -= size
        return memoryview(bytes(size))

    async def write(self, _piece: bytes) -> None:
        pass


@pytest.mark.parametrize("way", ["hand_on", "hand_on_as_chunks"])
def test_who_is_always_ready_lets_the_others_have_their_turn(way: str) -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def main() -> None:
        beside = asyncio.create_task(other())
        source: Any = Endless(10 * OCTETS_IN_A_ROW)
        async with Flow(60, None) as flow, asyncio.timeout(5):
            await getattr(flow, way)(source, source)
        beside.cancel()

    asyncio.run(main())
    assert 10 <= turns <= 12
