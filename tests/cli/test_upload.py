"""What `put` and `append` have in common: the file is opened first, its octets are counted, the end is told."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from anyurl.cli.terminal.console import Console
from anyurl.cli.terminal.progress import Progress
from anyurl.cli.upload import Counted, opened
from anyurl.errors import LocalFileError
from tests.cli.runner import records, run
from tests.servers import WAIT_SECONDS, Connection, Server, reply


@pytest.mark.parametrize("status", ["302 Found", "307 Temporary", "308 For ever"])
def test_an_upload_that_is_redirected_is_sent_again(tmp_path: Path, status: str) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 300_000)
    got: list[tuple[bytes, int]] = []

    def serve(connection: Connection) -> None:
        head = connection.head()
        path, size = head.split(b" ")[1], int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        got.append((path, len(connection.take(size))))
        connection.send(reply(b"", "Location: /there", status=status) if path == b"/here" else reply(status="201 Made"))

    with Server(serve) as server:
        url = f"http://{server.authority}"
        (record,) = records(run("put", f"{url}/here", str(tmp_path / "a.txt"), "--json", "--allow-private"))
    assert got == [(b"/here", 300_000), (b"/there", 300_000)]
    assert (record["url"], record["size"]) == (f"{url}/there", 300_000)


def test_put_and_append_to_a_file(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/new"
    assert run("put", url, "-", input=b"a").exit_code == 0
    assert run("append", url, "-", input=b"b").exit_code == 0
    assert (tmp_path / "new").read_bytes() == b"ab"
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_file_that_can_not_be_read_is_told_before_anything_is_sent(ftp_user: str, tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        result = run("put", f"{ftp_user}never", str(path))
        assert result.exit_code == 9
        assert result.stderr.startswith(f"anyurl: Can't read {path}: ")
    assert run("stat", f"{ftp_user}never").exit_code == 8


class Told(Progress):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.steps: list[int] = []

    def advance(self, octets: int) -> None:
        self.steps.append(octets)


class Terminal(io.BytesIO):
    """A file that goes on after its end."""

    def __init__(self, *reads: bytes) -> None:
        super().__init__()
        self.reads = list(reads)

    def read(self, size: int | None = -1) -> bytes:
        return self.reads.pop(0)


def test_what_is_read_is_counted_and_the_end_is_read_once() -> None:
    told = Told()
    counted = Counted(Terminal(b"abc", b"de", b"more"), told)
    assert [counted.read(3) for _ in range(4)] == [b"abc", b"de", b"", b""]
    assert told.steps == [3, 2, 0, 0]


def test_what_is_sent_again_is_taken_back_first(tmp_path: Path) -> None:
    told = Told()
    counted = Counted(io.BytesIO(b"abcdef"), told)
    assert counted.seekable()
    assert (counted.read(4), counted.read(4), counted.read(4)) == (b"abcd", b"ef", b"")
    assert (counted.seek(1), counted.tell(), counted.read(9)) == (1, 1, b"bcdef")
    assert (counted.seek(-2, os.SEEK_END), sum(told.steps), counted.read(2)) == (4, 4, b"ef")
    (tmp_path / "a").write_bytes(b"x")
    with (tmp_path / "a").open("rb") as file:
        assert Counted(file, told).fileno() == file.fileno()


def test_a_file_is_opened_and_closed_and_what_is_none_is_an_error_with_its_reason(tmp_path: Path) -> None:
    console = Console()
    (tmp_path / "a").write_bytes(b"x")
    with opened(console, str(tmp_path / "a")) as file:
        assert file.read() == b"x"
    assert file.closed
    with pytest.raises(LocalFileError, match=r"^Can't read .*/none: no such file or directory\.$"):
        with opened(console, str(tmp_path / "none")):
            pass
    with pytest.raises(ZeroDivisionError):  # what is done with it has errors of its own
        with opened(console, str(tmp_path / "a")) as file:
            raise ZeroDivisionError
    assert file.closed


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.html", "text/html"), ("a.txt", "text/plain"), ("a.tar.gz", None), ("a", None), ("a.nosuch", None)],
)
def test_the_type_is_that_of_the_suffix(tmp_path: Path, name: str, kind: str | None) -> None:
    heads: list[bytes] = []

    def serve(connection: Connection) -> None:
        heads.append(connection.head().lower())
        connection.take(1)
        connection.send(reply(status="204 Done", length=False))

    (tmp_path / name).write_bytes(b"x")
    with Server(serve) as server:
        done = run("put", "--allow-private", f"http://{server.authority}/", str(tmp_path / name))
    assert (done.exit_code, done.output) == (0, "")
    found = [line.partition(b": ")[2].decode() for line in heads[0].split(b"\r\n") if line.startswith(b"content-type:")]
    assert found == ([] if kind is None else [kind])


def interrupted(url: str, file: Path, is_under_way: Callable[[], object], *options: str) -> str:
    """What `put` says when it is interrupted (SIGINT) while it sends."""
    line = [sys.executable, "-m", "anyurl", "put", url, str(file), "--allow-private", *options]
    child = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    is_under_way()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=WAIT_SECONDS)
    assert child.returncode == 130
    return " ".join(said.split())


@pytest.mark.parametrize(("options", "way"), [((), "with --continue the same command"), (("--continue",), "the same")])
def test_an_interrupted_upload_that_can_be_continued_says_how(
    tmp_path: Path, options: tuple[str, ...], way: str
) -> None:
    pytest.importorskip("pyftpdlib", reason="pyftpdlib is not installed")
    from anyurl.world.ftp import FtpServer

    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 8 * 10**9)  # more than is sent before the signal
    server = FtpServer()

    def is_under_way() -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not any(path.stat().st_size for path in server.folder.rglob("x")):
            assert time.monotonic() < deadline
            time.sleep(0.01)

    try:
        url = f"ftp://guest:welcome@127.0.0.1:{server.port}/x"
        said = interrupted(url, tmp_path / "large", is_under_way, *options)
    finally:
        server.close()
    assert f"note: {way}" in said
    assert said.endswith("same command sends what the server does not have yet")


def test_an_interrupted_upload_that_cannot_be_continued_says_so(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(20_000_000))
    begun = threading.Event()

    def serve(connection: Connection) -> None:
        connection.head()
        begun.set()
        connection.wait_for_close()

    with Server(serve) as server:
        url = f"http://{server.authority}/x"
        said = interrupted(url, tmp_path / "large", lambda: begun.wait(WAIT_SECONDS))
    assert said.endswith("a part; the same command sends all of it again")
