"""An interactive service at the terminal: keys are sent to it, its output is shown, one key escapes (RFC 1738 3.8).

Rule: whatever the service sends, the person can leave: input is searched for the escape key before it is sent.
"""

from __future__ import annotations

import codecs
import os
import sys
from typing import TYPE_CHECKING

from anyurl.cli import content
from anyurl.cli.terminal.console import Console
from anyurl.dialogue import Command, CommandName, Terminal
from anyurl.errors import UnsupportedError

if TYPE_CHECKING:
    from anyurl.access import Client, Resource
    from anyurl.client.session import Session

ESCAPE = b"\x1d"
"""Ctrl-]: the escape key of telnet clients since 4.2BSD."""

MENU = "q leave  b break  i interrupt  a are you there  s suspend  ] send ^]  else stay"
"""It fits into a line of 80 columns."""

SIGNALS: dict[bytes, CommandName] = {b"b": "break", b"i": "interrupt", b"a": "are-you-there"}

LEAVE = (b"q", b"c", b"\x04", b"\x03")
"""Quit, close, and the usual keys of people who want to get out."""


def attend(console: Console, client: Client, resource: Resource) -> None:
    """Connect to the service, and give it the terminal until one side ends the session.

    Raises:
        UnsupportedError: There is no terminal; the message says what the URL designates.
        AnyURLError: The connection failed or broke.
    """
    from anyurl.cli.terminal.screen import is_attended, size

    url = resource.url
    if console.json or not is_attended(console):
        raise no_document(resource)
    content.tell_notes(console, resource)
    terminal = Terminal(os.environ.get("TERM", ""), *size(sys.stdin.fileno()))
    with client.session(url, terminal) as session:
        console.tell(f"Connected to {url.host} port {url.port}. The escape key is ^]: it leads out.")
        left = Attendance(console, session).run()
    console.tell("Connection closed." if left else "The service has closed the connection.")


def no_document(resource: Resource) -> UnsupportedError:
    """The error for a service that should be saved, or shown without a terminal."""
    url = resource.url
    advice = [f"user {url.user!r}"] if url.user else []
    advice += ["a password"] if url.password else []
    advised = f"; it advises {' and '.join(advice)}" if advice else ""
    return UnsupportedError(
        f"{url.masked} designates an interactive service ({url.scheme} at {url.host} port {url.port}){advised}: there "
        "is nothing to get. It is for a person at a terminal.",
        scheme=url.scheme,
        verb="get",
    )


class Attendance:
    """The session of one person with one service."""

    def __init__(self, console: Console, session: Session) -> None:
        from anyurl.cli.terminal.screen import RawTerminal

        self._session = session
        self._charset = console.charset
        self._keys = codecs.getincrementaldecoder("utf-8")("replace")
        self._raw = RawTerminal(console, lambda: session.soon(self._resized))
        self._asked = False
        self._left = False

    def run(self) -> bool:
        """Run until one side ends the session; returns whether it was the person."""
        with self._raw as raw:
            self._session.watch(raw.descriptor, self._typed)
            try:
                while (piece := self._session.next_piece()) is not None:
                    raw.show(piece)
            finally:
                self._session.unwatch()
        return self._left

    def _typed(self) -> None:
        keys = self._raw.keys()
        if not keys:
            self._leave()
            return
        while keys and not self._left:
            if self._asked:
                self._choose(keys[:1])
                keys = keys[1:]
                continue
            text, escape, keys = keys.partition(ESCAPE)
            if self._charset is not None:
                text = self._keys.decode(text).encode(self._charset, "replace")
            if text:
                self._session.typed(text)
            if escape:
                self._asked = True
                self._raw.tell(MENU)

    def _choose(self, key: bytes) -> None:
        self._asked = False
        if key in LEAVE:
            self._leave()
        elif key in SIGNALS:
            self._session.signal(Command(SIGNALS[key]))
        elif key == b"]":
            self._session.typed(ESCAPE)
        elif key == b"s":
            self._raw.suspend()
            self._resized()

    def _leave(self) -> None:
        self._left = True
        self._session.close()

    def _resized(self) -> None:
        """Report the new size; after a stop also restore raw mode, which another program may have changed."""
        if not self._left and not self._session.closed:
            self._raw.take()
            self._session.signal(Terminal("", *self._raw.size()))
