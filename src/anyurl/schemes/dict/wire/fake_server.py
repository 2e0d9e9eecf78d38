"""An ideal dictionary server, pure and deterministic, for dry runs and ``--explain``.

Rule: it assumes that the URL is right (every word and database in it exists) and replies as RFC 2229 says.
"""

from __future__ import annotations

from anyurl.schemes.dict.wire.commands import quoted_word, split_words

DATABASE = b"ideal"
TEXT = b"A word that every dictionary has.\r\n..\r\n"

_BLOCKS: dict[bytes, tuple[bytes, bytes]] = {
    b"SHOW DB": (b"110 1 databases present", b'ideal "An ideal dictionary"\r\n'),
    b"SHOW STRAT": (b"111 2 strategies present", b'exact "Match words exactly"\r\nprefix "Match prefixes"\r\n'),
    b"SHOW INFO": (b"112 database information follows", b"An ideal dictionary has every word.\r\n"),
    b"SHOW SERVER": (b"114 server information follows", b"An ideal server.\r\n"),
}
_LINES = {b"CLIENT": b"250 ok", b"AUTH": b"230 Authentication successful", b"QUIT": b"221 bye"}


class FakeDictServer:
    """The fake server (`anyurl.dialogue.FakeServer`) of any dict URL."""

    __slots__ = ("_asked",)

    def __init__(self) -> None:
        self._asked = b""

    def connected(self, link: int) -> bytes:
        """The greeting."""
        self._asked = b""
        return b"220 ideal.example <auth.mime> <1.1@ideal.example>\r\n"

    def received(self, link: int, data: bytes) -> bytes:
        """The replies to the commands in these octets."""
        *lines, self._asked = (self._asked + data).split(b"\r\n")
        return b"".join(_answer(line) for line in lines)


def _answer(line: bytes) -> bytes:
    words = split_words(line)
    verb = words[0] if words else b""
    block = _BLOCKS.get(b" ".join(words[:2]))
    if block is not None:
        return block[0] + b"\r\n" + block[1] + b".\r\n250 ok\r\n"
    if verb == b"DEFINE" and len(words) == 3:
        database = DATABASE if words[1] in b"!*" else words[1]
        head = b"151 " + quoted_word(words[2]) + b" " + database + b' "An ideal dictionary"\r\n'
        return b"150 1 definitions retrieved\r\n" + head + TEXT + b".\r\n250 ok\r\n"
    if verb == b"MATCH" and len(words) == 4:
        database = DATABASE if words[1] in b"!*" else words[1]
        return b"152 1 matches found\r\n" + database + b" " + quoted_word(words[3]) + b"\r\n.\r\n250 ok\r\n"
    return _LINES.get(verb, b"500 What?") + b"\r\n"
