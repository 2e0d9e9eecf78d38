"""A WAIS server without I/O (RFC 1625): searches of an archive, and documents of it.

Rule: it answers every request with exactly one message, as freeWAIS-sf does, and where that one dies (a fetch without a
type, a search without a maximum) with the empty message that says that something was wrong. A client that sends ahead
gets no answer, and the connection is closed, as there.
"""

from __future__ import annotations

from typing import Protocol

from anyurl.errors import AnyURLError
from anyurl.schemes.kit.server import Conversation, ServedClient, WireServer
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.fields import num
from anyurl.schemes.wais.wire.messages import (
    INIT,
    INIT_RESPONSE,
    SEARCH,
    Apdu,
    MessageHeader,
    MessageReader,
    WaisMessage,
    read_message,
)
from anyurl.schemes.wais.wire.queries import (
    BY_TERMS,
    BY_WORDS,
    SEARCH_ONLY,
    VERSION_1,
    Relevant,
    Terms,
    WordQuery,
    read_terms,
    read_word_query,
)
from anyurl.schemes.wais.wire.records import (
    OUT_OF_RANGE,
    Diagnosis,
    Hit,
    Record,
    hit,
    search_response,
    text_record,
)

SIZE = 100_000
"""Octets of a reply's body, as freeWAIS-sf has them; Init can only make it less."""

MAX_BYTES = 16 * 1024 * 1024
"""Octets of the largest ideal document, in 170 requests: a dry run keeps all content, and a URL can claim any."""

TEXT = b"An ideal text\nhas two lines.\n"
SOURCE = b"""(:source :version 3 :ip-name "ideal.example" :tcp-port 210 :database-name "ideal"
 :cost 0.00 :cost-unit :free :maintainer "nobody@ideal.example" :keyword-list ( ideal )
 :description "An ideal database." )
"""

_FIXED = b"\x01\x05ideal\x02\x05ideal\x03\x08"
DOCUMENT_ID, SOURCE_ID = _FIXED + b"0 0 text\x07\x01\x00", _FIXED + b"0 0 help\x07\x01\x00"


_HEAD_TAGS = frozenset(
    {tags.REFERENCE_ID, tags.RESULT_SET_NAME, tags.DATABASE_NAMES, tags.QUERY_TYPE, tags.ELEMENT_SET_NAMES}
)
_INIT_TAGS = frozenset(
    {
        tags.REFERENCE_ID, tags.PROTOCOL_VERSION, tags.OPTIONS, tags.PREFERRED_SIZE, tags.MAXIMUM_SIZE,
        tags.AUTHENTICATION, tags.IMPLEMENTATION_ID, tags.IMPLEMENTATION_NAME, tags.IMPLEMENTATION_VERSION,
        tags.USER_INFORMATION_FIELD,
    }
)  # fmt: skip


class Archive(Protocol):
    """The documents of a server."""

    def search(self, name: bytes, query: WordQuery) -> list[Record]:
        """The answer to a search of the database of this name: hits and diagnoses."""
        ...

    def fetch(self, terms: Terms) -> list[Record]:
        """A piece of a document, whose type is in the terms."""
        ...


class WaisServer(WireServer):
    """A WAIS server.

    Args:
        archive: Its documents.
    """

    def __init__(self, archive: Archive) -> None:
        super().__init__()
        self._archive = archive

    def serve(self, client: ServedClient) -> Conversation[None]:
        """Any number of requests, one reply each."""
        session = WaisConversation(self._archive)
        reader = MessageReader(lenient=True)
        try:
            while (yield from client.more()):
                messages = reader.feed(bytes(client.buffer))
                client.buffer.clear()
                if not messages:
                    continue
                # freeWAIS can't turn from reading to writing while unread input follows a request: a client that sends
                # ahead gets nothing, so that it is noticed here already.
                reply = None if len(messages) > 1 or reader.pending else session.reply(messages[0])
                if reply is None:
                    return
                client.send(reply)
        except AnyURLError:  # too long, or not of its alphabet: where the next request begins is unknown
            client.send(WaisMessage(b"").octets())
        else:
            if reader.pending:  # the client has gone in the middle of a request
                client.send(WaisMessage(b"").octets())

    def tell(self, data: bytes) -> list[str]:
        """Describe a message, which is binary, for people."""
        return [line for message in MessageReader().feed(data) for line in told(message)]


