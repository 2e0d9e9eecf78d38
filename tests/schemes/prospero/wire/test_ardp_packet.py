"""The packets of ARDP, against every packet that real programs were seen to send."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import LocalProtocolError, RemoteProtocolError
from anyurl.schemes.prospero.wire import ardp_packet
from anyurl.schemes.prospero.wire.ardp_packet import Packet, decode, encode, split_message
from tests.rows import each_row
from tests.schemes.prospero.wire.prospero_transcripts import NAMES, datagrams

NO_PACKETS = {
    "ardp-short-packets": 3,  # empty, one octet, and a header longer than the datagram
    "hdr-ardp-v1-like": 2,  # version bits 01, and what the server answers to that: text without a header
    "hdr-none-v5": 2,  # no header at all, both ways
    "hdr-none-v5-big": 2,
}
"""How many datagrams of which transcript are not of ARDP version 0."""


@each_row("name", NAMES)
def test_every_packet_that_was_seen_is_written_as_it_was_read(name: str) -> None:
    others = 0
    for each in datagrams(name):
        try:
            packet = decode(each.data)
        except RemoteProtocolError:
            others += 1
            continue
        assert encode(packet) == each.data
        assert each.data.endswith(packet.payload)
    assert others == NO_PACKETS.get(name, 0)


CASES = [
    # A request, as every real client begins it.
    ("096f0600010001000041", Packet(0x6F06, 1, 1, 0, payload=b"A")),
    # The shortest headers: none of the fields; a connection; a number; a total.
    ("0141", Packet(payload=b"A")),
    ("036f0641", Packet(0x6F06, payload=b"A")),
    ("056f06000341", Packet(0x6F06, 3, payload=b"A")),
    ("0738a10002000041", Packet(0x38A1, 2, 0, payload=b"A")),
    # The packet that closes a window, and the acknowledgement that it asks for.
    ("0c38a100100000000100008052", Packet(0x38A1, 16, 0, 1, 0, 0x80, payload=b"R")),
    ("0938a1000000000010", Packet(0x38A1, 0, 0, 16)),
    # Please wait; with the place in the queue and the time.
    ("0b505000000000000000b4", Packet(0x5050, 0, 0, 0, 180)),
    ("148b20000000000000000500fe0300030000003c", Packet(0x8B20, 0, 0, 0, 5, 0, 254, queue=(3, 60))),
    ("108b20000000000000000500fe010003", Packet(0x8B20, 0, 0, 0, 5, 0, 254, queue=(3, None))),
    ("128b20000000000000000500fe020000003c", Packet(0x8B20, 0, 0, 0, 5, 0, 254, queue=(None, 60))),
    # Refused, or cancelled; redirected.
    ("0d7b1900000000000000000001", Packet(0x7B19, 0, 0, 0, 0, 0, 1)),
    ("1337e4000000000000000000047f0000013b92", Packet(0x37E4, 0, 0, 0, 0, 0, 4, endpoint=("127.0.0.1", 15250))),
    # Arguments of flags, lowest bit first: priority, protocol, window; a priority may be negative.
    ("0fe549000100010000000002000005", Packet(0xE549, 1, 1, 0, 0, 2, 0, priority=5)),
    ("0fe54900010001000000000200fffb", Packet(0xE549, 1, 1, 0, 0, 2, 0, priority=-5)),
    (
        "1377780001000100000000" + "0e00000300010002",
        Packet(0x7778, 1, 1, 0, 0, 14, 0, priority=3, protocol=1, window=2),
    ),
    ("11777800010001000000000100" + "0702aabb", Packet(0x7778, 1, 1, 0, 0, 1, 0, extra_address=b"\x07\x02\xaa\xbb")),
    # A header that ends within a field, or whose arguments do, or goes on behind them: the rest is kept.
    ("046f06ff41", Packet(0x6F06, rest=b"\xff", payload=b"A")),
    ("0e77780001000100000000" + "020000", Packet(0x7778, 1, 1, 0, 0, 2, 0, rest=b"\0")),
    ("0f77780001000100000000" + "00fe0700", Packet(0x7778, 1, 1, 0, 0, 0, 254, rest=b"\x07\0")),
    ("0f77780001000100000000" + "01000705", Packet(0x7778, 1, 1, 0, 0, 1, 0, rest=b"\x07\x05")),
    ("0f37e400000000000000000004" + "7f00", Packet(0x37E4, 0, 0, 0, 0, 0, 4, rest=b"\x7f\0")),
]


@each_row(("octets", "packet"), CASES)
def test_a_packet_and_its_octets(octets: str, packet: Packet) -> None:
    assert decode(bytes.fromhex(octets)) == packet
    assert encode(packet).hex() == octets


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"\x00",  # how a server of later versions says that it knows none of ours
        b"\x09\x00",  # the header does not fit
        b"\x20" + bytes(40),  # 32 and more are text or another version
        b"\x81" + bytes(40),  # version 1
        b"ERROR Unknown message: E\n",
    ],
)
def test_what_is_no_packet(octets: bytes) -> None:
    with pytest.raises(RemoteProtocolError, match="header of ARDP version 0"):
        decode(octets)


@given(st.binary(min_size=0, max_size=60))
def test_whatever_is_read_is_written_as_it_was(data: bytes) -> None:
    for octets in (data, bytes([len(data) % 32]) + data):
        try:
            packet = decode(octets)
        except RemoteProtocolError:
            continue
        assert encode(packet) == octets


@pytest.mark.parametrize(
    "packet",
    [
        Packet(0x10000),
        Packet(1, 1, 1, 0, -1),
        Packet(1, 1, 1, 0, 0, 256),
        Packet(1, 1, 1, 0, 0, 0, 4, endpoint=("::1", 1525)),
        Packet(1, rest=bytes(29)),
    ],
)
def test_what_does_not_fit_is_not_sent(packet: Packet) -> None:
    with pytest.raises(LocalProtocolError):
        encode(packet)


def test_a_message_is_cut_at_1250_octets() -> None:
    message = bytes(range(1, 251)) * 11
    pieces = split_message(message)
    assert [len(piece) for piece in pieces] == [1250, 1250, 250]
    assert b"".join(pieces) == message
    assert split_message(b"") == [b""]


def test_a_packet_shows_what_it_holds() -> None:
    assert repr(Packet(7, 1, payload=b"A")) == "Packet(cid=7, number=1, payload=b'A')"
    assert Packet(7) != 7


def test_the_names_of_options_and_flags_differ() -> None:
    flags = ("EXTRA_ADDRESS", "PRIORITY", "PROTOCOL", "WINDOW", "SEQUENCED_CONTROL", "PLEASE_ACKNOWLEDGE")
    assert [getattr(ardp_packet, name) for name in flags] == [1, 2, 4, 8, 0x40, 0x80]
