"""http and https against nginx, with curl's command line as the reference: plain, TLS, HTTP/2, and a large file."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from anyurl import AsyncClient, Client
from anyurl.dialogue import Resume
from anyurl.errors import DeniedError, NotFoundError
from anyurl.net.http.engine import CurlEngine
from anyurl.net.wire.connector import Network
from anyurl.values import Provenance, Scope
from tests import needs
from tests.servers import free_port

LARGE = 200 * 1024 * 1024
MIDDLE = 20 * 1024 * 1024
CONFIG = """
daemon off; master_process off; worker_processes 1; pid {root}/pid; error_log {root}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log {root}/access.log; default_type application/octet-stream; types {{ text/plain txt; }}
    client_body_temp_path {root}/t1; proxy_temp_path {root}/t2; fastcgi_temp_path {root}/t3; uwsgi_temp_path {root}/t4;
    scgi_temp_path {root}/t5; client_max_body_size 1g; keepalive_requests 100000;
    limit_req_zone $binary_remote_addr zone=busy:1m rate=20r/s; limit_req_zone $request_method zone=full:1m rate=20r/s;
    server {{
        listen 127.0.0.1:{plain}; listen 127.0.0.1:{tls} ssl http2;
        ssl_certificate {root}/cert.pem; ssl_certificate_key {root}/key.pem;
        root {root}/www; charset utf-8; gzip on; gzip_types text/plain; gzip_min_length 1;
        location /put/ {{ dav_methods PUT; create_full_put_path on; }}
        location /moved {{ return 301 /a.txt; }}
        location /no {{ return 403; }}
        location /429/ {{ alias {root}/www/; limit_req zone=busy burst=8 nodelay; limit_req_status 429; }}
        location /503/ {{ alias {root}/www/; limit_req zone=full burst=8 nodelay; }}
        location /auth/ {{ auth_basic x; auth_basic_user_file {root}/users; alias {root}/www/; }}
    }}
    server {{
        listen 127.0.0.1:{asks} ssl http2; ssl_certificate {root}/cert.pem; ssl_certificate_key {root}/key.pem;
        ssl_client_certificate {root}/ca.pem; ssl_verify_client optional;
        location / {{ return 200 $ssl_client_verify; }}
        location /demands {{ if ($ssl_client_verify != SUCCESS) {{ return 403; }} return 200 welcome; }}
    }}
}}
"""
MEMORY = """
import sys
from anyurl import Client
size = 0
with Client() as client, client.get(sys.argv[1]) as resource:
    for piece in resource.iter_bytes():
        size += len(piece)
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(size, peak)
"""
UNREAD = """
import sys
from anyurl import Client
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
url, ca, way = sys.argv[1:]
with Client(ca_file=ca) as client:
    client.get(url, headers={"Range": "bytes=0-99"}).read()
    before = peak()
    if way == "map":
        there = [result.resource for result in client.map([url] * 10, 10)]
    else:
        there = [client.open(url) for _ in range(10)]
    if way == "begin":
        for resource in there:
            resource.read(100_000)
        there[0] = client.open(url)
    size = sum(map(len, there[0].iter_bytes()))
    print(there[0].attributes["version"], size, peak() - before)
