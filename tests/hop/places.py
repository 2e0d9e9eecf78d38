"""The servers of a hop, by the names of three hosts; and what each origin heard.

Rule: a cell is a client that carries something of its user's, and a relation between the place that it asks and the one
that it is led to. The chain of a cell is START/start -> TARGET/there -> TARGET/on -> START/back -> TARGET/last; where a
login is asked for, START/start, TARGET/on and TARGET/last ask.
"""

from __future__ import annotations

import base64
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import trustme

from anyurl.guard.policy import Policy
from tests.servers import Connection, Server, reply

START, OTHER, BELOW = "start.test", "other.test", "below.start.test"
NAMES = (START, OTHER, BELOW)
SECRET = "s3cr3t-of-joe"
POLICY = Policy.untrusted().replace(allow_nets=["127.0.0.0/8"])

RELATIONS = ("same origin", "other host", "subdomain", "port", "TLS to clear", "clear to TLS")
FOREIGN = RELATIONS[1:]

CHALLENGES = (
    'WWW-Authenticate: Digest realm="r", nonce="n-of-{host}", qop="auth", algorithm=MD5',
    'WWW-Authenticate: Basic realm="r"',
)

CHAIN = {
    "start": (True, "there", 302), "there": (True, "on", 307), "on": (False, "back", 308), "back": (True, "last", 301)
}  # fmt: skip
"""Where each page leads: whether to the target, to which page, by which status."""

_LOGIN = base64.b64encode(f"joe:{SECRET}".encode())
_MARKS = (SECRET.encode(), _LOGIN, b'username="joe"', b"mine-only")
"""How what is the user's looks on the wire: as it is, in a login by Basic, in one by Digest, as content or words."""

BASIC = "Basic " + _LOGIN.decode()


class Heard:
    """One request, or a handshake before one.

    Attributes:
        origin: Scheme, host and port that it was sent to.
        head: The head of the request.
        has_certificate: Whether the client showed a certificate.
    """

    def __init__(self, origin: tuple[str, str, int], head: bytes, has_certificate: bool) -> None:
        self.origin = origin
        self.head = head
        self.has_certificate = has_certificate

    @property
    def path(self) -> str:
        return self.head.split(b" ", 2)[1].decode("latin-1")

    @property
    def secrets(self) -> list[str]:
        """What of the user's it tells."""
        told = [mark.decode() for mark in _MARKS if mark in self.head]
        return [*told, "certificate"] if self.has_certificate else told


class Authority:
    """Certificates for the three hosts, and one for the client."""

    def __init__(self, folder: Path) -> None:
        authority = trustme.CA()
        self.ca_file = str(folder / "authority.pem")
        authority.cert_pem.write_to_path(self.ca_file)
        self.client_file = str(folder / "client.pem")
        authority.issue_cert("joe@start.test").private_key_and_cert_chain_pem.write_to_path(self.client_file)
        self.server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(*NAMES).configure_cert(self.server)
        self.server.load_verify_locations(self.ca_file)
        self.server.verify_mode = ssl.CERT_OPTIONAL

    def context(self, *, certificate: bool = False) -> ssl.SSLContext:
        """What a client trusts."""
        context = ssl.create_default_context(cafile=self.ca_file)
        if certificate:
            context.load_cert_chain(self.client_file)
        return context


