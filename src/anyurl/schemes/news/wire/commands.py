"""The NNTP codec: commands out; replies and the blocks after them in (RFC 3977 3).

Rule: octets in, values out; no socket and no order of commands. A reply is one line of three digits and words.
"""

from __future__ import annotations

from anyurl.errors import LocalProtocolError, sample
from anyurl.schemes.kit import blocks
from anyurl.schemes.kit.replies import ReplyForm

MAX_REPLY_LINE_BYTES = 2 * 1024
"""Octets of a reply line: RFC 3977 3.1 allows 512, but some servers include an article's whole path."""

MAX_COMMAND_BYTES = 512
"""Octets of a command, including CR LF (RFC 3977 3.1)."""

MAX_MESSAGE_ID_BYTES = 250
"""Octets of a message identifier, including its angle brackets (RFC 3977 3.6)."""

MAX_PRELIMINARY_REPLIES = 5
"""Informational 1xx replies in a row (RFC 3977 3.2): usually there are none. Attack: an endless series."""

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
"""Octets that end an argument (a space) or may end the line (control octets)."""


def encode_command(verb: str, *arguments: bytes) -> bytes:
    """One command line (RFC 3977 3.1): the verb and its arguments, a space before each.

    Raises:
        LocalProtocolError: An argument is empty, contains a space or control octet, or the line is too long.
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
    """A message identifier as in commands, in angle brackets (RFC 3977 3.6).

    Raises:
        LocalProtocolError: It contains an angle bracket, or is too long.
    """
    if b"<" in identifier or b">" in identifier:
        raise LocalProtocolError(f"A message-id can't contain angle brackets: {sample(identifier)}")
    if len(identifier) + 2 > MAX_MESSAGE_ID_BYTES:
        raise LocalProtocolError(
            f"The message-id has {len(identifier)} octets: RFC 3977 3.6 allows {MAX_MESSAGE_ID_BYTES - 2}."
        )
    return b"<" + identifier + b">"


class NewsReplyReader(blocks.BlockReader):
    """Reads replies of a news server, and the blocks after them."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(REPLIES)


class DotStuffer:
    """Prepares an article for sending: with CR LF line ends, and dot-stuffed (RFC 3977 3.1.1)."""

    __slots__ = ("_at_start", "_carriage_return")

    def __init__(self) -> None:
        self._at_start = True
        self._carriage_return = False

    def feed(self, data: bytes) -> bytes:
        """These octets as they are sent; LF alone and CR alone count as line ends, too.

        Raises:
            LocalProtocolError: There is a NUL, which articles must not contain (RFC 5536 2.2).
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
        """The line end of the last line, if it is missing, and the lone dot."""
        return b".\r\n" if self._at_start else b"\r\n.\r\n"
