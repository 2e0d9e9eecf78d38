"""prospero: a directory server (RFC 1738 3.11): folders, links to other servers, a union, moved objects, and an archie.

Rule: requests and replies are those of the original server. Datagrams to it and back may be lost, doubled, held back
and delayed if configured; loopback itself does none of that.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import selectors
import socket
import threading
import time
from collections.abc import Callable, Mapping

from anyurl.schemes.prospero.wire.messages import Attribute, Link
from anyurl.url import URL
from anyurl.world import tree
from anyurl.world.ardp import Answer, ArdpServer, Client
from anyurl.world.listener import HOST
from anyurl.world.prospero_commands import Commands
from anyurl.world.prospero_store import Catalogue, Item, Site, Store, Stored, access, link, sequence, time_of
from anyurl.world.troubles import Troubles

MAX_DATAGRAM = 65_536
"""Octets: more than UDP can carry."""

MAX_HELD = 10_000
"""Datagrams that are held back at once; more are lost."""

TOP = b"/world"
MANY = 600
"""Links in the long directory: a listing of some 40 packets."""

Plan = Callable[[bytes], "Answer | None"]
"""An alternative reply to a request; None for the usual one."""


class ProsperoServer:
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
        self._server = ArdpServer(self._answer)
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
        for datagram in self._server.feed(data, client):
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


def start(port: int = 0) -> ProsperoServer:
    """Serve the tree by Prospero. At a port of the system\'s choice, if 0; raises OSError if it is taken."""
    return ProsperoServer(port=port)
