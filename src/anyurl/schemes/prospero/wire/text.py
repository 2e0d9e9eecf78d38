"""The text of Prospero messages: lines, tokens and their quoting (Prospero protocol 5; RFC 1738 3.11).

Rule: an apostrophe turns quoting on and off anywhere in a token, and two of them inside quotes stand for one; blanks,
tabs and line feeds end tokens and lines outside quotes only. Octets 1 to 255 pass unchanged; NUL only in a file's.

A *raw* token is a token as sent, with its quotes: unquoted characters in it may be structure (the slashes of a path of
names), quoted ones are data.
"""

from __future__ import annotations

import re

from anyurl.errors import LimitError, LocalProtocolError, RemoteProtocolError, sample
from anyurl.schemes.prospero.wire.ardp import MAX_REPLY_BYTES

MAX_TOKENS = 4 * 1024
"""Tokens of one line. The longest known has 12; a filter or a list of principals may have some tens."""

_SPECIAL = re.compile(rb"[ \t\n\r\f\v/'+,]")
"""The octets that the original servers quote; quoting more than necessary is harmless."""

_LIST_SPECIAL = re.compile(rb"[ \t\n\r\f\v/',]")
"""The same for a list of options, in which plus signs are structure."""

_TEXT_SPECIAL = re.compile(rb"^[ \t]|[\n\r'\0]")

_BLANKS = b" \t"
_COMPLAINTS = (b"ERROR ", b"FAILURE ", b"WARNING ")

# Possessive, since a peer's text could make them backtrack (ReDoS); only on the outside, since PyPy fails at both.
_QUOTED = re.compile(rb"'((?:[^']+|'')*+)'")
_TOKEN = re.compile(rb"(?:(?>'(?:[^']+|'')*+')|[^ \t'])++")
_NAME = re.compile(rb"(?:(?>'(?:[^']+|'')*+')|[^/'])*+")

_HIDDEN_LINK = re.compile(rb"LINK [^ \t]+ NULL [^\n]*(?: NULL){4} [0-9]+[ \t\r]*+")
"""A link that is visible, but not readable. Servers do not quote its name, so an apostrophe in it may be literal; they
write one blank after LINK then, and two before a quoted name."""


def quote(octets: bytes) -> bytes:
    """Quote a token from the first octet that needs it to the end, in the form of the original servers.

    >>> quote(b"two words"), quote(b"AFTP/pub"), quote(b"it's"), quote(b"")
    (b"two' words'", b"AFTP'/pub'", b"it'''s'", b"''")

    Raises:
        LocalProtocolError: It contains NUL, which ends a string in every Prospero server.
    """
    return _quote(octets, _SPECIAL)


def quote_octets(octets: bytes) -> bytes:
    """The content of a file as a token: as `quote`, but NUL is allowed (dirsrv sends binary files this way)."""
    return _quote(octets, _SPECIAL, holds_nul=True)


def quote_list(octets: bytes) -> bytes:
    """Quote a list of options (``ATTRIBUTES+EXPAND``): as `quote`, but plus signs are left unquoted."""
    return _quote(octets, _LIST_SPECIAL)


def quote_text(octets: bytes) -> bytes:
    """Quote the text after a word, up to the line end: line ends and apostrophes need quotes there, blanks do not."""
    return _quote(octets, _TEXT_SPECIAL) if octets else b""


def _quote(octets: bytes, special: re.Pattern[bytes], *, holds_nul: bool = False) -> bytes:
    if b"\0" in octets and not holds_nul:
        raise LocalProtocolError(f"A token of Prospero can't contain NUL: {sample(octets)}")
    if not octets:
        return b"''"
    found = special.search(octets)
    if found is None:
        return octets
    at = found.start()
    return octets[:at] + b"'" + octets[at:].replace(b"'", b"''") + b"'"


def unquote(raw: bytes) -> bytes:
    """The value of a raw token, or of a raw text of several.

    >>> unquote(b"it'''s'"), unquote(b"''"), unquote(b"two' words'")
    (b"it's", b'', b'two words')
    """
    if b"'" not in raw:
        return raw
    return _QUOTED.sub(lambda found: found[1].replace(b"''", b"'"), raw)


def holds_line_end(octets: bytes) -> bool:
    """Whether a token of a message holds CR or LF, which only quotes make a part of it.

    >>> holds_line_end(b"LIST a\\nLIST b\\n"), holds_line_end(b"LIST 'a\\nb'\\n")
    (False, True)
    """
    return any(b"\n" in found[0] or b"\r" in found[0] for found in _QUOTED.finditer(octets))


