"""Replies of three digits and a text, as in FTP, SMTP and NNTP (RFC 959 4.2, RFC 5321 4.2, RFC 3977 3.2).

Rule: one reader for all protocols; a `ReplyForm` describes their differences. A password that a server repeats is only
masked when the reply is shown: replies are also parsed for numbers, and masking a short password could change those.
"""

from __future__ import annotations

import re
from typing import Literal

from anyurl.errors import LimitError, PeerText, RemoteProtocolError, escape, sample
from anyurl.schemes.kit.lines import LineReader, capital
from anyurl.values import Value

_ENHANCED = re.compile(rb"[245]\.\d{1,3}\.\d{1,3}(?= |\Z)")


class Reply:
    """One reply of the server.

    Attributes:
        code: Its three digits.
        kind: The first digit: 1 preliminary, 2 success, 3 more input needed, 4 temporary failure, 5 permanent failure.
        lines: The text of its lines, without the code where the code is part of the framing.
        end: The line end of its last line: CR LF, or LF alone.
        secrets: Passwords as they were sent, which are masked in `text`.
    """

    __slots__ = ("code", "kind", "lines", "end", "secrets")

    def __init__(self, code: int, lines: tuple[bytes, ...] = (b"",), end: bytes = b"\r\n") -> None:
        self.code: int = code
        self.kind: int = code // 100
        self.lines: tuple[bytes, ...] = lines
        self.end: bytes = end
        self.secrets: tuple[bytes, ...] = ()

    @property
    def masked(self) -> tuple[bytes, ...]:
        """The lines with the secrets masked."""
        lines = self.lines
        for secret in self.secrets:
            lines = tuple(line.replace(secret, b"***") for line in lines)
        return lines

    @property
    def text(self) -> str:
        """The text of all lines joined, masked and escaped, for people."""
        return escape(self._words.decode("utf-8", "surrogateescape"))

    @property
    def said(self) -> PeerText:
        """The code and the text, for a message or a field of an error."""
        return PeerText(b"%03d %b" % (self.code, self._words) if self._words else b"%03d" % self.code)

    @property
    def _words(self) -> bytes:
        return b" ".join(line.strip() for line in self.masked if line.strip())

    @property
    def arguments(self) -> list[bytes]:
        """The first line, split at spaces (RFC 3977 3.2: arguments of a reply)."""
        return self.lines[0].split()

    @property
    def status(self) -> str | None:
        """The enhanced status code at the start of the text, such as ``5.1.1`` (RFC 2034), or None."""
        found = _ENHANCED.match(self.lines[0])
        return None if found is None else found[0].decode("ascii")

    def __str__(self) -> str:
        return str(self.said)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reply) and (self.code, self.lines) == (other.code, other.lines)

    def __hash__(self) -> int:
        return hash((self.code, self.lines))

    def __repr__(self) -> str:
        return f"Reply({self.code}, {self.lines!r})"


_MARKS = (b" ", b"-", b"")
"""The separators after the code; servers that omit the space omit the text as well."""


class ReplyForm(Value):
    """The format of the replies of one protocol, and the limits on them.

    Args:
        protocol: The name of the protocol for messages: ``FTP``.
        lines: ``one``: a reply is one line. ``coded``: each line begins with the code, and all but the last with code
            and hyphen (RFC 5321 4.2.1). ``framed``: only the first and the last line need the code (RFC 959 4.2).
        max_line_bytes: The most octets of one line.
        codes: The lowest and the highest code.
        max_lines: The most lines of one reply.
        max_bytes: The most octets of one reply; 0 for `max_lines` times `max_line_bytes`.
        max_preliminary: The most preliminary replies in a row.
        answers: Codes of 1yz that are final replies, not preliminary ones.
        skips: Preliminary replies are ignored: none of them begins anything (RFC 3977 3.2).
        closing: The code with which the server ends the session, in reply to any command.
    """

    protocol: str
    lines: Literal["one", "coded", "framed"]
    max_line_bytes: int
    codes: tuple[int, int] = (100, 599)
    max_lines: int = 1
    max_bytes: int = 0
    max_preliminary: int = 0
    answers: frozenset[int] = frozenset()
    skips: bool = False
    closing: int = 421

    def __post_init__(self) -> None:
        if not self.max_bytes:
            self._set(max_bytes=self.max_lines * self.max_line_bytes)

    @property
    def name(self) -> str:
        """A reply, as messages name it: ``an FTP reply``."""
        # All names but DICT are spelt out, and their first letters sound like eff, en, ess: hence "an".
        return f"{'a' if self.protocol == 'DICT' else 'an'} {self.protocol} reply"

    @property
    def what(self) -> str:
        """A line of a reply, as messages name it."""
        return f"a line of {self.name}"