"""


class Nginx:
    """A running nginx: where it is, and what it serves."""

    def __init__(self, root: Path, plain: int, tls: int, asks: int) -> None:
        self.root, self.www, self.ca = root, root / "www", root / "ca.pem"
        self.plain, self.tls = f"http://good.test:{plain}", f"https://good.test:{tls}"
        self.literal = f"http://127.0.0.1:{plain}"
        self.asks, self.cert = f"https://good.test:{asks}", root / "client.pem"

    def client(self) -> Client:
        return Client(network=Network(lambda host: ["127.0.0.1"]), ca_file=self.ca)


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    program = needs.program("nginx")
    root = tmp_path_factory.mktemp("nginx")
    root.chmod(0o755)
    server = Nginx(root, free_port(), free_port(), free_port())
    server.www.mkdir()
    (server.www / "put").mkdir(mode=0o777)
    (server.www / "a.txt").write_bytes(b"a text\n" * 1000)
    (server.www / "100%41 ü.bin").write_bytes(bytes(range(256)))
    for number in range(300):
        (server.www / f"{number}.bin").write_bytes(b"%d" % number * 500)
    with open(server.www / "large.bin", "wb") as large:
        large.truncate(LARGE)
    (server.www / "middle.bin").write_bytes(bytes(MIDDLE))
    (root / "users").write_text("joe:{PLAIN}secret\n")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(server.ca)
    issued = authority.issue_cert("good.test", "127.0.0.1")
    issued.private_key_pem.write_to_path(root / "key.pem")
    for number, blob in enumerate(issued.cert_chain_pems):
        blob.write_to_path(root / "cert.pem", append=number > 0)
    authority.issue_cert("client.test").private_key_and_cert_chain_pem.write_to_path(server.cert)
    ports = [int(url.rpartition(":")[2]) for url in (server.plain, server.tls, server.asks)]
    (root / "conf").write_text(
        ("" if os.getuid() else "user root;") + CONFIG.format(root=root, plain=ports[0], tls=ports[1], asks=ports[2])
    )
    process = subprocess.Popen([program, "-p", str(root), "-c", str(root / "conf")], stderr=subprocess.DEVNULL)
    try:
        for _ in range(500):
            with socket.socket() as sock:
                if sock.connect_ex(("127.0.0.1", ports[1])) == 0:
                    break
            assert process.poll() is None, (root / "error.log").read_text()
            time.sleep(0.01)
        yield server
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture
def client(nginx: Nginx) -> Iterator[Client]:
    with nginx.client() as client:
        yield client


@pytest.mark.needs("curl")
@pytest.mark.parametrize("way", ["plain", "tls"])
def test_what_is_got_is_what_curl_gets(nginx: Nginx, client: Client, way: str) -> None:
    origin = getattr(nginx, way)
    for path in ("a.txt", "100%2541%20%C3%BC.bin", "moved", "put/../a.txt", "%61.txt"):
        resolve = origin.partition("//")[2] + ":127.0.0.1"
        command = ["curl", "-sL", "--path-as-is", "--cacert", str(nginx.ca), "--resolve", resolve, f"{origin}/{path}"]
        reference = subprocess.run(command, capture_output=True, check=True, timeout=10).stdout
        assert reference
        with client.get(f"{origin}/{path}") as resource:
            assert resource.read() == reference
            assert resource.attributes["version"] == ("2" if way == "tls" else "1.1")


def test_attributes(nginx: Nginx, client: Client) -> None:
    there = client.stat(f"{nginx.plain}/0.bin")
    assert (there.kind, there.size, there.type) == ("document", 500, "application/octet-stream")
    assert there.modified == int((nginx.www / "0.bin").stat().st_mtime)
    assert there.etag
    text = client.get(f"{nginx.tls}/a.txt")
    assert text.attributes["content-encoding"] == "gzip"
    assert (text.type, text.charset, text.text()) == ("text/plain", "utf-8", "a text\n" * 1000)


@pytest.mark.parametrize(("path", "error"), [("missing", NotFoundError), ("no", DeniedError)])
def test_no(nginx: Nginx, client: Client, path: str, error: type[Exception]) -> None:
    for origin in (nginx.plain, nginx.tls):
        with pytest.raises(error):
            client.get(f"{origin}/{path}")


def test_a_login_is_sent_to_whom_it_belongs(nginx: Nginx, client: Client) -> None:
    origin = nginx.plain.replace("//", "//joe:secret@")
    assert client.get(f"{origin}/auth/0.bin").read() == b"0" * 500
    for login in ("", "joe:wrong@"):
        with pytest.raises(Exception, match=r"login|accepted") as caught:
            client.get(f"{nginx.plain.replace('//', '//' + login)}/auth/0.bin")
        assert "wrong" not in str(caught.value)


@pytest.mark.parametrize("way", ["plain", "tls"])
def test_put_and_get_again(nginx: Nginx, client: Client, way: str) -> None:
    url = f"{getattr(nginx, way)}/put/{way}.bin"
    content = os.urandom(3_000_000)
    assert client.put(url, content).attributes["status"] == 201
    assert client.put(url, (content[at : at + 70_000] for at in range(0, len(content), 70_000)))
    assert hashlib.sha256(client.get(url).read()).digest() == hashlib.sha256(content).digest()
    assert client.open(url, "put", source=client.get(f"{nginx.plain}/a.txt").iter_bytes()).read() == b""
    assert client.get(url).read() == b"a text\n" * 1000


def test_the_rest_of_a_file(nginx: Nginx, client: Client) -> None:
    whole = client.get(f"{nginx.plain}/7.bin")
    rest = client.get(f"{nginx.plain}/7.bin", resume=Resume(100, etag=whole.etag, size=500))
    assert (rest.start, rest.read()) == (100, whole.read()[100:])
    other = client.get(f"{nginx.plain}/7.bin", resume=Resume(100, etag='"other"', size=500))
    assert (other.start, len(other.read())) == (0, 500)


@pytest.mark.parametrize(("way", "version"), [("plain", "1.1"), ("literal", "1.1"), ("tls", "2")])
def test_many_at_once(nginx: Nginx, client: Client, way: str, version: str) -> None:
    origin = getattr(nginx, way)
    for limit in (1, 20):
        found = {
            str(result.url): result.resource for result in client.map((f"{origin}/{n}.bin" for n in range(300)), limit)
        }
        for number in range(300):
            resource = found[f"{origin}/{number}.bin"]
            assert resource is not None
            assert resource.read() == b"%d" % number * 500
            assert resource.attributes["version"] == version


@pytest.mark.parametrize("said", [429, 503])
def test_a_server_that_takes_only_so_many_a_second_gives_all(nginx: Nginx, client: Client, said: int) -> None:
    urls = [f"{nginx.plain}/{said}/{number}.bin" for number in range(20)]
    found = {str(result.url): result.error or result.resource.read() for result in client.map(urls, 20)}  # type: ignore[union-attr]
    assert found == {url: b"%d" % number * 500 for number, url in enumerate(urls)}


def test_a_connection_of_frames_is_not_looked_at(nginx: Nginx, client: Client) -> None:
    """HTTP/1.1 is, before it is used again; HTTP/2 may say at any time what nobody asked for, and says whose it is."""
    client.get(f"{nginx.plain}/1.bin").read()  # libcurl is loaded
    (engine,) = (
        each for each in gc.get_objects() if isinstance(each, CurlEngine) and each.scheduler is client._scheduler()
    )
    probes = engine.sockets._probes
    probes.clear()
    client.get(f"{nginx.tls}/1.bin").read()
    assert probes == {}
    client.get(f"{nginx.literal}/1.bin").read()
    assert len(probes) == 1


def test_many_large_ones_at_once_read_one_by_one(nginx: Nginx, client: Client) -> None:
    """None waits for ever for room that others have taken and don't use."""
    results = client.map([f"{nginx.tls}/middle.bin?{n}" for n in range(4)], 4)
    resources = [result.resource for result in results]
    assert None not in resources
    for resource in resources[:3]:
        assert resource is not None
        resource.close()
    assert resources[3] is not None
    assert sum(map(len, resources[3].iter_bytes())) == MIDDLE


