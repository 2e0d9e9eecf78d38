"""The server's side of ARDP, without I/O: clients' datagrams go in, datagrams for them come out.

Rule: it sends the observed replies of the original server, header for header. It has no timers: a lost reply is resent
when the client repeats its request. The latest finished replies are kept for that, by client and connection number.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeAlias

from anyurl.errors import RemoteProtocolError
from anyurl.schemes.prospero.wire.ardp_packet import (
    CANCEL,
    PLEASE_ACKNOWLEDGE,
    QUEUE_STATUS,
    REDIRECT,
    REFUSED,
    Packet,
    decode,
    encode,
    split_message,
)
from anyurl.values import Value

WINDOW = 16
"""How many unacknowledged packets may be under way, unless the client asks for another number."""

LARGEST_WINDOW = 256
"""Most packets under way, whatever a client asks for."""

MAX_CALLS = 256
"""Connections that are remembered: far more than a demo or a test has at once."""

MAX_REQUEST_PACKETS = 256
"""Packets of a request: more than any command needs."""

Client: TypeAlias = tuple[str, int]


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
    redirect: Client | None = None
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


class ArdpServer:
    """Answers requests.

    Args:
        answer: The reply to a request.
    """

    def __init__(self, answer: Callable[[bytes], Answer]) -> None:
        self._answer = answer
        self._calls: OrderedDict[tuple[Client, int], _IncomingCall] = OrderedDict()

    def feed(self, datagram: bytes, client: Client) -> list[bytes]:
        """The datagrams that answer this one; none if it is malformed, unknown or uses another framing."""
        try:
            packet = decode(datagram)
        except RemoteProtocolError:
            return []
        if not packet.cid:
            # Without a connection number nothing can be kept: the reply is one packet whose header is only its length.
            return [encode(Packet(payload=piece)) for piece in split_message(self._answer(packet.payload).text)[:1]]
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
        call.reply = split_message(answer.text)
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
