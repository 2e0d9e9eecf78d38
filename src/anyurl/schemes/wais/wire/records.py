"""Records in WAIS replies: hits, texts and diagnostics, in the block after a SearchResponse.

Rule: records are counted by reading them, never by the number in the response. Unknown records are kept as octets, so
that writing what was read gives the same octets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anyurl._typing import TypeAlias
from anyurl.errors import LimitError, LocalProtocolError, RemoteProtocolError, sample
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.fields import (
    Field,
    Fields,
    first,
    first_num,
    num,
    read_field,
    read_fields,
    read_vint,
    write_field,
    write_fields,
)
from anyurl.schemes.wais.wire.messages import SEARCH_RESPONSE, Apdu
from anyurl.values import Value

MAX_RECORDS = 10_000
"""Of one reply: freeWAIS fits some two hundred hits into its 100,000 octets."""

MAX_DIAGNOSIS_TEXT = 2**16 - 1 - 3
"""Octets that a diagnostic can say: its length has two octets, and counts its code and its flag."""

RECORD_END = b"\x1d"

PERMANENT, TEMPORARY, OUT_OF_RANGE, NOT_AUTHORIZED, ACCESS_FAILURE = "S1", "S2", "SF", "SH", "T2"
"""Codes of diagnostics that were seen, or that mean something of their own to a client."""

MEANINGS = {
    "S1": "permanent system error", "S2": "temporary system error", "S3": "unsupported search",
    "S5": "only stop words", "S6": "too many words", "S7": "too many operators", "S8": "too many truncated words",
    "S9": "too many truncated subfields", "SA": "truncated words too short", "SB": "bad record number",
    "SC": "too many characters", "SD": "too many records", "SF": "out of range", "SG": "system error in a record",
    "SH": "record not authorized", "SI": "record bigger than the preferred size",
    "SJ": "record bigger than the maximum size", "SY": "resource control ended it without results",
    "SZ": "resource control ended it with unpredictable results",
    "T1": "resource control ended it with a part of the results", "T2": "access is not allowed",
    "T3": "a security challenge was not met", "T4": "a security challenge was not met: a record was left out",
}  # fmt: skip


class Hit(Value):
    """A document header: one thing that a search found.

    Attributes:
        tag: Of its group: `tags.HEADER_GROUP`, a short or a long header, or a headline.
        fields: As they came.
    """

    fields: Fields
    tag: int = tags.HEADER_GROUP

    @property
    def document_id(self) -> bytes:
        """Opaque octets, to be handed back as they came."""
        return first(self.fields, tags.DOCUMENT_ID) or b""

    @property
    def score(self) -> int | None:
        """Best first; the scale is the server's. None for a neighbour."""
        return first_num(self.fields, tags.SCORE)

    @property
    def length(self) -> int | None:
        """Octets of the document in its first type."""
        return first_num(self.fields, tags.DOCUMENT_LENGTH)

    @property
    def lines(self) -> int | None:
        """Lines of the document."""
        return first_num(self.fields, tags.LINES)

    @property
    def types(self) -> tuple[bytes, ...]:
        """The types in which the document can be had, best first; none from old servers, and then it is a text.

        Raises:
            RemoteProtocolError: The block that holds them is broken.
        """
        block = first(self.fields, tags.TYPE_BLOCK)
        return () if block is None else tuple(value for tag, value in read_fields(block) if tag == tags.TYPE)

    @property
    def source(self) -> bytes | None:
        """The database, as the server calls it."""
        return first(self.fields, tags.SOURCE)

    @property
    def date(self) -> bytes | None:
        """``yymmdd``, ``yyyymmdd``, or ``0``."""
        return first(self.fields, tags.DATE)

    @property
    def headline(self) -> bytes:
        """Of no charset."""
        return first(self.fields, tags.HEADLINE) or b""

    @property
    def city(self) -> bytes | None:
        """Where the document is from."""
        return first(self.fields, tags.ORIGIN_CITY)

    def octets(self) -> bytes:
        """The group as it is sent."""
        return write_field(self.tag, write_fields(self.fields))


