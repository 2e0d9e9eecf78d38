"""The file system of fsspec: its own abstract tests, every scheme of the world, and those who read by it."""

from __future__ import annotations

import asyncio
import datetime
import gzip
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.registry import known_implementations
from fsspec.tests.abstract import AbstractFixtures, AbstractGetTests

from anyurl.adapters.fsspec import NAMES, OWN, AnyURLFileSystem, FsspecRefusedError
from anyurl.errors import LimitError, RefusedError
from anyurl.guard.limits import Limits
from anyurl.guard.policy import Policy
from anyurl.url import URL
from anyurl.world import World, ftp
from anyurl.world.ftp import FtpServer
from tests.servers import Connection, Server

HERE = Path(__file__).parent
NEAR = {"policy": Policy.default()}
MANY = bytes(range(256)) * 4096
TABLE = b"name,year\ngopher,1991\nhttp,1991\nwais,1990\n"

NOT_APPLYING = {
    "AbstractCopyTests": "copies from one place of the file system to another: it writes nothing",
    "AbstractPipeTests": "writes",
    "AbstractPutTests": "writes",
    "AbstractOpenTests": "has one test, of the mode that makes a file anew",
    "AbstractGetTests.test_get_directory_recursive": "makes its own folders on the file system",
}
"""fsspec's other abstract tests, and why they don't apply."""


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    """The names, as the entry points of an installed package give them."""
    AnyURLFileSystem.clear_instance_cache()
    for name in NAMES:
        fsspec.register_implementation(name, AnyURLFileSystem, clobber=True)
    yield
    for system in list(AnyURLFileSystem._cache.values()):
        if not system.asynchronous:
            system.close()
    AnyURLFileSystem.clear_instance_cache()


@pytest.fixture(scope="module")
def server() -> Iterator[FtpServer]:
    """An FTP server with folders of our own."""
    server = ftp.start()
    (server.folder / "data").mkdir()
    for number in range(3):
        (server.folder / "data" / f"{number}.csv").write_bytes(TABLE)
    (server.folder / "data" / "many.bin").write_bytes(bytes(range(256)) * 4096)
    try:
        yield server
    finally:
        server.close()


@pytest.fixture(scope="module")
def root(server: FtpServer) -> str:
    return f"ftp://127.0.0.1:{server.port}"


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World(["dict", "ftp", "gemini", "gopher", "http", "news", "prospero", "wais"]) as world:
        yield world


class TestGet(AbstractFixtures, AbstractGetTests):  # type: ignore[misc]
    """fsspec's own tests of what is got, on files that stand there."""

    test_get_directory_recursive = None

    @pytest.fixture
    def fs(self) -> Any:
        return AnyURLFileSystem(**NEAR)

    @pytest.fixture
    def fs_join(self) -> Callable[..., str]:
        return posixpath.join

    @pytest.fixture
    def fs_path(self, root: str) -> str:
        return root

    def _made(self, make: Callable[..., Any], server: FtpServer, root: str, local_fs: Any, local_join: Any) -> Any:
        make(local_fs, local_join, str(server.folder))
        yield f"{root}/source"
        local_fs.rm(str(server.folder / "source"), recursive=True)

    @pytest.fixture
    def fs_bulk_operations_scenario_0(self, server: FtpServer, root: str, local_fs: Any, local_join: Any) -> Any:
        yield from self._made(self._bulk_operations_scenario_0, server, root, local_fs, local_join)

    @pytest.fixture
    def fs_glob_edge_cases_files(self, server: FtpServer, root: str, local_fs: Any, local_join: Any) -> Any:
        yield from self._made(self._glob_edge_cases_files, server, root, local_fs, local_join)

    @pytest.fixture
    def fs_dir_and_file_with_same_name_prefix(
        self, server: FtpServer, root: str, local_fs: Any, local_join: Any
    ) -> Any:
        yield from self._made(self._dir_and_file_with_same_name_prefix, server, root, local_fs, local_join)

    @pytest.fixture
    def fs_10_files_with_hashed_names(self, server: FtpServer, root: str, local_fs: Any, local_join: Any) -> Any:
        yield from self._made(self._10_files_with_hashed_names, server, root, local_fs, local_join)


