"""How the command ends when it is not left to finish: Ctrl-C, SIGTERM, a closed terminal, a closed pipe.

Every server here holds the transfer at a known place and says when it is reached; nothing waits for time to pass.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from anyurl.world.listener import HOST, Listener
from tests.cli.runner import CLEAN, PROGRAM, call

WITHIN = 10
"""Seconds that a command may take to end once it is told to; it takes a fraction of one, but machines are busy."""

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n"


@contextmanager
def holding(*before: bytes) -> Iterator[tuple[str, threading.Event]]:
    """A server that reads a request, sends some octets, says so, and holds on until the client is gone."""
    reached = threading.Event()

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        for data in before:
            connection.sendall(data)
        reached.set()
        while connection.recv(65536):
            pass

    server = Listener(serve, "holding")
    try:
        yield f"http://{HOST}:{server.port}/x", reached
    finally:
        server.close()


def begin(*args: str, env: dict[str, str] = CLEAN, shell: str = "") -> subprocess.Popen[bytes]:
    """Start a command line.

    Args:
        shell: What a shell does before it becomes the command.
    """
    line = ["sh", "-c", shell, "sh", *PROGRAM, *args] if shell else [*PROGRAM, *args]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)


ENDS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


HALF = (HEAD, b"x" * 1000)


@pytest.mark.parametrize(
    ("number", "code", "sent"),
    [
        (signal.SIGINT, 130, ()),
        (signal.SIGINT, 130, (HEAD[:30],)),
        (signal.SIGINT, 130, (HEAD,)),
        (signal.SIGINT, 130, HALF),
        (signal.SIGTERM, 143, ()),
        (signal.SIGTERM, 143, HALF),
        (signal.SIGHUP, 129, HALF),
    ],
    ids=["INT-reply", "INT-head", "INT-body", "INT-half", "TERM-reply", "TERM-half", "HUP-half"],
)
def test_a_signal_ends_a_get_quietly(number: int, code: int, sent: tuple[bytes, ...]) -> None:
    with holding(*sent) as (url, reached):
        process = begin("get", url)
        assert reached.wait(WITHIN)
        process.send_signal(number)
        out, err = process.communicate(timeout=WITHIN)
    assert (process.returncode, err) == (code, b"")
    assert out == b"x" * 1000 or not out


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_a_reader_that_has_stopped_reading_holds_nothing_up(number: int, code: int) -> None:
    process = begin("parse", *["ftp://u@h/a/b/c;type=i"] * 5000)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(1)  # the rest is more than a pipe holds
    process.send_signal(number)
    assert process.wait(WITHIN) == code
    assert process.stderr.read() == b""
    process.stdout.close()
    process.stderr.close()


@pytest.mark.parametrize("replies", [[], [b"220 hi\r\n"], [b"220 hi\r\n", b"331 password\r\n"]], ids=len)
def test_ctrl_c_ends_an_ftp_login(replies: list[bytes]) -> None:
    reached = threading.Event()

    def serve(connection: socket.socket) -> None:
        for reply in replies:
            connection.sendall(reply)
            connection.recv(65536)
        reached.set()
        while connection.recv(65536):
            pass

    server = Listener(serve, "holding ftp")
    process = begin("get", f"ftp://{HOST}:{server.port}/x")
    assert reached.wait(WITHIN)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=WITHIN)
    server.close()
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_reader_that_goes_away_ends_it_quietly(options: tuple[str, ...]) -> None:
    """As ``anyurl ... | head -1``: what was written went into a pipe that nobody reads any more."""
    process = begin("parse", *options, *["ftp://u@h/a/b/c;type=i"] * 5000)
    assert process.stdout is not None
    assert process.stdout.read(1)
    process.stdout.close()
    assert process.wait(WITHIN) == 141
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()


def test_a_reader_that_goes_away_ends_a_transfer() -> None:
    done = threading.Event()

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(HEAD.replace(b"1000000", b"999999999999"))
        try:
            while True:
                connection.sendall(b"x" * 65536)
        finally:
            done.set()

    server = Listener(serve, "endless")
    process = begin("get", f"http://{HOST}:{server.port}/x")
    assert process.stdout is not None
    assert process.stdout.read(10) == b"x" * 10
    process.stdout.close()
    assert process.wait(WITHIN) == 141
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert done.wait(WITHIN)
    server.close()


@pytest.mark.parametrize("args", ["--version", "--help", "schemes", "parse mailto:a@b"])
def test_a_pipe_without_a_reader(args: str) -> None:
    """Even a few octets, which fit into every buffer, are missed by nobody."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROGRAM, *args.split()], stdout=writer, stderr=subprocess.PIPE, env=CLEAN, timeout=30)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_nohup_is_respected() -> None:
    with holding(HEAD) as (url, reached):
        process = begin("get", url, shell='trap "" HUP; exec "$@"')
        assert reached.wait(WITHIN)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=WITHIN)
    assert process.returncode == 143


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_serve_runs_until_it_is_stopped_and_leaves_nothing(number: int, code: int, tmp_path: Path) -> None:
    process = begin("serve", "file", "http", env={**CLEAN, "TMPDIR": str(tmp_path)})
    assert process.stdout is not None
    rows = [process.stdout.readline().decode().split() for _ in range(2)]
    urls = dict(rows)  # type: ignore[arg-type]
    assert sorted(urls) == ["file", "http"]
    folder = Path(urls["file"].removeprefix("file://"))
    assert (folder / "motd.txt").is_file()
    port = int(urls["http"].rpartition(":")[2].rstrip("/"))
    socket.create_connection((HOST, port)).close()
    process.send_signal(number)
    out, err = process.communicate(timeout=WITHIN)
    assert (process.returncode, out, err) == (code, b"", b"")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((HOST, port))


