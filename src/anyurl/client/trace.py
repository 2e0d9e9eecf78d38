"""Traces of dialogues: every request and reply, line by line (``Client(trace=print)``), and log records when a dialogue
starts and ends.

Rule: passwords and cookies are never shown. Content and binary data are counted, not shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anyurl.dialogue import (
    Ask,
    AskSecret,
    Connect,
    ConnectData,
    Follow,
    Receive,
    Relay,
    Request,
    Response,
    Secret,
    Secure,
    Send,
    Verb,
)
from anyurl.dialogue.http import is_credential
from anyurl.dialogue.interceptors import Interceptor
from anyurl.errors import escape
from anyurl.url import URL
from anyurl.url.masking import MASK
from anyurl.warc.known_secrets import KnownSecrets

if TYPE_CHECKING:
    from logging import Logger

Trace = Callable[[str], None]

MAX_SHOWN = 4096
"""Octets of one message that are shown: commands and replies are shorter, content is longer."""

_TAB = escape("\t")
_BINARY = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


class Teller(Interceptor):
    """Traces a dialogue.

    Args:
        trace: Called with each line.
        secrets: Secrets that are never shown; those that the dialogue sends are added.
    """

    __slots__ = ("_trace", "_secrets")

    def __init__(self, trace: Trace, secrets: KnownSecrets) -> None:
        self._trace = trace
        self._secrets = secrets

    def ask(self, ask: Ask[Any]) -> Ask[Any]:
        """Trace an ask."""
        if isinstance(ask, Connect):
            over = " over TLS" if ask.tls else " by UDP" if ask.transport == "udp" else ""
            self._secrets.know(ask.secret)
            self._trace(f"* Connecting to {escape(ask.host)} port {ask.port}{over}.")
        elif isinstance(ask, ConnectData):
            self._trace(f"* Connecting to the same address, port {ask.port}.")
        elif isinstance(ask, Secure):
            self._trace(f"* TLS begins, for the name {escape(ask.server_name)}.")
        elif isinstance(ask, Send):
            self._octets(">", ask.data)
        elif isinstance(ask, Request):
            self._request(ask)
        return ask

    def answer(self, ask: Ask[Any], answer: Any) -> None:
        """Trace an answer."""
        if isinstance(ask, Receive):
            self._octets("<", answer)
        elif isinstance(ask, Relay):
            self._trace(f"< ({answer:,} octets)")
        elif isinstance(ask, AskSecret):
            self._secrets.know(answer)
        elif isinstance(answer, Response):
            self._trace(f"< HTTP/{escape(answer.version)} {answer.status}")
            for name, value in answer.headers:
                hidden = is_credential(name) or name == "set-cookie"
                self._trace(f"< {escape(name)}: {MASK if hidden else escape(self._secrets.field(value))}")

    def end(self, follow: Follow | None) -> None:
        """Trace where it redirects to."""
        if follow is not None:
            self._trace(f"* It leads to {self._secrets.field(follow.url.masked)} ({follow.reason}).")

    def _request(self, ask: Request) -> None:
        self._secrets.know_request(ask)
        self._trace(f"> {escape(ask.method)} {escape(self._secrets.field(ask.target))} HTTP")
        self._trace(f"> Host: {escape((ask.url.authority or '').rpartition('@')[2])}")
        for name, value in ask.headers:
            hidden = isinstance(value, Secret) or is_credential(name)
            self._trace(f"> {escape(name)}: {MASK if hidden else escape(self._secrets.field(str(value)))}")
        if ask.authorization is not None:
            self._trace(f"> Authorization: {ask.authorization.scheme} {MASK}")
        if ask.upload:
            self._trace("> (the content)")

    def _octets(self, mark: str, data: bytes) -> None:
        text = data[:MAX_SHOWN].decode("utf-8", "surrogateescape")
        if len(data) > MAX_SHOWN or _BINARY.search(text) is not None:
            self._trace(f"{mark} ({len(data):,} octets)")
            return
        for line in text.splitlines():
            # A line of a gopher menu has tabs; the text between them is mostly printable, which is a fast check.
            shown = _TAB.join(map(escape, self._secrets.field(line).split("\t")))
            self._trace(f"{mark} {shown}")


class Recorder(Interceptor):
    """Logs the start and end of a dialogue, and HTTP statuses.

    Args:
        url: The URL.
        verb: The verb.
        logger: The logger that gets the records.
        secrets: Secrets that are never logged; those that the dialogue sends are added.
    """

    __slots__ = ("_what", "_logger", "_secrets")

    def __init__(self, url: URL, verb: Verb, logger: Logger, secrets: KnownSecrets) -> None:
        self._secrets = secrets
        self._what = f"{verb} of {secrets.field(url.masked)}"
        self._logger = logger
        logger.debug("%s begins.", self._what)

    def answer(self, ask: Ask[Any], answer: Any) -> None:
        """Log the status of a response."""
        if isinstance(ask, Request):
            self._secrets.know_request(ask)
        if isinstance(ask, AskSecret):
            self._secrets.know(answer)
        elif isinstance(answer, Response):
            self._logger.debug("%s is answered with %d.", self._what, answer.status)

    def end(self, follow: Follow | None) -> None:
        """Log the end."""
        self._logger.debug("%s is done.", self._what)
