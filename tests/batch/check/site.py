"""A site of pages for the tests of checking: what each path answers, and what was asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from tests.servers import Connection, Server, reply

Answer = bytes | Callable[[Connection], bytes]

NOT_FOUND = reply(status="404 Not Found")


class Site(Server):
    """Answers HEAD and GET by path.

    Attributes:
        asked: Method and path of each request, in order.
        pages: What each path answers.
    """

    def __init__(self, pages: Mapping[str, Answer], missing: bytes = NOT_FOUND) -> None:
        self.asked: list[str] = []
        self.pages = pages
        self._missing = missing
        self._lock = threading.Lock()
        super().__init__(self._serve)

    @property
    def root(self) -> str:
        return f"http://{self.authority}"

    def _serve(self, connection: Connection) -> None:
        while head := connection.head():
            method, path, _ = head.decode("latin-1").split(" ", 2)
            with self._lock:
                self.asked.append(f"{method} {path}")
            answer = self.pages.get(path, self._missing)
            octets = answer(connection) if callable(answer) else answer
            if method == "HEAD":
                octets = octets[: octets.index(b"\r\n\r\n") + 4]
            connection.send(octets)


def page(text: str, *headers: str) -> bytes:
    """A page of HTML."""
    return reply(text.encode(), "Content-Type: text/html; charset=utf-8", *headers)


def moved(target: str, status: str = "301 Moved Permanently") -> bytes:
    """A redirection."""
    return reply(b"", f"Location: {target}", status=status)
