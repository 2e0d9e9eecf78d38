"""The Internet Gopher Protocol: one line to the server, then a menu, a text or octets until it closes (RFC 1436).

Rule: tolerant of real servers (a missing end, bare LF, no port, Latin-1), strict about limits. Menus and texts end with
a line that is a lone dot, if nothing follows it; lines of a text that begin with a dot are sent with another one in
front.
"""

from __future__ import annotations

import re

from anyurl.errors import LimitError, LocalProtocolError, RemoteProtocolError, sample
from anyurl.schemes.kit.lines import NUL, TAB, LineReader
from anyurl.schemes.kit.unparsed import UnparsedLines
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
_DELIMITERS = frozenset(b"\r\n\t\0")


def request(selector: bytes, *fields: bytes) -> bytes:
    """The request line for an item: the selector, then each further field after a tab (RFC 1436 2, 3.7).

    Raises:
        LocalProtocolError: A field contains characters that would end a field or the line.
    """
    for field in (selector, *fields):
        if not _DELIMITERS.isdisjoint(field):
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
    """Octets in, items out; one odd line does not hide the others.

    Lines without a tab are text for people. Before the first item they are held back: only when there is none the reply
    is known to be no menu.

    Attributes:
        ended: Whether the last line so far is a lone dot.
        odd: The lines that are not items: those with NUL, and a lone dot that does not end the menu.
        plain: Whether no line had a field: a text, and no menu.
    """

    __slots__ = ("ended", "odd", "plain", "_lines", "_room", "_held")

    def __init__(self) -> None:
        self.ended = False
        self.odd = UnparsedLines()
        self.plain = False
        self._lines = LineReader(MAX_LINE_BYTES, limit="MAX_LINE_BYTES", what="a line of a gopher menu", strict=False)
        self._room = MAX_MENU_BYTES
        self._held: list[bytes] | None = []

    def feed(self, data: bytes) -> list[MenuItem]:
        """The items that these octets complete.

        Raises:
            RemoteProtocolError: The data is not a menu.
            LimitError: A line is longer than `MAX_LINE_BYTES`, or the menu than `MAX_MENU_BYTES`.
        """
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
        """The last item, if its line lacks its line end, and the text held back. Raises as `feed`."""
        line = self._lines.finish()
        items = [] if line is None else self._read([line])
        binary = next((line for line in self.odd.lines if NUL in line), None)
        if self._held is not None and binary is not None:
            raise _no_menu(binary)
        self.plain = bool(self._held)
        return self._release() + items

    def _release(self) -> list[MenuItem]:
        held, self._held = self._held or [], None
        return [MenuItem(INFO, line) for line in held]

    def _read(self, lines: list[bytes]) -> list[MenuItem]:
        items: list[MenuItem] = []
        for line in lines:
            if self.ended and line.strip():
                self.ended = False
                self.odd.add(b".")
            if line == b"." or self.ended:
                self.ended = True
            elif NUL in line:
                self.odd.add(line)
            elif self._held is not None and TAB not in line and line[:1] not in (b"i", b"3"):
                if not self._held and _GREETING.match(line):
                    raise _no_menu(line)
                self._held.append(line)
            else:
                if self._held is not None:
                    items += self._release()
                items.append(read_item(line))
        return items


_GREETING = re.compile(rb"HTTP/\d|SSH-\d|(?:200|201|220|400|421|502|554)[ -]|\+OK|-ERR|\* (?:OK|BYE|PREAUTH)|RFB \d")
"""How servers of other protocols begin, which then wait: mail, news, dict, files, the web, shells, screens."""


def _no_menu(line: bytes) -> RemoteProtocolError:
    shown = sample(line)
    return RemoteProtocolError(f"This is not a gopher menu, whose fields are separated by tabs: {shown}", sample=shown)


class TextReader:
    """Octets in, text out: with LF line ends, dot-unstuffed, up to the lone dot (RFC 1436 3.8).

    A server that stuffs dots sends nothing after a lone one: text after it proves that this one does not, so that
    everything is text, and only a dot in the last line an end.

    Attributes:
        ended: Whether the last line so far is a lone dot.
        inner: Whether there is a lone dot inside the text.
        holds_nul: Whether NUL has come, which no text holds.
    """

    __slots__ = ("ended", "inner", "holds_nul", "_held", "_blank", "_at_start")

    def __init__(self) -> None:
        self.ended = False
        self.inner = False
        self.holds_nul = False
        self._held = b""
        self._blank = b""
        self._at_start = True

    def feed(self, data: bytes) -> bytes:
        """The text in these octets; those that may belong to the end mark are held back."""
        self.holds_nul = self.holds_nul or NUL in data
        data = self._held + data
        if not self.ended:
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
        for line in lines:
            self._add(line.removesuffix(b"\r"), out)
        if self.ended and self._is_blank(last):
            self._held = last
        else:
            self._go_on(out)
            out.append(self._begin_line(last))
        return b"".join(out)

    def _add(self, line: bytes, out: list[bytes]) -> None:
        if self.ended and self._is_blank(line):
            self._blank += line + b"\n"
            return
        self._go_on(out)
        if self._at_start and line == b".":
            self.ended = True
            return
        if self._at_start and not self.inner and line.startswith(b".."):
            line = line[1:]
        out += (line, b"\n")
        self._at_start = True

    def _is_blank(self, line: bytes) -> bool:
        return not line.strip() and len(line) + len(self._blank) < MAX_LINE_BYTES

    def _go_on(self, out: list[bytes]) -> None:
        """Text follows the lone dot, which thus ended nothing."""
        if self.ended:
            out += (b".\n", self._blank)
            self.ended, self.inner, self._blank = False, True, b""

    def _all_but_the_dot(self, data: bytes) -> bytes | None:
        """Fast path for most texts: the part before the lone dot, if that is at the end and no other line has a dot."""
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
        if self._at_start and not self.inner and piece.startswith(b".."):
            piece = piece[1:]
        self._at_start = self._at_start and not piece
        return piece

    def finish(self) -> bytes:
        """The octets held back, at the end of the stream."""
        held, self._held = self._held, b""
        if self.ended or (self._at_start and held in (b".", b".\r")):
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
