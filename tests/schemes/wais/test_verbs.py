"""wais against servers made for the test: pieces of every length, types, lines, refusals, hostile answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from anyurl.client.dry_run import DryRun
from anyurl.dialogue import Close, Connect, Emit, Entry, Options, Receive, Resume, Send, Verb
from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    ConnectionLost,
    DeniedError,
    LimitError,
    NotFoundError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    Truncated,
    UnsupportedError,
)  # fmt: skip
from anyurl.schemes import registry
from anyurl.schemes.wais.documents import document_url, read_date
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.fields import num, write_field
from anyurl.schemes.wais.wire.messages import INIT, INIT_RESPONSE, Apdu, MessageReader, WaisMessage, read_message
from anyurl.schemes.wais.wire.queries import BY_TERMS, Terms, read_terms, read_word_query
from anyurl.schemes.wais.wire.records import Diagnosis, Hit, Record, hit, search_response, text_record
from anyurl.schemes.wais.wire.server import WaisConversation
from anyurl.testing import rehearse
from anyurl.url import URL
from anyurl.world.wais import WaisLibrary
from anyurl.world.wais_index import Database, Document
from tests.rows import each_row

SearchResponse = Callable[[Apdu], "Sequence[Record] | bytes | None"]


class Peer:
    """A server that answers with records, octets of a body, or nothing; it counts its connections."""

    def __init__(self, answer: SearchResponse) -> None:
        self.answer = answer
        self.links = 0
        self.asked: list[Apdu] = []

    def connected(self, link: int) -> bytes:
        self.links += 1
        return b""

    def received(self, link: int, data: bytes) -> bytes:
        (message,) = MessageReader().feed(data)
        apdu = read_message(message)
        assert apdu is not None
        self.asked.append(apdu)
        answer = self.answer(apdu)
        if answer is None:
            return b""
        if not isinstance(answer, bytes):
            answer = search_response(answer, status=0, reference=apdu.field(tags.REFERENCE_ID)).octets()
        return WaisMessage(answer).octets()

    @property
    def ranges(self) -> list[tuple[int | None, int | None]]:
        """The parts of documents that were asked for."""
        blocks = [block for apdu in self.asked if (block := apdu.block(tags.QUERY)) is not None]
        return [(terms.start, terms.end) for block in blocks for terms in read_terms(block)]


def run(peer: Any, text: str, verb: Verb = "get", **options: Any) -> DryRun:
    url = URL(text)
    return DryRun(registry.verb(url, verb)(url, Options(**options)), peer).run()


def terms_of(apdu: Apdu) -> Terms:
    (terms,) = read_terms(apdu.block(tags.QUERY) or b"")
    return terms


def serve(data: bytes, *, limit: int = 100_000, at_once: int = 1 << 30) -> SearchResponse:
    """A document, as freeWAIS serves it: clipped ranges, SF at the end, an empty reply where it does not fit."""

    def answer(apdu: Apdu) -> Sequence[Record] | bytes:
        if apdu.pdu == INIT:
            return Apdu(INIT_RESPONSE, b"\1", ((tags.MAXIMUM_SIZE, num(limit)),)).octets()
        assert apdu.field(tags.QUERY_TYPE) == BY_TERMS
        terms = terms_of(apdu)
        start, end = terms.start or 0, terms.end or 0
        if end - start > limit:
            return b""
        piece = data[start : min(end, start + at_once)]
        beyond = [Diagnosis("SF", b"Request out of range", 1)] if end > len(data) else []
        return [*beyond] if start > len(data) else [text_record(terms.document_id, piece), *beyond]

    return answer


def url_of(length: int | None, wtype: str = "TEXT") -> str:
    return f"wais://h/db/{wtype}/" + ("" if length is None else f"{length}/") + "1=x;"


def got(rehearsal: DryRun) -> bytes:
    return b"".join(rehearsal.emitted)


@each_row("size", [0, 1, 9_999, 10_000, 10_001, 20_000, 25_000])
@each_row("told", ["rightly", "not at all", "as 0"])
def test_documents_of_every_length(size: int, told: str) -> None:
    data = bytes(i % 251 for i in range(size))
    length = {"rightly": size, "not at all": None, "as 0": 0}[told]
    peer = Peer(serve(data))
    rehearsal = run(peer, url_of(length))
    assert got(rehearsal) == data
    assert rehearsal.described is not None
    assert rehearsal.described.size == (size if size < 10_000 or told == "rightly" else None)
    assert all(piece for piece in rehearsal.emitted)
    assert peer.links == 1


@each_row("told", [25_000, None])
@each_row("start", [1, 9_999, 20_000, 25_000])
def test_the_rest_of_a_document(told: int | None, start: int) -> None:
    data = bytes(i % 251 for i in range(25_000))
    peer = Peer(serve(data))
    rehearsal = run(peer, url_of(told), resume=Resume(start, size=25_000))
    assert got(rehearsal) == data[start:]
    assert rehearsal.described is not None
    assert (rehearsal.described.start, rehearsal.described.size) == (start, 25_000)
    assert all(begin is not None and begin >= start for begin, _ in peer.ranges)


@pytest.mark.parametrize("resume", [Resume(5), Resume(5, size=24_999), Resume(25_001, size=25_000)])
def test_of_another_document_no_rest_is_taken(resume: Resume) -> None:
    data = bytes(i % 251 for i in range(25_000))
    rehearsal = run(Peer(serve(data)), url_of(25_000), resume=resume)
    assert got(rehearsal) == data
    assert rehearsal.described is not None
    assert rehearsal.described.start == 0


def test_a_url_may_say_more_than_there_is() -> None:
    rehearsal = run(Peer(serve(b"x" * 15_000)), url_of(25_000))
    assert got(rehearsal) == b"x" * 15_000
    assert rehearsal.lines[-1] == (
        "(the document has 25,000 octets according to the URL, but ends after 15,000 according to the server)"
    )


def test_a_url_may_say_less_than_there_is() -> None:
    assert got(run(Peer(serve(b"x" * 15_000)), url_of(12_000))) == b"x" * 12_000


def test_a_length_of_zero_and_an_empty_document() -> None:
    rehearsal = run(Peer(serve(b"")), url_of(0))
    assert rehearsal.emitted == []
    assert rehearsal.described is not None
    assert rehearsal.described.size == 0


def test_a_server_may_give_less_at_once() -> None:
    peer = Peer(serve(b"y" * 25_000, at_once=4_000))
    assert got(run(peer, url_of(25_000))) == b"y" * 25_000
    assert peer.ranges[:3] == [(0, 10_000), (4_000, 8_000), (8_000, 12_000)]


def test_ever_smaller_pieces_are_no_document() -> None:
    def answer(apdu: Apdu) -> Sequence[Record]:
        terms = terms_of(apdu)
        return [text_record(terms.document_id, b"z" * max(1, ((terms.end or 0) - (terms.start or 0)) // 2))]

    with pytest.raises(Truncated, match=r"smaller and smaller pieces|octets, but only"):
        run(Peer(answer), url_of(1_000_000))


def test_a_document_that_stops_without_a_word_is_cut() -> None:
    def answer(apdu: Apdu) -> Sequence[Record]:
        terms = terms_of(apdu)
        return [text_record(terms.document_id, b"z" * 10_000 if terms.start == 0 else b"")]

    with pytest.raises(
        Truncated, match=r"wais://h/db/TEXT/25000/1=x; says 25,000 octets, but only 10,000 arrived"
    ) as got:
        run(Peer(answer), url_of(25_000))
    assert (got.value.received, got.value.expected) == (10_000, 25_000)


def test_more_than_was_asked_for_is_no_answer() -> None:
    with pytest.raises(RemoteProtocolError, match=r"sends 11 octets where 10 were requested\."):
        run(Peer(lambda apdu: [text_record(terms_of(apdu).document_id, b"x" * 11)]), url_of(10))


def test_a_piece_of_another_document_is_no_answer() -> None:
    with pytest.raises(RemoteProtocolError, match="a piece of another document"):
        run(Peer(lambda apdu: [text_record(b"other", b"x")]), url_of(10))


def test_an_answer_to_another_request_is_none() -> None:
    stale = search_response([text_record(b"\1\1x", b"x")], status=0, reference=b"99").octets()
    with pytest.raises(RemoteProtocolError, match="a piece of another document"):
        run(Peer(lambda apdu: stale), url_of(10))


# --- negotiation ---------------------------------------------------------------------------------------------------

LONG = 2 * 1024 * 1024


def test_a_long_document_is_worth_an_init() -> None:
    data = bytes(1000) * (LONG // 1000)
    peer = Peer(serve(data))
    assert got(run(peer, url_of(len(data)))) == data
    assert peer.asked[0].pdu == INIT
    assert peer.ranges[0] == (0, 98_975)  # the limit less 1,025, as waisq asks


def test_a_long_document_of_unknown_length() -> None:
    data = bytes(1000) * (LONG // 1000)
    peer = Peer(serve(data))
    assert got(run(peer, url_of(None))) == data
    assert [apdu.pdu for apdu in peer.asked].count(INIT) == 1


@pytest.mark.parametrize(
    "init",
    [
        pytest.param(b"", id="an empty reply"),
        pytest.param(Apdu(INIT_RESPONSE, b"\0", ((tags.MAXIMUM_SIZE, num(9)),)).octets(), id="a refusal"),
        pytest.param(None, id="it hangs up"),
        pytest.param(Apdu(INIT_RESPONSE, b"\1").octets(), id="no size"),
        pytest.param(Apdu(INIT_RESPONSE, b"\1", ((tags.MAXIMUM_SIZE, num(0)),)).octets(), id="a size of nothing"),
    ],
)
def test_init_is_optional(init: bytes | None) -> None:
    inner = serve(bytes(LONG))
    peer = Peer(lambda apdu: init if apdu.pdu == INIT else inner(apdu))
    assert len(got(run(peer, url_of(LONG)))) == LONG
    assert peer.ranges[0] == (0, 10_000)
    assert peer.links == (2 if init is None else 1)


def test_a_small_agreed_size_is_kept_to() -> None:
    inner = serve(bytes(LONG), limit=3_000)
    peer = Peer(inner)
    assert len(got(run(peer, url_of(LONG)))) == LONG
    assert peer.ranges[0] == (0, 2_697)  # less the id, of 3 octets, and 300


def test_no_more_is_agreed_than_was_asked_for() -> None:
    peer = Peer(serve(bytes(LONG), limit=5_000_000))
    assert len(got(run(peer, url_of(LONG)))) == LONG
    assert peer.ranges[0] == (0, 98_975)


def test_a_piece_that_does_not_fit_is_negotiated() -> None:
    peer = Peer(serve(b"x" * 12_000, limit=6_000))
    assert got(run(peer, url_of(12_000))) == b"x" * 12_000
    assert peer.ranges == [(0, 10_000), (0, 5_697), (5_697, 11_394), (11_394, 12_000)]
    assert [apdu.pdu for apdu in peer.asked].count(INIT) == 1


@pytest.mark.parametrize("init", [b"", None])
def test_a_piece_that_does_not_fit_is_halved_once(init: bytes | None) -> None:
    inner = serve(b"x" * 12_000, limit=6_000)
    peer = Peer(lambda apdu: init if apdu.pdu == INIT else inner(apdu))
    assert got(run(peer, url_of(12_000))) == b"x" * 12_000
    assert peer.ranges == [(0, 10_000), (0, 5_000), (5_000, 10_000), (10_000, 12_000)]


def test_a_piece_at_which_the_server_hangs_up_is_halved_once() -> None:
    inner = serve(b"x" * 12_000)
    peer = Peer(lambda apdu: inner(apdu) if (terms_of(apdu).end or 0) - (terms_of(apdu).start or 0) < 6_000 else None)
    assert got(run(peer, url_of(12_000))) == b"x" * 12_000
    assert (peer.links, peer.ranges) == (2, [(0, 10_000), (0, 5_000), (5_000, 10_000), (10_000, 12_000)])


def test_a_server_that_hangs_up_at_half_a_piece_too() -> None:
    peer = Peer(lambda apdu: None)
    with pytest.raises(ConnectionLost, match="closed the connection instead of answering"):
        run(peer, url_of(12_000))
    assert peer.ranges == [(0, 10_000), (0, 5_000)]


def test_a_piece_that_never_fits() -> None:
    peer = Peer(lambda apdu: b"")
    with pytest.raises(ReplyError, match="the reply is empty, which in WAIS means that a request is wrong or that"):
        run(peer, url_of(12_000))
    assert peer.ranges == [(0, 10_000), (0, 5_000)]


# --- connections ---------------------------------------------------------------------------------------------------


def test_a_connection_that_served_before_is_replaced_once() -> None:
    answers = iter([True, False, True, True])
    inner = serve(b"x" * 25_000)
    peer = Peer(lambda apdu: inner(apdu) if next(answers) else None)
    assert got(run(peer, url_of(25_000))) == b"x" * 25_000
    assert (peer.links, peer.ranges) == (2, [(0, 10_000), (10_000, 20_000), (10_000, 20_000), (20_000, 25_000)])


@pytest.mark.parametrize("url", [url_of(5), "wais://h/db?x", "wais://h/db"])
def test_a_server_that_hangs_up(url: str) -> None:
    peer = Peer(lambda apdu: None)
    with pytest.raises(ConnectionLost, match="closed the connection instead of answering"):
        run(peer, url)
    assert peer.links == 1  # nothing says that another try would end otherwise


def test_a_reply_that_is_cut() -> None:
    class Cut(Peer):
        def received(self, link: int, data: bytes) -> bytes:
            return b"0000000100z2wais        0" + bytes(10)

    with pytest.raises(Truncated, match=r"35 of 125 octets of a WAIS message\.$"):
        run(Cut(lambda apdu: None), url_of(5))


@pytest.mark.parametrize("cut", [b"", b"0000000100z2wais        0" + bytes(10)], ids=["between", "inside"])
def test_a_document_goes_on_after_a_cut_wherever_it_is(cut: bytes) -> None:
    """Between two messages or inside of one: a new connection, and the same piece again."""

    class Cut(Peer):
        def received(self, link: int, data: bytes) -> bytes:
            reply = super().received(link, data)
            return cut if len(self.asked) == 2 else reply

    peer = Cut(serve(b"x" * 25_000))
    assert got(run(peer, url_of(25_000))) == b"x" * 25_000
    assert peer.links == 2


def test_a_document_that_is_cut_twice_at_the_same_octet_says_how_much_of_it_came() -> None:
    class Cut(Peer):
        def received(self, link: int, data: bytes) -> bytes:
            reply = super().received(link, data)
            return b"0000000100z2wais        0" + bytes(10) if len(self.asked) > 1 else reply

    peer = Cut(serve(b"x" * 25_000))
    with pytest.raises(Truncated, match="broke off after 10,000 octets of 25,000") as caught:
        run(peer, url_of(25_000))
    assert (caught.value.received, caught.value.expected) == (10_000, 25_000)
    assert peer.ranges == [(0, 10_000), (10_000, 20_000), (10_000, 20_000)]


def test_two_replies_are_one_too_many() -> None:
    class Twice(Peer):
        def received(self, link: int, data: bytes) -> bytes:
            return super().received(link, data) * 2

    with pytest.raises(RemoteProtocolError, match="more than one reply"):
        run(Twice(serve(b"x")), url_of(1))


def test_a_reset_in_a_reply_is_a_cut_and_before_it_is_a_loss() -> None:
    url = URL(url_of(5))
    for piece, expected in ((b"00000", Truncated), (None, ConnectionLost)):
        answers: list[Any] = [_Channel(), None, *([piece] if piece else []), ConnectionLost("reset")]
        if piece:  # what had begun is asked for again, once
            answers += [None, *answers]
        with pytest.raises(expected):
            rehearse(registry.verb(url, "get")(url, Options()), answers)


class _Channel:
    kept = None


def test_the_order_of_asks() -> None:
    url = URL(url_of(None))
    script = rehearse(registry.verb(url, "get")(url, Options()), [_Channel(), None])
    assert [type(ask) for ask in script.asks] == [Connect, Send, Receive]
    connect = script.asks[0]
    assert isinstance(connect, Connect)
    assert (connect.host, connect.port, connect.session, connect.fresh) == ("h", 210, "wais", False)


# --- types and lines -----------------------------------------------------------------------------------------------


def conversation(*documents: Document, description: str | None = None) -> Any:
    class Talk(Peer):
        def __init__(self) -> None:
            super().__init__(lambda apdu: None)
            self.talk = WaisConversation(WaisLibrary([Database("db", "h:210", documents, description=description)]))

        def received(self, link: int, data: bytes) -> bytes:
            (message,) = MessageReader().feed(data)
            apdu = read_message(message)
            assert apdu is not None
            self.asked.append(apdu)
            return self.talk.reply(message) or b""

    return Talk()


NOTES = Document("notes", "Some notes", {"TEXT": b"one\ntwo\nthree\n", "GIF": b"GIF89a!", "PS": b"%!PS"}, date="930302")


def test_several_types_are_alternatives() -> None:
    searched = run(conversation(NOTES), "wais://h/db?notes")
    (entry,) = (item for batch in searched.emitted for item in batch)
    assert (entry.type, entry.size, entry.modified) == ("text/plain", 14, 730944000.0 + 86400.0)
    assert str(entry.url).startswith("wais://h/db/TEXT/14/1=")
    alternatives = entry.attributes["alternatives"]
    assert [(row["wais_type"], row["type"]) for row in alternatives] == [
        ("TEXT", "text/plain"), ("GIF", "image/gif"), ("PS", "application/postscript"),
    ]  # fmt: skip
    assert alternatives[0]["url"] == str(entry.url)
    picture = run(conversation(NOTES), alternatives[1]["url"])
    assert got(picture) == b"GIF89a!"
    assert picture.described is not None
    assert picture.described.type == "image/gif"


@each_row(
    ("view", "content", "type"),
    [
        ("GIF", b"GIF89a!", "image/gif"),
        ("image/gif", b"GIF89a!", "image/gif"),
        ("application/postscript", b"%!PS", "application/postscript"),
        ("ps", b"%!PS", "application/postscript"),
        ("text/plain", b"one\ntwo\nthree\n", "text/plain"),
        ("line=1,2", b"two\n", "text/plain"),
        ("line=1,", b"two\nthree\n", "text/plain"),
        ("line=,2", b"one\ntwo\n", "text/plain"),
        ("line=0,99", b"one\ntwo\nthree\n", "text/plain"),
        ("line=9,12", b"", "text/plain"),
        ("line=2,2", b"", "text/plain"),
    ],
)
def test_views(view: str, content: bytes, type: str) -> None:
    peer = conversation(NOTES)
    (entry,) = (item for batch in run(peer, "wais://h/db?notes").emitted for item in batch)
    viewed = run(conversation(NOTES), str(entry.url), view=view)
    assert (got(viewed), viewed.described and viewed.described.type) == (content, type)
    assert any("the document ends before line 9" in line for line in viewed.lines) == (view == "line=9,12")


@pytest.mark.parametrize("view", ["what ever", "line=", "line=5,2", "line=x", "line=1,2;length=3", ""])
def test_views_that_are_none(view: str) -> None:
    with pytest.raises(UnsupportedError, match="is not a view of"):
        run(conversation(NOTES), url_of(5), view=view)


def test_many_lines_come_in_pieces() -> None:
    text = b"".join(b"line %d\n" % number for number in range(1, 451))
    peer = conversation(Document("long", "Long", {"TEXT": text}))
    (entry,) = (item for batch in run(peer, "wais://h/db?long").emitted for item in batch)
    peer = conversation(Document("long", "Long", {"TEXT": text}))
    viewed = run(peer, str(entry.url), view="line=100,420")
    assert got(viewed).splitlines() == text.splitlines()[100:420]
    assert len(viewed.emitted) == 4


def test_long_lines_are_asked_for_in_fewer_at_once() -> None:
    def answer(apdu: Apdu) -> Sequence[Record] | bytes:
        terms = terms_of(apdu)
        if (terms.end or 0) - (terms.start or 0) > 8:
            return b""
        return [text_record(terms.document_id, b"a long line\n" * ((terms.end or 0) - (terms.start or 0)))]

    assert got(run(Peer(answer), url_of(None), view="line=0,20")) == b"a long line\n" * 20
    with pytest.raises(ReplyError, match="the reply is empty"):
        run(Peer(lambda apdu: b""), url_of(None), view="line=0,20")


def test_lines_of_a_document_that_is_gone() -> None:
    missing = Diagnosis("SF", b"Missing DocID in request", 1)
    with pytest.raises(NotFoundError, match="Missing DocID"):
        run(Peer(lambda apdu: [missing]), url_of(None), view="line=0,20")
    beyond = Diagnosis("SF", b"Request out of range", 1)
    assert got(run(Peer(lambda apdu: [beyond]), url_of(None), view="line=7,20")) == b""


def test_no_type_is_a_text() -> None:
    peer = Peer(serve(b"x" * 20))
    assert got(run(peer, "wais://h/db//10/1=x;")) == b"x" * 10
    assert terms_of(peer.asked[0]).type == b"TEXT"


def test_the_first_of_joined_types_is_fetched() -> None:
    peer = Peer(serve(b"x"))
    run(peer, "wais://h/db/TEXT,GIF/1/1=x;")
    assert terms_of(peer.asked[0]).type == b"TEXT"


# --- searches ------------------------------------------------------------------------------------------------------


def test_plus_and_space_separate_words_and_an_encoded_plus_is_one() -> None:
    peer = conversation(NOTES)
    run(peer, "wais://h/db?c%2B%2B+and%20ada+%E9")
    query = read_word_query(peer.asked[0].block(tags.USER_INFORMATION) or b"")
    assert (query.words, query.maximum) == (b"c++ and ada \xe9", 200)
    assert URL("wais://h/db?c%2B%2B+and%20ada+%E9").parts.search == "c+++and ada+\udce9"


def test_words_of_the_caller_are_sent_as_they_are() -> None:
    peer = conversation(NOTES)
    run(peer, "wais://h/db?url+words", "search", words="c++ grüße")
    assert read_word_query(peer.asked[0].block(tags.USER_INFORMATION) or b"").words == "c++ grüße".encode()


@pytest.mark.parametrize(("limit", "asked"), [(None, 200), (1, 1), (7, 7), (10_000, 10_000), (99_999, 10_000)])
def test_how_many_hits_are_wanted(limit: int | None, asked: int) -> None:
    peer = conversation(NOTES)
    run(peer, "wais://h/db", "search", words="notes", limit=limit)
    assert read_word_query(peer.asked[0].block(tags.USER_INFORMATION) or b"").maximum == asked


def test_an_empty_database_is_not_named() -> None:
    peer = conversation(NOTES)
    with pytest.raises(NotFoundError):
        run(peer, "wais://h/?x")
    assert peer.asked[0].field(tags.DATABASE_NAMES) is None


def header(**more: Any) -> Hit:
    facts: dict[str, Any] = {
        "score": 5, "length": 3, "lines": 1, "types": [b"TEXT"], "source": b"s", "date": b"0", "headline": b"H",
    }  # fmt: skip
    return hit(b"\1\1x", **{**facts, **more})


def search(*records: Record) -> list[Entry]:
    rehearsal = run(Peer(lambda apdu: list(records)), "wais://h/db?x")
    return [entry for batch in rehearsal.emitted for entry in batch]


@pytest.mark.parametrize(
    ("headline", "title", "name"),
    [
        pytest.param(b"  Caf\xe9 zoology \r\n", "Café zoology", "Caf\udce9 zoology", id="Latin-1, trimmed"),
        pytest.param("Café".encode(), "Café", "Café", id="UTF-8"),
        pytest.param(b"a\x1b[31mb\0", "a\x1b[31mb", "a\x1b[31mb", id="controls stay: they are escaped where shown"),
        pytest.param(b"../../etc/passwd", "../../etc/passwd", "../../etc/passwd", id="a hostile name is a name"),
        pytest.param(b"", "", "", id="none"),
    ],
)
def test_headlines(headline: bytes, title: str, name: str) -> None:
    (entry,) = search(header(headline=headline))
    assert (entry.title, entry.name) == (title, name)


@each_row(
    ("date", "modified"),
    [
        (b"0", None), (b"930302", 731030400.0), (b"19930302", 731030400.0), (b"010203", 981158400.0),
        (b"991332", None), (b"000000", None), (b"930230", None), (b"", None), (b"93x302", None), (b"00000101", None),
        (None, None),
    ],
)  # fmt: skip
def test_dates(date: bytes | None, modified: float | None) -> None:
    assert read_date(date) == modified


def test_a_date_that_is_none_is_kept_as_it_came() -> None:
    (entry,) = search(header(date=b"summer 93"))
    assert (entry.modified, entry.attributes["date"]) == (None, "summer 93")


@pytest.mark.parametrize(
    "hit",
    [
        pytest.param(header(date=b""), id="an empty date"),
        pytest.param(header(types=[]), id="no types"),
        pytest.param(header(types=[b""]), id="a type without a name"),
        pytest.param(Hit(tuple(reversed(header().fields))), id="fields in another order"),
        pytest.param(Hit(tuple((tag, b"\0\0\0" + value if tag in (118, 120, 131) else value)
                               for tag, value in header().fields)), id="numbers of four octets"),
    ],
)  # fmt: skip
def test_hits_that_are_the_same(hit: Hit) -> None:
    (entry,), (usual,) = search(hit), search(header())
    assert (str(entry.url), entry.type, entry.size, entry.score, entry.attributes) == (
        str(usual.url), "text/plain", 3, 5.0, {"wais_type": "TEXT", "lines": 1},
    )  # fmt: skip


def test_a_hit_without_types_is_a_text() -> None:
    (entry,) = search(header(types=[]))
    assert (entry.type, entry.attributes) == ("text/plain", {"wais_type": "TEXT", "lines": 1})


@pytest.mark.parametrize("headline", [b"no url at all", b"http://[", b"\xff://x", b""])
def test_a_hit_of_type_url_whose_headline_is_none(headline: bytes) -> None:
    (entry,) = search(header(types=[b"URL"], headline=headline))
    assert entry.url is None


def test_an_empty_id_is_a_url_all_the_same() -> None:
    (entry,) = search(Hit(((tags.HEADLINE, b"H"),)))
    assert str(entry.url) == "wais://h/db/TEXT/"
    assert (entry.score, entry.size) == (None, None)


@pytest.mark.parametrize(
    ("document_id", "written"),
    [(b"free text", "free%20text"), (b"\1\5cut", "%01%05cut"), (b"\x81\0\1x", "%81%00%01x"), (b"12/x", "12%2Fx")],
)
def test_an_id_without_fields_is_written_as_rfc_1738_has_it(document_id: bytes, written: str) -> None:
    """libwww's form, and the length in it, is for fields."""
    fields = dict(header().fields) | {tags.DOCUMENT_ID: document_id}
    (entry,) = search(Hit(tuple(fields.items())))
    assert str(entry.url) == f"wais://h/db/TEXT/{written}"
    assert entry.url is not None
    assert (entry.url.parts.document_id, entry.size) == (document_id, 3)


