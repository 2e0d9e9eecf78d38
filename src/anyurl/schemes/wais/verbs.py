"""wais: databases, searches and documents of Wide Area Information Servers (RFC 1738 3.9, RFC 4156, RFC 1625).

Rule: the URL of a database is an index: `get` describes it by the server's help text, `search` searches it. With words
it is a listing of the results, best first. With a type and a document-id it is a document, fetched in pieces.

Its neighbours: `parts` (the syntax), `documents` (interpreting replies), `exchange` (one request, one reply), `search`
and `fetch`; `wire` is the codec.
"""

from __future__ import annotations

from anyurl.dialogue import Describe, Dialogue, Emit, Entry, FakeServer, Note, Options, Resume, Steps
from anyurl.errors import (
    ConnectionLost,
    LimitError,
    PeerText,
    ProtocolError,
    RemoteProtocolError,
    ReplyError,
    Truncated,
    UnsupportedError,
    escape,
)
from anyurl.schemes.kit.scheme import Scheme, lacks_words, octets, refuse_given, text_of
from anyurl.schemes.wais.documents import (
    INFO,
    SOURCE,
    TEXT,
    diagnostic_error,
    document_url,
    entry,
    media_type,
    note_of,
    source_facts,
    source_url,
    trimmed,
    types_of,
    wanted_type,
)
from anyurl.schemes.wais.exchange import WaisSession
from anyurl.schemes.wais.fetch import LinePieces, Pieces, is_there
from anyurl.schemes.wais.parts import WaisParts, check, id_fields, read
from anyurl.schemes.wais.search import HELP_HITS, NO_HELP, PROBE, ask, ask_help, find, found, read_lines, words_of
from anyurl.schemes.wais.wire.queries import Relevant, WordQuery
from anyurl.schemes.wais.wire.records import TEMPORARY, Hit
from anyurl.schemes.wais.wire.source import MAX_SOURCE_BYTES, read_source
from anyurl.url import URL, syntax

__all__ = ["SCHEMES", "WaisParts", "check", "get", "id_fields", "fake_server", "list_hits", "read", "search", "stat"]

# --- the verbs -----------------------------------------------------------------------------------------------------


def get(url: URL, options: Options) -> Dialogue:
    """Get a document's octets, the hits of a search, or the description of a database.

    Raises:
        NotFoundError: The server has no such document or database.
        ReplyError: It refuses, or answers with nothing.
        RefusedError: The database would send the server elsewhere.
    """
    parts = check(url)
    if parts.wtype is not None:
        yield from _get_document(url, parts, options)
    elif parts.search:
        yield from find(url, parts, words_of(url), options)
    else:
        yield from _describe_database(url, parts, with_content=True)
    return None


def list_hits(url: URL, options: Options) -> Dialogue:
    """List the hits of a search, the help documents of a database, or the target of a source description.

    Raises:
        UnsupportedError: The URL designates a document of another type.
    """
    parts = check(url)
    if parts.wtype is None:
        yield from find(url, parts, words_of(url), options)
    elif parts.first_type == SOURCE:
        yield from _list_source(url, parts)
    else:
        raise UnsupportedError(
            f"{url.masked} designates a document, which can't be listed: use get.", scheme=url.scheme, verb="list"
        )
    return None


def search(url: URL, options: Options) -> Dialogue:
    """Send words to a database, and documents that it shall find more of; it answers with a listing of hits.

    Raises:
        UnsupportedError: The URL designates a document, or there is nothing to search for.
    """
    parts = check(url)
    if parts.wtype is not None:
        raise UnsupportedError(
            f"{url.masked} designates a document: a database can be searched.", scheme=url.scheme, verb="search"
        )
    refuse_given(url, syntax.row(url.scheme), words=options.words)
    words = octets(options.words) or words_of(url)
    if not words and not options.like:
        raise lacks_words(url)
    yield from find(url, parts, words, options)
    return None


def stat(url: URL, options: Options) -> Dialogue:
    """Find the facts of a document's hit, the number of hits of a search, or the description of a database."""
    parts = check(url)
    if parts.wtype is not None:
        yield from _stat_document(url, parts)
    elif parts.search:
        answer = yield from ask(url, parts, words_of(url), options)
        yield from Describe("listing", name=parts.database, attributes={"hits": len(found(answer))})
    else:
        yield from _describe_database(url, parts, with_content=False)
    return None


# --- documents -----------------------------------------------------------------------------------------------------


def _name_of(parts: WaisParts) -> str | None:
    """The end of the path that freeWAIS writes into a document-id, as a name to propose. Hostile."""
    fields = dict(id_fields(parts.document_id or b""))
    place = fields.get(6) or fields.get(3) or b""
    path = text_of(place).split(" ", 2)[-1]  # the first octet, and the end
    return path.rpartition("/")[2].strip() or None


