"""A telnet service without I/O (RFC 854): typed lines go in, answers come out.

Rule: it edits lines and echoes them itself, as the services of the nineties did, so that it asks for all that a service
asks for: its own echo, no go-aheads, the terminal's name and its size (RFC 1123 3.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from anyurl.schemes.kit.server import Conversation, ServedClient, WireServer
from anyurl.schemes.telnet.wire.options import (
    BINARY,
    ECHO,
    SUPPRESS_GO_AHEAD,
    TERMINAL_TYPE,
    WINDOW_SIZE,
    TelnetOptions,
)

MAX_LINE = 200
"""Most characters of a command; further ones ring the bell."""

MAX_SUB_OCTETS = 200
"""A terminal's name or size, with room."""

Requests: TypeAlias = Sequence[tuple[bool, int]]

REQUESTS: Requests = ((False, ECHO), (False, SUPPRESS_GO_AHEAD), (True, TERMINAL_TYPE), (True, WINDOW_SIZE))

_IAC, _SE, _SB, _SEND = 255, 240, 250, 1
_VERBS = range(251, 255)


class TerminalReader:
    """One connection: typed lines, edited and echoed, and the client's terminal type.

    Args:
        client: The client.
        requests: The options that it is asked for first: whether the client is to have it, and which.
        asks_name: It is asked for the name of its terminal once it has agreed to say it.

    Attributes:
        name: The terminal's name, or empty.
        columns: Its columns, 0 when unknown.
        rows: Its rows, 0 when unknown.
    """

    def __init__(self, client: ServedClient, requests: Requests, asks_name: bool) -> None:
        self._client = client
        self._asks_name = asks_name
        self._options = TelnetOptions(
            frozenset({TERMINAL_TYPE, WINDOW_SIZE, SUPPRESS_GO_AHEAD, BINARY}),
            frozenset({ECHO, SUPPRESS_GO_AHEAD, BINARY}),
        )
        self.name = ""
        self.columns = self.rows = 0
        client.send(b"".join(self._options.ask(by_client, option) for by_client, option in requests))

    def say(self, text: str) -> None:
        """Text, its lines ended as RFC 854 has it."""
        data = text.replace("\n", "\r\n").encode("utf-8", "backslashreplace")
        self._client.send(data.replace(b"\xff", b"\xff\xff"))

    def line(self) -> Conversation[str | None]:
        """The next line that is typed; None when the reader has gone."""
        yield from self._client.give_way()
        line = bytearray()
        while (octet := (yield from self._octet())) is not None:
            if octet == 13:
                following = yield from self._octet()  # RFC 854: LF or NUL
                if following not in (None, 0, 10):
                    self._client.buffer.insert(0, following)
            if octet in (10, 13):
                self._client.send(b"\r\n")
                return line.decode("utf-8", "replace")
            if octet in (8, 127):
                if line:
                    line.pop()
                    self._client.send(b"\b \b")
            elif octet < 32 or len(line) >= MAX_LINE:
                self._client.send(b"\a")
            else:
                line.append(octet)
                self._client.send(bytes((octet,)) * (2 if octet == _IAC else 1))
        return None

    def _next(self) -> Conversation[int | None]:
        while not self._client.buffer:
            if not (yield from self._client.more()):
                return None
        octet = self._client.buffer[0]
        del self._client.buffer[:1]  # `pop` would move all that follow
        return octet

    def _octet(self) -> Conversation[int | None]:
        """The next octet of text; commands before it are obeyed."""
        while (octet := (yield from self._next())) == _IAC:
            command = yield from self._next()
            if command == _IAC:
                return _IAC
            if command == _SB:
                yield from self._subnegotiation()
            elif command is not None and command in _VERBS:
                self._heard(command, (yield from self._next()))
        return octet

    def _heard(self, verb: int, option: int | None) -> None:
        if option is None:
            return
        was_on = self._options.is_on(True, TERMINAL_TYPE)
        reply = self._options.heard(verb, option)
        if self._asks_name and not was_on and self._options.is_on(True, TERMINAL_TYPE):
            reply += bytes((_IAC, _SB, TERMINAL_TYPE, _SEND, _IAC, _SE))
        if reply:
            self._client.send(reply)

    def _subnegotiation(self) -> Conversation[None]:
        content = bytearray()
        while (octet := (yield from self._next())) is not None and len(content) < MAX_SUB_OCTETS:
            if octet == _IAC:
                octet = yield from self._next()
                if octet != _IAC:
                    break
            content.append(octet)
        if content[:2] == bytes((TERMINAL_TYPE, 0)):
            self.name = content[2:].decode("ascii", "replace")
        elif len(content) == 5 and content[0] == WINDOW_SIZE:
            self.columns, self.rows = int.from_bytes(content[1:3], "big"), int.from_bytes(content[3:5], "big")


class TelnetServer(WireServer):
    """A service for people at terminals.

    Args:
        greeting: The text that it begins with.
        answer: The answer to a line that was typed, and whether the service ends.
        requests: The options that it asks for: whether the client is to have it, and which.
        asks_name: It asks for the name of the terminal.
    """

    def __init__(
        self,
        greeting: str,
        answer: Callable[[str, TerminalReader], tuple[str, bool]],
        requests: Requests = REQUESTS,
        *,
        asks_name: bool = True,
    ) -> None:
        super().__init__()
        self._greeting = greeting
        self._answer = answer
        self._requests = requests
        self._asks_name = asks_name

    def serve(self, client: ServedClient) -> Conversation[None]:
        """One reader, until the service ends."""
        reader = TerminalReader(client, self._requests, self._asks_name)
        reader.say(self._greeting)
        ended = False
        while not ended and (line := (yield from reader.line())) is not None:
            text, ended = self._answer(line, reader)
            reader.say(text)
