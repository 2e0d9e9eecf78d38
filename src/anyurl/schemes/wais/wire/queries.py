"""WAIS requests: Init, a search for words (query type "3"), the fetch of a document (query type "1").

Rule: each request has exactly the fields of the original clients, in their order, so that every server that supports
those supports anyurl. No field identifies the user or this machine. A document-id is opaque octets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from anyurl.errors import RemoteProtocolError, sample
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.fields import Field, Fields, first, first_num, num, read_fields, read_num, write_fields
from anyurl.schemes.wais.wire.messages import INIT, INIT_RESPONSE, SEARCH, Apdu
from anyurl.values import Struct, Value

BY_WORDS, BY_TERMS = b"3", b"1"
"""Query types: a search for words, and the fetch of a document."""

VERSION_1 = b"\x80"
SEARCH_ONLY = b"\x80"
"""Bitmaps of an Init: version 1 of the protocol; the search option only."""

NEXT_DOCUMENT, PREVIOUS_DOCUMENT = b"WAIS_NEXT", b"WAIS_PREV"
"""Types of a relevant document that request its neighbours."""

BYTES, LINES, PARAGRAPHS = 1, 2, 3

_SEARCH_HEAD = bytes.fromhex("00001e 001388 00001e 01")
"""Small set 30, large set 5000, medium set 30, replace: sent by the original clients, and ignored by servers."""

_FETCH_HEAD = bytes.fromhex("00000a 000010 00000f 01")

_DOCUMENT_TEXT = b" \x1fDocument Text"
FETCH_REFERENCE = b"3"
"""The ReferenceID of a fetch of the original clients; the reply repeats it."""

_EQUAL, _FROM, _BELOW = b"re", b"ro", b"rl"
_UNITS = {"bytes": b"wb", "lines": b"wl", "paragraphs": b"wp"}
Unit = Literal["bytes", "lines"]


def init_request(size: int = 100_000) -> Apdu:
    """An Init that requests replies of up to `size` octets, and does not identify the client."""
    sizes = ((tags.PREFERRED_SIZE, num(size)), (tags.MAXIMUM_SIZE, num(size)))
    return Apdu(INIT, b"", ((tags.PROTOCOL_VERSION, VERSION_1), (tags.OPTIONS, SEARCH_ONLY), *sizes))


class InitAnswer(Value):
    """An InitResponse.

    Attributes:
        accepted: The server accepts the session; searches work even if it does not.
        size: The most octets of the body of a reply, or None if not given.
        name: The server's name for itself.
    """

    accepted: bool
    size: int | None
    name: bytes = b""


def read_init_answer(apdu: Apdu) -> InitAnswer:
    """Parse an InitResponse. Raises RemoteProtocolError if it is another APDU."""
    if apdu.pdu != INIT_RESPONSE:
        raise RemoteProtocolError(f"The server answers Init with an APDU of type {apdu.pdu}.", sample=sample(apdu.head))
    sizes = [size for tag in (tags.PREFERRED_SIZE, tags.MAXIMUM_SIZE) if (size := apdu.number(tag)) is not None]
    return InitAnswer(apdu.head != b"\0", min(sizes, default=None), apdu.field(tags.IMPLEMENTATION_NAME) or b"")


class Relevant(Value):
    """A document, or a part of one, to which a search should find similar ones.

    Attributes:
        document_id: Opaque octets.
        type: ``TEXT`` ..., or None if unknown; `NEXT_DOCUMENT` and `PREVIOUS_DOCUMENT` request neighbours.
        lines: The first line and the line after the last, from 0; None for the whole document.
        code: The unit of `lines`: `LINES` or `BYTES`; `PARAGRAPHS` have ids that are opaque to clients.
        paragraphs: The ids of the first paragraph and of the one after the last.
    """

    document_id: bytes
    type: bytes | None = b"TEXT"
    lines: tuple[int, int] | None = None
    code: int = LINES
    paragraphs: tuple[bytes, bytes] = (b"", b"")

    def fields(self) -> Fields:
        """The fields of this document in a search."""
        typed: Fields = () if self.type is None else ((tags.TYPE, self.type),)
        if self.lines is None:
            return (tags.DOCUMENT_ID, self.document_id), *typed
        start, end = self.paragraphs if self.code == PARAGRAPHS else (num(self.lines[0]), num(self.lines[1]))
        return (
            (tags.DOCUMENT_ID_CHUNK, self.document_id),
            *typed,
            (tags.CHUNK_CODE, num(self.code)),
            (tags.CHUNK_START, start),
            (tags.CHUNK_END, end),
        )


class WordQuery:
    """The query of a search.

    Attributes:
        words: The words as typed; their interpretation is up to the server.
        relevant: Documents to which similar ones are requested.
        maximum: The most hits; None if the field is missing, which is invalid (it crashes freeWAIS).
        dates: The date factor (1: dates do not matter) and the first and last day (``yyyymmdd``), each possibly None.
        others: Other fields, such as a list of texts.
    """

    __slots__ = ("words", "relevant", "maximum", "dates", "others")

    def __init__(
        self,
        words: bytes,
        relevant: Sequence[Relevant] = (),
        maximum: int | None = 40,
        dates: tuple[int | None, bytes | None, bytes | None] = (1, None, None),
    ) -> None:
        self.words = words
        self.relevant = tuple(relevant)
        self.maximum = maximum
        self.dates = dates
        self.others: Fields = ()

    def octets(self) -> bytes:
        """The content of the block after a Search."""
        factor, begin, end = self.dates
        fields: list[Field] = [(tags.SEED_WORDS, self.words)]
        for document in self.relevant:
            fields += document.fields()
        fields += self.others
        fields += [(tags.DATE_FACTOR, num(factor))] if factor is not None else []
        fields += [(tags.BEGIN_DATE, begin)] if begin is not None else []
        fields += [(tags.END_DATE, end)] if end is not None else []
        fields += [(tags.MAX_DOCUMENTS, num(self.maximum))] if self.maximum is not None else []
        return write_fields(fields)


_WORD_TAGS = frozenset(
    {
        tags.SEED_WORDS, tags.DOCUMENT_ID, tags.DOCUMENT_ID_CHUNK, tags.TYPE, tags.CHUNK_CODE, tags.CHUNK_START,
        tags.CHUNK_END, tags.TEXT_LIST, tags.DATE_FACTOR, tags.BEGIN_DATE, tags.END_DATE, tags.MAX_DOCUMENTS,
    }
)  # fmt: skip

_DOCUMENT_TAGS = frozenset({tags.DOCUMENT_ID, tags.DOCUMENT_ID_CHUNK})


def read_word_query(data: bytes) -> WordQuery:
    """Parse the block after a Search of query type 3.

    Raises:
        RemoteProtocolError: It contains an undefined field, or is truncated.
    """
    fields = read_fields(data)
    unknown = next((tag for tag, _ in fields if tag not in _WORD_TAGS), None)
    if unknown is not None:
        raise RemoteProtocolError(f"A WAIS search holds field {unknown}, which is not defined there.")
    starts = [at for at, (tag, _) in enumerate(fields) if tag in _DOCUMENT_TAGS]
    relevant = [
        _relevant(fields[at][1], fields[at + 1 : end], whole=fields[at][0] == tags.DOCUMENT_ID)
        for at, end in zip(starts, [*starts[1:], len(fields)], strict=False)
    ]
    dates = (first_num(fields, tags.DATE_FACTOR), first(fields, tags.BEGIN_DATE), first(fields, tags.END_DATE))
    query = WordQuery(first(fields, tags.SEED_WORDS) or b"", relevant, first_num(fields, tags.MAX_DOCUMENTS), dates)
    query.others = tuple(field for field in fields if field[0] == tags.TEXT_LIST)
    return query


def _relevant(document_id: bytes, satellites: Fields, *, whole: bool) -> Relevant:
    """A relevant document, with the fields that follow it in any order."""
    type = first(satellites, tags.TYPE)
    if whole:
        return Relevant(document_id, type)
    code = first_num(satellites, tags.CHUNK_CODE)
    start, end = first(satellites, tags.CHUNK_START) or b"", first(satellites, tags.CHUNK_END) or b""
    if code == PARAGRAPHS:
        return Relevant(document_id, type, (0, 0), code, (start, end))
    return Relevant(document_id, type, (read_num(start), read_num(end)), LINES if code is None else code)


def search_request(database: bytes | None, query: WordQuery, reference: bytes | None = None) -> Apdu:
    """A search in a database; without one, in the server's directory of databases."""
    fields: list[Field] = [(tags.RESULT_SET_NAME, b"")]
    fields += [(tags.DATABASE_NAMES, database)] if database is not None else []
    fields.append((tags.QUERY_TYPE, BY_WORDS))
    fields += [(tags.REFERENCE_ID, reference)] if reference is not None else []
    return Apdu(SEARCH, _SEARCH_HEAD, tuple(fields), ((tags.USER_INFORMATION, query.octets()),))


