"""WAIS messages, requests and records: cut anywhere, the same; what is read is written back, octet for octet."""

from __future__ import annotations

from anyurl.schemes.wais.wire import fields as wais_fields
from anyurl.schemes.wais.wire import messages as wais
from anyurl.schemes.wais.wire import queries as wais_queries
from anyurl.schemes.wais.wire import records as wais_records
from anyurl.schemes.wais.wire.messages import MessageReader, WaisMessage
from fuzz import kit


def fuzz(data: bytes) -> None:
    """The same octets as messages, as the body of one, and as each block that a body may hold."""
    messages = kit.whole_and_in_pieces(data, _messages)
    for message in (messages or ([], None))[0]:
        _body(message.body)
    kit.outcome(lambda: MessageReader(lenient=True).feed(data))
    _body(data)
    _records(data)
    _queries(data)
    plain, _ = kit.outcome(lambda: wais.unarmour(data))
    if plain is not None:
        kit.same(wais.unarmour(wais.armour(plain)), plain, "armour")


def _messages(pieces: list[bytes]) -> tuple[list[WaisMessage], int]:
    reader = MessageReader()
    messages = [message for piece in pieces for message in reader.feed(piece)]
    return messages, reader.pending


def _body(body: bytes) -> None:
    apdu, _ = kit.outcome(lambda: wais.read_message(WaisMessage(body)))
    if apdu is None:
        return
    again = wais.read_apdu(apdu.octets())
    kit.same(again, apdu, "an APDU that is written and read again")
    kit.same(len(apdu.octets()) <= len(body), True, "written shorter, if otherwise")
    for _, block in apdu.blocks:
        _records(block)
        _queries(block)
    kit.outcome(lambda: wais_records.read_answer(apdu))
    kit.outcome(lambda: wais_queries.read_init_answer(apdu))


def _records(block: bytes) -> None:
    records, _ = kit.outcome(lambda: wais_records.read_records(block))
    if records is None:
        return
    written = wais_records.write_records(records)
    kit.same(wais_records.write_records(wais_records.read_records(written)), written, "records")
    for record in records:
        if isinstance(record, wais_records.Hit):
            kit.outcome(lambda record=record: (record.score, record.length, record.lines))  # type: ignore[misc]
            kit.outcome(lambda record=record: record.types)  # type: ignore[misc]


def _queries(block: bytes) -> None:
    query, _ = kit.outcome(lambda: wais_queries.read_word_query(block))
    if query is not None and max([query.maximum or 0, query.dates[0] or 0, *_numbers(query)]) < 2**32:
        again = wais_queries.read_word_query(query.octets())
        kit.same((again.words, again.maximum, again.dates), (query.words, query.maximum, query.dates), "a search")
    kit.outcome(lambda: wais_queries.read_terms(block))
    fields, _ = kit.outcome(lambda: wais_fields.read_fields(block))
    if fields is not None:
        kit.same(wais_fields.read_fields(wais_fields.write_fields(fields)), fields, "fields")


def _numbers(query: wais_queries.WordQuery) -> list[int]:
    return [number for document in query.relevant for number in (*(document.lines or (0, 0)), document.code)]
