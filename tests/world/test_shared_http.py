"""A folder by http: files, ranges and conditions, pages of folders, and nothing that is not shared."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.dialogue import Resume
from anyurl.errors import NotFoundError, ReplyError
from anyurl.files.shared import SharedFolder
from anyurl.url.cut import percent_encode
from anyurl.world.shared_http import HttpFolder
from tests.needs import need
from tests.peers.ftp_servers import HOST
from tests.servers import Connection, Server, reply
from tests.world.shared_tree import BINARY, OUTSIDE, PATHS_OUT, TEXT, make

pytestmark = pytest.mark.promise("shared-folder")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path)


@pytest.fixture
def top(root: Path) -> Iterator[str]:
    with closing(SharedFolder(str(root))) as folder, closing(HttpFolder(folder)) as server:
        yield f"http://{HOST}:{server.port}/"


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def test_files_and_pages_of_folders(client: Client, top: str, root: Path) -> None:
    assert client.get(top + "notes.txt").read() == TEXT
    with client.get(top + "data") as resource:
        assert (resource.content_type, resource.size) == ("application/octet-stream", len(BINARY))
        assert resource.read() == BINARY
    names = [entry.name for entry in client.list(top).entries()]
    assert names == ["sub/", "data", "notes.txt"]
    (below,) = client.list(top + "sub").entries()
    assert client.get(below).read() == "Gr\u00fc\u00dfe\n".encode()
    (root / "index.html").write_text("<p>Mine")
    assert client.get(top).read() == b"<p>Mine"


def test_a_download_goes_on_in_the_middle_and_what_is_known_is_not_sent_again(client: Client, top: str) -> None:
    first = client.get(top + "data", resume=Resume(0))
    first.read()
    with client.get(top + "data", resume=Resume(1000, first.etag, first.modified, first.size)) as rest:
        assert (rest.start, rest.read()) == (1000, BINARY[1000:])
    assert client.get(top + "data", etag=first.etag or "", check=False).read() == b""
    span = client.get(top + "notes.txt", headers={"Range": "bytes=-5"}, check=False)
    assert span.read() == TEXT[-5:]
    with pytest.raises(ReplyError):
        client.get(top + "notes.txt", headers={"Range": "bytes=500-"})


@pytest.mark.parametrize("path", PATHS_OUT)
def test_what_is_not_shared_is_not_there(client: Client, top: str, path: str) -> None:
    url = top + percent_encode(path.encode(), b"").replace("%2F", "/")
    try:
        found = client.get(url).read()
    except NotFoundError:
        return
    assert OUTSIDE not in found
    assert path in ("sub/", "./notes.txt", "sub/../notes.txt")  # a URL itself resolves dots


@pytest.mark.parametrize(("host", "status"), [("evil.example", 421), ("localhost", 200), (HOST, 200)])
def test_a_name_that_leads_here_reads_nothing(top: str, host: str, status: int) -> None:
    port = top.rpartition(":")[2].rstrip("/")
    with Client(Policy.open(), resolve=[f"{host}:{port}:{HOST}"]) as client:
        resource = client.get(f"http://{host}:{port}/notes.txt", check=False)
        assert resource.attributes["status"] == status
        assert (TEXT in resource.read()) == (status == 200)


def test_nothing_is_written(client: Client, top: str, root: Path) -> None:
    with pytest.raises(ReplyError):
        client.put(top + "notes.txt", b"other")
    assert (root / "notes.txt").read_bytes() == TEXT


@pytest.mark.parametrize("program", ["curl", "wget", "lynx"])
def test_clients_of_others_read_it(top: str, program: str, tmp_path: Path) -> None:
    need(program)
    options = {"curl": ["-sL"], "wget": ["-qO-"], "lynx": ["-source"]}[program]
    done = subprocess.run([program, *options, top + "data"], capture_output=True, timeout=60, check=True)
    assert done.stdout == BINARY


def test_a_mirror_is_served_with_its_queries(tmp_path: Path, client: Client) -> None:
    def part(connection: Connection) -> None:
        while head := connection.head():
            path = head.split()[1]
            page = b'<a href="q?x=1">a</a><a href="q?x=/2">b</a><a href="s/?p=1">c</a>' if path == b"/" else path
            type = "text/plain" if path.endswith(b"2") else "text/html"
            there = b"" if path == b"/robots.txt" else (b"<!DOCTYPE html>" if path != b"/q?x=/2" else b"") + page
            connection.send(reply(there, f"Content-Type: {type}"))

    with Server(part) as server:
        assert not [each.error for each in client.mirror(f"http://{server.authority}/", tmp_path) if each.error]
    with closing(SharedFolder(str(tmp_path))) as folder, closing(HttpFolder(folder)) as server:
        for target, type in (("q?x=1", "text/html"), ("q?x=/2", "text/plain"), ("s/?p=1", "text/html")):
            with client.get(f"http://{HOST}:{server.port}/{target}") as resource:
                assert resource.read().endswith(target.encode())
                assert resource.content_type == type
        assert client.get(f"http://{HOST}:{server.port}/?other=1").read().startswith(b"<!DOCTYPE html><a href")
        with pytest.raises(NotFoundError):
            client.get(f"http://{HOST}:{server.port}/q?%00")
