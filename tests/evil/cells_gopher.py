"""Column G: gopher and Gopher+ (RFC 1436, RFC 4266). This is the worked example of a column; the README explains it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.evil.cell import Cell, Column
from tests.evil.common import add_connection, add_tls
from tests.evil.naming import add_names
from tests.evil.outcomes import DENY, LIMIT, LOST, NAME, OK, PROTO, TIMEOUT, TRUNC
from tests.evil.player import Step, expect, hold, mark, reset, send, send_forever, send_slow
from tests.evil.rig import Got, Rig
from tests.evil.saving import add_saving
from tests.evil.terminal import add_terminal

ASKED = expect(rb"\r\n$")
"""One line is all that a gopher client ever says."""

PLUS = "/0x%09%09+"
"""A text that is asked for with Gopher+."""


def line(display: bytes, selector: bytes = b"x", type: bytes = b"0") -> bytes:
    """A line of a menu."""
    return type + display + b"\t" + selector + b"\tevil.test\t70\r\n"


def menu(names: Sequence[bytes]) -> list[Step]:
    """The script of a server whose menu has these names."""
    return [ASKED, send(b"".join(map(line, names)) + b".\r\n")]


def text(octets: bytes) -> list[Step]:
    """The script of a server that sends a text."""
    return [ASKED, send(octets + b"\r\n.\r\n")]


COLUMN = Column(
    "G",
    "gopher",
    good=[ASKED, send(b"something good\n")],
    path="/9good",
    content=b"something good\n",
    half=[ASKED, send(b"something"), mark("body")],
    stream=[ASKED, send_forever(b"x" * 65536)],
)

add_connection(COLUMN, lost=LOST, greeting=b"something good\n", before=[ASKED])
add_tls(COLUMN, "gophers", "/9good")
add_saving(COLUMN)
add_names(COLUMN, menu, "/1", words={"E6": OK})  # that line is left out, and told
add_terminal(COLUMN, text, "/0x", menu, "/1")


def _follows(host: bytes, port: int) -> Any:
    """A menu whose item leads to another place, and that item followed as what the menu's host named."""

    def run(rig: Rig) -> Got:
        other = rig.enter(rig.column.player([]))
        rig.network.names["inside.test"] = ["10.0.0.7"]
        rig.serve([ASKED, send(b"0x\tx\t%s\t%d\r\n.\r\n" % (host, port))])
        listed = rig.fetch("/1", "list")
        (entry,) = listed.entries
        got = rig.fetch(str(entry.url))
        assert other.hits == 0
        return got

    return run


def _never_reused(rig: Rig) -> Got:
    server = rig.serve([ASKED, send(b"something good\n")])
    for _ in range(2):
        got = rig.fetch()
    assert server.hits == 2
    return got


def _lists_itself(rig: Rig) -> Got:
    server = rig.serve(menu([b"itself"]))
    got = rig.fetch("/1", "list")
    assert server.hits == 1
    return got


def _sparse(rig: Rig) -> Got:
    """Lengths at the edges are numbers like all others: no octet is lost, and none is made up."""
    for length in (2**31, 2**32, 2**32 + 1):
        rig.serve([ASKED, send(b"+%d\r\nshort" % length)])
        got = rig.fetch(PLUS)
        assert (got.word, getattr(got.error, "expected", None)) == (TRUNC, length), got
    rig.servers[-1].become([ASKED, send(b"+5\r\nshort")])
    return rig.fetch(PLUS)


