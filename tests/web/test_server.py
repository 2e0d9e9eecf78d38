"""The server: on loopback, with limits."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from typing import Any
from urllib.parse import urlencode

import pytest

from anyurl.errors import LocalFileError
from anyurl.net import loopback
from anyurl.web import server
from anyurl.web.pages import PageWriter
from anyurl.web.server import HOST, serve
from tests.servers import PATIENCE, Connection, Server
from tests.web.running import Browser


def test_a_port_that_is_taken() -> None:
    def told(link: str) -> None:
        raise AssertionError(link)

    with (
        socket.create_server((HOST, 0)) as taken,
        pytest.raises(LocalFileError, match=f"port {taken.getsockname()[1]}"),
    ):
        serve({}, taken.getsockname()[1], told)


def test_what_a_peer_does_wrong_fills_no_terminal(browser: Browser, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_connection((HOST, browser.port), timeout=20) as link:
        link.sendall(b"nonsense\r\n\r\n")
        assert link.recv(100).startswith(b"HTTP/1.1 400")
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    assert browser.ask("POST", f"{browser.base}go", b"nonsense", kind).status == 400
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    given = {**upgrade, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": "null"}
    assert browser.ask("GET", f"{browser.base}session", b"", given).status == 403
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.parametrize("sent", ["", "G", "GET / HTTP/1.1\r\nHost: h\r\n", "{request}", "{request}GET "])
def test_a_connection_without_a_request_is_closed(browser: Browser, monkeypatch: pytest.MonkeyPatch, sent: str) -> None:
    """Sixty of them would keep everybody else out."""
    monkeypatch.setattr(loopback, "HEAD_SECONDS", 0.05)
    request = f"GET {browser.base} HTTP/1.1\r\nHost: {HOST}:{browser.port}\r\nCookie: {browser.cookie}\r\n\r\n"
    with socket.create_connection((HOST, browser.port), timeout=20) as link:
        link.sendall(sent.format(request=request).encode())
        answer = b""
        while piece := link.recv(65536):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 200" if "{request}" in sent else b"")


def test_a_page_that_comes_slowly_is_not_cut_off(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "HEAD_SECONDS", 0.01)
    look, left, looked = loopback.PromptConnection._look, [1, 2, 3], threading.Event()

    def counted(self: loopback.PromptConnection) -> None:
        look(self)
        left.pop() if left else looked.set()

    monkeypatch.setattr(loopback.PromptConnection, "_look", counted)

    def play(link: Connection) -> None:
        link.line()
        looked.wait(PATIENCE)
        link.send(b"0one\t/1\t127.0.0.1\t70\r\n.\r\n")

    with Server(play) as there:
        assert "1 entry" in browser.go(f"gopher://127.0.0.1:{there.port}/").text


class _Transport(asyncio.Transport):
    def __init__(self) -> None:
        self.did: list[bytes | str] = []

    def write(self, data: Any) -> None:
        self.did.append(data)

    def close(self) -> None:
        self.did.append("close")

    def is_closing(self) -> bool:
        return "close" in self.did


def test_what_is_written_in_one_turn_is_sent_at_once() -> None:
    """To send costs several times what it costs to make a small page."""

    async def run() -> None:
        below = _Transport()
        above = server.Gathering(below, asyncio.get_running_loop())
        above.write(b"head, ")
        above.write(b"")
        above.write(b"content")
        assert below.did == []
        await asyncio.sleep(0)
        assert below.did == [b"head, content"]
        above.write(b"x" * server.HELD_OCTETS)  # a writer that is faster than the browser is held up by asyncio
        assert len(below.did) == 2
        await asyncio.sleep(0)
        above.write(b"end")
        above.close()
        await asyncio.sleep(0)
        assert below.did[2:] == [b"end", "close"]
        assert above.is_closing()

    asyncio.run(run())


def test_the_longest_url_has_a_page(browser: Browser) -> None:
    """Each of its octets is three in a link."""
    answer = browser.get(
        "about?" + urlencode({"u": "data:," + "%3A" * 21_000}), Cookie=f"{'x' * 60_000}; {browser.cookie}"
    )
    assert (answer.status, answer.title) == (200, "About this URL")


def test_what_nobody_has_foreseen_is_told_in_the_browser(
    browser: Browser, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: PageWriter, *given: object, **named: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(PageWriter, "page", broken)
    answer = browser.get("explain")
    assert answer.status == 500
    assert answer.text.startswith("This is a fault of anyurl itself (RuntimeError in web/app.py, line ")
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
