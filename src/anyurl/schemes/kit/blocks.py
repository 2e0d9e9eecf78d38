"""Replies with a block of lines behind them, which a lone dot ends (RFC 3977 3.1.1, RFC 2229 2.4.1).

Rule: how the lines of a block end is what the line of its reply ended with: in a block whose lines end with CR LF a
bare LF is data, or a text that holds LF, dot, LF would end its own block and speak as the server after it.
"""

from __future__ import annotations

from anyurl.schemes.kit.replies import Reply, ReplyForm, ReplyReader

_MARKS = {b"\r\n": (b"\r\n.\r\n",), b"\n": (b"\n.\r\n", b"\n.\n")}
"""What ends a block, by the end of its reply's line; the longest first."""


class BlockReader(ReplyReader):
    """As its base, and `block` behind a reply that has one.

    Args:
        form: How the protocol writes its replies.

    Attributes:
        ended: The block has come to its end.
    """

    __slots__ = ("ended", "_mark", "_skip")

    def __init__(self, form: ReplyForm) -> None:
        super().__init__(form)
        self.ended = True
        self._mark = b"\r\n"
        self._skip = 0

    def begin_block(self, reply: Reply) -> None:
        """The reply just taken is followed by a block (RFC 3977 3.1.1)."""
        self.ended = False
        self._mark = reply.end
        # As if a line had just ended: then the first line is not different from the others.
        self._buffer[:0] = reply.end
        self._skip = len(reply.end)

    def block(self) -> bytes:
        """The octets of the block that are there, without their dots; some few are held back until they are clear.

        Returns:
            Lines with the ends that they have; ``b""`` when more must be fed, or at the end (`ended`).
        """
        if self.ended:
            return b""
        data = bytes(self._buffer)
        marks = _MARKS[self._mark]
        # Of a server that ends lines with LF alone either mark is the end: it may answer as one, and send as the other.
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
        # A line that begins with one dot and more was not stuffed as it should have been: it stays as it is.
        out = body.replace(self._mark + b"..", self._mark + b".")[self._skip :]
        self._skip = 0
        return out
