"""A gateway that runs in a thread, and a browser that says exactly what a test says."""

from __future__ import annotations

import asyncio
import html
import re
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPMessage
from typing import Any
from urllib.parse import urlencode

from anyurl.access import consent_to_all
from anyurl.url import URL
from anyurl.web.app import StartPlace, WebGateway
from anyurl.web.server import HOST, server_for
from anyurl.web.viewer import Viewer
from anyurl.web.visits import Visits


class Answer:
    """What came back."""

    def __init__(self, status: int, headers: HTTPMessage, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body
        self.text = body.decode("utf-8", "replace")

    @property
    def title(self) -> str:
        return html.unescape(re.search(r"<h1>(.*?)</h1>", self.text, re.DOTALL)[1])  # type: ignore[index]

    @property
    def fault(self) -> str:
        """The sentence of a page that says what went wrong."""
        found = re.search(r'<p class="fault" role="alert">(.*?)</p>', self.text, re.DOTALL)
        return html.unescape(found[1]) if found else ""

    @property
    def links(self) -> dict[str, str]:
        """Where the names on the page lead."""
        main = self.text.partition("<h1>")[2].partition("</main>")[0]
        found = re.findall(r'<a [^>]*?href="([^"]*)"[^>]*>(.*?)</a>', main, re.DOTALL)
        return {html.unescape(re.sub(r"<[^>]*>", "", name)).strip(): html.unescape(href) for href, name in found}

    @property
    def isindex(self) -> str:
        """Where the words go that a browser without forms asks for."""
        return html.unescape(re.search(r'<isindex [^>]*action="([^"]*)"', self.text)[1])  # type: ignore[index]

    def form(self, action: str) -> dict[str, str]:
        """The fields of a form as they are filled in."""
        form = re.search(rf'<form[^>]*action="[^"]*/{action}".*?</form>', self.text, re.DOTALL)
        assert form is not None, f"there is no form for {action}"
        fields = re.findall(r'<(?:input|button)[^>]*?name="([^"]*)"(?:[^>]*?value="([^"]*)")?', form[0])
        return {html.unescape(name): html.unescape(value) for name, value in fields}


class Browser:
    """Somebody at the gateway, with the cookie; ``clock`` is that of the gateway's work."""

    def __init__(self, link: str) -> None:
        self.link = link
        self.port = int(link.split("/")[2].rpartition(":")[2])
        self.base = "/" + link.split("/")[3] + "/"
        self.clock = 0
        self.cookie = ""
        entered = self.ask("GET", self.base + "?" + link.partition("?")[2])
        assert entered.status == 200
        self.set_cookie = entered.headers["set-cookie"]
        self.cookie = self.set_cookie.partition(";")[0]

    def ask(self, method: str, target: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Answer:
        """One request, its head as given but for Host and Cookie."""
        given = {"Cookie": self.cookie} if self.cookie else {}
        given |= headers or {}
        link = HTTPConnection(HOST, self.port, timeout=20)
        try:
            link.request(method, target, body or None, given)
            answer = link.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            link.close()

    def get(self, target: str, **headers: str) -> Answer:
        """A page; a path without a slash in front is below the base."""
        return self.ask("GET", target if target.startswith("/") else self.base + target, b"", headers)

    def post(self, page: str, fields: Mapping[str, str], **headers: str) -> Answer:
        """A form of ours, as it stands on the start page but for these fields."""
        given = {**self.get("").form("go"), **fields}
        return self.ask("POST", self.base + page, urlencode(given).encode(), {**FORM, **headers})

    def go(self, text: Any) -> Answer:
        """What comes of typing that into the address bar."""
        answer = self.post("go", {"u": str(text)})
        return self.get(answer.headers["location"]) if answer.status == 303 else answer


FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@contextmanager
def running(
    places: tuple[StartPlace, ...] = (), handed: URL | None = None, visits: Visits | None = None, **client: Any
) -> Iterator[Browser]:
    """A gateway, and somebody who has come in."""
    ready = threading.Event()
    known: list[Any] = []

    async def serve() -> None:
        viewer = Viewer(**client)
        sender = Viewer(viewer, **client, ask_consent=consent_to_all)
        async with viewer, sender:
            server, link = server_for(WebGateway(viewer, sender, places, handed, visits), listener)
            known.extend((server, link))
            ready.set()
            await server.serve(sockets=[listener])

    with socket.create_server((HOST, 0)) as listener:
        thread = threading.Thread(target=lambda: asyncio.run(serve()))
        thread.start()
        try:
            assert ready.wait(20)
            browser = Browser(known[1])
            browser.clock = time.pthread_getcpuclockid(thread.ident or 0)
            yield browser
        finally:
            known[0].should_exit = True
            thread.join()
