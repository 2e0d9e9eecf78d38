"""One connection: what is read ahead, what is not sent at once, and how it ends for the other side."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest

from anyurl.proxy.sockets import PIECE, StreamSocket


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a TCP connection; a pair of Unix sockets knows no reset."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with socket.create_connection(listener.getsockname()) as one, listener.accept()[0] as other:
            one.settimeout(10)
            yield one, other


def rest_of(sock: socket.socket) -> bytes:
    return b"".join(iter(lambda: sock.recv(65_536), b""))


def test_what_is_read_ahead_is_read_next(pair: tuple[socket.socket, socket.socket]) -> None:
    async def main() -> None:
        stream = StreamSocket(pair[1])
        pair[0].sendall(b"a: b\r\n\r\n123456789")
        pair[0].shutdown(socket.SHUT_WR)
        assert await stream.first() == b"a"
        assert await stream.read_until(b"\r\n\r\n", 8) == b"a: b\r\n\r\n"
        assert await stream.read_exactly(3) == b"123"
        assert bytes(await stream.piece(2)) == b"45"
        assert bytes(await stream.piece()) == b"6789"
        assert bytes(await stream.piece()) == b""
        assert await stream.first() == b""

    asyncio.run(main())


def test_a_mark_that_comes_first_is_all_that_is_waited_for(pair: tuple[socket.socket, socket.socket]) -> None:
    async def main() -> None:
        stream = StreamSocket(pair[1])
        pair[0].sendall(b"\r\n\r\n")
        async with asyncio.timeout(5):
            assert await stream.read_until(b"\r\n", 2) == b"\r\n"
            assert await stream.read_until(b"\r\n", 8) == b"\r\n"

    asyncio.run(main())


@pytest.mark.parametrize("sizes", [(1,) * 8, (3, 5), (4, 4), (7, 1)])
def test_a_mark_in_pieces(pair: tuple[socket.socket, socket.socket], sizes: tuple[int, ...]) -> None:
    async def main() -> None:
        stream = StreamSocket(pair[1])
        reading = asyncio.create_task(stream.read_until(b"\r\n\r\n", 8))
        octets = b"a: b\r\n\r\n"
        for size in sizes:
            pair[0].sendall(octets[:size])
            octets = octets[size:]
            while len(stream._ahead) + len(octets) < 8 and not reading.done():
                await asyncio.sleep(0)
        assert await reading == b"a: b\r\n\r\n"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("octets", "end"),
    [(b"a: b\r\nc: d\r\n\r\nrest", 14), (b"a: b\r\nc\n\r\n\r\n", 8), (b"a\rb\r\n\r\n", 2), (b"a: \x00b\r\n\r\n", 4)],
)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 99])
def test_a_head_in_pieces(pair: tuple[socket.socket, socket.socket], octets: bytes, end: int, size: int) -> None:
    """Its end, or the first that stands in none, is where it is however the octets come."""

    async def main() -> None:
        stream = StreamSocket(pair[1])
        reading = asyncio.create_task(stream.read_head(99))
        for start in range(0, len(octets), size):
            pair[0].sendall(octets[start : start + size])
            for _ in range(3):
                await asyncio.sleep(0)
        assert await reading == octets[:end]

    asyncio.run(main())


@pytest.mark.parametrize("before", [b"", b"a", b"ab"])
@pytest.mark.parametrize("mark", [b"\n", b"\r\n\r\n"])
def test_a_mark_is_found_wherever_it_stands(
    pair: tuple[socket.socket, socket.socket], before: bytes, mark: bytes
) -> None:
    async def main() -> None:
        stream = StreamSocket(pair[1])
        pair[0].sendall(before + mark)
        pair[0].shutdown(socket.SHUT_WR)
        assert await stream.read_until(mark, len(before + mark)) == before + mark

    asyncio.run(main())


@pytest.mark.parametrize("size", [9, 10, 99])
def test_what_has_no_mark_where_one_may_stand_is_not_waited_for(size: int) -> None:
    """The other side may wait for an answer, and send nothing more."""

    async def main() -> None:
        for reads in (lambda stream: stream.read_until(b"\n", 9), lambda stream: stream.read_head(9)):
            near, far = socket.socketpair()
            with near:
                near.sendall(b"a" * size)
                stream = StreamSocket(far)
                with pytest.raises(asyncio.LimitOverrunError):
                    await asyncio.wait_for(reads(stream), 5)
                stream.close()

    asyncio.run(main())


def test_what_ends_or_is_too_long_has_no_mark(pair: tuple[socket.socket, socket.socket]) -> None:
    async def main() -> None:
        stream = StreamSocket(pair[1])
        pair[0].sendall(b"123456789\n")
        with pytest.raises(asyncio.LimitOverrunError):
            await stream.read_until(b"\n", 9)
        assert await stream.read_until(b"\n", 10) == b"123456789\n"
        pair[0].sendall(b"12")
        pair[0].shutdown(socket.SHUT_WR)
        with pytest.raises(asyncio.IncompleteReadError):
            await stream.read_exactly(3)
        with pytest.raises(asyncio.IncompleteReadError):
            await stream.read_until(b"\n", 9)

    asyncio.run(main())


def test_what_is_not_sent_at_once_is_sent_when_there_is_room(pair: tuple[socket.socket, socket.socket]) -> None:
    """The piece is the next one's as soon as this one waits: what is left of it must be a copy."""
    octets = bytes(range(256)) * 40_000
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(rest_of(pair[0])))

    async def main() -> None:
        stream, (feeder, taken) = StreamSocket(pair[1]), socket.socketpair()
        other = StreamSocket(taken)
        with feeder:
            room = await _piece_of(other, feeder, b"\xff" * 10)
            sending = asyncio.create_task(stream.write(memoryview(octets)))
            await asyncio.sleep(0)
            assert not sending.done()  # ten megabytes fit into no buffer
            room[:10] = bytes(10)
            reader.start()
            await sending
            other.close()
            stream.close()

    asyncio.run(main())
    reader.join(20)
    assert got == [octets]


