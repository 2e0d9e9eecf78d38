"""A player that speaks ARDP: its scripts are steps, one list for each client (the socket of a transfer), in order.

Rule: the steps run for each request of the client; what the client says beside (repeats, acknowledgements) is answered
by `Talk.again`, or by nothing. A step that has done all there is to do for this request raises `Done`.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from anyurl.errors import RemoteProtocolError
from anyurl.schemes.prospero.wire.ardp_packet import PLEASE_ACKNOWLEDGE, Packet, decode, encode, split_message
from anyurl.schemes.prospero.wire.messages import Attribute, Line, Link, ReplyLine, read_request, write_message
from tests.evil.player import Over
from tests.servers import PATIENCE

Step: TypeAlias = "Callable[[Any], None]"

WINDOW = 16


class Done(Exception):
    """Nothing more for this request."""


class Talk:
    """One request, and ways to answer it; it stands in for `player.Link`, so that most of its steps work here too.

    Attributes:
        text: The request.
        asked: What it wants of the object: ``CONTENTS``, ``#ALL``, or nothing.
        cid: The connection.
        server: The player.
        again: What is done with each further packet of the connection.
    """

    def __init__(self, server: ArdpPlayer, client: Any, packet: Packet) -> None:
        self.server = server
        self.client = client
        self.cid = packet.cid or 0
        self.text = packet.payload
        self.again: Callable[[Packet], None] = lambda packet: None
        lines = read_request(packet.payload)
        self.asked = next((line.octets()[0] for line in lines if line.word == b"GET-OBJECT-INFO"), b"")

    @property
    def sock(self) -> Talk:
        """What `player.reset` sets an option of."""
        return self

    def setsockopt(self, *_arguments: Any) -> None:
        """Ask for a sign of life, and be gone before it comes: the system says that nobody listens (ICMP)."""
        self.packet(Packet(self.cid, 0, 0, 0, 0, PLEASE_ACKNOWLEDGE))
        self.server.shut()

    def is_open(self, _seconds: float = 0.0) -> bool:
        """To hold is to say nothing, for a server of datagrams."""
        return True

    def packet(self, packet: Packet) -> None:
        self.datagram(encode(packet))

    def datagram(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self.server.sock.sendto(data, self.client)

    def datagram_from(self, host: str, data: bytes) -> None:
        """From another place."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind((host, 0))
            sock.sendto(data, self.client)

    def send(self, data: bytes) -> None:
        """The whole reply, in as many packets as it needs and no more than a window ahead."""
        pieces = split_message(data)

        def go_on(packet: Packet) -> None:
            through = packet.received_through or 0
            last = min(through + WINDOW, len(pieces))
            for number in range(through + 1, last + 1):
                flags = PLEASE_ACKNOWLEDGE if number == last < len(pieces) else 0
                total = len(pieces) if number == len(pieces) else 0
                self.packet(Packet(self.cid, number, total, 1, 0, flags, payload=pieces[number - 1]))

        self.again = go_on
        go_on(Packet())

    def say(self, *lines: ReplyLine) -> None:
        """The whole reply."""
        self.send(write_message(lines))


class ArdpPlayer:
    """A UDP server whose scripts are lists of steps.

    Attributes:
        hits: Clients that came.
    """

    def __init__(self, *scripts: Sequence[Step], host: str = "127.0.0.1", context: object = None) -> None:
        self.scripts = list(scripts) or [[]]
        self.complaints: list[str] = []
        self.marks: list[str] = []
        self.on_mark: Callable[[str], None] = lambda name: None
        self.expose: Callable[[int], None] = lambda port: None
        self.host = host
        self._clients: list[Any] = []
        self._first = 0
        self._talks: dict[Any, Talk] = {}
        self._threads: list[threading.Thread] = []
        self._over = threading.Event()
        self._shut = False
        self._open = threading.Event()
        self.sock = self._bind(0)
        self.port = int(self.sock.getsockname()[1])
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def _bind(self, port: int) -> socket.socket:
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.bind((self.host, port))
        return sock

    @property
    def hits(self) -> int:
        return len(self._clients)

    def become(self, *scripts: Sequence[Step]) -> None:
        """What it does from now on; a port that was shut is open again."""
        self.scripts, self._first = list(scripts), len(self._clients)
        if self._shut:
            self.sock, self._shut = self._bind(self.port), False
            self._open.set()

    def shut(self) -> None:
        """Close the port, until it becomes something else (called by a step)."""
        self._open.clear()
        self._shut = True
        self.sock.close()

    def __enter__(self) -> ArdpPlayer:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._over.set()
        self._open.set()
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.sendto(b"", (self.host, self.port))
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the server's thread did not end"
        self.sock.close()

    def _serve(self) -> None:
        while True:
            if self._shut:
                self._open.wait()
            if self._over.is_set():
                return
            with contextlib.suppress(ConnectionError):
                data, client = self.sock.recvfrom(65536)
                if data and not self._over.is_set():
                    self._take(data, client)

    def _take(self, data: bytes, client: Any) -> None:
        try:
            packet = decode(data)
        except RemoteProtocolError as error:
            self.complaints.append(str(error))
            return
        talk = self._talks.get((client, packet.cid))
        if talk is not None:
            talk.again(packet)
            return
        if packet.number == 0:
            return
        if client not in self._clients:
            self._clients.append(client)
        talk = self._talks[client, packet.cid] = Talk(self, client, packet)
        index = max(0, self._clients.index(client) - self._first)
        with contextlib.suppress(Done, Over):
            for step in self.scripts[min(index, len(self.scripts) - 1)]:
                step(talk)


