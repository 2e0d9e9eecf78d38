"""The WAIS server, with an ideal archive: what it finds and holds, and how it describes requests."""

from __future__ import annotations

import pytest

from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.messages import Apdu, MessageReader, WaisMessage, read_message
from anyurl.schemes.wais.wire.queries import (
    Relevant,
    TermQuery,
    WordQuery,
    fetch_request,
    init_request,
    read_init_answer,
    search_request,
)
from anyurl.schemes.wais.wire.records import SearchResponse, read_answer
from anyurl.schemes.wais.wire.server import (
    DOCUMENT_ID,
    MAX_BYTES,
    SIZE,
    SOURCE,
    SOURCE_ID,
    TEXT,
    IdealArchive,
    WaisServer,
    told,
)
from anyurl.testing import three_ways


def holding(*document: object, **more: object) -> WaisServer:
    """A server of one document."""
    return WaisServer(IdealArchive(*document, **more))  # type: ignore[arg-type]


def says(server: WaisServer, request: Apdu) -> Apdu:
    replies = []
    for link, pieces in enumerate(three_ways(WaisMessage(request.octets()).octets()), 1):
        assert server.connected(link) == b""
        said = [server.received(link, piece) for piece in pieces]
        assert not any(said[:-1])
        replies.append(said[-1])
    assert len(set(replies)) == 1
    assert server.is_open(1)
    (message,) = MessageReader().feed(replies[0])
    reply = read_message(message)
    assert reply is not None
    return reply


def fetched(server: WaisServer, *query: object) -> SearchResponse:
    answer = read_answer(says(server, fetch_request(b"db", TermQuery(*query))))  # type: ignore[arg-type]
    assert answer.reference == b"3"
    return answer


def test_it_agrees_to_its_size_or_a_smaller_one() -> None:
    for wanted, agreed in ((SIZE + 1, SIZE), (500, 500)):
        answer = read_init_answer(says(holding(), init_request(wanted)))
        assert (answer.accepted, answer.size) == (True, agreed)


def test_it_finds_one_document_for_any_words() -> None:
    answer = read_answer(says(holding(b"id", b"GIF", 7), search_request(None, WordQuery(b"w"), b"9")))
    [hit] = answer.hits
    assert (hit.document_id, [*hit.types], hit.length, hit.score, answer.reference) == (b"id", [b"GIF"], 7, 1000, b"9")
    [hit] = read_answer(says(holding(type=b""), search_request(None, WordQuery(b"w")))).hits
    assert (hit.document_id, [*hit.types], hit.length) == (DOCUMENT_ID, [b"TEXT"], len(TEXT))


def test_it_describes_itself_where_there_are_no_words() -> None:
    server = holding(b"id")
    [hit] = read_answer(says(server, search_request(b"db", WordQuery(b"")))).hits
    assert (hit.document_id, [*hit.types], hit.length) == (SOURCE_ID, [b"WSRC"], len(SOURCE))
    [text] = fetched(server, SOURCE_ID, b"WSRC", 0, len(SOURCE)).texts
    assert text.data == SOURCE


@pytest.mark.parametrize(
    ("length", "start", "end", "data", "beyond"),
    [
        (None, 0, len(TEXT), TEXT, False), (None, 0, len(TEXT) + 1, TEXT, True), (None, 3, 5, TEXT[3:5], False),
        (100, 0, 100, (TEXT * 9)[:100], False), (100, 60, 200, (TEXT * 9)[60:100], True), (100, 100, 101, b"", True),
        (100, 101, 102, None, True),
    ],
)  # fmt: skip
def test_octets_of_a_document(length: int | None, start: int, end: int, data: bytes | None, beyond: bool) -> None:
    answer = fetched(holding(b"id", length=length), b"id", b"TEXT", start, end)
    assert [(text.document_id, text.data) for text in answer.texts] == ([] if data is None else [(b"id", data)])
    assert [each.code for each in answer.diagnostics] == ["SF"] * beyond


def test_a_document_is_only_so_long() -> None:
    server = holding(b"id", length=10**10)
    assert len(fetched(server, b"id", b"TEXT", MAX_BYTES - 3, MAX_BYTES + 3).texts[0].data) == 3


def test_lines_and_descriptions() -> None:
    server = holding(b"id")
    assert fetched(server, b"id", b"TEXT", 1, 9, "lines").texts[0].data == b"has two lines.\n"
    padded = holding(b"id", b"WSRC", len(SOURCE) + 5)
    assert fetched(padded, b"id", b"WSRC", 0, len(SOURCE) + 5).texts[0].data == SOURCE + b"\n" * 5
    assert fetched(server, b"id", b"WSRC", 0, len(SOURCE)).texts[0].data == SOURCE


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (init_request(5_000), "Init: replies of up to 5,000 octets ("),
        (search_request(None, WordQuery(b"a b", (), 7)), "Search, type 3: words 'a b' in database of the server's own"),
        (
            search_request(b"db", WordQuery(b"", [Relevant(b"x"), Relevant(b"y", b"TEXT", (2, 5))])),
            "Search, type 3: words '' in database 'db', more like document 'x', more like lines 2 to 5 of document ",
        ),
        (
            fetch_request(b"db", TermQuery(b"id", b"TEXT", 1_000, 2_000)),
            "Search, type 1: bytes 1,000 to 2,000 of document 'id' as 'TEXT', database 'db' (",
        ),
        (Apdu(99), "an APDU of type 99 ("),
    ],
)
def test_what_it_tells_of_a_request(request_: Apdu, line: str) -> None:
    message = WaisMessage(request_.octets())
    [said] = holding().tell(message.octets())
    assert [said] == told(message)
    assert said.startswith(line)
    assert said.endswith(f"({len(message.octets()):,} octets)")


def test_an_empty_message() -> None:
    empty = WaisMessage(b"")
    assert told(empty) == [f"an empty message ({len(empty.octets())} octets)"]
    server = holding()
    server.connected(1)
    assert server.received(1, empty.octets()) == empty.octets()
    assert tags.QUERY == 21
