"""WAIS messages: the header of 25 printable octets, and the APDU after it (WAIS profile of Z39.50-1988; RFC 1625).

Rule: one message is a header, an APDU and the data after it (*user information*); all parts are kept in the order
received, so that writing a parsed message gives the same octets. Three things are written in their canonical form only:
a length has ten digits, a compressed integer has the fewest octets, a number that is built has the fewest octets.

Its neighbours: `fields` (the building blocks), `queries` (requests), `records` (replies), `source` (descriptions of
databases), `fake_server` (an ideal server).
"""

from __future__ import annotations

from anyurl.errors import LimitError, LocalProtocolError, RemoteProtocolError, Truncated, sample
from anyurl.schemes.wais.wire.fields import Fields, first, first_num, read_field, read_fields, write_fields
from anyurl.values import Value

HEADER_BYTES = 25

MAX_MESSAGE_BYTES = 1024 * 1024
"""Octets of the body of a message: freeWAIS sends up to 100,000; the length field could claim 9,999,999,999."""

MAX_APDU_BYTES = 2**16 - 1
"""The largest value of the two octets of an APDU's length."""

INIT, INIT_RESPONSE, SEARCH, SEARCH_RESPONSE, PRESENT, PRESENT_RESPONSE = 20, 21, 22, 23, 24, 25

NAMES = {
    INIT: "Init", INIT_RESPONSE: "InitResponse", SEARCH: "Search", SEARCH_RESPONSE: "SearchResponse",
    PRESENT: "Present", PRESENT_RESPONSE: "PresentResponse",
}  # fmt: skip

_HEAD_BYTES = {INIT: 0, INIT_RESPONSE: 1, SEARCH: 10, SEARCH_RESPONSE: 10, PRESENT: 6}
"""Octets of the positional fields after the type of an APDU."""

CLIENT_NAME = b"wais      "


class MessageHeader(Value):
    """The first 25 octets, without the length.

    Attributes:
        type: ``z``; no other is in use.
        version: ``2``; to a client of version 1, servers do not send the types of documents.
        server: Ten octets that the server echoes.
        compression: A space: none.
        encoding: A space for plain octets; ``h`` for printable characters, for 7-bit lines.
        checksum: ``0``; no known program computes one.
    """

    type: bytes = b"z"
    version: bytes = b"2"
    server: bytes = CLIENT_NAME
    compression: bytes = b" "
    encoding: bytes = b" "
    checksum: bytes = b"0"

    def octets(self, length: int) -> bytes:
        """The header of a message with a body of this length."""
        return b"%010d" % length + self.type + self.version + self.server + self.compression + self.encoding + (
            self.checksum
        )  # fmt: skip


class WaisMessage(Value):
    """One message.

    Attributes:
        header: The header without the length.
        body: The decoded octets after it; empty in a reply that reports an error.
    """

    body: bytes
    header: MessageHeader = MessageHeader()

    def octets(self) -> bytes:
        """The message as sent."""
        body = armour(self.body) if self.header.encoding == b"h" and self.body else self.body
        return self.header.octets(len(body)) + body


Z3950_INIT = bytes.fromhex("b412 830205e0 840206c0 8503100000 8603100000")
"""The first message of today's Z39.50 (versions 2 and 3, in BER): InitializeRequest, with search and present."""


def is_z3950(reply: bytes) -> bool:
    """Whether a reply to `Z3950_INIT` is an InitializeResponse ([21] in BER), which no WAIS message begins as."""
    return reply.startswith(b"\xb5")


class MessageReader:
    """Octets in, messages out.

    Args:
        lenient: Read malformed lengths as freeWAIS does: the leading digits, or 0 (servers only).
    """

    __slots__ = ("_data", "_lenient", "_needed")

    def __init__(self, *, lenient: bool = False) -> None:
        self._data = bytearray()
        self._lenient = lenient
        self._needed = HEADER_BYTES

    def feed(self, data: bytes) -> list[WaisMessage]:
        """The messages that these octets complete.

        Raises:
            RemoteProtocolError: The octets are not a WAIS message.
            LimitError: A message is longer than `MAX_MESSAGE_BYTES`.
        """
        self._data += data
        messages: list[WaisMessage] = []
        while len(self._data) >= self._needed:
            length = self._length()
            self._needed = HEADER_BYTES + length
            if len(self._data) < self._needed:
                break
            messages.append(_message(bytes(self._data[: self._needed])))
            del self._data[: self._needed]
            self._needed = HEADER_BYTES
        if not self._lenient and self._data[:10].strip(b"0123456789 "):
            raise _no_message(bytes(self._data))  # not a WAIS server, which may never send 25 octets
        return messages

    @property
    def pending(self) -> int:
        """The number of octets of an incomplete message."""
        return len(self._data)

    def finish(self) -> None:
        """Report that the peer has closed the connection.

        Raises:
            Truncated: A message is incomplete.
        """
        if self._data:
            expected = self._needed if self._needed > HEADER_BYTES else None
            of = f" of {expected:,}" if expected else ""
            text = f"The connection was closed after {len(self._data):,}{of} octets of a WAIS message."
            raise Truncated(text, received=len(self._data), expected=expected)

    def _length(self) -> int:
        digits = bytes(self._data[:10]).strip(b" ")  # ten digits; atol also accepts leading spaces
        if not digits.isdigit():
            if not self._lenient:
                raise _no_message(bytes(self._data))
            digits = digits[: len(digits) - len(digits.lstrip(b"0123456789"))]  # atol stops where no digit is
        length = int(digits or b"0")
        if length > MAX_MESSAGE_BYTES:
            raise LimitError(
                f"A WAIS message claims {length:,} octets: up to {MAX_MESSAGE_BYTES:,} are read.",
                limit="MAX_MESSAGE_BYTES",
            )
        return length


