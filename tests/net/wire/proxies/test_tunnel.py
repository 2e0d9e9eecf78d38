"""Through a proxy, with proxies of our own that write down what they hear: who is told what, and what a bad one can do.

The small world has no way to the origins but by the proxy: what reaches one came through it.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import select
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from anyurl import URL, AsyncClient, Client, Policy
from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    ConnectError,
    LimitError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    TransferTimeout,
    URLSyntaxError,
)
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.wire.proxies.table import read_proxies
from anyurl.testing import SmallNetwork
from anyurl.values import Provenance, Scope
from tests.net.wire.proxies.told import ORIGIN, OTHER, PROXY, Told, menu, page
from tests.servers import Connection, Part, Server


class Places:
    """An origin with a web and a gopher server, a proxy before it, and clients that know nothing else."""

    def __init__(self, told: Told, proxy: Server, web: Server, gopher: Server) -> None:
        self.told, self.proxy, self.web, self.gopher = told, proxy, web, gopher
        self.network = SmallNetwork(
            {"o.test": [ORIGIN], "two.test": [OTHER, ORIGIN], "p.test": [PROXY]},
            {(PROXY, 3128): (proxy.host, proxy.port)},
        )

    def client(self, proxy: str = "http://p.test:3128", **more: Any) -> Client:
        return Client(**{"proxy": proxy, "network": self.network, **more})


@pytest.fixture
def places() -> Iterator[Places]:
    with Server(page) as web, Server(menu) as gopher:
        at = {(f"{host}:{port}"): (server.host, server.port) for host in (ORIGIN, OTHER, "o.test")
              for port, server in ((80, web), (70, gopher))}  # fmt: skip
        told = Told(at, refuses=(f"{OTHER}:80", f"{OTHER}:70"))
        with Server(told) as proxy:
            yield Places(told, proxy, web, gopher)


URLS = ["http://o.test/", "gopher://o.test/0x"]


@pytest.mark.promise("behind-a-proxy")
@pytest.mark.parametrize("url", URLS)
def test_the_proxy_is_told_the_approved_address(places: Places, url: str) -> None:
    with places.client() as client:
        assert client.get(url).read().strip() == b"inner"
    assert places.told.asked == [f"{ORIGIN}:{URL(url).port}"]
    assert places.network.connected == [(PROXY, 3128)]
    assert sorted(places.network.looked_up) == ["o.test", "p.test"]


@pytest.mark.parametrize(("url", "address"), [("http://o.test/", None), ("gopher://o.test/0x", ORIGIN)])
def test_no_address_is_made_up_for_whom_only_the_proxy_reaches(places: Places, url: str, address: str | None) -> None:
    """A server that refuses is told by its address: those behind one proxy must not be taken for one."""
    with places.client() as client:
        for _ in range(2):
            resource = client.get(url)
            assert resource.read().strip() == b"inner"
            assert resource._stream.parties.last_address == address


def test_asyncio_goes_the_same_way(places: Places) -> None:
    async def run() -> list[bytes]:
        async with AsyncClient(proxy="http://p.test:3128", network=places.network) as client:
            return [await (await client.get(url)).read() for url in URLS]

    assert [content.strip() for content in asyncio.run(run())] == [b"inner", b"inner"]
    assert len(places.told.asked) == 2


@pytest.mark.parametrize("port", [80, 70])
def test_of_several_addresses_one_that_the_proxy_reaches_will_do(places: Places, port: int) -> None:
    with places.client() as client:
        url = f"http://two.test:{port}/" if port == 80 else f"gopher://two.test:{port}/0x"
        assert client.get(url).read().strip() == b"inner"
    assert places.told.asked == [f"{OTHER}:{port}", f"{ORIGIN}:{port}"]


def test_a_kept_connection_is_used_again(places: Places) -> None:
    with places.client() as client:
        for _ in range(3):
            assert client.get("http://o.test/").read() == b"inner"
        assert len(places.told.asked) == 1
        assert [result.resource.read() for result in client.map(["http://o.test/"] * 5, 2)] == [b"inner"] * 5  # type: ignore[union-attr]
    # The first of them takes what was kept; how often the others find one that is free hangs on who is faster.
    assert len(places.told.asked) <= 5


class TestSecrets:
    """What is the proxy's reaches no origin, and the other way round; neither is shown."""

    LOGIN = "http://pu:p-word@p.test:3128"

    @pytest.mark.promise("behind-a-proxy")
    @pytest.mark.parametrize("offer", ["Basic", "Digest"])
    @pytest.mark.parametrize("url", ["http://ou:o-word@o.test/", "gopher://o.test/0x"])
    def test_each_gets_its_own(self, places: Places, url: str, offer: str) -> None:
        places.told.challenge = f'{offer} realm="x", nonce="n"'
        with places.client(self.LOGIN) as client:
            assert client.get(url).read().strip() == b"inner"
        asked, answered = places.told.heads
        assert "Proxy-Authorization" not in asked
        assert f"\r\nProxy-Authorization: {offer} " in answered
        assert ("cHU6cC13b3Jk" in answered) == (offer == "Basic")
        assert "\r\nAuthorization" not in answered
        for server in (places.web, places.gopher):
            for heard in server.received:
                assert b"Proxy-" not in heard
                assert b"cHU6cC13b3Jk" not in heard

    def test_a_login_that_was_accepted_is_remembered_by_the_client(self, places: Places) -> None:
        places.told.challenge = 'Digest realm="x", nonce="n", qop="auth"'
        with places.client(self.LOGIN) as client:
            for url in ("gopher://o.test/0x", "gopher://o.test/0y", "http://o.test/"):
                assert client.get(url).read().strip() == b"inner"
        counts = [re.findall("nc=[0-9]+", head) for head in places.told.heads]
        assert counts == [[], ["nc=00000001"], ["nc=00000002"], ["nc=00000003"]]

    def test_no_message_has_it(self, places: Places) -> None:
        with pytest.raises(URLSyntaxError) as caught:
            Client(proxy="http://pu:p-word@p.test:99999")
        assert "p-word" not in str(caught.value)
        with places.client(self.LOGIN) as client:
            assert "p-word" not in repr(vars(client))
            with pytest.raises(AnyURLError) as refused:
                client.get("http://two.test:70/").read()
            assert "p-word" not in str(refused.value)


