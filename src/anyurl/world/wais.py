"""wais: the world's tree on a WAIS server (RFC 1738 3.9, RFC 1625): ranked searches, documents, help.

Rule: its answers are those of freeWAIS-sf. Its databases:

    world   the texts, pages and pictures of the tree; one page can be had in two types
    links   URLs: a hit's headline is where it leads
    INFO    the descriptions of the other two, which a search without a database asks
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from anyurl.errors import AnyURLError, RemoteProtocolError
from anyurl.schemes.kit.scheme import text_of
from anyurl.schemes.wais.parts import WaisParts
from anyurl.schemes.wais.wire.queries import (
    BYTES,
    NEXT_DOCUMENT,
    PARAGRAPHS,
    PREVIOUS_DOCUMENT,
    Relevant,
    Terms,
    WordQuery,
)
from anyurl.schemes.wais.wire.records import Diagnosis, Record, text_record
from anyurl.schemes.wais.wire.server import WaisServer
from anyurl.url import URL
from anyurl.world.listener import HOST, SchemeListener
from anyurl.world.tree import content_type, tree
from anyurl.world.wais_index import Database, Document, local_place

IDLE_SECONDS = 3600.0
"""freeWAIS waits an hour for the next request of a connection; people read between two."""

_DATE = "941220"
_WORLD = "The files of the world: a few texts, a page and a picture."
_LINKS = "Where to read on."


class WaisLibrary:
    """The documents of some databases.

    Args:
        databases: The databases.
    """

    def __init__(self, databases: Sequence[Database]) -> None:
        self.databases = databases

    def _find_database(self, name: bytes) -> Database | None:
        wanted = name.split(b"\x1f")[0].removesuffix(b".src") or b"INFO"
        wanted = wanted.rpartition(b"/")[2]
        return next((database for database in self.databases if database.name.encode() == wanted), None)

    def search(self, name: bytes, query: WordQuery) -> list[Record]:
        """The answer to a search; the first database named INFO is searched where none is given."""
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
        for database in self.databases:
            document = database.find(named[1]) if database.has(named[0]) else None
            if document is not None:
                return database, document
        return None

    def fetch(self, terms: Terms) -> list[Record]:
        """A piece of a document."""
        found = self._find_document(terms.document_id)
        if found is None:
            return [Diagnosis("SF", b"Missing DocID in request", 1)]
        return _piece(found[1], terms) if terms.unit in ("bytes", "lines") else []


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


class WaisListener(SchemeListener):
    """A WAIS server on loopback.

    Args:
        databases: Its documents; the world's tree when None.

    Attributes:
        databases: Its databases.
    """

    databases: Sequence[Database]

    def __init__(self, databases: Sequence[Database] | None = None, port: int = 0) -> None:
        def make(port: int) -> WaisServer:
            self.databases = world_databases(f"{HOST}:{port}") if databases is None else list(databases)
            return WaisServer(WaisLibrary(self.databases))

        name = "world" if databases is None else databases[0].name
        super().__init__(make, "wais", port, f"wais://{{}}/{name}", {}, idle=IDLE_SECONDS)
        if databases is None:
            self.urls = {"wais": self._notes()}

    def _notes(self) -> URL:
        """A text, by the id that a search for it gives."""
        database = self.databases[0]
        document = next(document for document in database.documents if document.path.endswith("notes.txt"))
        parts = WaisParts(
            database.name, None, next(iter(document.types)), text_of(database.document_id(document)), len(document.data)
        )
        return self.root.replace(parts=parts)


def start(port: int = 0) -> WaisListener:
    """Serve the tree by WAIS. At a port of the system\'s choice, if 0; raises OSError if it is taken."""
    return WaisListener(port=port)