def hit(
    document_id: bytes, *, score: int | None, length: int, lines: int, types: Sequence[bytes], source: bytes,
    date: bytes | None, headline: bytes, best_match: int | None = 0,
) -> Hit:  # fmt: skip
    """A document header as freeWAIS sends it (what it adds by itself, a catalogue say, has no best match and no date).

    Stock readers take whatever stands behind the types for the source: it must follow them.
    """
    ranked: list[Field] = [] if score is None else [(tags.SCORE, num(score))]
    ranked += [] if score is None or best_match is None else [(tags.BEST_MATCH, num(best_match))]
    sized: list[Field] = [(tags.DOCUMENT_LENGTH, num(length)), (tags.LINES, num(lines))]
    typed: list[Field] = [(tags.TYPE_BLOCK, write_fields((tags.TYPE, type) for type in types))] if types else []
    dated: list[Field] = [] if date is None else [(tags.DATE, date)]
    return Hit(
        ((tags.DOCUMENT_ID, document_id), *ranked, *sized, *typed, (tags.SOURCE, source), *dated,
         (tags.HEADLINE, headline))
    )  # fmt: skip


class DocumentText(Value):
    """A piece of a document.

    Attributes:
        fields: In the order in which they came.
    """

    fields: Fields

    @property
    def document_id(self) -> bytes:
        """Of the document; empty where the server leaves it out."""
        return first(self.fields, tags.DOCUMENT_ID) or b""

    @property
    def data(self) -> bytes:
        """The octets."""
        return first(self.fields, tags.DOCUMENT_TEXT) or b""

    @property
    def version(self) -> int | None:
        """The document's, or None. Raises as `read_num`."""
        return first_num(self.fields, tags.VERSION_NUMBER)

    def octets(self) -> bytes:
        """The group as it is sent."""
        return write_field(tags.TEXT_GROUP, write_fields(self.fields))


def text_record(document_id: bytes, data: bytes, version: int | None = 0, others: Fields = ()) -> DocumentText:
    """A piece of a document, of its id and the octets.

    Args:
        version: The document's, or None.
        others: Fields that mean nothing here.
    """
    numbered: Fields = () if version is None else ((tags.VERSION_NUMBER, num(version)),)
    return DocumentText(((tags.DOCUMENT_ID, document_id), *numbered, (tags.DOCUMENT_TEXT, data), *others))


class Diagnosis(Value):
    """Something that the server has to say of a request; not always an error.

    Attributes:
        code: Two characters: ``S1``, ``SF`` ...
        text: For people; may be empty.
        surrogate: It stands in the place of a record.
    """

    code: str
    text: bytes = b""
    surrogate: int = 0

    def octets(self) -> bytes:
        """The record as it is sent; its end mark is not counted in its length.

        Raises:
            LocalProtocolError: Its text is longer than `MAX_DIAGNOSIS_TEXT`.
        """
        if len(self.text) > MAX_DIAGNOSIS_TEXT:
            raise LocalProtocolError(
                f"A WAIS diagnostic says up to {MAX_DIAGNOSIS_TEXT:,} octets, not {len(self.text):,}."
            )
        content = self.code.encode("latin-1") + self.text + bytes((self.surrogate,))
        return bytes((tags.DIAGNOSTIC,)) + len(content).to_bytes(2, "big") + content + RECORD_END

    @property
    def said(self) -> bytes:
        """The server's words, or what the code means."""
        return self.text.strip() or MEANINGS.get(self.code, "no reason was given").encode()


class Unknown(Value):
    """A group that is neither hit nor text: which words were used, codes of stocks and companies.

    Attributes:
        tag: Its number.
        value: Its octets.
    """

    tag: int
    value: bytes

    def octets(self) -> bytes:
        """The group as it is sent."""
        return write_field(self.tag, self.value)


Record: TypeAlias = "Hit | DocumentText | Diagnosis | Unknown"
_HITS = frozenset({tags.HEADER_GROUP, tags.SHORT_HEADER_GROUP, tags.LONG_HEADER_GROUP, tags.HEADLINE_GROUP})


def read_records(block: bytes) -> list[Record]:
    """The records of a response, in the order in which they came.

    Raises:
        RemoteProtocolError: A length leads beyond what holds it, or a record has no end.
        LimitError: There are more than `MAX_RECORDS`.
    """
    return RecordReader(block).read(len(block))