class TestTheGuard:
    """What is checked is what is fetched, behind a proxy too."""

    @pytest.mark.parametrize("url", URLS)
    def test_untrusted_goes_through_no_proxy_that_it_does_not_name(self, places: Places, url: str) -> None:
        with places.client(policy=Policy.untrusted()) as client:
            with pytest.raises(RefusedError) as caught:
                client.get(url)
            assert caught.value.verdict is not None
            assert caught.value.verdict.code == "proxy"
        assert places.network.connected == []

    @pytest.mark.parametrize("url", URLS)
    def test_one_that_is_named_may_be_private_but_no_url_leads_to_it(self, places: Places, url: str) -> None:
        places.network._names["p.test"] = ["10.0.0.5"]
        places.network._servers[("10.0.0.5", 3128)] = (places.proxy.host, places.proxy.port)
        policy = Policy.untrusted().replace(allow_proxies=("p.test",))
        with places.client(policy=policy) as client:
            assert client.get(url).read().strip() == b"inner"
            for inner in ("http://10.0.0.5:3128/", "http://p.test:3128/"):
                with pytest.raises(RefusedError, match="public addresses only"):
                    client.get(inner)

    @pytest.mark.promise("behind-a-proxy")
    @pytest.mark.parametrize(
        ("proxy", "address", "code"),
        [
            ("http://p.test:25", PROXY, "port-service"),
            ("http://p.test:3128", "169.254.169.254", None),
            ("http://p.test:3128", "0.0.0.0", "address-never"),
            ("http://2130706433:3128", PROXY, "host-unclear"),
        ],
    )
    @pytest.mark.parametrize("url", URLS)
    def test_the_proxy_itself_is_judged(
        self, places: Places, url: str, proxy: str, address: str, code: str | None
    ) -> None:
        places.network._names["p.test"] = [address]
        policy = Policy.default().replace(allow_link=False) if code is None else Policy.default()
        try:
            client = places.client(proxy, policy=policy)
        except URLSyntaxError:  # a host that no URL has
            assert code == "host-unclear"
            return
        with client:
            with pytest.raises(RefusedError) as caught:
                client.get(url)
            assert caught.value.verdict is not None
            assert caught.value.verdict.code == (code or "address-link")
        assert places.network.connected == []

    @pytest.mark.promise("behind-a-proxy")
    @pytest.mark.parametrize("url", ["http://o.test/", "gopher://o.test/0x"])
    def test_the_address_behind_it_is_judged(self, places: Places, url: str) -> None:
        places.network._names["o.test"] = [ORIGIN, "10.0.0.1"]
        with places.client(policy=Policy.untrusted().replace(allow_proxies=("p.test",))) as client:
            with pytest.raises(RefusedError, match=r"10\.0\.0\.1"):
                client.get(url)
        assert places.told.asked == []

    @pytest.mark.promise("behind-a-proxy")
    def test_a_hop_leads_no_further_in_than_without(self, places: Places) -> None:
        """The scope is that of the place, not that of the proxy, which is mostly private."""
        with places.client() as client:
            with pytest.raises(RefusedError) as caught:
                client.get("http://10.0.0.1/", came_from=client.get("http://o.test/"))
            assert caught.value.verdict is not None
            assert caught.value.verdict.code == "address-hop"

    def test_no_datagram_goes_round_it(self, places: Places) -> None:
        with places.client() as client:
            with pytest.raises(RefusedError, match="which no proxy carries: nothing was sent"):
                client.get("prospero://o.test//x")
        assert places.network.connected == []

    @pytest.mark.parametrize("url", URLS)
    def test_a_place_that_needs_none_is_reached_directly(self, places: Places, url: str) -> None:
        for server, port in ((places.web, 80), (places.gopher, 70)):
            places.network._servers[(ORIGIN, port)] = (server.host, server.port)
        for places_without in (["o.test"], [f"{ORIGIN}/32"]):
            with places.client(no_proxy=places_without) as client:
                assert client.get(url).read().strip() == b"inner"
        assert places.told.asked == []


