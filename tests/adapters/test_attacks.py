"""Each attack through each adapter: alone in a client of one's own, and as the factory makes it.

What is seen is the first table of docs/guard-your-client.md: ``closed``, ``by the factory``, or ``yours``, what the
program itself asks for; the second one is judged by ``tests/hop``. 127.0.0.1 plays a public place here, and 127.0.0.2
one that the policy refuses.
"""

from __future__ import annotations

import base64
import gc
import socket
import ssl
import threading
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from anyurl.adapters.urllib import UrllibRefusedError, opener
from anyurl.guard.policy import Policy
from tests.adapters import table
from tests.adapters.clients import BY_HAND, FACTORIES, Fetch, Got, How
from tests.servers import Connection, Server, certificate, reply, unheard

POLICY = Policy.untrusted().replace(allow_nets=["127.0.0.1/32"])


class Place:
    """A server that leads on where it is told to, or answers; and what it heard."""

    def __init__(self, host: str, context: ssl.SSLContext | None = None, alpn: bool = False) -> None:
        self.leads_to: str | None = None
        self.status = "302 Found"
        self.heads: list[str] = []
        self.server = Server(self._play, host=host, context=context)

    def _play(self, link: Connection) -> None:
        while head := link.head():
            self.heads.append(head.decode("latin-1"))
            if self.leads_to is None:
                link.send(reply(b"hello"))
            else:
                link.send(reply(b"", f"Location: {self.leads_to}", status=self.status))

    def url(self, host: str | None = None, scheme: str = "http") -> str:
        return f"{scheme}://{host or self.server.host}:{self.server.port}/"

    @property
    def reached(self) -> bool:
        return bool(self.server.received)


DEFAULT = ssl.create_default_context()
"""What a client has that is not told what to trust; to make one takes as long as a whole attack."""


