"""An ideal WAIS server, pure and deterministic, for dry runs and ``--explain``.

Rule: it assumes that the URL is right: the database exists, the document exists and has the length in the URL, up to
`MAX_BYTES`. It finds one document for any words, and describes itself if there are no words.
"""

from __future__ import annotations

from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.fields import num
from anyurl.schemes.wais.wire.messages import (
    INIT,
    INIT_RESPONSE,
    SEARCH,
    Apdu,
    MessageReader,
    WaisMessage,
    read_message,
)
from anyurl.schemes.wais.wire.queries import (
    BY_TERMS,
    SEARCH_ONLY,
    VERSION_1,
    Relevant,
    Terms,
    read_terms,
    read_word_query,
)
from anyurl.schemes.wais.wire.records import OUT_OF_RANGE, Diagnosis, Record, hit, search_response, text_record

SIZE = 100_000
"""Octets of a reply's body: freeWAIS's own limit."""

MAX_BYTES = 16 * 1024 * 1024
"""Octets of the largest document, in 170 requests: a dry run keeps all content, and a URL can claim ten digits."""

TEXT = b"An ideal text\nhas two lines.\n"
SOURCE = b"""(:source :version 3 :ip-name "ideal.example" :tcp-port 210 :database-name "ideal"
 :cost 0.00 :cost-unit :free :maintainer "nobody@ideal.example" :keyword-list ( ideal )
 :description "An ideal database." )
"""

_FIXED = b"\x01\x05ideal\x02\x05ideal\x03\x08"
DOCUMENT_ID, SOURCE_ID = _FIXED + b"0 0 text\x07\x01\x00", _FIXED + b"0 0 help\x07\x01\x00"


class FakeWaisServer:
    """The fake server (`anyurl.dialogue.FakeServer`) of one URL.

    Args:
        document_id: The id of the document that the URL designates, or None.
        type: The type of the document.
        length: The length of the document; None for that of `TEXT`.
    """

    __slots__ = ("_document_id", "_type", "_length", "_readers")

    def __init__(self, document_id: bytes | None = None, type: bytes = b"TEXT", length: int | None = None) -> None:
        self._document_id = DOCUMENT_ID if document_id is None else document_id
        self._type = type or b"TEXT"
        self._length = length
        self._readers: dict[int, MessageReader] = {}

    def connected(self, link: int) -> bytes:
        """Nothing: the client sends first."""
        self._readers[link] = MessageReader()
        return b""

    def received(self, link: int, data: bytes) -> bytes:
        """The replies to the requests that these octets complete."""
        return b"".join(self._reply(message) for message in self._readers[link].feed(data))

    def tell(self, data: bytes) -> list[str]:
        """Describe a message, which is binary, for people."""
        return [line for message in MessageReader().feed(data) for line in told(message)]

    def _reply(self, message: WaisMessage) -> bytes:
        apdu = read_message(message)
        if apdu is None:
            return WaisMessage(b"", message.header).octets()
        if apdu.pdu == INIT:
            sizes = ((tags.PREFERRED_SIZE, num(SIZE)), (tags.MAXIMUM_SIZE, num(SIZE)))
            fields = ((tags.PROTOCOL_VERSION, VERSION_1), (tags.OPTIONS, SEARCH_ONLY), *sizes)
            return WaisMessage(Apdu(INIT_RESPONSE, b"\x01", fields).octets(), message.header).octets()
        records = self._fetch(apdu) if apdu.field(tags.QUERY_TYPE) == BY_TERMS else self._search(apdu)
        answer = search_response(records, status=1, reference=apdu.field(tags.REFERENCE_ID))
        return WaisMessage(answer.octets(), message.header).octets()

    def _search(self, apdu: Apdu) -> list[Record]:
        query = read_word_query(apdu.block(tags.USER_INFORMATION) or b"")
        document_id, type, headline, length = self._document_id, self._type, b"An ideal text", self._size()
        if not query.words:
            document_id, type, headline, length = SOURCE_ID, b"WSRC", b"Information on database", len(SOURCE)
        return [
            hit(document_id, score=1000, length=length, lines=2, types=[type], source=b"ideal", date=b"941201",
                headline=headline)
        ]  # fmt: skip

    def _fetch(self, apdu: Apdu) -> list[Record]:
        documents = read_terms(apdu.block(tags.QUERY) or b"")
        return [record for terms in documents for record in self._piece(terms)]

    def _piece(self, terms: Terms) -> list[Record]:
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