class TestAProxyThatResolves:
    RESOLVES = Policy.default().replace(proxy_resolves=True)

    @pytest.mark.parametrize("url", URLS)
    def test_is_told_the_name(self, places: Places, url: str) -> None:
        with places.client(policy=self.RESOLVES) as client:
            for _ in range(2):
                assert client.get(url).read().strip() == b"inner"
        assert set(places.told.asked) == {f"o.test:{URL(url).port}"}
        assert places.network.looked_up == ["p.test"]

    @pytest.mark.parametrize("url", URLS)
    @pytest.mark.parametrize(
        "came_from",
        [
            Provenance("redirect", scope=Scope.PUBLIC, scheme="http", host="a.example", port=80),
            Provenance("document", scope=Scope.LOCAL, scheme="http", host="o.test", port=80),
            Provenance("listing", scope=Scope.PRIVATE, scheme="gopher", host="o.test", port=70, kept=True),
        ],
    )
    def test_a_hop_leads_to_no_name(self, places: Places, url: str, came_from: Provenance) -> None:
        with places.client(policy=self.RESOLVES) as client:
            for warm in (False, True):
                if warm:
                    client.get(url).read()
                with pytest.raises(RefusedError) as caught:
                    client.get(url, came_from=came_from)
                assert caught.value.verdict is not None
                assert caught.value.verdict.code in ("proxy-resolves-hop", "redirect-scheme")

    def test_an_address_is_judged_as_ever(self, places: Places) -> None:
        policy = Policy.untrusted().replace(proxy_resolves=True, allow_proxies=("p.test",))
        with places.client(policy=policy) as client:
            with pytest.raises(RefusedError, match="public addresses only"):
                client.get("http://10.0.0.1/")
            with pytest.raises(RefusedError, match="this machine by definition"):
                client.get("http://localhost/")

    def test_socks5h_wants_the_policys_leave(self, places: Places) -> None:
        with places.client("socks5h://p.test:3128") as client:
            for url in URLS:
                with pytest.raises(RefusedError) as caught:
                    client.get(url)
                assert caught.value.verdict is not None
                assert caught.value.verdict.code == "proxy-resolves"
        assert places.network.connected == []


def says(data: bytes) -> Part:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(data)
        connection.wait_for_close()

    return part


def closes(connection: Connection) -> None:
    connection.head()


def resets(connection: Connection) -> None:
    connection.head()
    connection.reset()


def silent(connection: Connection) -> None:
    connection.wait_for_close()


