"""NNTP as a codec: commands out; replies and the blocks behind them in (RFC 3977 3).

Rule: octets in, values out; no socket and no order of commands. A reply is one line of three digits and words. A block
ends with a lone dot, and how its lines end is what the line of its reply ended with: in a block whose lines end with
CR LF a bare LF is data, or an article that holds LF, dot, LF would end its own block and speak as the server after it.
"""

from __future__ import annotations

from anyurl.errors import LimitError, LocalProtocolError, RemoteProtocolError, escape, sample

MAX_REPLY_BYTES = 2 * 1024
"""Octets of a reply's line: RFC 3977 3.1 allows 512, servers put an article's whole path into one now and then."""

MAX_COMMAND_BYTES = 512
"""Octets of a command, its CR LF counted (RFC 3977 3.1)."""

MAX_MESSAGE_ID_BYTES = 250
"""Octets of a message identifier, its angle brackets counted (RFC 3977 3.6)."""

MAX_INFORMATIVE_REPLIES = 5
"""1xx replies in a row that answer nothing (RFC 3977 3.2): none is usual, and a flood never ends."""


_INFORMATIVE = frozenset(range(100, 200)) - {100, 101, 111}
"""100 (HELP), 101 (CAPABILITIES) and 111 (DATE) are answers; the rest of 1xx only informs (RFC 3977 3.2)."""


_MARKS = {b"\r\n": (b"\r\n.\r\n",), b"\n": (b"\n.\r\n", b"\n.\n")}
"""What ends a block, by the end of its reply's line; the longest first."""


class Reply:
    """One reply line (RFC 3977 3.2).

    Attributes:
        code: 100 to 599.
        words: What stands behind the code, as octets.
        end: What the line ended with: CR LF, or LF alone.
    """

    __slots__ = ("code", "words", "end")

    def __init__(self, code: int, words: bytes = b"", end: bytes = b"\r\n") -> None:
        self.code = code
        self.words = words
        self.end = end

    @property
    def kind(self) -> int:
        """The first digit: 1 informs, 2 done, 3 go on, 4 not now or not so, 5 no."""
        return self.code // 100

    @property
    def text(self) -> str:
        """The words, escaped, for people."""
        return escape(self.words.decode("utf-8", "surrogateescape").strip())

    @property
    def arguments(self) -> list[bytes]:
        """The words, cut at spaces (RFC 3977 3.2: arguments of a reply)."""
        return self.words.split()

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= 200 else self.text[:197] + "..."
        return f"{self.code} {shown}".rstrip()

    def __repr__(self) -> str:
        return f"Reply({self.code}, {self.words!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reply) and (self.code, self.words) == (other.code, other.words)

    def __hash__(self) -> int:
        return hash((self.code, self.words))


_ENDS_ARGUMENT = bytes((*range(33), 127))
"""A space ends an argument, a control octet perhaps the line."""


def encode_command(verb: str, *arguments: bytes) -> bytes:
    """One command line (RFC 3977 3.1): the verb and its arguments, a space before each.

    Raises:
        LocalProtocolError: An argument is empty, holds what ends an argument or the line, or the line is too long.
    """
    for argument in arguments:
        if not argument or len(argument.translate(None, _ENDS_ARGUMENT)) != len(argument):
            # Attack: nntp://h/a%0D%0APOST would send a second command (RFC 1738 section 6).
            raise LocalProtocolError(
                f"an argument of {verb} is empty, or holds a space or a control octet, which would end it: "
                f"{sample(argument)}"
            )
    line = b" ".join((verb.encode("ascii"), *arguments)) + b"\r\n"
    if len(line) > MAX_COMMAND_BYTES:
        raise LocalProtocolError(
            f"the command {verb} would have {len(line)} octets: RFC 3977 3.1 allows {MAX_COMMAND_BYTES}"
        )
    return line


def message_id(identifier: bytes) -> bytes:
    """A message identifier as commands want it, in angle brackets (RFC 3977 3.6).

    Raises:
        LocalProtocolError: It holds an angle bracket, or is too long.
    """
    if b"<" in identifier or b">" in identifier:
        raise LocalProtocolError(f"a message-id holds no angle brackets of its own: {sample(identifier)}")
    if len(identifier) + 2 > MAX_MESSAGE_ID_BYTES:
        raise LocalProtocolError(
            f"the message-id has {len(identifier)} octets: RFC 3977 3.6 allows {MAX_MESSAGE_ID_BYTES - 2}"
        )
    return b"<" + identifier + b">"