FEW = """
import resource, sys
from anyurl.cli.run import run
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
sys.exit(run(sys.argv[2:]))
"""


@pytest.mark.skipif(os.name == "nt", reason="the limit is that of POSIX")
@pytest.mark.parametrize("limit", range(3, 13))
@pytest.mark.parametrize("command", ["get", "mirror"])
def test_what_descriptors_are_missing_for_is_no_fault_of_ours(tmp_path: Path, limit: int, command: str) -> None:
    """A module that is loaded late needs one as well."""
    (tmp_path / "in").mkdir()
    for name in "ab":
        (tmp_path / "in" / name).write_text(name)
    line = {
        "get": [f"file://{tmp_path}/in/a", f"file://{tmp_path}/in/b", "--output-dir", f"{tmp_path}/out"],
        "mirror": [f"file://{tmp_path}/in/", f"{tmp_path}/out"],
    }
    done = subprocess.run(
        [sys.executable, "-c", FEW, str(limit), command, *line[command]], capture_output=True, env=CLEAN, timeout=WITHIN
    )
    assert done.returncode in (0, 9)
    assert (done.returncode == 0) is (done.stderr == b"")
    assert all(line.startswith(b"anyurl: ") for line in done.stderr.splitlines())
    assert b"fault of anyurl" not in done.stderr


def test_a_current_folder_that_was_removed_is_told(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    done = call("check", ".", cwd=tmp_path / "here", preexec_fn=(tmp_path / "here").rmdir)
    assert done.returncode == 9
    assert done.stderr == b"anyurl: The current folder was removed: no path can begin there.\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has one encoding of names")
def test_a_name_that_the_encoding_of_the_system_lacks_is_saved(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "gr\u00fc\u00df").write_text("x")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for args in (
        ["get", "-O", f"file://{tmp_path}/in/gr%C3%BC%C3%9F"],
        ["mirror", f"file://{tmp_path}/in/", "copy"],
    ):
        done = call(*args, cwd=tmp_path, env=ascii_only)
        assert (done.returncode, done.stderr) == (0, b"")
    for folder in (tmp_path, tmp_path / "copy"):
        assert (folder / "gr\u00fc\u00df").read_text() == "x"