def _no_message(data: bytes) -> RemoteProtocolError:
    return RemoteProtocolError(
        f"A WAIS message begins with its length in ten digits, not {sample(data[:HEADER_BYTES])}", sample=sample(data)
    )


def _message(data: bytes) -> WaisMessage:
    header = MessageHeader(data[10:11], data[11:12], data[12:22], data[22:23], data[23:24], data[24:25])
    body = data[HEADER_BYTES:]
    return WaisMessage(unarmour(body) if header.encoding == b"h" and body else body, header)


def armour(data: bytes) -> bytes:
    """Apply encoding ``h``: three octets become four characters from ``0`` to ``p``, with CR at the end."""
    out = bytearray()
    for at in range(0, len(data), 3):
        a, b, c = (data[at : at + 3] + b"\0\0")[:3]
        group = [a & 0x3F, (a & 0xC0) >> 2 | b >> 4, (c & 0xC0) >> 2 | b & 0x0F, c & 0x3F]
        missing = at + 3 - len(data)
        group[4 - missing :] = [64] * missing if missing > 0 else []
        out += bytes(0x30 + number for number in group)
    return bytes(out) + b"\r"


def unarmour(data: bytes) -> bytes:
    """Undo `armour`.

    Raises:
        RemoteProtocolError: The text is not in encoding ``h``.
    """
    text = data.removesuffix(b"\r")
    if len(text) % 4 or any(not 0x30 <= octet <= 0x70 for octet in text):
        raise RemoteProtocolError(
            "A WAIS message in encoding h contains characters outside its alphabet.", sample=sample(data)
        )
    out = bytearray()
    for at in range(0, len(text), 4):
        n0, n1, n2, n3 = (octet - 0x30 for octet in text[at : at + 4])
        missing = (n3 == 64) + (n2 == 64 and n3 == 64)
        n2, n3 = n2 & 0x3F, n3 & 0x3F
        whole = (n0 | (n1 << 2) & 0xC0, (n1 << 4) & 0xF0 | n2 & 0x0F, (n2 << 2) & 0xC0 | n3)
        out += bytes(octet & 0xFF for octet in whole[: 3 - missing])
    return bytes(out)


# --- APDUs ---------------------------------------------------------------------------------------------------------


class Apdu(Value):
    """One APDU and the user information after it, in the order received.

    Attributes:
        pdu: The type: `INIT`, `INIT_RESPONSE`, `SEARCH`, `SEARCH_RESPONSE` ...
        head: The octets of the positional fields.
        fields: The tagged fields.
        blocks: The blocks after the APDU: at most one, with tag 99 or 21.
    """

    pdu: int
    head: bytes = b""
    fields: Fields = ()
    blocks: Fields = ()

    def octets(self) -> bytes:
        """The body of a message.

        Raises:
            LocalProtocolError: The APDU is longer than `MAX_APDU_BYTES`.
        """
        apdu = bytes((self.pdu,)) + self.head + write_fields(self.fields)
        if len(apdu) > MAX_APDU_BYTES:
            raise LocalProtocolError(
                f"A WAIS {NAMES.get(self.pdu, 'APDU')} of {len(apdu):,} octets can't be sent: "
                f"up to {MAX_APDU_BYTES:,} can (is the name of the database that long?)."
            )
        return len(apdu).to_bytes(2, "big") + apdu + write_fields(self.blocks)

    def field(self, tag: int) -> bytes | None:
        """The first tagged field of the APDU with this tag, or None."""
        return first(self.fields, tag)

    def number(self, tag: int) -> int | None:
        """The number in the first field of the APDU with this tag, or None."""
        return first_num(self.fields, tag)

    def block(self, tag: int) -> bytes | None:
        """The block with this tag after the APDU, or None."""
        return first(self.blocks, tag)


def read_apdu(body: bytes) -> Apdu:
    """Parse the body of a message.

    Raises:
        RemoteProtocolError: A length exceeds its container, or octets follow the end.
    """
    length = int.from_bytes(body[:2], "big")
    if len(body) < 3 or length < 1 or 2 + length > len(body):
        raise RemoteProtocolError(
            f"The APDU of a WAIS message claims {length:,} octets, and the message has {max(0, len(body) - 2):,}.",
            sample=sample(body),
        )
    pdu, apdu = body[2], body[3 : 2 + length]
    size = _HEAD_BYTES.get(pdu)
    if size is None:
        return Apdu(pdu, apdu, (), _blocks(body[2 + length :]))
    if len(apdu) < size:
        raise RemoteProtocolError(f"A WAIS {NAMES[pdu]} is truncated in its first fields.", sample=sample(body))
    return Apdu(pdu, apdu[:size], read_fields(apdu[size:]), _blocks(body[2 + length :]))


def _blocks(data: bytes) -> Fields:
    if not data:
        return ()
    tag, value, end = read_field(data, 0)
    if end != len(data):
        raise RemoteProtocolError(
            f"{len(data) - end:,} octets follow the end of a WAIS message's last block.", sample=sample(data[end:])
        )
    return ((tag, value),)


def read_message(message: WaisMessage) -> Apdu | None:
    """Parse the APDU of a message; None if the body is empty. Raises as `read_apdu`."""
    return read_apdu(message.body) if message.body else None
