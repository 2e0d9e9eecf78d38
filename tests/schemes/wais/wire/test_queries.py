"""Requests as stock clients build them, and as a server reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import RemoteProtocolError
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.fields import num, read_fields, write_field
from anyurl.schemes.wais.wire.messages import INIT, INIT_RESPONSE, SEARCH, SEARCH_RESPONSE, Apdu, read_message
from anyurl.schemes.wais.wire.queries import (
    BY_TERMS,
    BY_WORDS,
    BYTES,
    LINES,
    NEXT_DOCUMENT,
    PARAGRAPHS,
    PREVIOUS_DOCUMENT,
    Relevant,
    TermQuery,
    WordQuery,
    fetch_request,
    init_request,
    read_init_answer,
    read_terms,
    read_word_query,
    search_request,
)
from tests import wais_transcripts
from tests.wais_transcripts import anonymous, messages, transcript

OTHERWISE = {
    "41-whole-document-query": "a fetch without the pair of terms that says which part",
    "42-no-type-term": "a fetch without a type",
    "45-two-docs-one-query": "two documents at once",
    "45b-two-docs-infix": "two documents at once",
    "71-unknown-query-type": "a query type that nobody has",
    "72-unknown-tag-header": "a field that no request has",
    "73-unknown-tag-info": "a field that no search has",
    "86-retrieve-minimal-apdu": "a fetch without ElementSetNames and ReferenceID, which all clients send",
}
"""Captures that begin with a request as no client sends it, and ours never is."""


def requests(pdu: int) -> list[tuple[str, Apdu]]:
    read = [(name, read_message(request)) for name, request, _ in wais_transcripts.exchanges()]
    return [(name, apdu) for name, apdu in read if apdu is not None and apdu.pdu == pdu]


def rebuilt(apdu: Apdu) -> Apdu | None:
    """The same request as our functions build it; None where it is not one that they can build."""
    database, block = apdu.field(tags.DATABASE_NAMES), apdu.block(tags.USER_INFORMATION)
    if block is not None:
        try:
            query = read_word_query(block)
        except RemoteProtocolError:
            return None
        return search_request(database, query, apdu.field(tags.REFERENCE_ID))
    (terms, *more) = read_terms(apdu.block(tags.QUERY) or b"")
    if more or terms.type is None or terms.unit is None or terms.start is None or terms.end is None:
        return None
    return fetch_request(database, TermQuery(terms.document_id, terms.type, terms.start, terms.end, terms.unit))


def test_requests_are_built_as_real_clients_build_them() -> None:
    other = {name for name, apdu in requests(SEARCH) if rebuilt(apdu) != apdu}
    assert other == set(OTHERWISE)


def test_an_init_says_nothing_of_us() -> None:
    seen = [anonymous(apdu) for name, apdu in requests(INIT) if name[:2] in ("01", "74")]
    assert seen == [init_request(), init_request()]


@pytest.mark.parametrize(
    ("name", "frame", "accepted", "size"),
    [
        ("01-init-search-hits", 1, True, 100_000),
        ("56-init-tiny-buffer", 1, True, 60),
        ("57-init-refused", 1, False, 100_000),
        ("58-init-huge-buffer", 1, True, 100_000),
    ],
)
def test_what_a_server_agrees_to(name: str, frame: int, accepted: bool, size: int) -> None:
    (message,) = messages(bytes.fromhex(transcript(name)["frames"][frame]["hex"]))
    apdu = read_message(message)
    assert apdu is not None
    answer = read_init_answer(apdu)
    assert (answer.accepted, answer.size, answer.name) == (accepted, size, b"University of Dortmund Informatik VI")


def test_relevant_documents_have_their_satellites() -> None:
    query = WordQuery(b"w", [Relevant(b"id"), Relevant(b"x", b"TEXT", (2, 5)), Relevant(b"y", b"G", (0, 9), BYTES)], 7)
    read = read_word_query(query.octets())
    assert [(item.document_id, item.type, item.lines, item.code) for item in read.relevant] == [
        (b"id", b"TEXT", None, 2), (b"x", b"TEXT", (2, 5), 2), (b"y", b"G", (0, 9), 1),
    ]  # fmt: skip
    assert (read.words, read.maximum, read.dates) == (b"w", 7, (1, None, None))


@pytest.mark.parametrize(
    "block",
    [
        pytest.param("6a0177 7402 6964 6f0101 720128", id="a document whose type is not told"),
        pytest.param("6a00 740178 810504 54455854 6b0179 810503 474946 640101 6c0100 6d0201ff 6f0101 720128", id="two"),
        pytest.param("6a0177 6b0179 810504 54455854 640103 6c0a ff00ffffffffffffff01 6d00 6f0101 720100",
                     id="paragraphs: their ids are no numbers"),
        pytest.param("6a0177 6e0174 6f0104 7008 3139393030313031 7108 3139393530313031 720128", id="dates, and texts"),
        pytest.param("6a0177 720128", id="no date factor"),
    ],
)  # fmt: skip
def test_a_search_is_written_as_it_was_read(block: str) -> None:
    octets = bytes.fromhex(block)
    assert read_word_query(octets).octets() == octets


def test_the_fields_of_a_search_may_come_in_any_order() -> None:
    read = read_word_query(bytes.fromhex("720128 6f0101 6b0179 6d0109 6c0105 640101 810503474946 6a0177"))
    (part,) = read.relevant
    assert (read.words, read.maximum) == (b"w", 40)
    assert (part.document_id, part.type, part.lines, part.code) == (b"y", b"GIF", (5, 9), BYTES)


def test_dates_of_a_search() -> None:
    query = WordQuery(b"w", (), 1, (2, b"19930101", b"19931231"))
    assert read_word_query(query.octets()).dates == (2, b"19930101", b"19931231")


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (write_field(45, b"id"), None),
        (write_field(44, b"wt re ig ig ig ig") + write_field(45, b"TEXT"), "asks for a part without naming a document"),
        (write_field(99, b""), "holds field 99, which is not a term."),
        (
            write_field(44, b"un re") + write_field(45, b"i") + write_field(44, b"zz re") + write_field(45, b"1"),
            "unknown term",
        ),
        (
            write_field(44, b"un re") + write_field(45, b"i") + write_field(44, b"wb ro") + write_field(45, b"x"),
            "unknown term",
        ),
    ],
)
def test_terms_that_mean_nothing(block: bytes, message: str | None) -> None:
    with pytest.raises(RemoteProtocolError, match=message or "part without naming a document"):
        read_terms(block)


@pytest.mark.parametrize(
    ("fields", "accepted", "size", "name"),
    [
        ((), True, None, b""),
        (((tags.PREFERRED_SIZE, num(7)),), True, 7, b""),
        (((tags.PREFERRED_SIZE, num(7)), (tags.MAXIMUM_SIZE, num(5))), True, 5, b""),  # the smaller
        (((tags.MAXIMUM_SIZE, num(0)), (tags.IMPLEMENTATION_NAME, b"x")), True, 0, b"x"),
    ],
)
def test_an_answer_to_init(
    fields: tuple[tuple[int, bytes], ...], accepted: bool, size: int | None, name: bytes
) -> None:
    answer = read_init_answer(Apdu(INIT_RESPONSE, b"\1", fields))
    assert (answer.accepted, answer.size, answer.name) == (accepted, size, name)
    assert read_init_answer(Apdu(INIT_RESPONSE, b"\0", fields)).accepted is False
    with pytest.raises(RemoteProtocolError, match="answers Init with an APDU of type 23"):
        read_init_answer(Apdu(SEARCH_RESPONSE))


def test_what_an_init_asks_for() -> None:
    asked = init_request(7)
    assert (asked.pdu, asked.number(tags.PREFERRED_SIZE), asked.number(tags.MAXIMUM_SIZE)) == (INIT, 7, 7)
    assert (asked.field(tags.PROTOCOL_VERSION), asked.field(tags.OPTIONS)) == (b"\x80", b"\x80")


@pytest.mark.parametrize("database", [None, b"db"])
def test_where_requests_go(database: bytes | None) -> None:
    for request, type in (
        (search_request(database, WordQuery(b"w"), b"9"), BY_WORDS),
        (fetch_request(database, TermQuery(b"id", b"TEXT", 0, 9)), BY_TERMS),
    ):
        assert (request.pdu, request.field(tags.DATABASE_NAMES), request.field(tags.QUERY_TYPE)) == (
            SEARCH, database, type,
        )  # fmt: skip
    assert search_request(database, WordQuery(b"w")).field(tags.REFERENCE_ID) is None
    assert search_request(database, WordQuery(b"w"), b"9").field(tags.REFERENCE_ID) == b"9"
    assert fetch_request(database, TermQuery(b"id", b"TEXT", 0, 9)).field(tags.REFERENCE_ID) == b"3"


_IDS = st.binary(max_size=6)
_LINES = st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
_DOCUMENTS = st.builds(Relevant, _IDS, st.none() | _IDS, st.none()) | st.builds(
    Relevant, _IDS, st.none() | _IDS, _LINES, st.sampled_from([BYTES, LINES])
)


@given(st.binary(max_size=9), st.lists(_DOCUMENTS, max_size=3), st.none() | st.integers(0, 2**32 - 1))
def test_searches_come_back(words: bytes, relevant: list[Relevant], maximum: int | None) -> None:
    read = read_word_query(WordQuery(words, relevant, maximum).octets())
    assert (read.words, list(read.relevant), read.maximum, read.others) == (words, relevant, maximum, ())


@given(_IDS, _IDS, st.integers(0, 10**19), st.integers(0, 10**19), st.sampled_from(["bytes", "lines", "paragraphs"]))
def test_fetches_come_back(document_id: bytes, type: bytes, start: int, end: int, unit: str) -> None:
    (read,) = read_terms(TermQuery(document_id, type, start, end, unit).octets())
    assert (read.document_id, read.type, read.start, read.end, read.unit) == (document_id, type, start, end, unit)


def test_the_seven_terms_of_a_fetch() -> None:
    """Attributes and terms in postfix order, as libwww writes them."""
    fields = read_fields(TermQuery(b"id", b"TEXT", 2, 5, "lines").octets())
    assert [value for _, value in fields] == [
        b"un re ig ig ig ig", b"id", b"wt re ig ig ig ig", b"TEXT", b"a", b"wl ro ig ig ig ig", b"2", b"a",
        b"wl rl ig ig ig ig", b"5", b"a",
    ]  # fmt: skip


def test_several_documents_and_parts_that_are_not_told() -> None:
    un, term = write_field(44, b"un re"), write_field
    one, two = read_terms(un + term(45, b"a") + write_field(44, b"wb ro") + term(45, b"7") + un + term(45, b"b"))
    assert (one.document_id, one.type, one.unit, one.start, one.end) == (b"a", None, "bytes", 7, None)
    assert (two.document_id, two.type, two.unit, two.start, two.end) == (b"b", None, None, None, None)
    assert read_terms(b"") == []
    long = un + term(45, b"a") + write_field(44, b"wb rl")
    assert read_terms(long + term(45, b"9" * 20))[0].end == int("9" * 20)
    for digits in (b"9" * 21, b"", b"-1"):
        with pytest.raises(RemoteProtocolError, match="unknown term"):
            read_terms(long + term(45, digits))


def test_paragraphs_keep_their_ids_and_unknown_fields_are_refused() -> None:
    document = Relevant(b"y", b"GIF", (0, 0), PARAGRAPHS, (b"\xff" * 9, b""))
    assert read_word_query(WordQuery(b"", [document]).octets()).relevant == (document,)
    with pytest.raises(RemoteProtocolError, match=r"^A WAIS search holds field 2, which is not defined there\.$"):
        read_word_query(write_field(2, b"x"))
    assert (NEXT_DOCUMENT, PREVIOUS_DOCUMENT) == (b"WAIS_NEXT", b"WAIS_PREV")
