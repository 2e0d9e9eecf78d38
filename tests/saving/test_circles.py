"""Mirrors of places that lead back into themselves: they end, and nothing that is no circle is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.dialogue import Entry
from anyurl.saving.circles import Fingerprint, above, circle_note
from anyurl.saving.tree import MENU_FILE
from anyurl.saving.worklist import NAME, Worklist
from anyurl.url import URL
from tests.servers import Connection, Server, reply


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def files(folder: Path) -> set[str]:
    """The files but the records of the mirror and its menus."""
    return (
        {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        - {NAME}
        - {str(path.relative_to(folder)) for path in folder.rglob(MENU_FILE)}
    )


def test_the_folders_above_one() -> None:
    assert above("") == []
    assert above("a") == [""]
    assert above("a/b/c") == ["", "a", "a/b"]


def test_a_fingerprint_is_of_all_that_is_told_in_its_order() -> None:
    def of(*entries: tuple[object, ...]) -> str:
        fingerprint = Fingerprint()
        for entry in entries:
            fingerprint.add(*entry)
        return str(fingerprint)

    assert of(("a", 1), ("b", 2)) == of(("a", 1), ("b", 2))
    others = [of(("a", 1)), of(("b", 2), ("a", 1)), of(("a", 1), ("b", 3)), of(("a", "1"), ("b", 2)), of(("\udcff", 1))]
    assert len({of(("a", 1), ("b", 2)), *others}) == 6


@pytest.mark.parametrize(
    ("count", "marks", "start"),
    [
        (0, ["1g1", "1g2"], ""),
        (1, [], ""),
        (1, [None, "1g2"], ""),
        (1, ["0g0", "0g0"], ""),
        (1, ["1g1", "1g2", "1g2"], "It leads back to a folder above it"),  # two links to one folder
        (2, [], "It lists the same as 2 folders above it"),
        (2, ["1g1", "1g2"], "It lists the same as 2 folders above it"),
    ],
)
def test_one_folder_above_is_enough_where_the_server_tells_files_apart(
    count: int, marks: list[str | None], start: str
) -> None:
    told: list[dict[str, object]] = [{} if mark is None else {"unique": mark} for mark in marks]
    entries = [Entry("x", URL("ftp://h/x/"), kind="listing", attributes=each) for each in told]
    note = circle_note(count, entries)
    assert note.startswith(start)
    assert bool(note) == bool(start)


def test_only_folders_above_count(tmp_path: Path) -> None:
    work = Worklist(str(tmp_path), URL("ftp://h/"), dry=True)
    try:
        assert [work.repeats(local, "x") for local in ("", "a", "b", "a/a", "a/b", "ab", "a/a/a")] == [
            0,
            1,
            1,
            2,
            2,
            1,
            3,
        ]
        assert work.repeats("a/a/b", "y") == 0
        assert work.repeats("a/a", "y") == 0  # asked once more, it listed something else
        assert work.repeats("a/a/b/c", "x") == 2
    finally:
        work.close()


def page(*links: str) -> bytes:
    return reply("".join(f'<a href="{each}">x</a> ' for each in links).encode(), "Content-Type: text/html")


def index(connection: Connection) -> None:
    """Every folder below /d/ links to the same three below it, as one would with links to itself in it."""
    while head := connection.head():
        path = head.split()[1].decode()
        if path == "/robots.txt":
            connection.send(b"HTTP/1.1 404 x\r\nContent-Length: 0\r\n\r\n")
        elif path.endswith("/"):
            connection.send(page("../", "?C=N", "f.txt", "one/", "two/", "three/", "/d/"))
        else:
            connection.send(reply(b"octets"))


def test_a_web_server_that_follows_links_to_folders(tmp_path: Path, client: Client) -> None:
    with Server(index) as server:
        outcomes = list(client.mirror(f"http://{server.authority}/d/", tmp_path))
    told = [each for each in outcomes if each.outcome == "skipped"]
    assert len(told) == 9
    assert {each.note for each in told} == {
        "It lists the same as 2 folders above it, and seems to lead back to them: it is not entered."
    }
    assert len(files(tmp_path)) == 2 * (1 + 3 + 9)
    assert {path.count("/") for path in files(tmp_path)} == {0, 1, 2}


def test_folders_that_only_look_alike_are_gone_into(tmp_path: Path, client: Client) -> None:
    def site(connection: Connection) -> None:
        while head := connection.head():
            path = head.split()[1].decode()
            depth = path.count("/") - 1
            if path.endswith("/"):
                connection.send(page("f.txt", "next/") if depth < 2 else page("f.txt"))
            else:
                connection.send(reply(b"octets") if path != "/robots.txt" else reply(b""))

    with Server(site) as server:
        outcomes = list(client.mirror(f"http://{server.authority}/", tmp_path))
    assert Counter(each.outcome for each in outcomes) == {"saved": 6}


def menu(connection: Connection) -> None:
    selector = connection.line().decode().strip()
    port = connection.sock.getsockname()[1]
    if selector.endswith("f.txt"):
        connection.send(b"octets\r\n.\r\n")
        return
    rows = [("0f", "f.txt"), ("1here", "here"), ("1again", "again")]
    lines = [f"{name}\t{selector}/{target}\t127.0.0.1\t{port}\r\n" for name, target in rows]
    connection.send(("iwords\tx\tx\t1\r\n" + "".join(lines) + ".\r\n").encode())


@pytest.mark.parametrize(("most", "saved"), [(1_000, 1 + 2), (0, 1 + 2 + 4)])
def test_of_a_menu_that_leads_back_no_documents_are_saved_but_those_of_a_long_one(
    tmp_path: Path, client: Client, most: int, saved: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anyurl.saving.mirror.MOST_WAITING", most)
    with Server(menu) as server:
        outcomes = list(client.mirror(f"gopher://{server.authority}/1/pub", tmp_path))
    assert len(files(tmp_path)) == saved
    assert sum("seems to lead back" in each.note for each in outcomes) == 4
