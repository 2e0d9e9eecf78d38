"""Column W: wais (RFC 4156, RFC 1625): messages with a length, records in them, documents in pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.fields import num
from anyurl.schemes.wais.wire.messages import INIT, INIT_RESPONSE, Apdu, MessageReader, WaisMessage, read_message
from anyurl.schemes.wais.wire.queries import read_terms
from anyurl.schemes.wais.wire.records import Diagnosis, Hit, Record, hit, search_response, text_record
from tests.evil.cell import Cell, Column
from tests.evil.common import add_connection
from tests.evil.naming import add_names
from tests.evil.outcomes import DENY, LIMIT, OK, PROTO, TIMEOUT, TRUNC
from tests.evil.player import Link, Step, hold, mark, reset, send, send_forever, send_slow
from tests.evil.rig import Got, Rig
from tests.evil.saving import add_saving
from tests.evil.terminal import add_terminal

ID = b"\1\1x"
DOCUMENT = "/db/TEXT/1=x;"
"""A text whose length the URL does not tell: a short piece is its end."""

SEARCH = "/db?words"
GOOD = b"something good\n"


def read_request(link: Link) -> Apdu:
    """One request; nothing is left of it when the client has gone."""
    head = link.take(25)
    (message,) = MessageReader().feed(head + link.take(int(head[:10]))) if len(head) == 25 else (WaisMessage(b""),)
    return read_message(message) or Apdu(0)


def asked(link: Link) -> None:
    """Read one request."""
    read_request(link)


def reply(*records: Record) -> bytes:
    """A message with these records."""
    return _message(search_response(records, status=1))


def _message(apdu: Apdu) -> bytes:
    return WaisMessage(apdu.octets()).octets()


def text(data: bytes) -> list[Step]:
    """The script of a server that sends a text in one piece, and then says that it ends there."""
    return [asked, send(reply(text_record(ID, data)))]


def menu(names: Sequence[bytes]) -> list[Step]:
    """The script of a server whose hits have these headlines."""
    hits = [
        hit(ID, score=9, length=1, lines=1, types=[b"TEXT"], source=b"s", date=b"0", headline=name, best_match=None)
        for name in names
    ]
    return [asked, send(reply(*hits))]


def endless(link: Link) -> None:
    """A document of which there is always more."""
    while True:
        request = read_request(link)
        if request.pdu == INIT:
            answer = WaisMessage(Apdu(INIT_RESPONSE, b"\1", ((tags.MAXIMUM_SIZE, num(100_000)),)).octets()).octets()
        elif request.pdu == 0:
            return
        else:
            (terms,) = read_terms(request.block(tags.QUERY) or b"")
            answer = reply(text_record(ID, bytes((terms.end or 0) - (terms.start or 0))))
        link.send(answer)


COLUMN = Column(
    "W",
    "wais",
    good=text(GOOD),
    path=DOCUMENT,
    content=GOOD,
    half=[asked, send(reply(text_record(ID, GOOD))[:40]), mark("body")],
    stream=[endless],
)

add_connection(COLUMN, greeting=b"0000000100z2wais        0", before=[asked])
add_saving(COLUMN)
add_names(COLUMN, menu, SEARCH, words={"E6": OK})
add_terminal(COLUMN, text, DOCUMENT, menu, SEARCH)

WSRC = "/db/WSRC/1=x;"


def source(host: bytes, port: int) -> bytes:
    """A source description that leads there."""
    return b'(:source :ip-name "%s" :tcp-port %d :database-name "db")' % (host, port)


def _follows(host: bytes, port: int) -> Callable[[Rig], Got]:
    """A source description that leads to another place, and that place followed as what its server named."""

    def run(rig: Rig) -> Got:
        other = rig.enter(rig.column.player([]))
        rig.network.names["inside.test"] = ["10.0.0.7"]
        rig.serve(text(source(host, port)))
        (entry,) = rig.fetch(WSRC, "list").entries
        got = rig.fetch(str(entry.url))
        assert other.hits == 0
        return got

    return run


def _is_sent_as_data(rig: Rig) -> Got:
    server = rig.serve(menu([b"found"]))
    got = rig.fetch("/db?a%0D%0A%00b")
    assert b"\x6a\x05a\r\n\0b" in b"".join(map(bytes, server.received))
    return got


def _has(name: str) -> Any:
    return lambda got: got.names == [name]


_TEXT = reply(text_record(ID, GOOD))
_CLAIMS = b"%sz2wais        0"
_HEAD = b"0000000020z2wais        0\0\x0b\x17" + bytes(10)

COLUMN.add(
    Cell("A5", TRUNC, [asked, send(_TEXT[:40]), reset()]),
    Cell("A9", TIMEOUT, [asked, send_slow(_TEXT, 0.05), hold()], limits={"total": 0.5}),
    Cell("A9 idle", TIMEOUT, [asked, send(_TEXT[:40]), hold()]),
    Cell("A12 mail", PROTO, [send(b"220 mail.test ESMTP\r\n"), hold(0.2)]),
    Cell("A12 http", PROTO, [asked, send(b"HTTP/1.1 400 Bad Request\r\nServer: x\r\n\r\n")]),
    Cell("A12 a dump", PROTO, [asked, send(bytes(100))]),
    Cell("B2", LIMIT, [asked, send_forever(b"9" * 65536)], stream=True),
    Cell("B2 records", LIMIT, [asked, send(reply(*[Diagnosis("S1")] * 10_001))], url=SEARCH),
    Cell("B2 fields", LIMIT, [asked, send(reply(Hit(((124, b""),) * 10_001)))], url=SEARCH),
    Cell("B4", OK, text(b"a\0b"), holds=lambda got: got.data == b"a\0b"),
    Cell("B5 in a text", OK, text(b"\xff\xfe"), holds=lambda got: got.data == b"\xff\xfe"),
    Cell("B5 in a name", OK, menu([b"caf\xe9"]), url=SEARCH, verb="list", holds=_has("caf\udce9")),
    Cell("B8", PROTO, [asked, send(bytes(range(256)) * 40)]),
    Cell("B8 in a message", PROTO, [asked, send(WaisMessage(bytes(range(256))).octets())]),
    Cell("B8 in records", PROTO, [asked, send(_HEAD + b"\x63\x05\x81\x16\x70ab")]),
    Cell("B8 in a hit", PROTO, [asked, send(_HEAD + b"\x63\x06\x81\x16\x03\x74\x05a")]),
    Cell("B9 of an Init", PROTO, [asked, send(WaisMessage(Apdu(INIT_RESPONSE, b"\1").octets()).octets())]),
    Cell("B9 unknown", PROTO, [asked, send(WaisMessage(Apdu(99, b"x").octets()).octets())]),
    Cell("B9 letters", PROTO, [asked, send(_CLAIMS % b"abcdefghij")]),
    Cell("B10 another document", PROTO, [asked, send(reply(text_record(b"\1\1y", GOOD)))]),
    Cell("B10 two replies", PROTO, [asked, send(_TEXT * 2)]),
    Cell("B10 another reference", PROTO,
         [asked, send(_message(search_response([text_record(ID, GOOD)], status=0, reference=b"7")))]),
    Cell("B16", LIMIT, text(b"(:source :a " + b"(" * 1_000 + b")" * 1_001), url=WSRC, verb="list"),
    Cell("C1", TRUNC, [asked, send(_TEXT[:-1])]),
    Cell("C1 a document", TRUNC, [asked, send(_TEXT), asked, send(reply(text_record(ID, b"")))],
         url="/db/TEXT/100/1=x;"),
    Cell("C2", PROTO, [asked, send(_TEXT + b"x")]),
    Cell("C2 a text", PROTO, [asked, send(reply(text_record(ID, bytes(11))))], url="/db/TEXT/10/1=x;"),
    *(Cell(f"C6 {what}", PROTO, [asked, send(_CLAIMS % digits)]) for what, digits in
      (("a sign", b"-000000001"), ("letters", b"00000000xx"), ("a point", b"1.00000000"))),
    Cell("C9", LIMIT, COLUMN.stream, limits={"max_bytes": 50_000_000}, stream=True),
    Cell("C11", OK, [asked, send_slow(reply(text_record(ID, b"x" * 200)), 0.0005)],
         holds=lambda got: got.size == 200),
    Cell("G3 inside", DENY, run=_follows(b"inside.test", 210)),
    Cell("G3 this machine", DENY, run=_follows(b"127.0.0.1", 210)),
    Cell("G3 a service", DENY, run=_follows(b"evil.test", 25)),
    Cell("G3 the server is sent there", DENY, url="/db%40inside.test:210?words"),
    Cell("G10", OK, run=_is_sent_as_data),
)  # fmt: skip
