"""The commands of a Prospero server, and its objects: a request in, its reply out, as the original server writes it.

Rule: the replies of several commands follow one another, and the first that fails ends them. Observed faults of the
original server are reproduced where a client must survive them; commands that need rights are refused. Names are
octets; only this server gives their slashes a meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import translate

from anyurl.errors import AnyURLError
from anyurl.schemes.prospero.wire.lines import read_link
from anyurl.schemes.prospero.wire.messages import (
    ASCII,
    CONTENTS,
    Attribute,
    Complaint,
    Forwarded,
    Line,
    Link,
    Names,
    ReplyLine,
    Text,
    read_request,
    write_message,
)

RELEASE = b"anyurl-world"
"""The server's name for itself."""

MAX_DEPTH = 64
"""Names of a path that are walked down."""

INTERNET = b"INTERNET-D"
"""The type of every host that has an Internet address."""

NONE_FOUND = Line(b"NONE-FOUND")

_EDITS = (b"CREATE-LINK", b"DELETE-LINK", b"EDIT-LINK-INFO", b"EDIT-OBJECT-INFO", b"EDIT-ACL", b"CREATE-OBJECT")
_KNOWN_FIELDS = (b"ID", b"VERSION")
_QUOTED = re.compile(rb"'(?:[^']|'')*'")
_EMPTY_LINE = re.compile(rb"(?:\A|[\r\n])[\r\n]")
"""CR ends a line as LF does, so that there is an empty one between the two."""


class Stored:
    """A link of a directory, with the attributes that it carries."""

    __slots__ = ("link", "attributes")

    def __init__(self, link: Link, attributes: Iterable[Attribute] = ()) -> None:
        self.link = link
        self.attributes = tuple(attributes)


class Item:
    """One object.

    Attributes:
        links: Of a directory, in their order; None for anything else.
        attributes: Attributes that are always sent.
        derived: Attributes that are sent on request only.
        contents: The octets of a file that are handed out by the protocol itself, or None.
        forwarded: Where it has moved, or None.
        hidden: ``links``: they are shown without their targets; ``all``: nothing is shown.
    """

    __slots__ = ("links", "attributes", "derived", "contents", "forwarded", "hidden")

    def __init__(
        self,
        links: Iterable[Stored] | None = None,
        *,
        attributes: Iterable[Attribute] = (),
        derived: Iterable[Attribute] = (),
        contents: bytes | None = None,
        forwarded: Link | None = None,
        hidden: str = "",
    ) -> None:
        self.links = None if links is None else list(links)
        self.attributes = list(attributes)
        self.derived = list(derived)
        self.contents = contents
        self.forwarded = forwarded
        self.hidden = hidden

    def told(self, wanted: set[bytes]) -> list[Attribute]:
        """The attributes that a request for these names is answered with."""
        if wanted == {CONTENTS}:
            data = self.contents
            return [] if data is None else [sequence(b"OBJECT", b"INTRINSIC", CONTENTS, b"DATA", data)]
        everything = any(name.startswith(b"#") for name in wanted)
        return self.attributes + [each for each in self.derived if everything or each.name in wanted]


class Store:
    """Objects by name.

    Args:
        items: The objects.
        published: Beginnings of the names that the server tells anything of.
        computed: Objects made by rule: the beginning of the names, and a function that makes an object of the rest.
    """

    def __init__(
        self,
        items: dict[bytes, Item],
        published: Sequence[bytes],
        computed: dict[bytes, Callable[[bytes], Item | None]] | None = None,
    ) -> None:
        self.items = items
        self._published = tuple(published)
        self._computed = computed or {}

    def is_published(self, hsoname: bytes) -> bool:
        """Whether the server tells anything of such a name."""
        return hsoname.startswith(self._published)

    def find(self, hsoname: bytes) -> Item | None:
        """The object of that name."""
        item = self.items.get(hsoname)
        if item is not None:
            return item
        for beginning, make in self._computed.items():
            if hsoname.startswith(beginning):
                return make(hsoname.removeprefix(beginning))
        return None


# --- making links and attributes -------------------------------------------------------------------------------------


def link(target: bytes, name: bytes, host: bytes, hsoname: bytes, version: int = 0, *, type: bytes = b"L") -> Link:
    """A link to an object on the Internet."""
    return Link(type, target, name, INTERNET, host, ASCII, hsoname, version)


