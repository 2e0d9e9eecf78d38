"""An archive whose writer is killed at any moment: each URL replays octet for octet, or is not there."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from anyurl import Client, Policy
from anyurl.errors import AnyURLError, NotFoundError
from tests.servers import Connection, Server, certificate, reply

pytest.importorskip("warcio", reason="warcio is not installed")

from anyurl.world.replay import Replay

MOMENTS = 100 if os.environ.get("ANYURL_SLOW") else 1
"""Kills of each command in each scheme; ANYURL_SLOW has them all."""

OCTETS = 300_000

DRAWN = random.Random("the moments of a kill")


def contents(seed: str, page: bytes, name: str) -> dict[str, bytes]:
    """The documents of a server by path: a page that leads to the others, which gzip makes no smaller."""
    draw = random.Random(seed)
    return {name: page, **{f"/{each}.bin": draw.randbytes(OCTETS) for each in ("one", "two", "three")}}


def in_pieces(connection: Connection, data: bytes) -> None:
    for start in range(0, len(data), 65536):
        connection.send(data[start : start + 65536])
        time.sleep(0.002)  # so that there are moments within it


@contextmanager
def http(_folder: Path) -> Iterator[tuple[str, dict[str, bytes], list[str]]]:
    page = b"".join(b'<a href="/%s.bin">' % name for name in (b"one", b"two", b"three"))
    there = contents("http", page, "/")

    def part(connection: Connection) -> None:
        while head := connection.head():
            method, path = head.decode().split(" ")[:2]
            body = there.get(path)
            status = "200 OK" if body is not None else "404 Not Found"
            type = "text/html" if path == "/" else "application/octet-stream"
            whole = reply(body or b"", f"Content-Type: {type}", status=status)
            in_pieces(connection, whole if method == "GET" else whole.partition(b"\r\n\r\n")[0] + b"\r\n\r\n")

    with Server(part) as server:
        yield f"http://{server.authority}", there, []


@contextmanager
def gopher(_folder: Path) -> Iterator[tuple[str, dict[str, bytes], list[str]]]:
    menu = bytearray()
    there = contents("gopher", b"", "/9")
    del there["/9"]

    def part(connection: Connection) -> None:
        selector = connection.line().rstrip(b"\r\n").decode()
        in_pieces(connection, there.get(f"/9{selector}", bytes(menu)))

    with Server(part) as server:
        there = {f"/9{path}": data for path, data in there.items()}
        menu += b"".join(f"9{path[2:]}\t{path[2:]}\t{server.host}\t{server.port}\r\n".encode() for path in there)
        yield f"gopher://{server.authority}", there, []


@contextmanager
def gemini(folder: Path) -> Iterator[tuple[str, dict[str, bytes], list[str]]]:
    there = contents("gemini", b"".join(b"=> /%s.bin\n" % name for name in (b"one", b"two", b"three")), "/")

    def part(connection: Connection) -> None:
        url = connection.line().decode()
        if not url:  # the client was killed
            return
        body = there.get("/" + url.split("/", 3)[3])
        type = b"text/gemini" if url.endswith("/") else b"application/octet-stream"
        in_pieces(connection, b"51 none\r\n" if body is None else b"20 %b\r\n%b" % (type, body))
        connection.sock.unwrap()  # type: ignore[attr-defined]

    with certificate(folder, "127.0.0.1") as (context, authority), Server(part, context=context) as server:
        yield f"gemini://{server.authority}", there, ["--cacert", str(authority)]


@contextmanager
def ftp(_folder: Path) -> Iterator[tuple[str, dict[str, bytes], list[str]]]:
    pytest.importorskip("pyftpdlib", reason="pyftpdlib is not installed")
    from anyurl.world.ftp import FtpServer

    server = FtpServer()
    try:
        there = contents("ftp", b"read me", "/readme.txt")
        for path, data in there.items():
            (server.folder / path[1:]).write_bytes(data)
        yield f"ftp://127.0.0.1:{server.port}", there, []
    finally:
        server.close()


SERVERS = {"http": http, "gopher": gopher, "gemini": gemini, "ftp": ftp}


def commands(root: str, there: dict[str, bytes], folder: Path) -> dict[str, list[str]]:
    large = [f"{root}{path}" for path in there if path.endswith("one.bin")]
    return {
        "get": ["get", *large, "--continue", "-o", str(folder / "one.bin")],
        "mirror": ["mirror", f"{root}/", str(folder / "copy")],
        "check": ["check", *[f"{root}{path}" for path in there], "--fragments"],
    }


class Forker:
    """Runs commands as forks of a process that has imported all of it (`forked.py`); used in ``with``."""

    def __enter__(self) -> Forker:
        line = [sys.executable, "-m", "tests.warc.forked"]
        self._process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_exception: object) -> None:
        self._process.communicate()

    def run(self, line: list[str], kill_after: float | None = None) -> float:
        """Run the command; returns the seconds of processor it took. It is killed when it has used so many."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([line, kill_after]), file=self._process.stdin, flush=True)
        code, took, said = json.loads(self._process.stdout.readline())
        assert "Traceback" not in said, said
        assert code in ((0,) if kill_after is None else (0, -signal.SIGKILL)), said
        return float(took)


