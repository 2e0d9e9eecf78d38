"""Requests as stock clients build them, and the records of replies: hits, texts, diagnostics."""

from __future__ import annotations

import pytest

from anyurl.errors import LimitError, LocalProtocolError, RemoteProtocolError
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.fields import vint, write_field
from anyurl.schemes.wais.wire.messages import SEARCH_RESPONSE, Apdu, read_message
from anyurl.schemes.wais.wire.queries import (
    read_init_answer,
)
from anyurl.schemes.wais.wire.records import (
    MAX_RECORDS,
    Diagnosis,
    DocumentText,
    Hit,
    Unknown,
    hit,
    read_answer,
    read_records,
    search_response,
    text_record,
)
from tests import wais_transcripts
from tests.wais_transcripts import messages, transcript


def test_an_answer_to_something_else_is_none() -> None:
    with pytest.raises(RemoteProtocolError, match="answers Init with an APDU of type 23"):
        read_init_answer(Apdu(SEARCH_RESPONSE))
    with pytest.raises(RemoteProtocolError, match="answers a Search with an APDU of type 21"):
        read_answer(Apdu(21))


# --- records -------------------------------------------------------------------------------------------------------


def test_a_hit_of_a_real_server() -> None:
    (reply,) = messages(bytes.fromhex(transcript("01-init-search-hits")["frames"][3]["hex"]))
    apdu = read_message(reply)
    assert apdu is not None
    answer = read_answer(apdu)
    best = answer.hits[0]
    assert [found.score for found in answer.hits] == [1695, 489, 417, 391]
    assert (best.headline, best.length, best.lines, best.types, best.date) == (
        b"Lantern room",
        151,
        3,
        (b"TEXT",),
        b"0",
    )
    assert (best.source, best.city, answer.diagnostics, answer.texts) == (b"/srv/wais/db/demo", None, [], [])


def test_real_answers_are_built_again() -> None:
    built = 0
    for _, _, reply in wais_transcripts.exchanges():
        apdu = None if reply is None else read_message(reply)
        if apdu is None or apdu.pdu != SEARCH_RESPONSE:
            continue
        records = read_records(apdu.block(tags.USER_INFORMATION) or b"")
        assert search_response(records, status=apdu.head[0], reference=apdu.field(tags.REFERENCE_ID)) == apdu
        for record in records:
            if isinstance(record, Hit):
                has_best = any(tag == tags.BEST_MATCH for tag, _ in record.fields)
                assert record.octets() == hit(
                    record.document_id, score=record.score, length=record.length or 0, lines=record.lines or 0,
                    types=record.types, source=record.source or b"", date=record.date, headline=record.headline,
                    best_match=0 if has_best else None,
                ).octets()  # fmt: skip
                built += 1
    assert built == 119


@pytest.mark.parametrize(
    ("block", "message"),
    [
        pytest.param(b"\x1c\x00", "truncated, or has no end mark", id="a diagnostic without its length"),
        pytest.param(b"\x1c\x00\x02S1\x1d", "truncated, or has no end mark", id="too short for a code and a flag"),
        pytest.param(b"\x1c\x00\x09S1\x00\x1d", "truncated, or has no end mark", id="longer than its block"),
        pytest.param(b"\x1c\x00\x03S1\x00x", "truncated, or has no end mark", id="no end mark"),
        pytest.param(
            b"\x81\x16\x05x", "Field 150 of a WAIS message claims 5 octets", id="a hit leads out of the block"
        ),
        pytest.param(b"\x81", "does not end", id="half a tag"),
    ],
)
def test_records_whose_lengths_lie(block: bytes, message: str) -> None:
    with pytest.raises(RemoteProtocolError, match=message):
        read_records(block)


def test_a_hit_whose_fields_lie_hides_no_other() -> None:
    good = hit(b"a", score=1, length=1, lines=1, types=(), source=b"s", date=None, headline=b"h").octets()
    broken = b"\x81\x16\x03\x74\x05x"
    records = read_records(good + broken + good)
    assert [type(record) for record in records] == [Hit, Unknown, Hit]
    assert records[1].octets() == broken


def test_too_many_records() -> None:
    with pytest.raises(LimitError, match="more than 10,000 records") as caught:
        read_records(write_field(tags.CODES_GROUP, b"") * (MAX_RECORDS + 1))
    assert caught.value.limit == "MAX_RECORDS"


def test_other_groups_are_kept_and_other_headers_are_hits() -> None:
    short = write_field(tags.SHORT_HEADER_GROUP, write_field(tags.DOCUMENT_ID, b"a") + write_field(tags.SCORE, b"\5"))
    headline = write_field(tags.HEADLINE_GROUP, write_field(tags.DOCUMENT_ID, b"b") + write_field(tags.HEADLINE, b"H"))
    used = vint(tags.SEED_WORDS_USED) + b"\x03foo"
    records = read_records(used + short + headline)
    assert [type(record) for record in records] == [Unknown, Hit, Hit]
    assert [record.octets() for record in records] == [used, short, headline]
    assert isinstance(records[1], Hit)
    assert (records[1].score, records[1].types) == (5, ())
    answer = read_answer(search_response(records, status=1))
    assert ([found.headline for found in answer.hits], len(answer.others)) == ([b"", b"H"], 1)


def test_a_text_keeps_what_means_nothing_and_the_order_of_its_fields() -> None:
    version, data, document_id = b"\x75\x02\0\7", b"\x7f\x04data", b"\x74\x02id"
    group = write_field(tags.TEXT_GROUP, data + b"\x7c\x01x" + version + document_id)
    (read,) = read_records(group)
    assert isinstance(read, DocumentText)
    assert (read.document_id, read.data, read.version) == (b"id", b"data", 7)
    assert read.octets() == group
    assert text_record(b"id", b"data", 7, ((124, b"x"),)).fields == (
        (116, b"id"),
        (117, b"\7"),
        (127, b"data"),
        (124, b"x"),
    )
    assert text_record(b"id", b"", None).fields == ((116, b"id"), (127, b""))


@pytest.mark.parametrize(
    ("diagnosis", "said"),
    [
        (Diagnosis("S1", b" no such thing "), b"no such thing"),
        (Diagnosis("S5"), b"only stop words"),
        (Diagnosis("Q9"), b"no reason was given"),
    ],
)
def test_what_a_diagnostic_says(diagnosis: Diagnosis, said: bytes) -> None:
    assert diagnosis.said == said
    (read,) = read_records(diagnosis.octets())
    assert isinstance(read, Diagnosis)
    assert (read.code, read.text, read.surrogate) == (diagnosis.code, diagnosis.text, diagnosis.surrogate)


def test_a_diagnostic_has_only_so_many_words() -> None:
    (read,) = read_records(Diagnosis("S1", b"x" * 65_532).octets())
    assert isinstance(read, Diagnosis)
    assert len(read.text) == 65_532
    with pytest.raises(LocalProtocolError, match="A WAIS diagnostic says up to 65,532 octets, not 65,533"):
        Diagnosis("S1", b"x" * 65_533).octets()


@pytest.mark.parametrize(
    ("score", "best", "there"),
    [(5, 3, {tags.SCORE, tags.BEST_MATCH}), (5, None, {tags.SCORE}), (None, 3, set()), (None, None, set())],
)
def test_a_hit_without_a_score_has_no_best_match(score: int | None, best: int | None, there: set[int]) -> None:
    made = hit(
        b"x", score=score, length=1, lines=1, types=[], source=b"s", date=None, headline=b"h", best_match=best
    )  # fmt: skip
    assert {tag for tag, _ in made.fields} & {tags.SCORE, tags.BEST_MATCH} == there
