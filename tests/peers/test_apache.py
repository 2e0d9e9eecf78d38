"""Logging in at apache2, whose mod_auth_digest checks the target octet for octet: every method, and strange targets."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import Client, Login, SecretFile
from anyurl.errors import AuthRequiredError
from tests import needs
from tests.peers import http_servers
from tests.servers import WAIT_SECONDS, free_port

USER, PASSWORD, REALM = "joe", "open sesame", "the museum"
CONFIG = """
ServerRoot {root}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
KeepAlive Off
PidFile {root}/pid
ErrorLog {root}/error.log
DefaultRuntimeDir {root}
Mutex file:{root}
{modules}
<IfModule unixd_module>
User nobody
Group nogroup
</IfModule>
LogFormat "%r %>s %{{Authorization}}i" said
CustomLog {root}/said.log said
DocumentRoot {root}/www
DavLockDB {root}/lock
AllowEncodedSlashes NoDecode
<Directory {root}/www>
    Require all granted
</Directory>
<Location /digest/>
    AuthType Digest
    AuthName "{realm}"
    AuthDigestProvider file
    AuthUserFile {root}/digests
    AuthDigestDomain /digest/
    Require valid-user
    Dav On
</Location>
<Location /short/>
    AuthType Digest
    AuthName "{realm}"
    AuthDigestProvider file
    AuthUserFile {root}/digests
    AuthDigestNonceLifetime 1
    Require valid-user
</Location>
<Location /next/>
    AuthType Digest
    AuthName "{realm}"
    AuthDigestProvider file
    AuthUserFile {root}/digests
    AuthDigestNonceLifetime 25
    Require valid-user
</Location>
<Location /basic/>
    AuthType Basic
    AuthName "{realm}"
    AuthBasicProvider file
    AuthUserFile {root}/users
    Require valid-user
    Dav On
