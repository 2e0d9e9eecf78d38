"""Replies that are followed by a block of lines, which ends with a lone dot (RFC 3977 3.1.1, RFC 2229 2.4.1).

Rule: the lines of a block end as the line of its reply did: if that ended with CR LF, a bare LF in the block is data.
Attack: otherwise a text with LF, dot, LF would end its block, and the rest of it would be read as replies.
"""

from __future__ import annotations

from anyurl.schemes.kit.replies import Reply, ReplyForm, ReplyReader

_MARKS = {b"\r\n": (b"\r\n.\r\n",), b"\n": (b"\n.\r\n", b"\n.\n")}
"""The marks that end a block, by the line end of its reply; the longest first."""


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
            longest = marks[0]
            held = next((size for size in range(len(longest) - 1, 0, -1) if data.endswith(longest[:size])), 0)
            body, rest = data[: len(data) - held], data[len(data) - held :]
        self._buffer = bytearray(rest)
        self._scanned = 0
        if not body:
            return b""
        # A line that begins with a single dot was not stuffed by the server: it is left as it is.
        out = body.replace(self._mark + b"..", self._mark + b".")[self._skip :]
        self._skip = 0
        return out
