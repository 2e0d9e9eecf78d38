"""Prospero by datagrams: one socket for every address, which answers from the address that was asked.

Rule: directories of links to everywhere, unions that the client splices from other servers, what has been forwarded,
what is to be had by other protocols, and servers that send the client to another one (ARDP redirection).
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
import socket
import struct
from collections.abc import Callable

from anyurl.schemes.prospero.wire.messages import (
    ASCII,
    Attribute,
    Complaint,
    Forwarded,
    Line,
    Link,
    ReplyLine,
    write_message,
)
from anyurl.schemes.prospero.wire.server import Answer, ProsperoServer
from tests.hostile.graph import MARK, PORTS, Edge, Ledger, Origin
from tests.hostile.places import Place

_PACKET_INFO = struct.Struct("16sI")
_IPV6_FREEBIND = 78
_METHODS = {"ftp": b"AFTP", "gopher": b"GOPHER", "http": b"HTTP", "wais": b"WAIS", "telnet": b"TELNET"}


class Server:
    """One port. Args: it, where edges are made, and where to write down what came."""

    def __init__(self, port: int, ledger: Ledger, note: Callable[[Origin, bool, bytes], None]) -> None:
        self._port = port
        self._ledger = ledger
        self._note = note
        self._servers: dict[str, ProsperoServer] = {}
        self.sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        self.sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
        self.sock.setsockopt(socket.IPPROTO_IPV6, _IPV6_FREEBIND, 1)  # it answers from addresses that are routed to it
        self.sock.bind(("::", port))

    def serve_one(self) -> None:
        """Answer a datagram."""
        with contextlib.suppress(OSError):
            data, extras, _, client = self.sock.recvmsg(65536, 256)
            info = next(value for _, kind, value in extras if kind == socket.IPV6_PKTINFO)
            found = ipaddress.IPv6Address(_PACKET_INFO.unpack(info)[0])
            origin = Origin(str(found.ipv4_mapped or found), self._port, "prospero")
            self._note(origin, False, data)
            if len(self._servers) > 1000:
                self._servers.clear()
            server = self._servers.setdefault(
                origin.address, ProsperoServer(lambda request: answer(request, origin, self._ledger))
            )
            for datagram in server.reply(client, data):
                self.sock.sendmsg([datagram], [(socket.IPPROTO_IPV6, socket.IPV6_PKTINFO, info)], 0, client)


def answer(request: bytes, origin: Origin, ledger: Ledger) -> Answer:
    """What to say to a request."""
    source = ledger.source
    draw = source.random()
    if draw < 0.05:
        address = next((each for each in ledger.pool.any().addresses if ":" not in each), "127.0.0.1")
        edge = ledger.edge(origin, "ardp", "prospero", place=Place(address, address))
        return Answer(redirect=(address, edge.port))
    if draw < 0.06:
        return Answer(refused=True)
    asks_attributes = b"GET-OBJECT-INFO" in request
    lists = b"\nLIST " in request
    mark = MARK.search(request)
    name = b"x" if mark is None else mark[0]
    lines: list[ReplyLine] = []
    if asks_attributes:
        if b"CONTENTS" in request:
            text = " ".join(f"<URL:{ledger.url(ledger.edge(origin, 'link'))}>" for _ in range(3)).encode()
            return Answer(write_message([
                Attribute(b"OBJECT", b"INTRINSIC", b"CONTENTS", b"SEQUENCE", (b"DATA", text))
            ]))  # fmt: skip
        if draw < 0.15:
            return Answer(write_message([_forwarded(ledger.edge(origin, "forward", "prospero"))]))
        if re.search(rb"\.txt", request):
            if draw < 0.3:
                contents = (b"PROSPERO-CONTENTS", b"", b"", b"", b"")
                lines.append(Attribute(b"OBJECT", b"FIELD", b"ACCESS-METHOD", b"", contents))
            else:
                lines.append(_method(ledger.edge(origin, "method", *_METHODS), b"OBJECT"))
            if lists:
                lines.append(Complaint(b"FAILURE", b"NOT-A-DIRECTORY", b""))
            return Answer(write_message(lines))
        lines.append(Line(b"NONE-FOUND"))
    if lists or not asks_attributes:
        if draw > 0.95:
            return Answer(write_message([*lines, Complaint(b"FAILURE", b"NOT-FOUND", b"")]))
        for _ in range(source.randrange(2, 7)):
            lines += _link(origin, ledger, name)
    return Answer(write_message(lines))


def _link(origin: Origin, ledger: Ledger, name: bytes) -> list[ReplyLine]:
    draw = ledger.source.random()
    if draw < 0.25:
        edge = ledger.edge(origin, "menu", *_METHODS)
        there = Link(b"L", b"EXTERNAL", edge.mark.encode(), b"INTERNET-D", _host(edge), ASCII, _hsoname(edge))
        return [there, _method(edge, b"CACHED")]
    if draw < 0.35:  # a union of its own, too: who was asked last is then not who named what came before
        type_ = b"U" if draw < 0.3 else b"L"
        below = b"/%s/below%d" % (name, ledger.source.randrange(100))
        return [Link(type_, b"DIRECTORY", b"below", b"INTERNET-D", _own(origin), ASCII, below)]
    type_, how = (b"U", "union") if draw < 0.5 else (b"L", "menu")
    edge = ledger.edge(origin, how, "prospero")
    target = b"FILE" if draw > 0.8 else b"DIRECTORY"
    tail = b"/x.txt" if target == b"FILE" else b"/"
    return [Link(type_, target, edge.mark.encode(), b"INTERNET-D", _host(edge), ASCII, _hsoname(edge) + tail)]


def _forwarded(edge: Edge) -> Forwarded:
    return Forwarded(Link(b"L", b"DIRECTORY", b"", b"INTERNET-D", _host(edge), ASCII, _hsoname(edge) + b"/"))


def _method(edge: Edge, precedence: bytes) -> Attribute:
    rest = (b"BINARY",) if edge.scheme == "ftp" else (b"0",) if edge.scheme == "gopher" else ()
    value = (_METHODS[edge.scheme], b"INTERNET-D", _host(edge), ASCII, _hsoname(edge), *rest)
    return Attribute(precedence, b"FIELD", b"ACCESS-METHOD", b"", value)


def _host(edge: Edge) -> bytes:
    """The host as Prospero writes it; a login has no place there."""
    return edge.host.strip("[]").encode() + (b"" if edge.port == PORTS[edge.scheme] else b"(%d)" % edge.port)


def _own(origin: Origin) -> bytes:
    return origin.address.encode() + (b"" if origin.port == PORTS["prospero"] else b"(%d)" % origin.port)


def _hsoname(edge: Edge) -> bytes:
    return b"/" + edge.mark.encode()
