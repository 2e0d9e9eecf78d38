"""dict: definitions and matches of words at dictionary servers (RFC 2229).

Rule: one session does one thing. A definition is a document, matches and dictionaries are listings, a dictionary is an
index to be searched. Read it with its neighbours: `parts` (the syntax), `session` (connection and commands); `wire` is
the codec.
"""

from __future__ import annotations

from collections import Counter

from anyurl.dialogue import Describe, Dialogue, Emit, Entry, FakeServer, Note, Options, Steps
from anyurl.errors import NotFoundError, UnsupportedError, URLSyntaxError
from anyurl.schemes.dict.parts import ALL, FIRST, USUAL, DictParts, check, read
from anyurl.schemes.dict.session import DictSession, ListingLines
from anyurl.schemes.dict.wire import commands
from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.kit.scheme import WAITS, Scheme, decoded, lacks_words, octets, quoted, refuse_octets, text_of
from anyurl.schemes.kit.unparsed import UnparsedLines
from anyurl.url import URL, syntax

__all__ = ["SCHEMES", "DictParts", "check", "get", "list_entries", "read", "search", "stat"]

TEXT = "text/plain"
CHARSET = {"charset": "utf-8"}
"""RFC 2229 2.1: all text is UTF-8."""

BATCH = 500

UNNAMED = b"an unnamed dictionary"

MAX_INFORMATION_BYTES = 64 * 1024
"""Octets of the description of a dictionary that `stat` collects."""


# --- the verbs -----------------------------------------------------------------------------------------------------


def get(url: URL, options: Options) -> Dialogue:
    """Get the definitions of a word, or one of them; or list matches or dictionaries; or describe a dictionary.

    Raises:
        NotFoundError: The server has no such word, dictionary or strategy, or fewer definitions.
    """
    parts = check(url)
    if parts.database in (FIRST, ALL) and not parts.word:
        yield from Note(WAITS)
        yield from Describe("index")
        return None
    session = DictSession(url, options)
    yield from session.converse(_get(url, session, parts))
    return None


def _get(url: URL, session: DictSession, parts: DictParts) -> Steps[None]:
    if parts.database is None:
        return _list_databases(url, session)
    if not parts.word:
        return _show_database(session, octets(parts.database))
    return _define(session, parts) if parts.strategy is None else _list_matches(url, session, parts, None)


def list_entries(url: URL, options: Options) -> Dialogue:
    """List the dictionaries of a server, the definitions of a word, or its matches.

    Raises:
        UnsupportedError: The URL names a dictionary, but no word.
    """
    parts = check(url)
    session = DictSession(url, options)
    if parts.database is None:
        yield from session.converse(_list_databases(url, session))
    elif not parts.word:
        raise UnsupportedError(
            f"{url.masked} designates a dictionary, which can't be listed: use search with words.",
            scheme=url.scheme,
            verb="list",
        )
    elif parts.strategy is None:
        yield from session.converse(_list_definitions(url, session, parts))
    else:
        yield from session.converse(_list_matches(url, session, parts, None))
    return None


def search(url: URL, options: Options) -> Dialogue:
    """Match words in the dictionary that the URL names, or in all of them.

    The strategy is that of the URL (``m:WORD:DATABASE:STRATEGY``), or ``options.match``, or the server's default.

    Raises:
        UnsupportedError: There are no words.
        RefusedError: The words contain a control character.
        NotFoundError: The server has no such dictionary or strategy.
    """
    parts = check(url)
    word = options.words or parts.word
    if not word:
        raise lacks_words(url)
    row = syntax.row(url.scheme)
    refuse_octets(url, row, words=word, strategy=options.match)
    wanted = DictParts(word, parts.database or ALL, options.match or parts.strategy or USUAL)
    session = DictSession(url, options)
    yield from session.converse(_list_matches(url, session, wanted, options.limit))
    return None


def stat(url: URL, options: Options) -> Dialogue:
    """Describe a server (its dictionaries and strategies) or a dictionary, or count definitions or matches."""
    parts = check(url)
    session = DictSession(url, options)
    yield from session.converse(_stat(session, parts))
    return None


def _stat(session: DictSession, parts: DictParts) -> Steps[None]:
    if parts.database is None:
        return _stat_server(session)
    if not parts.word:
        return _stat_database(session, octets(parts.database))
    return _stat_word(session, parts) if parts.strategy is None else _stat_matches(session, parts)


# --- definitions ---------------------------------------------------------------------------------------------------


def _ask(session: DictSession, parts: DictParts) -> Steps[Reply]:
    word = octets(parts.word)
    what = f"{session.host} has no definition of {quoted(word)}"
    return session.command(what, commands.FOUND, "DEFINE", octets(parts.database or FIRST), commands.quoted_word(word))


def _count(reply: Reply) -> int | None:
    """The number that a reply 150 or 152 begins with."""
    first = reply.arguments[:1] or [b""]
    return int(first[0]) if first[0].isdigit() and len(first[0]) < 10 else None