def test_many_hits_come_in_batches() -> None:
    rehearsal = run(Peer(lambda apdu: [header()] * 600), "wais://h/db?x", limit=600)
    assert [len(batch) for batch in rehearsal.emitted] == [250, 250, 100]


def test_too_many_hits() -> None:
    tiny = Hit(((tags.DOCUMENT_ID, b"x"),))
    with pytest.raises(LimitError, match="more than 10,000 records"):
        run(Peer(lambda apdu: [tiny] * 10_001), "wais://h/db?x")


@each_row(
    ("diagnosis", "kind", "code"),
    [
        (Diagnosis("S1", b"The following database is not available: x"), NotFoundError, "S1"),
        (Diagnosis("S1", b"query syntax error: ("), ReplyError, "S1"),
        (Diagnosis("S2"), ReplyError, "S2"),
        (Diagnosis("S5"), ReplyError, "S5"),
        (Diagnosis("SH", b"not reachable"), DeniedError, "SH"),
        (Diagnosis("T2", b"access denied"), DeniedError, "T2"),
        (Diagnosis("T3"), AuthRequiredError, "T3"),
        (Diagnosis("\x1b]", b"\x1b[2J"), ReplyError, "\\x1b]"),
    ],
)
def test_a_diagnostic_alone_is_a_refusal(diagnosis: Diagnosis, kind: type[ReplyError], code: str) -> None:
    with pytest.raises(kind) as caught:
        search(diagnosis)
    assert type(caught.value) is kind
    assert caught.value.text.startswith(code)
    assert "\x1b" not in str(caught.value)
    with pytest.raises(ReplyError):
        run(Peer(lambda apdu: [diagnosis]), url_of(5))