async def _piece_of(stream: StreamSocket, feeder: socket.socket, octets: bytes) -> memoryview:
    feeder.sendall(octets)
    piece = await stream.piece()
    assert bytes(piece) == octets
    return piece


def test_the_rest_of_a_piece_is_kept_when_another_one_comes(pair: tuple[socket.socket, socket.socket]) -> None:
    """Attack: a slow reader must not be sent what another connection's server says meanwhile."""

    async def main() -> None:
        stream, (feeder, taken) = StreamSocket(pair[1]), socket.socketpair()
        other = StreamSocket(taken)
        written = 0
        with feeder:
            while True:
                piece = await _piece_of(other, feeder, b"a" * 4_096)
                writing = asyncio.create_task(stream.write(piece))
                await asyncio.sleep(0)
                written += 4_096
                if not writing.done():
                    break
            await _piece_of(other, feeder, b"b" * 4_096)
            other.close()
        got = 0
        while got < written:
            data = await asyncio.to_thread(pair[0].recv, 65_536)
            assert data
            assert set(data) == {ord("a")}
            got += len(data)
        await writing
        stream.close()

    asyncio.run(main())


def test_each_thread_has_a_room_of_its_own() -> None:
    rooms = []

    async def main() -> None:
        feeder, taken = socket.socketpair()
        stream = StreamSocket(taken)
        with feeder:
            rooms.append(await _piece_of(stream, feeder, b"x"))
        stream.close()

    for _ in range(2):
        thread = threading.Thread(target=lambda: asyncio.run(main()))
        thread.start()
        thread.join(10)
    assert rooms[0].obj is not rooms[1].obj
    assert len(rooms[0].obj) == PIECE


def test_what_is_broken_off_is_an_error_for_the_other_side(pair: tuple[socket.socket, socket.socket]) -> None:
    async def main() -> None:
        stream = StreamSocket(pair[1])
        await stream.write(b"half")
        stream.abort()
        stream.abort()

    asyncio.run(main())
    with pytest.raises(ConnectionResetError):
        rest_of(pair[0])


def test_an_answer_is_not_lost_with_what_was_not_read(pair: tuple[socket.socket, socket.socket]) -> None:
    """RFC 9112 9.6: closed with octets unread, the system sends a reset, which overtakes the answer."""

    async def main() -> None:
        stream = StreamSocket(pair[1])
        pair[0].sendall(bytes(1_000_000))
        await stream.write(b"answer")
        finishing = asyncio.create_task(stream.finish())
        assert await asyncio.to_thread(rest_of, pair[0]) == b"answer"
        pair[0].shutdown(socket.SHUT_WR)
        await finishing
        assert pair[1].fileno() == -1
        with pytest.raises(OSError):
            await stream.write(b"x")

    asyncio.run(main())


def test_nothing_is_left_when_a_wait_is_cancelled(pair: tuple[socket.socket, socket.socket]) -> None:
    async def main() -> None:
        stream = StreamSocket(pair[1])
        reading = asyncio.create_task(stream.read_exactly(1))
        await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert not asyncio.get_running_loop().remove_reader(pair[1].fileno())

    asyncio.run(main())
