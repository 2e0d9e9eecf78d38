"""Lines out of octets: the reader that every line protocol of ours shares, and the line ends of network text.

Rule: what comes out does not depend on how the octets were cut into pieces, and the work is linear in their number.
RFC 854 (the network virtual terminal) ends a line with CR LF; servers that send a bare LF are common and understood.
"""

from __future__ import annotations

from collections.abc import Iterator

from anyurl.errors import LimitError, RemoteProtocolError, sample

NUL, TAB, LF, CR = 0, 9, 10, 13
"""Octets by number, as ``in`` looks for them at once: for ``b"\\r" in data`` it first makes, and drops, a TypeError."""

LINES_AT_MOST = 8 * 1024
"""Octets of lines that are read in one step: the shortest ones take a reader some 25 ms, and it holds the loop."""


def portions(data: bytes) -> Iterator[bytes]:
    """The octets in portions that are small enough for one step."""
    return (data[at : at + LINES_AT_MOST] for at in range(0, len(data), LINES_AT_MOST))


class LineReader:
    """Cuts octets into lines; `feed` it, then take `next_line` or `lines`.

    Args:
        max_bytes: Octets of one line, its end not counted.
        limit: The name of that limit, for `LimitError`.
        what: What a line is called in messages: ``an FTP reply line``.
        strict: NUL and a bare CR inside a line break the protocol; when false they are data of the line.

    Attributes:
        end: What the line ended with that `next_line` gave: CR LF, or LF alone.
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
        """Octets that were fed and not taken yet."""
        return len(self._buffer)

    @property
    def head(self) -> bytes:
        """The first two of them."""
        return bytes(self._buffer[:2])

    def feed(self, data: bytes) -> None:
        """Take in what the peer sent."""
        self._buffer += data

    def next_line(self) -> bytes | None:
        """The next whole line without its end, or None until more is fed.

        Raises:
            LimitError: The line is longer than `max_bytes`, ended or not.
            RemoteProtocolError: The line holds NUL or a bare CR, and `strict` is set.
        """
        end = self._buffer.find(b"\n", self._scanned)
        if end < 0:
            # Only new octets are looked at next time: a peer that drips must not make us read its line n times.
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
        """All whole lines that are there; the fast way through a long listing.

        Raises:
            LimitError, RemoteProtocolError: As `next_line`, once the good lines before the bad one were returned.
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
        """Everything that was fed and not taken as a line: the octets of what follows the lines."""
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
        # The length goes first: while a long line drips in, nothing else can be said of it.
        if len(line) > self._max_bytes:
            shown = sample(line[: min(self._max_bytes, 60)])
            raise LimitError(f"{self._what} is longer than {self._max_bytes:,} octets: {shown}...", limit=self._limit)
        if self._strict and (CR in line or NUL in line):
            # Attack: a proxy or another client that ends lines at CR reads a second line where we read one.
            octet = "NUL" if NUL in line else "a CR without LF"
            raise RemoteProtocolError(f"{self._what} holds {octet}: {sample(line)}", sample=sample(line))


def _holds_forbidden(block: bytes) -> bool:
    return NUL in block or (CR in block and block.count(b"\r") != block.count(b"\r\n"))


class FromNetworkText:
    """Turns CR LF into LF, across pieces: what a transfer of type A means here (RFC 959 3.1.1.1).

    Every other octet stays as it is, a bare CR too. So does CR NUL, although RFC 854 reads it as a lone CR: no server
    met writes it so, and UTF-16 text holds it.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = False

    def feed(self, data: bytes) -> bytes:
        """The converted octets; a CR at the end is held back until it is known what follows."""
        if not data:
            return b""
        if self._held:
            data = b"\r" + data
        self._held = data.endswith(b"\r")
        if self._held:
            data = data[:-1]
        return data.replace(b"\r\n", b"\n")

    def finish(self) -> bytes:
        """What was held back, at the end of the stream."""
        held, self._held = self._held, False
        return b"\r" if held else b""


def to_network_text(data: bytes) -> bytes:
    """Turn each LF into CR LF, for a transfer of type A (RFC 959 3.1.1.1); `FromNetworkText` undoes it exactly.

    A CR LF becomes CR CR LF: on this machine the LF alone ends the line, and the CR is data that must arrive.
    """
    return data.replace(b"\n", b"\r\n")
