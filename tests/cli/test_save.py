"""``anyurl get -o FILE``: whole or not at all, nothing replaced unasked, and a broken download gone on with."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl.world import World, tree
from anyurl.world.listener import HOST, Listener
from tests.cli.runner import call, records, run
from tests.cli.test_run import WITHIN, begin
from tests.schemes.ftp.small_server import ftp_part
from tests.servers import Connection, Server

PICTURE = tree.picture()


@pytest.mark.parametrize("scheme", ["file", "http", "ftp"])
def test_a_resource_is_saved_whole(world: World, tmp_path: Path, scheme: str) -> None:
    target = tmp_path / "picture.png"
    result = run("get", "-o", str(target), f"{world.roots[scheme]}pub/picture.png")
    assert (result.exit_code, result.output) == (0, "")
    assert target.read_bytes() == PICTURE
    assert os.listdir(tmp_path) == ["picture.png"]


def test_json_says_where_it_is(world: World, tmp_path: Path) -> None:
    target = str(tmp_path / "motd")
    (record,) = records(run("get", "--json", "-o", target, f"{world.roots['http']}chunked/motd.txt"))
    assert (record["saved"], record["size"]) == (target, len(tree.MOTD))


def test_a_listing_is_saved_as_one_url_a_line(world: World, tmp_path: Path) -> None:
    root = f"{world.roots['ftp']}pub/"
    assert run("get", "-o", str(tmp_path / "list"), root).exit_code == 0
    lines = (tmp_path / "list").read_bytes().split(b"\r\n")
    assert sorted(lines) == [b"", *(f"{root}{name}".encode() for name in ("names/", "notes.txt", "picture.png"))]


def test_nothing_is_replaced_without_force(world: World, tmp_path: Path) -> None:
    target = tmp_path / "motd"
    target.write_text("mine")
    args = ["-o", str(target), f"{world.roots['http']}motd.txt"]
    result = run("get", *args)
    assert result.exit_code == 9
    assert "--force replaces it" in result.stderr
    assert target.read_text() == "mine"
    assert run("get", "--force", *args).exit_code == 0
    assert target.read_text() == tree.MOTD
    assert os.listdir(tmp_path) == ["motd"]


def test_a_name_that_is_taken_is_found_before_anything_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    assert run("get", "-o", str(tmp_path / "x"), "http://127.0.0.1:1/").exit_code == 9


@pytest.mark.parametrize("name", ["", "no-such-folder/x"])
def test_where_nothing_can_be_written(world: World, tmp_path: Path, name: str) -> None:
    result = run("get", "-o", f"{tmp_path}/{name}", f"{world.roots['http']}motd.txt")
    assert result.exit_code == 9
    assert result.stderr.startswith("anyurl: ")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_what_the_server_refuses_leaves_no_file(world: World, tmp_path: Path, options: list[str]) -> None:
    assert run("get", *options, "-o", str(tmp_path / "x"), f"{world.roots['http']}nothing").exit_code == 8
    assert os.listdir(tmp_path) == []


class Halting:
    """An HTTP server that halts its first answer in the middle; the next ones give the range that is asked for.

    Attributes:
        data: What it serves; changing it is changing the resource.
        asked: The requests, head by head.
        halted: Set when the first half has been sent.
    """

    def __init__(self) -> None:
        self.data = bytes(range(256)) * 512
        self.asked: list[str] = []
        self.halted = threading.Event()
        self.server = Listener(self.serve, "halting")
        self.url = f"http://{HOST}:{self.server.port}/x"

    def serve(self, connection: socket.socket) -> None:
        """One request."""
        head = connection.recv(65536).decode("latin-1")
        self.asked.append(head)
        data, etag = self.data, f'"{hash(self.data)}"'
        start = 0
        status = "200 OK"
        more = ""
        wanted = [line.partition("=")[2] for line in head.split("\r\n") if line.lower().startswith("range:")]
        if wanted and f"if-range: {etag}" in head.lower():
            start = int(wanted[0].rstrip("-"))
            status = "206 Partial Content"
            more = f"Content-Range: bytes {start}-{len(data) - 1}/{len(data)}\r\n"
        lines = f"HTTP/1.1 {status}\r\nContent-Length: {len(data) - start}\r\nETag: {etag}\r\n{more}\r\n"
        connection.sendall(lines.encode())
        if len(self.asked) == 1:
            connection.sendall(data[: len(data) // 2])
            self.halted.set()
            while connection.recv(65536):
                pass
        else:
            connection.sendall(data[start:])


@pytest.fixture
def halting() -> Iterator[Halting]:
    halting = Halting()
    yield halting
    halting.server.close()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_download_leaves_no_file(halting: Halting, tmp_path: Path, number: int, code: int) -> None:
    (tmp_path / "x").write_text("mine")
    process = begin("get", "--force", "-o", str(tmp_path / "x"), halting.url)
    assert halting.halted.wait(WITHIN)
    process.send_signal(number)
    out, err = process.communicate(timeout=WITHIN)
    assert (process.returncode, out) == (code, b"")
    assert err in (b"", NOTHING_KEPT)  # there may not have been anything yet
    assert os.listdir(tmp_path) == ["x"]
    assert (tmp_path / "x").read_text() == "mine"


NOTHING_KEPT = b"anyurl: note: nothing of it is kept; with --continue an interrupted download can be resumed\n"
KEPT = "anyurl: note: the first 5 octets are kept in {}.anyurl-part; the same command gets the rest\n"
UNPROVEN = (
    "anyurl: note: nothing of it is kept, because a later attempt could not verify that the resource is unchanged\n"
)


@pytest.mark.parametrize(
    ("options", "head", "note"),
    [
        ([], b'ETag: "1"\r\n', NOTHING_KEPT.decode()),
        ([], b"", "anyurl: note: nothing of it is kept\n"),  # --continue could not resume it, either
        (["--continue"], b'ETag: "1"\r\n', KEPT),
        (["--continue"], b"Accept-Ranges: bytes\r\n", KEPT),
        (["--continue"], b"", UNPROVEN),
    ],
)
def test_it_is_said_what_is_kept(tmp_path: Path, options: list[str], head: bytes, note: str) -> None:
    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n" + head + b"\r\nabcde")

    server = Listener(serve, "breaking off")
    target = f"{tmp_path}/x"
    result = run("get", *options, "-o", target, f"http://{HOST}:{server.port}/x")
    server.close()
    assert result.exit_code == 7
    assert result.stderr.splitlines(keepends=True)[0] == note.format(target)
    assert (tmp_path / "x.anyurl-part").exists() == ("kept in" in note)


def test_a_portal_takes_nothing_of_a_download(tmp_path: Path) -> None:
    """A captive portal answers 200 to everything: the part stays, and the next run completes it."""
    asked: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        asked.append(connection.recv(65536))
        if len(asked) in (2, 4):
            page = b"<title>Log\x1b in</title>"
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 22\r\n\r\n" + page)
        elif b"Range:" in asked[-1]:
            part = b'HTTP/1.1 206 Part\r\nContent-Length: 5\r\nContent-Range: bytes 5-9/10\r\nETag: "1"\r\n\r\nfghij'
            connection.sendall(part)
        else:
            connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: "1"\r\n\r\nabcde')

    server = Listener(serve, "portal")
    target, url = f"{tmp_path}/x", f"http://{HOST}:{server.port}/x"
    assert "gets the rest" in run("get", "--continue", "-o", target, url).stderr
    result = run("get", "--continue", "-o", target, url)
    assert result.exit_code == 7
    assert "a document of 22 octets of type “text/html” with the title “Log\\x1b in”" in result.stderr
    assert "kept in" in result.stderr
    assert "with --force it begins anew" in result.stderr
    assert run("get", "--continue", "-o", target, url).exit_code == 0
    assert Path(target).read_bytes() == b"abcdefghij"
    server.close()


@pytest.mark.parametrize("scheme", ["http", "ftp", "file"])
def test_the_same_command_after_success_succeeds(world: World, tmp_path: Path, scheme: str) -> None:
    target = f"{tmp_path}/x"
    url = f"{world.roots[scheme]}motd.txt"
    for _ in range(2):
        result = run("get", "--continue", "-o", target, url)
        assert result.exit_code == 0, result.stderr
    assert "it is complete with" in result.stderr
    Path(target).write_bytes(Path(target).read_bytes().replace(b"e", b"E"))
    assert run("get", "--continue", "-o", target, url).exit_code == 7


def test_nothing_is_said_of_a_pipe_or_of_what_never_began(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    for name in ("x", "pipe"):
        result = run("get", "-o", f"{tmp_path}/{name}", f"file://{tmp_path}/nothing")
        assert (result.exit_code, result.stderr.count("\n")) == (9, 1)
    os.close(reader)


@pytest.mark.parametrize("options", [[], ["--force"]])
def test_standard_output_may_be_named_by_a_link(world: World, tmp_path: Path, options: list[str]) -> None:
    """As /dev/stdout is: --force would have replaced it by a file."""
    (tmp_path / "stdout").symlink_to("/proc/self/fd/1")
    done = call("get", *options, "-o", str(tmp_path / "stdout"), f"{world.roots['http']}motd.txt")
    assert (done.returncode, done.stdout, done.stderr) == (0, tree.MOTD.encode(), b"")
    assert (tmp_path / "stdout").is_symlink()


def interrupted(halting: Halting, target: Path) -> bytes:
    """What is said when a download that can be gone on with is interrupted, with some of it there."""
    process = begin("get", "--continue", "-o", str(target), halting.url)
    assert halting.halted.wait(WITHIN)
    part = target.with_name(f"{target.name}.anyurl-part")
    while not part.exists() or not part.stat().st_size:  # until something of what was sent is written
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=WITHIN)
    assert process.returncode == 130
    assert not target.exists()
    assert halting.data.startswith(part.read_bytes())
    return err


def test_continue_gets_the_rest(halting: Halting, tmp_path: Path) -> None:
    target = tmp_path / "x"
    said = interrupted(halting, target)
    assert f" octets are kept in {target}.anyurl-part; the same command gets the rest\n".encode() in said
    done = call("get", "--continue", "-o", str(target), halting.url)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "range: bytes=" in halting.asked[1].lower()
    assert target.read_bytes() == halting.data
    assert os.listdir(tmp_path) == ["x"]


def test_continue_begins_anew_when_the_resource_has_changed(halting: Halting, tmp_path: Path) -> None:
    target = tmp_path / "x"
    interrupted(halting, target)
    halting.data = halting.data[::-1]
    done = call("get", "--continue", "-o", str(target), halting.url)
    assert done.returncode == 0
    assert target.read_bytes() == halting.data
    assert os.listdir(tmp_path) == ["x"]


def test_continue_without_a_part_is_a_download(world: World, tmp_path: Path) -> None:
    target = tmp_path / "picture.png"
    assert run("get", "--continue", "-o", str(target), f"{world.roots['ftp']}pub/picture.png").exit_code == 0
    assert target.read_bytes() == PICTURE
    assert os.listdir(tmp_path) == ["picture.png"]


def test_times_are_kept_unless_that_is_not_wanted(world: World, tmp_path: Path) -> None:
    url = f"{world.roots['file']}motd.txt"
    there = os.stat(url.removeprefix("file://").removeprefix("localhost")).st_mtime
    for name, options in (("kept", ()), ("now", ("--no-times",))):
        assert run("get", "-o", str(tmp_path / name), *options, url).exit_code == 0
    assert (tmp_path / "kept").stat().st_mtime == there
    assert (tmp_path / "now").stat().st_mtime > there
    assert run("get", "--no-times", url).exit_code == 2


# --- bodies that break off -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("options", [["-o", "{}/x"], ["--continue", "-o", "{}/x"], ["--output-dir", "{}"]])
def test_a_retry_covers_the_body(tmp_path: Path, ranges: bool, options: list[str]) -> None:
    """Each of the first two requests breaks off; a server with ranges sends no octet twice."""
    asked: list[bytes] = []
    content = bytes(range(100))

    def serve(connection: socket.socket) -> None:
        head = connection.recv(65536)
        asked.append(head)
        start = 0
        if ranges and b"\r\nRange: bytes=" in head:
            start = int(head.partition(b"\r\nRange: bytes=")[2].partition(b"-")[0])
        status = f"206 Part\r\nContent-Range: bytes {start}-99/100" if start else "200 OK"
        told = f'HTTP/1.1 {status}\r\nContent-Length: {100 - start}\r\nETag: "1"\r\n\r\n'
        end = 100 if len(asked) == 3 else 30 * len(asked)
        connection.sendall(told.encode() + content[start:end])

    server = Listener(serve, "breaking off")
    url = f"http://{HOST}:{server.port}/x"
    where = [option.format(tmp_path) for option in options]
    result = run("get", "--retry", "5", *where, url)
    server.close()
    assert (result.exit_code, len(asked)) == (0, 3), result.stderr
    assert (tmp_path / "x").read_bytes() == content
    assert os.listdir(tmp_path) == ["x"]
    assert [b"Range: bytes=" in head for head in asked] == [False, True, True]


def test_a_retry_covers_the_body_of_ftp(tmp_path: Path) -> None:
    content = bytes(range(100))
    replies = {"SIZE": b"213 100\r\n", "MDTM": b"213 20010105000000\r\n", "REST": b"350 ok\r\n"}
    asked: list[str] = []

    def part(connection: Connection) -> None:
        asked.append("")
        cut = 40 if len(asked) == 1 else 100
        start = 40 if len(asked) > 1 else 0
        ftp_part(replies, {"RETR": content[start:cut]})(connection)

    with Server(part) as server:
        result = run("get", "--retry", "2", "-o", str(tmp_path / "x"), f"ftp://{server.authority}/x")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "x").read_bytes() == content


@pytest.mark.parametrize("several", [False, True])
def test_a_rate_is_kept_to(world: World, tmp_path: Path, several: bool) -> None:
    urls = [f"{world.roots['http']}pub/picture.png"] * (2 if several else 1)
    where = ["--output-dir", str(tmp_path)] if several else ["-o", str(tmp_path / "picture.png")]
    begun = time.monotonic()
    result = run("get", "--limit-rate", "20k", *where, *urls)
    took = time.monotonic() - begun
    assert result.exit_code == 0, result.stderr
    assert took > 0.9 * len(urls) * len(PICTURE) / 20_480
    assert (tmp_path / "picture.png").read_bytes() == PICTURE


@pytest.mark.parametrize(
    "words", [["--limit-rate", "0", "-o", "x"], ["--limit-rate", "fast", "-o", "x"], ["--limit-rate", "1k"]]
)
def test_what_is_no_rate_or_has_no_file_is_told(words: list[str]) -> None:
    assert run("get", *words, "http://127.0.0.1:8099/").exit_code == 2


def test_with_an_archive_a_download_begins_anew_and_leaves_the_part_alone(tmp_path: Path) -> None:
    asked: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        asked.append(connection.recv(65536))
        sent = b"abcde" if len(asked) == 1 else b"abcdefghij"
        connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: "1"\r\n\r\n' + sent)

    server = Listener(serve, "halting")
    target, url, archive = f"{tmp_path}/x", f"http://{HOST}:{server.port}/x", f"{tmp_path}/a.warc.gz"
    assert "gets the rest" in run("get", "--continue", "-o", target, url).stderr
    result = run("get", "--continue", "--warc", archive, "-o", target, url)
    server.close()
    assert result.exit_code == 0, result.stderr
    assert "begins anew" in result.stderr
    assert b"Range:" not in asked[1]
    assert Path(target).read_bytes() == b"abcdefghij"
    assert Path(f"{target}.anyurl-part").read_bytes() == b"abcde"


def test_with_an_archive_the_file_of_another_program_is_not_continued_and_the_way_is_named(tmp_path: Path) -> None:
    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd")

    server = Listener(serve, "whole")
    target, url = tmp_path / "x", f"http://{HOST}:{server.port}/x"
    target.write_bytes(b"ab")
    result = run("get", "--continue", "--warc", f"{tmp_path}/a.warc.gz", "-o", str(target), url)
    server.close()
    assert result.exit_code == 9
    assert "with --warc nothing is resumed: without it, --continue gets the rest of" in result.stderr.replace("\n", " ")
    assert target.read_bytes() == b"ab"
