"""Responses piece by piece: for as long as somebody is there."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from anyurl.web.server import HOST
from anyurl.web.streams import Streamed
from tests.servers import PATIENCE, Connection, Server
from tests.web.running import Browser


async def _pieces(ended: list[str], *pieces: bytes, waits: bool = False) -> AsyncIterator[bytes]:
    try:
        for piece in pieces:
            yield piece
        if waits:
            await asyncio.Event().wait()
        ended.append("complete")
    except asyncio.CancelledError:
        ended.append("cancelled")
        raise


class _Browser:
    """What a server gives to an application; it leaves when it is told to."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.leaves = asyncio.Event()
        self._asked = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive(self) -> Any:
        if self._asked:
            return self._asked.pop()
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.sent.append(message)
        if not message.get("more_body", True):
            self.leaves.set()  # as uvicorn says it after each response


def test_a_stream_is_its_pieces() -> None:
    async def run() -> None:
        browser, ended = _Browser(), list[str]()
        response = Streamed(_pieces(ended, b"one", b"two"), media_type="text/html", headers={"x-a": "b"})
        await response({"type": "http"}, browser.receive, browser.send)
        start, *bodies = browser.sent
        assert start["status"] == 200
        assert start["headers"] == [(b"x-a", b"b"), (b"content-type", b"text/html; charset=utf-8")]
        assert [(body["body"], body.get("more_body", False)) for body in bodies] == [
            (b"one", True),
            (b"two", True),
            (b"", False),
        ]
        assert ended == ["complete"]
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())


def test_whoever_leaves_ends_a_stream_that_waits() -> None:
    async def run() -> None:
        browser, ended = _Browser(), list[str]()
        response = Streamed(_pieces(ended, b"one", waits=True))
        asyncio.get_running_loop().call_soon(browser.leaves.set)
        await asyncio.wait_for(response({"type": "http"}, browser.receive, browser.send), 5)
        assert ended == ["cancelled"]
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0

    asyncio.run(run())


def test_a_server_that_stops_ends_a_stream() -> None:
    async def run() -> None:
        browser, ended = _Browser(), list[str]()
        response = Streamed(_pieces(ended, b"one", waits=True))
        task = asyncio.ensure_future(response({"type": "http"}, browser.receive, browser.send))
        for _ in range(3):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended == ["cancelled"]

    asyncio.run(run())


def test_an_error_of_the_content_ends_the_watch_as_well() -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"one"
        raise ValueError

    async def run() -> None:
        browser = _Browser()
        with pytest.raises(ValueError):
            await Streamed(broken())({"type": "http"}, browser.receive, browser.send)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())


def test_a_browser_that_leaves_ends_the_transfer(browser: Browser) -> None:
    """The server behind the page would otherwise be asked for all that it has, and nobody would see it."""
    waits, closed = threading.Event(), threading.Event()

    def play(link: Connection) -> None:
        link.line()
        link.send(b"0one\t/1\t127.0.0.1\t70\r\n" * 100)
        waits.set()
        link.wait_for_close()
        closed.set()

    with Server(play) as there:
        target = browser.post("go", {"u": f"gopher://127.0.0.1:{there.port}/"}).headers["location"]
        with socket.create_connection((HOST, browser.port), timeout=PATIENCE) as link:
            head = f"GET {target} HTTP/1.1\r\nHost: {HOST}:{browser.port}\r\nCookie: {browser.cookie}\r\n\r\n"
            link.sendall(head.encode())
            assert waits.wait(PATIENCE)
            assert link.recv(100).startswith(b"HTTP/1.1 200")
        assert closed.wait(PATIENCE)
