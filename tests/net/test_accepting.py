"""Accepting: what waits is accepted, and a failure is a pause, neither a log nor a busy loop."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from anyurl.net import accepting
from anyurl.net.accepting import Acceptor
from tests.servers import WAIT_SECONDS

pytestmark = pytest.mark.promise("idle")


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


class Failing:
    """A listener that can accept nothing, and counts how often that was tried."""

    def __init__(self, listener: socket.socket, number: int) -> None:
        self.fileno, self.setblocking, self.close = listener.fileno, listener.setblocking, listener.close
        self.tried = 0
        self._number = number

    def accept(self) -> None:
        self.tried += 1
        raise OSError(self._number, os.strerror(self._number))


def test_all_that_waits_is_accepted(listener: socket.socket) -> None:
    async def main() -> None:
        got: asyncio.Queue[tuple[socket.socket, Any]] = asyncio.Queue()
        made = [socket.create_connection(listener.getsockname()) for _ in range(3)]
        acceptor = Acceptor(listener, lambda sock, address: got.put_nowait((sock, address)))
        pairs = [await asyncio.wait_for(got.get(), WAIT_SECONDS) for _ in made]
        assert sorted(address for _, address in pairs) == sorted(each.getsockname() for each in made)
        acceptor.close()
        for each in (*made, *(sock for sock, _ in pairs)):
            each.close()

    asyncio.run(main())


def test_without_descriptors_it_pauses_and_then_goes_on(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accepting, "PAUSE_SECONDS", 0.05)
    wrong: list[object] = []

    async def main() -> bytes:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, context: wrong.append(context))
        got: asyncio.Queue[socket.socket] = asyncio.Queue()
        paused = asyncio.Event()
        call_later = loop.call_later

        def noted(delay: float, *rest: Any, **more: Any) -> asyncio.TimerHandle:
            paused.set()
            return call_later(delay, *rest, **more)

        monkeypatch.setattr(loop, "call_later", noted)
        acceptor = Acceptor(listener, lambda sock, _: got.put_nowait(sock))
        with socket.socket() as peer:
            lowest = os.dup(0)
            os.close(lowest)
            limits = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, limits[1]))
            try:
                peer.connect(listener.getsockname())
                await paused.wait()
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            async with asyncio.timeout(WAIT_SECONDS):
                sock = await got.get()
            with sock:
                peer.sendall(b"here")
                said = sock.recv(4)
        acceptor.close()
        return said

    assert (asyncio.run(main()), wrong) == (b"here", [])


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EPERM, errno.EPROTO])
def test_it_fails_once_a_pause_and_says_nothing(
    number: int, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a peer that waits the loop would come back at once."""
    monkeypatch.setattr(accepting, "PAUSE_SECONDS", 0.01)
    wrong: list[object] = []
    failing: Any = Failing(listener, number)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, context: wrong.append(context))
        acceptor = Acceptor(failing, wrong.append)
        with socket.create_connection(listener.getsockname()):
            tried = turns = 0
            while tried < 3:
                await asyncio.sleep(0)
                turns += failing.tried == tried
                tried = failing.tried
        assert turns > tried  # nothing was tried in most turns
        acceptor.close()
        await asyncio.sleep(0.03)  # a pause that outlives its listener would begin to listen at nothing

    asyncio.run(main())
    assert wrong == []