def test_a_part_of_the_hits_may_be_none() -> None:
    rehearsal = run(Peer(lambda apdu: [Diagnosis("T1")]), "wais://h/db?x")
    assert rehearsal.described is not None
    assert rehearsal.described.attributes == {"hits": 0}


def test_nothing_found_and_a_diagnostic_is_a_refusal() -> None:
    with pytest.raises(ReplyError, match="query syntax error"):
        search(header(score=0), Diagnosis("S1", b"query syntax error: "))


def test_a_fetch_without_text_and_word() -> None:
    with pytest.raises(NotFoundError, match="with no text at all"):
        run(Peer(lambda apdu: []), url_of(5))


# --- relevance feedback --------------------------------------------------------------------------------------------


def test_a_server_that_wants_a_word_is_given_one() -> None:
    peer = conversation(NOTES, description="d")
    document = next(item for batch in run(peer, "wais://h/db?notes").emitted for item in batch).url
    peer = conversation(NOTES, description="d")
    liked = run(peer, "wais://h/db", "search", like=[document])
    assert [item.title for batch in liked.emitted for item in batch] == ["Some notes"]
    queries = [read_word_query(apdu.block(tags.USER_INFORMATION) or b"") for apdu in peer.asked]
    assert [query.words for query in queries] == [b"", b"foo"]


