"""The client behind the pages: records a protocol trace for each page, and keeps the passwords of this run.

Rule: a typed password never leaves this process in a link, a page or the history.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from anyurl.access import AsyncClient
from anyurl.access.aio_session import AsyncSession
from anyurl.dialogue import Secret
from anyurl.url import URL

if TYPE_CHECKING:
    from anyurl.dialogue import Options, Terminal
    from anyurl.values import Provenance

MAX_LINES = 400
"""Of what was said for one page: commands and replies; contents are only counted there."""

MAX_SECRETS = 100


class Wire:
    """The protocol trace of one page, line by line.

    Attributes:
        lines: At most `MAX_LINES`.
        more: Lines that are left out.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.more: int = 0

    def add(self, line: str) -> None:
        """One line more."""
        if len(self.lines) < MAX_LINES:
            self.lines.append(line)
        else:
            self.more += 1


_WIRE: ContextVar[Wire | None] = ContextVar("wire", default=None)


@contextmanager
def following(wire: Wire) -> Iterator[None]:
    """What is opened meanwhile, by this task, is told there."""
    token = _WIRE.set(wire)
    try:
        yield
    finally:
        _WIRE.reset(token)


class Viewer(AsyncClient):
    """A client for a person at a browser.

    Args:
        like: Another one, whose passwords it knows.
        given: As an `AsyncClient` has it.
    """

    def __init__(self, like: Viewer | None = None, **given: Any) -> None:
        self._secrets: dict[tuple[str, str], Secret] = {} if like is None else like._secrets
        super().__init__(ask_secret=self.known_secret, **given)

    @property
    def mail_server(self) -> str | None:
        """The server for outgoing mail."""
        return self._options.mail_server

    @property
    def identity(self) -> str | None:
        """The sender's address."""
        return self._options.identity

    def keep_secret(self, url: URL) -> None:
        """Remember the login that the person wrote into a URL, for its host."""
        if url.password is not None and url.host:
            self.keep_login(url.host, url.user or "", Secret(url.password, url.user or ""))

    def keep_login(self, host: str, key: str, secret: Secret) -> None:
        """Remember a login.

        Args:
            key: The user; or what the password is for, where the URL names none.
        """
        while len(self._secrets) >= MAX_SECRETS:
            del self._secrets[next(iter(self._secrets))]
        self._secrets[host, key] = secret

    def known_secret(self, host: str, user: str, kind: str) -> Secret | None:
        """The password that was typed for this user at this host, if one was."""
        return self._secrets.get((host, user)) or (None if user else self._secrets.get((host, kind)))

    async def session(self, url: URL, origin: Provenance, terminal: Terminal) -> AsyncSession:
        """What the URL designates, to be used by a person; nothing of what is typed is told to anybody else.

        Raises:
            AnyURLError: As `open`; or it designates no service.
        """
        return AsyncSession(await self._open(url, "get", self._options.replace(terminal=terminal), None, origin))

    def _options_of_call(self, *given: Any, **named: Any) -> Options:
        options = super()._options_of_call(*given, **named)
        wire = _WIRE.get()
        return options if wire is None else options.replace(trace=wire.add)
