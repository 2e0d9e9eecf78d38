"""wais: the world's tree on a WAIS server (RFC 1738 3.9, RFC 1625): ranked searches, documents, help.

Rule: it answers every request with exactly one message, as freeWAIS-sf does, and where that one dies (a fetch without a
type, a search without a maximum) with the empty message that says that something was wrong. A client that sends ahead
gets no answer, and the connection is closed, as there. Its databases:

    world   the texts, pages and pictures of the tree; one page can be had in two types
    links   URLs: a hit's headline is where it leads
    INFO    the descriptions of the other two, which a search without a database asks
"""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence

from anyurl.errors import AnyURLError, RemoteProtocolError
from anyurl.schemes.kit.scheme import text_of
from anyurl.schemes.wais.parts import WaisParts
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
    BYTES,
    NEXT_DOCUMENT,
    PARAGRAPHS,
    PREVIOUS_DOCUMENT,
    SEARCH_ONLY,
    VERSION_1,
    Relevant,
    Terms,
    WordQuery,
    read_terms,
    read_word_query,
)
from anyurl.schemes.wais.wire.records import Diagnosis, Hit, Record, search_response, text_record
from anyurl.url import URL
from anyurl.world.listener import HOST, Listener
from anyurl.world.tree import content_type, tree
from anyurl.world.wais_index import Database, Document, local_place

IDLE_SECONDS = 3600.0
"""freeWAIS waits an hour for the next request of a connection; people read between two."""

PIECE = 64 * 1024

SIZE = 100_000
"""Octets of a reply's body, as freeWAIS-sf has them; Init can only make it less."""

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
_DATE = "941220"
_WORLD = "The files of the world: a few texts, a page and a picture."
_LINKS = "Where to read on."


class Conversation:
    """The terms agreed upon by one connection, and the answers to its requests.

    Args:
        databases: Those of the server; the first one named INFO is searched where no database is given.
    """

    __slots__ = ("_databases", "_size")

    def __init__(self, databases: Sequence[Database]) -> None:
        self._databases = databases
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
            records = self._search(_database_name(apdu), query)
            if header.version < b"2":
                records = [_without_types(record) for record in records]
            status = int(not any(isinstance(record, Diagnosis) and record.code == "S1" for record in records))
            while len(octets := search_response(records, status=status, reference=reference).octets()) > self._size:
                if not _cut(records):
                    break
            return octets
        if query_type == BY_TERMS:
            texts = self._fetch(read_terms(apdu.block(tags.QUERY) or b""))
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

    # --- searches --------------------------------------------------------------------------------------------------

    def _find_database(self, name: bytes) -> Database | None:
        wanted = name.split(b"\x1f")[0].removesuffix(b".src") or b"INFO"
        wanted = wanted.rpartition(b"/")[2]
        return next((database for database in self._databases if database.name.encode() == wanted), None)

    def _search(self, name: bytes, query: WordQuery) -> list[Record]:
        database = self._find_database(name)
        if database is None:
            if not query.words and not query.relevant:
                return []  # as the original: help about a missing database is silence
            return [Diagnosis("S1", b"The following database is not available: " + name)]
        documents: list[Document] = []
        likely: set[str] = set()
        missing: list[Record] = []
        for relevant in query.relevant:
            document = self._find_document(relevant.document_id)
            if document is None:
                missing.append(Diagnosis("S2", b"Relevant Document not available: " + _place(relevant.document_id), 1))
            elif relevant.type in (NEXT_DOCUMENT, PREVIOUS_DOCUMENT):
                return list(database.neighbour(document[1], 1 if relevant.type == NEXT_DOCUMENT else -1))
            else:
                documents.append(document[1])
                likely |= _words_of(document[1], relevant)
        words = text_of(query.words)
        return [*database.search(words, documents, query.maximum or 0, likely), *missing]

    # --- documents -------------------------------------------------------------------------------------------------

    def _find_document(self, document_id: bytes) -> tuple[Database, Document] | None:
        try:
            named = local_place(document_id)
        except RemoteProtocolError:
            return None
        if named is None:
            return None
        for database in self._databases:
            document = database.find(named[1]) if database.has(named[0]) else None
            if document is not None:
                return database, document
        return None

    def _fetch(self, documents: Sequence[Terms]) -> list[Record]:
        records: list[Record] = []
        for terms in documents:
            if terms.type is None:
                raise RemoteProtocolError("A fetch must name the type that it requests.")
            found = self._find_document(terms.document_id)
            if found is None:
                records.append(Diagnosis("SF", b"Missing DocID in request", 1))
            elif terms.unit in ("bytes", "lines"):
                records += _piece(found[1], terms)
        return records


def _echo(header: MessageHeader, body: bytes) -> bytes:
    """A reply with the header of its request; no checksum is computed."""
    echoed = MessageHeader(header.type, header.version, header.server, header.compression, header.encoding)
    return WaisMessage(body, echoed).octets()


