"""Column N: news, nntp and their TLS forms (RFC 3977, RFC 4642, RFC 4643, RFC 5538, RFC 8054)."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

from anyurl import Client, Policy
from anyurl.client.article import Article
from anyurl.net.wire.tls import TLSConfig
from anyurl.saving.save import safe_name
from tests.evil.cell import Cell, Column
from tests.evil.certificates import certificates
from tests.evil.common import add_connection, add_tls
from tests.evil.naming import add_names
from tests.evil.news_session import HEAD, Session, block, overview
from tests.evil.outcomes import AUTH, DENY, LIMIT, LOST, OK, PROTO, REPLY, TIMEOUT, TRUNC
from tests.evil.player import Link, close, expect, expect_no_more, hold, mark, reset, send, send_forever, send_slow, tls
from tests.evil.rig import EVIL, Got, Rig
from tests.evil.saving import add_saving
from tests.evil.terminal import add_terminal

CONTENT = HEAD + b"\r\nsomething good\r\n"
FOUND = b"220 1 <1@evil.test>"
LONG = b"x" * 65536
LINES = b"x" * 998 + b"\r\n"


def article(octets: bytes) -> Session:
    """A server that sends an article, whose dots are as they stand."""
    return Session(block(FOUND, octets))


def text(octets: bytes) -> Session:
    """A server that sends an article with this body."""
    return article(HEAD + b"\r\n" + octets + b"\r\n")


def listed(names: Sequence[bytes]) -> Session:
    """A server whose group has articles with these subjects."""
    return Session(overview=overview(names), group=b"211 9 1 9 a.b")


def at(verb: bytes, *steps: Any) -> Session:
    """A server as it should be, but for these steps at a command."""
    return Session(block(FOUND, CONTENT), replies={verb: steps})


def _greets(*steps: Any) -> Session:
    return Session(block(FOUND, CONTENT), greeting=steps)


COLUMN = Column(
    "N",
    "nntp",
    good=article(CONTENT),
    path="/a.b/1",
    content=CONTENT,
    half=[Session([send(FOUND + b"\r\n" + HEAD + b"\r\nsomething"), mark("body")])],
    stream=Session([send(FOUND + b"\r\n" + HEAD + b"\r\n"), send_forever(LINES * 64)]),
)

add_connection(COLUMN, greeting=b"200 ready, and slow\r\n")
add_tls(COLUMN, "nntps", "/a.b/1")
add_tls(
    COLUMN, "nntps", "/a.b/1", port=119, what="after STARTTLS",
    before=[send(b"200 ready\r\n"), expect(b"^CAPABILITIES"), send(b"101\r\nREADER\r\nSTARTTLS\r\n.\r\n"),
            expect(b"^STARTTLS\r\n$"), send(b"382 go on\r\n")],
)  # fmt: skip
add_saving(COLUMN)
add_names(
    COLUMN, listed, "/a.b", twice=False,
    # A subject is a text: its names are those of articles, and an article is saved under its subject (below).
    words={"E1": None, "E5 escape": None, "E5 return": None, "E5 bell": None, "E6": OK},
)  # fmt: skip
add_terminal(COLUMN, text, "/a.b/1", listed, "/a.b")


def _named(subject: bytes, name: str) -> Any:
    """An article with this subject proposes this name."""

    def run(rig: Rig) -> Got:
        rig.serve(article(b"Subject: " + subject + b"\r\n\r\nx\r\n"))
        got = rig.fetch()
        assert safe_name(got.resource.name) == name, got.resource.name
        return got

    return run


def _stale(rig: Rig) -> Got:
    """A reply that nobody asked for ends the session: it is not taken for the answer to the next command."""
    rig.serve(at(b"GROUP", send(b"211 9 1 9 a.b\r\n220 1 <forged@evil.test>\r\n")))
    got = rig.fetch()
    assert rig.servers[0].hits == 1
    return got


def _before_tls(rig: Rig) -> Got:
    """CVE-2011-0411: what was said in clear must not pass as said over TLS."""
    said = [send(b"200 ready\r\n"), expect(b"^CAPABILITIES"), send(b"101\r\nREADER\r\nSTARTTLS\r\n.\r\n")]
    rig.serve([*said, expect(b"^STARTTLS"), send(b"382 go on\r\n101 and more\r\n"), expect_no_more()], port=119)
    return rig.fetch(f"nntps://{EVIL}:119/a.b/1")


def _smuggled(rig: Rig) -> Got:
    """An article that holds LF, dot, LF and a reply is an article, and the next one is the next one."""
    inside = b"a\n.\n220 2 <forged@evil.test>\nb\r\n"
    first, second = HEAD + b"\r\n" + inside, CONTENT
    answers = iter((first, second))
    rig.serve(Session(lambda link: link.run(block(FOUND, next(answers))), lasting=True))
    assert rig.fetch().data == first
    got = rig.fetch()
    assert got.data == second, got
    assert rig.servers[0].hits == 1
    rig.renew()
    return got


def _one_session(rig: Rig) -> Got:
    """A session serves its server, and with TLS no other than one with TLS; its group is not taken for another."""
    server = rig.serve(Session(block(FOUND, CONTENT), lasting=True))
    for path, groups in (("/a.b/1", 1), ("/a.b/1", 1), ("/c.d/1", 2)):
        got = rig.fetch(path)
        assert got.data == CONTENT, got
        assert bytes(server.received[0]).count(b"GROUP ") == groups
    assert server.hits == 1
    with Client(Policy.untrusted(), network=rig.network) as other:
        assert other.get(rig.column.url(EVIL)).read() == CONTENT
    assert server.hits == 2
    rig.renew()
    return got


def _compressed(*steps: Any) -> Session:
    """A server that compresses the overview of many articles."""
    caps = b"READER\r\nOVER\r\nCOMPRESS DEFLATE\r\n"
    return Session(capabilities=caps, group=b"211 900 1 900 a.b", replies={
        b"COMPRESS": [send(b"206 from here on\r\n"), *steps]})  # fmt: skip


def _bomb(link: Link) -> None:
    stream = zlib.compressobj(9, wbits=-15)
    link.send(stream.compress(b"224 lines\r\n") + stream.flush(zlib.Z_SYNC_FLUSH))
    chunk = stream.compress(LINES * 4096) + stream.flush(zlib.Z_SYNC_FLUSH)
    send_forever(chunk, cap=2**24)(link)


def _unpacked(rig: Rig) -> Got:
    """Files in an article stay as they are, until somebody asks; and then no more comes out than went in."""
    bomb = b"=ybegin line=128 size=99999999999 name=x\r\n" + b"=M" * 1000 + b"\r\n=yend size=99999999999\r\n"
    rig.serve(text(bomb + b"begin 644 y\r\nM\r\nend"))
    got = rig.fetch()
    assert got.data == HEAD + b"\r\n" + bomb + b"begin 644 y\r\nM\r\nend\r\n", got
    assert sum(len(part.data) for part in Article(got.data).parts()[1:]) <= 1000
    return got


def _many(rig: Rig) -> Got:
    """Sizes and numbers at the edges are numbers like all others, and those beyond them are none."""
    sizes = (2**31, 2**32, 2**32 + 1, 2**63)
    lines = b"".join(b"%d\tx\t\t\t<1@evil.test>\t\t%d\t1\r\n" % (size - 1, size) for size in sizes)
    rig.serve(Session(overview=lines, group=b"211 4 1 9223372036854775807 a.b"))
    got = rig.fetch("/a.b/1-9", "list")
    assert [entry.size for entry in got.entries] == [*sizes[:3], None], got
    return got


def _nobody_has_it(rig: Rig) -> Got:
    """Over TLS, where a password might be sent, and nobody has one."""
    context, authority = certificates()["good"]
    rig.client._tls_config = TLSConfig(authority)
    session = at(b"GROUP", send(b"480 who?\r\n"))
    server = rig.enter(rig.column.player([tls(context), session]))
    rig.place(server, EVIL, 563)
    return rig.fetch(f"nntps://{EVIL}/a.b/1")


COMMANDS = (b"CAPABILITIES", b"GROUP", b"ARTICLE")

COLUMN.add(
    Cell("A5", TRUNC, Session([send(FOUND + b"\r\n" + HEAD + b"\r\nhalf"), reset()])),
    Cell("A5 in a listing", TRUNC, at(b"OVER", send(b"224 lines\r\n" + overview([b"one"]) + b"2\tha"), reset()),
         url="/a.b", verb="list"),
    Cell("A9", TIMEOUT, Session([send(FOUND + b"\r\n" + HEAD + b"\r\n"), send_slow(LONG[:200], 0.05), hold()]),
         limits={"total": 0.5}),
    Cell("A9 idle", TIMEOUT, Session([send(FOUND + b"\r\n" + HEAD + b"\r\nhalf"), hold()])),
    Cell("A12 http", PROTO, _greets(send(b"HTTP/1.1 400 Bad Request\r\n\r\n"))),
    Cell("A12 mail", PROTO, _greets(send(b"220-mail.test ESMTP\r\n"))),
    Cell("A12 ssh", PROTO, _greets(send(b"SSH-2.0-OpenSSH_9.2\r\n"))),
    Cell("B1", LIMIT, at(b"CAPABILITIES", send(b"101 this\r\n"),
                         lambda link: [link.send(b"X%d\r\n" % number) for number in range(100_000)]), stream=True),
    Cell("B1 one and the same", LIMIT, at(b"CAPABILITIES", send(b"101 this\r\n"), send_forever(b"READER\r\n" * 8192)),
         stream=True),
    Cell("B1 a head", LIMIT, at(b"ARTICLE", send(FOUND + b"\r\n"), send_forever(b"X: y\r\n" * 1000)), stream=True),
    Cell("B2", LIMIT, _greets(send(b"200 "), send_forever(LONG)), stream=True),
    Cell("B2 in a listing", LIMIT, at(b"OVER", send(b"224 lines\r\n"), send_forever(LONG)), url="/a.b", verb="list",
         stream=True),
    Cell("B3", LIMIT, at(b"GROUP", send_forever(b"150 wait\r\n" * 100)), stream=True),
    Cell("B4", PROTO, _greets(send(b"200 a\0b\r\n"))),
    Cell("B4 in a head", OK, article(b"Subject: a\0b\r\n\r\nx\r\n")),
    Cell("B4 in a listing", OK, listed([b"a\0b"]), url="/a.b", verb="list"),
    Cell("B5", OK, _greets(send(b"200 caf\xe9 \xff\r\n"))),
    Cell("B5 in a text", OK, text(b"\xff\xfe"), holds=lambda got: got.data == HEAD + b"\r\n\xff\xfe\r\n"),
    Cell("B5 in a name", OK, listed([b"caf\xe9"]), url="/a.b", verb="list",
         holds=lambda got: got.names == ["caf\udce9"]),
    Cell("B6", OK, Session(send((FOUND + b"\r\n" + CONTENT + b".\r\n").replace(b"\r\n", b"\n")),
                           greeting=send(b"200 ready\n")),
         holds=lambda got: got.data == CONTENT.replace(b"\r\n", b"\n")),
    Cell("B7", PROTO, _greets(send(b"200 a\rGROUP x\r\n"))),
    Cell("B7 in a head", OK, article(b"Subject: a\rb\r\n\r\nx\r\n")),
    Cell("B7 in a listing", OK, listed([b"a\rb"]), url="/a.b", verb="list"),
    Cell("B8", PROTO, _greets(send(bytes(range(1, 256)) * 10))),
    *(Cell(f"B9 {line.decode()}", PROTO, _greets(send(line + b"\r\n"))) for line in
      (b"99 x", b"777 x", b"abc x", b"2000 x", b"220-x")),
    *(Cell(f"B9 at {verb.decode()}", PROTO, at(verb, send(b"777 x\r\n"))) for verb in COMMANDS),
    Cell("B9 of another command", PROTO, at(b"ARTICLE", send(b"211 1 1 1 a.b\r\n"))),
    Cell("B9 no numbers", PROTO, at(b"GROUP", send(b"211 many a.b\r\n"))),
    Cell("B10", PROTO, run=_stale),
    Cell("B10 after the greeting", PROTO, _greets(send(b"200 ready\r\n101 stale\r\n"))),
    Cell("B10 before TLS began", PROTO, run=_before_tls),
    Cell("D5 in an article", OK, run=_smuggled),
    Cell("B11 at once", REPLY, _greets(send(b"400 too many users\r\n"))),
    *(
        # Before there is a session it says that the server lets nobody in now.
        Cell(
            f"B11 at {verb.decode()}",
            REPLY if verb == b"CAPABILITIES" else LOST,
            at(verb, send(b"400 closing\r\n")),
        )
        for verb in COMMANDS
    ),
    Cell("B12", AUTH, at(b"GROUP", send(b"481 no\r\n"))),
    Cell("B12 nobody has it", AUTH, run=_nobody_has_it),
    Cell("C1", TRUNC, Session([send(FOUND + b"\r\n" + CONTENT), close()])),
    Cell("C2", PROTO, Session(send(FOUND + b"\r\n" + CONTENT + b".\r\nand more\r\n"))),
    Cell("C3", TRUNC, at(b"OVER", send(b"224 lines\r\n" + overview([b"one"])), close()), url="/a.b", verb="list"),
    Cell("C3 a dot without its line", TRUNC, Session([send(FOUND + b"\r\n" + CONTENT + b"."), close()])),
    Cell("C9", LIMIT, COLUMN.stream, limits={"max_bytes": 50_000_000}, stream=True),
    Cell("C9 a listing", LIMIT, at(b"OVER", send(b"224 lines\r\n"), send_forever(overview([b"x"]) * 100)), url="/a.b",
         verb="list", limits={"listing_entries": 5_000}, stream=True),
    Cell("C9 groups", LIMIT, at(b"LIST", send(b"215 groups\r\n"), send_forever(b"a.b 1 1 y\r\n" * 1000)),
         url=f"news://{EVIL}/*", verb="list", limits={"listing_entries": 5_000}, stream=True),
    Cell("C10", OK, run=_many),
    Cell("C11", OK, Session([send(FOUND + b"\r\n" + HEAD + b"\r\n"), send_slow(b"x" * 200 + b"\r\n.\r\n", 0.0005)]),
         holds=lambda got: got.size == len(HEAD) + 204),
    Cell("D1", OK, text(b"\x1f\x8b" + LONG[:100]), holds=lambda got: got.size == len(HEAD) + 106),
    Cell("C9 compressed", LIMIT, _compressed(_bomb), url="/a.b/1-900", verb="list", stream=True),
    Cell("B8 compressed", PROTO, _compressed(send(b"224 plain\r\n" * 9)), url="/a.b/1-900", verb="list"),
    Cell("D5", OK, article(HEAD + b"\r\n..a\r\n.b\r\n...\r\n"),
         holds=lambda got: got.data == HEAD + b"\r\n.a\r\n.b\r\n..\r\n"),
    Cell("C2 a lone dot inside", PROTO, article(HEAD + b"\r\na\r\n.\r\nb\r\n")),
    Cell("D6", OK, run=_unpacked),
    Cell("D9", OK, text(b"a\rb\0c\nd"), holds=lambda got: got.data == HEAD + b"\r\na\rb\0c\nd\r\n"),
    Cell("E1", OK, run=_named(b"../../x", "x.eml")),
    Cell("E5 escape", OK, run=_named(b"a\x1b[31m", "a%1B[31m.eml")),
    Cell("E5 bell", OK, run=_named(b"a\x07b", "a%07b.eml")),
    *(Cell(f"G10 {octets}", DENY, url=f"/a.b{octets}POST/1") for octets in ("%0D%0A", "%0A", "%00", "%20", "%09")),
    *(Cell(f"G10 identifier {octets}", DENY, url=f"news://{EVIL}/a{octets}@b") for octets in ("%0D%0A", "%20")),
    Cell("G17", OK, run=_one_session),
)  # fmt: skip
