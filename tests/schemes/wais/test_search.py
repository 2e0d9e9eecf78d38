"""Searches: the words that are sent, what of a reply is found, and what is remarked."""

from __future__ import annotations

import pytest

from anyurl.dialogue import Describe, Keep, Options
from anyurl.errors import NotFoundError, ReplyError, UnsupportedError
from anyurl.schemes.wais.search import HITS, NO_HELP, find, found, read_lines, words_of
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.messages import MessageReader, WaisMessage, read_message
from anyurl.schemes.wais.wire.queries import WordQuery, read_word_query
from anyurl.schemes.wais.wire.records import Diagnosis, Record, hit, read_answer, search_response
from anyurl.url import URL
from tests.rows import each_row
from tests.schemes.steps import Played

HERE = URL("wais://h/db")


def a_hit(score: int = 1000) -> Record:
    document_id = b"\x01\x01s\x02\x02db\x03\x01x"
    return hit(document_id, score=score, length=7, lines=2, types=[b"TEXT"], source=b"s", date=b"0", headline=b"H")


def reply(*records: Record) -> bytes:
    return WaisMessage(search_response(records, status=0, reference=None).octets()).octets()


def search(words: bytes, *replies: bytes, **options: object) -> Played:
    return Played(find(HERE, HERE.parts, words, Options(**options)), replies)  # type: ignore[arg-type]


def asked(played: Played) -> list[WordQuery]:
    apdus = [read_message(message) for message in MessageReader().feed(played.sent[0])]
    return [read_word_query(apdu.block(tags.USER_INFORMATION) or b"") for apdu in apdus if apdu is not None]


@pytest.mark.parametrize(
    ("url", "words"),
    [("wais://h/db?a+b%2Bc%20d", b"a b+c d"), ("wais://h/db?", b""), ("wais://h/db", b""), ("wais://h/d?%FF", b"\xff")],
)
def test_the_words_of_a_url(url: str, words: bytes) -> None:
    assert words_of(URL(url)) == words


@each_row(
    ("text", "lines"),
    [
        ("line=2,5", (2, 5)), ("line=2,", (2, None)), ("line=,5", (0, 5)), ("line=2", (2, 2)), ("line=5,5", (5, 5)),
        ("line=5,2", None), ("line=", None), ("line=,", None), ("char=1,2", None), ("line=1,2,3", None),
        ("line=1234567890,", None), ("line=123456789,", (123456789, None)), ("line=1,2\n", None), ("", None),
    ],
)  # fmt: skip
def test_lines_of_rfc_5147(text: str, lines: tuple[int, int | None] | None) -> None:
    assert read_lines(text) == lines


def test_hits_are_a_listing() -> None:
    played = search(b"two words", reply(a_hit(), a_hit()))
    assert [(query.words, query.maximum, query.relevant) for query in asked(played)] == [(b"two words", HITS, ())]
    assert [(each.title, each.score) for each in played.entries] == [("H", 1000.0)] * 2
    [described] = played.of(Describe)
    assert (described.kind, described.name, described.attributes) == ("listing", "db", {"hits": 2})
    assert (played.notes, len(played.of(Keep))) == ([], 1)


@pytest.mark.parametrize(("limit", "sent", "noted"), [(1, 1, True), (2, 2, False), (0, 1, True), (None, HITS, False)])
def test_a_limit(limit: int | None, sent: int, noted: bool) -> None:
    played = search(b"w", reply(a_hit()), limit=limit)
    assert asked(played)[0].maximum == sent
    assert any("there may be more" in note for note in played.notes) is noted


def test_a_single_hit_of_no_score_is_the_catalogue() -> None:
    played = search(b"w", reply(a_hit(0)))
    assert played.entries == []
    assert played.notes[0].startswith("nothing was found; the server offers: “H” (“wais://h/db/TEXT/")
    assert len(search(b"w", reply(a_hit(0), a_hit(0))).entries) == 2


def test_diagnostics_alone_are_errors_and_beside_hits_remarks() -> None:
    no = Diagnosis("S3", b"Bad search")
    assert type(search(b"w", reply(no)).error) is ReplyError
    played = search(b"w", reply(a_hit(), no))
    assert (played.error, played.notes) == (None, ["h remarks: “Bad search” (WAIS diagnostic “S3”)"])
    assert search(b"w", reply(Diagnosis("T1", b"more"))).error is None  # only that there are more


def test_a_search_for_nothing_is_a_question_for_help() -> None:
    assert search(b"", reply(), reply()).notes == [NO_HELP]
    played = search(b"", reply(), reply(Diagnosis("S1", b"The database is not available: db")))
    assert type(played.error) is NotFoundError
    assert [(query.words, query.maximum) for query in asked(played)] == [(b"", 40), (b"foo", 1)]


def test_more_like_a_document() -> None:
    like = "wais://h/db/TEXT/1=s;3=x;"
    played = search(b"w", reply(a_hit()), like=(URL(like + "#line=2,5"),))
    [part] = asked(played)[0].relevant
    assert (part.type, part.lines) == (b"TEXT", (2, 5))
    # Some servers want a word: one that says nothing is sent.
    played = search(b"", reply(Diagnosis("S3", b"no words")), reply(a_hit()), like=(URL(like),))
    assert [query.words for query in asked(played)] == [b"", b"foo"]
    assert len(played.entries) == 1
    for wrong in ("http://h/", "wais://h/db", like + "#x", like + "#line=2,"):
        with pytest.raises(UnsupportedError):
            raise search(b"w", like=(URL(wrong),)).error or AssertionError(wrong)


def test_what_is_found() -> None:
    for scores, count in (([], 0), ([0], 0), ([1], 1), ([0, 0], 2)):
        records = [a_hit(score) for score in scores]
        assert len(found(read_answer(search_response(records, status=0, reference=None)))) == count
