"""Requests and replies in lockstep: what is agreed upon, what is no answer, and when a connection is replaced."""

from __future__ import annotations

import pytest

from anyurl.dialogue import Close, Connect, Keep, Receive
from anyurl.errors import AnyURLError, ConnectionLost, RemoteProtocolError, ReplyError, TransferTimeout, Truncated
from anyurl.schemes.wais.exchange import (
    CHUNK_BYTES,
    LARGEST_REPLY_BYTES,
    SILENT_SECONDS,
    WaisSession,
    WaisState,
    empty_reply,
)
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.fields import num
from anyurl.schemes.wais.wire.messages import INIT_RESPONSE, Z3950_INIT, Apdu, WaisMessage
from anyurl.schemes.wais.wire.queries import TermQuery, WordQuery, fetch_request, init_request, search_request
from anyurl.schemes.wais.wire.records import search_response, text_record
from anyurl.testing import three_ways
from anyurl.url import URL
from tests.schemes.steps import Played, Said

HERE = URL("wais://h/db")
EMPTY = WaisMessage(b"").octets()
QUERY = TermQuery(b"id", b"TEXT", 0, 5)


def session() -> WaisSession:
    return WaisSession(HERE, HERE.parts)


def text(data: bytes, document_id: bytes = b"id", reference: bytes | None = b"3") -> bytes:
    records = [text_record(document_id, data)]
    return WaisMessage(search_response(records, status=0, reference=reference).octets()).octets()


def init(*sizes: int, accepted: bool = True) -> bytes:
    fields = tuple((tags.MAXIMUM_SIZE, num(size)) for size in sizes)
    return WaisMessage(Apdu(INIT_RESPONSE, b"\1" if accepted else b"\0", fields).octets()).octets()


def test_a_fetch_however_its_reply_comes() -> None:
    for pieces in three_ways(text(b"abcde")):
        played = Played(session().fetch(QUERY), pieces)
        assert [each.data for each in played.value.texts] == [b"abcde"]
        assert played.sent == [WaisMessage(fetch_request(b"db", QUERY).octets()).octets()]
        [connect] = played.of(Connect)
        assert (connect.host, connect.port, connect.session, connect.fresh) == ("h", 210, "wais", False)


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        (text(b"abcdef"), RemoteProtocolError, "h sends 6 octets where 5 were requested."),
        (text(b"x", b"other"), RemoteProtocolError, "h sent a piece of another document"),
        (text(b"x", reference=b"9"), RemoteProtocolError, "h sent a piece of another document"),
        (text(b"x") * 2, RemoteProtocolError, "h sends more than one reply to a request."),
        (text(b"x") + b"0", RemoteProtocolError, "h sends more than one reply to a request."),
        (text(b"x")[:-1], Truncated, ""),
    ],
)
def test_what_is_no_answer(reply: bytes, error: type[AnyURLError], words: str) -> None:
    played = Played(session().fetch(QUERY), [reply])
    assert type(played.error) is error
    assert words in str(played.error)


def test_pieces_that_name_no_document_and_lines_of_any_size() -> None:
    assert Played(session().fetch(QUERY), [text(b"x", b"", None)]).error is None
    assert Played(session().fetch(TermQuery(b"id", b"TEXT", 0, 1, "lines")), [text(b"abcdef\n")]).error is None


def test_an_empty_reply() -> None:
    assert Played(session().fetch(QUERY), [EMPTY]).value is None
    played = Played(session().search(WordQuery(b"w")), [EMPTY])
    assert (type(played.error), str(played.error)) == (ReplyError, str(empty_reply(HERE)))
    assert played.sent == [WaisMessage(search_request(b"db", WordQuery(b"w")).octets()).octets()]


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        ([], ConnectionLost, "h closed the connection instead of answering"),
        ([ConnectionLost("x")], ConnectionLost, "h closed the connection instead of answering"),
        ([text(b"x")[:9], ConnectionLost("x")], Truncated, "h broke off in its reply."),
        ([b"0", TransferTimeout("Too late.", clock="idle")], TransferTimeout, "Too late."),
        ([TransferTimeout("Too late.", clock="total")], TransferTimeout, "Too late."),
    ],
)
def test_a_first_request_that_breaks(said: list[Said], error: type[AnyURLError], words: str) -> None:
    played = Played(session().fetch(QUERY), said)
    assert type(played.error) is error
    assert str(played.error).startswith(words)
    assert str(played.error).endswith("?") is words.endswith("?")
    assert len(played.links) == 1  # nothing says that another try would end otherwise


SILENCE = TransferTimeout("Too late.", clock="idle")
Z3950 = bytes.fromhex("b5128301e0")


@pytest.mark.parametrize(
    ("said", "probed", "error", "words"),
    [
        ([SILENCE], [Z3950], RemoteProtocolError, "h port 210 speaks Z39.50 as it is today, and not the WAIS"),
        ([SILENCE, SILENCE], [SILENCE], TransferTimeout, "Too late. Does it speak WAIS there?"),
        ([SILENCE, SILENCE], [b"220 mail"], TransferTimeout, "Too late. Does it speak WAIS there?"),
        ([SILENCE, text(b"x")], [SILENCE], None, ""),  # it was slow
        ([SILENCE, text(b"x")], [], None, ""),  # it closes the second connection
        ([SILENCE, text(b"x")], [ConnectionLost("x")], None, ""),
    ],
)
def test_a_silent_server_is_tried_for_another_protocol(
    said: list[Said], probed: list[Said], error: type[AnyURLError] | None, words: str
) -> None:
    played = Played(session().fetch(QUERY), said, probed)
    assert played.error is None if error is None else type(played.error) is error
    assert str(played.error or "").startswith(words)
    assert played.sent[1] == Z3950_INIT
    assert next(ask.within for ask in played.of(Receive)) == SILENT_SECONDS


def test_a_connection_that_served_is_replaced_once() -> None:
    kept = WaisState(5_000)
    played = Played(session().fetch(QUERY), [], [text(b"x")], kept=kept)
    assert played.error is None
    assert [ask.fresh for ask in played.of(Connect)] == [False, True]
    assert len(played.of(Close)) == 1
    assert type(Played(session().fetch(QUERY), [], [], kept=kept).error) is ConnectionLost


@pytest.mark.parametrize(
    ("reply", "size"),
    [
        (init(3_000), 3_000), (init(10**6), LARGEST_REPLY_BYTES), (init(0), None), (init(), None),
        (init(3_000, accepted=False), None), (EMPTY, None), (b"", None),
    ],
)  # fmt: skip
def test_what_is_agreed_upon_once(reply: bytes, size: int | None) -> None:
    ours = session()
    played = Played(ours.negotiate(), [reply] if reply else [])
    assert (ours.size, played.error) == (size, None)
    assert played.sent == [WaisMessage(init_request(LARGEST_REPLY_BYTES).octets()).octets()]
    assert Played(ours.negotiate()).asks == []
    kept = Played(ours.keep()).of(Keep)
    assert [(ask.session, ask.state) for ask in kept] == ([("wais", WaisState(size))] if reply else [])


@pytest.mark.parametrize(
    ("size", "id_size", "chunk"),
    [(None, 3, CHUNK_BYTES), (100_000, 3, 98_975), (100_000, 2_000, 97_700), (10_000, 3, 8_975), (9_999, 3, 9_696),
     (303, 3, 1), (10, 3, 1)],
)  # fmt: skip
def test_how_much_is_asked_for_at_once(size: int | None, id_size: int, chunk: int) -> None:
    ours = session()
    ours.size = size
    assert ours.chunk(b"x" * id_size) == chunk