def sequence(precedence: bytes, namespace: bytes, name: bytes, *value: bytes) -> Attribute:
    """An attribute whose value is tokens; the type of a registered one goes without saying."""
    return Attribute(precedence, namespace, name, b"" if namespace == b"FIELD" else b"SEQUENCE", value)


NO_PLACE = (b"", b"", b"", b"")
"""Host type, host, name type and name of an access method that are those of the link."""


def access(method: bytes, *more: bytes, place: tuple[bytes, ...] = NO_PLACE) -> Attribute:
    """How to access an object, as an attribute of a link to it."""
    return sequence(b"CACHED", b"FIELD", b"ACCESS-METHOD", method, *place, *more)


# --- commands --------------------------------------------------------------------------------------------------------


class _Stop(Exception):
    """The request is over.

    Attributes:
        lines: The last of its reply.
    """

    def __init__(self, *lines: ReplyLine) -> None:
        self.lines = lines


def failure(code: bytes, text: bytes = b"") -> _Stop:
    """Understood, and not done."""
    return _Stop(Complaint(b"FAILURE", code, text))


def error(text: bytes) -> _Stop:
    """Not understood."""
    return _Stop(Complaint(b"ERROR", b"", text))


class Commands:
    """Answers requests.

    Args:
        store: The server's objects.
        here: Its own host, with its port: links to it are followed by itself.
        motd: The message of the day, or None.
    """

    def __init__(self, store: Store, here: bytes, *, motd: bytes | None = None) -> None:
        self._store = store
        self._here = here
        self._motd = motd

    def answer(self, request: bytes) -> bytes:
        """The reply to a whole request."""
        lines: list[ReplyLine] = []
        try:
            for each in self._run(request):
                lines.append(each)
        except _Stop as stop:
            lines += stop.lines
        return write_message(lines)

    def _run(self, request: bytes) -> Iterator[ReplyLine]:
        if not request:
            raise error(b"ERROR Received empty Prospero request packet")
        empty = _EMPTY_LINE.search(_QUOTED.sub(lambda found: b"q" * len(found[0]), request))
        try:
            lines = read_request(request if empty is None else request[: empty.end() - 1])
        except AnyURLError as problem:
            raise error(b"Malformed input: " + str(problem).encode("ascii", "replace")) from problem
        yield from self._obey(lines)
        if empty is not None:
            raise error(b"Malformed input line: Read Prospero message with an empty line.")

    def _obey(self, lines: Sequence[Line]) -> Iterator[ReplyLine]:
        directory: bytes | None = None
        at = 0
        while at < len(lines):
            line, at = lines[at], at + 1
            behind = list(_following(lines[at:]))
            at += len(behind)
            if line.word == b"DIRECTORY":
                directory = _directory(line)
                _check_selects(b"DIRECTORY", behind)
            elif line.word.startswith(b"LIST") and line.word != b"LIST-ACL":
                yield from self._list(directory, line, behind)
            else:
                yield from self._other(line, behind)

    def _other(self, line: Line, behind: Sequence[Line]) -> Iterator[ReplyLine]:
        """Commands that need no directory."""
        tokens = line.octets()
        if line.word == b"VERSION":
            yield from _version(line)
        elif line.word == b"AUTHENTICATE":
            _authenticate(line)
        elif line.word == b"GET-OBJECT-INFO":
            yield from self._object(tokens, behind)
        elif line.word == b"STATUS":
            if tokens:
                raise error(b"STATUS command takes no arguments, but we received: " + shown(line))
            yield Text(b"Prospero server (" + RELEASE + b") " + self._here)
            yield Text(b" Data: %d objects" % len(self._store.items))
        elif line.word == b"PARAMETER" and tokens[:1] == (b"GET",) and len(tokens) == 2:
            yield self._parameter(tokens[1])
        elif line.word in _EDITS or line.word == b"LIST-ACL":
            raise failure(b"NOT-AUTHORIZED")
        elif line.word == b"ATOMIC":
            raise failure(b"UNIMPLEMENTED", b"ATOMIC")
        else:
            raise error(b"Unknown message: " + shown(line))

    def _parameter(self, name: bytes) -> ReplyLine:
        if name != b"MOTD":
            return Complaint(b"WARNING", b"NOT-FOUND", b"PARAMETER " + name)
        if self._motd is None:
            return Line(b"PARAMETER", b"NOTSET", name)
        return Line(b"PARAMETER", b"VALUE", name, self._motd)

    # --- objects ---------------------------------------------------------------------------------------------------

    def _object(self, tokens: tuple[bytes, ...], behind: Sequence[Line]) -> Iterator[ReplyLine]:
        if not 3 <= len(tokens) <= 4:
            raise error(b"wrong number of arguments")
        wanted, kind, hsoname = tokens[:3]
        _check_selects(b"GET-OBJECT-INFO", behind)
        if kind != b"ASCII":
            raise failure(b"SERVER-FAILED", b"Generic Failure (prospero)")
        if not self._store.is_published(hsoname):
            raise failure(b"NOT-AUTHORIZED")
        item = self._store.find(hsoname)
        if item is not None and item.hidden == "all":
            raise failure(b"NOT-AUTHORIZED")
        if item is None or not wanted:
            raise failure(b"NOT-FOUND")
        names = set(wanted.split(b"+"))
        if item.forwarded is not None:
            if not names & {b"#ALL", b"FORWARDING-POINTER"}:
                raise _Stop(Forwarded(item.forwarded))
            # As the original does: a request for all attributes gets the pointer as an attribute, and is not forwarded.
            _kind, _target, *rest = item.forwarded.words()
            there = read_link(b" ".join((b"L", b"FP", *rest)))
            yield Attribute(b"OBJECT", b"INTRINSIC", b"FORWARDING-POINTER", b"LINK", there)
            raise failure(b"NOT-FOUND")
        told = item.told(names)
        native = bool(item.derived) and not item.attributes
        if native and {each.name for each in told} <= {b"ACCESS-METHOD"} and names != {b"CONTENTS"}:
            # As the original does: asking for only the access method of a plain file returns nothing.
            raise failure(b"NOT-FOUND")
        yield from told
        if not told:
            yield NONE_FOUND

    # --- directories -----------------------------------------------------------------------------------------------

    def _list(self, directory: bytes | None, line: Line, behind: Sequence[Line]) -> Iterator[ReplyLine]:
        tokens = list(line.tokens)
        options: set[bytes] = set()
        if tokens and isinstance(first := tokens[0], bytes) and first != b"COMPONENTS":
            options = set(first.split(b"+"))
            del tokens[0]
        plain = line.octets()[:1] != (b"COMPONENTS",) and tokens[:1] == [b"COMPONENTS"]
        path = [name for token in tokens if isinstance(token, Names) for name in token.names] if plain else []
        if b"VERIFY" in options:
            yield NONE_FOUND
            return
        self._check_filters(options, behind)
        if directory is None or not self._store.is_published(directory):
            raise failure(b"NOT-AUTHORIZED")
        yield from self._walk(directory, path, any(option.startswith(b"ATTRIBUTES") for option in options))

    def _check_filters(self, options: set[bytes], behind: Sequence[Line]) -> None:
        filters = [line for line in behind if line.word == b"FILTER"]
        if b"FILTER" in options and not filters:
            raise error(b"LIST had FILTER option specified, but no filters were given.")
        for line in filters:
            tokens = line.octets()
            if tokens[:4] != (b"DIRECTORY", b"SERVER", b"PRE", b"PREDEFINED"):
                raise error(
                    b"All filters to be applied at the server must have an execution location of SERVER and be "
                    b"PRE-expansion and be DIRECTORY or HIERARCHY filters and be PREDEFINED.  This one does not meet "
                    b"those criteria: " + shown(line)
                )
            if tokens[4:5] != (b"IDENTITY",):
                name = b"".join(tokens[4:5])
                text = b"This server does not support the PREDEFINED SERVER filter named " + name + b"."
                raise failure(b"NOT-FOUND", b"FILTER " + text)

    def _walk(self, directory: bytes, path: Sequence[bytes], attributes: bool) -> Iterator[ReplyLine]:
        """Down the path as far as it is here, and the links that are at its end."""
        for depth, name in enumerate(path[:-1]):
            links = self._links(directory)
            found = [each for each in links if each.link.name == name and each.link.type == b"L"]
            rest = Line(b"UNRESOLVED", *map(Names, path[depth + 1 :]))
            if not found:
                unions = [each for each in links if each.link.type == b"U"]
                yield from [*_shown(unions, attributes), rest] if unions else [NONE_FOUND]
                return
            there = found[0].link
            if self._leads_away(there) or depth > MAX_DEPTH:
                if there.host == self._here and there.target == b"FILE":
                    raise failure(b"NOT-A-DIRECTORY")
                yield from [*_shown(found, attributes), rest]
                return
            directory = there.hsoname
        links = self._links(directory)
        if path:
            found = [each for each in links if each.link.type != b"U" and _is_meant(path[-1], each.link.name)]
            links = found or [each for each in links if each.link.type == b"U"]
        yield from _shown(links, attributes) or [NONE_FOUND]

    def _leads_away(self, link: Link) -> bool:
        """Whether the client must continue there: it is elsewhere, has moved, or is not a directory."""
        if link.host != self._here or link.target not in (b"DIRECTORY", b"DIRECTORY+FILE"):
            return True
        item = self._store.find(link.hsoname)
        return item is not None and item.forwarded is not None

    def _links(self, directory: bytes) -> list[Stored]:
        item: Item | None = self._store.find(directory)
        if item is not None and item.forwarded is not None:
            raise _Stop(Forwarded(item.forwarded))
        if item is None or item.links is None:
            raise failure(b"NOT-A-DIRECTORY")
        if item.hidden == "all":
            return []
        if item.hidden == "links":
            nowhere = (b"NULL", b"NULL", b"NULL", b"NULL")
            return [Stored(Link(b"L", b"NULL", each.link.name, *nowhere, 0)) for each in item.links]
        return item.links


