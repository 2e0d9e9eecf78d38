"""The client that serves the pages: records a protocol trace for each page, and keeps the passwords of this run.

Rule: a typed password never leaves this process in a link, a page or the history.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from anyurl.access import AsyncClient
from anyurl.client.aio_session import AsyncSession
from anyurl.dialogue import Secret
from anyurl.url import URL

if TYPE_CHECKING:
    from anyurl.dialogue import Options, Terminal
    from anyurl.values import Provenance

MAX_LINES = 400
"""Lines of the trace of one page: commands and replies; of content it has only the size."""

MAX_SECRETS = 100


class Wire:
    """The protocol trace of one page, line by line.

    Attributes:
        lines: The first `MAX_LINES` lines.
        more: The number of lines beyond them.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.more: int = 0

    def add(self, line: str) -> None:
        """Add a line, or count it if there are enough."""
        if len(self.lines) < MAX_LINES:
            self.lines.append(line)
        else:
            self.more += 1


_WIRE: ContextVar[Wire | None] = ContextVar("wire", default=None)


@contextmanager
def following(wire: Wire) -> Iterator[None]:
    """Record in this trace the transfers of the current task within the context."""
    token = _WIRE.set(wire)
    try:
        yield
    finally:
        _WIRE.reset(token)


class Viewer(AsyncClient):
    """A client for a person at a browser.

    Args:
        like: Another viewer, with which it shares the passwords.
        given: Arguments of `AsyncClient`.
    """

    def __init__(self, like: Viewer | None = None, **given: Any) -> None:
        self._secrets: dict[tuple[str, str], Secret] = {} if like is None else like._secrets
        super().__init__(ask_secret=self.known_secret, **given)

    @property
    def mail_server(self) -> str | None:
        """The configured server for outgoing mail."""
        return self._options.mail_server

    @property
    def identity(self) -> str | None:
        """The configured mail address of the person."""
        return self._options.identity

    def keep_secret(self, url: URL) -> None:
        """Remember the login that the person wrote into a URL, for the host of that URL."""
        if url.password is not None and url.host:
            self.keep_login(url.host, url.user or "", Secret(url.password, url.user or ""))

    def keep_login(self, host: str, key: str, secret: Secret) -> None:
        """Remember a login; of too many, the oldest is forgotten.

        Args:
            key: The user; or, if the URL names none, the kind of the secret.
        """
        while len(self._secrets) >= MAX_SECRETS:
            del self._secrets[next(iter(self._secrets))]
        self._secrets[host, key] = secret

    def known_secret(self, host: str, user: str, kind: str) -> Secret | None:
        """The password typed for this user at this host, or for this kind of secret; None if there is none."""
        return self._secrets.get((host, user)) or (None if user else self._secrets.get((host, kind)))

    async def session(self, url: URL, origin: Provenance, terminal: Terminal) -> AsyncSession:
        """Open a session with the service that a URL designates; typed input is not traced.

        Raises:
            AnyURLError: As for `open`; or the URL does not designate a service.
        """
        return AsyncSession(await self._open(url, "get", self._options.replace(terminal=terminal), None, origin))

    def _options_of_call(self, *given: Any, **named: Any) -> Options:
        options = super()._options_of_call(*given, **named)
        wire = _WIRE.get()
        return options if wire is None else options.replace(trace=wire.add)