def _database_name(apdu: Apdu) -> bytes:
    return apdu.field(tags.DATABASE_NAMES) or b"INFO"


def _place(document_id: bytes) -> bytes:
    """The place of the document that a document-id names, if readable."""
    try:
        return (local_place(document_id) or (b"", b""))[1]
    except AnyURLError:
        return b""


def _words_of(document: Document, part: Relevant) -> set[str]:
    """The words of a relevant document that a search goes by; which paragraphs are meant is not known here."""
    if part.lines is None or part.code == PARAGRAPHS:
        return document.words()
    return document.words_of_part(*part.lines, lines=part.code != BYTES)


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


def _piece(document: Document, terms: Terms) -> list[Record]:
    """A range of a document; a range of octets that leaves it is clipped, and said to be out of range."""
    wanted = text_of(terms.type or b"")
    letters = re.split("[^A-Z]", wanted)[0]  # freeWAIS looks no further: TEXT,GIF is TEXT
    data = document.types.get(wanted, document.types.get(letters, document.data))
    start, end = terms.start or 0, terms.end or 0
    if terms.unit == "lines":
        lines = data.splitlines(keepends=True)
        return [text_record(terms.document_id, b"".join(lines[start:end]))]
    beyond = Diagnosis("SF", b"Request out of range", 1)
    if start > len(data):
        return [beyond]
    text: Record = text_record(terms.document_id, bytes(data[start:end]))
    return [text, beyond] if end > len(data) else [text]


class WaisServer:
    """A WAIS server.

    Args:
        databases: Its documents; the world's tree when None.

    Attributes:
        port: Where it listens.
        databases: Its databases.
    """

    def __init__(self, databases: Sequence[Database] | None = None, port: int = 0) -> None:
        self._listener = Listener(self.serve, "wais", port)
        self.port = self._listener.port
        self.databases = world_databases(f"{HOST}:{self.port}") if databases is None else list(databases)

    @property
    def root(self) -> URL:
        """The database of the tree."""
        return URL(f"wais://{HOST}:{self.port}/{self.databases[0].name}")

    @property
    def urls(self) -> dict[str, URL]:
        """The URL that the demo gets: a text, by the id that a search for it gives."""
        database = self.databases[0]
        document = next(document for document in database.documents if document.path.endswith("notes.txt"))
        parts = WaisParts(
            database.name, None, next(iter(document.types)), text_of(database.document_id(document)), len(document.data)
        )
        return {"wais": self.root.replace(parts=parts)}

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.close()

    def serve(self, connection: socket.socket) -> None:
        """Any number of requests, one reply each."""
        connection.settimeout(IDLE_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        conversation = Conversation(self.databases)
        reader = MessageReader(lenient=True)
        try:
            while data := connection.recv(PIECE):
                messages = reader.feed(data)
                if not messages:
                    continue
                # freeWAIS can't turn from reading to writing while unread input follows a request: a client that sends
                # ahead gets nothing, so that it is noticed here already.
                reply = None if len(messages) > 1 or reader.pending else conversation.reply(messages[0])
                if reply is None:
                    return
                connection.sendall(reply)
            if reader.pending:  # the client has gone in the middle of a request
                connection.sendall(WaisMessage(b"").octets())
        except AnyURLError:  # too long, or not of its alphabet: where the next request begins is unknown
            connection.sendall(WaisMessage(b"").octets())


_TYPES = {"text/plain": "TEXT", "text/html": "HTML", "image/png": "PNG"}


def world_databases(server: str) -> list[Database]:
    """The databases of the tree.

    Args:
        server: ``host:port``, as in document-ids.
    """
    documents: list[Document] = []
    for path, data in tree().items():
        wtype = _TYPES.get(content_type(path).partition(";")[0], "TEXT")
        types = {wtype: data}
        if wtype == "HTML":
            types["TEXT"] = b"The world\n\nA few files, served by many protocols.\n"
        documents.append(Document(path, _headline(path, data, wtype), types, date=_DATE))
    world = Database("world", server, documents, description=_WORLD)
    pages = [
        Document("rfc1738", "https://www.rfc-editor.org/rfc/rfc1738", {"URL": b"uniform resource locators\n"}),
        Document("rfc1625", "https://www.rfc-editor.org/rfc/rfc1625", {"URL": b"wais over Z39.50\n"}),
    ]
    links = Database("links", server, pages, description=_LINKS)
    sources = [
        Document(f"{database.name}.src", f"{database.name}.src", {"WSRC": database.help[0].data}, date=_DATE)
        for database in (world, links)
    ]
    return [world, links, Database("INFO", server, sources, description="The databases of this server.")]


def _headline(path: str, data: bytes, wtype: str) -> str:
    if wtype != "TEXT":
        return path.rpartition("/")[2]
    return data.decode("utf-8").partition("\n")[0].strip()


def start(port: int = 0) -> WaisServer:
    """Serve the tree by WAIS. At a port of the system\'s choice, if 0; raises OSError if it is taken."""
    return WaisServer(port=port)