def shown(line: Line) -> bytes:
    """A command as an error quotes it: its tokens with blanks between them."""
    return b" ".join((line.word, *line.octets()))


def _following(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines that belong to the command before them."""
    for line in lines:
        if line.word not in (b"SELECT", b"FILTER"):
            return
        yield line


def _directory(line: Line) -> bytes:
    tokens = line.octets()
    if not 2 <= len(tokens) <= 3:
        raise error(b"Invalid arguments: " + shown(line))
    if tokens[0] != b"ASCII":
        raise error(b"Directory handle type " + tokens[0] + b" not supported")
    return tokens[1]


def _check_selects(command: bytes, behind: Sequence[Line]) -> None:
    """SELECT is read and makes no difference; a field that is not registered needs the type of its value."""
    for line in behind:
        tokens = line.octets()
        if line.word == b"SELECT" and len(tokens) > 3 and tokens[2] not in _KNOWN_FIELDS and tokens[3] != b"SEQUENCE":
            raise error(command + b" Unknown Attribute Value type: " + tokens[3])


def _version(line: Line) -> Iterator[ReplyLine]:
    tokens = line.octets()
    if len(tokens) > 2:
        raise error(b"VERSION command takes at most 2 arguments,but we received: " + shown(line))
    if not tokens or not tokens[0].isdigit():
        yield Line(b"VERSION", b"5", RELEASE)
    elif tokens[0] != b"5":
        raise _Stop(Line(b"VERSION-NOT-SUPPORTED", b"TRY", b"5"))


def _authenticate(line: Line) -> None:
    tokens = line.octets()
    if len(tokens) < 3:
        raise error(b"Invalid arguments: " + shown(line))
    if b"MANDATORY" in tokens[0].split(b"+") and tokens[1] != b"UNAUTHENTICATED":
        raise failure(b"AUTHENTICATION-DATA", b"Authentication type " + tokens[1] + b" not supported")


def _is_meant(wanted: bytes, name: bytes) -> bool:
    """Whether a name is the wanted one: literally, by wildcards, or by a regular expression in parentheses."""
    if wanted == name:
        return True
    if wanted.startswith(b"(") and wanted.endswith(b")"):
        return pattern(wanted[1:-1], name)
    if b"*" not in wanted and b"?" not in wanted:
        return False
    # Brackets are not wildcards here, unlike in file names.
    glob = wanted.decode("latin-1").replace("[", "[[]")
    return re.match(translate(glob), name.decode("latin-1")) is not None


def _shown(links: Sequence[Stored], attributes: bool) -> list[ReplyLine]:
    """Links and their attributes; the registered ones come even if they are not requested."""
    lines: list[ReplyLine] = []
    for each in links:
        lines.append(each.link)
        lines += [one for one in each.attributes if attributes or _always(one)]
    return lines


def _always(attribute: Attribute) -> bool:
    return attribute.namespace == b"FIELD" and attribute.depth == 0


def pattern(words: bytes, name: bytes) -> bool:
    """Whether a regular expression is found in a name; an invalid one finds nothing."""
    try:
        return re.search(words, name) is not None
    except (re.error, RecursionError, OverflowError):
        return False