class TermQuery(Value):
    """The fetch of a part of a document.

    Attributes:
        document_id: Opaque octets.
        type: ``TEXT`` ...
        start: The first octet or line, from 0.
        end: The octet or line after the last.
        unit: ``bytes``, ``lines`` or ``paragraphs``.
    """

    document_id: bytes
    type: bytes
    start: int
    end: int
    unit: str = "bytes"

    def octets(self) -> bytes:
        """The seven terms of the block after a Search, in postfix order."""
        unit = _UNITS[self.unit]
        ask = (tags.OPERATOR, b"a")
        return write_fields(
            (
                _attribute(b"un", _EQUAL), (tags.TERM, self.document_id),
                _attribute(b"wt", _EQUAL), (tags.TERM, self.type), ask,
                _attribute(unit, _FROM), (tags.TERM, b"%d" % self.start), ask,
                _attribute(unit, _BELOW), (tags.TERM, b"%d" % self.end), ask,
            )
        )  # fmt: skip


def _attribute(use: bytes, relation: bytes) -> Field:
    """An attribute of use and relation; position, structure, truncation and completeness are ignored."""
    return tags.ATTRIBUTE_LIST, use + b" " + relation + b" ig ig ig ig"


class Terms(Struct):
    """One document of a query of type 1, as a server reads it; missing values are None."""

    document_id: bytes
    type: bytes | None = None
    unit: str | None = None
    start: int | None = None
    end: int | None = None


