"""A module that a request needs and no descriptor is left for is an error of the tree, wherever it is loaded."""

from __future__ import annotations

import asyncio
import errno
import importlib.machinery
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from anyurl import AsyncClient, Client, Policy
from anyurl.errors import LocalFileError
from anyurl.errors.reasons import exhaustion_translated, in_the_tree
from tests.servers import Connection, Server, reply


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


GET = [
    ("anyurl.client.retries", {"retries": 2}, lambda client, url: client.get(f"{url}/busy")),
    ("anyurl.client.trace", {"trace": lambda _: None}, lambda client, url: client.get(url)),
    ("anyurl.client.requests", {}, lambda client, url: client.get(url, headers={"X": "y"})),
    ("anyurl.client.requests", {}, lambda client, url: client.get(url, query={"a": "b"})),
    ("anyurl.client.requests", {}, lambda client, url: client.request("GET", url)),
    ("anyurl.client.multipart", {}, lambda client, url: client.request("POST", url, files={"a": ("n", b"x", None)})),
    ("anyurl.client.as_file", {}, again),
    ("anyurl.client.web_links", {}, lambda client, url: client.get(f"{url}/form").links),
    ("anyurl.client.mirroring", {}, lambda client, url: list(client.mirror(url, "/none"))),
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


MADE = [("anyurl.client.cookies", {"cookies": True}), ("anyurl.warc.file", {"warc": "x.warc.gz"})]


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
            without("anyurl.client.retries")
            await client.get(url)

    with Server(part) as server, pytest.raises(LocalFileError, match="descriptors"):
        asyncio.run(fetch(f"http://{server.authority}/busy"))


def test_of_many_each_has_its_error(without: Callable[[str], None]) -> None:
    with Server(part) as server, Client(Policy.open(), retries=2) as client:
        without("anyurl.client.retries")
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

    @exhaustion_translated()
    def load() -> None:
        """Its own words."""
        raise error

    with pytest.raises(type(error) if number is None else LocalFileError) as caught:
        load()
    assert (caught.value is error) == (number is None)
    assert (load.__name__, load.__doc__) == ("load", "Its own words.")


EACH = """
import errno, os, sys
from importlib.machinery import PathFinder

from anyurl import Client, Policy
from anyurl.errors import AnyURLError, LocalFileError

SETTINGS = {"cookies": True, "retries": 1, "trace": lambda line: None, "auth": {}}


class Nth:
    '''A finder that has no descriptor for the n-th module that is looked for.'''

    def __init__(self, number):
        self.left = number

    def find_spec(self, name, path=None, target=None):
        self.left -= 1
        if self.left == 0:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def ended(number):
    sys.meta_path.insert(0, finder := Nth(number))
    try:
        with Client(Policy.open(), **SETTINGS) as client:
            client.get(sys.argv[1]).read()
    except AnyURLError as error:
        return 1 if isinstance(error, LocalFileError) or error.__cause__ or error.__context__ else 2
    except BaseException as error:
        sys.stderr.write(f"import {number}: {type(error).__name__}: {error}\\n")
        return 3
    return 0 if finder.left > 0 else 1


number = 0
while True:
    number += 1
    pid = os.fork()
    if pid == 0:
        os._exit(ended(number))
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code in (2, 3):
        sys.stderr.write(f"import {number} ended with {code}\\n")
    if code == 0:
        break
print(number - 1)
"""
"""Each import on the way of a get fails once, in a child of its own: none ends but well or in the tree."""


@pytest.mark.parametrize("scheme", ["http", "gopher"])
def test_the_nth_import_fails(scheme: str) -> None:
    def say(connection: Connection) -> None:
        connection.line()
        connection.send(b"a text\r\n.\r\n")

    with Server(part if scheme == "http" else say) as server:
        path = "/" if scheme == "http" else "/0x"
        program = [sys.executable, "-c", EACH, f"{scheme}://{server.authority}{path}"]
        done = subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 5