@pytest.mark.parametrize("verb", ["get", "stat", "put", "request", "map"])
def test_every_verb_speaks_http_2(nginx: Nginx, client: Client, verb: str) -> None:
    url = f"{nginx.tls}/put/verb.bin"
    client.put(url, b"new")
    put = client.put(url, b"x" * 100_000)
    (mapped,) = client.map([url])
    assert mapped.resource is not None
    done = {
        "get": client.get(url), "stat": client.stat(url), "put": put, "map": mapped.resource,
        "request": client.request("POST", url, content=iter([b"x", b"y"]), check=False),
    }  # fmt: skip
    assert done[verb].attributes["version"] == "2"
    assert done[verb].attributes["status"] == {"put": 204, "request": 405}.get(verb, 200)


@pytest.mark.parametrize("way", ["open", "begin", "map"])
def test_unread_streams_are_not_kept_in_memory(nginx: Nginx, way: str) -> None:
    """Ten of 20 MB each, and one of them is read: many streams of one connection held 20 MB each by then."""
    command = [sys.executable, "-c", UNREAD, f"{nginx.tls.replace('good.test', '127.0.0.1')}/middle.bin"]
    done = subprocess.run([*command, str(nginx.ca), way], capture_output=True, text=True, timeout=60, check=True)
    version, size, grown = done.stdout.split()
    assert (version, int(size)) == ("2", MIDDLE)
    assert int(grown) < 20 * 1024


