"""The corpus of URLs that reach where they should not, live: every case through the whole client, in two worlds.

Rule: public addresses are servers of ours on loopback; every endpoint that a client asks for is noted *before* it is
translated, so what is counted is what would have been connected to. In the world ``hooks`` names are answered by the
library's own hook; in the world ``patched`` the library is as it is, and `socket.getaddrinfo` answers for the system: a
look-up that goes another way, or a second one behind the guard's back, is seen there.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal
from unittest import mock

from anyurl import consent_to_all
from anyurl.access import Client
from anyurl.errors import AnyURLError, ConnectError
from anyurl.guard.addresses import Scope, scope
from anyurl.guard.limits import Limits
from anyurl.guard.policy import UNTRUSTED_SCHEMES, Policy
from anyurl.net.wire.connector import Network, Transport
from anyurl.net.wire.resolver import look_up
from tests.servers import Connection, Server

CORPUS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "net" / "ssrf_cases.json").read_text("utf-8"))
CASES: list[dict[str, Any]] = CORPUS["cases"]
HARMLESS = {
    609: "the user of a telnet URL is shown and never sent (RFC 1738 3.8: advice), so no IAC of it is read by a server",
    618: "an LF in a Prospero name is quoted on the wire: no line ends there",
}
"""Denials of the corpus about octets that never reach the wire as what they would mean there."""

CONTESTED = frozenset(case["id"] for case in CASES if case.get("contested"))

World = Literal["hooks", "patched"]

SCHEMES = ("http", "https", "ftp", "ftps", "gemini", "gopher", "gophers", "nntp", "telnet", "wais", "prospero")
"""The schemes that a case of http is tried with as well: those whose URLs name a host."""

UNTRUSTED = Policy.untrusted()
OPEN_TO_SESSIONS = UNTRUSTED.replace(
    services=True, allow_forms=True, allow_schemes=(*UNTRUSTED_SCHEMES, *SCHEMES, "news", "mailto")
)
"""What `untrusted` refuses by its definition is allowed here, so that it is the addresses that are judged."""

LIMITS = Limits(connect=20.0, idle=20.0, total=40.0)
"""Against a hang alone: a good server that is late on a busy machine is no denial."""


_FTP_REPLIES = {"USER": b"331 password", "PASS": b"230 in", "CWD": b"250 ok", "TYPE": b"200 ok", "QUIT": b"221 bye"}


class Attempt:
    """What became of one URL.

    Attributes:
        case: The case of the corpus.
        url: What was asked for: that of the case, or the same with another scheme.
        error: What the client raised, or None.
        connected: The endpoints that it asked for, in order.
        looked_up: The names that were looked up, in order.
        requests: The heads of the HTTP requests that were received.
    """

    def __init__(self, case: Mapping[str, Any], url: str) -> None:
        self.case = case
        self.url = url
        self.error: AnyURLError | None = None
        self.connected: list[tuple[str, int]] = []
        self.looked_up: list[str] = []
        self.requests: list[bytes] = []

    @property
    def reached_inside(self) -> bool:
        """Whether an endpoint was asked for that is not public, or that the case names as forbidden."""
        never = self.case.get("never_connect", ())
        return any(scope(address) is not Scope.PUBLIC or address in never for address, _ in self.connected)

    @property
    def is_bypass(self) -> bool:
        """Whether this shows a hole: a place inside was reached, or what had to be refused was accepted."""
        if self.reached_inside:
            return True
        if self.case["expect"] != "deny":
            return False
        return self.error is None and not self.case.get("either") and not self.case.get("server_case")

    @property
    def is_unclear_accepted(self) -> bool:
        """Whether a URL that has to be refused as it stands led to a connection, wherever it went."""
        hops = self.case.get("redirect") or self.case.get("either") or self.case.get("server_case")
        return self.case["expect"] == "deny" and not hops and bool(self.connected)

    def __repr__(self) -> str:
        return f"{self.case['id']} {self.url!r}: {self.error!r} {self.connected}"


class _Recorder(Network):
    """The library's own hooks, with a note of everything that passes."""

    def __init__(self, world: Internet, attempt: Attempt, names: World) -> None:
        self._attempt = attempt
        self._world = world
        super().__init__(self._answer if names == "hooks" else look_up, world.really)

    def _answer(self, host: str) -> Sequence[str]:
        self._attempt.looked_up.append(host)
        found = self._world.answer(self._attempt, host)
        if not found:
            raise ConnectError(f"The host name {host!r} has no address here.", stage="look-up")
        return found

    def socket_to(self, endpoint: tuple[str, int], transport: Transport) -> Any:
        self._attempt.connected.append(endpoint)
        return super().socket_to(endpoint, transport)


