"""The graph that the servers make up: each edge is written down before anybody can follow it.

Rule: an edge has a mark of its own (``e123z``) in its URL, and its server sees the mark again in what it receives. So
have logins (``lgn123z``), passwords (``sek123z``) and contents (``put123z``): whoever receives one can be asked why.
"""

from __future__ import annotations

import json
import random
import re
import threading
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from tests.hostile.places import Place, Pool, name_for

PORTS = {
    "http": 80, "https": 443, "gopher": 70, "gophers": 70, "ftp": 21, "ftps": 990, "nntp": 119, "nntps": 563,
    "news": 119, "snews": 563, "wais": 210, "prospero": 1525, "telnet": 23,
    "dict": 2628, "gemini": 1965,
}  # fmt: skip
OTHER_PORTS = {scheme: 7100 + index for index, scheme in enumerate(PORTS)}
TRAPS = (22, 25, 2375, 6379, 11211)
"""Ports of services that none of these schemes may speak to."""

SECURE = frozenset({"https", "gophers", "ftps", "nntps", "snews", "gemini"})
_DRAWN = (*PORTS, "http", "http", "http", "https", "https", "https", "gopher", "gopher", "ftp", "prospero")
"""A draw of any scheme is one of these."""

WEB = ("http", "https")

NEWS_SERVER = Place(name_for("93.255.0.1"), "93.255.0.1")
"""The one that the user has configured."""

NETRC = [
    (Place(name_for(address), address), f"lgn{number}z", f"sek{number}z")
    for number, address in enumerate(("93.255.1.1", "93.255.1.2", "10.255.1.1", "127.254.1.1"), 1)
]
"""Hosts whose logins are in the user's netrc."""

MARK = re.compile(rb"[eu][0-9]+z")
CERTIFICATE = b"crt0z"
"""Stands for the user's certificate in what a server receives that was shown it."""

SECRET = re.compile(rb"(?:lgn|sek|put|crt)[0-9]+z")


class Origin(NamedTuple):
    """The server that names an edge: the address at which it was reached, the port, the scheme."""

    address: str
    port: int
    scheme: str


class Edge(NamedTuple):
    """A URL that somebody has named.

    Attributes:
        mark: In its path.
        addresses: Those that its host may turn out to have.
        flips: It has one of them at a time.
        by: The server that named it; None: the user.
        how: ``redirect``, ``moved``, ``forward``, ``union``, ``method``, ``ardp``, ``menu``, ``link``, ``hit``,
            ``header``, ``symlink``, ``pasv``; ``root`` when it was the user.
        secrets: Login and password in it.
    """

    mark: str
    scheme: str
    addresses: tuple[str, ...]
    flips: bool
    port: int
    by: Origin | None
    how: str
    secrets: tuple[str, ...]
    host: str

    def authority(self) -> str:
        """Login, host and port."""
        login = f"{':'.join(self.secrets)}@" if self.secrets else ""
        return login + self.host + ("" if self.port == PORTS.get(self.scheme) else f":{self.port}")

    def content(self) -> bytes:
        """What is sent there, and is for nobody else."""
        return b"put" + self.mark[1:].encode()


class Ledger:
    """Makes edges and writes them down. Args: where to, the draw, and the number of the first."""

    def __init__(self, path: Path, source: random.Random, first: int, canary: str) -> None:
        self._file = path.open("a", encoding="ascii")
        self._lock = threading.Lock()
        self._next = first
        self._canary = canary
        self.source = source
        self.pool = Pool(source, first)

    def edge(
        self,
        by: Origin | None,
        how: str,
        *schemes: str,
        place: Place | None = None,
        port: int = 0,
        login: str | None = None,
    ) -> Edge:
        """A new one, of one of these schemes; a login is drawn unless it is said, and the empty one is its own."""
        with self._lock:
            self._next += 1
            source, number = self.source, self._next
            scheme = source.choice(schemes or _DRAWN)
            drawn = place or self._place(by)
            if not port:
                draw = source.random()
                port = PORTS[scheme] if draw < 0.8 else OTHER_PORTS[scheme] if draw < 0.97 else source.choice(TRAPS)
            edge = Edge(
                f"{'u' if by is None else 'e'}{number}z", scheme, drawn.addresses, drawn.host[:1] == "f", port, by, how,
                self._login(number, login), drawn.host,
            )  # fmt: skip
            self._file.write(json.dumps(edge) + "\n")
            self._file.flush()
            return edge

    def _place(self, by: Origin | None) -> Place:
        draw = self.source.random()
        if by is not None and draw < 0.04:  # itself
            return Place(f"[{by.address}]" if ":" in by.address else by.address, by.address)
        if draw < 0.08:
            return self.source.choice(NETRC)[0]
        return self.pool.any()

    def _login(self, number: int, login: str | None) -> tuple[str, ...]:
        if login is not None:
            return (login,) if login else (f"lgn{number}z", f"sek{number}z")
        draw = self.source.random()
        if draw < 0.05:  # whose password the user has
            return (self.source.choice(NETRC)[1],)
        return (f"lgn{number}z", f"sek{number}z") if draw < 0.12 else ()

    def url(self, edge: Edge) -> str:
        """How the edge is written as a URL."""
        mark, start = edge.mark, f"{edge.scheme}://{edge.authority()}/"
        with self._lock:
            draw = self.source.random()
        match edge.scheme:
            case "http" | "https":
                return f"{start}{mark}/{'?q=' + mark if draw < 0.3 else ''}"
            case "gopher" | "gophers":
                kind = "1" if draw < 0.5 else "0" if draw < 0.7 else "h" if draw < 0.8 else "7" if draw < 0.9 else "1"
                return f"{start}{kind}/{mark}{'%09%09+' if draw > 0.9 else ''}"
            case "ftp" | "ftps":
                return f"{start}{mark}/{'' if draw < 0.5 else mark + '.html' if draw < 0.9 else ';type=d'}"
            case "nntp" | "nntps":
                return f"{start}grp.{mark}{'/1' if draw < 0.6 else ''}"
            case "news" | "snews":
                return f"{start}{f'grp.{mark}' if draw < 0.6 else f'{mark}@crawl.test'}"
            case "wais":
                return f"{start}{mark}{'?words' if draw < 0.7 else ''}"
            case "dict":
                return f"{start}{'d' if draw < 0.5 else 'm'}:{mark}"
            case "gemini":
                return f"{start}{mark}/{'?words' if draw < 0.2 else ''}"
            case "telnet":
                return start
            case _:
                return f"{start}{mark}/{'' if draw < 0.5 else 'x.txt'}"

    def odd(self) -> str:
        """What is no place on the network."""
        return self.source.choice((
            f"file://{quote(self._canary)}", f"file://localhost{quote(self._canary)}", "mailto:someone@crawl.test",
            "javascript:alert(1)", "data:text/html,x", "http://", "gopher:", "//crawl.test/",
            "ldap://127.0.0.1/", "redis://127.0.0.1/", "ftp://[::1", "http://a b/", "../../x", "afs://127.0.0.1/x",
        ))  # fmt: skip


def read_ledger(*paths: Path) -> list[Edge]:
    """All that were written down."""
    edges = []
    for path in paths:
        for line in path.read_text("ascii").splitlines():
            mark, scheme, addresses, flips, port, by, how, secrets, host = json.loads(line)
            origin = None if by is None else Origin(*by)
            edges.append(Edge(mark, scheme, tuple(addresses), flips, port, origin, how, tuple(secrets), host))
    return edges