def test_a_client_certificate_is_shown_where_the_user_leads(nginx: Nginx) -> None:
    """On one server that asks: a kept connection with the certificate serves no link of somebody else's, nor the other
    way round."""
    stranger = Provenance("document", scope=Scope.LOCAL, scheme="https", host="other.test", port=443, tls=True)
    network = Network(lambda host: ["127.0.0.1"])
    with Client(network=network, ca_file=nginx.ca, cert=nginx.cert) as client:
        for _ in range(2):
            assert client.get(nginx.asks).read() == b"SUCCESS"
            assert client.get(nginx.asks, came_from=stranger).read() == b"NONE"
        assert client.get(f"{nginx.asks}/demands").read() == b"welcome"
    with Client(network=network, ca_file=nginx.ca) as client:
        assert client.get(nginx.asks).read() == b"NONE"
        with pytest.raises(DeniedError):
            client.get(f"{nginx.asks}/demands")


def test_a_client_certificate_is_not_shown_to_a_gateway_on_the_word_of_others(nginx: Nginx) -> None:
    """Attack: the gateway knows the user by it, and a stranger's link asks it for what only the user may have."""
    stranger = Provenance("document", scope=Scope.PUBLIC, scheme="https", host="other.test", port=443, tls=True)
    gateways = {"doi": f"{nginx.asks}?{{path}}"}
    network = Network(lambda host: ["127.0.0.1"])
    with Client(network=network, ca_file=nginx.ca, cert=nginx.cert, gateways=gateways) as client:
        for _ in range(2):
            assert client.get("doi:10.1000/182").read() == b"SUCCESS"
            assert client.get("doi:10.1000/182", came_from=stranger).read() == b"NONE"


def test_the_command_shows_a_client_certificate(nginx: Nginx) -> None:
    url = nginx.asks.replace("good.test", "127.0.0.1") + "/demands"
    command = [sys.executable, "-m", "anyurl", "get", url, "--ca-file", str(nginx.ca)]
    shown = subprocess.run([*command, "--cert", str(nginx.cert)], capture_output=True, timeout=20, check=True)
    assert shown.stdout == b"welcome"
    assert subprocess.run(command, capture_output=True, timeout=20, check=False).returncode != 0


def test_many_at_once_on_asyncio(nginx: Nginx) -> None:
    async def test() -> None:
        async with AsyncClient(network=Network(lambda host: ["127.0.0.1"]), ca_file=nginx.ca) as client:
            count = 0
            async for result in client.map((f"{nginx.tls}/{number}.bin" for number in range(300)), 20):
                assert result.resource is not None
                assert len(await result.resource.read()) >= 500
                count += 1
            assert count == 300

    asyncio.run(test())


def test_a_large_file_in_little_memory(nginx: Nginx) -> None:
    command = [sys.executable, "-c", MEMORY, f"{nginx.literal}/large.bin"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    size, peak = map(int, done.stdout.split())
    assert size == LARGE
    assert peak < 60 * 1024
