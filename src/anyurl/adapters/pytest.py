"""A plug-in of pytest: the fixture `small_network`, in which a handler under the guard meets names and pages.

Rule: names and addresses are those of the test, whatever client asks; a connection to another machine ends at a server
of this process, or is refused, so that no test leaves this machine. The guard is the real one: it sees the addresses
that the test has given.
"""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Iterator, Sequence
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from anyurl.url import URL
from anyurl.values import shown

__all__ = ["SmallWeb", "small_network"]


class SmallWeb:
    """Names with addresses, and pages at them; see `small_network`.

    Attributes:
        requests: The requests, in order: the method and the URL.
        headers: The header of each of them.
        bodies: The content of each of them.
        looked_up: The names that were looked up, in order.
    """

    def __repr__(self) -> str:
        return shown(self, "requests")

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.requests: list[str] = []
        self.headers: list[Message] = []
        self.bodies: list[bytes] = []
        self.looked_up: list[str] = []
        self._names: dict[str, list[str]] = {}
        self._pages: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self._peers: WeakKeyDictionary[socket.socket, tuple[Any, ...]] = WeakKeyDictionary()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self._patch(monkeypatch)

    def host(self, name: str, *addresses: str) -> None:
        """Give a name its addresses; without any it is not known. Raises ValueError for what is not an address."""
        for each in addresses:
            if not _is_address(each):
                raise ValueError(f"{each!r} is not an address: 10.0.0.7 or fd00::7 would be")
        self._names[name.lower()] = list(addresses)

    def page(
        self, url: URL | str, content: bytes | str = b"", *, status: int = 200, location: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:  # fmt: skip
        """Put a page at an http URL, or a redirection to `location`. Its host gets a public address unless it has an
        address."""
        at = URL(str(url))
        host = at.host or ""
        if at.scheme != "http":
            raise ValueError(
                f"pages of the small network are at http URLs, not at {at.scheme}; mock the client for others"
            )
        self._names.setdefault(host, ["93.184.216.34"])
        fields = dict(headers or {})
        if location is not None:
            fields["Location"], status = location, 302 if status == 200 else status
        octets = content.encode() if isinstance(content, str) else content
        self._pages[f"{host}:{at.port}{at.path or '/'}" + ("" if at.query is None else f"?{at.query}")] = (
            status,
            fields,
            octets,
        )

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        web = self

        class _SmallPage(BaseHTTPRequestHandler):
            def handle_one_request(self) -> None:
                self.close_connection = True
                self.raw_requestline = self.rfile.readline(65_537)
                if self.raw_requestline and self.parse_request():
                    self._answer()

            def _answer(self) -> None:
                content = self._content()
                host = (self.headers.get("Host") or "").lower()
                place = host if ":" in host else f"{host}:80"
                web.requests.append(f"{self.command} http://{host}{self.path}")
                web.headers.append(self.headers)
                web.bodies.append(content)
                status, fields, octets = web._pages.get(place + self.path, (404, {}, b"there is no such page"))
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(octets)))
                self.send_header("Connection", "close")
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(octets)

            def _content(self) -> bytes:
                if (self.headers.get("Transfer-Encoding") or "").lower() != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length") or 0))
                content = b""
                while size := int(self.rfile.readline().partition(b";")[0], 16):
                    content += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return content

            def log_message(self, format: str, *args: object) -> None:
                pass

        return _SmallPage

    def _patch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Every client of this process asks for names and connects by these functions of the standard library."""
        real = {name: getattr(socket.socket, name) for name in ("connect", "connect_ex", "getpeername")}

        def look_up(host: Any, port: Any, *_rest: Any, **_more: Any) -> list[tuple[Any, ...]]:
            name = host.decode("ascii") if isinstance(host, bytes) else str(host)
            addresses = self._addresses(name)
            number = int(port or 0)
            return [
                (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (each, number, 0, 0))
                if ":" in each
                else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, number))
                for each in addresses
            ]

        def leading(name: str) -> Any:
            def connect(sock: socket.socket, address: Any) -> Any:
                if sock.family not in (socket.AF_INET, socket.AF_INET6) or address[0].startswith(("127.", "::1")):
                    return real[name](sock, address)
                if sock.family == socket.AF_INET6:  # a socket of one family reaches no server of the other
                    if name == "connect_ex":
                        return errno.ECONNREFUSED
                    raise ConnectionRefusedError(errno.ECONNREFUSED, "the small network has servers for IPv4")
                self._peers[sock] = address
                return real[name](sock, self._server.server_address)

            return connect

        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        monkeypatch.setattr(socket.socket, "connect", leading("connect"))
        monkeypatch.setattr(socket.socket, "connect_ex", leading("connect_ex"))
        monkeypatch.setattr(
            socket.socket, "getpeername", lambda sock: self._peers.get(sock) or real["getpeername"](sock)
        )

    def _addresses(self, name: str) -> Sequence[str]:
        if _is_address(name):
            return [name]
        self.looked_up.append(name)
        found = self._names.get(name.lower().rstrip("."))
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "this name is not one of the test's")
        return found


def _is_address(text: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, text)
        except OSError:
            continue
        return True
    return False


@pytest.fixture
def small_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallWeb]:
    """Names, addresses and pages for the clients of a test, under the guard or not; nothing leaves this machine."""
    web = SmallWeb(monkeypatch)
    yield web
    web.close()