def _view(url: URL, parts: WaisParts, view: str | None) -> tuple[str, tuple[int, int | None] | None]:
    """The type to ask for, and the lines, if not all of them are wanted."""
    types = (parts.wtype or "").split(",")
    if view is None:
        return parts.first_type or TEXT, None
    if (lines := read_lines(view)) is not None:
        return parts.first_type or TEXT, lines
    wanted = wanted_type(types, view)
    if wanted is None:
        raise UnsupportedError(
            f"{escape(view)} is not a view of {url.masked}: a WAIS type (GIF), or lines (line=0,20) would be.",
            scheme=url.scheme,
            verb="get",
        )
    return wanted, None


def _get_document(url: URL, parts: WaisParts, options: Options) -> Steps[None]:
    document_id = parts.document_id or b""
    wtype, lines = _view(url, parts, options.view)
    server = WaisSession(url, parts)
    attributes: dict[str, object] = {"wais_type": wtype}
    if lines is not None:
        part = LinePieces(server, url, document_id, octets(wtype), lines)
        data = yield from part.next()
        yield from Describe("document", type=media_type(wtype), name=_name_of(parts), attributes=attributes)
        if not data and lines[0] != lines[1]:
            yield from Note(f"the document ends before line {lines[0]:,}, as lines are counted from 0")
        while data:
            yield from Emit(data)
            data = yield from part.next()
        yield from server.keep()
        return
    if wtype != (parts.first_type or TEXT):
        yield from _check_type(url, parts, wtype)
    length = parts.length if wtype == (parts.first_type or TEXT) else None
    length, start = _rest(options.resume, length)
    pieces = Pieces(server, url, document_id, octets(wtype), length, start)
    data = yield from pieces.next()
    if wtype == SOURCE and not start:
        attributes.update(_source_attributes(data))
    yield from Describe(
        "document",
        type=media_type(wtype),
        size=pieces.received if pieces.ended else length or None,
        name=_name_of(parts),
        start=start,
        attributes=attributes,
    )
    while data:
        yield from Emit(data)
        data = yield from pieces.next()
    if pieces.cut_by:
        yield from Note(
            f"the document has {length:,} octets according to the URL, but ends after {pieces.received:,} according to "
            "the server"
        )
    yield from server.keep()


def _rest(resume: Resume | None, length: int | None) -> tuple[int | None, int]:
    """The length of the document, and the resume position: each piece is requested separately, by the document's id.
    Only another length reveals a changed document.
    """
    if resume is None or resume.size is None or resume.start > resume.size or (length or resume.size) != resume.size:
        return length, 0
    return resume.size, resume.start


def _check_type(url: URL, parts: WaisParts, wtype: str) -> Steps[None]:
    """Whether the document has this type: servers send their own type, whatever is requested.

    Raises:
        UnsupportedError: It has others.
    """
    hit = yield from _hit_of(url, parts, parts.first_type or TEXT)
    if hit is None:
        yield from Note(f"the server does not say whether the document is available as {escape(wtype)}")
    elif wtype not in types_of(hit):
        raise _no_such_type(url, wtype, hit)


def _no_such_type(url: URL, wtype: str, hit: Hit) -> UnsupportedError:
    there = ", ".join(str(PeerText(name)) for name in types_of(hit))
    return UnsupportedError(
        f"{url.masked} is not available as {escape(wtype)}: its server offers {there}.", scheme=url.scheme, verb="get"
    )


def _source_attributes(data: bytes) -> dict[str, object]:
    """The content of a source description; empty if it is malformed or incomplete."""
    try:
        source = read_source(data)
    except (RemoteProtocolError, LimitError):
        return {}
    facts = source_facts(source)
    there = source_url(source)
    return facts if there is None else {**facts, "leads_to": str(there)}


def _read_all(pieces: Pieces, limit: int) -> Steps[bytes]:
    data = b""
    while len(data) <= limit and (piece := (yield from pieces.next())):
        data += piece
    return data


def _list_source(url: URL, parts: WaisParts) -> Steps[None]:
    server = WaisSession(url, parts)
    pieces = Pieces(server, url, parts.document_id or b"", octets(SOURCE), parts.length)
    source = read_source((yield from _read_all(pieces, MAX_SOURCE_BYTES)))
    yield from server.keep()
    there = source_url(source)
    facts = source_facts(source)
    name = text_of(source.database or b"")
    title = str(facts.get("description", "")).strip().partition("\n")[0]
    yield from Describe("listing", name=name or None, attributes=facts)
    yield from Emit([Entry(name, there, kind="index", title=title or name, attributes=facts)])


