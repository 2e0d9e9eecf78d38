"""A Prospero server without I/O: clients' datagrams go in, datagrams for them come out (ARDP).

Rule: it sends the observed replies of the original server, header for header. It has no timers: a lost reply is resent
when the client repeats its request. The latest finished replies are kept for that, by client and connection number.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from anyurl.errors import AnyURLError, RemoteProtocolError
from anyurl.schemes.kit.server import Conversation, ServedClient, WireServer
from anyurl.schemes.prospero.wire.ardp_packet import (
    CANCEL,
    MAX_PAYLOAD,
    PLEASE_ACKNOWLEDGE,
    QUEUE_STATUS,
    REDIRECT,
    REFUSED,
    Packet,
    decode,
    encode,
    split_message,
)
from anyurl.schemes.prospero.wire.commands import INTERNET, Commands, Item, Store, Stored, access, link, sequence
from anyurl.schemes.prospero.wire.messages import ASCII, DEFAULT_PORT, Attribute, Line, Names, read_request
from anyurl.values import Value

WINDOW = 16
"""How many unacknowledged packets may be under way, unless the client asks for another number."""

LARGEST_WINDOW = 256
"""Most packets under way, whatever a client asks for."""

MAX_CALLS = 256
"""Connections that are remembered: far more than a demo or a test has at once."""

MAX_REPLY = 1024 * 1024
"""Octets of a reply of the ideal server, far more than it ever has."""

MAX_REQUEST_PACKETS = 256
"""Packets of a request: more than any command needs."""

CONTENT = b"An ideal file\nhas two lines.\n"
"""The content of every ideal file."""

FTP_HOST = b"ftp.ideal.example"


class Answer(Value):
    """The reply of the server to one request.

    Attributes:
        text: The message.
        wait: Seconds that the client should wait for it, or None.
        queue: Place in the queue and seconds to go, told with `wait`, or None.
        refused: The connection is refused.
        redirect: IPv4 address and port of the server to ask instead, or None.
        silent: No reply is sent.
    """

    text: bytes = b""
    wait: int | None = None
    queue: tuple[int, int] | None = None
    refused: bool = False
    redirect: tuple[str, int] | None = None
    silent: bool = False


class _IncomingCall:
    """One connection: the request as far as received, then the reply as far as acknowledged."""

    __slots__ = ("parts", "total", "through", "window", "reply", "waited", "acknowledged")

    def __init__(self) -> None:
        self.parts: dict[int, bytes] = {}
        self.total = 0
        self.through = 0
        self.window = WINDOW
        self.reply: list[bytes] | None = None
        self.waited = False
        self.acknowledged = 0


class ProsperoServer(WireServer):
    """Answers requests.

    Args:
        answer: The reply to a request.
        largest: Octets of a reply in one packet.
    """

    def __init__(self, answer: Callable[[bytes], Answer], *, largest: int = MAX_PAYLOAD) -> None:
        super().__init__()
        self._answer = answer
        self._largest = largest
        self._calls: OrderedDict[tuple[Hashable, int], _IncomingCall] = OrderedDict()

    def serve(self, client: ServedClient) -> Conversation[None]:
        """Any number of datagrams, each of which is fed whole."""
        while (yield from client.more()):
            datagram = bytes(client.buffer)
            client.buffer.clear()
            for answer in self.reply(client.link, datagram):
                client.send(answer)
                yield  # the next one is another datagram

    def tell(self, data: bytes) -> Sequence[str]:
        """Describe a datagram for people."""
        try:
            packet = decode(data)
        except AnyURLError:
            return ("(a datagram)",)
        if packet.number == 0:
            return ("(ARDP: acknowledgement)" if packet.option is None else "(ARDP: cancel)",)
        text = packet.payload.decode("utf-8", "surrogateescape")
        return (f"(ARDP: packet {packet.number or 1} of {packet.total or 1})", *text.splitlines())

    def reply(self, client: Hashable, datagram: bytes) -> list[bytes]:
        """The datagrams that answer this one; none if it is malformed, unknown or uses another framing."""
        try:
            packet = decode(datagram)
        except RemoteProtocolError:
            return []
        if not packet.cid:
            # Without a connection number nothing can be kept: the reply is one packet whose header is only its length.
            return [encode(Packet(payload=piece)) for piece in self._split(self._answer(packet.payload).text)[:1]]
        if packet.number == 0 and packet.option == CANCEL:
            self._calls.pop((client, packet.cid), None)
            return []
        call = self._calls.get((client, packet.cid))
        if call is None:
            if packet.number == 0:
                return []
            call = self._calls[client, packet.cid] = _IncomingCall()
            while len(self._calls) > MAX_CALLS:
                self._calls.popitem(last=False)
        if call.reply is not None:
            return self._again(call, packet)
        return self._take(call, packet)

    def _split(self, text: bytes) -> list[bytes]:
        return split_message(text, self._largest)

    def _take(self, call: _IncomingCall, packet: Packet) -> list[bytes]:
        """One more packet of the request."""
        number = 1 if packet.number is None else packet.number
        if number == 0 or number > MAX_REQUEST_PACKETS:
            return []
        call.total = (1 if packet.number is None else packet.total or 0) or call.total
        if packet.window is not None:
            call.window = min(packet.window, LARGEST_WINDOW) or WINDOW
        repeated = number in call.parts
        call.parts.setdefault(number, packet.payload)
        while call.through + 1 in call.parts:
            call.through += 1
        if not call.total or call.through < call.total:
            cid = packet.cid
            return [encode(Packet(cid, 0, 0, call.through))] if repeated or number > call.through else []
        return self._begin(call, packet.cid or 0)

    def _begin(self, call: _IncomingCall, cid: int) -> list[bytes]:
        """The request is whole: the first packets of the reply."""
        answer = self._answer(b"".join(call.parts[number] for number in range(1, call.total + 1)))
        call.reply = self._split(answer.text)
        if answer.silent:
            call.reply = []
        elif answer.refused:
            call.reply = []
            return [encode(Packet(cid, 0, 0, 0, 0, 0, REFUSED))]
        elif answer.redirect is not None:
            call.reply = []
            return [encode(Packet(cid, 0, 0, 0, 0, 0, REDIRECT, endpoint=answer.redirect))]
        datagrams = []
        if answer.wait is not None:
            call.waited = True
            told = Packet(cid, 0, 0, 0, answer.wait)
            if answer.queue is not None:
                told = Packet(cid, 0, 0, 0, answer.wait, 0, QUEUE_STATUS, queue=answer.queue)
            datagrams.append(encode(told))
        return datagrams + self._window(call, cid, first=True)

    def _again(self, call: _IncomingCall, packet: Packet) -> list[bytes]:
        """The reply exists: send the packets that the client has not acknowledged (again)."""
        call.acknowledged = max(call.acknowledged, min(packet.received_through or 0, len(call.reply or ())))
        return self._window(call, packet.cid or 0, first=False)

    def _window(self, call: _IncomingCall, cid: int, *, first: bool) -> list[bytes]:
        """The packets after the last acknowledged one, as many as may be under way."""
        reply = call.reply or []
        last = min(call.acknowledged + call.window, len(reply))
        datagrams = []
        for number in range(call.acknowledged + 1, last + 1):
            whole = number == len(reply)
            packet = Packet(cid, number, 0 if first and not whole else len(reply), payload=reply[number - 1])
            if call.waited or (number == last and not whole):
                packet.received_through, packet.wait = call.through, 0
                packet.flags = PLEASE_ACKNOWLEDGE if number == last else 0
            elif not first:
                packet.received_through = call.through
            elif len(reply) == 1:
                packet.number = packet.total = None
            datagrams.append(encode(packet))
        return datagrams


# --- an ideal server -------------------------------------------------------------------------------------------------


def ideal_server(host: str, port: int) -> ProsperoServer:
    """A server that assumes that the URL is right, for dry runs and ``--explain``; no reply is too long for a packet.

    A name whose links are requested is a directory. If attributes are requested too, a name with a dot in its last
    segment is a file that is available by FTP.
    """
    here = host.encode("ascii", "replace") + (b"" if port == DEFAULT_PORT else b"(%d)" % port)

    def answer(request: bytes) -> Answer:
        try:
            commands = read_request(request)
        except AnyURLError:
            commands = []
        return Answer(Commands(_ideal_store(commands, here), here).answer(request))

    return ProsperoServer(answer, largest=MAX_REPLY)


def _ideal_store(commands: Sequence[Line], here: bytes) -> Store:
    """The objects that these commands are about, whatever their names."""
    resolving = any(line.word == b"GET-OBJECT-INFO" for line in commands)
    tokens = [token for line in commands if line.word == b"LIST" for token in line.tokens]
    path = [name for token in tokens if isinstance(token, Names) for name in token.names] or [b"README"]

    def find(hsoname: bytes) -> Item:
        below, place = hsoname.rstrip(b"/") + b"/", b"/pub/" + hsoname.rpartition(b"/")[2]
        if resolving and not hsoname.startswith(b"ARCHIE") and b"." in place:
            method = sequence(
                b"OBJECT", b"FIELD", b"ACCESS-METHOD", b"AFTP", INTERNET, FTP_HOST, ASCII, place, b"BINARY"
            )
            return Item(attributes=[method, *_facts(b"OBJECT")], contents=CONTENT)
        on_the_way = [Stored(link(b"DIRECTORY", name, here, below + name)) for name in path[:-1]]
        file = link(b"EXTERNAL", path[-1], FTP_HOST, b"/pub/" + path[-1])
        links = [Stored(file, [access(b"AFTP", b"TEXT"), *_facts(b"CACHED")])]
        pub = Stored(link(b"DIRECTORY", b"pub", here, below + b"pub"))
        return Item([*on_the_way, *links, pub], contents=CONTENT)

    return Store({}, (b"",), {b"": find})


def _facts(precedence: bytes) -> list[Attribute]:
    facts = (
        (b"SIZE", b"%d bytes" % len(CONTENT)),
        (b"UNIX-MODES", b"-r--r--r--"),
        (b"LAST-MODIFIED", b"19941201000000Z"),
    )
    return [sequence(precedence, b"INTRINSIC", name, value) for name, value in facts]