def test_what_does_not_apply_is_what_there_is_else() -> None:
    import fsspec.tests.abstract as abstract

    there = {name for name in vars(abstract) if name.startswith("Abstract") and name.endswith("Tests")}
    assert there == {name.partition(".")[0] for name in ("AbstractGetTests", *NOT_APPLYING)}


def test_the_entry_points_are_those_names_and_replace_none_of_others() -> None:
    project = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["fsspec.specs"] == dict.fromkeys(NAMES, "anyurl.adapters.fsspec:AnyURLFileSystem")
    # Where anyurl is installed, fsspec knows these, too.
    others = {name for name, known in known_implementations.items() if not known["class"].startswith("anyurl.")}
    assert set(NAMES).isdisjoint(others)


@pytest.mark.parametrize("scheme", ["ftp", "gemini", "gopher", "http", "news", "prospero", "wais"])
def test_every_scheme(scheme: str, world: World) -> None:
    name = scheme if scheme in OWN else f"anyurl+{scheme}"
    url = str(world.urls[scheme])
    system, path = fsspec.url_to_fs(name + url.removeprefix(scheme), **NEAR)
    assert (type(system), path) == (AnyURLFileSystem, url)
    assert system.unstrip_protocol(path) == name + url.removeprefix(scheme)
    content = system.cat_file(path)
    assert len(content) > 100
    assert system.cat_file(path, 5, 9) == content[5:9]
    assert system.cat_file(path, len(content) + 1) == b""
    with system.open(path) as file:
        assert file.read() == content
    assert (system.info(path)["type"], system.isfile(path), system.exists(path)) == ("file", True, True)
    top = str(world.roots[scheme])
    pages = ("gemini", "http")  # as fsspec has http: a page is a file that has something below it
    assert system.isdir(top) == (scheme not in pages)
    names = system.ls(top, detail=False)
    assert len(names) > 1
    assert {str(URL(name).origin) for name in names} == {str(world.roots[scheme].origin)}
    found = system.find(top)
    assert len(found) > 1
    assert all(system.exists(name) for name in found[:3])


def test_a_page_of_gemini_that_ends_with_a_slash_has_others_below_it(world: World) -> None:
    top = str(world.roots["gemini"])
    assert f"{top}pub/notes.txt" in AnyURLFileSystem(**NEAR).find(top)


def test_a_word_of_a_dictionary(world: World) -> None:
    top = str(world.roots["dict"])
    with pytest.raises(FsspecRefusedError, match="allow_schemes"):
        AnyURLFileSystem().cat_file(f"{top}d::world")
    known = AnyURLFileSystem(**NEAR)
    assert known.ls(top, detail=False) == [f"{top}d::places", f"{top}d::world"]
    assert b"small world" in known.cat_file(f"{top}d::world")


def test_globs_are_by_name_whatever_the_menu_is_called(world: World) -> None:
    system = AnyURLFileSystem(**NEAR)
    top = str(world.roots["gopher"])
    names = {URL(name).name for name in system.glob(f"{top}1/**/*.txt")}
    assert names == {"motd.txt", "notes.txt", "grüße.txt", "100%.txt", "a name; with marks?.txt"}
    assert [URL(name).name for name in system.glob(f"{top}1/*.html")] == ["index.html"]
    assert system.glob(f"{top}1/*.none") == []
    ftp = str(world.roots["ftp"])
    assert [name.removeprefix(ftp) for name in system.glob(f"{ftp}*/*.txt")] == ["pub/notes.txt"]
    web = str(world.roots["http"])
    assert system.glob(f"{web}motd.txt?x") == [f"{web}motd.txt?x"]  # a question mark begins a query


