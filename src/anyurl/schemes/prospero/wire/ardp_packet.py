"""ARDP packets, version 0: a header that may end after any field, and a piece of a message.

Rule: octet 0 is the length of the header and determines its fields; an absent field is None, which differs from zero.
`decode` and `encode` are inverse for every header, even for one that is cut within a field or longer than all fields.
(B. C. Neuman, the Asynchronous Reliable Delivery Protocol of Prospero, 1993; RFC 1738 3.11 names it.)
"""

from __future__ import annotations

from typing import Final

from anyurl.errors import LocalProtocolError, RemoteProtocolError, sample
from anyurl.errors.reasons import reason_of
from anyurl.values import Struct

MAX_HEADER = 31
"""Octets of a header: the two high bits of octet 0 are the version, and the real server takes 32 and more for text."""

MAX_PAYLOAD = 1250
"""Octets of a message in one packet: as many as all known servers send and all known clients accept."""

# Octet 11: bits.
EXTRA_ADDRESS: Final = 0x01
PRIORITY: Final = 0x02
PROTOCOL: Final = 0x04
WINDOW: Final = 0x08
SEQUENCED_CONTROL: Final = 0x40
PLEASE_ACKNOWLEDGE: Final = 0x80

# Octet 12: one number.
CANCEL: Final = 1
REFUSED: Final = 1
RESET: Final = 2
REDIRECT: Final = 4
REDIRECT_REMEMBERED: Final = 5
BAD_VERSION: Final = 8
QUEUE_STATUS: Final = 254

_ENDPOINTS = range(REDIRECT, BAD_VERSION)  # 6 and 7: forwarded on behalf of this endpoint
_PAIRS = ("cid", "number", "total", "received_through", "wait")
_OCTETS = ("flags", "option")


class Packet(Struct):
    """One datagram.

    Attributes:
        cid: The connection's number, chosen by the client.
        number: The number of this packet, from 1; 0 for a control packet, which carries no part of the message.
        total: The number of packets of the message; 0 if its sender does not know it yet.
        received_through: The packet of the other side's message up to which all have arrived.
        wait: Seconds during which the client must not retransmit (only from a server).
        flags: Bits of octet 11.
        option: The number in octet 12; the meaning of 1 depends on the sender.
        extra_address: Type, length and octets of an additional address (`EXTRA_ADDRESS`).
        priority: Larger is less urgent (`PRIORITY`).
        protocol: The number of the protocol carried (`PROTOCOL`).
        window: Packets that the sender of this one accepts before it acknowledges them (`WINDOW`).
        endpoint: The IPv4 address and port of a redirection or a forwarder.
        queue: Place in the server's queue and seconds until the reply, each None if not reported.
        rest: The rest of the header: a truncated field, arguments of unused options.
        payload: The octets of the message.
    """

    cid: int | None = None
    number: int | None = None
    total: int | None = None
    received_through: int | None = None
    wait: int | None = None
    flags: int | None = None
    option: int | None = None
    extra_address: bytes | None = None
    priority: int | None = None
    protocol: int | None = None
    window: int | None = None
    endpoint: tuple[str, int] | None = None
    queue: tuple[int | None, int | None] | None = None
    rest: bytes = b""
    payload: bytes = b""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Packet):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__match_args__)

    __hash__ = None  # type: ignore[assignment]  # it may be changed

    def __repr__(self) -> str:
        given = ((name, getattr(self, name)) for name in self.__match_args__)
        return f"Packet({', '.join(f'{name}={value!r}' for name, value in given if value not in (None, b''))})"


def decode(datagram: bytes) -> Packet:
    """Parse a datagram.

    Raises:
        RemoteProtocolError: It does not begin with a header of ARDP version 0.
    """
    length = datagram[0] if datagram else 0
    if not 1 <= length <= min(MAX_HEADER, len(datagram)):
        raise RemoteProtocolError(
            f"A datagram does not begin with a header of ARDP version 0: {sample(datagram[:40])}",
            sample=sample(datagram),
        )
    packet = Packet(payload=datagram[length:])
    at = 1
    for names, width in ((_PAIRS, 2), (_OCTETS, 1)):
        for name in names:
            if at + width > length:
                packet.rest = datagram[at:length]
                return packet
            setattr(packet, name, int.from_bytes(datagram[at : at + width]))
            at += width
    packet.rest = _read_arguments(packet, datagram[at:length])
    return packet


def _read_arguments(packet: Packet, data: bytes) -> bytes:
    """Parse the arguments, first those of the flags from the lowest bit, then that of the option; returns the rest."""
    flags = packet.flags or 0
    if flags & EXTRA_ADDRESS:
        if len(data) < 2 or len(data) < 2 + data[1]:
            return data
        packet.extra_address, data = data[: 2 + data[1]], data[2 + data[1] :]
    for bit, name in ((PRIORITY, "priority"), (PROTOCOL, "protocol"), (WINDOW, "window")):
        if flags & bit:
            if len(data) < 2:
                return data
            setattr(packet, name, int.from_bytes(data[:2], signed=bit == PRIORITY))
            data = data[2:]
    if packet.option in _ENDPOINTS and len(data) >= 6:
        packet.endpoint = (".".join(map(str, data[:4])), int.from_bytes(data[4:6]))
        return data[6:]
    if packet.option == QUEUE_STATUS and data and data[0] <= 3:
        place, seconds = bool(data[0] & 1) * 2, bool(data[0] & 2) * 4
        if len(data) > place + seconds:
            packet.queue = (
                int.from_bytes(data[1:3]) if place else None,
                int.from_bytes(data[1 + place : 5 + place]) if seconds else None,
            )
            return data[1 + place + seconds :]
    return data


def encode(packet: Packet) -> bytes:
    """Encode a packet; fields after the first None must be None as well.

    Raises:
        LocalProtocolError: The header would be longer than 31 octets, or a number does not fit into its field.
    """
    header = bytearray(1)
    try:
        for names, width in ((_PAIRS, 2), (_OCTETS, 1)):
            for name in names:
                value = getattr(packet, name)
                if value is None:
                    return _finish(header, packet)
                header += value.to_bytes(width)
        _write_arguments(header, packet)
    except (OverflowError, ValueError) as error:
        raise LocalProtocolError(f"This does not fit into an ARDP header: {reason_of(error)}.") from error
    return _finish(header, packet)


def _write_arguments(header: bytearray, packet: Packet) -> None:
    header += packet.extra_address or b""
    for name in ("priority", "protocol", "window"):
        value: int | None = getattr(packet, name)
        if value is not None:
            header += value.to_bytes(2, signed=name == "priority")
    if packet.endpoint is not None:
        host, port = packet.endpoint
        header += bytes(map(int, host.split("."))) + port.to_bytes(2)
    if packet.queue is not None:
        place, seconds = packet.queue
        header.append((place is not None) | (seconds is not None) << 1)
        header += b"" if place is None else place.to_bytes(2)
        header += b"" if seconds is None else seconds.to_bytes(4)


def _finish(header: bytearray, packet: Packet) -> bytes:
    header += packet.rest
    if len(header) > MAX_HEADER:
        raise LocalProtocolError(f"An ARDP header has at most {MAX_HEADER} octets, not {len(header)}.")
    header[0] = len(header)
    return bytes(header) + packet.payload


def split_message(message: bytes, largest: int = MAX_PAYLOAD) -> list[bytes]:
    """Split a message into the payloads of packets; an empty message is one empty payload."""
    return [message[at : at + largest] for at in range(0, len(message), largest)] or [b""]
