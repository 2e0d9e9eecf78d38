"""Who named an endpoint and an entry; and a matrix: does what was allowed once open a later hop?

Memory (verdicts, approved addresses, look-ups, kept connections, libcurl's connections) x who named the URL x a name or
a literal address x scheme: an answer that is remembered is the answer that a new scheduler gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from anyurl import URL, Client, Policy
from anyurl.dialogue import Connect, Describe, Dialogue, Emit, Entry, Keep, Request, Secret, Steps
from anyurl.errors import RefusedError
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.provenance import Parties, may_use_secrets, named_by, provenance
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.loop.stream import Stream
from anyurl.net.wire.connector import Network
from anyurl.net.wire.pool import Pool
from anyurl.net.wire.proxies.table import read_proxy
from anyurl.net.wire.tls import AUTHORITY, TLSTerms
from anyurl.testing import SmallNetwork
from anyurl.url import syntax
from anyurl.values import CONFIGURATION, USER, Provenance, Scope, Who
from tests.rows import each_row
from tests.servers import Connection, Server, reply

PEERS = [
    USER,
    CONFIGURATION,
    *(Provenance(who, scope=scope, scheme="http", host="a.example", port=80)
      for who in ("document", "listing", "search", "redirect", "reply") for scope in (Scope.PUBLIC, Scope.PRIVATE)),
    Provenance("listing", scope=Scope.LOCAL, scheme="gophers", host="a.example", port=70, tls=True),
    Provenance("redirect", scope=Scope.LOCAL, scheme="gopher", host="127.0.0.1", port=70),
    Provenance("document", scope=Scope.LOCAL, scheme="ftp", host="127.0.0.1", port=21, user="alice"),
]  # fmt: skip
HOSTS = ["127.0.0.1", "inside.test"]
MEMORIES = ["verdict", "addresses", "look-up", "kept connection"]
SCHEMES = ["http", "ftp", "gopher", "nntp", "wais", "telnet"]


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    scheduler = Scheduler(Policy.default(), handlers, network=Network(lambda _host: ["127.0.0.1"]))
    yield scheduler
    scheduler.close()


def counted(server: Server) -> tuple[SmallNetwork, Scheduler]:
    """A scheduler for this server, and the network that counts its connections."""
    network = SmallNetwork({"inside.test": ["127.0.0.1"]}, {("127.0.0.1", server.port): ("127.0.0.1", server.port)})
    return network, Scheduler(Policy.default(), handlers, network=network)


def run(scheduler: Scheduler, url: URL, begin: Callable[[], Dialogue], came_from: Provenance = USER) -> Stream:
    task = scheduler.start(Parties(url, came_from), begin, eager=True)
    while not task.done:
        scheduler.loop.turn()
    if task.error is not None:
        raise task.error
    return task


def connecting(host: str, port: int, session: str | None = None) -> Callable[[], Dialogue]:
    def dialogue() -> Dialogue:
        channel = yield from Connect(host, port, session=session)
        if session is not None:
            yield from Keep(channel, session)
        return None

    return dialogue


def requesting(url: URL) -> Callable[[], Dialogue]:
    def dialogue() -> Dialogue:
        yield from Request("GET", url, target="/")
        return None

    return dialogue


def nothing() -> Dialogue:
    yield from Describe("document")
    return None


def part(connection: Connection) -> None:
    """Whatever is asked, it waits; a web page is given."""
    while connection.head():
        connection.send(reply(b"inner"))


def warm(scheduler: Scheduler, memory: str, url: URL, other: int) -> None:
    """Let the user do something after which the memory holds the place."""
    host, port = url.host or "", url.port or 0
    begin = {
        "verdict": lambda: nothing,
        "addresses": lambda: connecting(host, port),
        "look-up": lambda: connecting(host, port),
        "kept connection": lambda: connecting(host, port, "s"),
        "libcurl": lambda: requesting(url),
    }[memory]()
    if memory == "look-up":  # the same name, another port
        url, begin = url.replace(port=other), connecting(host, other)
    for _ in range(2):
        run(scheduler, url, begin)


def verdict(scheduler: Scheduler, url: URL, begin: Callable[[], Dialogue], came_from: Provenance) -> str:
    try:
        run(scheduler, url, begin, came_from)
    except RefusedError as error:
        assert error.verdict is not None
        return str(error.verdict.code)
    return "allowed"


@pytest.mark.promise("provenance")
@pytest.mark.parametrize(
    ("memory", "scheme"),
    [*((memory, scheme) for memory in MEMORIES for scheme in SCHEMES), ("libcurl", "http")],
)
@pytest.mark.parametrize("host", HOSTS)
def test_what_was_allowed_once_opens_no_later_hop(scheduler: Scheduler, memory: str, scheme: str, host: str) -> None:
    with Server(part) as server, Server(part) as other:
        url = URL(f"{scheme}://{host}:{server.port}/")
        hop = requesting(url) if memory == "libcurl" else connecting(host, server.port, "s")
        warm(scheduler, memory, url, other.port)
        codes = []
        for came_from in PEERS:
            fresh = Scheduler(Policy.default(), handlers, network=Network(lambda _host: ["127.0.0.1"]))
            cold = verdict(fresh, url, hop, came_from)
            fresh.close()
            found = [verdict(scheduler, url, hop, came_from) for _ in range(2)]
            assert found == [cold, cold], came_from
            codes.append(cold)
        refused = [code for code, peer in zip(codes, PEERS, strict=True) if peer.scope in (Scope.PUBLIC, Scope.PRIVATE)]
        expected = {"address-hop", "service-hop"} if scheme == "telnet" else {"address-hop"}
        expected |= {"redirect-scheme"} if scheme not in ("http", "telnet") else set()
        assert set(refused) == expected
        assert codes[:2] == ["allowed", "allowed"]


@pytest.mark.promise("refused-means-unsent")
@pytest.mark.parametrize("host", HOSTS)
def test_a_refused_hop_reaches_no_socket(host: str) -> None:
    """As above, counted at the sockets: however warm all memories are, a hop opens and sends nothing."""
    with Server(part) as server:
        network, scheduler = counted(server)
        url = URL(f"http://{host}:{server.port}/")
        for begin in (requesting(url), connecting(host, server.port, "s")):
            run(scheduler, url, begin)
        asked, before = bytes(server.received[0]), list(network.connected)
        for came_from in PEERS:
            if came_from.scope in (Scope.PUBLIC, Scope.PRIVATE):
                for begin in (requesting(url), connecting(host, server.port, "s")):
                    assert verdict(scheduler, url, begin, came_from) == "address-hop"
        assert (bytes(server.received[0]), network.connected) == (asked, before)
        scheduler.close()


def test_a_port_that_is_not_the_schemes_own_any_more(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    """The approved addresses depend on the row of the scheme as well."""
    came: list[Any] = []

    def ask() -> None:
        scheduler.connector.approve("x-approved", "127.0.0.1", 6379, USER, came.append, lambda: None)

    monkeypatch.setitem(syntax.ROWS, "x-approved", syntax.Row("x-approved", port=6379, reference="-"))
    ask()
    monkeypatch.setitem(syntax.ROWS, "x-approved", syntax.Row("x-approved", port=7025, reference="-"))
    with pytest.raises(RefusedError, match="6379"):
        ask()


KEY: dict[str, Any] = {
    "host": "a.example", "port": 21, "tls": None, "session": "ftp", "secret": Secret("x"), "kept": True,
    "proxy": read_proxy("http://p.test"),
}  # fmt: skip


@each_row(
    ("field", "other"),
    [("host", "b.example"), ("port", 22), ("tls", AUTHORITY), ("tls", TLSTerms("first-use")),
     ("tls", TLSTerms(certified=True)), ("session", "ftps"), ("secret", Secret("y")), ("secret", None),
     ("kept", False), ("proxy", None), ("proxy", read_proxy("http://q.test")),
     ("proxy", read_proxy("http://u@p.test"))],
)  # fmt: skip
def test_each_input_alone_makes_another_kept_connection(field: str, other: Any) -> None:
    pool = Pool()
    assert pool.key(**KEY) == pool.key(**KEY)
    assert pool.key(**KEY) != pool.key(**{**KEY, field: other})


def test_a_connection_with_the_users_login_is_not_a_strangers() -> None:
    """Attack: the user has logged in; a link of a local page leads to the same server."""
    with Server(part) as server:
        network, scheduler = counted(server)
        url = URL(f"nntp://127.0.0.1:{server.port}/")
        kept = connecting("127.0.0.1", server.port, "nntp")
        own = Provenance("listing", scope=Scope.LOCAL, scheme="nntp", host="127.0.0.1", port=server.port, kept=True)
        stranger = Provenance("document", scope=Scope.LOCAL, scheme="http", host="127.0.0.1", port=80)
        for came_from, connections in ((USER, 1), (own, 1), (stranger, 2), (USER, 2), (stranger, 2)):
            run(scheduler, url, kept, came_from)
            assert len(network.connected) == connections
        scheduler.close()


@pytest.mark.promise("provenance")
def test_a_kept_connection_is_judged_again() -> None:
    """A local page leads to a name; the connection is kept; then a public page leads to the same name."""
    with Server(part) as server:
        network, scheduler = counted(server)
        url, kept = URL(f"gopher://inside.test:{server.port}/"), connecting("inside.test", server.port, "s")
        local, public = (Provenance("document", scope=scope) for scope in (Scope.LOCAL, Scope.PUBLIC))
        for _ in range(2):
            assert verdict(scheduler, url, kept, local) == "allowed"
        named = Provenance("listing", scope=Scope.LOCAL, scheme="gopher", host="inside.test", port=server.port)
        for _ in range(3):
            assert verdict(scheduler, url, kept, named) == "allowed"
        assert verdict(scheduler, url, kept, public) == "address-hop"
        assert len(network.connected) == 1
        scheduler.close()


# --- who named an endpoint, and an entry -----------------------------------------------------------------------------


def at(url: str, came_from: Provenance = USER) -> Parties:
    parties = Parties(URL(url), came_from)
    parties.meet("10.0.0.1", Scope.PRIVATE)
    return parties


def test_of_whom_nothing_is_said_is_a_listing_asked_for_by_who_named_it() -> None:
    one = Parties(URL("gopher://h/"))
    assert (one.lists, one.came_from, one.asked_by, one.peer_scope) == ("listing", USER, USER, None)


def test_the_least_public_place_that_it_met_counts() -> None:
    for met in ([Scope.PUBLIC, Scope.PRIVATE], [Scope.PRIVATE, Scope.PUBLIC], [Scope.PRIVATE]):
        one = Parties(URL("gopher://h/"))
        for number, scope in enumerate(met):
            one.meet(f"192.0.2.{number}", scope)
        assert (one.peer_scope, one.last_address) == (min(met), f"192.0.2.{number}")


STRANGER = Provenance("document", scheme="http", host="b.example", port=80)


@pytest.mark.parametrize("came_from", [USER, STRANGER])
def test_who_named_an_endpoint(came_from: Provenance) -> None:
    parties = at("prospero://a.example/x", came_from)
    assert provenance(parties, "a.example", 1525, {}) is came_from
    replied = Provenance(
        "reply", scope=Scope.PRIVATE, scheme="prospero", host="a.example", port=1525, kept=came_from.own
    )
    assert provenance(parties, "b.example", 1525, {}) == provenance(parties, "a.example", 1526, {}) == replied
    assert provenance(at("news:x.y", came_from), "n.example", 119, {"news": ("n.example", 119)}) is CONFIGURATION
    for place in ("n.example", 120), ("m.example", 119):
        with pytest.raises(RefusedError, match="only the configured one is connected to"):
            provenance(at("news:x.y", came_from), *place, {"news": ("n.example", 119)})


@each_row(
    ("url", "came_from", "host", "expected"),
    [
        ("nntp://a.example/g", USER, "a.example", True),
        ("nntp://a.example/g", USER, "b.example", False),
        ("nntp://a.example/g", STRANGER, "a.example", False),
        ("news:x.y", STRANGER, "n.example", True),
        ("news:x.y", USER, "a.example", False),
        ("news://n.example/x.y", STRANGER, "n.example", True),
        ("news://n.example:9119/x.y", STRANGER, "n.example", False),
        ("nntp://n.example/x.y", STRANGER, "n.example", False),
        ("mailto:me@a.example", USER, "n.example", False),
    ],
)
def test_which_server_gets_a_kept_password(url: str, came_from: Provenance, host: str, expected: bool) -> None:
    assert may_use_secrets(at(url, came_from), host, {"news": ("n.example", 119)}) is expected


PLACES = [
    "nntps://a.example:480/x.y/1",
    "nntp://a.example:480/x.y/1",
    "ftp://a.example:480/x",
    "https://a.example:480/",
]


@each_row("there", PLACES)
@each_row("here", PLACES)
@each_row("came_from", [USER, STRANGER])
def test_a_kept_password_leads_on_to_its_own_place_only(here: str, there: str, came_from: Provenance) -> None:
    """Whatever the port: from the user's own URL to that very scheme, host and port, and from a stranger's nowhere."""
    assert may_use_secrets(at(here, came_from), "a.example", {}) is came_from.own
    for who in ("listing", "redirect", "reply"):
        origin = named_by(at(here, came_from), who)
        assert may_use_secrets(at(there, origin), "a.example", {}) is (came_from.own and here == there)


@pytest.mark.parametrize(
    ("url", "who", "scope"),
    [
        ("ftp://a.example/", "listing", Scope.PRIVATE), ("ftp://a.example/", "document", Scope.PRIVATE),
        ("file:///srv/", "listing", Scope.LOCAL), ("file:///srv/", "search", Scope.LOCAL),
        ("file:///srv/x", "document", Scope.PUBLIC), ("file:///srv/x", "redirect", Scope.PUBLIC),
    ],
)  # fmt: skip
def test_what_a_task_hands_on(url: str, who: Who, scope: Scope) -> None:
    assert named_by(at(url), who).scope is scope


@pytest.mark.promise("provenance")
@pytest.mark.parametrize("lists", ["listing", "search"])
def test_no_scheme_says_who_named_an_entry(scheduler: Scheduler, lists: Who) -> None:
    """A scheme that claims that its entries are the user's own is not believed."""

    def forging() -> Steps[None]:
        yield from Describe("listing")
        for _ in range(2):
            entry = Entry("x", URL("http://127.0.0.1/"))
            entry.origin = USER
            yield from Emit([entry, Entry("y", None)])

    url = URL("gopher://127.0.0.1:7070/1")
    task = scheduler.start(Parties(url, lists=lists), lambda: forging(), eager=True)
    found = [entry.origin for piece in task.outbox for entry in piece if isinstance(entry, Entry)]
    named = Provenance(lists, scheme="gopher", host="127.0.0.1", port=7070, kept=True)
    assert found == [named] * 4


def test_the_users_own_costs_no_new_value() -> None:
    with Server(part) as server, Client() as client:
        resource = client.get(f"http://{server.authority}/")
        assert resource._stream.parties.came_from is USER


def test_a_document_that_no_server_has_is_the_words_of_who_named_it() -> None:
    """A data URL in a page that came over TLS: what stands in it leads no more to a clear connection than the page."""
    page = Provenance("document", scope=Scope.PUBLIC, scheme="https", host="a.example", port=443, tls=True)
    with Client() as client:
        found = client.get("data:text/plain,x", came_from=page).content_origin
        assert (found.tls, found.scope, found.kept) == (True, Scope.PUBLIC, False)
        assert not client.get("data:text/plain,x").content_origin.tls