class RecordReader:
    """Reads the records of a response, some octets at a time: there may be ten thousand."""

    __slots__ = ("_block", "_at", "_count")

    def __init__(self, block: bytes) -> None:
        self._block = block
        self._at = self._count = 0

    def read(self, at_most: int) -> list[Record]:
        """The records of so many octets more, the last of which may be longer; none at the end.

        Raises:
            RemoteProtocolError: A length leads beyond what holds it, or a record has no end.
            LimitError: There are more than `MAX_RECORDS`.
        """
        records: list[Record] = []
        block, at = self._block, self._at
        end = min(at + at_most, len(block))
        while at < end:
            if self._count >= MAX_RECORDS:
                raise LimitError(
                    f"A WAIS reply has more than {MAX_RECORDS:,} records: the limit allows no more.",
                    limit="MAX_RECORDS",
                )
            tag, behind = read_vint(block, at)
            if tag == tags.DIAGNOSTIC:
                diagnosis, at = _read_diagnosis(block, behind)
                records.append(diagnosis)
            else:
                tag, value, at = read_field(block, at)
                records.append(_read_group(tag, value))
            self._count += 1
        self._at = at
        return records


def _read_group(tag: int, value: bytes) -> Record:
    if tag in _HITS:
        return Hit(read_fields(value), tag)
    if tag != tags.TEXT_GROUP:
        return Unknown(tag, value)
    return DocumentText(read_fields(value))


def _read_diagnosis(block: bytes, at: int) -> tuple[Diagnosis, int]:
    length = int.from_bytes(block[at : at + 2], "big")
    content, end = block[at + 2 : at + 2 + length], at + 2 + length
    if len(block) < at + 2 or length < 3 or len(content) < length or block[end : end + 1] != RECORD_END:
        raise RemoteProtocolError("A WAIS diagnostic is truncated, or has no end mark.", sample=sample(block[at:]))
    return Diagnosis(content[:2].decode("latin-1"), content[2:-1], content[-1]), end + 1


def write_records(records: Iterable[Record]) -> bytes:
    """The content of the block after a SearchResponse."""
    return b"".join(record.octets() for record in records)


def search_response(records: Sequence[Record], *, status: int, reference: bytes | None = None) -> Apdu:
    """An answer with these records; diagnostics together count as one more (freeWAIS counts so)."""
    counted = sum(not isinstance(record, Diagnosis) for record in records)
    counted += any(isinstance(record, Diagnosis) for record in records)
    fields: list[Field] = [(tags.PRESENT_STATUS, num(0))]
    fields += [(tags.REFERENCE_ID, reference)] if reference is not None else []
    head = bytes((status,)) + bytes(3) + counted.to_bytes(3, "big") + bytes(3)
    return Apdu(SEARCH_RESPONSE, head, tuple(fields), ((tags.USER_INFORMATION, write_records(records)),))


class SearchResponse:
    """A SearchResponse.

    Attributes:
        reference: The ReferenceID, or None.
        hits: What was found, best first.
        texts: Pieces of documents.
        diagnostics: What else the server says.
        others: What means nothing here.
    """

    __slots__ = ("reference", "hits", "texts", "diagnostics", "others")

    def __init__(self, reference: bytes | None, records: Iterable[Record]) -> None:
        self.reference = reference
        self.hits: list[Hit] = []
        self.texts: list[DocumentText] = []
        self.diagnostics: list[Diagnosis] = []
        self.others: list[Unknown] = []
        self.add(records)

    def add(self, records: Iterable[Record]) -> None:
        """Sort these in."""
        for record in records:
            if isinstance(record, Hit):
                self.hits.append(record)
            elif isinstance(record, DocumentText):
                self.texts.append(record)
            elif isinstance(record, Diagnosis):
                self.diagnostics.append(record)
            else:
                self.others.append(record)


def read_answer(apdu: Apdu) -> SearchResponse:
    """The answer to a search or a fetch. Raises as `begin_answer` and `RecordReader.read`."""
    answer, reader = begin_answer(apdu)
    while records := reader.read(MAX_RECORDS):
        answer.add(records)
    return answer


def begin_answer(apdu: Apdu) -> tuple[SearchResponse, RecordReader]:
    """The answer to a search or a fetch, and the reader of what it is to hold.

    SearchStatus and the number of records say nothing reliable: not read.

    Raises:
        RemoteProtocolError: It is none.
    """
    if apdu.pdu != SEARCH_RESPONSE:
        raise RemoteProtocolError(f"The server answers a Search with an APDU of type {apdu.pdu}.")
    return (
        SearchResponse(apdu.field(tags.REFERENCE_ID), ()),
        RecordReader(apdu.block(tags.USER_INFORMATION) or b""),
    )
