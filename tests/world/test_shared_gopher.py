"""A folder by gopher: menus, its own gophermaps, texts and octets, and nothing that is not shared."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.files.shared import SharedFolder
from anyurl.world.shared_gopher import GopherFolder
from tests.needs import program
from tests.peers.ftp_servers import HOST
from tests.world.shared_tree import BINARY, OUTSIDE, PATHS_OUT, TEXT, make


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path)


@pytest.fixture
def port(root: Path) -> Iterator[int]:
    with closing(SharedFolder(str(root))) as folder, closing(GopherFolder(folder)) as server:
        yield server.port


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def ask(port: int, selector: bytes) -> bytes:
    with socket.create_connection((HOST, port), timeout=10) as connection:
        connection.sendall(selector + b"\r\n")
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_a_menu_has_files_and_folders_by_their_types(client: Client, port: int, root: Path) -> None:
    for name, content in (("p.png", b"\x89PNG"), ("p.gif", b"GIF8"), ("page.html", b"<p>"), ("lie.txt", b"a\0b")):
        (root / name).write_bytes(content)
    top = f"gopher://{HOST}:{port}/"
    entries = {entry.name: entry for entry in client.list(top).entries()}
    types = {name: str(entry.url).removeprefix(top)[:1] for name, entry in entries.items()}
    assert types == {
        "sub": "1", "data": "9", "notes.txt": "0", "p.png": "I", "p.gif": "g", "page.html": "h", "lie.txt": "9",
    }  # fmt: skip
    assert client.get(entries["notes.txt"]).read() == TEXT + b"\n"  # a text ends with a line end
    assert client.get(entries["data"]).read() == BINARY
    (inner,) = client.list(entries["sub"]).entries()
    assert client.get(inner).read() == "Gr\u00fc\u00dfe\n".encode()


def test_a_gophermap_is_the_menu_of_its_folder(port: int, root: Path) -> None:
    (root / "gophermap").write_text(
        "Welcome\n# a comment\n0The notes\tnotes.txt\n1Below\t/sub\n0sub\t\n1Other\t/x\tother.example\t7070\n"
        "hWeb\tURL:http://h.example/\n1Far\t/\tfar.example\n*\n.\nhidden line\n"
    )
    here = f"{HOST}\t{port}"
    assert ask(port, b"").decode().split("\r\n") == [
        "iWelcome\t\terror.host\t1",
        f"0The notes\t/notes.txt\t{here}",
        f"1Below\t/sub\t{here}",
        f"0sub\t/sub\t{here}",
        "1Other\t/x\tother.example\t7070",
        f"hWeb\tURL:http://h.example/\t{here}",
        "1Far\t/\tfar.example\t70",
        f"1sub\t/sub\t{here}",
        f"9data\t/data\t{here}",
        f"0notes.txt\t/notes.txt\t{here}",
        ".",
        "",
    ]


def test_a_text_is_stuffed_and_ended(port: int) -> None:
    assert ask(port, b"/notes.txt") == b"one\r\n..two\r\nthree\r\n.\r\n"


@pytest.mark.parametrize("path", PATHS_OUT)
def test_what_is_not_shared_is_not_there(port: int, path: str) -> None:
    reply = ask(port, path.encode())
    assert OUTSIDE not in reply
    assert reply.startswith(b"3") or path == "sub/"


@pytest.mark.parametrize("name", ["curl", "lynx"])
def test_clients_of_others_read_it(port: int, name: str) -> None:
    option = {"curl": "-s", "lynx": "-source"}[name]
    command = [program(name), option, f"gopher://{HOST}:{port}/9/data"]
    assert subprocess.run(command, capture_output=True, timeout=60, check=True).stdout == BINARY