</Location>
"""
MODULES = (
    "mpm_prefork", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "auth_digest", "dav", "dav_fs",
)  # fmt: skip


class Apache:
    """A running apache2, and what it was told."""

    def __init__(self, root: Path, port: int) -> None:
        self.root, self.port, self.authority = root, port, f"127.0.0.1:{port}"
        self._asked = self._before = 0

    def mark(self) -> None:
        """What is said from now on is new. A request of its own tells that all before it is written down."""
        self._ask()
        self._before = len(self._lines())

    def new(self) -> list[str]:
        """What was said since then: a line is written when its answer has gone out."""
        self._ask()
        return self._lines()[self._before : -1]

    def _ask(self) -> None:
        self._asked += 1
        with socket.create_connection(("127.0.0.1", self.port), WAIT_SECONDS) as sock:
            sock.sendall(b"GET /mark%d HTTP/1.0\r\n\r\n" % self._asked)
            while sock.recv(65536):
                pass
        until = time.monotonic() + WAIT_SECONDS
        while not any(f"GET /mark{self._asked} " in line for line in self._lines()):
            assert time.monotonic() < until
            os.sched_yield()

    def _lines(self) -> list[str]:
        return (self.root / "said.log").read_text(errors="replace").splitlines()


@pytest.fixture(scope="module")
def apache() -> Iterator[Apache]:
    program = needs.program("apache2")
    needs.need("openssl")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:  # not below a folder of pytest's: apache2 gives its rights away
        root = Path(folder)
        root.chmod(0o777)
        for name in ("digest", "short", "next", "basic"):
            (root / "www" / name).mkdir(parents=True)
            (root / "www" / name / "a~b.txt").write_bytes(b"inner")
            (root / "www" / name).chmod(0o777)
        word = hashlib.md5(f"{USER}:{REALM}:{PASSWORD}".encode()).hexdigest()
        (root / "digests").write_text(f"{USER}:{REALM}:{word}\n")
        hashed = subprocess.run(["openssl", "passwd", "-apr1", PASSWORD], capture_output=True, text=True, check=True)
        (root / "users").write_text(f"{USER}:{hashed.stdout}")
        modules = "\n".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in MODULES)
        (root / "conf").write_text(CONFIG.format(root=root, port=port, modules=modules, realm=REALM))
        process = subprocess.Popen([program, "-X", "-f", str(root / "conf")], stderr=subprocess.PIPE, text=True)
        try:
            until = time.monotonic() + 20
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    assert process.poll() is None, process.stderr.read() if process.stderr else ""
                    assert time.monotonic() < until
                    os.sched_yield()
            yield Apache(root, port)
        finally:
            process.kill()
            process.communicate()


@pytest.fixture
def client() -> Iterator[Client]:
    with Client() as client:
        yield client


LOGIN = "joe:open%20sesame"

TARGETS = [
    "a~b.txt",
    "a%7eb.txt",  # libcurl would sign it as a~b.txt
    "a%7Eb.txt",
    "a~b.txt?x=y&z=%20%7e",
    "a~b.txt?",
    "./a~b.txt",
    'a~b.txt?"quoted\\',
]


@pytest.mark.parametrize("target", TARGETS)
def test_digest_is_over_the_target_as_it_is_sent(apache: Apache, client: Client, target: str) -> None:
    target = target.replace('"', "%22").replace("\\", "%5C")
    url = f"http://{LOGIN}@{apache.authority}/digest/{target}"
    apache.mark()
    assert client.get(url).read() == b"inner"
    asked, answered = apache.new()
    assert asked.endswith(" 401 -")
    assert " 200 Digest " in answered
    assert f'uri="/digest/{target}"' in answered.replace('\\"', '"')


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_every_method(apache: Apache, client: Client, method: str) -> None:
    url = f"http://{LOGIN}@{apache.authority}/digest/new%7e.bin?x"
    content = bytes(range(256)) * 1000
    client.put(url.removesuffix("?x"), content)
    apache.mark()
    resource = client.request(method, url, content=content if method == "PUT" else None)
    assert resource.status in (200, 201, 204)
    assert [line.split()[0] for line in apache.new()] == [method, method]
    assert f"{method} /digest/new%7e.bin?x HTTP/1.1 401 -" in apache.new()[0]


def test_a_large_content_is_sent_again_from_its_start(apache: Apache, client: Client, tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(os.urandom(3 * 1024 * 1024))
    url = f"http://{LOGIN}@{apache.authority}/digest/large.bin"
    with large.open("rb") as file:
        client.put(url, file)
    assert (apache.root / "www" / "digest" / "large.bin").read_bytes() == large.read_bytes()


def test_what_can_be_read_once_is_sent_once(apache: Apache, client: Client) -> None:
    url = f"http://{LOGIN}@{apache.authority}/digest/once.bin"
    apache.mark()
    client.put(url, (piece for piece in (b"one ", b"two")))
    assert (apache.root / "www" / "digest" / "once.bin").read_bytes() == b"one two"
    assert [line.split()[0] for line in apache.new()] == ["HEAD", "PUT"]


@pytest.mark.parametrize("place", ["digest", "basic"])
def test_a_wrong_password_is_tried_once(apache: Apache, client: Client, place: str) -> None:
    apache.mark()
    with pytest.raises(AuthRequiredError, match="user and password are not accepted"):
        client.get(f"http://joe:wrong@{apache.authority}/{place}/a~b.txt")
    assert len(apache.new()) == 2


def test_a_login_of_the_callers_own(apache: Apache, tmp_path: Path) -> None:
    word = tmp_path / "word"
    word.write_text(PASSWORD + "\n")
    origin = f"http://{apache.authority}"
    for login, place, requests in (
        (Login(USER, SecretFile(word)), "digest", 2),
        (Login.digest(USER, PASSWORD), "digest", 2),
        (Login.basic(USER, PASSWORD), "basic", 1),
        (Login(USER, PASSWORD), "basic", 2),
    ):
        apache.mark()
        with Client(auth={origin: login}) as client:
            assert client.get(f"{origin}/{place}/a~b.txt").read() == b"inner"
        assert len(apache.new()) == requests
    with Client(auth={origin: Login.digest(USER, PASSWORD)}) as client:
        with pytest.raises(AuthRequiredError, match="it offers no Digest that is known here"):
            client.get(f"{origin}/basic/a~b.txt")


def test_netrc_has_it_where_digest_is_wanted_and_basic_would_be_clear(
    apache: Apache, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "netrc"
    kept.write_text(f'machine 127.0.0.1 login {USER} password "{PASSWORD}"\n')
    kept.chmod(0o600)
    monkeypatch.setenv("NETRC", str(kept))
    assert client.get(f"http://{apache.authority}/digest/a~b.txt").read() == b"inner"
    with pytest.raises(AuthRequiredError, match="write the user into the URL"):
        client.get(f"http://{apache.authority}/basic/a~b.txt")
    assert client.get(f"http://{USER}@{apache.authority}/basic/a~b.txt").read() == b"inner"


def test_a_nonce_that_was_too_old_is_no_wrong_password(apache: Apache, client: Client) -> None:
    """apache2 forgets a nonce after a second here; the one that it then gives is taken at once."""
    for _ in range(3):
        assert client.get(f"http://{LOGIN}@{apache.authority}/short/a~b.txt").read() == b"inner"


def test_a_nonce_serves_for_more_than_one_request(apache: Apache) -> None:
    url = f"http://{apache.authority}/digest/a~b.txt"
    user, password = USER, PASSWORD
    with Client(auth={f"http://{apache.authority}": Login(user, password)}) as client:
        apache.mark()
        for _ in range(3):
            assert client.get(url).read() == b"inner"
    said = apache.new()
    assert [line.split()[3] for line in said] == ["401", "200", "200", "200"]
    assert [f"nc=0000000{number}" in said[number] for number in (1, 2, 3)] == [True] * 3


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "anyurl", "get", *arguments]
    environment = {**os.environ, "NETRC": "/nowhere/netrc", **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)


def test_the_command_logs_in(apache: Apache, tmp_path: Path) -> None:
    word = tmp_path / "word"
    word.write_text(PASSWORD + "\n")
    origin = f"http://{apache.authority}"
    for place in ("digest", "basic"):
        for how in (["--password-file", str(word)], ["--password-variable", "MY_WORD"]):
            done = run(f"{origin}/{place}/a~b.txt", "--user", USER, *how, MY_WORD=PASSWORD)
            assert (done.returncode, done.stdout) == (0, "inner"), done.stderr
    apache.mark()
    done = run(f"{origin}/basic/a~b.txt", "--user", USER, "--basic", "--password-file", str(word))
    assert (done.stdout, len(apache.new())) == ("inner", 1)
    done = run(f"{origin}/digest/a~b.txt", "--bearer-file", str(word))
    assert done.returncode == 8
    assert apache.new()[-1].endswith(f"401 Bearer {PASSWORD}")
    done = run(f"{origin}/digest/a~b.txt", "--user", USER)
    assert done.returncode == 8
    assert "an entry for 127.0.0.1 in .netrc" in done.stderr


def test_of_a_file_that_may_still_change_no_part_is_asked_for(tmp_path: Path) -> None:
    with contextlib.closing(http_servers.Apache(tmp_path)) as server, Client() as client:
        path = server.root / "pub" / "fresh.bin"
        path.write_bytes(bytes(range(256)) * 1024)
        ahead = time.time() + 1000  # apache2 calls a tag weak until a second after the modification
        os.utime(path, (ahead, ahead))
        url = f"http://127.0.0.1:{server.port}/pub/fresh.bin"
        with client.get(url) as resource:
            assert (resource.etag or "").startswith('W/"')
            assert not resource.seekable()
            assert resource.read(4) == bytes(range(4))
            with pytest.raises(io.UnsupportedOperation, match="proves"):
                resource.seek(100_000)
            assert resource.read(4) == bytes(range(4, 8))
        os.utime(path, (ahead - 1010, ahead - 1010))
        with client.get(url) as resource:
            assert resource.seekable()
            resource.seek(256 * 1000 + 3)
            assert resource.read(4) == bytes(range(3, 7))


def test_the_nonce_that_it_wants_next_is_used(apache: Apache) -> None:
    """It names one with each answer when less than 30 seconds are left of the last; a check at the server agrees."""
    apache.mark()
    with Client(auth={f"http://{apache.authority}": Login(USER, PASSWORD)}) as client:
        for _ in range(3):
            assert client.get(f"http://{apache.authority}/next/a~b.txt").read() == b"inner"
    said = apache.new()
    assert [line.split()[3] for line in said] == ["401", "200", "200", "200"]
    nonces = [re.search(r', nonce=\\"([^\\]*)', line) for line in said[1:]]
    assert len({found[1] for found in nonces if found is not None}) == 3
    assert all("nc=00000001" in line for line in said[1:])