def drips(connection: Connection) -> None:
    """One octet at a time, without an end: it is never quiet, and says nothing."""
    connection.head()
    connection.send(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        connection.send(b"a")
        if select.select([connection.sock], [], [], 0.01)[0]:
            return


EVIL: dict[str, tuple[Part, type[AnyURLError], str]] = {
    "silent": (silent, TransferTimeout, "made no connection|took longer"),
    "slow": (drips, TransferTimeout, "made no connection|took longer"),
    "garbage": (says(b"\x00\xff" * 500), RemoteProtocolError, "does not answer as an HTTP proxy does"),
    "another protocol": (says(b"220 mail.test ESMTP\r\n"), RemoteProtocolError, "as an HTTP proxy does"),
    "redirecting": (
        says(b"HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1/\r\n\r\n"), ReplyError, "a tunnel can't be redirected"
    ),
    "wants a login again and again": (
        says(b'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n'), AuthRequiredError, "wants a login"
    ),
    "a long head": (says(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 9000), LimitError, "a head of more than"),
    "interim replies without end": (says(b"HTTP/1.1 100 Go on\r\n\r\n" * 9000), LimitError, "a head of more"),
    "closes": (closes, ConnectError, "closed the connection before it had made a tunnel"),
    "resets": (resets, ConnectError, "Reading from the proxy|closed the connection"),
    "reaches nothing": (says(b"HTTP/1.1 504 No\r\n\r\n"), ConnectError, "it could not reach that place"),
}  # fmt: skip


SESSIONS = ["ftp://o.test/x", "ftps://o.test/x", "news://o.test/x", "dict://o.test/d:x", "gemini://o.test/"]
"""Of schemes whose servers speak in turns, or with TLS at once."""


@pytest.mark.parametrize("fault", EVIL)
@pytest.mark.parametrize("url", [*URLS, *SESSIONS])
def test_a_hostile_proxy(fault: str, url: str) -> None:
    part, error, told = EVIL[fault]
    policy = Policy.default()
    if error is TransferTimeout:  # no other may be ended by a clock, however slow the machine is
        policy = policy.replace(limits=policy.limits.replace(connect=0.3))
    with Server(part) as proxy:
        network = SmallNetwork({"o.test": [ORIGIN]}, {(PROXY, 3128): (proxy.host, proxy.port)})
        with Client(policy, proxy=f"http://pu:p-word@{PROXY}:3128", network=network) as client:
            with pytest.raises(error, match=told) as caught:
                client.get(url).read()
            assert "p-word" not in str(caught.value)
            assert not isinstance(caught.value, TransferTimeout) or caught.value.stage == "connect"
            # Nothing is watched any more but the loop's own; libcurl has a descriptor of its own.
            assert url.startswith("http") or len(client._scheduler().loop._callbacks) == 1
        # Nothing is tried twice; a login is given when it is asked for.
        assert len(proxy.received) == (2 if "login" in fault else 1)


@pytest.mark.parametrize("url", URLS)
def test_a_proxy_that_is_not_there(url: str) -> None:
    with Client(proxy=f"http://{PROXY}:3128", network=SmallNetwork({"o.test": [ORIGIN]})) as client:
        with pytest.raises(ConnectError, match=rf"Connecting to {PROXY} port 3128"):
            client.get(url)


@pytest.mark.parametrize("give_up", ["http", "gopher"])
def test_a_consumer_that_goes_away_leaves_nothing_open(give_up: str) -> None:
    with Server(silent) as proxy:
        network = SmallNetwork({"o.test": [ORIGIN]}, {(PROXY, 3128): (proxy.host, proxy.port)})

        async def run() -> None:
            async with AsyncClient(proxy=f"http://{PROXY}:3128", network=network) as client:
                task = asyncio.ensure_future(client.get(f"{give_up}://o.test/"))
                while not proxy.received or b"\r\n\r\n" not in proxy.received[0]:
                    await asyncio.sleep(0)
                    select.select([], [], [], 0.001)
                    if proxy.received:
                        break
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

        asyncio.run(run())


class TestMemories:
    """What is remembered hangs on the proxy: each change alone makes new connections."""

    PROXIES = [None, "http://p.test:3128", "http://u:p@p.test:3128", "http://u:q@p.test:3128", "http://p.test:3129"]

    @pytest.mark.parametrize("url", URLS)
    def test_another_proxy_another_connection(self, places: Places, url: str) -> None:
        """One scheduler whose table is changed under it, as no client does: nothing of before is used."""
        places.network._servers[(PROXY, 3129)] = (places.proxy.host, places.proxy.port)
        for server, port in ((places.web, 80), (places.gopher, 70)):
            places.network._servers[(ORIGIN, port)] = (server.host, server.port)
        scheduler = Scheduler(Policy.default(), handlers, network=places.network)
        with Client(network=places.network) as client:
            client._scheduler = lambda: scheduler  # type: ignore[method-assign]
            for proxy in self.PROXIES:
                before = len(places.network.connected)
                scheduler.connector.proxies = None if proxy is None else read_proxies(proxy, (), {})
                scheduler._judged._allowed.clear()  # what is remembered of a place holds its way: it is another one now
                for _ in range(2):
                    assert client.get(url).read().strip() == b"inner"
                new = places.network.connected[before:]
                there = (ORIGIN, URL(url).port) if proxy is None else (PROXY, int(proxy.rpartition(":")[2]))
                assert new == [there] * (1 if url.startswith("http") else 2)
        scheduler.close()


def test_the_call_is_the_callers(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment leads nobody through a proxy who has not said so."""
    monkeypatch.setenv("http_proxy", "http://p.test:3128")
    monkeypatch.setenv("all_proxy", "http://p.test:3128")
    calls: list[Callable[[], Client]] = [lambda: places.client(None), lambda: places.client("env")]  # type: ignore[arg-type]
    for make, through in zip(calls, (False, True), strict=True):
        before = len(places.network.connected)
        with make() as client, contextlib.suppress(ConnectError):
            client.get("http://o.test/").read()
        assert ((PROXY, 3128) in places.network.connected[before:]) is through
