"""The server: on loopback, with limits."""

from __future__ import annotations

import logging
import socket

import pytest

from anyurl.errors import LocalFileError
from anyurl.web.pages import PageWriter
from anyurl.web.server import HOST, serve
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