COLUMN.add(
    Cell("A5", TRUNC, [ASKED, send(b"half of it"), reset()]),
    Cell("A5 in a menu", TRUNC, [ASKED, send(line(b"one") + b"0tw"), reset()], url="/1", verb="list"),
    Cell("A9", TIMEOUT, [ASKED, send_slow(b"x" * 100, 0.05), hold()], limits={"total": 0.5}),
    Cell("A9 next to nothing", TIMEOUT, [ASKED, send_slow(b"x" * 100, 0.03), hold()],
         limits={"lowest_rate": 200, "total": 6}, holds=lambda got: got.error.clock == "idle"),
    Cell("A9 idle", TIMEOUT, [ASKED, send(b"half of it"), hold()]),
    Cell("A12 mail", PROTO, [send(b"220 mail.test ESMTP\r\n"), hold(0.2)], url="/1", verb="list"),
    Cell("A12 http", PROTO, [ASKED, send(b"HTTP/1.1 400 Bad Request\r\nServer: x\r\n\r\n")], url="/1", verb="list"),
    Cell("B2 in a menu", LIMIT, [ASKED, send_forever(b"x" * 65536)], url="/1", verb="list", stream=True),
    Cell("B2 in a header", LIMIT, [ASKED, send_forever(b"+" * 65536)], url=PLUS, stream=True),
    Cell("B4", OK, text(b"a\0b"), url="/0x", holds=lambda got: got.data == b"a\0b\r\n.\r\n"),
    Cell("B5 in a text", OK, text(b"\xff\xfe"), url="/0x", holds=lambda got: got.data == b"\xff\xfe\n"),
    Cell("B5 in a name", OK, menu([b"caf\xe9"]), url="/1", verb="list", holds=lambda got: got.names == ["caf\udce9"]),
    Cell("B6", OK, [ASKED, send(b"0one\tx\tevil.test\t70\n.\n")], url="/1", verb="list",
         holds=lambda got: got.names == ["one"]),
    Cell("B7", NAME, menu([b"a\rb"]), url="/1", verb="list", holds=lambda got: got.names == ["a\rb"]),
    Cell("B8 as a menu", PROTO, [ASKED, send(bytes(range(256)) * 40)], url="/1", verb="list"),
    Cell("B8 as a file", OK, [ASKED, send(bytes(range(256)) * 40)], holds=lambda got: got.size == 10_240),
    Cell("B16", OK, run=_lists_itself),
    Cell("C1", TRUNC, [ASKED, send(b"+100\r\nshort")], url=PLUS),
    Cell("C2", PROTO, [ASKED, send(b"+4\r\nlonger")], url=PLUS),
    Cell("C3 plain", OK, [ASKED, send(b"no end\r\nof a li")], url="/0x",
         holds=lambda got: "in the middle of a line" in got.notes),
    Cell("C3 plain, behind a line", OK, [ASKED, send(b"no dot\r\n")], url="/0x", holds=lambda got: not got.notes),
    Cell("C3 menu", OK, [ASKED, send(line(b"one"))], url="/1", verb="list",
         holds=lambda got: "did not mark the end" in got.notes),
    Cell("C3 gopher+", TRUNC, [ASKED, send(b"+-1\r\nno end\r\n")], url=PLUS),
    *(Cell(f"C6 {number}", PROTO, [ASKED, send(b"+%d\r\nshort" % number)], url=PLUS) for
      number in (-3, 2**63, 10**30)),
    Cell("C9", LIMIT, COLUMN.stream, limits={"max_bytes": 50_000_000}, stream=True),
    Cell("C10", OK, run=_sparse),
    Cell("C11", OK, [ASKED, send_slow(b"x" * 200, 0.0005)], holds=lambda got: got.size == 200),
    Cell("C11 slow and steady", OK, [ASKED, send_slow(b"x" * 8, 0.15)], url="/9x", limits={"idle": 0.5},
         holds=lambda got: got.size == 8),
    Cell("D1", OK, [ASKED, send(b"\x1f\x8b" + b"x" * 100)], holds=lambda got: got.size == 102),
    Cell("D5", OK, [ASKED, send(b"..a\r\n.b\r\n...\r\n.\r\n")], url="/0x",
         holds=lambda got: got.data == b".a\n.b\n..\n"),
    Cell("D5 surplus", OK, [ASKED, send(b"a\r\n.\r\nb\r\n")], url="/0x",
         holds=lambda got: got.data == b"a\n.\nb\n" and "all of it is kept" in got.notes),
    Cell("D6", OK, text(b"begin 644 x\r\n#0V%T\r\n`\r\nend"), url="/6x",
         holds=lambda got: got.data == b"begin 644 x\n#0V%T\n`\nend\n"),
    Cell("D9", OK, text(b"a\rb\0c"), url="/0x", holds=lambda got: got.data == b"a\rb\0c\r\n.\r\n"),
    Cell("E13", OK, [ASKED, send(b"something good\n")], url="/9../../x", holds=lambda got: got.resource.name == "x"),
    Cell("G3 inside", DENY, run=_follows(b"inside.test", 70)),
    Cell("G3 this machine", DENY, run=_follows(b"127.0.0.1", 70)),
    Cell("G3 a service", DENY, run=_follows(b"evil.test", 25)),
    Cell("G4", OK, run=_lists_itself),
    *(Cell(f"G10 {octets}", DENY, url=f"/0x{octets}y") for octets in ("%0D%0A", "%0A", "%00")),
    Cell("G10 a tab too many", DENY, url="/0x%09a%09+%09c%09d"),
    Cell("G17", OK, run=_never_reused),
)  # fmt: skip
