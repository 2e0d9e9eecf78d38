"""A module that a request needs and no descriptor is left for is an error of the tree, wherever it is loaded."""

from __future__ import annotations

import asyncio
import errno
import importlib.machinery
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from anyurl import AsyncClient, Client, Login, Policy
from anyurl.errors import AnyURLError, LocalFileError
from anyurl.reasons import in_the_tree, loads_late
from tests.servers import Connection, Server, free_port, reply


class NoDescriptor:
    """A finder for a process that has no descriptor left when it looks for one module."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name == self.name:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return None


@pytest.fixture
def without(forget: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes a module one that can't be loaded."""

    def hide(name: str) -> None:
        forget(name)
        monkeypatch.setattr(sys, "meta_path", [NoDescriptor(name), *sys.meta_path])

    return hide


ANSWERS = {
    b"/busy": reply(b"", "Retry-After: 0", status="503 Busy"),
    b"/coded": reply(b"\x1f\x8b", "Content-Encoding: gzip"),
    b"/form": reply(b"hello", "Accept-Ranges: bytes", 'ETag: "1"', "Link: </x>; rel=next"),
}


def part(connection: Connection) -> None:
    while head := connection.head():
        connection.send(ANSWERS.get(head.split()[1], reply(b"hello")))


def again(client: Client, url: str) -> object:
    return client.get(f"{url}/form").seek(2)


def broken(client: Client, _url: str) -> object:
    return client.get(f"http://127.0.0.1:{free_port()}/").read()


GET = [
    ("anyurl.net.handlers", {}, lambda client, url: client.get(url)),
    ("anyurl.net.scheduler", {}, lambda client, url: client.get(url)),
    ("anyurl.access.retries", {"retries": 2}, lambda client, url: client.get(f"{url}/busy")),
    ("anyurl.net.manners", {"per_host": 1}, lambda client, url: client.get(url)),
    ("anyurl.net.http.coding", {}, lambda client, url: client.get(f"{url}/coded").read()),
    ("anyurl.net.http.errors", {}, broken),
    ("anyurl.access.logins", {"auth": {"http://127.0.0.1": Login("u", "p")}}, lambda client, url: client.get(url)),
    ("anyurl.access.trace", {"trace": lambda _: None}, lambda client, url: client.get(url)),
    ("anyurl.access.requests", {}, lambda client, url: client.get(url, headers={"X": "y"})),
    ("anyurl.access.requests", {}, lambda client, url: client.get(url, query={"a": "b"})),
    ("anyurl.access.requests", {}, lambda client, url: client.request("GET", url)),
    ("anyurl.access.multipart", {}, lambda client, url: client.request("POST", url, files={"a": ("n", b"x", None)})),
    ("anyurl.access.as_file", {}, again),
    ("anyurl.access.web_links", {}, lambda client, url: client.get(f"{url}/form").links),
    ("anyurl.access.mirroring", {}, lambda client, url: list(client.mirror(url, "/none"))),
    ("anyurl.access.session", {}, lambda client, url: client.session(url)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings", "call"), GET, ids=[row[0] for row in GET])
def test_what_can_not_be_loaded(
    name: str, settings: dict[str, Any], call: Callable[[Client, str], object], without: Callable[[str], None]
) -> None:
    with Server(part) as server, Client(Policy.open(), **settings) as client:
        without(name)
        with pytest.raises(LocalFileError, match=r"can't open any more descriptors: too many open files") as caught:
            call(client, f"http://{server.authority}")
    assert caught.value.errno == errno.EMFILE


MADE = [
    ("anyurl.access.cookies", {"cookies": True}), ("anyurl.access.gateways", {"gateways": {"x": "http://h/{url}"}}),
    ("anyurl.net.proxies.table", {"proxy": "http://p.test"}), ("anyurl.access.warc.file", {"warc": "x.warc.gz"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings"), MADE, ids=[row[0] for row in MADE])
def test_a_client_that_can_not_be_made(
    name: str, settings: dict[str, Any], without: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    without(name)
    for kind in (Client, AsyncClient):
        with pytest.raises(LocalFileError, match="descriptors"):
            kind(**settings)


def test_a_retry_that_can_not_be_loaded_on_asyncio(without: Callable[[str], None]) -> None:
    async def fetch(url: str) -> None:
        async with AsyncClient(Policy.open(), retries=2) as client:
            without("anyurl.access.retries")
            await client.get(url)

    with Server(part) as server, pytest.raises(LocalFileError, match="descriptors"):
        asyncio.run(fetch(f"http://{server.authority}/busy"))


def test_of_many_each_has_its_error(without: Callable[[str], None]) -> None:
    with Server(part) as server, Client(Policy.open(), retries=2) as client:
        without("anyurl.access.retries")
        found = [client.map([f"http://{server.authority}/busy", f"http://{server.authority}/"])]
        results = [result.error or result.resource.read() for results in found for result in results]
    assert sorted(type(result).__name__ for result in results) == ["LocalFileError", "bytes"]


@pytest.mark.parametrize(
    ("error", "number"),
    [
        (OSError(errno.EMFILE, "x"), errno.EMFILE),
        (OSError(errno.ENOMEM, "x"), errno.ENOMEM),
        (ImportError(f"a.so: cannot open shared object file: {os.strerror(errno.ENFILE)}"), errno.ENFILE),
        (OSError(errno.EACCES, "x"), None),
        (ImportError("no such module"), None),
        (LocalFileError("Ours."), None),
        (ValueError("x"), None),
    ],
)
def test_what_is_lacking_is_an_error_of_the_tree(error: Exception, number: int | None) -> None:
    found = in_the_tree(error)
    assert (found is error) == (number is None)
    assert number is None or (isinstance(found, LocalFileError) and (found.errno, found.__cause__) == (number, error))

    @loads_late
    def load() -> None:
        """Its own words."""
        raise error

    with pytest.raises(type(error) if number is None else LocalFileError) as caught:
        load()
    assert (caught.value is error) == (number is None)
    assert (load.__name__, load.__doc__) == ("load", "Its own words.")


def test_the_error_of_a_task_stands_if_nothing_can_be_learned_of_it(without: Callable[[str], None]) -> None:
    with Server(part) as server, Client(Policy.open()) as client:
        without("anyurl.net.manners")
        with pytest.raises(AnyURLError, match="answered 503") as caught:
            client.get(f"http://{server.authority}/busy")
    assert not isinstance(caught.value, LocalFileError)
