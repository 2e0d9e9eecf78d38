"""An ideal news server, pure and deterministic, for dry runs and ``--explain``.

Rule: it assumes that the URL is right (every group and article in it exists) and replies as RFC 3977 says.
"""

from __future__ import annotations

HEAD = (
    b"From: Nobody <nobody@ideal.example>\r\nNewsgroups: ideal.group\r\nSubject: An ideal article\r\n"
    b"Date: Thu, 01 Dec 1994 00:00:00 GMT\r\nMessage-ID: <1@ideal.example>\r\n"
)
BODY = b"It has two lines,\r\nand a dot.\r\n"

OVERVIEW = (
    b"1\tAn ideal article\tNobody <nobody@ideal.example>\tThu, 01 Dec 1994 00:00:00 GMT\t<1@ideal.example>\t\t200"
    b"\t2\r\n"
    b"2\tRe: An ideal article\tNobody <nobody@ideal.example>\tThu, 01 Dec 1994 00:01:00 GMT\t<2@ideal.example>\t"
    b"<1@ideal.example>\t210\t2\r\n"
)

CAPABILITIES = b"VERSION 2\r\nREADER\r\nPOST\r\nOVER MSGID\r\nHDR\r\nNEWNEWS\r\nLIST ACTIVE NEWSGROUPS OVERVIEW.FMT\r\n"

_BLOCKS: dict[bytes, tuple[bytes, bytes]] = {
    b"CAPABILITIES": (b"101 Capability list follows", CAPABILITIES),
    b"ARTICLE": (b"220 1 <1@ideal.example>", HEAD + b"\r\n" + BODY),
    b"HEAD": (b"221 1 <1@ideal.example>", HEAD),
    b"HDR": (b"225 Headers follow", b"1 200\r\n"),
    b"OVER": (b"224 Overview follows", OVERVIEW),
    b"LIST ACTIVE": (b"215 Groups follow", b"ideal.group 2 1 y\r\n"),
    b"LIST NEWSGROUPS": (b"215 Descriptions follow", b"ideal.group\tAn ideal group\r\n"),
    b"NEWNEWS": (b"230 New articles follow", b"<1@ideal.example>\r\n"),
}
_LINES = {
    b"MODE": b"200 Posting allowed",
    b"POST": b"340 Send the article",
    b"QUIT": b"205 Goodbye",
}


class FakeNewsServer:
    """The fake server (`anyurl.dialogue.FakeServer`) of any news URL."""

    __slots__ = ("_asked", "_posting")

    def __init__(self) -> None:
        self._asked = b""
        self._posting = False

    def connected(self, link: int) -> bytes:
        """Its greeting."""
        self._asked, self._posting = b"", False
        return b"200 Ideal news server, posting allowed\r\n"

    def received(self, link: int, data: bytes) -> bytes:
        """The replies to the commands in these octets."""
        self._asked += data
        out: list[bytes] = []
        while True:
            if self._posting:
                # An empty article begins with the lone dot.
                whole = b"\r\n" + self._asked
                end = whole.find(b"\r\n.\r\n")
                if end < 0:
                    return b"".join(out)
                self._asked = whole[end + 5 :]
                self._posting = False
                out.append(b"240 Article received <3@ideal.example>\r\n")
            line, end_mark, rest = self._asked.partition(b"\r\n")
            if not end_mark:
                return b"".join(out)
            self._asked = rest
            out.append(self._answer(line))

    def _answer(self, line: bytes) -> bytes:
        words = line.split()
        verb = words[0] if words else b""
        if verb == b"GROUP" and len(words) == 2:
            return b"211 2 1 2 " + words[1] + b"\r\n"
        block = _BLOCKS.get(verb) or _BLOCKS.get(b" ".join(words[:2]))
        if block is not None:
            return block[0] + b"\r\n" + block[1] + b".\r\n"
        self._posting = verb == b"POST"
        return _LINES.get(verb, b"500 What?") + b"\r\n"
