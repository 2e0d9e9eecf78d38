"""A mirror in an event loop: the same as in a thread (`test_mirror`), and no turn of the loop is held up."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from anyurl import URL, AsyncClient, Client, Mirrored, Policy
from anyurl.errors import RefusedError
from anyurl.saving.mirror import LINKS_AT_ONCE, Mirror, Pause
from anyurl.values import USER
from tests.saving.test_mirror import DOCUMENTS, PAGES, Web, files, world
from tests.servers import PATIENCE, Connection, Server, reply


async def mirror(root: URL | str, folder: Path) -> list[Mirrored]:
    async with AsyncClient(Policy.open()) as client:
        return [each async for each in client.mirror(root, folder)]


@pytest.mark.parametrize("scheme", ["ftp", "gopher", "http"])
def test_the_same_in_an_event_loop(scheme: str, tmp_path: Path) -> None:
    with world(scheme) as root:
        outcomes = Counter(each.outcome for each in asyncio.run(mirror(root, tmp_path)))
    assert set(files(tmp_path)) >= DOCUMENTS
    assert outcomes["saved"] == len(files(tmp_path))


def test_robots_txt_is_obeyed_there_too(tmp_path: Path) -> None:
    with Server(Web(PAGES, b"User-agent: *\nDisallow: /d/sub\n")) as server:
        asyncio.run(mirror(f"http://{server.authority}/d/", tmp_path))
        assert set(files(tmp_path)) == {"index.html", "a.txt"}
        with pytest.raises(RefusedError, match=r"robots\.txt"):
            asyncio.run(mirror(f"http://{server.authority}/d/sub/", tmp_path / "none"))


def test_the_links_of_a_long_page_are_noted_in_many_turns(tmp_path: Path) -> None:
    links = 1000
    page = b"".join(b"<a href=/d/%d>" % number for number in range(links))
    with Server(Web({"/d/": page})) as server, Client(Policy.open()) as client:
        root = URL(f"http://{server.authority}/d/")
        mirror = Mirror(root, USER, tmp_path)
        item = next(mirror.targets())
        turns = 0
        with client.open(item) as resource:
            steps = mirror.settle(item, resource)
            step = next(steps)
            with suppress(StopIteration):
                while True:
                    turns += isinstance(step, Pause)
                    step = steps.send(resource._next() if step is None else None)
        assert turns >= links / LINKS_AT_ONCE
        assert len(list(mirror.targets())) == links
        mirror.close()


NAMES, LARGE = ("one.bin", "two.bin", "three.bin"), bytes(8_000_000)
"""Documents of more octets than the buffers of a connection hold."""


class Meeting:
    """Answers for a page or menu of `NAMES`, by http or gopher: no document goes on before all have got that far."""

    def __init__(self, scheme: str) -> None:
        self._barrier = threading.Barrier(len(NAMES))
        self._play = self._http if scheme == "http" else self._gopher

    def __call__(self, connection: Connection) -> None:
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        self._play(connection)

    def _http(self, connection: Connection) -> None:
        while head := connection.head():
            path = head.split()[1].decode()
            if path.endswith(NAMES):
                connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (len(LARGE) + 1))
                self._document(connection)
            else:
                page = "".join(f"<a href={name}>" for name in NAMES).encode()
                connection.send(reply(page, "Content-Type: text/html", status="200 OK" if path == "/" else "404 No"))

    def _gopher(self, connection: Connection) -> None:
        host, port = connection.sock.getsockname()
        if connection.line():
            self._document(connection)
        else:
            connection.send("".join(f"9{name}\t/{name}\t{host}\t{port}\r\n" for name in NAMES).encode())

    def _document(self, connection: Connection) -> None:
        connection.send(LARGE)
        with suppress(threading.BrokenBarrierError):  # they were not, and so none of them is whole
            self._barrier.wait(PATIENCE)
            connection.send(b".")


@pytest.mark.parametrize("scheme", ["http", "gopher"])
@pytest.mark.parametrize("waits", ["thread", "event loop"])
def test_all_documents_under_way_are_transferred_together(scheme: str, waits: str, tmp_path: Path) -> None:
    with Server(Meeting(scheme)) as server:
        root = f"{scheme}://{server.authority}/"
        if waits == "thread":
            with Client(Policy.open()) as client:
                told = list(client.mirror(root, tmp_path))
        else:
            told = asyncio.run(mirror(root, tmp_path))
    assert [each.error for each in told if each.error is not None] == []
    assert {name: (tmp_path / name).stat().st_size for name in NAMES} == dict.fromkeys(NAMES, len(LARGE) + 1)
