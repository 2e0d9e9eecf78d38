"""The server: for each packet of a real client, the packets of the real one; and what ``--explain`` says of it."""

from __future__ import annotations

import pytest

from anyurl.client.dry_run import dry_run
from anyurl.dialogue import Options, Verb
from anyurl.schemes.prospero.wire.ardp_packet import CANCEL, Packet, decode, encode
from anyurl.schemes.prospero.wire.messages import attributes_request, list_request, read_reply, resolve_request
from anyurl.schemes.prospero.wire.server import CONTENT, MAX_CALLS, Answer, ProsperoServer, ideal_server
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
        server = ProsperoServer(lambda _request, reply=reply: Answer(reply))  # type: ignore[misc]
        ours = [
            packet for each in its if each.to_server and not each.dropped for packet in server.reply(CLIENT, each.data)
        ]
        theirs = [each.data for each in its if not each.to_server]
        if name == "hdr-priority":  # the capture ends with the first window, so that its last packet looks like the end
            theirs = theirs[:1]
            ours = ours[:1]
        assert ours == theirs


def test_a_connection_without_number_is_not_kept() -> None:
    ((_, its),) = list(conversations("hdr-cid0"))
    server = ProsperoServer(lambda _request: Answer(its[1].data[1:]))
    assert server.reply(CLIENT, its[0].data) == [its[1].data]


def test_a_wait_comes_before_its_answer_and_the_last_packet_wants_an_acknowledgement() -> None:
    for _cid, its in conversations("ardp-wait-queue-status"):
        text = message(each for each in its if not each.to_server)
        server = ProsperoServer(lambda _request, text=text: Answer(text, wait=900, queue=(1, 7)))  # type: ignore[misc]
        assert server.reply(CLIENT, its[0].data) == [each.data for each in its if not each.to_server]
    server = ProsperoServer(lambda _request: Answer(b"x", wait=180))
    told = decode(server.reply(CLIENT, encode(Packet(7, payload=b"r")))[0])
    assert told == Packet(7, 0, 0, 0, 180)


def test_refusal_and_redirection() -> None:
    ((cid, its),) = conversations("real-client-refuse")
    server = ProsperoServer(lambda _request: Answer(refused=True))
    assert server.reply(CLIENT, its[0].data) == [its[1].data]
    server = ProsperoServer(lambda _request: Answer(redirect=("127.0.0.1", 15250)))
    (packet,) = map(decode, server.reply(CLIENT, its[0].data))
    assert packet == Packet(cid, 0, 0, 0, 0, 0, 4, endpoint=("127.0.0.1", 15250))
    assert ProsperoServer(lambda _request: Answer(silent=True)).reply(CLIENT, its[0].data) == []


@pytest.mark.parametrize(
    "datagram",
    [b"", b"\x09", b"\x09\x50\x30\x00\x01", b"VERSION 5\n", b"\x81" + bytes(20), encode(Packet(7, 0, 0, 3))],
)
def test_what_is_answered_by_nothing(datagram: bytes) -> None:
    server = ProsperoServer(lambda _request: Answer(b"x" * 20_000))
    assert server.reply(CLIENT, datagram) == []


def test_a_long_reply_leaves_no_more_than_a_window_unacknowledged() -> None:
    text = b"x" * 1250 * 40
    server = ProsperoServer(lambda _request: Answer(text))
    sent = [decode(each) for each in server.reply(CLIENT, encode(Packet(7, payload=b"r")))]
    assert [packet.number for packet in sent] == list(range(1, 17))
    again = [decode(each) for each in server.reply(CLIENT, encode(Packet(7, 0, 0, 4)))]
    assert [packet.number for packet in again] == list(range(5, 21))
    assert {packet.total for packet in again} == {40}
    assert server.reply(CLIENT, encode(Packet(7, 0, 0, 40))) == []


def test_only_the_latest_connections_are_remembered() -> None:
    server = ProsperoServer(lambda request: Answer(request))
    for cid in range(1, MAX_CALLS + 2):
        server.reply(CLIENT, encode(Packet(cid, 1, 1, 0, payload=b"first")))
    again = [decode(server.reply(CLIENT, encode(Packet(cid, 1, 1, 0, payload=b"new")))[0]) for cid in (1, MAX_CALLS)]
    assert [packet.payload for packet in again] == [b"new", b"first"]


