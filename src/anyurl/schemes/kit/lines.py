"""Splitting octets into lines: the reader of all line-based protocols, and the line ends of network text.

Rule: the result does not depend on how the octets were cut into pieces, and the work is linear in their number.
RFC 854 (the network virtual terminal) ends a line with CR LF; servers that send a bare LF are common and understood.
"""

from __future__ import annotations

from collections.abc import Iterator

from anyurl.errors import LimitError, RemoteProtocolError, sample

NUL, TAB, LF, CR = 0, 9, 10, 13
"""Octets as numbers, which ``in`` finds directly; for ``b"\\r" in data`` CPython first raises and drops a TypeError."""

LINES_AT_MOST = 8 * 1024
"""Octets of lines that are read in one step, which blocks the event loop: with the shortest lines it takes 25 ms."""


def portions(data: bytes) -> Iterator[bytes]:
    """The octets in portions that are small enough for one step."""
    return (data[at : at + LINES_AT_MOST] for at in range(0, len(data), LINES_AT_MOST))


class LineReader:
    """Cuts octets into lines; `feed` it, then take `next_line` or `lines`.

    Args:
        max_bytes: Octets of one line, its end not counted.
        limit: The name of that limit, for `LimitError`.
        what: The name of a line in messages: ``an FTP reply line``.
        strict: NUL and a bare CR inside a line are errors; if false, they are data of the line.

    Attributes:
        end: The line end of the last line from `next_line`: CR LF, or LF alone.
    """

    __slots__ = ("end", "_buffer", "_scanned", "_max_bytes", "_limit", "_what", "_strict")

    def __init__(self, max_bytes: int, *, limit: str, what: str = "a line", strict: bool = True) -> None:
        self.end: bytes = b"\r\n"
        self._buffer = bytearray()
        self._scanned = 0
        self._max_bytes = max_bytes
        self._limit = limit
        self._what = what
        self._strict = strict

    @property
    def pending(self) -> int:
        """Number of octets fed but not taken yet."""
        return len(self._buffer)

    @property
    def head(self) -> bytes:
        """The first two of them."""
        return bytes(self._buffer[:2])

    def feed(self, data: bytes) -> None:
        """Add received octets."""
        self._buffer += data

    def next_line(self) -> bytes | None:
        """The next whole line without its end, or None until more is fed.

        Raises:
            LimitError: The line is longer than `max_bytes`, ended or not.
            RemoteProtocolError: The line holds NUL or a bare CR, and `strict` is set.
        """
        end = self._buffer.find(b"\n", self._scanned)
        if end < 0:
            # Next time only new octets are searched. Attack: octets sent one by one would make this quadratic.
            self._scanned = len(self._buffer)
            self._check_unended()
            return None
        self.end = b"\r\n" if end and self._buffer[end - 1] == 13 else b"\n"
        line = bytes(self._buffer[: end + 1 - len(self.end)])
        if len(line) > self._max_bytes or CR in line or NUL in line:
            self._check(line)
        del self._buffer[: end + 1]
        self._scanned = 0
        return line

    def lines(self) -> list[bytes]:
        """All complete lines so far; faster than `next_line` for a long listing.

        Raises:
            LimitError, RemoteProtocolError: As `next_line`; the good lines before the bad one are returned first.
        """
        end = self._buffer.rfind(b"\n", self._scanned)
        if end < 0:
            self._scanned = len(self._buffer)
            self._check_unended()
            return []
        block = bytes(self._buffer[: end + 1])
        lines = block.replace(b"\r\n", b"\n").split(b"\n")
        lines.pop()
        if max(map(len, lines)) > self._max_bytes or (self._strict and _holds_forbidden(block)):
            return self._good_lines()
        del self._buffer[: end + 1]
        self._scanned = len(self._buffer)
        return lines

    def _good_lines(self) -> list[bytes]:
        lines: list[bytes] = []
        try:
            while (line := self.next_line()) is not None:
                lines.append(line)
        except (LimitError, RemoteProtocolError):
            if not lines:
                raise
        return lines

    def finish(self) -> bytes | None:
        """The last line at the end of the stream, if it lacks its line end; None when nothing is left.

        Raises:
            LimitError, RemoteProtocolError: As `next_line`.
        """
        if not self._buffer:
            return None
        line = bytes(self._buffer.removesuffix(b"\r"))
        self._check(line)
        self._buffer.clear()
        self._scanned = 0
        return line

    def rest(self) -> bytes:
        """All octets fed but not taken yet: those after the lines."""
        data = bytes(self._buffer)
        self._buffer.clear()
        self._scanned = 0
        return data

    def _check_unended(self) -> None:
        length = len(self._buffer)
        # One octet more than the limit may still be the CR of the line's end.
        if length > self._max_bytes + 1 or (length > self._max_bytes and self._buffer[-1] != 13):
            self._check(bytes(self._buffer))

    def _check(self, line: bytes) -> None:
        # The length is checked first: of a line that is still incomplete only the length can be judged.
        if len(line) > self._max_bytes:
            shown = sample(line[: min(self._max_bytes, 60)])
            raise LimitError(
                f"{capital(self._what)} is longer than {self._max_bytes:,} octets: {shown}...", limit=self._limit
            )
        if self._strict and (CR in line or NUL in line):
            # Attack: a proxy or client that ends lines at CR would read two lines here, and anyurl one.
            octet = "NUL" if NUL in line else "a CR without LF"
            raise RemoteProtocolError(f"{capital(self._what)} holds {octet}: {sample(line)}", sample=sample(line))


def capital(text: str) -> str:
    """The text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def _holds_forbidden(block: bytes) -> bool:
    return NUL in block or (CR in block and block.count(b"\r") != block.count(b"\r\n"))


class FromNetworkText:
    """Converts CR LF to LF, also across pieces, for a transfer of type A (RFC 959 3.1.1.1).

    All other octets are unchanged, including a bare CR. CR NUL is unchanged, too, although RFC 854 reads it as a lone
    CR: no server is known to send it that way, and UTF-16 text contains it.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = False

    def feed(self, data: bytes) -> bytes:
        """The converted octets; a CR at the end is held back until the next octet is known."""
        if not data:
            return b""
        if self._held:
            data = b"\r" + data
        self._held = data.endswith(b"\r")
        if self._held:
            data = data[:-1]
        return data.replace(b"\r\n", b"\n")

    def finish(self) -> bytes:
        """The octets held back, at the end of the stream."""
        held, self._held = self._held, False
        return b"\r" if held else b""


def to_network_text(data: bytes) -> bytes:
    """Convert each LF to CR LF, for a transfer of type A (RFC 959 3.1.1.1); `FromNetworkText` reverses it exactly.

    CR LF becomes CR CR LF: on this machine LF alone ends a line, so the CR is data and must be preserved.
    """
    return data.replace(b"\n", b"\r\n")
