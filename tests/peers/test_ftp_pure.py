"""ftp and ftps against pure-ftpd, which has MLSD, UTF-8 and logins: what a person gets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl.client.client import Client
from anyurl.dialogue import Secret
from anyurl.errors import NotFoundError, ReplyError, SecretNeededError
from anyurl.guard.policy import Policy
from tests.peers.ftp_servers import HOST, TREE, Certificates, PureFtpd, running

MODIFIED = 786_240_000.0
PUB = {"x.bin", "x.txt", "a;type=a", "what?", "100%41", "with  spaces", "ü.bin", "sub"}
CONTENT = b"a\nb\r\nc\rd\0\xff" * 30_000
TEXT = b"one\n\ntwo\0\xff\n" * 30_000


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PureFtpd]:
    server = PureFtpd(tmp_path)
    with running(server):
        yield server


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def url(server: PureFtpd, path: str, scheme: str = "ftp", userinfo: str = "joe:s3cret%20pass@") -> str:
    return f"{scheme}://{userinfo}{HOST}:{server.port}/{path}"


FILES = [
    ("a directory and a name", "pub/x.bin", b"pub/x.bin"),
    ("text", "pub/x.txt", b"pub/x.txt"),
    ("text as octets", "pub/x.txt;type=i", b"pub/x.txt"),
    ("an encoded slash: the root of the login", "%2Fpub/x.bin", b"pub/x.bin"),
    ("an empty segment: pure-ftpd stays where it is", "/pub/x.bin", b"pub/x.bin"),
    ("a .. segment", "pub/sub/../x.bin", b"pub/x.bin"),
    ("an encoded semicolon", "pub/a%3Btype=a", b"pub/a;type=a"),
    ("UTF-8", "pub/%C3%BC.bin", "pub/ü.bin".encode()),
    ("an empty file", "pub/sub/empty.bin", b"pub/sub/empty.bin"),
]


@pytest.mark.parametrize(("path", "name"), [row[1:] for row in FILES], ids=[row[0] for row in FILES])
def test_get(server: PureFtpd, client: Client, path: str, name: bytes) -> None:
    with client.open(url(server, path)) as resource:
        assert resource.read() == TREE[name]
        assert resource.modified == MODIFIED


def test_lists_by_mlsd(server: PureFtpd, client: Client) -> None:
    entries = {entry.name: entry for entry in client.list(url(server, "pub/")).entries()}
    assert set(entries) == PUB
    assert (entries["x.bin"].size, entries["x.bin"].modified) == (len(TREE[b"pub/x.bin"]), MODIFIED)
    assert entries["x.bin"].attributes["unix.mode"] == "0644"
    for name, entry in entries.items():
        assert entry.url is not None
        if entry.kind == "document":
            assert client.open(entry.url).read() == TREE[b"pub/" + name.encode()]


@pytest.mark.parametrize("path", ["pub", "pub/", "pub/;type=d", ";type=d", "pub;type=d"])
def test_every_way_to_list_a_directory_gives_its_children(server: PureFtpd, client: Client, path: str) -> None:
    names = {entry.name for entry in client.list(url(server, path)).entries()}
    assert names == ({"pub", "motd"} if path == ";type=d" else PUB)


def test_ls_of_a_file_and_of_nothing(server: PureFtpd, client: Client) -> None:
    (entry,) = client.list(url(server, "pub/x.bin")).entries()
    assert (entry.name, entry.size) == ("x.bin", len(TREE[b"pub/x.bin"]))
    with pytest.raises(NotFoundError):
        client.list(url(server, "pub/nothing"))


def test_stat_by_mlst(server: PureFtpd, client: Client) -> None:
    found = client.stat(url(server, "pub/x.bin"))
    assert (found.kind, found.size, found.modified) == ("document", len(TREE[b"pub/x.bin"]), MODIFIED)
    assert client.stat(url(server, "pub")).kind == "listing"
    with pytest.raises(NotFoundError):
        client.stat(url(server, "nothing"))


def test_what_is_not_there(server: PureFtpd, client: Client) -> None:
    with pytest.raises(NotFoundError, match="'nothing'"):
        client.open(url(server, "nothing"))
    with pytest.raises(ReplyError, match="is a directory"):
        client.open(url(server, "pub"))


@pytest.mark.parametrize(("suffix", "content"), [("", CONTENT), (";type=a", TEXT)])
def test_put_and_append(server: PureFtpd, client: Client, suffix: str, content: bytes) -> None:
    client.put(url(server, f"pub/new{suffix}"), content)
    assert (server.root / "pub" / "new").read_bytes() == content
    client.append(url(server, f"pub/new{suffix}"), b"more\n")
    assert (server.root / "pub" / "new").read_bytes() == content + b"more\n"


def test_a_password_that_is_asked_for(server: PureFtpd, client: Client) -> None:
    with pytest.raises(SecretNeededError):
        client.open(url(server, "motd", userinfo="joe@"))
    with Client(Policy.open(), ask_secret=lambda *_: Secret(PureFtpd.PASSWORD)) as asking:
        assert asking.open(url(server, "motd", userinfo="joe@")).read() == TREE[b"motd"]


def test_tls(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    server = PureFtpd(tmp_path, certificates.certificate)
    with running(server), Client(Policy.open(), ca_file=certificates.authority) as client:
        assert client.open(url(server, "pub/x.bin", "ftps")).read() == TREE[b"pub/x.bin"]
        assert {entry.name for entry in client.list(url(server, "pub/", "ftps")).entries()} == PUB
        client.put(url(server, "pub/new", "ftps"), CONTENT)
        assert (server.root / "pub" / "new").read_bytes() == CONTENT