class ReplyReader:
    """Takes a server's octets apart: `feed` it, then take `next_reply`, or `block` behind a reply that has one.

    Attributes:
        ended: The block has come to its end.
    """

    __slots__ = ("ended", "_buffer", "_scanned", "_informative", "_end", "_skip")

    def __init__(self) -> None:
        self.ended = True
        self._buffer = bytearray()
        self._scanned = 0
        self._informative = 0
        self._end = b"\r\n"
        self._skip = 0

    @property
    def pending(self) -> bool:
        """Whether octets are here that were not taken yet."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> None:
        """Take in what the server sent."""
        self._buffer += data

    # --- replies -----------------------------------------------------------------------------------------------------

    def next_reply(self) -> Reply | None:
        """The next whole reply, or None until more is fed; what only informs (1xx) is passed over.

        Raises:
            RemoteProtocolError: What comes is no NNTP reply.
            LimitError: Its line is too long, or there is no end of informative ones.
        """
        while (line := self._next_line()) is not None:
            reply = _read_reply(line)
            if reply.code not in _INFORMATIVE:
                self._informative = 0
                return reply
            self._informative += 1
            if self._informative > MAX_INFORMATIVE_REPLIES:
                raise LimitError(
                    f"the news server sent more than {MAX_INFORMATIVE_REPLIES} informative replies and no answer: "
                    f"{reply}",
                    limit="MAX_INFORMATIVE_REPLIES",
                )
        return None

    def _next_line(self) -> bytes | None:
        end = self._buffer.find(b"\n", self._scanned)
        # Only new octets are looked at next time: a peer that drips must not make us read its line n times.
        self._scanned = len(self._buffer) if end < 0 else 0
        if (len(self._buffer) if end < 0 else end) > MAX_REPLY_BYTES:
            shown = sample(bytes(self._buffer[:60]))
            raise LimitError(
                f"a reply of the news server is longer than {MAX_REPLY_BYTES:,} octets: {shown}...",
                limit="MAX_REPLY_BYTES",
            )
        if end < 0:
            return None
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        return line

    # --- blocks ------------------------------------------------------------------------------------------------------

    def begin_block(self, reply: Reply) -> None:
        """The reply just taken is followed by a block (RFC 3977 3.1.1)."""
        self.ended = False
        self._end = reply.end
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
        marks = _MARKS[self._end]
        # Of a server that ends lines with LF alone either mark is the end: it may answer as one, and send as the other.
        end, mark = min(((at, mark) for mark in marks if (at := data.find(mark)) >= 0), default=(-1, b""))
        if end >= 0:
            self.ended = True
            body, rest = data[: end + len(self._end)], data[end + len(mark) :]
        else:
            longest = marks[0]
            held = next((size for size in range(len(longest) - 1, 0, -1) if data.endswith(longest[:size])), 0)
            body, rest = data[: len(data) - held], data[len(data) - held :]
        self._buffer = bytearray(rest)
        self._scanned = 0
        if not body:
            return b""
        # A line that begins with one dot and more was not stuffed as it should have been: it stays as it is.
        out = body.replace(self._end + b"..", self._end + b".")[self._skip :]
        self._skip = 0
        return out


def _read_reply(line: bytes) -> Reply:
    end = b"\r\n" if line.endswith(b"\r\n") else b"\n"
    line = line[: -len(end)]
    if b"\0" in line or b"\r" in line:
        # Attack: a program that ends lines at CR or NUL reads another reply than we do.
        octet = "NUL" if b"\0" in line else "a CR without LF"
        raise RemoteProtocolError(f"a reply of the news server holds {octet}: {sample(line)}", sample=sample(line))
    code = line[:3]
    if len(code) != 3 or not code.isdigit() or not 100 <= int(code) <= 599 or line[3:4] not in (b"", b" "):
        raise RemoteProtocolError(
            f"a reply of a news server begins with a number from 100 to 599: {sample(line)}", sample=sample(line)
        )
    return Reply(int(code), line[4:], end)


class DotStuffer:
    """An article on its way out: CR LF ends lines, a dot stands before each dot that begins one (RFC 3977 3.1.1)."""

    __slots__ = ("_at_start", "_carriage_return")

    def __init__(self) -> None:
        self._at_start = True
        self._carriage_return = False

    def feed(self, data: bytes) -> bytes:
        """These octets as they are sent; LF alone, and CR alone, ends a line as well.

        Raises:
            LocalProtocolError: There is a NUL, which an article can't hold (RFC 5536 2.2).
        """
        if b"\0" in data:
            raise LocalProtocolError("the article holds NUL, which no article can (RFC 5536 2.2)")
        if not data:
            return b""
        if self._carriage_return and data.startswith(b"\n"):
            data = data[1:]
            self._carriage_return = False
            if not data:
                return b""
        self._carriage_return = data.endswith(b"\r")
        lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        stuffed = lines.replace(b"\n.", b"\n..")
        if self._at_start and stuffed.startswith(b"."):
            stuffed = b"." + stuffed
        self._at_start = stuffed.endswith(b"\n")
        return stuffed.replace(b"\n", b"\r\n")

    def finish(self) -> bytes:
        """The end of the last line, if it has none, and the lone dot."""
        return b".\r\n" if self._at_start else b"\r\n.\r\n"
