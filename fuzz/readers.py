"""Every reader of what a stranger wrote, the small blocks that its input can be full of, and how much work it does.

Rule: a reader takes octets, as many as there are, and returns or raises an error of the tree. Its work is counted, not
timed: lines of Python that run, and octets that are allocated on the way (a copy of the rest for each block is
quadratic though it is one line).
"""

from __future__ import annotations

import os
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import click

from anyurl import dates
from anyurl.cli.config import understood
from anyurl.client.secrets import netrc_secret
from anyurl.dialogue import Channel, Connect, Options, Receive, Relay, Response, Verb
from anyurl.dialogue.challenges import read_challenges
from anyurl.errors import AnyURLError
from anyurl.grammar import GRAMMARS, diagnose, explain, repair
from anyurl.guard.limits import Limits
from anyurl.net.http.coding import ContentDecoder
from anyurl.net.http.head import read_head
from anyurl.schemes import registry
from anyurl.schemes.dict.session import ListingLines
from anyurl.schemes.dict.wire import commands as dict_wire
from anyurl.schemes.ftp.wire import commands as ftp
from anyurl.schemes.ftp.wire.listing import ListingReader
from anyurl.schemes.gemini.wire import messages as gemini
from anyurl.schemes.gemini.wire.gemtext import GemtextReader
from anyurl.schemes.gopher import plus as gopher_plus
from anyurl.schemes.gopher.wire import menus as gopher
from anyurl.schemes.gopher.wire import plus as gopherplus
from anyurl.schemes.gopher.wire.plus import AttributeReader
from anyurl.schemes.http import answers as http_answers
from anyurl.schemes.http import fields as http_fields
from anyurl.schemes.http.wire.cookies import read_set_cookie
from anyurl.schemes.kit.blocks import BlockReader
from anyurl.schemes.kit.media import parameters
from anyurl.schemes.kit.replies import ReplyReader
from anyurl.schemes.mailto.wire import smtp
from anyurl.schemes.mailto.wire.address import read_address
from anyurl.schemes.mailto.wire.message import Message, write_draft
from anyurl.schemes.news.wire import commands as nntp
from anyurl.schemes.news.wire.article import Article
from anyurl.schemes.news.wire.deflate import Deflate
from anyurl.schemes.news.wire.headers import decode_field
from anyurl.schemes.news.wire.headers import read_head as read_article_head
from anyurl.schemes.news.wire.lists import GroupListReader as NewsListingReader
from anyurl.schemes.news.wire.lists import Wildmat, read_active, read_capabilities, read_overview
from anyurl.schemes.prospero.answers import DirectoryReply
from anyurl.schemes.prospero.items import Facts, entry
from anyurl.schemes.prospero.wire.ardp import Call
from anyurl.schemes.prospero.wire.messages import read_reply, read_request
from anyurl.schemes.telnet.wire.keys import Keyboard
from anyurl.schemes.telnet.wire.screen import Screen
from anyurl.schemes.telnet.wire.stream import TelnetCodec
from anyurl.schemes.wais.documents import source_facts
from anyurl.schemes.wais.wire import fields as wais_fields
from anyurl.schemes.wais.wire import messages as wais
from anyurl.schemes.wais.wire import queries as wais_queries
from anyurl.schemes.wais.wire import records as wais_records
from anyurl.schemes.wais.wire.source import read_source
from anyurl.text import find, unwrap
from anyurl.url import URL
from fuzz import kit

PIECE = 1460
"""Octets of one piece: what a packet of a network brings."""

OCTETS_OF_A_LINE = 32
"""Allocated octets that count as one line of Python: so many are copied in the time that a line takes."""

MOST = 4.5
"""Times the work that four times the input may cost."""

OCTETS = 800
"""Of repeated blocks at first; then four times as many, and sixteen times where that is steep."""

SLOW = {"grammars": 100, "explanation": 25, "repairs": 25}
"""A reader that does much for each octet gets fewer."""

SMALL = 2_000
"""Work that is not looked at: what every call costs, and tables that are made once."""

Read = Callable[[bytes], Any]


# --- counting --------------------------------------------------------------------------------------------------------


