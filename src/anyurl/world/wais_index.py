"""The databases of the world's WAIS server: documents, their ids, ranked searches, help, and neighbours.

Rule: a document-id is as in freeWAIS (server, database and path, twice), so that old clients print its URLs. The best
hit has a score of 1000, as with the first servers; words of a relevant document weigh a tenth of those typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from anyurl.schemes.wais.wire.fields import read_fields, write_fields
from anyurl.schemes.wais.wire.records import Diagnosis, Hit, hit

BEST_SCORE = 1000
RELEVANT_WEIGHT = 0.1
HEADLINE_WEIGHT = 4.0
"""A word of a headline says more about a document than one of its text."""

_WORD = re.compile(r"[^\W_]+")
_OPERATORS = frozenset({"and", "or", "not"})


class Document:
    """One document of a database.

    Attributes:
        path: Its name; its place in the document-id.
        headline: Octets of no charset.
        data: Its octets in the first type.
        types: Each type in which it can be had, best first, with its octets.
        date: ``yymmdd``, or ``0``.
    """

    __slots__ = ("path", "headline", "data", "types", "date", "_weights")

    def __init__(
        self, path: str, headline: str | bytes, types: Mapping[str, bytes], *, date: str = "0", words: str | None = None
    ) -> None:
        self.path = path
        self.headline = headline if isinstance(headline, bytes) else headline.encode("latin-1", "replace")
        self.types = dict(types)
        self.data = next(iter(self.types.values()))
        self.date = date
        self._weights: dict[str, float] = {}
        text = words if words is not None else self._text()
        for word in _words(text):
            self._weights[word] = self._weights.get(word, 0.0) + 1.0
        for word in _words(self.headline.decode("latin-1")):
            self._weights[word] = self._weights.get(word, 0.0) + HEADLINE_WEIGHT

    def _text(self) -> str:
        texts = (data for name, data in self.types.items() if name in ("TEXT", "HTML", "WSRC", "URL"))
        return "\n".join(data.decode("utf-8", "replace") for data in texts)

    @property
    def lines(self) -> int:
        """Lines of the first type, the last one counted even where it is empty (freeWAIS counts so)."""
        return self.data.count(b"\n") + (0 if self.data.endswith(b"\n") or not self.data else 1)

    def words(self) -> set[str]:
        """The words it is found by."""
        return set(self._weights)

    def words_of_part(self, start: int, end: int, *, lines: bool) -> set[str]:
        """The words of some of its lines, or of its octets."""
        data = b"".join(self.data.splitlines(keepends=True)[start:end]) if lines else self.data[start:end]
        return set(_words(data.decode("utf-8", "replace")))

    def weight(self, word: str) -> float:
        """The weight of a word of a query; ``word*`` stands for all words with that prefix."""
        if word.endswith("*"):
            return sum(value for key, value in self._weights.items() if key.startswith(word[:-1]))
        return self._weights.get(word, 0.0)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


class Database:
    """Documents that can be searched together.

    Args:
        name: Its name for clients.
        server: ``host:port``, for document-ids and the description.
        documents: Its documents, in the order of their neighbourhood.
        description: Its subject; None: it has no description and no catalogue.
        folder: The text that freeWAIS writes before its name in document-ids.
    """

    __slots__ = ("name", "server", "documents", "help", "_path", "_folder")

    def __init__(
        self, name: str, server: str, documents: Sequence[Document], *, description: str | None = None, folder: str = ""
    ) -> None:
        self.name = name
        self.server = server
        self.documents = list(documents)
        self._folder = folder
        self._path = f"{folder}{name}"
        self.help: list[Document] = []
        if description is not None:
            source = _source(self, description).encode("latin-1", "replace")
            catalogue = _catalogue(self).encode("latin-1", "replace")
            self.help = [
                Document(f"{self._path}.src", f"Information on database: {name}", {"WSRC": source}),
                Document(f"{self._path}.cat", f"Catalog for database: {name}", {"TEXT": catalogue}),
            ]

    # --- ids and headers -------------------------------------------------------------------------------------------

    def document_id(self, document: Document) -> bytes:
        """As freeWAIS writes it: server, database and place, twice, and 0: to be used freely."""
        if document in self.help:
            return write_fields(((2, self.name.encode()), (3, f"0 0 {document.path}".encode()), (7, b"\0")))
        place = f"0 {len(document.data)} {document.path}".encode("utf-8", "surrogateescape")
        values = (self.server.encode(), self._path.encode(), place)
        return write_fields((*zip((1, 2, 3, 4, 5, 6), values * 2, strict=True), (7, b"\0")))

    def has(self, database: bytes) -> bool:
        """Whether a document-id with this database is of here."""
        return database in (self.name.encode(), self._path.encode())

    def find(self, place: bytes) -> Document | None:
        """The document at ``start end path``, or None."""
        start, _, rest = place.partition(b" ")
        end, _, path = rest.partition(b" ")
        for document in (*self.documents, *self.help):
            size = (b"0", b"%d" % len(document.data))
            if path == document.path.encode("utf-8", "surrogateescape") and (start, end) in (size, (b"0", b"0")):
                return document
        return None

    def header(self, document: Document, score: int | None) -> Hit:
        """The header of a document; that of a neighbour has no score."""
        return self._hit(document, document.headline, score, document.date.encode(), 0)

    def help_header(self, document: Document, headline: str, score: int) -> Hit:
        """The header of a description or a catalogue, which the server adds by itself."""
        return self._hit(document, headline.encode("latin-1", "replace"), score, None, None)

    def _hit(self, document: Document, headline: bytes, score: int | None, date: bytes | None, best: int | None) -> Hit:
        source = self.name if document in self.help else self._path
        return hit(
            self.document_id(document), score=score, length=len(document.data), lines=document.lines,
            types=[name.encode() for name in document.types], source=source.encode(), date=date, headline=headline,
            best_match=best,
        )  # fmt: skip

    # --- searches --------------------------------------------------------------------------------------------------

    def search(
        self, words: str, relevant: Sequence[Document], maximum: int, likely: Iterable[str] | None = None
    ) -> list[Hit | Diagnosis]:
        """Hits, best first; help for no words; the catalogue, with a score of 0, where nothing is found.

        Args:
            words: As they were typed.
            relevant: Documents to find more of.
            maximum: Hits that are wanted.
            likely: The words of these documents that count; all of them where None.
        """
        asks_help = words[:1] in ("", "?", "*") and not relevant
        hits: list[Hit] = []
        if asks_help and self.help:
            titles = ("Information on database", "Catalog for database")
            for document, title in zip(self.help, titles, strict=True):
                hits.append(self.help_header(document, f"{title}: {self.name}", BEST_SCORE))
        wanted, unwanted, required = _read_query(words)
        diagnostics: list[Diagnosis] = []
        if not wanted and not (asks_help and not words):
            diagnostics.append(Diagnosis("S1", f"query syntax error: {words}".encode("utf-8", "surrogateescape")))
        else:
            if likely is None:
                likely = {word for document in relevant for word in document.words()}
            ranked = self._rank(wanted, unwanted, required, relevant, set(likely))
            best = max((weight for weight, _ in ranked), default=1.0)
            hits += [self.header(document, max(1, round(BEST_SCORE * weight / best))) for weight, document in ranked]
        if not hits and self.help:
            headline = f"Search produced no result. Here's the Catalog for database: {self.name}"
            hits.append(self.help_header(self.help[1], headline, 0))
        return [*hits[:maximum], *diagnostics]

    def _rank(
        self,
        wanted: Iterable[str],
        unwanted: Iterable[str],
        required: Iterable[str],
        relevant: Sequence[Document],
        likely: Iterable[str],
    ) -> list[tuple[float, Document]]:
        found: list[tuple[float, Document]] = []
        for document in self.documents:
            weight = sum(document.weight(word) for word in wanted)
            weight += RELEVANT_WEIGHT * sum(document.weight(word) for word in likely)
            if (
                (weight > 0 or document in relevant)
                and not any(document.weight(word) for word in unwanted)
                and all(document.weight(word) for word in required)
            ):
                found.append((weight, document))
        best = max((weight for weight, _ in found), default=0.0) or 1.0
        # A document given as an example fits best of all.
        found = [(best if document in relevant else weight, document) for weight, document in found]
        return sorted(found, key=lambda item: (item[1] not in relevant, -item[0]))

    def neighbour(self, document: Document, step: int) -> list[Hit]:
        """The document after (1) or before (-1) this one."""
        at = self.documents.index(document) + step if document in self.documents else -1
        return [self.header(self.documents[at], None)] if 0 <= at < len(self.documents) else []


def _read_query(words: str) -> tuple[list[str], list[str], list[str]]:
    """Words of which any is wanted, none, and all: ``a b``, ``a not b``, ``a and b``."""
    wanted: list[str] = []
    unwanted: list[str] = []
    required: list[str] = []
    operator = "or"
    for token in re.findall(r"[^\W_]+\*?", words):
        word = token.casefold()
        if word in _OPERATORS:
            operator = word
            continue
        if operator == "not":
            unwanted.append(word)
        else:
            if operator == "and":
                required += [word, *wanted[-1:]]
            wanted.append(word)
        operator = "or"
    return wanted, unwanted, required


def local_place(document_id: bytes) -> tuple[bytes, bytes] | None:
    """The database and the place that a document-id names: its distributor's before the original's. None: neither.

    Raises:
        RemoteProtocolError: It is not a run of fields.
    """
    fields = dict(read_fields(document_id))
    database = fields.get(5) or fields.get(2)
    place = fields.get(6) or fields.get(3)
    return None if not database or not place else (database, place)


def _source(database: Database, description: str) -> str:
    host, _, port = database.server.partition(":")
    return (
        f'(:source\n   :version  3\n   :ip-address "127.0.0.1"\n   :ip-name "{host}"\n   :tcp-port {port}\n'
        f'   :database-name "{database.name}"\n   :cost 0.00\n   :cost-unit :free\n   :maintainer "nobody@localhost"\n'
        f'   :keyword-list ( {database.name} )\n   :description "{description}"\n)\n'
    )


def _catalogue(database: Database) -> str:
    entries = (
        f"Headline: {document.headline.decode('latin-1')}\nDocID: 0 {len(document.data)} {document.path}\n\n"
        for document in database.documents
    )
    return f"Catalog for database: {database.name}\n\n" + "".join(entries)