class WaisConversation:
    """The terms agreed upon by one connection, and the answers to its requests.

    Args:
        archive: The documents of the server.
    """

    __slots__ = ("_archive", "_size")

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._size = SIZE

    def reply(self, message: WaisMessage) -> bytes | None:
        """The octets of the one reply to a message; None: the connection is closed."""
        if message.header.version > b"2":
            return None
        size = self._size  # the limit that an Init agrees upon does not apply to its own answer
        try:
            apdu = read_message(message)
            body = b"" if apdu is None else self._answer(apdu, message.header)
        except AnyURLError:
            body = b""
        return _echo(message.header, body if len(body) <= size else b"")

    def _answer(self, apdu: Apdu, header: MessageHeader) -> bytes:
        if apdu.pdu == INIT:
            return b"" if any(tag not in _INIT_TAGS for tag, _ in apdu.fields) else self._init(apdu).octets()
        if apdu.pdu != SEARCH or any(tag not in _HEAD_TAGS for tag, _ in apdu.fields):
            return b""
        query_type, reference = apdu.field(tags.QUERY_TYPE), apdu.field(tags.REFERENCE_ID)
        if query_type == BY_WORDS:
            query = read_word_query(apdu.block(tags.USER_INFORMATION) or b"")
            if query.maximum is None:
                return b""
            records = self._archive.search(apdu.field(tags.DATABASE_NAMES) or b"INFO", query)
            if header.version < b"2":
                records = [_without_types(record) for record in records]
            status = int(not any(isinstance(record, Diagnosis) and record.code == "S1" for record in records))
            while len(octets := search_response(records, status=status, reference=reference).octets()) > self._size:
                if not _cut(records):
                    break
            return octets
        if query_type == BY_TERMS:
            documents = read_terms(apdu.block(tags.QUERY) or b"")
            if any(terms.type is None for terms in documents):
                return b""
            texts = [record for terms in documents for record in self._archive.fetch(terms)]
            return search_response(texts, status=0, reference=reference).octets()
        return b""

    def _init(self, apdu: Apdu) -> Apdu:
        wanted = apdu.number(tags.MAXIMUM_SIZE)
        self._size = min(self._size, SIZE if wanted is None else wanted)
        # Only searches: a client that asks for more (the second and later bits) is refused and may continue.
        accepted = not (apdu.field(tags.OPTIONS) or b"\0")[0] & 0x60
        reference = apdu.field(tags.REFERENCE_ID)
        return Apdu(
            INIT_RESPONSE,
            b"\x01" if accepted else b"\0",
            (
                (tags.PROTOCOL_VERSION, VERSION_1), (tags.OPTIONS, SEARCH_ONLY), (tags.PREFERRED_SIZE, num(self._size)),
                (tags.MAXIMUM_SIZE, num(self._size)), (tags.IMPLEMENTATION_ID, b"anyurl"),
                (tags.IMPLEMENTATION_NAME, b"anyurl world"), (tags.IMPLEMENTATION_VERSION, b"1"),
                *(() if reference is None else ((tags.REFERENCE_ID, reference),)),
            ),
            ((tags.USER_INFORMATION, b"\x64\x01\x00\x65\x01\x00"),),
        )  # fmt: skip


def _echo(header: MessageHeader, body: bytes) -> bytes:
    """A reply with the header of its request; no checksum is computed."""
    echoed = MessageHeader(header.type, header.version, header.server, header.compression, header.encoding)
    return WaisMessage(body, echoed).octets()


def _cut(records: list[Record]) -> bool:
    """Leave out the last hit of a reply that does not fit, without a word (freeWAIS does so); whether there was one."""
    last = max((at for at, record in enumerate(records) if isinstance(record, Hit)), default=None)
    if last is None:
        return False
    del records[last]
    return True