class ReplyReader(LineReader):
    """Assembles replies from octets: `feed` it, then take `next_reply`.

    Args:
        form: The format of the protocol's replies.
    """

    __slots__ = ("_form", "_code", "_texts", "_bytes", "_preliminary")

    def __init__(self, form: ReplyForm) -> None:
        super().__init__(form.max_line_bytes, limit="MAX_REPLY_LINE_BYTES", what=form.what)
        self._form = form
        self._code = 0
        self._texts: list[bytes] = []
        self._bytes = 0
        self._preliminary = 0

    @property
    def pending(self) -> int:
        """Number of octets fed but not taken yet, plus the lines of an incomplete reply; 0 if there is nothing."""
        return len(self._buffer) + len(self._texts)

    def next_reply(self) -> Reply | None:
        """The next complete reply, or None until more is fed.

        Raises:
            RemoteProtocolError: The data is not a reply of this protocol.
            LimitError: A line, a reply, or the number of preliminary replies is too large.
        """
        form = self._form
        while (line := self.next_line()) is not None:
            if self._texts or line[3:4] == b"-":
                if not self._take(line):
                    continue
                reply = Reply(self._code, tuple(self._texts), self.end)
                self._texts.clear()
                self._bytes = 0
            else:
                reply = Reply(self._code_of(line), (line[4:],), self.end)
            if reply.code >= 200 or reply.code in form.answers:
                self._preliminary = 0
                return reply
            self._preliminary += 1
            if self._preliminary > form.max_preliminary:
                raise LimitError(
                    f"More than {form.max_preliminary} preliminary replies to one command, the last one: {reply}",
                    limit="MAX_PRELIMINARY_REPLIES",
                )
            if not form.skips:
                return reply
        return None

    def _take(self, line: bytes) -> bool:
        """Add a line to a multi-line reply; returns whether it was the last one."""
        form = self._form
        self._bytes += len(line)
        if len(self._texts) >= form.max_lines:
            raise LimitError(
                f"{capital(form.name)} has more than {form.max_lines:,} lines: the limit allows no more.",
                limit="MAX_REPLY_LINES",
            )
        if self._bytes > form.max_bytes:
            raise LimitError(
                f"{capital(form.name)} has more than {form.max_bytes:,} octets: the limit allows no more.",
                limit="MAX_REPLY_BYTES",
            )
        if form.lines == "framed" and self._texts:
            # RFC 959 4.2: only the same code and a space end it; lines between may begin with any number.
            ended = line[3:4] in (b" ", b"") and line[:3] == b"%d" % self._code
            self._texts.append(line[4:] if ended else line)
            return ended
        code = self._code_of(line)
        if self._texts and code != self._code:  # RFC 5321 4.2.1
            raise RemoteProtocolError(f"{capital(form.name)} changes its code: {sample(line)}", sample=sample(line))
        self._code = code
        self._texts.append(line[4:])
        return line[3:4] != b"-"

    def _code_of(self, line: bytes) -> int:
        form = self._form
        lowest, highest = form.codes
        digits = line[:3]
        if len(digits) == 3 and digits.isdigit() and line[3:4] in ((b" ", b"") if form.lines == "one" else _MARKS):
            code = int(digits)
            if lowest <= code <= highest:
                return code
        shown = sample(line)
        raise RemoteProtocolError(
            f"This is not a valid {form.protocol} reply, which begins with a number from {lowest} to {highest}: "
            f"{shown or 'an empty line'}",
            sample=shown,
        )
