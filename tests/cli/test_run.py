"""How the command ends when it is not left to finish: Ctrl-C, SIGTERM, a closed terminal, a closed pipe.

Every server here holds the transfer at a known place and says when it is reached; nothing waits for time to pass.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from anyurl.world.listener import HOST, Listener
from tests.cli.runner import CLEAN, PROGRAM

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