@pytest.mark.parametrize(
    ("like", "message"),
    [
        ("http://h/x", "http://h/x is not a document of a WAIS server."),
        ("wais://h/db", "designates no document"),
        ("wais://h/db?x", "designates no document"),
        (url_of(5) + "#intro", "#intro names no part of a document"),
        (url_of(5) + "#line=3,", "names no part of a document"),
        (url_of(5) + "#line=5,2", "names no part of a document"),
    ],
)
def test_what_no_search_can_find_more_of(like: str, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        run(Peer(lambda apdu: []), "wais://h/db", "search", words="x", like=[URL(like)])


# --- stat ----------------------------------------------------------------------------------------------------------


def test_stat_tells_what_the_hit_said() -> None:
    document = next(item for batch in run(conversation(NOTES), "wais://h/db?notes").emitted for item in batch).url
    peer = conversation(NOTES)
    told = run(peer, str(document), "stat").described
    assert told is not None
    assert (told.kind, told.type, told.size, told.modified, told.name) == (
        "document", "text/plain", 14, 731030400.0, "notes",
    )  # fmt: skip
    assert (told.attributes["title"], told.attributes["lines"], told.attributes["wais_type"]) == (
        "Some notes",
        3,
        "TEXT",
    )
    assert len(told.attributes["alternatives"]) == 3
    assert len(peer.asked) == 1


def test_stat_of_another_type_has_no_length_of_the_first() -> None:
    found = Hit(((tags.DOCUMENT_ID, b"\1\1x"), *header(length=300, lines=9, types=[b"HTML", b"TEXT"]).fields[1:]))
    of_text = run(Peer(lambda apdu: [found]), url_of(None, "TEXT"), "stat").described
    assert of_text is not None
    assert (of_text.type, of_text.size, "lines" in of_text.attributes) == ("text/plain", None, False)
    told = run(Peer(lambda apdu: [found]), url_of(46, "TEXT"), "stat").described
    assert told is not None
    assert told.size == 46  # whoever wrote the URL may know
    of_html = run(Peer(lambda apdu: [found]), url_of(None, "HTML"), "stat").described
    assert of_html is not None
    assert (of_html.type, of_html.size, of_html.attributes["lines"]) == ("text/html", 300, 9)


def test_stat_of_a_document_that_is_gone() -> None:
    missing = Diagnosis("S2", b"Relevant Document not available: 0 9 x", 1)
    with pytest.raises(NotFoundError, match="Relevant Document not available"):
        run(Peer(lambda apdu: [missing]), url_of(5), "stat")


@pytest.mark.parametrize("answer", [b"", None, [], [Diagnosis("S1", b"query syntax error")], b"\0\2\x15\1"])
def test_stat_where_no_hit_can_be_had(answer: Any) -> None:
    """A server without relevance feedback is asked for the first piece; what the URL says is what is known."""
    inner = serve(b"12345")
    peer = Peer(lambda apdu: answer if apdu.field(tags.QUERY_TYPE) != BY_TERMS else inner(apdu))
    told = run(peer, url_of(5, "PS"), "stat").described
    assert told is not None
    assert (told.type, told.size, told.attributes) == ("application/postscript", 5, {"wais_type": "PS"})


def test_stat_of_a_search_and_of_a_database() -> None:
    counted = run(conversation(NOTES), "wais://h/db?notes", "stat")
    assert counted.described is not None
    assert (counted.described.kind, counted.described.attributes, counted.emitted) == ("listing", {"hits": 1}, [])
    told = run(conversation(NOTES, description="Some words."), "wais://h/db", "stat")
    assert told.described is not None
    assert (told.described.kind, told.described.attributes["description"], told.emitted) == ("index", "Some words.", [])


# --- databases -----------------------------------------------------------------------------------------------------


def test_a_database_without_help() -> None:
    rehearsal = run(conversation(NOTES), "wais://h/db")
    assert rehearsal.described is not None
    assert (rehearsal.described.kind, rehearsal.described.attributes) == ("index", {"database": "db", "help": []})
    assert rehearsal.lines[-1] == "(the server describes nothing; `anyurl search URL WORDS` asks it)"


def test_a_database_with_a_catalogue_and_no_description() -> None:
    def answer(apdu: Apdu) -> Sequence[Record]:
        if apdu.field(tags.QUERY_TYPE) == BY_TERMS:
            return [text_record(terms_of(apdu).document_id, b"abc")]
        return [header(headline=b"Catalog for database: db", score=1000)]

    rehearsal = run(Peer(answer), "wais://h/db")
    assert rehearsal.described is not None
    assert (rehearsal.described.type, got(rehearsal)) == ("text/plain", b"abc")


def test_an_empty_search_is_the_database() -> None:
    described = run(conversation(NOTES), "wais://h/db?").described
    assert described is not None
    assert described.kind == "index"


@pytest.mark.promise("data-connections")
def test_a_database_that_would_send_its_server_elsewhere_is_refused() -> None:
    for text in ("wais://h/x%40inside:9", "wais://h/x@inside:9?w", "wais://h/x%40y/TEXT/5/1=x;"):
        for verb in ("get", "list", "search", "stat"):
            with pytest.raises(RefusedError, match="it is never sent"):
                run(Peer(lambda apdu: []), text, verb, words="w")


@pytest.mark.parametrize(
    ("url", "verb", "message"),
    [
        (url_of(5), "list", "designates a document, which can't be listed"),
        (url_of(5), "search", "designates a document: a database can be searched"),
        ("wais://h/db", "search", "needs words to search for"),
    ],
)
def test_what_can_not_be_done(url: str, verb: Verb, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        run(Peer(lambda apdu: []), url, verb)


# --- source descriptions -------------------------------------------------------------------------------------------


def test_a_description_that_is_none_lists_nothing() -> None:
    with pytest.raises(RemoteProtocolError, match="begins with '\\(:source'"):
        run(Peer(serve(b"no description")), url_of(14, "WSRC"), "list")
    plain = run(Peer(serve(b"no description")), url_of(14, "WSRC"))
    assert plain.described is not None
    assert plain.described.attributes == {"wais_type": "WSRC"}


@pytest.mark.parametrize(
    ("said", "name", "title"),
    [
        (b':database-name "db" :description " First.\nSecond."', "db", "First."),
        (b':database-name "db"', "db", "db"),
        (b':description ""', None, ""),
    ],
)
def test_what_a_description_is_listed_as(said: bytes, name: str | None, title: str) -> None:
    source = b'(:source :version 3 :ip-name "h" %s)' % said
    listed = run(Peer(serve(source)), url_of(len(source), "WSRC"), "list")
    assert listed.described is not None
    assert (listed.described.kind, listed.described.name) == ("listing", name)
    (entry,) = listed.emitted[0]
    assert (entry.name, entry.kind, entry.title) == (name or "", "index", title)


# --- words ---------------------------------------------------------------------------------------------------------


def test_nothing_is_closed_that_is_kept() -> None:
    """A connection that served well is left to the next one of the session."""
    rehearsal = DryRun(registry.verb(URL(url_of(1)), "get")(URL(url_of(1)), Options()), Peer(serve(b"x")))
    asks = []
    answer: Any = None
    dialogue = rehearsal._dialogue
    while True:
        try:
            ask = dialogue.send(answer)
        except StopIteration:
            break
        asks.append(type(ask))
        answer = rehearsal.answer(ask)
    assert asks[-1].__name__ == "Keep"
    assert Close not in asks
    assert Emit in asks


def test_an_unknown_field_in_a_reply_does_no_harm() -> None:
    odd = search_response([header()], status=1)
    odd = Apdu(odd.pdu, odd.head, (*odd.fields, (50, b"zz")), ((99, (odd.block(99) or b"") + write_field(200, b"?")),))
    (entry,) = (item for batch in run(Peer(lambda apdu: odd.octets()), "wais://h/db?x").emitted for item in batch)
    assert entry.title == "H"


def test_errors_of_records_are_of_the_tree() -> None:
    with pytest.raises(AnyURLError):
        run(Peer(lambda apdu: b"\0\x0b\x17\0\0\0\0\0\0\1\0\0\0\x63\x03\x1c\0\xff"), "wais://h/db?x")


# --- is it there, and is it that? ------------------------------------------------------------------------------------

PAGE = Document("page", "A page", {"HTML": b"<p>A page</p>", "TEXT": b"A page"})


@pytest.mark.parametrize("verb", ["get", "list", "stat"])
def test_a_database_that_is_not_there_is_no_empty_index(verb: Verb) -> None:
    """A server is silent when it is asked for help about what it does not have; a search gets an answer."""
    peer = conversation(PAGE)
    with pytest.raises(NotFoundError, match="The following database is not available: nosuch"):
        run(peer, "wais://h/nosuch", verb)
    assert len(peer.asked) == 2


@pytest.mark.parametrize(("verb", "kind"), [("get", "index"), ("list", "listing"), ("stat", "index")])
def test_a_database_that_says_nothing_of_itself_is_there(verb: Verb, kind: str) -> None:
    peer = Peer(lambda apdu: [])
    found = run(peer, "wais://h/db", verb)
    assert found.described is not None
    assert (found.described.kind, len(peer.asked)) == (kind, 2)
    assert any("the server describes nothing" in line for line in found.lines) == (verb != "stat")


def _page_url(wtype: str) -> str:
    database = Database("db", "h:210", [PAGE])
    hit = next(record for record in database.search("page", [], 5, set()) if isinstance(record, Hit))
    url = document_url(URL("wais://h/db"), "db", wtype, hit, "libwww")
    assert url is not None
    return str(url)


def test_a_view_that_the_document_does_not_have_is_not_what_comes() -> None:
    """freeWAIS sends what it has, whatever type is asked for."""
    assert got(run(conversation(PAGE), _page_url("HTML"), view="text/plain")) == b"A page"
    with pytest.raises(UnsupportedError, match="is not available as GIF: its server offers “HTML”, “TEXT"):
        run(conversation(PAGE), _page_url("HTML"), view="GIF")
    with pytest.raises(UnsupportedError, match="is not available as GIF"):
        run(conversation(PAGE), _page_url("GIF"), "stat")


def test_a_server_that_tells_no_types_is_believed_and_that_is_said() -> None:
    inner = serve(b"abcde")
    peer = Peer(lambda apdu: inner(apdu) if apdu.field(tags.QUERY_TYPE) == BY_TERMS else [])
    found = run(peer, url_of(5), view="GIF")
    assert got(found) == b"abcde"
    assert any("does not say whether the document is available as GIF" in line for line in found.lines)
