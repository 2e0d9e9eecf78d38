"""Column P: prospero over ARDP over UDP (RFC 4157)."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from typing import Any

from anyurl.schemes.prospero.wire.ardp_packet import Packet, encode
from anyurl.schemes.prospero.wire.messages import Attribute, Complaint, Forwarded
from tests.evil.cell import Cell, Column
from tests.evil.common import add_addresses, first_dead
from tests.evil.naming import add_names
from tests.evil.outcomes import AUTH, DENY, LIMIT, LOST, OK, PROTO, TIMEOUT, TRUNC
from tests.evil.player import hold, mark, reset
from tests.evil.prospero_player import (
    ArdpPlayer,
    Step,
    Talk,
    attributes,
    endless,
    file,
    half,
    link,
    listing,
    packets,
    say,
    text,
)
from tests.evil.rig import OTHER, Got, Rig
from tests.evil.saving import add_saving
from tests.evil.terminal import add_terminal

GOOD_OCTETS = b"something good\n"
CHUNK = b"x" * 16_000
"""Octets of a packet of the streams: larger than any real server's, so that a test is not all about packets."""


@contextlib.contextmanager
def silent() -> Iterator[Any]:
    """A port that takes datagrams and never answers."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))

        class Place:
            """Where it is."""

        Place.host, Place.port = sock.getsockname()  # type: ignore[attr-defined]
        yield Place


COLUMN = Column(
    "P",
    "prospero",
    good=[file(GOOD_OCTETS)],
    path="//good",
    content=GOOD_OCTETS,
    half=[half(b"something"), mark("body")],
    stream=[endless(b"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA '", CHUNK)],
    player=ArdpPlayer,
    silent=silent,
)


def _first_silent(rig: Rig) -> Got:
    return first_dead(rig, rig.enter(silent()))


def noise(data: bytes) -> Step:
    """This datagram, to each that comes."""

    def step(talk: Talk) -> None:
        talk.again = lambda _packet: talk.datagram(data)
        talk.datagram(data)

    return step


def spoofed(talk: Any) -> None:
    """From another host with the right number, and from the right host with another one."""
    whole = encode(Packet(talk.cid, payload=attributes()))
    talk.datagram_from("127.0.0.2", whole)
    talk.datagram(encode(Packet(talk.cid ^ 1, payload=attributes())))


def stale(talk: Any) -> None:
    """The reply to another connection, before the right one."""
    talk.datagram(encode(Packet(talk.cid ^ 0x100, payload=b"FAILURE NOT-FOUND\n")))


def access(method: bytes, host: bytes, hsoname: bytes = b"/x", *more: bytes) -> bytes:
    """An object that can be had by this method only."""
    value = [method, b"INTERNET-D", host, b"ASCII", hsoname, *more]
    return attributes(Attribute(b"OBJECT", b"FIELD", b"ACCESS-METHOD", b"", value))


def _leads_on(script: list[Step]) -> Any:
    """What the server names is judged as a peer's word: nobody else is spoken to."""

    def run(rig: Rig) -> Got:
        other = rig.enter(rig.column.player([]))
        rig.place(other, OTHER)
        rig.network.names["inside.test"] = ["10.0.0.7"]
        rig.serve(script)
        got = rig.fetch()
        assert other.hits == 0
        return got

    return run


def redirect(host: str, port: int = 1525) -> Step:
    """The whole request is wanted there, each time that it comes."""

    def step(talk: Talk) -> None:
        there = Packet(talk.cid, 0, 0, 0, 0, 0, 4, endpoint=(host, port))
        talk.again = lambda _packet: talk.packet(there)
        talk.packet(there)

    return step


def forwarded(host: bytes, hsoname: bytes = b"/x") -> Step:
    """The object is there."""
    return say(Forwarded(link(b"", hsoname, host)))


def _round_and_round(rig: Rig) -> Got:
    """Two servers that redirect to each other."""
    first, second = rig.network.names["evil.test"][0], rig.network.names[OTHER][0]
    rig.serve([redirect(second)])
    rig.place(rig.enter(rig.column.player([redirect(first)])), OTHER)
    return rig.fetch()


def contents(octets: bytes) -> list[Step]:
    """The script of a server of a file."""
    return [file(octets)]


QUICK_IDLE = {"idle": 0.3}

add_addresses(COLUMN)
add_saving(COLUMN)
add_names(COLUMN, listing, "//d", words={"E6": OK})
add_terminal(COLUMN, contents, "//x", lambda names: listing(names), "//d")