class Internet:
    """Public servers on loopback, and the name service of a case."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._case: Mapping[str, Any] = {}
        self._attempt: Attempt | None = None
        self._replies = 0
        self.ca_file: str | None = None
        self.asks_for_login = False

    def __enter__(self) -> Internet:
        open_ = self._stack.enter_context
        self._silent = open_(Server(lambda link: None))
        self._http = open_(Server(self._play_http))
        self._ftp = open_(Server(self._play_ftp))
        self._gopher = open_(Server(self._play_gopher))
        self._data = open_(Server(lambda link: link.send(b"hello\r\n")))
        self._https: Server | None = None
        try:
            import ssl

            import trustme
        except ImportError:
            pass  # the cases of https then end in an error of TLS, which no denial is counted by
        else:
            authority = trustme.CA()
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            names = ("public.test", "*.public.test", "*.attacker.test", "pub2.test")
            authority.issue_cert(*names).configure_cert(context)
            self.ca_file = str(open_(authority.cert_pem.tempfile()))
            self._https = open_(Server(self._play_http, context=context))
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    # --- one attempt -------------------------------------------------------------------------------------------------

    def attempt(self, case: Mapping[str, Any], url: str, policy: Policy, names: World) -> Attempt:
        """Try one URL with a client of its own."""
        attempt = self._attempt = Attempt(case, url)
        self._case, self._replies = case, 0
        with ExitStack() as stack:
            if names == "patched":
                stack.enter_context(self._patched(attempt))
            stack.enter_context(mock.patch.dict("os.environ", case.get("env", {})))
            client = stack.enter_context(
                Client(
                    policy.replace(limits=LIMITS), network=_Recorder(self, attempt, names), ca_file=self.ca_file,
                    news_server="public.test", ask_consent=consent_to_all,
                )
            )  # fmt: skip
            try:
                self._use(client, url)
            except AnyURLError as error:
                attempt.error = error
        return attempt

    def _use(self, client: Client, url: str) -> None:
        if url.partition(":")[0].lower() == "telnet":  # to get a service is to be told of it; to use it is to connect
            with client.session(url) as session:
                session.read(0.3)
            return
        with client.open(url, "stat" if url.lower().startswith("mailto:") else "get") as resource:
            if self._case.get("server_case") and "menu" in self._case["server"]:
                for entry in resource.entries():  # what a menu names is judged when it is followed
                    client.open(entry.url).close()
            elif resource.kind == "document":
                resource.read()
            elif resource.kind in ("listing", "index"):
                list(resource.entries())

    def answer(self, attempt: Attempt, host: str) -> Sequence[str]:
        """The addresses of a name; a name that changes its answers has the next one at each look-up."""
        name = host.lower().removesuffix(".")
        sequence = self._case.get("dns_sequence", {}).get(name)
        if sequence:
            turn = sum(one.lower().removesuffix(".") == name for one in attempt.looked_up) - 1
            return [str(address) for address in sequence[min(turn, len(sequence) - 1)]]
        for table in (self._case.get("dns", {}), CORPUS["base_dns"]):
            if name in table:
                return [str(address) for address in table[name]]
        return CORPUS["base_dns"]["public.test"] if name.endswith(".public.test") else []

    @contextmanager
    def _patched(self, attempt: Attempt) -> Iterator[None]:
        """The system's own look-up answers for the case; every other one fails."""

        def getaddrinfo(host: Any, port: Any, *_args: Any, **_kinds: Any) -> list[tuple[Any, ...]]:
            name = host.decode("ascii") if isinstance(host, bytes) else str(host)
            attempt.looked_up.append(name)
            found = self.answer(attempt, name)
            if not found:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return [
                (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port or 0))
                for each in found
            ]

        def refused(*_args: Any) -> Any:
            raise AssertionError("a look-up that goes round the guard")

        with mock.patch.multiple(
            socket, getaddrinfo=getaddrinfo, gethostbyname=refused, gethostbyname_ex=refused, create_connection=refused
        ):
            yield

    def really(self, endpoint: tuple[str, int]) -> tuple[str, int]:
        """Where an endpoint is on loopback; what is not public has nobody there."""
        address, port = endpoint
        if scope(address) is not Scope.PUBLIC:
            return "127.0.0.1", 1
        servers = {80: self._http, 443: self._https, 21: self._ftp, 70: self._gopher, self._data.port: self._data}
        server = servers.get(port) or self._silent
        return server.host, server.port

    # --- the servers -------------------------------------------------------------------------------------------------

    def _play_http(self, link: Connection) -> None:
        head = link.head()
        if self._attempt is not None:
            self._attempt.requests.append(head)
        hops = self._case.get("redirect", [])
        if hops == "loop":
            hops = [[302, self._case["url"]]] * (self._replies + 1)
        if self.asks_for_login and b"\r\nauthorization:" not in head.lower() and self._replies == 0:
            asks = b'WWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n'
            link.send(b"HTTP/1.1 401 Who?\r\n" + asks + b"Connection: close\r\n\r\n")
        elif self._replies < len(hops):
            status, location = hops[self._replies]
            self._replies += 1
            fields = b"Location: %s\r\nContent-Length: 0\r\n" % location.encode("utf-8")
            link.send(b"HTTP/1.1 %d Moved\r\n%sConnection: close\r\n\r\n" % (status, fields))
        else:
            link.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")

    def _play_ftp(self, link: Connection) -> None:
        bad = self._case.get("server", {})
        link.send(b"220 ready\r\n")
        while line := link.line():
            verb = line.split()[0].decode("latin-1").upper()
            if verb in bad:
                link.send(bad[verb].encode() + b"\r\n")
            elif verb == "EPSV" and not bad:
                link.send(b"229 Extended Passive Mode (|||%d|)\r\n" % self._data.port)
            elif verb in ("RETR", "LIST", "NLST"):
                link.send(b"150 here it comes\r\n226 done\r\n")
            else:
                replies = {
                    "USER": b"331 password",
                    "PASS": b"230 in",
                    "CWD": b"250 ok",
                    "TYPE": b"200 ok",
                    "QUIT": b"221 bye",
                }
                link.send(replies.get(verb, b"502 no such command") + b"\r\n")

    def _play_gopher(self, link: Connection) -> None:
        line = link.line()
        menu = self._case.get("server", {}).get("menu")
        if menu:
            link.send(menu.encode("latin-1"))
        elif line.endswith(b"\t!"):  # a form of two questions, for the case that answers one (RFC 1738 3.4.9)
            link.send(b"+-1\r\n+INFO: 0sel\tsel\tpublic.test\t70\t?\r\n+ASK:\r\n Ask: one\r\n Ask: two\r\n.\r\n")
        elif b"\t+" in line:
            link.send(b"+-1\r\nhello\r\n.\r\n")
        elif line[:1] in (b"", b"1"):
            link.send(b"iHello\t\terror.host\t1\r\n.\r\n")
        else:
            link.send(b"hello\r\n.\r\n")