def holds_bare_cr(line: bytes) -> bool:
    """Whether a line of a reply holds a CR where servers quote it: not in a hidden link's name, nor in a complaint.

    >>> holds_bare_cr(b"ID a\\rb"), holds_bare_cr(b"ID 'a\\rb'"), holds_bare_cr(b"ERROR a\\rb")
    (True, False, False)
    """
    if b"\r" not in line or line.startswith(_COMPLAINTS):  # a complaint may repeat the request unquoted
        return False
    if b"\n" not in line and _HIDDEN_LINK.fullmatch(line) is not None:
        return False
    return b"\r" in _QUOTED.sub(b"", line)


def split_tokens(line: bytes) -> list[bytes]:
    """The raw tokens of a line; `unquote` gives their values.

    Raises:
        LimitError: More than `MAX_TOKENS`.
    """
    tokens: list[bytes] = []
    for found in _TOKEN.finditer(line):
        tokens.append(found[0])
        if len(tokens) > MAX_TOKENS:
            raise LimitError(
                f"A line of Prospero has more than {MAX_TOKENS:,} tokens: the limit allows no more.", limit="MAX_TOKENS"
            )
    return tokens


def first_token(line: bytes) -> tuple[bytes, bytes]:
    """The first raw token of a line, and the text after the blanks that follow it."""
    line = line.lstrip(_BLANKS)
    found = _TOKEN.match(line)
    if found is None:
        return b"", line
    return found[0], line[found.end() :].lstrip(_BLANKS)


def split_names(raw: bytes) -> tuple[bytes, ...]:
    """The names in a raw token that is a path: unquoted slashes separate them, a quoted one belongs to a name.

    >>> split_names(b"odd/slash'/'inside")
    (b'odd', b'slash/inside')
    """
    names: list[bytes] = []
    at = 0
    while True:
        found = _NAME.match(raw, at)
        end = at if found is None else found.end()
        names.append(unquote(raw[at:end]))
        if end >= len(raw):
            return tuple(names)
        at = end + 1


class QuotedLineReader:
    """Octets in, lines out: a line ends at a line feed outside quotes, which the last one may lack.

    A line has no limit of its own, since the content of a file (CONTENTS) is one line: the limit of ARDP is for all.

    A CR before the line feed and empty lines (servers send one after an ID) are left out, and so is NUL in a request,
    where it is never data: releases 5.0 to 5.2 append one to a packet.

    Args:
        reply: The octets are a server's, which does not quote the names of hidden links.
    """

    __slots__ = ("_open", "_quoted", "_whole", "_room", "_reply")

    def __init__(self, *, reply: bool = True) -> None:
        self._reply = reply
        self._open: list[bytes] = []
        self._quoted = False
        self._whole = True  # no line feed so far
        self._room = MAX_REPLY_BYTES

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that these octets complete, with quotes and without line ends.

        Raises:
            LimitError: The message is longer than `MAX_REPLY_BYTES`.
        """
        self._room -= len(data)
        if self._room < 0:
            raise LimitError(
                f"A reply has more than {MAX_REPLY_BYTES:,} octets: the limit allows no more.", limit="MAX_REPLY_BYTES"
            )
        *pieces, last = (data if self._reply else data.replace(b"\0", b"")).split(b"\n")
        lines: list[bytes] = []
        for piece in pieces:
            self._add(piece)
            if self._quoted and not self._is_hidden_link():
                self._open.append(b"\n")
                self._whole = False
            else:
                self._end_line(lines)
        self._add(last)
        return lines

    def finish(self) -> list[bytes]:
        """The last line, if it had no line end.

        Raises:
            RemoteProtocolError: The message ends inside quotes.
        """
        if self._quoted and not self._is_hidden_link():
            text = b"".join(self._open)
            if text.startswith(_COMPLAINTS[:2]):
                # A complaint about quotes may repeat them as received; nothing follows such a complaint.
                return [text.rstrip(b"\r\n")]
            raise RemoteProtocolError(
                f"A Prospero message ends inside quotes: {sample(text[:60])}", sample=sample(text)
            )
        lines: list[bytes] = []
        self._end_line(lines)
        return lines

    def _add(self, piece: bytes) -> None:
        if piece:
            self._open.append(piece)
            # A doubled apostrophe ends the quotes and begins them again, so counting is enough.
            self._quoted ^= bool(piece.count(b"'") & 1)

    def _is_hidden_link(self) -> bool:
        if not (self._whole and self._reply):
            return False
        return _HIDDEN_LINK.fullmatch(b"".join(self._open)) is not None

    def _end_line(self, lines: list[bytes]) -> None:
        line = b"".join(self._open)
        bare = line.rstrip(b"\r" + _BLANKS)
        if b"\r" in line[len(bare) :]:
            line = bare
        if line.strip(_BLANKS):
            lines.append(line)
        self._open, self._quoted, self._whole = [], False, True