class World:
    """Two places in clear, one with TLS, and the names of a name service that may change its mind."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.patch = monkeypatch
        self.names: dict[str, list[Sequence[str]]] = {}
        self.asked: list[str] = []
        self.good, self.bad, self.other = Place("127.0.0.1"), Place("127.0.0.2"), Place("127.0.0.1")
        self.ca_file = ""
        self.tls = DEFAULT

    def getaddrinfo(self, host: Any, port: Any, *rest: Any, **more: Any) -> list[tuple[Any, ...]]:
        name = host.decode() if isinstance(host, bytes) else host
        if name not in self.names:
            return REAL_LOOK_UP(host, port, *rest, **more)
        self.asked.append(name)
        answers = self.names[name]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port or 0)) for each in found]

    def tries(self, fetch: Fetch, *urls: str, policy: Policy = POLICY, **how: Any) -> Got | str:
        """What the client gets, or what it raises."""
        try:
            return fetch(urls, How(policy, tls=self.tls, ca_file=self.ca_file or None, **how))
        except Exception as error:
            return f"{type(error).__name__}: {error}"


REAL_LOOK_UP = socket.getaddrinfo


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    world = World(tmp_path, monkeypatch)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(socket, "getaddrinfo", world.getaddrinfo)
    with world.good.server, world.bad.server, world.other.server:
        yield world
        gc.collect()  # frames of errors hold connections, which are closed when they are gone


SPELLINGS = ("2130706434", "0x7f000002", "0177.0.0.2", "127.2", "0x7f.0.0.2", "127.0.0.2.", "①②⑦.0.0.2", "127.0.0.2")
IPV6 = ("[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[::127.0.0.2]", "[64:ff9b::7f00:2]", "[2002:7f00:2::]", "[::1%25lo]")


def literals(world: World, fetch: Fetch) -> bool:
    outcomes = [world.tries(fetch, world.bad.url(host)) for host in SPELLINGS]
    return all(isinstance(outcome, str) for outcome in outcomes) and not world.bad.reached


def ipv6_forms(world: World, fetch: Fetch) -> bool:
    outcomes = [world.tries(fetch, world.bad.url(host)) for host in IPV6]
    return all(isinstance(outcome, str) for outcome in outcomes) and not world.bad.reached


def rebinding(world: World, fetch: Fetch) -> bool:
    world.names["name.test"] = [["127.0.0.1"], ["127.0.0.2"]]
    world.tries(fetch, world.good.url("name.test"))
    return world.asked == ["name.test"] and world.good.reached and not world.bad.reached


def many_addresses(world: World, fetch: Fetch) -> bool:
    world.names["name.test"] = [["127.0.0.1", "127.0.0.2"]]
    outcome = world.tries(fetch, world.bad.url("name.test"))
    return isinstance(outcome, str) and not world.good.reached and not world.bad.reached


def redirects(world: World, fetch: Fetch) -> bool:
    world.good.leads_to = world.bad.url()
    return isinstance(world.tries(fetch, world.good.url()), str) and not world.bad.reached


def tls_to_clear(world: World, fetch: Fetch) -> bool:
    with certificate(world.folder, "127.0.0.1") as (context, authority):
        world.ca_file = str(authority)
        world.tls = ssl.create_default_context(cafile=authority)
        secure = Place("127.0.0.1", context)
        secure.leads_to = world.good.url()
        with secure.server:
            outcome = world.tries(fetch, secure.url(scheme="https"))
            assert secure.heads
    return isinstance(outcome, str) and not world.good.reached


LOGIN = "Basic " + base64.b64encode(b"joe:s3cr3t").decode()


def content(world: World, fetch: Fetch) -> bool:
    world.good.leads_to, world.good.status = world.other.url(), "307 Temporary Redirect"
    outcome = world.tries(fetch, world.good.url(), content=b"secret")
    return isinstance(outcome, str) and not world.other.reached


def login_in_a_redirection(world: World, fetch: Fetch) -> bool:
    world.good.leads_to = world.other.url(f"joe:s3cr3t@{world.other.server.host}")
    world.tries(fetch, world.good.url())
    return not any(LOGIN in head for head in world.other.heads)


def netrc(world: World, fetch: Fetch) -> bool:
    """The user keeps it for that place; but it is a server that leads there."""
    file = world.folder / "netrc"
    file.write_text("machine other.test login joe password s3cr3t\n")
    file.chmod(0o600)
    world.patch.setenv("NETRC", str(file))
    world.names["other.test"] = [["127.0.0.1"]]
    world.good.leads_to = world.other.url("other.test")
    world.tries(fetch, world.good.url())
    assert world.other.heads
    return not any(LOGIN in head for head in world.other.heads)


def proxy_of_the_environment(world: World, fetch: Fetch) -> bool:
    for name in ("http_proxy", "all_proxy"):
        world.patch.setenv(name, world.bad.url())
    world.tries(fetch, world.good.url())
    return not world.bad.reached


def proxy_of_the_program(world: World, fetch: Fetch) -> bool:
    outcome = world.tries(fetch, world.good.url(), proxy=world.bad.url())
    return isinstance(outcome, str) and not world.bad.reached


def another_way(world: World, fetch: Fetch) -> bool:
    outcome = world.tries(fetch, world.bad.url(), other=True)
    return isinstance(outcome, str) and not world.bad.reached


def reuse(world: World, fetch: Fetch) -> bool:
    """What one policy opened is not used by a stricter one; and within one a kept connection is judged for each hop."""
    allowed = world.tries(fetch, world.bad.url(), policy=POLICY.replace(allow_private=True))
    count = len(world.bad.server.received)
    refused = world.tries(fetch, world.bad.url())
    return allowed == [(200, b"hello")] and isinstance(refused, str) and len(world.bad.server.received) == count


def host_header(world: World, fetch: Fetch) -> bool:
    world.tries(fetch, world.good.url(), headers={"Host": "internal.test"})
    assert not world.bad.reached
    return not any("internal.test" in head for head in world.good.heads)


def retries(world: World, fetch: Fetch) -> bool:
    with unheard() as port:
        world.names["name.test"] = [["127.0.0.1"], ["127.0.0.2"]]
        hole = Place("127.0.0.2")
        outcome = world.tries(fetch, f"http://name.test:{port}/", retries=2)
        assert not hole.reached
        hole.server.__enter__().__exit__()
    return isinstance(outcome, str) and not world.bad.reached


class SecureHTTP2:
    """A server of HTTP/2 that counts its connections."""

    def __init__(self, context: ssl.SSLContext) -> None:
        context.set_alpn_protocols(["h2", "http/1.1"])
        self.versions: list[str | None] = []
        self.server = Server(self._play, context=context)
        self._lock = threading.Lock()

    def _play(self, link: Connection) -> None:
        import h2.config
        import h2.connection
        import h2.events

        assert isinstance(link.sock, ssl.SSLSocket)
        with self._lock:
            self.versions.append(link.sock.selected_alpn_protocol())
        if self.versions[-1] != "h2":
            while link.head():
                link.send(reply(b"hello"))
            return
        side = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        side.initiate_connection()
        link.send(side.data_to_send())
        while data := link.sock.recv(65536):
            for event in side.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    side.send_headers(event.stream_id, [(":status", "200")])
                    side.send_data(event.stream_id, b"hello", end_stream=True)
            link.send(side.data_to_send())


def coalescing(world: World, fetch: Fetch) -> bool:
    """Two names of one certificate at one address: a second connection, which was judged for itself."""
    world.names |= {"one.test": [["127.0.0.1"]], "two.test": [["127.0.0.1"]]}
    with certificate(world.folder, "one.test", "two.test") as (context, authority):
        world.ca_file = str(authority)
        world.tls = ssl.create_default_context(cafile=authority)
        secure = SecureHTTP2(context)
        with secure.server:
            urls = [f"https://{name}:{secure.server.port}/" for name in ("one.test", "two.test")]
            outcome = world.tries(fetch, *urls, http2=True)
    assert outcome == [(200, b"hello")] * 2
    return len(secure.versions) == 2 and world.asked == ["one.test", "two.test"]


ATTACKS: dict[str, Callable[[World, Fetch], bool]] = {
    "every spelling of an address": literals,
    "every form of IPv6": ipv6_forms,
    "a name that changes its address (DNS rebinding)": rebinding,
    "a name with many addresses": many_addresses,
    "a redirect to a private address": redirects,
    "a redirect from TLS to cleartext": tls_to_clear,
    "a request body sent to another origin": content,
    "a login in a redirect": login_in_a_redirection,
    "a `.netrc` login for a redirect's target": netrc,
    "a proxy from the environment": proxy_of_the_environment,
    "a proxy that the program names": proxy_of_the_program,
    "another mount, pool or handler": another_way,
    "a connection opened under another policy": reuse,
    "a retry that repeats the look-up": retries,
    "one HTTP/2 connection for two names": coalescing,
    "a `Host` field that differs from the host": host_header,
}


@pytest.mark.promise("adapters")
@pytest.mark.parametrize("client", FACTORIES)
@pytest.mark.parametrize("attack", ATTACKS)
def test_the_page_says_what_becomes_of_it(world: World, attack: str, client: str) -> None:
    by_factory = ATTACKS[attack](world, FACTORIES[client])
    assert {True: ("closed", "by the factory"), False: ("yours",)}[by_factory].count(table.cell(attack, client)) == 1


@pytest.mark.promise("adapters")
@pytest.mark.parametrize("client", FACTORIES)
@pytest.mark.parametrize("attack", ATTACKS)
def test_and_of_the_adapter_alone(world: World, attack: str, client: str) -> None:
    assert ATTACKS[attack](world, BY_HAND[client]) == (table.cell(attack, client) == "closed")


@pytest.mark.promise("adapters")
def test_the_page_has_each_row() -> None:
    assert list(table.ATTACKS) == list(ATTACKS)
    assert list(table.CLIENTS) == list(FACTORIES) == list(BY_HAND)
    page = table.PAGE.read_text("utf-8")
    assert page == table.page_with_tables(page)
    assert all(f"| {head} |" in page for head in table.TABLES)


class OneMore(urllib.request.HTTPHandler):
    """Comes before the guarded one."""

    handler_order = 100


@pytest.mark.promise("hop")
@pytest.mark.parametrize(
    "kind", [urllib.request.FTPHandler, urllib.request.FileHandler, urllib.request.DataHandler, OneMore]
)
def test_an_opener_takes_no_handler_that_opens_urls(kind: type[urllib.request.BaseHandler]) -> None:
    opened = opener(POLICY)
    with pytest.raises(UrllibRefusedError, match="opens URLs by itself"):
        opened.add_handler(kind())
    opened.add_handler(urllib.request.HTTPCookieProcessor())