def work(action: Callable[[], Any]) -> int:
    """Lines of Python that an action runs, and octets that it allocates, in lines; nearly the same on each run."""
    lines = octets = 0
    traced = tracemalloc.get_traced_memory
    current = 0

    def count(_frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal lines, octets, current
        lines += 1
        now, peak = traced()
        octets += peak - current
        tracemalloc.reset_peak()
        current = now
        return count

    before = sys.gettrace()
    tracemalloc.start()
    try:
        current = traced()[0]
        tracemalloc.reset_peak()
        sys.settrace(count)
        try:
            _quietly(action)
        finally:
            sys.settrace(before)
            octets += traced()[1] - current
    finally:
        tracemalloc.stop()
    return lines + octets // OCTETS_OF_A_LINE


def _quietly(action: Callable[[], Any]) -> None:
    try:
        action()
    except (AnyURLError, click.UsageError):
        pass


def growth(read: Read, few: bytes, many: bytes) -> tuple[int, int]:
    """The work of reading each of two inputs, after both were read once, so that nothing is loaded or learned."""
    for data in (few, many, few):
        _quietly(lambda data=data: read(data))  # type: ignore[misc]
    return work(lambda: read(few)), work(lambda: read(many))


def check_growth(name: str, read: Read, repeated: Callable[[int], bytes], count: int) -> None:
    """Raise a `Finding` when four times as many blocks cost more than `MOST` times the work, and so once more.

    Args:
        repeated: Makes an input of so many blocks.
    """
    # Where it begins to matter (one piece or two, a buffer that fills) a step is steep: what is quadratic stays so.
    for blocks in (count, 4 * count):
        few, many = growth(read, repeated(blocks), repeated(4 * blocks))
        if many <= max(SMALL, MOST * few):
            return
    raise kit.Finding(f"{name}: {blocks} blocks cost {few:,}, and {4 * blocks} cost {many:,}: {repeated(2)[:200]!r}")


# --- the readers -----------------------------------------------------------------------------------------------------


def pieces_of(data: bytes) -> Iterator[bytes]:
    """The octets as a network brings them."""
    return (data[at : at + PIECE] for at in range(0, len(data), PIECE))


def _fed(reader: Any, data: bytes) -> list[Any]:
    out: list[Any] = []
    for piece in pieces_of(data):
        out += reader.feed(piece)
    if hasattr(reader, "finish"):
        out += reader.finish() or ()
    return out


def _replies(reader: Any, data: bytes) -> list[Any]:
    found = []
    for piece in pieces_of(data):
        reader.feed(piece)
        while (reply := reader.next_reply()) is not None:
            found.append(reply)
    return found


def _dialogue(steps: Any, data: bytes) -> None:
    """Drive a dialogue whose peer says these octets on every connection."""
    inbox: dict[int, list[bytes]] = {}
    answer: Any = None
    try:
        while True:
            ask = steps.send(answer)
            answer = None
            if isinstance(ask, Connect):
                answer = Channel(("192.0.2.1", 70))
                inbox[id(answer)] = list(pieces_of(data))[::-1]
            elif isinstance(ask, Receive):
                left = inbox[id(ask.channel)]
                answer = left.pop() if left else b""
            elif isinstance(ask, Relay):
                answer = sum(map(len, inbox[id(ask.channel)]))
                inbox[id(ask.channel)].clear()
    except StopIteration:
        pass


def _gopher(url: str, verb: Verb) -> Read:
    parsed = URL(url)
    begin = registry.verb(parsed, verb)
    return lambda data: _dialogue(begin(parsed, Options()), data)


def _attributes(data: bytes) -> None:
    blocks = _fed(AttributeReader(dotted=False), data)
    gopher_plus.facts_of(blocks)
    gopher_plus.questions_in(blocks)
    answers = [question.default for question in gopherplus.asked(gopher_plus.questions_in(blocks))]
    gopherplus.check_lines(gopher_plus.questions_in(blocks), [answer.encode() for answer in answers])


def _prospero(data: bytes) -> None:
    answer = DirectoryReply()
    answer.feed(read_reply(data))
    for found in answer.links:
        for of_match in (False, True):
            entry(found, of_match=of_match)
    Facts(answer.attributes, b"h(1525)", b"x").plain()


def _news(data: bytes) -> None:
    lines = _fed(NewsListingReader(), data)
    for line in lines:
        read_overview(line)
        read_active(line)
    read_capabilities(lines)


def _block(reader: BlockReader, first: bytes, data: bytes) -> None:
    reader.feed(first)
    reply = reader.next_reply()
    assert reply is not None
    reader.begin_block(reply)
    for piece in pieces_of(data):
        reader.feed(piece)
        reader.block()


def _dict_listing(data: bytes) -> None:
    lines = ListingLines()
    for piece in pieces_of(data):
        lines.feed(piece)


def _gemini_reply(data: bytes) -> None:
    gemini.read_media_type(gemini.read_reply(data).meta)


def _gemtext(data: bytes) -> None:
    links = GemtextReader()
    for piece in pieces_of(data):
        links.feed(piece)
    links.finish()


def _scheme_url(scheme: str, data: bytes) -> None:
    URL(f"{scheme}:{data.decode('latin-1')}").parts  # noqa: B018


def _article(data: bytes) -> None:
    article = Article(data)
    article.parts()
    article.text  # noqa: B018


def _wais_body(data: bytes) -> None:
    apdu = wais.read_message(wais.WaisMessage(data))
    if apdu is not None:
        wais_records.read_answer(apdu)


def _wais_records(data: bytes) -> None:
    for record in wais_records.read_records(wais_fields.write_field(106, data)):
        if isinstance(record, wais_records.Hit):
            record.octets()


def _head(data: bytes) -> Any:
    response = read_head(data.splitlines(keepends=True), Channel(None), Limits())
    http_answers.attributes(response)
    http_fields.content_length(response)
    response.may_be_coded = True  # this depends on which fields were read before
    return response


def _field(data: bytes) -> None:
    text = data.decode("latin-1")
    for read in (dates.parse_date, http_fields.media_type, http_fields.disposition_name):
        read.__wrapped__(text) if hasattr(read, "__wrapped__") else read(text)
    parameters(text)
    http_fields.content_range(text)
    read_challenges([text])
    try:
        http_answers.redirection(URL("http://h/"), Response(302, "1.1", (("location", text),), Channel()))
    except AnyURLError:
        pass


_folder = tempfile.TemporaryDirectory(prefix="anyurl-readers-")


def _netrc(data: bytes) -> None:
    path = os.path.join(_folder.name, "netrc")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
    netrc_secret("host.example", "user", path=path)


def _found(format: str | None) -> Read:
    return lambda data: [None for _ in find(pieces_of(data), format=format, emails=True, www=True)]  # type: ignore[arg-type]


def _grammars(data: bytes) -> None:
    text = data.decode("latin-1")
    for grammar in GRAMMARS:
        diagnose(text, grammar)


def _url(data: bytes) -> None:
    url = URL(data.decode("latin-1"))
    url.normalize()
    url.parts  # noqa: B018


def _call(data: bytes) -> None:
    call = Call(0x0101, b"VERSION\n", 0.0)
    call.due(0.0)
    for number, piece in enumerate(pieces_of(data)):
        call.feed(piece, number / 100)
        call.take()
        call.due(number / 100)


def _decoded(data: bytes) -> None:
    decoder = ContentDecoder(("gzip",), max_ratio=200, free=1 << 16)
    for piece in pieces_of(data):
        decoder.decode(piece, 4096)
        while decoder.has_rest:
            decoder.decode(b"", 4096)


def _deflated(data: bytes) -> None:
    stream = Deflate()
    for piece in pieces_of(data):
        stream.feed(piece)
        while stream.has_more and stream.decode(4096):
            pass


READERS: dict[str, tuple[str, Read]] = {
    "ardp": ("ardp", _call),
    "coding": ("coding", _decoded),
    "config": ("config", lambda data: understood(data, "config.toml")),
    "data": ("data_url", lambda data: _scheme_url("data", data)),
    "dict listing": ("dict_reply", _dict_listing),
    "dict replies": ("dict_reply", lambda data: _block(BlockReader(dict_wire.REPLIES), b"152 0\r\n", data)),
    "dict words": ("dict_reply", lambda data: (dict_wire.split_words(data), dict_wire.read_banner(data))),
    "gemini reply": ("gemini_reply", _gemini_reply),
    "gemini links": ("gemini_reply", _gemtext),
    "explanation": ("grammar", lambda data: explain(data.decode("latin-1"))),
    "find": ("find", _found(None)),
    "find html": ("html", _found("html")),
    "find in iso-2022-jp": ("charset", lambda data: list(find(data, encoding="iso2022_jp"))),
    "find mail": ("find", _found("mail")),
    "find markdown": ("find", _found("markdown")),
    "find har": ("find", _found("har")),
    "find office": ("find", _found("office")),
    "find po": ("find", _found("po")),
    "find rst": ("find", _found("rst")),
    "ftp list": ("ftp_list", lambda data: _fed(ListingReader("list", now=0.0), data)),
    "ftp mlsd": ("ftp_list", lambda data: _fed(ListingReader("mlsd", now=0.0), data)),
    "ftp replies": ("ftp_reply", lambda data: [str(reply) for reply in _replies(ReplyReader(ftp.REPLIES), data)]),
    "gopher menu": ("gopher_menu", lambda data: _fed(gopher.MenuReader(), data)),
    "gopher text": ("gopher_menu", lambda data: _fed(gopher.TextReader(), data)),
    "gopher+ attributes": ("gopher_plus", _attributes),
    "gopher+ item": ("gopher_plus", _gopher("gopher://h/0x%09%09!", "stat")),
    "gopher+ menu": ("gopher_plus", _gopher("gopher://h/1x%09%09$", "list")),
    "gopher+ form": ("gopher_plus", _gopher("gopher://h/0x%09%09?", "get")),
    "gopher get": ("gopher_menu", _gopher("gopher://h/1x", "list")),
    "grammars": ("grammar", _grammars),
    "http field": ("http_head", _field),
    "http head": ("http_head", _head),
    "http cookie": ("http_cookie", lambda data: read_set_cookie(data.decode("utf-8", "surrogateescape"))),
    "http login": ("http_login", lambda data: read_challenges(data.decode("latin-1").split("\n"))),
    "mail address": ("mailto", lambda data: read_address(data.decode("latin-1"))),
    "mail message": ("mail_message", lambda data: Message(data).encode(["Date: x"])),
    "mail draft": ("mail_message", lambda data: write_draft(["Subject: x"], data.decode("latin-1"))),
    "mail lines": ("mail_message", lambda data: smtp.stuffed(smtp.network_lines(data))),
    "netrc": ("netrc", _netrc),
    "news article": ("nntp_article", _article),
    "news block": ("nntp_replies", lambda data: _block(nntp.NewsReplyReader(), b"220 0 <a@b>\r\n", data)),
    "news field": ("nntp_article", decode_field),
    "news head": ("nntp_article", read_article_head),
    "news listing": ("nntp_lists", _news),
    "news deflate": ("nntp_deflate", _deflated),
    "news wildmat": ("nntp_lists", lambda data: Wildmat(data.decode("latin-1")).matches("a" * 50)),
    "prospero reply": ("prospero", _prospero),
    "prospero request": ("prospero", read_request),
    "repairs": ("grammar", lambda data: repair(data.decode("latin-1"), True)),
    "smtp replies": (
        "smtp_reply",
        lambda data: [smtp.features_of(reply) for reply in _replies(ReplyReader(smtp.REPLIES), data)],
    ),
    "telnet": ("telnet", lambda data: [TelnetCodec("xterm", 80, 24).receive(piece) for piece in [data]]),
    "telnet keys": ("telnet", lambda data: Keyboard(TelnetCodec()).typed(data)),
    "telnet screen": ("telnet_screen", lambda data: [Screen().show(data)]),
    "unwrap": ("find", lambda data: unwrap(data.decode("latin-1"))),
    "url": ("url", _url),
    "wais armour": ("wais_message", wais.unarmour),
    "wais body": ("wais_message", _wais_body),
    "wais messages": ("wais_message", lambda data: _fed(wais.MessageReader(), data)),
    "wais records": ("wais_message", _wais_records),
    "wais source": ("wais_source", lambda data: source_facts(read_source(data))),
    "wais terms": ("wais_message", wais_queries.read_terms),
    "wais words": ("wais_message", wais_queries.read_word_query),
}
"""Each reader, and the folder of seeds that are for it."""

BLOCKS = (
    b"a", b" ", b"\n", b"a ", b" a\n", b"a: b\r\n", b".\r\n", b"'", b'"', b"<", b"(", b"[", b"{", b"a.", b"a=b\n", b";",
    b"a=b;",
    b"%41", b"\\", b"/", b"@", b"&amp;", b"<a>", b"<!--", b"<URL:", b"http://a ", b"=?a?q?b?= ", b"begin 644 a\n",
    b"--a\n",
    b"+ASK:\r\n Ask: a\r\n", b"+INFO: 0a\tb\tc\t70\r\n", b"\xff", b"\xff\xfd\x01", b"\x1b[1m", b"220-a\r\n", b"*a",
    b"machine a\n",
    b"> ", b"`", b"[a](", b"\0", b"LINK a b c d e f 0\n", b"ATTRIBUTE LINK APPLICATION X SEQUENCE b\n", b"\x01\x01a",
    b"[a]\n",
)  # fmt: skip
"""What any text may be full of: a letter, what begins something that does not end, the line of each format."""

FOLDED = (b" b\r\n", b"\tb\n", b"a")
"""What may be repeated behind the first line of a message: the rest of a field, or of a word."""


def cases(name: str, seeds: int = 2, lines: int = 3) -> Iterator[tuple[bytes, bytes, bytes]]:
    """What stands before, what is repeated, and what stands behind: `BLOCKS`, and the lines of seeds in their place."""
    for block in BLOCKS:
        yield b"", block, b""
    for seed in kit.seeds(READERS[name][0])[:seeds]:
        rows = seed[:600].splitlines(keepends=True)[:lines] or [b""]
        for number, row in enumerate(rows):
            if row:
                yield b"".join(rows[:number]), row, b"".join(rows[number + 1 :])
        for block in FOLDED:
            yield rows[0], block, b"".join(rows[1:])
