"""ARDP packets and connections: what is read is written the same; whatever comes in, little goes out, and it ends."""

from __future__ import annotations

from anyurl.errors import AnyURLError
from anyurl.schemes.prospero.wire.ardp import LONGEST_WAIT, Call
from anyurl.schemes.prospero.wire.ardp_packet import PLEASE_ACKNOWLEDGE, decode, encode
from anyurl.schemes.prospero.wire.server import Answer, ProsperoServer
from fuzz import kit

CID = 0x0101
MAX_BYTES = 20_000


def fuzz(data: bytes) -> None:
    """Datagrams, each behind an octet of its length and one of the time before it."""
    server = ProsperoServer(lambda request: Answer(request * 3))
    call = Call(CID, b"VERSION\n", 0.0, max_bytes=MAX_BYTES)
    call.due(0.0)
    now, taken, failed = 0.0, 0, False
    while data and not failed:
        length, pause, data = data[0], data[1:2], data[2:]
        datagram, data = data[:length], data[length:]
        _check_packet(datagram)
        _check_server(server, datagram)
        _, error = kit.outcome(lambda now=now: call.due(now))  # type: ignore[misc]  # what has become due with the time
        if error is not None:
            return  # it has given up
        now += (pause[0] if pause else 0) / 16
        before = len(call.due(now)) if now < call.next_at else 0
        kit.same(before, 0, "something is sent before it is due")
        _, error = kit.outcome(lambda datagram=datagram, now=now: call.feed(datagram, now))  # type: ignore[misc]
        failed = error is not None
        taken += len(call.take())
        if not failed and now < call.next_at:
            sent = call.due(now)
            kit.same(sum(map(len, sent)) <= len(datagram), True, "more goes out than came in")
            kit.same(sent == [] or bool((decode(datagram).flags or 0) & PLEASE_ACKNOWLEDGE), True, "nobody asked")
    kit.same(taken <= MAX_BYTES, True, "the reply is larger than its limit")
    if not failed and not call.done:
        _check_end(call, now)


def _check_packet(datagram: bytes) -> None:
    packet, _ = kit.outcome(lambda: decode(datagram))
    if packet is not None:
        kit.same(encode(packet), datagram, "the packet is written in another way")


def _check_server(server: ProsperoServer, datagram: bytes) -> None:
    for answer in server.reply(1, datagram):
        decode(answer)


def _check_end(call: Call, now: float) -> None:
    """Left alone, it gives up in bounded time."""
    last = now + LONGEST_WAIT + 120.0
    for _ in range(2000):
        now = max(now, call.next_at)
        kit.same(now <= last, True, "it does not give up")
        try:
            call.due(now)
        except AnyURLError:
            return
    raise kit.Finding("it does not give up")
