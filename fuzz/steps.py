"""Steps: how long a dialogue computes between two asks, whatever its peer says, and wherever it begins to say it.

Rule: every verb of every scheme is rehearsed with its fake server up to some ask for octets; from there on its peer
says one block again and again, as much as is asked for. What is counted are lines of Python, not time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from anyurl.client.dry_run import DryRun
from anyurl.dialogue import Dialogue, Options, Ready, Receive, Request, Response, Verb, Wait
from anyurl.errors import AnyURLError
from anyurl.schemes import registry
from anyurl.schemes.prospero.wire.ardp_packet import Packet, encode
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.messages import WaisMessage
from anyurl.schemes.wais.wire.records import SEARCH_RESPONSE, Apdu
from anyurl.url import URL

URLS = (
    "data:,x", "dict://h/", "dict://h/d:x", "dict://h/m:x", "dict://h/d::x", "gemini://h/", "gemini://h/?x",
    "file:///a/b", "ftp://h/a/b", "ftp://h/a/;type=d", "ftps://h/a/b", "gopher://h/1x", "gopher://h/0x",
    "gopher://h/7x%09y", "gopher://h/1x%09%09+", "gopher://h/0x%09%09!", "gopher://h/1x%09%09$", "gopher://h/0x%09%09?",
    "gophers://h/1x", "http://h/a", "https://h/a", "mailto:a@b.example", "news:a.b", "news:a@b", "nntp://h/a.b/1",
    "nntp://h/a.b", "nntps://h/a.b", "prospero://h/x", "prospero://h/ARCHIE/MATCH(1,0,0,0,=)/x", "snews:a.b",
    "telnet://h/", "wais://h/db", "wais://h/db?x", "wais://h/INFO?x",
    "wais://h/db/TEXT/1%3Dx%3B", "wais://h/db/WSRC/1%3Dx%3B",
)  # fmt: skip
"""Of each scheme that has verbs, one for each way that it goes."""

BLOCKS = (
    b"\n", b"a\n", b"a", b"\0", b"\r", b"0\t\t\n", b"220-a\r\n", b"220 a\r\n", b"250-a\r\n", b".\r\n", b"1 a\r\n",
    b"+-1\r\n+INFO: 0a\tb\tc\t70\r\n", b"\xff\xf1", b"\xff\xfd\x01", b"\xff\xfa\x18\x01\xff\xf0", b"\x1b[1m",
    b"a=b;c=d; e\r\n", b"LINK L FILE a b c d e 0\n", b"ATTRIBUTE LINK APPLICATION X SEQUENCE b\n", b"'a'\n", b"a ",
    b"UNRESOLVED a/b\n", b"\x01\x00", b"\x65\x00", b"\x67\x02\x74\x00", b"D\x00\x03AB\x00\x1d",
)  # fmt: skip
"""What takes a reader long for its octets: short lines, replies, commands of telnet, records."""

LINES_OF_A_STEP = 300_000
"""Lines of Python: some 20 ms. An event loop is held for 50 ms at most, and turns between the asks of a dialogue."""

PIECES = 3
"""Times that the peer says as much as is asked for, from the moment on where it begins."""

DATAGRAM = 30_000
"""Octets of a packet of Prospero: below the largest one that is looked at."""

OPTIONS = Options(
    words="x", news_server="n.example", mail_server="m.example", mail_from="a@b.example", identity="a@b.example",
    upload_size=3,
)  # fmt: skip


class Flood:
    """A peer that says one block again and again."""

    def __init__(self, scheme: str, block: bytes) -> None:
        self._of: Callable[[bytes, int], bytes] = {"prospero": self._packet, "wais": self._message}.get(
            scheme, lambda block, at_most: (block * (at_most // len(block) + 1))[:at_most]
        )
        self._block = block
        self._count = 0

    def says(self, at_most: int) -> bytes:
        """The next octets, as many as are asked for."""
        self._count += 1
        return self._of(self._block, at_most)

    def _packet(self, block: bytes, _at_most: int) -> bytes:
        # The first packet comes last but one: it sets all of them free at once.
        number = self._count % PIECES + 1
        return encode(Packet(1, number, PIECES, 1, payload=block * (DATAGRAM // len(block))))

    def _message(self, block: bytes, at_most: int) -> bytes:
        records = block * (at_most // 2 // len(block))
        head = bytes(10)
        return WaisMessage(Apdu(SEARCH_RESPONSE, head, (), ((tags.USER_INFORMATION, records),)).octets()).octets()


def _lines(call: Callable[[], Any]) -> tuple[Any, int]:
    """What a call gives, and the lines of Python that it runs."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return call(), count
    except AnyURLError:
        return None, count
    finally:
        sys.settrace(before)


def _ended(dialogue: Dialogue, answer: Any) -> Any:
    """The next ask, or None at the end."""
    try:
        return dialogue.send(answer)
    except StopIteration:
        return None


def longest_step(url: URL, verb: Verb, moment: int, block: bytes) -> int | None:
    """The most lines between two asks of a dialogue; None where the peer has no such turn.

    Args:
        moment: Of the peer's turns, those that are the fake server's.
    """
    dialogue = registry.verb(url, verb)(url, OPTIONS)
    scheme = registry.find_scheme(url.scheme)
    peer = None if scheme.fake_server is None else scheme.fake_server(url, OPTIONS)
    rehearsal, flood = DryRun(dialogue, peer), Flood(url.scheme, block)
    turn, most, answer = 0, 0, None
    while True:
        # Who has not begun to flood is the fake server, whose lines would count as well.
        ask, count = _lines(lambda answer=answer: _ended(dialogue, answer))  # type: ignore[misc]
        most = max(most, count) if turn > moment else most
        if ask is None:
            return most if turn > moment else None
        heard = isinstance(ask, Receive | Wait | Request)
        turn += heard
        if not heard or turn <= moment:
            try:
                answer = rehearsal.answer(ask)
            except AnyURLError:
                return most if turn > moment else None
        elif turn > moment + PIECES:
            dialogue.close()
            return most
        elif isinstance(ask, Request):
            lines = (block * 2000).decode("latin-1")
            names = ("link", "content-type", "content-disposition", "location", "www-authenticate", "allow")
            answer = Response(200, "1.1", tuple((name, lines) for name in names * 8), rehearsal.answer(ask).body)
        else:
            said = flood.says(ask.at_most)
            answer = said if isinstance(ask, Receive) else Ready(said)


def cases() -> Iterator[tuple[str, Verb]]:
    """Every URL, and each verb of its scheme."""
    for text in URLS:
        for verb in registry.find_scheme(URL(text).scheme).verbs:
            yield text, verb
