"""HTTP/3 against caddy: every verb, what is judged and bounded, and where it is not spoken."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.errors import ConnectError, RefusedError
from tests.peers import http_servers
from tests.peers.ftp_servers import HOST, Certificates
from tests.peers.proxies import tinyproxy


@contextmanager
def caddy() -> Iterator[tuple[http_servers.Caddy, Path]]:
    with tempfile.TemporaryDirectory(prefix="anyurl-peer-") as name:
        folder = Path(name)
        known = Certificates(folder)
        with closing(http_servers.Caddy(folder, known.certificate)) as server:
            yield server, known.authority


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, Path, Path]]:
    """Where it is, whom to believe, and what it serves."""
    with caddy() as (running, authority):
        yield f"https://{HOST}:{running.port}/", authority, running.root


@pytest.fixture
def client(server: tuple[str, Path, Path]) -> Iterator[Client]:
    with Client(Policy.open(), ca_file=server[1], http3=True) as client:
        yield client


def test_every_verb(server: tuple[str, Path, Path], client: Client) -> None:
    url = server[0]
    for number in range(3):  # the second goes out on the connection of the first
        found = client.get(f"{url}pub/x.bin?{number}")
        assert (found.version, found.read()) == ("3", http_servers.TREE["pub/x.bin"])
    assert (client.stat(url + "pub/x.bin").version, client.list(url + "pub/").version) == ("3", "3")
    for method in ("POST", "PUT", "PATCH"):
        made = client.request(method, url + "echo", content=b"content")
        assert (made.version, made.read()) == ("3", f"{method} content".encode())
    made = client.request("POST", url + "echo", content=iter([b"a" * 70_000, b"b"]))
    assert (made.version, made.read()) == ("3", b"POST " + b"a" * 70_000 + b"b")
    for method in ("DELETE", "OPTIONS"):
        assert client.request(method, url + "echo").version == "3"
    assert client.get(url + "nothing", check=False).version == "3"


def test_many_and_what_is_sought_in(server: tuple[str, Path, Path], client: Client) -> None:
    url = server[0]
    content = http_servers.TREE["pub/x.bin"]
    results = [result.resource for result in client.map([f"{url}pub/x.bin?{number}" for number in range(60)])]
    assert [found is not None and found.read() == content for found in results] == [True] * 60
    assert any(found is not None and found.version == "3" for found in results)
    found = client.get(url + "pub/x.bin")
    assert (found.seek(-6, 2), found.read()) == (len(content) - 6, content[-6:])


def resident_octets() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_what_nobody_reads_is_not_in_memory(server: tuple[str, Path, Path], client: Client) -> None:
    url, _, root = server
    (root / "large").write_bytes(bytes(20_000_000))
    client.get(url + "large").close()
    before = resident_octets()
    held = [client.get(url + "large") for _ in range(5)]
    for _ in range(20):  # the requests of the others turn the loop, so that all that a server may send has come
        client.stat(url + "large")
    assert [len(each.read(10)) for each in held] == [10] * 5
    assert resident_octets() - before < 20_000_000  # of 100 MB
    assert len(held[0].read()) == 20_000_000 - 10
    for each in held:
        each.close()


def test_it_is_asked_for(server: tuple[str, Path, Path]) -> None:
    with Client(Policy.open(), ca_file=server[1]) as client:
        assert client.get(server[0] + "pub/x.bin").version == "2"


def test_a_server_without_it_is_reached(tmp_path: Path) -> None:
    known = Certificates(tmp_path)
    with closing(http_servers.NodeH2(tmp_path, known.certificate)) as node:
        with Client(Policy.open(), ca_file=known.authority, http3=True) as client:
            assert client.get(f"https://{HOST}:{node.port}/pub/x.bin").version == "2"


def test_no_datagram_goes_round_a_proxy(server: tuple[str, Path, Path], tmp_path: Path) -> None:
    with tinyproxy(tmp_path) as proxy:
        with Client(Policy.open(), ca_file=server[1], http3=True, proxy=proxy) as client:
            assert client.get(server[0] + "pub/x.bin").version == "2"


def test_nothing_is_sent_to_an_address_that_is_refused() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.bind((HOST, 0))
        heard.settimeout(0.3)
        with Client(Policy.untrusted(), http3=True) as client, pytest.raises(RefusedError):
            client.get(f"https://{HOST}:{heard.getsockname()[1]}/")
        with pytest.raises(TimeoutError):
            heard.recv(1)


def test_who_answers_is_verified(server: tuple[str, Path, Path]) -> None:
    with Client(Policy.open(), http3=True) as client, pytest.raises(ConnectError, match="is not valid"):
        client.get(server[0])


def test_a_handshake_that_fails_over_both_is_an_error_at_once(server: tuple[str, Path, Path]) -> None:
    """caddy has no such host, and ends TLS with an alert."""
    with Client(Policy.open(), ca_file=server[1], http3=True, timeout=20) as client:
        with pytest.raises(ConnectError, match=r"^TLS with localhost:\d+ could not be started"):
            client.get(server[0].replace(HOST, "localhost"))


def test_nothing_listens() -> None:
    with socket.socket() as bound:
        bound.bind((HOST, 0))
        with Client(Policy.open(), http3=True) as client, pytest.raises(ConnectError, match="connection refused"):
            client.get(f"https://{HOST}:{bound.getsockname()[1]}/")