def _next_definition(session: DictSession, parts: DictParts, odd: UnparsedLines) -> Steps[tuple[bytes, bytes] | None]:
    """The dictionary and the description of the next definition, whose text follows; None at the end.

    If the server's line does not name the dictionary, its name is empty.
    """
    reply = yield from session.reply()
    if reply.code == commands.DEFINITION:
        found = commands.read_definition(reply.lines[0], octets(parts.word))
        session.begin_block(reply)
        if found is None:
            odd.add(reply.lines[0])
            return b"", UNNAMED
        return found
    session.check_done(reply)
    if odd.count:
        yield from Note(odd.remark("the answer"))
    return None


def _define(session: DictSession, parts: DictParts) -> Steps[None]:
    """Emit all definitions, each after the name of its dictionary, or only the requested one."""
    found = _count((yield from _ask(session, parts)))
    number, shown, odd = 0, 0, UnparsedLines()
    while (head := (yield from _next_definition(session, parts, odd))) is not None:
        number += 1
        if parts.index not in (None, number):
            yield from session.skip()
            continue
        if not shown:
            facts: dict[str, object] = {**CHARSET, "definitions": found}
            if parts.index is not None:
                facts |= {"database": text_of(head[0]), "description": decoded(head[1])}
            yield from Describe("document", type=TEXT, name=f"{parts.word}.txt", attributes=facts)
        shown += 1
        if parts.index is None:
            name = b"%s [%s]" % (head[1], head[0]) if head[0] else head[1]
            yield from Emit(b"%sFrom %s:\r\n\r\n" % (b"" if shown == 1 else b"\r\n", name))
        while data := (yield from session.octets()):
            yield from Emit(data)
    if not shown:
        raise _too_few(session, parts, number, "definition")
    yield from session.leave()


def _too_few(session: DictSession, parts: DictParts, number: int, what: str) -> NotFoundError:
    return NotFoundError(
        f"{session.host} has {number} {what}{'' if number == 1 else 's' if what == 'definition' else 'es'} of "
        f"{quoted(octets(parts.word))}, but number {parts.index} was requested.",
        code=commands.NO_MATCH,
        meaning="not-found",
    )


def _list_definitions(url: URL, session: DictSession, parts: DictParts) -> Steps[None]:
    found = _count((yield from _ask(session, parts)))
    yield from Describe("listing", name=parts.word, attributes={"definitions": found})
    seen: Counter[bytes] = Counter()
    number, entries, odd = 0, [], UnparsedLines()
    while (head := (yield from _next_definition(session, parts, odd))) is not None:
        yield from session.skip()
        number += 1
        seen[head[0]] += 1
        if parts.index in (None, number):
            there = _url(url, parts.word, head[0], seen[head[0]]) if head[0] else None
            if there is None:  # by its number among the requested ones
                there = _url(url, parts.word, octets(parts.database or FIRST), number)
            entries.append(_document(parts.word, there, head[0], decoded(head[1])))
        if len(entries) >= BATCH:
            yield from Emit(entries)
            entries = []
    if entries:
        yield from Emit(entries)
    yield from session.leave()


def _stat_word(session: DictSession, parts: DictParts) -> Steps[None]:
    yield from _ask(session, parts)
    databases, odd = [], UnparsedLines()
    while (head := (yield from _next_definition(session, parts, odd))) is not None:
        yield from session.skip()
        databases.append(text_of(head[0]))
    if parts.index is not None and parts.index > len(databases):
        raise _too_few(session, parts, len(databases), "definition")
    facts: dict[str, object] = {**CHARSET, "definitions": len(databases), "databases": list(dict.fromkeys(databases))}
    if parts.index is not None:
        facts = {**CHARSET, "definitions": len(databases), "database": databases[parts.index - 1]}
    yield from Describe("document", type=TEXT, name=f"{parts.word}.txt", attributes=facts)
    yield from session.leave()


def _url(url: URL, word: str, database: bytes, index: int | None = None) -> URL | None:
    """The URL of a definition on the same server; None if the name from the server can't be part of one."""
    try:
        return url.replace(password=None, parts=DictParts(word, text_of(database), None, index))
    except URLSyntaxError:
        return None


def _document(word: str, there: URL | None, database: bytes, title: str | None) -> Entry:
    return Entry(
        word, there, kind="document", type=TEXT, title=title or None, attributes={"database": text_of(database)}
    )


# --- matches -------------------------------------------------------------------------------------------------------


def _match(session: DictSession, parts: DictParts) -> Steps[Reply | None]:
    """The reply before the matches; None if there are none."""
    word = octets(parts.word)
    arguments = (octets(parts.database or ALL), octets(parts.strategy or USUAL), commands.quoted_word(word))
    try:
        return (
            yield from session.command(
                f"{session.host} matches no {quoted(word)}", commands.MATCHES, "MATCH", *arguments
            )
        )
    except NotFoundError as error:
        if error.code != commands.NO_MATCH:
            raise
    return None


