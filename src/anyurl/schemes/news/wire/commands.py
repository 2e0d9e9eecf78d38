"""NNTP as a codec: commands out; replies and the blocks behind them in (RFC 3977 3).

Rule: octets in, values out; no socket and no order of commands. A reply is one line of three digits and words.
"""

from __future__ import annotations

from anyurl.errors import LocalProtocolError, sample
from anyurl.schemes.kit import blocks
from anyurl.schemes.kit.replies import ReplyForm

MAX_REPLY_LINE_BYTES = 2 * 1024
"""Octets of a reply's line: RFC 3977 3.1 allows 512, servers put an article's whole path into one now and then."""

MAX_COMMAND_BYTES = 512
"""Octets of a command, its CR LF counted (RFC 3977 3.1)."""

MAX_MESSAGE_ID_BYTES = 250
"""Octets of a message identifier, its angle brackets counted (RFC 3977 3.6)."""

MAX_PRELIMINARY_REPLIES = 5
"""1xx replies in a row that answer nothing (RFC 3977 3.2): none is usual, and a flood never ends."""

REPLIES = ReplyForm(
    "NNTP",
    "one",
    max_line_bytes=MAX_REPLY_LINE_BYTES,
    max_preliminary=MAX_PRELIMINARY_REPLIES,
    answers=frozenset({100, 101, 111}),  # HELP, CAPABILITIES, DATE
    skips=True,
    closing=400,
)
"""RFC 3977 3.2."""

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
                f"An argument of {verb} is empty, or holds a space or a control octet, which would end it: "
                f"{sample(argument)}"
            )
    line = b" ".join((verb.encode("ascii"), *arguments)) + b"\r\n"
    if len(line) > MAX_COMMAND_BYTES:
        raise LocalProtocolError(
            f"The command {verb} would have {len(line)} octets: RFC 3977 3.1 allows {MAX_COMMAND_BYTES}."
        )
    return line


def message_id(identifier: bytes) -> bytes:
    """A message identifier as commands want it, in angle brackets (RFC 3977 3.6).

    Raises:
        LocalProtocolError: It holds an angle bracket, or is too long.
    """
    if b"<" in identifier or b">" in identifier:
        raise LocalProtocolError(f"A message-id holds no angle brackets of its own: {sample(identifier)}")
    if len(identifier) + 2 > MAX_MESSAGE_ID_BYTES:
        raise LocalProtocolError(
            f"The message-id has {len(identifier)} octets: RFC 3977 3.6 allows {MAX_MESSAGE_ID_BYTES - 2}."
        )
    return b"<" + identifier + b">"


class NewsReplyReader(blocks.BlockReader):
    """Replies of a news server, and the blocks behind them."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(REPLIES)


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
            raise LocalProtocolError("The article holds NUL, which no article may (RFC 5536 2.2).")
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