def _stat_document(url: URL, parts: WaisParts) -> Steps[None]:
    """The facts of a hit, found by a search for similar documents, of which this one is the first.

    If the server does not find it, one octet is requested, and only the facts in the URL are known.
    """
    document_id, wtype = parts.document_id or b"", parts.first_type or TEXT
    hit = yield from _hit_of(url, parts, wtype)
    if hit is None:
        server = WaisSession(url, parts)
        yield from is_there(server, url, document_id, octets(wtype), parts.length)
        yield from server.keep()
        yield from Note("the server has no hit for this document: only what the URL says is shown")
        yield from Describe(
            "document",
            type=media_type(wtype),
            size=parts.length or None,
            name=_name_of(parts),
            attributes={"wais_type": wtype},
        )
        return
    if wtype not in types_of(hit):
        raise _no_such_type(url, wtype, hit)
    line = entry(hit, url, parts.database, "libwww")
    attributes = {**line.attributes, "wais_type": wtype, "title": line.title}
    size = line.size
    if wtype != types_of(hit)[0]:  # a hit has the length and the lines of the first type only
        size = None
        attributes.pop("lines", None)
    yield from Describe(
        "document", type=media_type(wtype), size=size or parts.length or None, modified=line.modified,
        name=_name_of(parts), attributes=attributes,
    )  # fmt: skip


def _hit_of(url: URL, parts: WaisParts, wtype: str) -> Steps[Hit | None]:
    document_id = parts.document_id or b""
    relevant = Relevant(document_id, octets(wtype), (0, 1))  # its first line: little work for a server that obeys
    server = WaisSession(url, parts)
    try:
        answer = yield from server.search(WordQuery(PROBE, [relevant], HELP_HITS))
    except (ReplyError, ProtocolError, ConnectionLost, Truncated):
        return None  # it does not know such searches; whether the document is there, it may tell all the same
    yield from server.keep()
    hit = next((hit for hit in answer.hits if hit.document_id == document_id), None)
    gone = next((diagnosis for diagnosis in answer.diagnostics if diagnosis.code == TEMPORARY), None)
    if hit is None and gone is not None:
        raise diagnostic_error(url, gone)
    return hit


# --- databases -----------------------------------------------------------------------------------------------------


def _describe_database(url: URL, parts: WaisParts, *, with_content: bool) -> Steps[None]:
    """A search for nothing is answered with help: the description of the database, and its catalogue."""
    server = WaisSession(url, parts)
    answer = yield from ask_help(url, server)
    if answer.diagnostics and not answer.hits:
        raise diagnostic_error(url, answer.diagnostics[0])
    for diagnosis in answer.diagnostics:
        yield from Note(note_of(url, diagnosis))
    database = parts.database or INFO
    attributes: dict[str, object] = {"database": database}
    described = next((hit for hit in answer.hits if types_of(hit)[0] == SOURCE), None)
    data, type = b"", None
    if described is not None:
        pieces = Pieces(server, url, described.document_id, octets(SOURCE), described.length)
        data = (yield from _read_all(pieces, MAX_SOURCE_BYTES))[:MAX_SOURCE_BYTES]
        type = media_type(SOURCE)
        attributes.update(_source_attributes(data))
    catalogue = next((hit for hit in answer.hits if hit is not described), None)
    attributes["help"] = [
        {"title": trimmed(hit.headline), "url": _url_text(document_url(url, database, types_of(hit)[0], hit, "libwww"))}
        for hit in answer.hits[:HELP_HITS]
    ]
    if described is None and catalogue is not None:
        type = media_type(types_of(catalogue)[0])
    yield from Describe("index", type=type, name=parts.database or None, attributes=attributes)
    if with_content and data:
        yield from Emit(data)
    elif with_content and catalogue is not None:
        rest = Pieces(server, url, catalogue.document_id, octets(types_of(catalogue)[0]), catalogue.length)
        while data := (yield from rest.next()):
            yield from Emit(data)
    if with_content and not answer.hits:
        yield from Note(NO_HELP)
    yield from server.keep()


def _url_text(url: URL | None) -> str | None:
    return None if url is None else str(url)


# --- the scheme ----------------------------------------------------------------------------------------------------


def fake_server(url: URL, _options: Options) -> FakeServer:
    """An ideal server for this URL."""
    from anyurl.schemes.wais.wire.server import IdealArchive, WaisServer

    parts = read(url)
    return WaisServer(IdealArchive(parts.document_id, octets(parts.first_type), parts.length))


SCHEMES = (
    Scheme(
        "wais",
        reference="RFC 4156",
        summary="A WAIS database, a search of it, or one document of it.",
        read=read,
        verbs={"get": get, "list": list_hits, "search": search, "stat": stat},
        fake_server=fake_server,
        check=check,
    ),
)