def test_a_listener_is_given_one_datagram_at_a_time() -> None:
    """As `reply` gives them: the steps of a link are the datagrams, and those of each link are its own."""
    text = b"x" * 1250 * 3
    by_step, at_once = (ProsperoServer(lambda _request: Answer(text)) for _ in range(2))
    request = encode(Packet(7, payload=b"r"))
    for link in (1, 2):
        by_step.connected(link)
        by_step.feed(link, request)
        steps = list(iter(lambda link=link: by_step.step(link), None))  # type: ignore[misc]
        assert [each for each in steps if each] == at_once.reply(link, request)
        assert by_step.is_open(link)
    assert len(at_once.reply(1, request)) == 3


# --- the ideal one ---------------------------------------------------------------------------------------------------


def said(host: str, port: int, request: bytes) -> bytes:
    server = ideal_server(host, port)
    server.connected(1)
    return server.received(1, encode(Packet(7, 1, 1, 0, payload=request)))


HEAD = [
    "connect to h port 1525 by UDP",
    "> (ARDP: packet 1 of 1)",
    "> VERSION 5",
    "> AUTHENTICATE '' UNAUTHENTICATED anonymous",
]


@pytest.mark.parametrize(
    ("url", "verb", "words", "lines"),
    [
        (
            "prospero://h//pub/x.txt;OBJECT-VERSION=3", "get", "",
            [
                "> GET-OBJECT-INFO #ALL ASCII '/pub/x.txt' 3", "> DIRECTORY ASCII '/pub/x.txt' 3",
                "> LIST ATTRIBUTES COMPONENTS", "go on at ftp://ftp.ideal.example/pub/x.txt;type=i (prospero AFTP)",
            ],
        ),
        ("prospero://h/x.txt", "list", "", ["> DIRECTORY ASCII x.txt", "> LIST ATTRIBUTES COMPONENTS"]),
        (
            "prospero://h/ARCHIE", "search", "two words",
            ["> DIRECTORY ASCII ARCHIE'/MATCH(95,95,95,0,=)/two words'", "> LIST ATTRIBUTES COMPONENTS"],
        ),
        ("prospero://h/d", "search", "a/b", ["> DIRECTORY ASCII d", "> LIST ATTRIBUTES COMPONENTS a/b"]),
    ],
)  # fmt: skip
def test_what_would_be_sent(url: str, verb: Verb, words: str, lines: list[str]) -> None:
    assert list(dry_run(url, verb, Options(words=words))) == [*HEAD, *lines]


@pytest.mark.parametrize(
    ("request_", "lines"),
    [
        (resolve_request(b"/d"), ["Line", "Link", "Attribute", "Attribute", "Attribute", "Attribute", "Link"]),
        (resolve_request(b"/x.txt"), ["Attribute", "Attribute", "Attribute", "Attribute", "Complaint"]),
        (list_request(b"/x.txt"), ["Link", "Attribute", "Attribute", "Attribute", "Attribute", "Link"]),
        (attributes_request(b"CONTENTS", b"/x.txt"), ["Attribute"]),
    ],
)
def test_it_believes_that_the_url_is_right(request_: bytes, lines: list[str]) -> None:
    answer = decode(said("h", 1600, request_))
    assert (answer.cid, answer.number) == (7, None)
    assert [type(line).__name__ for line in read_reply(answer.payload)] == lines


def test_it_has_contents() -> None:
    request = attributes_request(b"CONTENTS", b"/x.txt")
    [contents] = read_reply(decode(said("h", 1525, request)).payload)
    assert getattr(contents, "tokens", ()) == (b"DATA", CONTENT)


def test_it_is_silent_where_nothing_is_asked() -> None:
    server = ideal_server("h", 1525)
    assert server.connected(1) == b""
    assert server.received(1, encode(Packet(7, 0, 0, 1))) == b""
    assert server.tell(encode(Packet(7, 0, 0, 1))) == ("(ARDP: acknowledgement)",)
    assert server.tell(encode(Packet(7, 0, 0, 0, 0, 0, CANCEL))) == ("(ARDP: cancel)",)
    assert server.tell(b"") == ("(a datagram)",)
