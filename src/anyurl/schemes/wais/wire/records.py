"""Records in WAIS replies: hits, texts and diagnostics, in the block after a SearchResponse.

Rule: records are counted by reading them, never by the number in the response. Unknown records are kept as octets, so
that writing parsed records gives the same octets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

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
"""Records of one reply: freeWAIS fits some two hundred hits into its 100,000 octets."""

MAX_DIAGNOSIS_TEXT = 2**16 - 1 - 3
"""Octets of the text of a diagnostic: its length has two octets, and includes the code and a flag."""

RECORD_END = b"\x1d"

PERMANENT, TEMPORARY, OUT_OF_RANGE, NOT_AUTHORIZED, ACCESS_FAILURE = "S1", "S2", "SF", "SH", "T2"
"""Codes of diagnostics that are in use, or have a meaning for clients."""

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
    """A document header: one hit of a search.

    Attributes:
        tag: The tag of its group: `tags.HEADER_GROUP`, a short or a long header, or a headline.
        fields: The fields as received.
    """

    fields: Fields
    tag: int = tags.HEADER_GROUP

    @property
    def document_id(self) -> bytes:
        """The id of the document: opaque octets, to be sent back unchanged."""
        return first(self.fields, tags.DOCUMENT_ID) or b""

    @property
    def score(self) -> int | None:
        """The score, on a scale of the server's; the best is the highest. None for a neighbour."""
        return first_num(self.fields, tags.SCORE)

    @property
    def length(self) -> int | None:
        """The length of the document in its first type, in octets."""
        return first_num(self.fields, tags.DOCUMENT_LENGTH)

    @property
    def lines(self) -> int | None:
        """The number of lines of the document."""
        return first_num(self.fields, tags.LINES)

    @property
    def types(self) -> tuple[bytes, ...]:
        """The available types of the document, the best first; empty from old servers, which have texts only.

        Raises:
            RemoteProtocolError: Their block is malformed.
        """
        block = first(self.fields, tags.TYPE_BLOCK)
        return () if block is None else tuple(value for tag, value in read_fields(block) if tag == tags.TYPE)

    @property
    def source(self) -> bytes | None:
        """The server's name of the database."""
        return first(self.fields, tags.SOURCE)

    @property
    def date(self) -> bytes | None:
        """The date: ``yymmdd``, ``yyyymmdd``, or ``0``."""
        return first(self.fields, tags.DATE)

    @property
    def headline(self) -> bytes:
        """The headline, in an unspecified charset."""
        return first(self.fields, tags.HEADLINE) or b""

    @property
    def city(self) -> bytes | None:
        """Where the document is from."""
        return first(self.fields, tags.ORIGIN_CITY)

    def octets(self) -> bytes:
        """The group as sent."""
        return write_field(self.tag, write_fields(self.fields))


def hit(
    document_id: bytes, *, score: int | None, length: int, lines: int, types: Sequence[bytes], source: bytes,
    date: bytes | None, headline: bytes, best_match: int | None = 0,
) -> Hit:  # fmt: skip
    """A document header in the form of freeWAIS, whose own entries (a catalogue) have no best match and no date.

    The original clients take the field after the types for the source, so it must follow them.
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
        fields: The fields in the order received.
    """

    fields: Fields

    @property
    def document_id(self) -> bytes:
        """The id of the document; empty if the server omits it."""
        return first(self.fields, tags.DOCUMENT_ID) or b""

    @property
    def data(self) -> bytes:
        """The octets of the piece."""
        return first(self.fields, tags.DOCUMENT_TEXT) or b""

    @property
    def version(self) -> int | None:
        """The version of the document, or None. Raises as `read_num`."""
        return first_num(self.fields, tags.VERSION_NUMBER)

    def octets(self) -> bytes:
        """The group as sent."""
        return write_field(tags.TEXT_GROUP, write_fields(self.fields))


def text_record(document_id: bytes, data: bytes, version: int | None = 0, others: Fields = ()) -> DocumentText:
    """A piece of a document.

    Args:
        version: The version of the document, or None.
        others: Other fields.
    """
    numbered: Fields = () if version is None else ((tags.VERSION_NUMBER, num(version)),)
    return DocumentText(((tags.DOCUMENT_ID, document_id), *numbered, (tags.DOCUMENT_TEXT, data), *others))


class Diagnosis(Value):
    """A diagnostic of the server about a request; not always an error.

    Attributes:
        code: Two characters: ``S1``, ``SF`` ...
        text: An explanation for people, possibly empty.
        surrogate: The diagnostic takes the place of a record.
    """

    code: str
    text: bytes = b""
    surrogate: int = 0

    def octets(self) -> bytes:
        """The record as sent; its length does not include its end mark.

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
        """The server's explanation, or the meaning of the code."""
        return self.text.strip() or MEANINGS.get(self.code, "no reason was given").encode()


class Unknown(Value):
    """A group that is neither a hit nor a text, such as the words that were used; or a broken hit.

    Attributes:
        tag: Its number.
        value: Its octets.
    """

    tag: int
    value: bytes

    def octets(self) -> bytes:
        """The group as sent."""
        return write_field(self.tag, self.value)


Record: TypeAlias = Hit | DocumentText | Diagnosis | Unknown
HITS_TAGS = frozenset({tags.HEADER_GROUP, tags.SHORT_HEADER_GROUP, tags.LONG_HEADER_GROUP, tags.HEADLINE_GROUP})
"""Those of hits."""


def read_records(block: bytes) -> list[Record]:
    """Parse the records of a response, in the order received.

    Raises:
        RemoteProtocolError: A length exceeds its container, or a record has no end mark.
        LimitError: There are more than `MAX_RECORDS`.
    """
    return RecordReader(block).read(len(block))


class RecordReader:
    """Parses the records of a response in portions, since there may be ten thousand."""

    __slots__ = ("_block", "_at", "_count")

    def __init__(self, block: bytes) -> None:
        self._block = block
        self._at = self._count = 0

    def read(self, at_most: int) -> list[Record]:
        """The records in the next `at_most` octets, the last of which may exceed them; none at the end.

        Raises:
            RemoteProtocolError: A length exceeds its container, or a record has no end mark.
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
    if tag in HITS_TAGS:
        try:
            return Hit(read_fields(value), tag)
        except RemoteProtocolError:
            return Unknown(tag, value)  # its length was right: one broken hit does not hide the others
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
    """A SearchResponse with these records; as in freeWAIS, all diagnostics together count as one."""
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
        hits: The hits, the best first.
        texts: Pieces of documents.
        diagnostics: The diagnostics.
        others: Unknown records.
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
        """Add records, by their kinds."""
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
    """Parse the reply to a search or a fetch. Raises as `begin_answer` and `RecordReader.read`."""
    answer, reader = begin_answer(apdu)
    while records := reader.read(MAX_RECORDS):
        answer.add(records)
    return answer


def begin_answer(apdu: Apdu) -> tuple[SearchResponse, RecordReader]:
    """Begin to parse the reply to a search or a fetch; returns it without records, and the reader of its records.

    SearchStatus and the number of records are unreliable, and ignored.

    Raises:
        RemoteProtocolError: It is not a SearchResponse.
    """
    if apdu.pdu != SEARCH_RESPONSE:
        raise RemoteProtocolError(f"The server answers a Search with an APDU of type {apdu.pdu}.")
    return (
        SearchResponse(apdu.field(tags.REFERENCE_ID), ()),
        RecordReader(apdu.block(tags.USER_INFORMATION) or b""),
    )