@pytest.mark.parametrize("mode", ["parts", "whole", "coded"])
def test_of_a_document_of_http_a_part_is_transferred(mode: str) -> None:
    sent = []

    def play(connection: Connection) -> None:
        while head := connection.head().lower():
            first, _, last = head.partition(b"range: bytes=")[2].partition(b"\r")[0].decode().partition("-")
            body, status, more = MANY, "200 OK", ""
            if first and mode == "parts":
                start, end = int(first), min(len(MANY), int(last or len(MANY)) + 1)
                more = f"Content-Range: bytes {start}-{end - 1}/{len(MANY)}\r\n"
                body, status = MANY[start:end], "206 Partial Content"
            elif first and mode == "coded":
                body, more = gzip.compress(body), "Content-Encoding: gzip\r\n"
            sent.append(len(body))
            connection.send(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body)

    with Server(play) as server:
        system = AnyURLFileSystem(policy=Policy.default())
        path = f"http://{server.authority}/many"
        assert system.cat_file(path, 256 * 1000 + 3, 256 * 1000 + 7) == bytes((3, 4, 5, 6))
        assert system.cat_ranges([path, path], [0, 2], [2, 4]) == [b"\x00\x01", b"\x02\x03"]
        assert mode != "parts" or sent == [4, 2, 2]
        assert system.cat_file(path, len(MANY) - 2) == bytes((254, 255))
        system.close()


def test_parts_of_a_file_are_transferred(root: str) -> None:
    system = AnyURLFileSystem(**NEAR)
    path = f"{root}/data/many.bin"
    assert system.size(path) == 1 << 20
    assert system.cat_file(path, 256 * 1000 + 3, 256 * 1000 + 7) == bytes((3, 4, 5, 6))
    assert system.cat_file(path, -2) == bytes((254, 255))
    assert system.cat_ranges([path, path], [0, 2], [2, 4]) == [b"\x00\x01", b"\x02\x03"]
    with system.open(path) as file:
        assert (file.seekable(), file.seek(-3, 2), file.read()) == (True, (1 << 20) - 3, bytes((253, 254, 255)))
        assert (file.seek(1 << 21), file.read(), file.seek(7), file.read(1)) == (1 << 21, b"", 7, b"\x07")
    assert isinstance(system.modified(path), datetime.datetime)


