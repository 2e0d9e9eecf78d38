"""Two connections, each of which gets what the other sends: whole, in order, and until both have ended."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

import pytest

from anyurl.errors import LimitError
from anyurl.proxy.sockets import PIECE, StreamSocket
from anyurl.proxy.streams import Flow
from anyurl.proxy.tunnel import TwoWayRelay
from tests.servers import WAIT_SECONDS


def tunnelled(
    use: Callable[[socket.socket, socket.socket], Awaitable[None]], *, ahead: bytes = b"", most: int | None = None
) -> int:
    """Use both far ends of a tunnel; the octets that it relayed."""

    async def main() -> int:
        (one, near), (other, far) = socket.socketpair(), socket.socketpair()
        client, server = StreamSocket(near), StreamSocket(far)
        with one, other:
            for sock in (one, other):
                sock.setblocking(False)
            if ahead:
                one.send(ahead)
                assert await client.first() == ahead[:1]
            try:
                async with asyncio.timeout(WAIT_SECONDS), Flow(WAIT_SECONDS, most) as flow:
                    relaying = asyncio.create_task(TwoWayRelay(client, server, flow).relay())
                    await use(one, other)
                    await relaying
            finally:
                client.close()
                server.close()
        return flow.octets

    return asyncio.run(main())


async def everything(sock: socket.socket) -> bytes:
    octets = b""
    while data := await asyncio.get_running_loop().sock_recv(sock, 65_536):
        octets += data
    return octets


def test_each_gets_what_the_other_sends_whole_and_in_order() -> None:
    """More than fits into any buffer, both ways at once: what is not taken at once is kept, as a copy."""
    there, back = (bytes((start + number) % 251 for number in range(251)) * (12 * PIECE // 251) for start in (0, 100))

    async def use(one: socket.socket, other: socket.socket) -> None:
        async def send(sock: socket.socket, octets: bytes) -> None:
            await asyncio.get_running_loop().sock_sendall(sock, octets)
            sock.shutdown(socket.SHUT_WR)

        sending = asyncio.gather(send(one, there), send(other, back))
        await asyncio.sleep(0.05)  # nobody reads: the tunnel has to wait
        assert not sending.done()
        assert [*await asyncio.gather(everything(one), everything(other))] == [back, there]
        await sending

    assert tunnelled(use) == len(there) + len(back)


def test_what_was_read_ahead_comes_first_and_one_side_may_end_before_the_other() -> None:
    async def use(one: socket.socket, other: socket.socket) -> None:
        one.send(b" and more")
        one.shutdown(socket.SHUT_WR)
        assert await everything(other) == b"ahead and more"
        other.send(b"the answer")
        other.shutdown(socket.SHUT_WR)
        assert await everything(one) == b"the answer"

    assert tunnelled(use, ahead=b"ahead") == len(b"ahead and more") + len(b"the answer")


def test_a_limit_ends_it_before_the_octets_beyond_are_sent() -> None:
    got = []

    async def use(one: socket.socket, other: socket.socket) -> None:
        one.send(b"12345")
        got.append(await asyncio.get_running_loop().sock_recv(other, 9))
        one.send(b"6")

    with pytest.raises(LimitError):
        tunnelled(use, most=5)
    assert got == [b"12345"]


def test_who_breaks_it_off_is_an_error() -> None:
    async def use(one: socket.socket, other: socket.socket) -> None:
        other.close()
        one.send(b"x")

    with pytest.raises(OSError, match=r"Broken pipe|reset"):
        tunnelled(use)
