"""The data of a Prospero server of the world: objects by their names, directories of links, and a catalogue for archie.

Rule: pure data and look-ups. Names are octets; only this server gives their slashes a meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

from anyurl.schemes.prospero.wire.messages import ASCII, CONTENTS, Attribute, Link
from anyurl.values import Value

INTERNET = b"INTERNET-D"
"""The type of every host that has an Internet address."""

DERIVED = (b"SIZE", b"NATIVE-OWNER", b"NATIVE-GROUP", b"LAST-MODIFIED", b"UNIX-MODES", b"ACCESS-METHOD")
"""Attributes that the original server computes on request, in its order; all others are always sent."""

MAX_HITS = 1000
"""Links that an archie query is answered with at most, whatever it asks for."""

MAX_PATTERN = 200
"""Octets of a search string."""


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
        derived: Attributes that are sent on request (`DERIVED`).
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


def time_of(seconds: int) -> bytes:
    """A time as attributes have it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y%m%d%H%M%SZ").encode()


# --- archie ----------------------------------------------------------------------------------------------------------


class Site(Value):
    """A file or directory of an FTP archive, as archie knows it."""

    host: bytes
    path: bytes
    size: int
    modes: bytes
    modified: bytes

    @property
    def directory(self) -> bool:
        """Whether it is one."""
        return self.modes.startswith(b"d")

    @property
    def name(self) -> bytes:
        """The last component of its path."""
        return self.path.rpartition(b"/")[2]


_MATCH = re.compile(rb"MATCH\(([0-9]{1,5}),(?:[0-9]{1,5},[0-9]{1,5},)?([0-9]{1,5}),([=SsCcRrKkZzXx])\)/(.+)", re.DOTALL)


class Catalogue:
    """An archie database: names of files and where they are; a search of it is a directory.

    Args:
        sites: Its entries.
        here: The server's own host, with its port.
    """

    def __init__(self, sites: Sequence[Site], here: bytes) -> None:
        self._sites = sites
        self._here = here

    def find(self, rest: bytes) -> Item | None:
        """The directory of a search, of a host, or of one of its directories; `rest` follows ``ARCHIE/``."""
        query = _MATCH.fullmatch(rest)
        if query is not None:
            most, offset, kind, words = query.groups()
            return self._search(kind, words, int(offset), min(int(most), MAX_HITS))
        if rest == b"HOST":
            hosts = dict.fromkeys(site.host for site in self._sites)
            return Item(Stored(link(b"DIRECTORY", host, self._here, b"ARCHIE/HOST/" + host)) for host in hosts)
        if rest.startswith(b"HOST/"):
            host, _, path = rest[5:].partition(b"/")
            return self._image(host, path)
        return None

    def _image(self, host: bytes, path: bytes) -> Item | None:
        """A directory of a host: its content, and the directories on the way to it."""
        folder = b"/" + path.strip(b"/") + b"/" if path.strip(b"/") else b"/"
        inside: dict[bytes, Stored] = {}
        for site in self._sites:
            if site.host != host or not site.path.startswith(folder):
                continue
            name, deeper, _ = site.path.removeprefix(folder).partition(b"/")
            if not deeper:
                inside[name] = self._stored(site)
            elif name not in inside:
                there = b"ARCHIE/HOST/" + host + folder + name
                inside[name] = Stored(link(b"DIRECTORY", name, self._here, there))
        here = any(site.host == host and site.path == folder.rstrip(b"/") and site.directory for site in self._sites)
        return Item(inside.values()) if inside or here else None

    def _search(self, kind: bytes, words: bytes, offset: int, most: int) -> Item | None:
        if len(words) > MAX_PATTERN:
            return None
        ways = (
            [b"=", kind.upper()] if kind.islower() else [kind]
        )  # a small letter: exactly, and else the other way round
        found: list[Site] = []
        for way in ways:
            found = [site for site in self._sites if _matches(way, words, site.name)]
            if found:
                break
        if kind in b"KZXkzx":
            names = list(dict.fromkeys(site.name for site in found))[offset : offset + most]
            again = b"ARCHIE/MATCH(%d,0,=)/" % most
            return Item(Stored(link(b"DIRECTORY", name, self._here, again + name)) for name in names)
        return Item(map(self._stored, found[offset : offset + most]))

    def _stored(self, site: Site) -> Stored:
        facts = [
            sequence(b"CACHED", b"INTRINSIC", b"SIZE", b"%d bytes" % site.size),
            sequence(b"CACHED", b"INTRINSIC", b"UNIX-MODES", site.modes),
            sequence(b"CACHED", b"INTRINSIC", b"LAST-MODIFIED", site.modified),
        ]
        if site.directory:
            return Stored(link(b"DIRECTORY", site.name, self._here, b"ARCHIE/HOST/" + site.host + site.path), facts)
        there = link(b"EXTERNAL", site.name, site.host, site.path)
        return Stored(there, [access(b"AFTP", b"BINARY"), *facts])


def _matches(way: bytes, words: bytes, name: bytes) -> bool:
    if way == b"=":
        return name == words
    if way in b"SK":
        return words.lower() in name.lower()
    if way in b"CZ":
        return words in name
    return pattern(words, name)


def pattern(words: bytes, name: bytes) -> bool:
    """Whether a regular expression is found in a name; an invalid one finds nothing."""
    try:
        return re.search(words, name) is not None
    except (re.error, RecursionError, OverflowError):
        return False
