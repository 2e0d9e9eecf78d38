"""prospero: a directory server (RFC 1738 3.11): folders, links to other servers, a union, moved objects, and an archie.

Rule: requests and replies are those of the original server. Datagrams to it and back may be lost, doubled, held back
and delayed if configured; loopback itself does none of that.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import random
import re
import selectors
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from anyurl.schemes.prospero.wire.commands import Commands, Item, Store, Stored, access, link, pattern, sequence
from anyurl.schemes.prospero.wire.messages import Attribute, Link
from anyurl.schemes.prospero.wire.server import Answer, ProsperoServer
from anyurl.url import URL
from anyurl.values import Value
from anyurl.world import tree
from anyurl.world.listener import HOST

MAX_DATAGRAM = 65_536
"""Octets: more than UDP can carry."""

MAX_HELD = 10_000
"""Datagrams that are held back at once; more are lost."""

MAX_HITS = 1000
"""Links that an archie query is answered with at most, whatever it asks for."""

MAX_PATTERN = 200
"""Octets of a search string."""

TOP = b"/world"
MANY = 600
"""Links in the long directory: a listing of some 40 packets."""

Client: TypeAlias = tuple[str, int]

Plan = Callable[[bytes], "Answer | None"]
"""An alternative reply to a request; None for the usual one."""


class Troubles:
    """A bad way: it loses, doubles, delays and so reorders datagrams, at random but the same with the same seed.

    Args:
        lost: The part that does not arrive, 0 to 1.
        doubled: The part that arrives twice.
        held: The part that is held back, so that others overtake it.
        delay: Seconds that every datagram takes.
        hold: Seconds that one is held back for at most.
        seed: Of the random numbers.
    """

    def __init__(
        self,
        *,
        lost: float = 0.0,
        doubled: float = 0.0,
        held: float = 0.0,
        delay: float = 0.0,
        hold: float = 0.05,
        seed: int = 1738,
    ) -> None:
        self._lost = lost
        self._doubled = doubled
        self._held = held
        self._delay = delay
        self._hold = hold
        self._random = random.Random(seed)

    def fate(self) -> list[float]:
        """Seconds after which each copy of a datagram arrives; none when it is lost."""
        chance = self._random.random
        copies = 2 if chance() < self._doubled else 1
        return [
            self._delay + (chance() * self._hold if chance() < self._held else 0.0)
            for _ in range(copies)
            if chance() >= self._lost
        ]


class ProsperoListener:
    """Serves the tree, and more, by Prospero.

    Args:
        store: The objects that it serves, made when its own host and port are known; the world's by default.
        troubles: Faults of datagrams, in each direction.
        plan: Answers other than the usual ones: waits, refusals, redirections.

    Attributes:
        port: The UDP port.
        received: Datagrams that reached it.
    """

    def __init__(
        self,
        store: Callable[[bytes], Store] | None = None,
        *,
        troubles: Troubles | None = None,
        plan: Plan | None = None,
        port: int = 0,
    ) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind((HOST, port))
        except OSError:
            self._socket.close()
            raise
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]
        self.received = 0
        here = b"%s(%d)" % (HOST.encode(), self.port)
        self._commands = Commands((store or world_store)(here), here, motd=b"Welcome to the world.")
        self._plan = plan
        self._server = ProsperoServer(self._answer)
        self._troubles = troubles
        self._held: list[tuple[float, int, bytes, Client, bool]] = []
        self._order = itertools.count()
        self._wake, self._woken = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._serve, name="world prospero", daemon=True)
        self._thread.start()

    @property
    def root(self) -> URL:
        """The URL of the top folder."""
        return self.url(TOP.decode())

    @property
    def urls(self) -> Mapping[str, URL]:
        """The URL that the demo gets."""
        return {"prospero": self.url(f"{TOP.decode()}/motd.txt")}

    def url(self, hsoname: str) -> URL:
        """The URL of an object, by its encoded name."""
        return URL(f"prospero://{HOST}:{self.port}/{hsoname}")

    def _answer(self, request: bytes) -> Answer:
        planned = None if self._plan is None else self._plan(request)
        return planned or Answer(self._commands.answer(request))

    # --- the thread ------------------------------------------------------------------------------------------------

    def _serve(self) -> None:
        with self._selector:
            while True:
                wait = None if not self._held else max(0.0, self._held[0][0] - time.monotonic())
                ready = [key.fileobj for key, _ in self._selector.select(wait)]
                if self._woken in ready:
                    return
                if self._socket in ready:
                    with contextlib.suppress(OSError):  # a client that is gone says so here
                        data, client = self._socket.recvfrom(MAX_DATAGRAM)
                        self._travel(data, client, inward=True)
                while self._held and self._held[0][0] <= time.monotonic():
                    _, _, data, client, inward = heapq.heappop(self._held)
                    self._arrive(data, client, inward=inward)

    def _travel(self, data: bytes, client: Client, *, inward: bool) -> None:
        if self._troubles is None:
            self._arrive(data, client, inward=inward)
            return
        for delay in self._troubles.fate():
            if len(self._held) < MAX_HELD:
                heapq.heappush(self._held, (time.monotonic() + delay, next(self._order), data, client, inward))

    def _arrive(self, data: bytes, client: Client, *, inward: bool) -> None:
        if not inward:
            with contextlib.suppress(OSError):
                self._socket.sendto(data, client)
            return
        self.received += 1
        for datagram in self._server.reply(client, data):
            self._travel(datagram, client, inward=False)

    def close(self) -> None:
        """Stop; no thread and no socket is left. May be called twice."""
        if not self._thread.is_alive():
            return
        self._wake.send(b".")
        self._thread.join()
        for end in (self._socket, self._wake, self._woken):
            end.close()


# --- content --------------------------------------------------------------------------------------------------------


def world_store(here: bytes) -> Store:
    """The tree of the world, and one example of each thing that a directory of Prospero can hold."""
    items: dict[bytes, Item] = {TOP: Item([])}
    for path, data in tree.tree().items():
        _add_file(items, here, path.encode(), data)
    _add_folder(items, here, b"elsewhere", Item(elsewhere()))
    many = [Stored(link(b"FILE", b"item-%04d" % n, here, TOP + b"/pub/notes.txt")) for n in range(1, MANY + 1)]
    _add_folder(items, here, b"many", Item(many))
    parts = [Stored(link(b"DIRECTORY", name, here, TOP + b"/" + name, type=b"U")) for name in (b"pub", b"elsewhere")]
    own = Stored(link(b"FILE", b"motd.txt", here, TOP + b"/motd.txt"))
    _add_folder(items, here, b"union", Item([own, *parts]))
    _add_folder(items, here, b"moved", Item(forwarded=link(b"DIRECTORY", b"", here, TOP + b"/pub")))
    _add_folder(items, here, b"closed", Item([], hidden="all"))
    _add_folder(items, here, b"covered", Item([own], hidden="links"))
    catalogue = Catalogue(SITES, here)
    return Store(items, (TOP, b"ARCHIE/"), {b"ARCHIE/": catalogue.find})


def _add_file(items: dict[bytes, Item], here: bytes, path: bytes, data: bytes) -> None:
    hsoname = TOP + b"/" + path
    facts = [
        sequence(b"OBJECT", b"INTRINSIC", b"SIZE", b"%d bytes" % len(data)),
        sequence(b"OBJECT", b"INTRINSIC", b"LAST-MODIFIED", time_of(tree.MODIFIED)),
        sequence(b"OBJECT", b"INTRINSIC", b"UNIX-MODES", b"-r--r--r--"),
        sequence(b"OBJECT", b"INTRINSIC", b"ACCESS-METHOD", b"PROSPERO-CONTENTS", b"", b"", b"", b""),
    ]
    items[hsoname] = Item(derived=facts, contents=data)
    _enter(items, here, b"FILE", hsoname, facts)


def _add_folder(items: dict[bytes, Item], here: bytes, name: bytes, item: Item) -> None:
    items[TOP + b"/" + name] = item
    _enter(items, here, b"DIRECTORY", TOP + b"/" + name, [])


def _enter(items: dict[bytes, Item], here: bytes, target: bytes, hsoname: bytes, facts: list[Attribute]) -> None:
    """Put a link into the folder of the name, and that folder into its parent."""
    folder, _, name = hsoname.rpartition(b"/")
    if folder not in items:
        items[folder] = Item([])
        _enter(items, here, b"DIRECTORY", folder, [])
    links = items[folder].links
    assert links is not None
    links.append(Stored(link(target, name, here, hsoname), facts))


def elsewhere() -> list[Stored]:
    """An external link for each access method; none of these hosts exists (RFC 2606)."""
    ftp, gopher = b"ftp.example.org", b"gopher.example.org(70)"
    login = b'Use the account name "guest" to log in'
    rows: tuple[tuple[bytes, bytes, bytes, tuple[Attribute, ...]], ...] = (
        (b"archive.tar", ftp, b"/pub/archive.tar", (access(b"AFTP", b"BINARY"),)),
        (b"readme", ftp + b"(2121)", b"/pub/README", (access(b"AFTP", b"TEXT"),)),
        (b"folder", ftp, b"/pub", (access(b"AFTP", b"DIRECTORY"),)),
        (b"private", ftp, b"/home/user/report.txt", (access(b"FTP", b"TEXT"),)),
        (b"about", gopher, b"0/docs/about.txt", (access(b"GOPHER"),)),
        (b"menu", b"gopher.example.org(150)", b"/Fun Stuff", (access(b"GOPHER", b"1"),)),
        (b"record", b"wais.example.org(210)", b"WAIS/OBJECT/%3A%3Adoc-id%3D42", (access(b"WAIS"),)),
        (b"library", b"library.example.org(23)", b"", (access(b"TELNET", login),)),
        (b"catalogue", b"catalogue.example.org(23)", b"", (access(b"TN3270"),)),
        (b"mounted", b"nfs.example.org", b"pub/README", (access(b"NFS", b"/export/ftp"),)),
        (b"cell", b"DUMMY", b"/example.org/doc/README", (access(b"AFS"),)),
        (b"local", b"here.example.org", b"/etc/motd", (access(b"LOCAL"),)),
        (b"either", ftp, b"/pub/x.gif", (
            access(b"AFTP", b"BINARY"),
            access(b"GOPHER", b"9", place=(b"INTERNET-D", gopher, b"ASCII", b"9/x.gif")),
        )),
    )  # fmt: skip
    found = [Stored(link(b"EXTERNAL", name, host, hsoname), methods) for name, host, hsoname, methods in rows]
    found.append(
        Stored(Link(b"L", b"SYMBOLIC", b"vs", b"VIRTUAL-SYSTEM", b"#/INET/EDU/ISI", b"ASCII", b"/projects/prospero"))
    )
    return found


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


SITES = [
    Site(b"ftp.example.org", b"/pub/prospero/prospero.tar.Z", 812345, b"-rw-r--r--", b"19930612000000Z"),
    Site(b"ftp.example.net", b"/mirrors/prospero.tar.Z", 812345, b"-r--r--r--", b"19930701000000Z"),
    Site(b"ftp.example.com", b"/pub/prospero", 512, b"drwxr-xr-x", b"19930801000000Z"),
    Site(b"ftp.example.com", b"/pub/prospero/prospero", 99, b"-rw-r--r--", b"19930801000000Z"),
    Site(b"ftp.example.com", b"/pub/prospero/README", 4711, b"-rw-r--r--", b"19930801000000Z"),
    Site(b"ftp.example.edu", b"/rfc/rfc1738.txt", 51348, b"-r--r--r--", b"19941220000000Z"),
    Site(b"ftp.example.edu", b"/rfc/rfc1436.txt", 36493, b"-r--r--r--", b"19930301000000Z"),
]
"""The archie database: files of archives that do not exist."""


def start(port: int = 0) -> ProsperoListener:
    """Serve the tree by Prospero. At a port of the system\'s choice, if 0; raises OSError if it is taken."""
    return ProsperoListener(port=port)