COLUMN.add(
    Cell("A1", LOST),
    Cell("A2", TIMEOUT, [hold()]),
    Cell("A3", TIMEOUT, [hold()]),
    Cell("A3 waits", TIMEOUT, [packets(Packet(1, 0, 0, 0, 0xFFFF))]),
    Cell("A4", LOST, [reset()]),
    # All of them ask at one port: who comes when it is closed has got nothing yet.
    Cell("A5", TRUNC, [half(b"something"), reset()], at_once=LOST),
    Cell("A10 refused", OK, run=first_dead),
    Cell("A10 silent", OK, run=_first_silent),
    Cell("A12 mail", PROTO, [noise(b"220 mail.test ESMTP\r\n")]),
    Cell("A12 another version", PROTO, [noise(b"\x81" + bytes(30))]),
    Cell("A14", TIMEOUT, [spoofed]),
    Cell(
        "B1",
        LIMIT,
        [endless(b"", (b"X" * 99 + b"\n") * 160)],
        url="//d",
        verb="list",
        stream=True,
    ),
    Cell("B2", LIMIT, COLUMN.stream, stream=True),
    Cell("B4", PROTO, [text(b"ATTRIBUTE OBJECT APPLICATION TITLE SEQUENCE a\0b\n")]),
    Cell("B5", OK, listing([b"caf\xe9"]), url="//d", verb="list", holds=lambda got: got.names == ["caf\udce9"]),
    Cell("B6", OK, listing([b"one"]), url="//d", verb="list", holds=lambda got: got.names == ["one"]),
    Cell("B7", PROTO, [text(b"LINK  L FILE a\rb INTERNET-D evil.test ASCII x 0\n")], url="//d", verb="list"),
    Cell("B8", PROTO, [text(bytes(range(256)) * 40)]),
    Cell("B8 no packet", PROTO, [noise(bytes(range(255, 0, -1)))]),
    Cell("B9", PROTO, [text(b"777 what\n")]),
    Cell("B9 a link too short", PROTO, [text(b"LINK  L FILE one\n")], url="//d", verb="list"),
    Cell("B9 open quotes", PROTO, [text(b"ATTRIBUTE OBJECT APPLICATION TITLE SEQUENCE 'a\n")]),
    Cell("B10", OK, [stale, file(GOOD_OCTETS)], holds=lambda got: got.data == GOOD_OCTETS),
    Cell("B12", AUTH, [say(Complaint(b"FAILURE", b"AUTHENTICATION-REQUIRED"))]),
    Cell("B16", LIMIT, [forwarded(b"evil.test", b"/good")]),
    Cell("C1 packets", TRUNC, [packets(Packet(1, 1, 3, 1, payload=b"LINK"))], limits=QUICK_IDLE),
    Cell("C2", PROTO, [packets(Packet(1, 1, 2, 1, payload=b"a"), Packet(1, 3, 2, 1, payload=b"b"))]),
    Cell("C6 two totals", PROTO, [packets(Packet(1, 1, 2, 1, payload=b"a"), Packet(1, 2, 3, 1, payload=b"b"))]),
    Cell("C6 no number", PROTO, [text(b"LINK  L FILE a INTERNET-D evil.test ASCII x seven\n")], url="//d", verb="list"),
    Cell("C9", LIMIT, COLUMN.stream, limits={"max_bytes": 50_000_000}, stream=True),
    Cell("G3 inside", DENY, run=_leads_on([text(access(b"AFTP", b"inside.test", b"/x", b"BINARY"))])),
    Cell("G3 this machine", DENY, run=_leads_on([text(access(b"GOPHER", b"127.0.0.1(70)", b"0x", b"0"))])),
    Cell("G3 a service", DENY, run=_leads_on([text(access(b"GOPHER", b"evil.test(25)", b"0x", b"0"))])),
    Cell("G3 forwarded inside", DENY, run=_leads_on([forwarded(b"inside.test")])),
    Cell("G3 redirected inside", DENY, run=_leads_on([redirect("10.0.0.7")])),
    Cell("G3 redirected here", DENY, run=_leads_on([redirect("127.0.0.1")])),
    Cell("G3 redirected to a service", DENY, run=_leads_on([redirect("8.8.4.4", 53)])),
    Cell("G4 forwarded", LIMIT, [forwarded(b"evil.test", b"/good")]),
    Cell("G4 redirected", LIMIT, run=_round_and_round),
    Cell("G10", DENY, url="//x%00y"),
)
