"""Commands, replies and the words in them (RFC 2229 2.2, 2.4).

Rule: octets in, values out. Words are sent in quotation marks and contain no control characters, so nothing in them can
end the string or the line.
"""

from __future__ import annotations

import re
from hashlib import md5

from anyurl.errors import LimitError, LocalProtocolError, sample
from anyurl.schemes.kit.replies import ReplyForm

MAX_REPLY_LINE_BYTES = 6 * 1024
"""Octets of a reply line: 1,024 characters of UTF-8 (RFC 2229 2.1), which then had up to six octets."""

MAX_TEXT_LINE_BYTES = 64 * 1024
"""Octets of a line of a listing: the same limit applies, but generated dictionaries ignore it."""

MAX_COMMAND_BYTES = 1024
"""Octets of a command with CR LF (RFC 2229 2.2 says characters, but servers count octets)."""

CONTROLS = bytes((*range(32), 127))
"""Characters forbidden in a string (RFC 2229 2.2)."""

REPLIES = ReplyForm(
    "DICT",
    "one",
    max_line_bytes=MAX_REPLY_LINE_BYTES,
    answers=frozenset({110, 111, 112, 113, 114, 150, 151, 152}),
    closing=421,
)
"""RFC 2229 2.4."""

DATABASES, STRATEGIES, INFORMATION, SERVER = 110, 111, 112, 114
FOUND, DEFINITION, MATCHES, DONE = 150, 151, 152, 250
BANNER, WELCOME = 220, 230
NO_DATABASE, NO_STRATEGY, NO_MATCH, EMPTY = 550, 551, 552, (554, 555)

_ATOM = re.compile(rb"""[^\s"'\\\x00-\x20\x7f]+""")
_WORD = re.compile(rb"""[ \t]*("((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|[^\s"']+)""", re.DOTALL)
_UNESCAPED = re.compile(rb'"(?:[^"\\]|\\.)*"(?=\S)', re.DOTALL)
"""A string that continues after its end: GNU dicod does not escape quotation marks in a word."""
_QUOTED_PAIR = re.compile(rb"\\(.)", re.DOTALL)
_BANNER = re.compile(rb"(?:<([\w.]*)>)?\s*(<[^<>\s]+>)\s*\Z")

MAX_WORDS = 64
"""The most words of a line that are parsed: replies have up to three."""


def is_atom(text: bytes) -> bool:
    """Whether a name of a database or a strategy needs no quotation marks in a command (RFC 2229 2.2, atom)."""
    return _ATOM.fullmatch(text) is not None


def quoted_word(word: bytes) -> bytes:
    """Quote a word (RFC 2229 2.2, dqstring).

    Raises:
        LocalProtocolError: It is empty, or contains a control character.
    """
    if not word or len(word.translate(None, CONTROLS)) != len(word):
        # Attack: dict://h:6379/d:x%0D%0AFLUSHALL would send a second line (RFC 1738 section 6).
        raise LocalProtocolError(f"A word is empty, or holds a control character: {sample(word)}")
    return b'"' + word.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def encode_command(verb: str, *arguments: bytes) -> bytes:
    """Encode a command line of a verb and arguments, each an atom or a quoted word.

    Raises:
        LocalProtocolError: An argument is neither, or the line is too long.
    """
    for argument in arguments:
        if not is_atom(argument) and not (argument[:1] == b'"' and quoted_word(b"".join(split_words(argument)))):
            raise LocalProtocolError(f"An argument of {verb} is neither an atom nor quoted: {sample(argument)}")
    line = b" ".join((verb.encode("ascii"), *arguments)) + b"\r\n"
    if len(line) > MAX_COMMAND_BYTES:
        raise LocalProtocolError(
            f"The command {verb} would have {len(line):,} octets: RFC 2229 2.2 allows {MAX_COMMAND_BYTES:,}."
        )
    return line


def split_words(line: bytes) -> list[bytes]:
    """The words of a line: strings without their quotation marks, and atoms unchanged.

    An unclosed mark is a character of its word, since servers do not always quote names of databases correctly.
    """
    words: list[bytes] = []
    at = 0
    while len(words) < MAX_WORDS and (found := _WORD.match(line, at)):
        string = found[2] if found[2] is not None else found[3]
        words.append(found[1] if string is None else _QUOTED_PAIR.sub(rb"\1", string))
        at = found.end()
    if rest := line[at:].strip():
        words.append(rest)
    return words


def read_pair(line: bytes) -> tuple[bytes, bytes] | None:
    """Parse a line of databases, strategies or matches: a name and the text after it; None if there is no name."""
    name, *words = split_words(line) or [b""]
    first = _WORD.match(line)
    rest = line[first.end() :].strip() if words and first else b""
    if _UNESCAPED.match(rest) and rest.endswith(b'"'):
        words = [rest[1:-1]]
    return (name, b" ".join(words).strip()) if name else None


def read_definition(text: bytes, word: bytes) -> tuple[bytes, bytes] | None:
    """Parse reply 151: the name of the database, and its description; None if it has no name.

    Args:
        word: The requested word. Servers repeat it, and not all of them escape quotation marks in it.
    """
    asked = b'"%b"' % word
    known = text[: len(asked)].lower() == asked.lower()
    words = [word, *split_words(text[len(asked) :])] if known else split_words(text)
    return (words[1], b" ".join(words[2:]).strip()) if len(words) > 1 and words[1] else None


def read_banner(text: bytes) -> tuple[tuple[str, ...], bytes]:
    """Parse reply 220: the capabilities, and the message identifier that a login needs (RFC 2229 3.1)."""
    found = _BANNER.search(text)
    if found is None:
        return (), b""
    return tuple(name for name in (found[1] or b"").decode("ascii").lower().split(".") if name), found[2]


def login(identifier: bytes, secret: bytes) -> bytes:
    """The digest that proves knowledge of the secret (RFC 2229 3.11.1)."""
    return md5(identifier + secret, usedforsecurity=False).hexdigest().encode("ascii")


class ListingLimit:
    """Counts the octets of a listing.

    Args:
        max_bytes: The most octets of all its lines.
    """

    __slots__ = ("_left", "_most")

    def __init__(self, max_bytes: int) -> None:
        self._left = self._most = max_bytes

    def count(self, data: bytes) -> bytes:
        """Count octets, and return them. Raises LimitError if there are too many in all."""
        self._left -= len(data)
        if self._left < 0:
            raise LimitError(
                f"A listing of the dictionary server has more than {self._most:,} octets: the limit allows no more.",
                limit="MAX_LISTING_BYTES",
            )
        return data
