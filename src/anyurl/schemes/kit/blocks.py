"""Replies that are followed by a block of lines, which ends with a lone dot (RFC 3977 3.1.1, RFC 2229 2.4.1).

Rule: the lines of a block end as the line of its reply did: if that ended with CR LF, a bare LF in the block is data.
Attack: otherwise a text with LF, dot, LF would end its block, and the rest of it would be read as replies.

Some servers end their replies with CR LF and their lines with LF: only silence after such a dot distinguishes it from
data. It proves nothing, since a server may pause anywhere: nothing that comes later may be read as a reply.
"""

from __future__ import annotations

from anyurl.schemes.kit.replies import Reply, ReplyForm, ReplyReader

_MARKS = {b"\r\n": (b"\r\n.\r\n",), b"\n": (b"\n.\r\n", b"\n.\n")}
"""The marks that end a block, by the line end of its reply; the longest first."""

_LOOKS_ENDED = (b"\n.\r\n", b"\n.\n")
_HELD = (b"\r\n.\r\n", *_LOOKS_ENDED)
"""A real or apparent end of a block; a prefix of it at the end of the received octets is held back."""

SILENCE_SECONDS = 1.0
"""Seconds of silence after an apparent end of a block that make it a real one."""


class BlockReader(ReplyReader):
    """A reply reader that also reads the `block` after a reply.

    Args:
        form: The format of the protocol's replies.

    Attributes:
        ended: Whether the block is complete.
    """

    __slots__ = ("ended", "_mark", "_skip")

    def __init__(self, form: ReplyForm) -> None:
        super().__init__(form)
        self.ended = True
        self._mark = b"\r\n"
        self._skip = 0

    def begin_block(self, reply: Reply) -> None:
        """Expect a block after the reply just taken (RFC 3977 3.1.1)."""
        self.ended = False
        self._mark = reply.end
        # With a line end in front, the first line is treated like all others.
        self._buffer[:0] = reply.end
        self._skip = len(reply.end)

    @property
    def looks_ended(self) -> bool:
        """Whether the last octets look like the end of the block, except for its line ends."""
        return not self.ended and bytes(self._buffer[-5:]).removeprefix(b"\r") in _LOOKS_ENDED

    def end_by_silence(self) -> bytes:
        """Accept the apparent end (`looks_ended`); returns the end of the last line."""
        line_end = b"" if self._skip else b"\r\n" if self._buffer[0] == 13 else b"\n"
        self.ended = True
        self._buffer.clear()
        self._scanned = 0
        return line_end

    def block(self) -> bytes:
        """The octets of the block received so far, dot-unstuffed; a few are held back as they may begin the end mark.

        Returns:
            Lines with their line ends as sent; ``b""`` if more must be fed, or at the end (`ended`).
        """
        if self.ended:
            return b""
        data = bytes(self._buffer)
        marks = _MARKS[self._mark]
        # If the reply ended with LF alone, both marks are accepted: some servers write replies and blocks differently.
        end, mark = min(((at, mark) for mark in marks if (at := data.find(mark)) >= 0), default=(-1, b""))
        if end >= 0:
            self.ended = True
            body, rest = data[: end + len(self._mark)], data[end + len(mark) :]
        else:
            held = max(_overlap(data, mark) for mark in _HELD)
            body, rest = data[: len(data) - held], data[len(data) - held :]
        self._buffer = bytearray(rest)
        self._scanned = 0
        if not body:
            return b""
        # A line that begins with a single dot was not stuffed by the server: it is left as it is.
        out = body.replace(self._mark + b"..", self._mark + b".")[self._skip :]
        self._skip = 0
        return out


def _overlap(data: bytes, mark: bytes) -> int:
    """How many octets at the end of the data are the beginning of the mark, or all of it."""
    return next((size for size in range(len(mark), 0, -1) if data.endswith(mark[:size])), 0)