def wrong(archive: Path, root: str, there: dict[str, bytes]) -> list[str]:
    """The URLs whose replay is neither what the server has nor missing nor broken off again."""
    found = []
    with Replay(archive) as replay, Client(Policy.open()) as client:
        for path, data in there.items():
            try:
                octets = client.get(f"{replay.url}{root}{path}").read()
            except NotFoundError:
                continue
            except AnyURLError:  # it is marked as incomplete, and so it breaks off
                continue
            if octets != data:
                found.append(f"{path}: {len(octets)} octets of {len(data)}")
    return found


def has_all(archive: Path, root: str, paths: list[str]) -> bool:
    with Replay(archive) as replay, Client(Policy.open()) as client:
        return all(client.get(f"{replay.url}{root}{path}").read() for path in paths)


@pytest.fixture(scope="module")
def forker() -> Iterator[Forker]:
    with Forker() as started:
        yield started


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[str], tuple[str, dict[str, bytes], list[str]]]]:
    with ExitStack() as stack:
        yield lambda scheme: stack.enter_context(SERVERS[scheme](tmp_path))


@pytest.mark.parametrize(
    ("scheme", "command"),
    [(scheme, command) for scheme in SERVERS for command in ("get", "mirror", "check")],
)
def test_what_a_killed_command_and_the_same_again_archive_is_what_the_server_has(
    scheme: str,
    command: str,
    tmp_path: Path,
    forker: Forker,
    serve: Callable[[str], tuple[str, dict[str, bytes], list[str]]],
) -> None:
    root, there, options = serve(scheme)
    whole = tmp_path / "whole"
    whole.mkdir()
    took = forker.run([*commands(root, there, whole)[command], *options, "--warc", str(whole / "a.warc.gz")])
    for number in range(MOMENTS):
        folder = tmp_path / str(number)
        folder.mkdir()
        archive = folder / "a.warc.gz"
        line = [*commands(root, there, folder)[command], *options, "--warc", str(archive)]
        forker.run(line, kill_after=took * DRAWN.uniform(0.02, 1.0))
        if archive.exists():
            assert wrong(archive, root, there) == [], "after the kill"
        forker.run(line)
        if command != "check":  # which asks for attributes alone where they say enough
            assert wrong(archive, root, there) == [], "after the same command"
            assert has_all(archive, root, [path for path in there if command == "mirror" or "one" in path])
        for path in folder.rglob("*.bin"):
            assert path.read_bytes() == there[next(each for each in there if each.endswith(path.name))]
