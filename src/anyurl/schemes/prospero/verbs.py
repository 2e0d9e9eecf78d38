"""prospero: directories and objects of Prospero servers, and how to access them (RFC 1738 3.11, RFC 4157).

Rule: ask the directory server for the access methods, which may be other URLs. A directory is a listing whose entries
have the URLs of their own access methods; for an object the first usable access method is followed, or the protocol
itself delivers it. ``;OBJECT-VERSION=n`` is sent as the protocol's version, other fields are sent as SELECT lines.

Its neighbours: `parts` (the syntax), `exchange` (requests over ARDP), `answers` (replies, unions, paths), `items`
(links as entries), `methods` (access methods as URLs), `archie`.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.dialogue import Describe, Dialogue, Emit, Entry, FakeServer, Follow, Note, Options, Steps
from anyurl.errors import (
    AccessError,
    AnyURLError,
    DeniedError,
    LimitError,
    NotFoundError,
    RemoteProtocolError,
    Truncated,
    UnsupportedError,
    sample,
)
from anyurl.guard.verdict import option
from anyurl.schemes.kit.scheme import WAITS, Scheme, lacks_words, octets, refuse_given
from anyurl.schemes.prospero import archie as archie
from anyurl.schemes.prospero.answers import DirectoryReply, Walk, ask, complaint_error
from anyurl.schemes.prospero.exchange import Courier
from anyurl.schemes.prospero.items import Facts, FoundLink, entry, name_of, place_of
from anyurl.schemes.prospero.methods import CONTENTS, Location, Method, is_computed, split_host
from anyurl.schemes.prospero.parts import ProsperoParts, check, read
from anyurl.schemes.prospero.wire import messages
from anyurl.schemes.prospero.wire.server import ideal_server
from anyurl.url import URL, syntax

__all__ = ["SCHEMES", "ProsperoParts", "check", "get", "fake_server", "list_directory", "read", "search", "stat"]

BATCH = 500
"""Entries handed out at once, and attributes: each of them takes time to be read."""

PIECE = 64 * 1024
"""Octets of a file handed out at once."""

_NOT_A_DIRECTORY = b"NOT-A-DIRECTORY"


# --- the verbs -------------------------------------------------------------------------------------------------------


def get(url: URL, options: Options) -> Dialogue:
    """List a directory, or follow the access methods of an object.

    Raises:
        NotFoundError: The server does not know it, or knows no way to get it.
        UnsupportedError: All its access methods are inexpressible as URLs, or unsupported.
    """
    check(url)
    place = _place(url)
    if archie.lacks_words(place.hsoname):
        return (yield from _describe_search())
    courier = Courier(options.patience)
    answer = yield from _resolve(courier, place)
    if answer.forwarded is not None:
        return _forward(place, answer)
    if answer.complaint is None or answer.links:
        return (yield from _deliver_listing(url, courier, place, answer))
    if not answer.attributes and (answer.complaint.code != _NOT_A_DIRECTORY or is_computed(place.hsoname)):
        if archie.is_root(place.hsoname):
            return (yield from _describe_search())
        raise complaint_error(place, answer.complaint)
    facts = _facts(place, answer)
    if not facts.methods and answer.complaint.code != _NOT_A_DIRECTORY:
        raise complaint_error(place, answer.complaint)  # a directory that is there, and may not be listed
    return (yield from _deliver_object(url, courier, place, answer, options))


def list_directory(url: URL, options: Options) -> Dialogue:
    """List the links of a directory, those of its unions in their place.

    Raises:
        NotFoundError: There is no such directory, or it is a file.
    """
    check(url)
    place = _place(url)
    if archie.lacks_words(place.hsoname):
        raise UnsupportedError(
            f"{url.masked} designates a search without words: use search.", scheme=url.scheme, verb="list"
        )
    return (yield from _list(url, place, options))


def search(url: URL, options: Options) -> Dialogue:
    """Look for names: in archie's database, among its hosts, or in a directory and down from there.

    The words for archie are one string. For a directory they are a path of names, the last of which may hold ``*`` and
    ``?``, or be a regular expression in parentheses. `Options.match` is the sort of archie search, `Options.limit` the
    number of hits that are wanted.

    Raises:
        UnsupportedError: There are no words, or no such sort of search.
    """
    check(url)
    refuse_given(url, syntax.ROWS["prospero"], words=options.words)
    place = _place(url)
    words = options.words
    if not words.strip("/"):
        raise lacks_words(url)
    asked = archie.with_words(place.hsoname, words, options.match, options.limit)
    if asked is not None:
        place.hsoname = asked
        return (yield from _list(url, place, options))
    if options.match is not None:
        raise UnsupportedError(
            f"{url.masked} is not an archie search, the only kind with {option('match', options.reader)}; names may "
            "contain `*` and `?`.",
            scheme=url.scheme,
            verb="search",
        )
    walk = Walk(Courier(options.patience))
    found = yield from walk.visit(place, archie.names_of(place.hsoname, words))
    yield from Describe("listing", name=name_of(read(url).hsoname))
    yield from _emit(found[: options.limit], of_match=False)
    yield from _end(walk, found, searched=True)
    return None


def stat(url: URL, options: Options) -> Dialogue:
    """Find the attributes of an object or a directory (RFC 1738 2)."""
    check(url)
    place = _place(url)
    if archie.lacks_words(place.hsoname):
        return (yield from _describe_search())
    answer = yield from _resolve(Courier(options.patience), place)
    if answer.forwarded is not None:
        return _forward(place, answer)
    complaint = answer.complaint
    is_directory = complaint is None or bool(answer.links)
    is_bare = answer.none_found and complaint is not None and complaint.code == _NOT_A_DIRECTORY
    if complaint is not None and not (answer.attributes or is_directory or is_bare):
        raise complaint_error(place, complaint)
    facts = _facts(place, answer)
    name = name_of(read(url).hsoname)
    kind = "listing" if is_directory else facts.kind or "document"
    attributes: dict[str, object] = {"attributes": facts.plain(), "urls": [found.masked for found in facts.urls()]}
    if is_directory:
        attributes["links"] = len(answer.links)
    yield from Describe(
        kind,
        type=facts.media_type(name or "") if kind == "document" else None,
        size=facts.size,
        modified=facts.modified,
        name=name,
        attributes=attributes,
    )
    return None


# --- requests --------------------------------------------------------------------------------------------------------


def _place(url: URL) -> Location:
    parts = read(url)
    return Location(url.host or "", url.port or 0, octets(parts.hsoname), parts.version, parts.selects)


def _resolve(courier: Courier, place: Location) -> Steps[DirectoryReply]:
    """All that the server says of an object: its attributes, and its links if it is a directory."""
    if not is_computed(place.hsoname):
        request = messages.resolve_request(place.hsoname, place.version, place.selects)
        return (yield from ask(courier, place, request))
    # A database is slow in finding attributes of its searches, or fails; it is made for listings.
    request = messages.list_request(place.hsoname, place.version, (), place.selects)
    answer = yield from ask(courier, place, request)
    if answer.complaint is None or answer.complaint.code != _NOT_A_DIRECTORY or archie.is_match(place.hsoname):
        return answer
    request = messages.attributes_request(messages.ALL_ATTRIBUTES, place.hsoname, place.version, place.selects)
    found = yield from ask(courier, place, request)
    found.complaint = found.complaint or answer.complaint
    return found


def _forward(place: Location, answer: DirectoryReply) -> Follow:
    assert answer.forwarded is not None
    there = place_of(answer.forwarded)
    if there is None:
        raise RemoteProtocolError(f"{place.host} forwards to a host that has no name.")
    try:
        url = there.url()
    except AnyURLError as error:
        said = sample(messages.Forwarded(answer.forwarded).write())
        raise RemoteProtocolError(
            f"{place.host} forwards to a place that no URL can express: {said}", sample=said
        ) from error
    return Follow(url, "prospero forwarding", permanent=True)


def _facts(place: Location, answer: DirectoryReply) -> Facts:
    host = f"{place.host}({place.port})".encode("ascii", "replace")
    return Facts(answer.attributes, host, place.hsoname, place.version)


# --- replies ---------------------------------------------------------------------------------------------------------


def _list(url: URL, place: Location, options: Options) -> Dialogue:
    courier = Courier(options.patience)
    request = messages.list_request(place.hsoname, place.version, (), place.selects)
    answer = yield from ask(courier, place, request)
    if answer.forwarded is not None:
        return _forward(place, answer)
    if answer.complaint is not None and not answer.links:
        raise complaint_error(place, answer.complaint)
    if not answer.links and answer.complaint is None and not is_computed(place.hsoname):
        # Who may not see the links of a directory gets none; of the directory itself the server says so.
        asked = yield from _resolve(courier, place)
        error = None if asked.complaint is None else complaint_error(place, asked.complaint)
        if isinstance(error, DeniedError | NotFoundError):
            raise error
    return (yield from _deliver_listing(url, courier, place, answer))


def _describe_search() -> Dialogue:
    yield from Note(WAITS)
    yield from Describe("index", name="MATCH")
    return None


def _deliver_listing(url: URL, courier: Courier, place: Location, answer: DirectoryReply) -> Dialogue:
    if answer.complaint is not None:
        yield from Note(f"the listing broke off: {complaint_error(place, answer.complaint)}")
    facts = _facts(place, answer)
    attributes = {"attributes": facts.plain()} if answer.attributes else {}
    yield from Describe("listing", name=name_of(read(url).hsoname), modified=facts.modified, attributes=attributes)
    walk = Walk(courier)
    walk.start(place)
    found = yield from walk.resolve(place, answer)
    of_match = archie.is_match(place.hsoname)
    yield from _emit(found, of_match=of_match)
    walk.broken = answer.broken or walk.broken
    yield from _end(walk, found, searched=of_match)
    return None


def _end(walk: Walk, found: Sequence[FoundLink], *, searched: bool) -> Steps[None]:
    """Report after the links that they are incomplete, or that there are none."""
    if walk.broken is not None:
        raise walk.broken
    if searched and not found:
        yield from Note("the server found nothing of that name")


def _emit(found: Sequence[FoundLink], *, of_match: bool) -> Steps[None]:
    entries: list[Entry] = []
    weight = 0
    for each in found:
        entries.append(entry(each, of_match=of_match))
        weight += 1 + len(each.attributes)
        if weight >= BATCH:
            yield from Emit(entries)
            entries, weight = [], 0
    if entries:
        yield from Emit(entries)


def _deliver_object(url: URL, courier: Courier, place: Location, answer: DirectoryReply, options: Options) -> Dialogue:
    """The first access method that can be followed; the octets themselves, where the server has them."""
    facts = _facts(place, answer)
    methods = facts.methods
    if options.view is not None:
        methods = [method for method in methods if method.name == octets(options.view.upper())]
    failure: AccessError | LimitError | None = None
    for method in methods:
        there = method.url
        if method.name == CONTENTS:
            try:
                data = yield from _contents(courier, _place_of_contents(place, method, answer), facts)
            except (AccessError, LimitError) as error:  # it may be too large, and available in other ways
                failure = error
                yield from Note(f"the server offers the octets themselves, and then: {error}")
                continue
            yield from _deliver_octets(url, facts, data)
            return None
        if there is not None and method.spoken:
            return Follow(there, f"prospero {method.name.decode('latin-1')}")
    for method in methods:
        # anyurl does not speak it; the user may have a gateway or a program that does.
        if method.name != CONTENTS and (there := method.url) is not None:
            return Follow(there, f"prospero {method.name.decode('latin-1')}")
    raise failure or _no_way(url, methods, options)


def _no_way(url: URL, methods: Sequence[Method], options: Options) -> NotFoundError | UnsupportedError:
    if not methods:
        wanted = "" if options.view is None else f" of the sort {options.view!r}"
        return NotFoundError(f"The server of {url.masked} knows no way{wanted} to get it (no ACCESS-METHOD).")
    names = ", ".join(sorted({ascii(method.name.decode("latin-1")) for method in methods}))
    return UnsupportedError(
        f"{url.masked} can be reached only by {names}, for which there is no URL.", scheme=url.scheme
    )


def _place_of_contents(place: Location, method: Method, answer: DirectoryReply) -> Location:
    _name, _type, host, _hsoname_type, hsoname = method.tokens[:5]
    selects = () if hsoname else place.selects
    there = Location(place.host, place.port, method.hsoname, method.version, selects)
    if host:
        try:
            name, port = split_host(host)
        except UnicodeDecodeError:
            raise RemoteProtocolError(f"{place.host} names an invalid host.") from None
        there.host, there.port, there.named_by = name, port or messages.DEFAULT_PORT or 0, answer.route
    return there


def _contents(courier: Courier, place: Location, facts: Facts) -> Steps[bytes]:
    """The octets of a file, carried in the protocol.

    Raises:
        ReplyError: The server does not give them.
        Truncated: The server announced more than it sends.
    """
    request = messages.attributes_request(messages.CONTENTS, place.hsoname, place.version, place.selects)
    answer = yield from ask(courier, place, request)
    if answer.complaint is not None:
        raise complaint_error(place, answer.complaint)
    tokens = next((each.tokens for each in answer.attributes if each.name == messages.CONTENTS), None)
    if tokens is None:
        raise NotFoundError(f"{place.host} sends no contents of the file.")
    data = b"".join(tokens[1:] if tokens[:1] == (b"DATA",) else tokens)
    if facts.size is not None and len(data) != facts.size:
        raise Truncated(
            f"The server announced {facts.size:,} octets, but sent only {len(data):,}.",
            received=len(data),
            expected=facts.size,
        )
    return data


def _deliver_octets(url: URL, facts: Facts, data: bytes) -> Steps[None]:
    name = name_of(read(url).hsoname)
    yield from Describe(
        "document",
        type=facts.media_type(name or ""),
        size=len(data),
        modified=facts.modified,
        name=name,
        attributes={"attributes": facts.plain()},
    )
    for at in range(0, len(data), PIECE):
        yield from Emit(data[at : at + PIECE])


def fake_server(url: URL, _options: Options) -> FakeServer:
    """The server as it should be, for dry runs of this URL."""
    return ideal_server(url.host or "", url.port or 0)


SCHEMES = (
    Scheme(
        "prospero",
        reference="RFC 4157",
        summary="An object that a Prospero directory server knows: a directory, or where a file can be had.",
        read=read,
        verbs={"get": get, "list": list_directory, "search": search, "stat": stat},
        fake_server=fake_server,
        check=check,
    ),
)
