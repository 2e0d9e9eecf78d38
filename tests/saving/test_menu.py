"""Gopher menus as files: what a server makes of them again is the menu that the mirror came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl import URL, Client, Policy
from anyurl.dialogue import Entry
from anyurl.saving.menu import Gophermap
from anyurl.saving.tree import MENU_FILE
from tests.peers.ftp_servers import HOST, Spawning, program
from tests.servers import Connection, Server

LINES = [
    "iWelcome to the hole\tfake\t(NULL)\t0",
    "i\tfake\t(NULL)\t0",
    "0About this\t/about.txt\t{host}\t{port}",
    "1Letters\t/letters\t{host}\t{port}",
    "i- * # not a command: a text\tfake\t(NULL)\t0",
    "hThe web\tURL:http://w.example/x?y\t{host}\t{port}",
    "7Search\t/find\t{host}\t{port}",
    "1Elsewhere\t/e\tother.example\t70",
    "8Board\tguest\tboard.example\t23",
]
BELOW = ["iLetters\tfake\t(NULL)\t0", "0First\t/letters/1.txt\t{host}\t{port}", "1Up\t/\t{host}\t{port}"]


def hole(connection: Connection) -> None:
    host, port = connection.sock.getsockname()
    menus = {b"": LINES, b"/letters": BELOW, b"/": LINES}
    selector = connection.line().rstrip(b"\r\n")
    if selector in menus:
        text = "".join(f"{line}\r\n" for line in menus[selector]) + ".\r\n"
        connection.send(text.format(host=host, port=port).encode())
    else:
        connection.send(b"text of %s\r\n.\r\n" % selector)


def menu(client: Client, url: str, own: str) -> list[tuple[str, object, str]]:
    """Type, title and target of each line, without the server's own address."""
    return [
        (entry.title or "", entry.attributes["gopher_type"], str(entry.url).replace(own, "").rstrip("/"))
        for entry in client.list(url).entries()
    ]


@pytest.fixture
def client() -> Client:
    return Client(Policy.open())


def test_gophernicus_makes_the_same_menus_of_a_mirror(tmp_path: Path, client: Client) -> None:
    binary = program("gophernicus")
    with client, Server(hole) as server:
        root = f"gopher://{server.authority}"
        first = list(client.mirror(f"{root}/", tmp_path / "copy"))
        assert [each for each in first if each.error] == []
        there = [menu(client, f"{root}/1{path}", root) for path in ("/", "/letters")]
        plain = ["-nm", "-nu", "-nx", "-nr", "-ns", "-np", "-nf"]
        again = Spawning([binary, "-h", HOST, "-p", "70", "-r", str(tmp_path / "copy"), *plain])
        try:
            own = f"gopher://{HOST}"
            here = [menu(client, f"{own}:{again.port}/1{path}", own) for path in ("/", "/letters/")]
            here[0] = [(title, type, place.replace(f":{server.port}", "")) for title, type, place in here[0]]
        finally:
            again.close()
    assert here == there


def test_a_menu_is_kept_and_comes_anew_when_it_changes_but_is_the_users_when_edited(
    tmp_path: Path, client: Client
) -> None:
    path = tmp_path / MENU_FILE
    with client, Server(hole) as server:
        root = f"gopher://{server.authority}/"
        list(client.mirror(root, tmp_path))
        first = path.read_bytes()
        assert b"iWelcome to the hole\tfake" in first
        assert b"0About this\t/about.txt\r\n" in first
        LINES.append("inews\tfake\t(NULL)\t0")
        try:
            assert not [each for each in client.mirror(root, tmp_path) if each.error]
        finally:
            LINES.pop()
        assert b"inews" in path.read_bytes()
        path.write_bytes(b"mine")
        errors = [str(each.error) for each in client.mirror(root, tmp_path) if each.path == MENU_FILE]
        assert path.read_bytes() == b"mine"
        assert len(errors) == 1
        list(client.mirror(root, tmp_path, force=True))
        assert path.read_bytes() == first


def test_no_title_makes_a_line_or_a_field_of_its_own() -> None:
    with Gophermap() as menu:
        menu.add([
            Entry("x", URL("gopher://h/0a"), title="a\tb\r\n0c", attributes={"gopher_type": "0"}),
            Entry("pw", URL("http://u:word@h/"), title="w", attributes={"gopher_type": "h"}),
        ])  # fmt: skip
        with menu.written(lambda _: None) as file:
            lines = file.read().decode().split("\r\n")
    assert lines[0] == "0a b  0c\ta\th\t70"
    assert "word" not in lines[1]
    assert lines[2:] == [""]
