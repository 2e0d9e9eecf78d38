"""Replies of three digits and lines of text, as FTP and SMTP have them (RFC 959 4.2, RFC 5321 4.2).

Rule: what the first digit means is the same for both; which lines belong to one reply is not, and is each reader's own.
"""

from __future__ import annotations

from anyurl.errors import escape
from anyurl.schemes.kit.lines import LineReader

MAX_SHOWN = 200
"""Characters of a reply in a message of ours."""


class Reply:
    """One reply of the server.

    Attributes:
        code: Its three digits.
        lines: The text of its lines, the code taken off where it belongs to the reply's frame.
    """

    __slots__ = ("code", "lines")

    def __init__(self, code: int, lines: tuple[bytes, ...]) -> None:
        self.code: int = code
        self.lines: tuple[bytes, ...] = lines

    @property
    def kind(self) -> int:
        """The first digit: 1 preliminary, 2 done, 3 go on, 4 not now, 5 no."""
        return self.code // 100

    @property
    def text(self) -> str:
        """The words of all lines as one, escaped, for people."""
        words = b" ".join(line.strip() for line in self.lines if line.strip())
        return escape(words.decode("utf-8", "surrogateescape"))

    def __str__(self) -> str:
        text = self.text
        shown = text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."
        return f"{self.code} {shown}".rstrip()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reply) and (self.code, self.lines) == (other.code, other.lines)

    def __hash__(self) -> int:
        return hash((self.code, self.lines))

    def __repr__(self) -> str:
        return f"Reply({self.code}, {self.lines!r})"


class RepliesBase:
    """What a reader of replies holds: lines that are not whole, and those of a reply that is not.

    Args:
        most: Octets of one line.
        what: What a line is called in a message.
    """

    __slots__ = ("_lines", "_code", "_text")

    def __init__(self, most: int, what: str) -> None:
        self._lines = LineReader(most, limit="MAX_REPLY_LINE_BYTES", what=what)
        self._code = b""
        self._text: list[bytes] = []

    @property
    def pending(self) -> bool:
        """Whether octets of a reply are here that were not taken yet."""
        return bool(self._text) or self._lines.pending > 0

    def feed(self, data: bytes) -> None:
        """Take in what the server sent."""
        self._lines.feed(data)