# --- steps -----------------------------------------------------------------------------------------------------------


def say(*lines: ReplyLine) -> Step:
    """Answer with these lines."""
    return lambda talk: talk.say(*lines)


def text(octets: bytes) -> Step:
    """Answer with this text, whatever it is."""
    return lambda talk: talk.send(octets)


def packets(*made: Packet) -> Step:
    """Send these packets, and nothing more however often they are asked for."""

    def step(talk: Talk) -> None:
        for packet in made:
            packet.cid = talk.cid
            talk.packet(packet)

    return step


CONTENTS = (b"OBJECT", b"INTRINSIC", b"CONTENTS", b"SEQUENCE")
NOT_A_DIRECTORY = b"FAILURE NOT-A-DIRECTORY\n"


def attributes(*more: Attribute) -> bytes:
    """What is said of a file that the server hands out itself, or that can be had elsewhere."""
    own = Attribute(b"OBJECT", b"INTRINSIC", b"ACCESS-METHOD", b"SEQUENCE", [b"PROSPERO-CONTENTS", b"", b"", b"", b""])
    return write_message(more or (own,)) + NOT_A_DIRECTORY


def file(octets: bytes) -> Step:
    """A file: its attributes, or its octets, whichever is asked for."""

    def step(talk: Talk) -> None:
        if talk.asked == b"CONTENTS":
            talk.say(Attribute(*CONTENTS, [b"DATA", octets]))
        else:
            talk.send(attributes())

    return step


def half(octets: bytes) -> Step:
    """A file whose octets begin to come: then what follows in the script happens, and only then."""

    def step(talk: Talk) -> None:
        if talk.asked != b"CONTENTS":
            talk.send(attributes())
            raise Done
        talk.packet(Packet(talk.cid, 1, 0, 1, payload=b"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA " + octets))

    return step


def endless(beginning: bytes, chunk: bytes) -> Step:
    """A reply without end, as fast as it is acknowledged."""

    def step(talk: Talk) -> None:
        if talk.asked and talk.asked != b"CONTENTS":
            talk.send(attributes())
            raise Done

        def go_on(packet: Packet) -> None:
            through = packet.received_through or 0
            for number in range(through + 1, through + 5):
                flags = PLEASE_ACKNOWLEDGE if number == through + 4 else 0
                payload = chunk if number > 1 else beginning + chunk
                talk.packet(Packet(talk.cid, number & 0xFFFF, 0, 1, 0, flags, payload=payload))

        talk.again = go_on
        go_on(Packet())

    return step


def link(name: bytes, hsoname: bytes = b"x", host: bytes = b"evil.test", target: bytes = b"FILE") -> Link:
    """A link of a directory."""
    return Link(b"L", target, name, b"INTERNET-D", host, b"ASCII", hsoname, 0)


def listing(names: Sequence[bytes]) -> list[Step]:
    """The script of a server whose directory has these names; NUL is sent as it is."""
    lines = [link(name.replace(b"\0", b"@NUL@")).write() + b"\n" for name in names]
    return [text(b"".join(lines).replace(b"@NUL@", b"\0"))]


def nothing_found() -> Step:
    """An empty directory."""
    return say(Line(b"NONE-FOUND"))
