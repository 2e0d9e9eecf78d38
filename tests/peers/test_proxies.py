"""Schemes of TCP through tinyproxy, squid and microsocks: with a login and without, and over TLS to squid itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.errors import AuthRequiredError, ConnectError
from anyurl.testing import SmallNetwork
from anyurl.world import World
from tests.peers import proxies
from tests.servers import Server, certificate, reply, unheard

MAKERS = {"tinyproxy": proxies.tinyproxy, "squid": proxies.squid, "microsocks": proxies.microsocks}
SCHEMES = ["http", "ftp", "gopher", "wais", "news", "nntp"]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World(SCHEMES) as world:
        yield world


@pytest.fixture(scope="module", params=[f"{name}{login}" for name in MAKERS for login in ("", " with a login")])
def proxy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    name, _, login = request.param.partition(" ")
    with MAKERS[name](tmp_path_factory.mktemp(name), login=bool(login)) as url:
        yield url


def address(proxy: str) -> tuple[str, int]:
    host, _, port = proxy.rpartition("@")[2].rpartition("/")[2].rpartition(":")
    return host, int(port)


def only_to(proxy: str) -> SmallNetwork:
    """A world in which nothing but the proxy can be reached."""
    return SmallNetwork({"localhost": ["127.0.0.1"]}, {address(proxy): address(proxy)})


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_scheme_through_a_proxy(world: World, proxy: str, scheme: str) -> None:
    network = only_to(proxy)
    with Client(proxy=proxy, network=network) as client, Client() as direct:
        with direct.open(world.urls[scheme]) as resource:
            content = resource.read()
        with client.open(world.urls[scheme]) as resource:
            assert resource.read() == content
        if scheme == "ftp":  # a data connection each, and octets that go out
            there = world.roots["ftp"].replace(user="guest", password="welcome").join("through.bin")
            client.put(there, bytes(range(256)) * 500)
            assert direct.get(there).read() == bytes(range(256)) * 500
    assert set(network.connected) == {address(proxy)}


def test_https_through_a_proxy(proxy: str, tmp_path: Path) -> None:
    def page(connection: object) -> None:
        while connection.head():  # type: ignore[attr-defined]
            connection.send(reply(b"inner" * 50_000))  # type: ignore[attr-defined]

    with certificate(tmp_path, "127.0.0.1") as (context, ca), Server(page, context=context) as server:
        with Client(proxy=proxy, network=only_to(proxy), ca_file=ca) as client:
            for _ in range(2):
                assert client.get(f"https://127.0.0.1:{server.port}/").read() == b"inner" * 50_000
        assert not any(b"Proxy" in heard for heard in server.received)


def test_a_proxy_that_resolves(world: World, proxy: str) -> None:
    network = only_to(proxy)
    named = [world.urls[scheme].replace(host="localhost") for scheme in ("http", "ftp", "gopher")]
    policy = Policy.default().replace(proxy_resolves=True)
    with Client(policy, proxy=proxy.replace("socks5:", "socks5h:"), network=network) as client:
        assert all(len(client.get(url).read()) > 100 for url in named)
    assert network.looked_up == []


class TestDigest:
    """Squid's own Digest, in plain and within TLS to it."""

    @pytest.mark.parametrize("kinds", ["digest", "digest basic"])
    def test_every_scheme(self, world: World, tmp_path: Path, kinds: str) -> None:
        with proxies.squid(tmp_path, login=True, kinds=kinds) as proxy:
            with Client(proxy=proxy, network=only_to(proxy)) as client:
                for scheme in SCHEMES:
                    assert len(client.get(world.urls[scheme]).read()) > 100

    def test_https_and_nonces_that_are_used_up(self, tmp_path: Path) -> None:
        def page(connection: object) -> None:
            while connection.head():  # type: ignore[attr-defined]
                connection.send(reply(b"inner"))  # type: ignore[attr-defined]

        with certificate(tmp_path, "127.0.0.1") as (context, ca), Server(page, context=context) as server:
            url = f"https://127.0.0.1:{server.port}/"
            with proxies.squid(tmp_path, login=True, kinds="digest", count=3) as proxy:
                with Client(proxy=proxy, network=only_to(proxy), ca_file=ca) as client:
                    done = client.map([url] * 24, 6)
                    assert [result.resource.read() for result in done] == [b"inner"] * 24  # type: ignore[union-attr]
                for _ in range(5):  # a connection each
                    with Client(proxy=proxy, network=only_to(proxy), ca_file=ca) as client:
                        assert client.get(url).read() == b"inner"

    def test_one_nonce_for_many_tunnels(self, world: World, tmp_path: Path) -> None:
        with proxies.squid(tmp_path, login=True, kinds="digest", count=3) as proxy:
            network = only_to(proxy)
            with Client(proxy=proxy, network=network) as client:
                for _ in range(9):
                    assert len(client.get(world.urls["gopher"]).read()) > 100
        # One to be asked, one each, and one more where squid has had enough of a nonce.
        assert 10 < len(network.connected) < 15