# --- the corpus ------------------------------------------------------------------------------------------------------

_OWN = ("redirect", "redirect-credentials", "proxy-env", "port-service")
"""Classes that are about HTTP, or about a port that may be another scheme's own."""


def with_other_schemes() -> Iterator[tuple[Mapping[str, Any], str]]:
    """The denials of http that are about its host, as URLs of every other scheme."""
    for case in CASES:
        if case["expect"] == "deny" and case["url"].startswith("http:") and case["class"] not in _OWN:
            for scheme in SCHEMES[1:]:
                yield case, re.sub("^http", scheme, case["url"])


class Score:
    """What the corpus says of one run."""

    def __init__(self, attempts: Sequence[Attempt]) -> None:
        counted = [one for one in attempts if one.case["id"] not in CONTESTED | HARMLESS.keys()]
        self.tried = len(attempts)
        self.denials = sum(one.case["expect"] == "deny" for one in counted)
        self.bypasses = [one for one in counted if one.is_bypass]
        self.unclear = [one for one in counted if one.is_unclear_accepted]
        self.false_denials = [one for one in counted if one.case["expect"] == "allow" and is_denied(one)]
        self.twice = [one for one in attempts if len(set(one.looked_up)) < len(one.looked_up)]

    def __str__(self) -> str:
        return (
            f"{self.tried} attempts: {len(self.bypasses)} bypasses, {len(self.unclear)} unclear accepted, "
            f"{len(self.false_denials)} false denials, {len(self.twice)} looked up twice"
        )


def is_denied(attempt: Attempt) -> bool:
    """Whether what should be allowed was not: by the guard, as no URL, or because the content did not come."""
    from anyurl.errors import PolicyError, URLSyntaxError

    if attempt.url.partition(":")[0].lower() in ("http", "https", "ftp", "gopher"):
        return attempt.error is not None
    # Its server here is silent: that it was connected to is what counts.
    return isinstance(attempt.error, (PolicyError, URLSyntaxError))


def run(world: Internet, names: World, policy: Policy = UNTRUSTED) -> list[Attempt]:
    """Every case of the corpus."""
    return [world.attempt(case, case["url"], policy, names) for case in CASES]


def run_with_other_schemes(world: Internet, names: World) -> list[Attempt]:
    """The denials of http, tried with every other scheme, sessions and forms allowed."""
    return [world.attempt(case, url, OPEN_TO_SESSIONS, names) for case, url in with_other_schemes()]