class Places:
    """Two servers in clear and two with TLS, each for all three names.

    Attributes:
        heard: Each request, in order.
        tls: Whether everything but the relations between clear and TLS is over TLS.
        asks: Which challenges are given; none where nobody asks for a login.
        sets: A Set-Cookie field of START/start.
        echoes: What a Location says behind its place.
    """

    def __init__(self, authority: Authority, ports: Sequence[int] = (0, 0, 0, 0)) -> None:
        self.authority = authority
        self.heard: list[Heard] = []
        self.begin("same origin")
        kinds = (("http", None), ("http", None), ("https", authority.server), ("https", authority.server))
        self.servers = [
            Server(self._part(scheme), context=context, port=port)
            for (scheme, context), port in zip(kinds, ports, strict=True)
        ]
        self.ports = [server.port for server in self.servers]

    def begin(self, relation: str, *, tls: bool = False, asks: bool = False, sets: str = "", query: str = "") -> None:
        """The next cell."""
        self.heard.clear()
        self.relation, self.tls, self.asks, self.sets, self.query = relation, tls, asks, sets, query

    def _origin(self, is_target: bool) -> tuple[str, str, int]:
        scheme = "https" if self.tls or self.relation == "TLS to clear" else "http"
        host, second = START, False
        if is_target:
            host = {"other host": OTHER, "subdomain": BELOW}.get(self.relation, START)
            scheme = {"TLS to clear": "http", "clear to TLS": "https"}.get(self.relation, scheme)
            second = self.relation == "port"
        return scheme, host, self.ports[2 * (scheme == "https") + second]

    @property
    def own(self) -> tuple[str, str, int]:
        """The origin of what the client is asked to get."""
        return self._origin(False)

    @property
    def start(self) -> str:
        """What the client is asked to get."""
        return self._url(False, "start")

    def _url(self, is_target: bool, name: str) -> str:
        scheme, host, port = self._origin(is_target)
        place = host if (scheme, port) in (("http", 80), ("https", 443)) else f"{host}:{port}"
        return f"{scheme}://{place}/{name}{self.query if is_target else ''}"

    def _part(self, scheme: str) -> Callable[[Connection], None]:
        def part(link: Connection) -> None:
            shown = isinstance(link.sock, ssl.SSLSocket) and bool(link.sock.getpeercert())
            own = link.sock.getsockname()[1]
            while head := link.head():
                lines = head.decode("latin-1").split("\r\n")
                host = next(line[6:] for line in lines if line.lower().startswith("host: ")).partition(":")[0]
                length = next((int(line[16:]) for line in lines if line.lower().startswith("content-length: ")), 0)
                self.heard.append(Heard((scheme, host, own), head + link.take(length), shown))
                link.send(self._answer(head, host))

        return part

    def _answer(self, head: bytes, host: str) -> bytes:
        path = head.split(b" ", 2)[1].decode("latin-1").partition("?")[0].removeprefix("/")
        challenges = [each.format(host=host) for each in CHALLENGES]
        if self.asks and path in ("start", "on", "last") and b"\r\nauthorization: " not in head.lower():
            return reply(b"who?", *challenges, status="401 Unauthorized")
        if path not in CHAIN:
            return reply(b"the end")
        is_target, name, status = CHAIN[path]
        sets = [f"Set-Cookie: {self.sets}"] if self.sets and path == "start" else []
        return reply(b"", f"Location: {self._url(is_target, name)}", *sets, status=f"{status} Moved")

    def told(self) -> list[str]:
        """What another origin than that of the user's URL heard of the user's."""
        own = self._origin(False)
        return [f"{each.path}: {what}" for each in self.heard if each.origin != own for what in each.secrets]

    def arrived(self) -> list[str]:
        """What was heard of the user's behind the first redirect."""
        return [what for each in self.heard if not each.path.startswith("/start") for what in each.secrets]

    def reached(self) -> bool:
        """Whether the client followed the first redirect."""
        return any(each.path.startswith("/there") for each in self.heard)


@contextmanager
def places(folder: Path, ports: Sequence[int] = (0, 0, 0, 0)) -> Iterator[Places]:
    """Servers that run."""
    made = Places(authority_in(folder), ports)
    with ExitStack() as stack:
        for server in made.servers:
            stack.enter_context(server)
        yield made


@cache
def authority_in(folder: Path) -> Authority:
    return Authority(folder)


REAL_LOOK_UP = socket.getaddrinfo


def look_up(host: Any, port: Any, *rest: Any, **more: Any) -> list[tuple[Any, ...]]:
    """`socket.getaddrinfo` for the names of the places."""
    name = host.decode() if isinstance(host, bytes) else host
    return REAL_LOOK_UP("127.0.0.1" if name in NAMES else host, port, *rest, **more)
