"""telnet: a library's catalogue of the nineties over the world's texts (RFC 1738 3.8; RFC 854).

Rule: it edits lines and echoes them itself, as the services of its time did, so that it asks for all that a service
asks for: its own echo, no go-aheads, the terminal's name and its size.
"""

from __future__ import annotations

import socket

from anyurl.schemes.telnet.wire.options import (
    BINARY,
    ECHO,
    SUPPRESS_GO_AHEAD,
    TERMINAL_TYPE,
    WINDOW_SIZE,
    TelnetOptions,
)
from anyurl.url import URL
from anyurl.world.listener import HOST, Listener
from anyurl.world.tree import USER, tree

IDLE_SECONDS = 300.0
"""A reader may think for a while; a program that was forgotten must not stay."""

MAX_LINE = 200
"""Most characters of a command; further ones ring the bell."""

MAX_SUB_OCTETS = 200
"""A terminal's name or size, with room."""

GREETING = "Welcome to the catalogue of the small world.\nType help for help.\n\n"
PROMPT = "command: "
HELP = """\
list            what there is
find WORDS      the lines that hold all words
show NAME       a text
terminal        what the catalogue knows about your terminal
bye             leave
"""

_IAC, _SE, _SB, _SEND = 255, 240, 250, 1
_VERBS = range(251, 255)


class TelnetServer:
    """The catalogue.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, port: int = 0) -> None:
        self._texts = {path: data.decode("utf-8", "replace") for path, data in tree().items() if path.endswith(".txt")}
        self._listener = Listener(self.serve, "telnet", port)
        self.port = self._listener.port

    @property
    def root(self) -> URL:
        """The service; there is nothing below it."""
        return URL(f"telnet://{HOST}:{self.port}/")

    @property
    def urls(self) -> dict[str, URL]:
        """The URL that the demo uses; it advises a user, as RFC 1738 3.8 has it."""
        return {"telnet": URL(f"telnet://{USER}@{HOST}:{self.port}/")}

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.close()

    def serve(self, connection: socket.socket) -> None:
        """One reader, until they say bye."""
        connection.settimeout(IDLE_SECONDS)
        reader = TerminalReader(connection)
        reader.begin()
        reader.say(GREETING + PROMPT)
        while (line := reader.line()) is not None:
            command, _, rest = line.strip().partition(" ")
            if command.lower() in ("bye", "quit", "exit"):
                reader.say("Come back soon.\n")
                break
            reader.say(self._answer(command.lower(), rest.strip(), reader) + PROMPT)

    def _answer(self, command: str, rest: str, reader: TerminalReader) -> str:
        if command == "list":
            return "".join(f"{path:24}{len(text):6} characters\n" for path, text in sorted(self._texts.items()))
        if command == "find":
            found = [
                f"{path}: {line}\n"
                for path, text in sorted(self._texts.items())
                for line in text.splitlines()
                if rest and all(word in line.casefold() for word in rest.casefold().split())
            ]
            return "".join(found) or "Nothing holds all these words.\n"
        if command == "show":
            return self._texts.get(rest, f"There is no {rest!r} here.\n")
        if command == "terminal":
            return f"{reader.name or 'unknown'}, {reader.columns} columns, {reader.rows} rows\n"
        return HELP if command == "help" else "Type help for help.\n" if command else ""


class TerminalReader:
    """One connection: typed lines, edited and echoed, and the client's terminal type.

    Attributes:
        name: The terminal's name, or empty.
        columns: Its columns, 0 when unknown.
        rows: Its rows, 0 when unknown.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._options = TelnetOptions(
            frozenset({TERMINAL_TYPE, WINDOW_SIZE, SUPPRESS_GO_AHEAD, BINARY}),
            frozenset({ECHO, SUPPRESS_GO_AHEAD, BINARY}),
        )
        self._received = bytearray()
        self.name = ""
        self.columns = self.rows = 0

    def begin(self) -> None:
        """Request the options of a service."""
        ask = self._options.ask
        self._connection.sendall(
            ask(False, ECHO) + ask(False, SUPPRESS_GO_AHEAD) + ask(True, TERMINAL_TYPE) + ask(True, WINDOW_SIZE)
        )

    def say(self, text: str) -> None:
        """Text, its lines ended as RFC 854 has it."""
        data = text.replace("\n", "\r\n").encode("utf-8", "backslashreplace")
        self._connection.sendall(data.replace(b"\xff", b"\xff\xff"))

    def line(self) -> str | None:
        """The next line that is typed; None when the reader has gone."""
        line = bytearray()
        while (octet := self._octet()) is not None:
            if octet == 13:
                following = self._octet()  # RFC 854: LF or NUL
                if following not in (None, 0, 10):
                    self._received.insert(0, following)
            if octet in (10, 13):
                self._connection.sendall(b"\r\n")
                return line.decode("utf-8", "replace")
            if octet in (8, 127):
                if line:
                    line.pop()
                    self._connection.sendall(b"\b \b")
            elif octet < 32 or len(line) >= MAX_LINE:
                self._connection.sendall(b"\a")
            else:
                line.append(octet)
                self._connection.sendall(bytes((octet,)) * (2 if octet == _IAC else 1))
        return None

    def _next(self) -> int | None:
        if not self._received:
            self._received += self._connection.recv(4096)
        return self._received.pop(0) if self._received else None

    def _octet(self) -> int | None:
        """The next octet of text; commands before it are obeyed."""
        while (octet := self._next()) == _IAC:
            command = self._next()
            if command == _IAC:
                return _IAC
            if command == _SB:
                self._subnegotiation()
            elif command is not None and command in _VERBS:
                self._heard(command, self._next())
        return octet

    def _heard(self, verb: int, option: int | None) -> None:
        if option is None:
            return
        was_on = self._options.is_on(True, TERMINAL_TYPE)
        reply = self._options.heard(verb, option)
        if not was_on and self._options.is_on(True, TERMINAL_TYPE):
            reply += bytes((_IAC, _SB, TERMINAL_TYPE, _SEND, _IAC, _SE))
        if reply:
            self._connection.sendall(reply)

    def _subnegotiation(self) -> None:
        content = bytearray()
        while (octet := self._next()) is not None and len(content) < MAX_SUB_OCTETS:
            if octet == _IAC:
                octet = self._next()
                if octet != _IAC:
                    break
            content.append(octet)
        if content[:2] == bytes((TERMINAL_TYPE, 0)):
            self.name = content[2:].decode("ascii", "replace")
        elif len(content) == 5 and content[0] == WINDOW_SIZE:
            self.columns, self.rows = int.from_bytes(content[1:3], "big"), int.from_bytes(content[3:5], "big")


def start(port: int = 0) -> TelnetServer:
    """Start it; the caller closes it. At a port of the system\'s choice, if 0; raises OSError if it is taken."""
    return TelnetServer(port=port)
