"""The server's side of ARDP: for each packet of a real client, the packets of the real server."""

from __future__ import annotations

import pytest

from anyurl.schemes.prospero.wire.ardp_packet import Packet, decode, encode
from anyurl.world.ardp import MAX_CALLS, Answer, ArdpServer
from tests.schemes.prospero.wire.prospero_transcripts import conversations, message

CLIENT = ("127.0.0.1", 901)

REPLAYED = [
    "ardp-duplicate",
    "ardp-duplicate-acked",
    "ardp-duplicate-same-second",
    "ardp-multipacket-request",
    "ardp-multipacket-request-gap",
    "ardp-ackrequest-from-client",
    "ardp-cancel",
    "ardp-control-only",
    "ardp-same-cid-new-text",
    "hdr-window2-ack",
    "hdr-priority",
    "hdr-unknown-long",
    "loss-request",
    "loss-single-reply",
    "real-vls-big",
    "real-vls-multicomp",
    "real-archie-nice",
]


@pytest.mark.parametrize("name", REPLAYED)
def test_the_packets_of_a_transcript(name: str) -> None:
    """Header for header: what the real server sent for each datagram that reached it."""
    for _cid, its in conversations(name):
        reply = message(each for each in its if not each.to_server)
        server = ArdpServer(lambda _request, reply=reply: Answer(reply))  # type: ignore[misc]
        ours = [
            packet for each in its if each.to_server and not each.dropped for packet in server.feed(each.data, CLIENT)
        ]
        theirs = [each.data for each in its if not each.to_server]
        if name == "hdr-priority":  # the capture ends with the first window, so that its last packet looks like the end
            theirs = theirs[:1]
            ours = ours[:1]
        assert ours == theirs


def test_a_connection_without_number_is_not_kept() -> None:
    ((_, its),) = list(conversations("hdr-cid0"))
    server = ArdpServer(lambda _request: Answer(its[1].data[1:]))
    assert server.feed(its[0].data, CLIENT) == [its[1].data]


def test_a_wait_comes_before_its_answer_and_the_last_packet_wants_an_acknowledgement() -> None:
    for _cid, its in conversations("ardp-wait-queue-status"):
        text = message(each for each in its if not each.to_server)
        server = ArdpServer(lambda _request, text=text: Answer(text, wait=900, queue=(1, 7)))  # type: ignore[misc]
        assert server.feed(its[0].data, CLIENT) == [each.data for each in its if not each.to_server]
    server = ArdpServer(lambda _request: Answer(b"x", wait=180))
    told = decode(server.feed(encode(Packet(7, payload=b"r")), CLIENT)[0])
    assert told == Packet(7, 0, 0, 0, 180)


def test_refusal_and_redirection() -> None:
    ((cid, its),) = conversations("real-client-refuse")
    server = ArdpServer(lambda _request: Answer(refused=True))
    assert server.feed(its[0].data, CLIENT) == [its[1].data]
    server = ArdpServer(lambda _request: Answer(redirect=("127.0.0.1", 15250)))
    (packet,) = map(decode, server.feed(its[0].data, CLIENT))
    assert packet == Packet(cid, 0, 0, 0, 0, 0, 4, endpoint=("127.0.0.1", 15250))
    assert ArdpServer(lambda _request: Answer(silent=True)).feed(its[0].data, CLIENT) == []


@pytest.mark.parametrize(
    "datagram",
    [b"", b"\x09", b"\x09\x50\x30\x00\x01", b"VERSION 5\n", b"\x81" + bytes(20), encode(Packet(7, 0, 0, 3))],
)
def test_what_is_answered_by_nothing(datagram: bytes) -> None:
    server = ArdpServer(lambda _request: Answer(b"x" * 20_000))
    assert server.feed(datagram, CLIENT) == []


def test_a_long_reply_leaves_no_more_than_a_window_unacknowledged() -> None:
    text = b"x" * 1250 * 40
    server = ArdpServer(lambda _request: Answer(text))
    sent = [decode(each) for each in server.feed(encode(Packet(7, payload=b"r")), CLIENT)]
    assert [packet.number for packet in sent] == list(range(1, 17))
    again = [decode(each) for each in server.feed(encode(Packet(7, 0, 0, 4)), CLIENT)]
    assert [packet.number for packet in again] == list(range(5, 21))
    assert {packet.total for packet in again} == {40}
    assert server.feed(encode(Packet(7, 0, 0, 40)), CLIENT) == []


def test_only_the_latest_connections_are_remembered() -> None:
    server = ArdpServer(lambda request: Answer(request))
    for cid in range(1, MAX_CALLS + 2):
        server.feed(encode(Packet(cid, 1, 1, 0, payload=b"first")), CLIENT)
    again = [decode(server.feed(encode(Packet(cid, 1, 1, 0, payload=b"new")), CLIENT)[0]) for cid in (1, MAX_CALLS)]
    assert [packet.payload for packet in again] == [b"new", b"first"]