@pytest.mark.parametrize("name", [*MAKERS, "squid with Digest"])
def test_a_login_that_is_wrong(name: str, tmp_path: Path) -> None:
    name, digest, _ = name.partition(" with Digest")
    with MAKERS[name](tmp_path, login=True, **({"kinds": "digest"} if digest else {})) as proxy:
        with Client(proxy=proxy.replace(proxies.PASSWORD, "wrong"), network=only_to(proxy)) as client:
            for url in ("http://127.0.0.1:8080/", "gopher://127.0.0.1:7070/"):
                with pytest.raises(AuthRequiredError, match="accept") as caught:
                    client.get(url)
                assert "wrong" not in str(caught.value)


def test_a_place_that_does_not_answer(proxy: str) -> None:
    with unheard() as port, Client(proxy=proxy, network=only_to(proxy)) as client:
        for url in (f"http://127.0.0.1:{port}/", f"gopher://127.0.0.1:{port}/"):
            with pytest.raises(ConnectError, match="The proxy"):
                client.get(url)


def test_tls_to_squid(world: World, tmp_path: Path) -> None:
    import trustme

    authority, pem, ca = trustme.CA(), tmp_path / "squid.pem", tmp_path / "ca.pem"
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(pem)
    authority.cert_pem.write_to_path(ca)
    (tmp_path / "root").mkdir()
    with proxies.squid(tmp_path / "root", login=True, certificate=pem) as proxy:
        network = only_to(proxy)
        with Client(proxy=proxy, network=network, ca_file=ca) as client:
            for scheme in ("http", "ftp", "gopher"):
                assert len(client.get(world.urls[scheme]).read()) > 100
    assert set(network.connected) == {address(proxy)}


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "anyurl", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env={**_clean(), **environment})


def _clean() -> dict[str, str]:
    import os

    return {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}


class TestTheCommand:
    def test_goes_through_the_one_that_it_is_told(self, world: World, tmp_path: Path) -> None:
        url = str(world.urls["gopher"])
        with proxies.tinyproxy(tmp_path, login=True) as proxy:

            def tunnels() -> int:
                log = tmp_path / "log"
                return log.read_text().count("CONNECT") if log.exists() else 0

            for told in (["--proxy", proxy], ["--proxy", f"gopher={proxy}"], ["--proxy", "env"]):
                before = tunnels()
                done = run("get", url, *told, all_proxy=proxy)
                assert (done.returncode, len(done.stdout) > 100) == (0, True), done.stderr
                assert tunnels() > before
            before = tunnels()
            for told in ([], ["--proxy", f"http={proxy}"], ["--proxy", proxy, "--no-proxy", "127.0.0.0/8"]):
                assert run("get", url, *told, all_proxy=proxy).returncode == 0
            assert tunnels() == before

    @pytest.mark.parametrize(
        ("told", "message"),
        [
            (["--proxy", "socks4://u:secret@p.test"], "is not a proxy (no proxy has the scheme socks4)"),
            (["--no-proxy", "10.0.0.1/8"], "is not a network"),
        ],
    )
    def test_says_what_is_no_proxy(self, told: list[str], message: str) -> None:
        done = run("get", "http://127.0.0.1/", *told)
        assert done.returncode == 2
        assert message in done.stderr
        assert "secret" not in done.stderr

    def test_refuses_one_for_a_strangers_url(self) -> None:
        told = ["--policy", "untrusted", "--proxy", "http://u:secret@198.51.100.7:3128"]
        done = run("get", "http://93.184.216.34/", *told)
        assert (done.returncode, "secret" in done.stderr) == (5, False)
        assert "uses only proxies that it names" in done.stderr
        assert "--allow-proxy 198.51.100.7 would allow it" in done.stderr