def _without_types(record: Record) -> Record:
    if not isinstance(record, Hit):
        return record
    return Hit(tuple(field for field in record.fields if field[0] != tags.TYPE_BLOCK), record.tag)


class IdealArchive:
    """One document for any words, as long as a URL says up to `MAX_BYTES`; without words, a description of itself.

    Args:
        document_id: The id of the document that the URL designates, or None.
        type: The type of the document.
        length: The length of the document; None for that of `TEXT`.
    """

    __slots__ = ("_document_id", "_type", "_length")

    def __init__(self, document_id: bytes | None = None, type: bytes = b"TEXT", length: int | None = None) -> None:
        self._document_id = DOCUMENT_ID if document_id is None else document_id
        self._type = type or b"TEXT"
        self._length = length

    def search(self, name: bytes, query: WordQuery) -> list[Record]:
        """The document, or the description."""
        document_id, type, headline, length = self._document_id, self._type, b"An ideal text", self._size()
        if not query.words:
            document_id, type, headline, length = SOURCE_ID, b"WSRC", b"Information on database", len(SOURCE)
        return [
            hit(document_id, score=1000, length=length, lines=2, types=[type], source=b"ideal", date=b"941201",
                headline=headline)
        ]  # fmt: skip

    def fetch(self, terms: Terms) -> list[Record]:
        """A piece of either."""
        start, end = terms.start or 0, terms.end or 0
        if terms.document_id == SOURCE_ID:
            data = SOURCE[start:end]
        elif terms.type == b"WSRC":
            data = SOURCE.ljust(0 if self._length is None else self._size(), b"\n")[start:end]
        elif terms.unit == "lines":
            data = b"".join(TEXT.splitlines(keepends=True)[start:end])
        else:
            end = min(end, self._size())
            times = max(0, end - start) // len(TEXT) + 2
            data = (TEXT * times)[start % len(TEXT) :][: max(0, end - start)]
        beyond = Diagnosis(OUT_OF_RANGE, b"Request out of range", 1)
        if not data and start > self._size():
            return [beyond]
        cut = terms.unit == "bytes" and (terms.end or 0) - start > len(data)
        return [text_record(terms.document_id, data), beyond] if cut else [text_record(terms.document_id, data)]

    def _size(self) -> int:
        return len(TEXT) if self._length is None else min(self._length, MAX_BYTES)


def told(message: WaisMessage) -> list[str]:
    """Describe a request in lines of text. Raises RemoteProtocolError if it is not a WAIS message."""
    apdu = read_message(message)
    size = f"{len(message.octets()):,} octets"
    if apdu is None:
        return [f"an empty message ({size})"]
    if apdu.pdu == INIT:
        return [f"Init: replies of up to {apdu.number(tags.MAXIMUM_SIZE):,} octets ({size})"]
    if apdu.pdu != SEARCH:
        return [f"an APDU of type {apdu.pdu} ({size})"]
    database = _shown(apdu.field(tags.DATABASE_NAMES))
    if apdu.field(tags.QUERY_TYPE) == BY_TERMS:
        return [
            f"Search, type 1: {terms.unit} {terms.start:,} to {terms.end:,} of document {_shown(terms.document_id)} "
            f"as {_shown(terms.type)}, database {database} ({size})"
            for terms in read_terms(apdu.block(tags.QUERY) or b"")
        ]
    query = read_word_query(apdu.block(tags.USER_INFORMATION) or b"")
    like = "".join(f", more like {_part(document)} {_shown(document.document_id)}" for document in query.relevant)
    words = f"words {_shown(query.words)} in database {database}{like}"
    return [f"Search, type 3: {words}, at most {query.maximum} hits ({size})"]


def _part(document: Relevant) -> str:
    return "document" if document.lines is None else f"lines {document.lines[0]} to {document.lines[1]} of document"


def _shown(data: bytes | None) -> str:
    return "of the server's own choice" if data is None else repr(data.decode("utf-8", "surrogateescape"))
