"""The fake server, and what ``--explain`` says of a conversation with it."""

from __future__ import annotations

import pytest

from anyurl.client.dry_run import dry_run
from anyurl.dialogue import Options, Verb
from anyurl.schemes.prospero.wire.ardp_packet import CANCEL, Packet, decode, encode
from anyurl.schemes.prospero.wire.fake_server import CONTENT, FakeProsperoServer
from anyurl.schemes.prospero.wire.messages import attributes_request, list_request, read_reply, resolve_request

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
    answer = decode(FakeProsperoServer("h", 1600).received(1, encode(Packet(7, 1, 1, 0, payload=request_))))
    assert (answer.cid, answer.number) == (7, None)
    assert [type(line).__name__ for line in read_reply(answer.payload)] == lines


def test_it_has_contents() -> None:
    request = attributes_request(b"CONTENTS", b"/x.txt")
    answer = FakeProsperoServer("h", 1525).received(1, encode(Packet(7, 1, 1, 0, payload=request)))
    [contents] = read_reply(decode(answer).payload)
    assert getattr(contents, "tokens", ()) == (b"DATA", CONTENT)


def test_it_is_silent_where_nothing_is_asked() -> None:
    server = FakeProsperoServer("h", 1525)
    assert server.connected(1) == b""
    assert server.received(1, encode(Packet(7, 0, 0, 1))) == b""
    assert server.tell(encode(Packet(7, 0, 0, 1))) == ("(ARDP: acknowledgement)",)
    assert server.tell(encode(Packet(7, 0, 0, 0, 0, 0, CANCEL))) == ("(ARDP: cancel)",)
    assert server.tell(b"") == ("(a datagram)",)
