"""The Internet Gopher Protocol: one line to the server, then a menu, a text or octets until it closes (RFC 1436).

Rule: tolerant of what real servers send (a missing end, bare LF, no port, Latin-1), strict about limits. Menus and
texts end with a line that is a lone dot; lines of a text that begin with a dot are sent with another one in front.
"""

from __future__ import annotations

from anyurl.errors import LimitError, LocalProtocolError, RemoteProtocolError, sample
from anyurl.schemes.kit.lines import NUL, TAB, LineReader
from anyurl.url import syntax
from anyurl.values import Value

DEFAULT_PORT = syntax.row("gopher").port

MAX_LINE_BYTES = 4 * 1024
"""Octets of a menu line. RFC 1436 3.9 limits displays to 70 characters and selectors to 255; the longest known lines
have some 500."""

MAX_MENU_BYTES = 32 * 1024 * 1024
"""Octets of one menu: 100,000 entries, the guard's limit, of more than 300 octets each."""

INFO, ERROR = "i", "3"
"""Types of lines that lead nowhere: text for people, and errors."""

_HIGHEST_PORT = 65_535
_DELIMITERS = b"\r\n\t\0"


def request(selector: bytes, *fields: bytes) -> bytes:
    """The request line for an item: the selector, then each further field after a tab (RFC 1436 2, 3.7).

    Raises:
        LocalProtocolError: A field contains characters that would end a field or the line.
    """
    for field in (selector, *fields):
        if any(octet in field for octet in _DELIMITERS):
            # Attack: gopher://host:25/_HELO... with CR LF inside commands a mail server (RFC 1738 section 6).
            raise LocalProtocolError(f"A field of a gopher request holds CR, LF, TAB or NUL: {sample(field)}")
    return b"\t".join((selector, *fields)) + b"\r\n"


class MenuItem(Value):
    """One line of a menu (RFC 1436 2 and 3.9; Gopher+ 2.1 for the tag).

    Attributes:
        type: One character that stands for one octet.
        display: The text to show.
        selector: The selector to send.
        host: The host of the item.
        port: Its port; the default port of the scheme if missing, None if malformed.
        tag: ``+`` for an item with attributes, ``?`` for one with a form, else ``""``.
    """

    type: str
    display: bytes
    selector: bytes = b""
    host: bytes = b""
    port: int | None = DEFAULT_PORT
    tag: str = ""


def read_item(line: bytes) -> MenuItem:
    """Read one line of a menu; a line without any tab, or without a type before it, is text for people."""
    display, *fields = line.split(b"\t")
    if not fields and display[:1] not in (b"i", b"3"):
        return MenuItem(INFO, display)
    fields += [b"", b"", b"", b""]
    selector, host, port, tag = fields[:4]
    return MenuItem(
        display[:1].decode("utf-8", "surrogateescape") or INFO,
        display[1:],
        selector,
        host.strip(),
        _port(port.strip()),
        tag.strip().decode("ascii", "replace") if tag.strip() in (b"+", b"?") else "",
    )


def _port(digits: bytes) -> int | None:
    if not digits:
        return DEFAULT_PORT
    if not digits.isdigit() or len(digits) > 5 or int(digits) > _HIGHEST_PORT:
        return None
    return int(digits)


class MenuReader:
    """Octets in, items out.

    Attributes:
        ended: Whether the lone dot has come.
        surplus: Whether there is data after it; that is ignored (RFC 1436 3.8: the dot is the end).
    """

    __slots__ = ("ended", "surplus", "_lines", "_room", "_begun")

    def __init__(self) -> None:
        self.ended = False
        self.surplus = False
        self._lines = LineReader(MAX_LINE_BYTES, limit="MAX_LINE_BYTES", what="a line of a gopher menu", strict=False)
        self._room = MAX_MENU_BYTES
        self._begun = False

    def feed(self, data: bytes) -> list[MenuItem]:
        """The items that these octets complete.

        Raises:
            RemoteProtocolError: The data is not a menu.
            LimitError: A line is longer than `MAX_LINE_BYTES`, or the menu than `MAX_MENU_BYTES`.
        """
        if self.ended:
            self.surplus = self.surplus or bool(data)
            return []
        self._room -= len(data)
        if self._room < 0:
            raise LimitError(
                f"A gopher menu has more than {MAX_MENU_BYTES:,} octets: the limit allows no more.",
                limit="MAX_MENU_BYTES",
            )
        self._lines.feed(data)
        items: list[MenuItem] = []
        while lines := self._lines.lines():
            items += self._read(lines)
        return items

    def finish(self) -> list[MenuItem]:
        """The last item, if its line lacks its line end. Raises as `feed`."""
        line = None if self.ended else self._lines.finish()
        return [] if line is None else self._read([line])

    def _read(self, lines: list[bytes]) -> list[MenuItem]:
        items: list[MenuItem] = []
        for number, line in enumerate(lines, 1):
            if line == b".":
                self.ended = True
                self.surplus = number < len(lines) or bool(self._lines.rest())
                return items
            self._check(line)
            items.append(read_item(line))
        return items

    def _check(self, line: bytes) -> None:
        if NUL in line:
            raise RemoteProtocolError(f"A line of a gopher menu holds NUL: {sample(line)}", sample=sample(line))
        # A first line without a tab comes from another protocol, such as the greeting of a mail or web server.
        if not self._begun and line and TAB not in line and line[:1] not in (b"i", b"3"):
            raise RemoteProtocolError(
                f"This is not a gopher menu, whose fields are separated by tabs: {sample(line)}", sample=sample(line)
            )
        self._begun = True