@pytest.mark.parametrize("said", [None, 1e12, -1e12, 1e300])
def test_a_time_that_nobody_says_or_that_is_no_time(said: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    system = AnyURLFileSystem(**NEAR)
    monkeypatch.setattr(system, "info", lambda _path: {"mtime": said})
    with pytest.raises(NotImplementedError, match="does not say when"):
        system.modified("http://127.0.0.1/x")


def test_what_there_is_not_and_what_is_refused(root: str) -> None:
    with pytest.raises(FileNotFoundError):
        AnyURLFileSystem(**NEAR).cat_file(f"{root}/data/none.csv")
    assert not AnyURLFileSystem(**NEAR).exists(f"{root}/data/none.csv")
    assert AnyURLFileSystem(**NEAR).info(f"{root}/data")["type"] == "directory"
    for path in (f"{root}/data/0.csv", "http://169.254.169.254/", "file:///etc/passwd"):
        with pytest.raises(PermissionError) as caught:
            AnyURLFileSystem().cat_file(path)
        assert isinstance(caught.value, FsspecRefusedError | RefusedError)
        assert caught.value.verdict is not None
    with pytest.raises(NotImplementedError):
        AnyURLFileSystem().open(f"{root}/data/0.csv", "wb")
    with pytest.raises(ValueError, match="'none such' is not a policy: untrusted, default, open would be"):
        AnyURLFileSystem(policy="none such")
    with pytest.raises(OSError, match="data"):
        AnyURLFileSystem(**NEAR).ls("no url at data")


def test_a_policy_by_its_name_and_one_file_system_for_each() -> None:
    assert AnyURLFileSystem(policy="default") is AnyURLFileSystem(policy="default")
    policies = (Policy.untrusted(), Policy.untrusted().replace(allow_ports=[81]), Policy.default(),
                Policy.default().replace(limits=Limits(idle=1.0)))  # fmt: skip
    assert len({id(AnyURLFileSystem(policy=policy)) for policy in policies}) == len(policies)


def gopher(content: bytes) -> Callable[[Connection], None]:
    """A server that answers whatever it is asked with that; ``PORT`` is its own."""

    def play(connection: Connection) -> None:
        connection.line()
        connection.send(content.replace(b"PORT", b"%d" % connection.sock.getsockname()[1]))

    return play


def test_what_has_no_ranges_is_as_large_as_the_policy_says() -> None:
    system = AnyURLFileSystem(policy=Policy.default().replace(limits=Limits(max_read=10)))
    with Server(gopher(b"0123456789a")) as server, pytest.raises(OSError, match="10"):
        system.open(f"gopher://{server.authority}/9/a")


def test_a_menu_that_leads_back_and_elsewhere_is_walked_once() -> None:
    menu = (
        b"1back\t\t127.0.0.1\tPORT\r\n1down\t/down\t127.0.0.1\tPORT\r\n0a\t/a.txt\t127.0.0.1\tPORT\r\n"
        b"1elsewhere\t\t127.0.0.1\t1\r\n0elsewhere\t/b.txt\t127.0.0.2\tPORT\r\n.\r\n"
    )
    with Server(gopher(menu)) as server:
        system = AnyURLFileSystem(**NEAR)
        top = f"gopher://{server.authority}/1/top"
        assert system.find(top) == [f"gopher://{server.authority}/0/a.txt"]
        assert [root for root, _, _ in system.walk(top, topdown=False)][-1] == top


def test_menus_without_end_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(connection: Connection) -> None:
        port = connection.sock.getsockname()[1]
        connection.send(b"1more\t%s/x\t127.0.0.1\t%d\r\n.\r\n" % (connection.line(), port))

    monkeypatch.setattr("anyurl.adapters.fsspec.DIRECTORIES_AT_MOST", 20)
    with Server(play) as server, pytest.raises(LimitError, match="maxdepth"):
        AnyURLFileSystem(**NEAR).find(f"gopher://{server.authority}/1/top")


def test_coroutines(root: str) -> None:
    async def read() -> bytes:
        system = AnyURLFileSystem(asynchronous=True, **NEAR)
        file = await system.open_async(f"{root}/data/0.csv")
        start = await file.read(4)
        assert file.tell() == 4
        with pytest.raises(OSError, match="sought"):
            file.seek(0)
        rest = await file.read()
        await file.close()
        assert await system._cat_file(f"{root}/data/1.csv", 1, 3) == TABLE[1:3]
        await system.aclose()
        return bytes(start + rest)

    assert asyncio.run(read()) == TABLE
    assert asyncio.run(read()) == TABLE  # the same file system in another loop


def test_pandas(root: str) -> None:
    import pandas as pd

    with Server(gopher(TABLE)) as server:
        table = pd.read_csv(f"anyurl+gopher://{server.authority}/9/table.csv", storage_options=NEAR)
        assert table["year"].tolist() == [1991, 1991, 1990]
        with pytest.raises(PermissionError):  # without a policy it is untrusted
            pd.read_csv(f"anyurl+gopher://{server.authority}/9/table.csv")
    assert pd.read_csv(f"anyurl+{root}/data/0.csv", storage_options=NEAR).equals(table)


def test_pyarrow(root: str) -> None:
    import pyarrow.dataset as ds

    system = AnyURLFileSystem(**NEAR)
    table = ds.dataset(system.glob(f"{root}/data/*.csv"), filesystem=system, format="csv").to_table()
    assert table.num_rows == 9
    assert sorted(set(table["name"].to_pylist())) == ["gopher", "http", "wais"]


def test_dask(root: str) -> None:
    from dask.bytes import read_bytes

    sample, blocks = read_bytes(f"anyurl+{root}/data/*.csv", blocksize=20, delimiter=b"\n", sample=4, **NEAR)
    assert sample.startswith(b"name")
    assert len(blocks) == 3
    assert [b"".join(part.compute(scheduler="threads") for part in parts) for parts in blocks] == [TABLE] * 3


def test_the_page(world: World, root: str) -> None:
    """The examples of the page are as they stand there."""
    import doctest

    text = (HERE.parents[1] / "docs" / "fsspec.md").read_text("utf-8")
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S))
    names = {"world": world, "root": root, "__name__": "__main__"}
    report: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    test = doctest.DocTestParser().get_doctest(examples, names, "fsspec.md", "fsspec.md", 0)
    done = doctest.DocTestRunner(optionflags=flags, verbose=False).run(test, out=report.append)
    assert report == [], "".join(report)
    assert done.attempted > 8