def read_terms(data: bytes) -> list[Terms]:
    """Parse the documents that a query of type 1 requests.

    Raises:
        RemoteProtocolError: A term has no attributes, or does not fit them.
    """
    documents: list[Terms] = []
    use = relation = b""
    for tag, value in read_fields(data):
        if tag == tags.ATTRIBUTE_LIST:
            use, relation = (*value.split(b" "), b"", b"")[:2]
        elif tag == tags.TERM:
            _add_term(documents, use, relation, value)
        elif tag != tags.OPERATOR:
            raise RemoteProtocolError(f"A WAIS query holds field {tag}, which is not a term.")
    return documents


def _add_term(documents: list[Terms], use: bytes, relation: bytes, value: bytes) -> None:
    if use == b"un":
        documents.append(Terms(value))
        return
    if not documents:
        raise RemoteProtocolError("A WAIS query asks for a part without naming a document.", sample=sample(value))
    document = documents[-1]
    if use == b"wt":
        document.type = value
        return
    unit = next((name for name, code in _UNITS.items() if code == use), None)
    if unit is None or not (value.isdigit() and len(value) <= 20):
        raise RemoteProtocolError(f"A WAIS query has an unknown term: {sample(use + b' ' + value)}")
    document.unit = unit
    if relation == _FROM:
        document.start = int(value)
    elif relation == _BELOW:
        document.end = int(value)


def fetch_request(database: bytes | None, query: TermQuery) -> Apdu:
    """The fetch of a part of a document.

    Args:
        database: A database that must exist if given; the one in the document-id is used.
    """
    fields: list[Field] = [(tags.RESULT_SET_NAME, b"FOO")]
    fields += [(tags.DATABASE_NAMES, database)] if database is not None else []
    fields += [
        (tags.QUERY_TYPE, BY_TERMS),
        (tags.ELEMENT_SET_NAMES, _DOCUMENT_TEXT),
        (tags.REFERENCE_ID, FETCH_REFERENCE),
    ]
    return Apdu(SEARCH, _FETCH_HEAD, tuple(fields), ((tags.QUERY, query.octets()),))