def _list_matches(url: URL, session: DictSession, parts: DictParts, limit: int | None) -> Steps[None]:
    reply = yield from _match(session, parts)
    yield from Describe("listing", name=parts.word, attributes={"matches": _count(reply) if reply else 0})
    number = 0
    if reply is not None:
        session.begin_block(reply)
        lines = ListingLines()
        while found := (yield from session.pairs(lines)):
            entries = []
            for database, word in found:
                number += 1
                if parts.index in (None, number) and (limit is None or number <= limit):
                    name = text_of(word)
                    entries.append(_document(name, _url(url, name, database), database, None))
            for start in range(0, len(entries), BATCH):
                yield from Emit(entries[start : start + BATCH])
            if limit is not None and number >= limit:
                yield from session.say_goodbye()
                return
        yield from session.finish()
    if parts.index is not None and parts.index > number:
        raise _too_few(session, parts, number, "match")
    yield from session.leave()


def _stat_matches(session: DictSession, parts: DictParts) -> Steps[None]:
    reply = yield from _match(session, parts)
    count = 0
    if reply is not None:
        session.begin_block(reply)
        lines = ListingLines()
        while found := (yield from session.pairs(lines)):
            count += len(found)
        yield from session.finish()
    if parts.index is not None and parts.index > count:
        raise _too_few(session, parts, count, "match")
    yield from Describe("listing", name=parts.word, attributes={"matches": count})
    yield from session.leave()


# --- dictionaries --------------------------------------------------------------------------------------------------


def _databases(session: DictSession) -> Steps[list[tuple[bytes, bytes]]]:
    return session.listing(f"{session.host} names no dictionaries", commands.DATABASES, "SHOW", b"DB")


def _list_databases(url: URL, session: DictSession) -> Steps[None]:
    found = yield from _databases(session)
    yield from Describe("listing", attributes={"server": session.banner} if session.banner else None)
    for start in range(0, len(found), BATCH):
        yield from Emit(
            [
                Entry(text_of(name), _url(url, "", name), kind="index", title=decoded(title) or None)
                for name, title in found[start : start + BATCH]
            ]
        )
    yield from session.leave()


def _stat_server(session: DictSession) -> Steps[None]:
    databases = yield from _databases(session)
    what = f"{session.host} names no strategies"
    strategies = yield from session.listing(what, commands.STRATEGIES, "SHOW", b"STRAT")
    facts: dict[str, object] = {
        "databases": {text_of(name): decoded(title) for name, title in databases},
        "strategies": {text_of(name): decoded(title) for name, title in strategies},
    }
    if session.banner:
        facts["server"] = session.banner
    yield from Describe("listing", attributes=facts)
    yield from session.leave()


def _information(session: DictSession, database: bytes) -> Steps[Reply]:
    what = f"{session.host} has no dictionary {quoted(database)}"
    return session.command(what, commands.INFORMATION, "SHOW", b"INFO", database)


def _show_database(session: DictSession, database: bytes) -> Steps[None]:
    session.begin_block((yield from _information(session, database)))
    yield from Note(WAITS)
    yield from Describe("index", type=TEXT, name=f"{text_of(database)}.txt", attributes=CHARSET)
    while data := (yield from session.octets()):
        yield from Emit(data)
    yield from session.finish()
    yield from session.leave()


def _stat_database(session: DictSession, database: bytes) -> Steps[None]:
    session.begin_block((yield from _information(session, database)))
    text = b""
    while data := (yield from session.octets()):
        text = (text + data)[:MAX_INFORMATION_BYTES]
    yield from session.finish()
    facts: dict[str, object] = {**CHARSET, "information": decoded(text).replace("\r\n", "\n").strip()}
    yield from Describe("index", type=TEXT, name=f"{text_of(database)}.txt", attributes=facts)
    yield from session.leave()


# --- the scheme ----------------------------------------------------------------------------------------------------


def fake_server(url: URL, options: Options) -> FakeServer:
    """An ideal server: it has the dictionary, the words and the strategies of this URL and these options."""
    from anyurl.schemes.dict.wire.server import STRATEGIES, Dictionary, DictServer

    parts = read(url)
    words = {word: "A word that every dictionary has.\n." for word in (options.words, parts.word) if word}
    named = {name: STRATEGIES["exact"] for name in (options.match, parts.strategy) if name not in (None, USUAL)}
    return DictServer({parts.database or "ideal": Dictionary("An ideal dictionary", words)}, {**named, **STRATEGIES})


SCHEMES = (
    Scheme(
        "dict",
        reference="RFC 2229",
        summary="The definitions of a word, words that match, or the dictionaries of a server.",
        read=read,
        verbs={"get": get, "list": list_entries, "search": search, "stat": stat},
        fake_server=fake_server,
        check=check,
    ),
)
