"""Our client in the place of real ones: every request of ours is one that the real server answered, and its answers to
them are read rightly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from anyurl.client.dry_run import DryRun
from anyurl.dialogue import Entry, Options, Verb
from anyurl.errors import AnyURLError, NotFoundError, ReplyError
from anyurl.schemes import registry
from anyurl.schemes.wais.parts import WaisParts
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.messages import SEARCH_RESPONSE, MessageReader, read_message
from anyurl.schemes.wais.wire.queries import WordQuery, read_terms, read_word_query, search_request
from anyurl.schemes.wais.wire.records import Hit, read_answer
from anyurl.url import URL
from tests import wais_transcripts
from tests.rows import each_row
from tests.wais_transcripts import anonymous, answers, messages, transcript

HOST = "localhost:2210"


class RealServer:
    """Answers a request as the real server did; one that it never saw fails the test."""

    def __init__(self) -> None:
        self._readers: dict[int, MessageReader] = {}

    def connected(self, link: int) -> bytes:
        self._readers[link] = MessageReader()
        return b""

    def received(self, link: int, data: bytes) -> bytes:
        replies = b""
        for message in self._readers[link].feed(data):
            apdu = read_message(message)
            assert apdu is not None
            key = anonymous(apdu).octets()
            assert key in answers(), f"no real server ever answered {apdu}"
            replies += answers()[key]
        return replies


def run(text: str, verb: Verb = "get", **options: Any) -> DryRun:
    url = URL(text)
    return DryRun(registry.verb(url, verb)(url, Options(**options)), RealServer()).run()


def entries(rehearsal: DryRun) -> list[Entry]:
    return [entry for batch in rehearsal.emitted for entry in batch]


def found(rehearsal: DryRun) -> list[tuple[str, float | None]]:
    return [(entry.title or "", entry.score) for entry in entries(rehearsal)]


LIGHTHOUSE = [("Lantern room", 1695.0), ("Kelp harvest", 489.0), ("Beacon log", 417.0), ("Estuary survey", 391.0)]


@each_row(
    ("url", "options", "hits"),
    [
        pytest.param("demo?lighthouse+lens", {}, LIGHTHOUSE, id="21, as lynx asks: 200 at most"),
        pytest.param("demo?lighthouse%20lens", {"limit": 40}, LIGHTHOUSE, id="01, as waissearch asks"),
        pytest.param("demo?lighthouse+lens", {"limit": 2}, LIGHTHOUSE[:2], id="12, two at most"),
        pytest.param("demo?xyzzyplugh", {"limit": 40}, [], id="02, nothing: the catalogue is no hit"),
        pytest.param("nocat?xyzzyplugh", {"limit": 40}, [], id="03, nothing at all"),
        pytest.param(
            "demo?cathedral+not+falcon",
            {"limit": 40},
            [("Cathedral bells", 643.0), ("Marzipan recipe", 433.0), ("parchment.html", 380.0)],
            id="13, boolean words are words",
        ),
        pytest.param("?lighthouse", {"limit": 40}, [], id="50, no database is INFO"),
        pytest.param("demo.src?juniper", {"limit": 40}, [("Juniper berries", 1541.0)], id="90, a name with .src"),
        pytest.param("..%2Fdb%2Fdemo?juniper", {"limit": 40}, [("Juniper berries", 1541.0)], id="91, a path"),
        pytest.param("demo?JUNIPER", {"limit": 40}, [("Juniper berries", 1541.0)], id="93, capitals"),
        pytest.param("nocat?kelp", {"limit": 40}, [("Kelp harvest", 632.0)], id="87"),
        pytest.param(
            "demo?%3F",
            {"limit": 40},
            [("Information on database: demo", 1000.0), ("Catalog for database: demo", 1000.0)],
            id="11, help, with a diagnostic beside it",
        ),
        pytest.param(
            "INFO?parchment+zither+mbox",
            {"limit": 40},
            [("mail.src", 212.0), ("links.src", 148.0), ("demo.src", 121.0)],
            id="53, the server's directory of databases",
        ),
    ],
)
def test_searches(url: str, options: dict[str, Any], hits: list[tuple[str, float]]) -> None:
    searched = run(f"wais://{HOST}/{url}", **options)
    assert found(searched) == hits
    assert searched.described is not None
    assert (searched.described.kind, searched.described.attributes) == ("listing", {"hits": len(hits)})


def test_words_that_a_person_gives_go_as_they_are() -> None:
    assert found(run(f"wais://{HOST}/demo", "search", words="lighthouse lens")) == LIGHTHOUSE


@pytest.mark.parametrize(
    ("url", "note"),
    [
        pytest.param("demo?xyzzyplugh", "nothing was found; the server offers: “Search produced no result. Here's the "
                     "Catalog for database: demo” (“wais://localhost:2210/demo/TEXT/1636/2=demo;3=0%200%20/srv/wais/db/"
                     "demo.cat;7=%00;”)", id="a catalogue"),
        pytest.param("demo?%3F", "localhost remarks: “query syntax error: ?” (WAIS diagnostic “S1”)",
                     id="a diagnostic"),
    ],
)  # fmt: skip
def test_what_is_remarked_of_a_search(url: str, note: str) -> None:
    assert f"({note})" in run(f"wais://{HOST}/{url}", limit=40).lines


def test_as_many_hits_as_were_asked_for_may_not_be_all() -> None:
    assert "(as many hits arrived as the limit allows (2): there may be more)" in run(
        f"wais://{HOST}/demo?lighthouse+lens", limit=2
    ).lines  # fmt: skip


@pytest.mark.clause("3.9-7")
def test_a_hit_as_an_entry() -> None:
    best = entries(run(f"wais://{HOST}/demo?lighthouse+lens"))[0]
    assert (best.name, best.kind, best.type, best.size, best.modified) == (
        "Lantern room", "document", "text/plain", 151, None,
    )  # fmt: skip
    assert best.attributes == {"wais_type": "TEXT", "lines": 3}
    assert str(best.url) == (
        "wais://localhost:2210/demo/TEXT/151/1=vm%3A2210;2=/srv/wais/db/demo;3=0%20151%20/srv/wais/corpus/lantern.txt;"
        "4=vm%3A2210;5=/srv/wais/db/demo;6=0%20151%20/srv/wais/corpus/lantern.txt;7=%00;"
    )


@pytest.mark.clause("3.9-7", "3.9-8")
def test_the_form_of_rfc_1738_leads_to_the_same_document() -> None:
    written = entries(run(f"wais://{HOST}/demo?lighthouse+lens", wais_form="rfc"))[0].url
    usual = entries(run(f"wais://{HOST}/demo?lighthouse+lens"))[0].url
    assert written is not None
    assert usual is not None
    assert written.parts == WaisParts("demo", None, "TEXT", usual.parts.wpath)
    assert not set("/;=?") & set(written.path.split("/", 3)[3])  # RFC 1738 5: wpath = *uchar


@each_row("vector", wais_transcripts.transcript("url-vectors")["vectors"], ids=lambda row: row["wtype"])
def test_documents_have_the_urls_that_lynx_printed(vector: dict[str, Any]) -> None:
    listed = entries(run(f"wais://{HOST}/odd?gryphon"))
    urls = {entry.url.path for entry in listed if entry.url is not None}
    assert f"/odd/{vector['wtype']}/{vector['lynx_wpath']}" in urls


def test_an_id_that_is_no_utf_8_comes_back_octet_for_octet() -> None:
    (reply,) = messages(answers()[search_request(b"odd", WordQuery(b"gryphon", (), 200)).octets()])
    apdu = read_message(reply)
    assert apdu is not None
    ids = [hit.document_id for hit in read_answer(apdu).hits]
    listed = entries(run(f"wais://{HOST}/odd?gryphon"))
    assert [URL(str(entry.url)).parts.document_id for entry in listed] == ids
    assert any(not document_id.isascii() for document_id in ids)
    assert any(b"\x81" in document_id for document_id in ids)  # a field of 128 octets and more


def test_a_hit_of_type_url_leads_to_its_headline() -> None:
    (linked,) = entries(run(f"wais://{HOST}/links?kelp"))
    assert (str(linked.url), linked.kind, linked.type, linked.score) == (
        "http://www.example.org/docs/kelp.txt", None, None, 408.0,
    )  # fmt: skip


LANTERN = (
    "wais://localhost:2210/demo/TEXT/151/"
    "1=vm%3A2210;2=/srv/wais/db/demo;3=0%20151%20/srv/wais/corpus/lantern.txt;"
    "4=vm%3A2210;5=/srv/wais/db/demo;6=0%20151%20/srv/wais/corpus/lantern.txt;7=%00;"
)


def test_more_documents_like_one() -> None:
    like = found(run(f"wais://{HOST}/demo", "search", words="juniper", like=[URL(LANTERN)], limit=40))
    assert (len(like), like[0], like[1]) == (18, ("Lantern room", 7462.0), ("Juniper berries", 1541.0))


def test_more_documents_like_some_lines_of_one() -> None:
    start, end = relevant_lines()
    part = URL(f"{LANTERN}#line={start},{end}")
    like = found(run(f"wais://{HOST}/demo", "search", words="juniper", like=[part], limit=40))
    assert len(like) == 18


def relevant_lines() -> tuple[int, int]:
    """Those of the capture of a part of a relevant document."""
    for name, request, _ in wais_transcripts.exchanges():
        apdu = read_message(request)
        if name.startswith("18-") and apdu is not None and (block := apdu.block(tags.USER_INFORMATION)) is not None:
            (relevant,) = read_word_query(block).relevant
            assert relevant.lines is not None
            return relevant.lines
    raise AssertionError("no capture has a part of a relevant document")


def test_a_relevant_document_that_is_gone_is_remarked() -> None:
    gone = URL(LANTERN.replace("0%20151%20/srv/wais/corpus/lantern", "0%209%20/srv/wais/corpus/nosuch"))
    searched = run(f"wais://{HOST}/demo", "search", words="juniper", like=[gone], limit=40)
    assert found(searched) == [("Juniper berries", 1541.0)]
    assert any("Relevant Document not available: 0 9 /srv/wais/corpus/nosuch.txt" in line for line in searched.lines)


# --- documents -----------------------------------------------------------------------------------------------------


def lengths() -> dict[bytes, int]:
    """What hits said of documents: their lengths by their ids."""
    found: dict[bytes, int] = {}
    for _, _, reply in wais_transcripts.exchanges():
        apdu = None if reply is None else read_message(reply)
        if apdu is not None and apdu.pdu == SEARCH_RESPONSE:
            found.update({hit.document_id: hit.length or 0 for hit in read_answer(apdu).hits})
    return found


def documents() -> Iterator[tuple[str, str, bytes, bytes, bytes]]:
    """Every document that was fetched whole, in ranges of up to 10,000 octets.

    A name, the database, the id, the type, and its octets.
    """
    pieces: dict[tuple[str, bytes, bytes], dict[int, bytes]] = {}
    for _, request, reply in wais_transcripts.exchanges():
        apdu, answer = read_message(request), None if reply is None else read_message(reply)
        block = None if apdu is None else apdu.block(tags.QUERY)
        if apdu is None or block is None or answer is None or answer.pdu != SEARCH_RESPONSE:
            continue
        terms, *more = read_terms(block)
        texts = read_answer(answer).texts
        database = (apdu.field(tags.DATABASE_NAMES) or b"").decode()
        if more or terms.unit != "bytes" or terms.start is None or len(texts) != 1 or len(texts[0].data) > 10_000:
            continue
        ranges = pieces.setdefault((database, terms.document_id, terms.type or b""), {})
        if len(texts[0].data) > len(ranges.get(terms.start, b"")):
            ranges[terms.start] = texts[0].data
    known = lengths()
    for (database, document_id, wtype), ranges in pieces.items():
        data = b""
        while len(data) in ranges:
            data += ranges[len(data)]
        if len(data) == known.get(document_id):
            yield f"{database} {wtype.decode()} {len(data)}", database, document_id, wtype, data


@each_row(("database", "document_id", "wtype", "data"), [pytest.param(*row[1:], id=row[0]) for row in documents()])
def test_documents(database: str, document_id: bytes, wtype: bytes, data: bytes) -> None:
    wpath = document_id.decode("utf-8", "surrogateescape")
    url = URL.build(scheme="wais", host="h", parts=WaisParts(database, None, wtype.decode(), wpath, len(data)))
    got = run(str(url))
    assert b"".join(got.emitted) == data
    assert got.described is not None
    assert (got.described.kind, got.described.size) == ("document", len(data))


def test_long_ones_and_pictures_are_among_them() -> None:
    rows = [row[0] for row in documents()]
    assert {"demo TEXT 150038", "demo GIF 17124", "demo WSRC 479"} <= set(rows)


BIG = LANTERN.replace("0%20151%20/srv/wais/corpus/lantern", "0%20150038%20/srv/wais/corpus/big").replace(
    "/151/", "/150038/"
)


def test_a_long_document_comes_in_pieces_on_one_connection() -> None:
    got = run(BIG)
    assert list(got.sent) == [1]
    assert [len(piece) for piece in got.emitted] == [10_000] * 15 + [38]


def test_lines_of_a_document() -> None:
    got = run(LANTERN, view="line=1,2")
    assert b"".join(got.emitted).count(b"\n") == 1


def test_a_document_that_is_gone() -> None:
    with pytest.raises(NotFoundError, match=r"Missing DocID in request” \(WAIS diagnostic “SF") as caught:
        run(transcript_url("29-lynx-unknown-docid"))
    assert caught.value.text == "SF Missing DocID in request"


def transcript_url(name: str) -> str:
    """The URL of the first fetch of a capture."""
    for where, request, _ in wais_transcripts.exchanges():
        apdu = read_message(request)
        block = None if apdu is None else apdu.block(tags.QUERY)
        if where == name and apdu is not None and block is not None:
            (terms,) = read_terms(block)
            wpath = terms.document_id.decode("utf-8", "surrogateescape")
            database = (apdu.field(tags.DATABASE_NAMES) or b"").decode()
            parts = WaisParts(database, None, (terms.type or b"").decode(), wpath, terms.end)
            return str(URL.build(scheme="wais", host="localhost", port=2210, parts=parts))
    raise AssertionError(f"{name} fetches nothing")


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        pytest.param("30-err-unknown-docid", NotFoundError, id="a file that is not there"),
        pytest.param("31-err-garbage-localid", NotFoundError, id="a local id that is none"),
        pytest.param("34-err-docid-undecodable", NotFoundError, id="an id that is no run of fields"),
        pytest.param("85-docid-other-db-field", NotFoundError, id="another database in the id"),
        pytest.param("84-copyright-absent", b"Lantern room", id="a short id"),
        pytest.param("43-wrong-type", b"Lantern room", id="the type does not matter"),
        pytest.param("49-retrieve-no-database-name", b"Lantern room", id="the database does not matter"),
    ],
)
def test_ids_of_all_sorts(name: str, outcome: type[AnyURLError] | bytes) -> None:
    if isinstance(outcome, bytes):
        assert b"".join(run(transcript_url(name)).emitted).startswith(outcome[:10])
    else:
        with pytest.raises(outcome):
            run(transcript_url(name))


# --- databases and refusals ----------------------------------------------------------------------------------------


def test_a_database_is_described_by_its_server() -> None:
    got = run(f"wais://{HOST}/demo")
    assert got.described is not None
    assert (got.described.kind, got.described.type, got.described.name) == (
        "index", "application/x-wais-source", "demo",
    )  # fmt: skip
    assert b"".join(got.emitted).strip().startswith(b"(:source")
    assert got.described.attributes["maintainer"] == "root@vm"
    assert got.described.attributes["leads_to"] == "wais://vm/demo"
    assert [item["title"] for item in got.described.attributes["help"]] == [
        "Information on database: demo", "Catalog for database: demo",
    ]  # fmt: skip


def test_the_help_of_a_database_is_its_listing() -> None:
    assert [entry.title for entry in entries(run(f"wais://{HOST}/demo", "list"))] == [
        "Information on database: demo", "Catalog for database: demo",
    ]  # fmt: skip


def test_a_source_description_leads_to_its_database() -> None:
    url = "wais://localhost:2210/demo/WSRC/479/2=demo;3=0%200%20/srv/wais/db/demo.src;7=%00;"
    (entry,) = entries(run(url, "list"))
    assert (entry.name, str(entry.url), entry.kind) == ("demo", "wais://vm/demo", "index")


def test_a_database_that_is_not_there() -> None:
    with pytest.raises(NotFoundError, match="The following database is not available: /srv/wais/db/nosuchdb"):
        run(f"wais://{HOST}/nosuchdb?lighthouse", limit=40)


class SilentBeyond(RealServer):
    """Answers what no real server was asked with the empty message."""

    def received(self, link: int, data: bytes) -> bytes:
        (message,) = self._readers[link].feed(data)
        return answers().get(message.body, b"0000000000z2wais        0")


def test_19_documents_without_a_word_are_refused() -> None:
    """It is asked once more, with a word; what it said first is what is told."""
    estuary = LANTERN.replace("0%20151%20/srv/wais/corpus/lantern", "0%20114%20/srv/wais/corpus/estuary")
    url = URL(f"wais://{HOST}/demo")
    options = Options(like=[URL(estuary.replace("/151/", "/114/"))], limit=40)
    with pytest.raises(ReplyError, match=r"query syntax error:” \(WAIS diagnostic “S1"):
        DryRun(registry.verb(url, "search")(url, options), SilentBeyond()).run()


def test_every_real_answer_is_read() -> None:
    """By the very function that the scheme uses."""
    hits = texts = diagnostics = 0
    for _, _, reply in wais_transcripts.exchanges():
        apdu = None if reply is None else read_message(reply)
        if apdu is not None and apdu.pdu == SEARCH_RESPONSE:
            answer = read_answer(apdu)
            assert all(isinstance(hit, Hit) for hit in answer.hits)
            assert answer.others == []
            hits, texts = hits + len(answer.hits), texts + len(answer.texts)
            diagnostics += len(answer.diagnostics)
    assert (hits, texts, diagnostics) == (119, 59, 12)


def test_an_empty_reply_is_an_error_that_says_what_it_may_mean() -> None:
    """88: a chunk that is larger than what was agreed upon; here, of any size."""

    class Silent(RealServer):
        def received(self, link: int, data: bytes) -> bytes:
            return b"0000000000z2wais        0"

    for text in (f"wais://{HOST}/demo?x", LANTERN):
        url = URL(text)
        with pytest.raises(ReplyError, match="the reply is empty, which in WAIS means"):
            DryRun(registry.verb(url, "get")(url, Options()), Silent()).run()


def test_captures_are_those_of_the_folder() -> None:
    assert transcript("01-init-search-hits")["name"] == "01-init-search-hits"
    assert len(wais_transcripts.names()) == 82