class TextReader:
    """Octets in, text out: with LF line ends, dot-unstuffed, up to the lone dot (RFC 1436 3.8).

    Attributes:
        ended: Whether the lone dot has come.
        surplus: Whether there is data after it; that is ignored.
    """

    __slots__ = ("ended", "surplus", "_held", "_at_start")

    def __init__(self) -> None:
        self.ended = False
        self.surplus = False
        self._held = b""
        self._at_start = True

    def feed(self, data: bytes) -> bytes:
        """The text in these octets; up to three octets that may belong to the end mark are held back."""
        if self.ended:
            self.surplus = self.surplus or bool(data)
            return b""
        data = self._held + data
        end = data.rfind(b"\n") + 1
        if end and b"\n." not in data[: end - 1] and not (self._at_start and data.startswith(b".")):
            self._at_start = True  # fast path: no line begins with a dot
            return data[:end].replace(b"\r\n", b"\n") + self._begin_line(data[end:])
        whole = self._all_but_the_dot(data)
        if whole is not None:
            self.ended = self._at_start = True
            self._held = b""
            return whole
        *lines, last = data.split(b"\n")
        out: list[bytes] = []
        for number, line in enumerate(lines, 1):
            line = line.removesuffix(b"\r")
            if self._at_start and line.startswith(b"."):
                if line == b".":
                    self.ended, self._held = True, b""
                    self.surplus = number < len(lines) or bool(last)
                    return b"".join(out)
                line = line[1:] if line.startswith(b"..") else line
            out += (line, b"\n")
            self._at_start = True
        out.append(self._begin_line(last))
        return b"".join(out)

    def _all_but_the_dot(self, data: bytes) -> bytes | None:
        """Fast path for most texts: what precedes the lone dot, if that is at the end and no other line has a dot."""
        mark = b"\n.\r\n" if data.endswith(b"\r\n") else b"\n.\n"
        text = data[: 1 - len(mark)]
        if not data.endswith(mark) or b"\n." in text or (self._at_start and text.startswith(b".")):
            return None
        return text.replace(b"\r\n", b"\n")

    @property
    def cut(self) -> bool:
        """Whether the last line is still unended and the lone dot has not come."""
        return not self.ended and not self._at_start

    def _begin_line(self, piece: bytes) -> bytes:
        """The part of an unended line that can be returned already."""
        self._held = b""
        if self._at_start and piece in (b"", b".", b".\r"):
            self._held = piece
            return b""
        if piece.endswith(b"\r"):
            self._held, piece = b"\r", piece[:-1]
        if self._at_start and piece.startswith(b".."):
            piece = piece[1:]
        self._at_start = self._at_start and not piece
        return piece

    def finish(self) -> bytes:
        """The octets held back, at the end of the stream."""
        held, self._held = self._held, b""
        if self._at_start and held in (b".", b".\r"):
            self.ended = True
            return b""
        return held


def error_in(line: bytes) -> bytes | None:
    """The text of a plain server's refusal (``3``, text, tab, selector, tab, host, tab, port), or None.

    RFC 1436 has no other form for refusing a text; a text counts as a refusal only if its first line has all fields.
    """
    fields = line.rstrip(b"\r\n").split(b"\t")
    if line.startswith(b"3") and 4 <= len(fields) <= 5 and fields[3].strip().isdigit():
        return fields[0][1:]
    return None
