"""Searching a WAIS database: words and documents in, a listing of hits out, best first.

Rule: words are sent unchanged; only the server interprets them. Hits and diagnostics may come together: a diagnostic
alone is an error, with hits it becomes a note. A single hit of score 0 means that nothing was found.
"""

from __future__ import annotations

import re

from anyurl.dialogue import Describe, Emit, Entry, Note, Options, Steps
from anyurl.errors import (
    ConnectionLost,
    PeerText,
    ProtocolError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    Truncated,
    UnsupportedError,
    escape,
)
from anyurl.guard.hops import is_confined
from anyurl.schemes.kit.scheme import decode, octets
from anyurl.schemes.kit.unparsed import UnparsedLines
from anyurl.schemes.wais.documents import INFO, TEXT, diagnostic_error, document_url, entry, note_of, trimmed, types_of
from anyurl.schemes.wais.exchange import WaisSession
from anyurl.schemes.wais.parts import WaisParts, read
from anyurl.schemes.wais.wire.queries import Relevant, WordQuery
from anyurl.schemes.wais.wire.records import HITS_TAGS, MAX_RECORDS, Hit, SearchResponse
from anyurl.url import URL

HITS = 200
"""Default number of hits: as in libwww, and as many as fit into one reply."""

HELP_HITS = 40
"""Hits requested for a server's help, as by stock clients: a description and a catalogue come first."""

BATCH = 250
"""Entries handed on at once."""

_LINES = re.compile(r"line=(\d{0,9})(?:,(\d{0,9}))?\Z")
"""RFC 5147 2.2.2: positions between lines, from 0; the last one is the end of the range."""

PARTIAL = "T1"
"""The diagnostic for incomplete hits; it is not a refusal, even without any hits."""

PROBE = b"foo"
"""The seed word of a search that is about a relevant document only: freeWAIS wants one, stock clients send this."""


NO_HELP = "the server describes nothing; `anyurl search URL WORDS` asks it"


def words_of(url: URL) -> bytes:
    """The words to send for a URL's search: ``+`` separates words as a space does, an encoded one is a plus."""
    return octets(decode((url.query or "").replace("+", " ")))


def ask(url: URL, parts: WaisParts, words: bytes, options: Options) -> Steps[SearchResponse]:
    """The server's reply to a search for words. Raises `ReplyError` if it is only a diagnostic."""
    limit = HITS if options.limit is None else max(1, min(options.limit, MAX_RECORDS))
    relevant = [_relevant(document) for document in options.like]
    server = WaisSession(url, parts)
    if words or relevant:
        answer = yield from server.search(WordQuery(words, relevant, limit))
    else:
        answer = yield from ask_help(url, server)
    if relevant and not words and answer.diagnostics and not found(answer):
        answer = yield from _ask_with_a_word(server, WordQuery(PROBE, relevant, limit), answer)
    yield from server.keep()
    if answer.diagnostics and not found(answer) and answer.diagnostics[0].code != PARTIAL:
        raise diagnostic_error(url, answer.diagnostics[0])
    return answer


def ask_help(url: URL, server: WaisSession) -> Steps[SearchResponse]:
    """The reply to an empty search: the description of a database, and its catalogue.

    Raises:
        NotFoundError: There is no such database.
    """
    answer = yield from server.search(WordQuery(b"", (), HELP_HITS))
    if not answer.hits and not answer.diagnostics:
        # For a missing database, help is also silence; a search tells whether it exists.
        probed = yield from server.search(WordQuery(PROBE, (), 1))
        if probed.diagnostics and not probed.hits:
            raise diagnostic_error(url, probed.diagnostics[0])
    return answer


def _ask_with_a_word(server: WaisSession, query: WordQuery, refused: SearchResponse) -> Steps[SearchResponse]:
    """freeWAIS refuses a search that has documents and no word: with a word that says nothing, it takes it."""
    try:
        return (yield from server.search(query))
    except (ReplyError, ProtocolError, ConnectionLost, Truncated):
        return refused


def found(answer: SearchResponse) -> list[Hit]:
    """The hits. A single one of score 0 is the catalogue, which servers give where nothing is found."""
    return [] if len(answer.hits) == 1 and answer.hits[0].score == 0 else answer.hits


def find(url: URL, parts: WaisParts, words: bytes, options: Options) -> Steps[None]:
    """Search, and give the hits out as a listing. Raises as `ask`."""
    answer = yield from ask(url, parts, words, options)
    database, form = parts.database or INFO, options.wais_form
    hits = found(answer)
    for diagnosis in answer.diagnostics:
        yield from Note(note_of(url, diagnosis))
    if answer.hits and not hits:
        catalogue = answer.hits[0]
        there = document_url(url, database, types_of(catalogue)[0], catalogue, form)
        offer = "" if there is None else f" ({PeerText(there.masked)})"
        yield from Note(f"nothing was found; the server offers: {PeerText(trimmed(catalogue.headline))}{offer}")
    if not (answer.hits or words or options.like):
        yield from Note(NO_HELP)
    limit = HITS if options.limit is None else options.limit
    if len(hits) >= limit:
        yield from Note(f"as many hits arrived as the limit allows ({limit:,}): there may be more")
    yield from Describe("listing", name=parts.database or None, attributes={"hits": len(hits)})
    odd = UnparsedLines()
    for record in answer.others:
        if record.tag in HITS_TAGS:
            odd.add(record.value)
    for start in range(0, len(hits), BATCH):
        entries = [_entry(hit, url, database, form, odd) for hit in hits[start : start + BATCH]]
        yield from Emit([line for line in entries if line is not None])
    if odd.count:
        yield from Note(odd.remark("the hits"))


def _entry(hit: Hit, url: URL, database: str, form: str, odd: UnparsedLines) -> Entry | None:
    try:
        return entry(hit, url, database, form)
    except RemoteProtocolError:
        odd.add(hit.headline)
        return None


def _relevant(document: URL) -> Relevant:
    """A document, or with ``#line=2,5`` (RFC 5147) a part of it, that a search shall find more of."""
    if document.scheme != "wais":
        raise UnsupportedError(f"{document.masked} is not a document of a WAIS server.", scheme="wais", verb="search")
    parts = read(document)
    if is_confined(document):  # the policy has judged the target of the search, but not this content
        raise RefusedError(
            f"The id of {document.masked} holds a line end, so that it is sent in its own URL only.",
            code="octets",
            subject="wais",
        )
    if parts.document_id is None:
        raise UnsupportedError(
            f"{document.masked} designates no document: similar documents are found by the type and the id of one.",
            scheme="wais",
            verb="search",
        )
    lines = None if document.fragment is None else read_lines(document.fragment)
    if document.fragment is not None and (lines is None or lines[1] is None):
        raise UnsupportedError(
            f"#{escape(document.fragment)} names no part of a document: #line=2,5 would (RFC 5147).", scheme="wais"
        )
    span = None if lines is None or lines[1] is None else (lines[0], lines[1])
    return Relevant(parts.document_id, octets(parts.first_type or TEXT), span)


def read_lines(text: str) -> tuple[int, int | None] | None:
    """``line=2,5``, ``line=2,`` or ``line=,5``; None for anything else."""
    match = _LINES.match(text)
    if match is None or (not match[1] and not match[2]):
        return None
    start = int(match[1] or 0)
    if match[2] is None:
        return start, start
    end = int(match[2]) if match[2] else None
    return None if end is not None and end < start else (start, end)
