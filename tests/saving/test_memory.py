"""A large body on its way to the disk: memory does not grow with it, however it is saved."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.runner import CLEAN
from tests.servers import Connection, Server

pytest.importorskip("resource", reason="this system does not tell the peak of memory")

PIECE = b"x" * 1_000_000
COUNT = 64
MOST_MIB = 60
"""The interpreter with libcurl takes some 25."""

CODE = """
import resource, sys
from pathlib import Path
from anyurl.cli import main
sys.argv[0] = "anyurl"
try:
    main()
finally:
    status = Path("/proc/self/status")  # the other figure counts the process that this one was forked from
    lines = status.read_text().splitlines() if status.exists() else []
    own = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    print((own or [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss])[0] // 1024)
"""


def http(connection: Connection) -> None:
    while head := connection.head():
        path = head.split()[1]
        if path == b"/robots.txt":
            connection.send(b"HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n")
            continue
        type = b"text/html" if path.endswith(b".html") else b"application/octet-stream"
        length = len(PIECE) * COUNT
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n" % (type, length))
        for _ in range(COUNT):
            connection.send(PIECE)


def gopher(connection: Connection) -> None:
    connection.line()
    for _ in range(COUNT):
        connection.send(PIECE)


@pytest.fixture(scope="module")
def places() -> Iterator[tuple[str, str]]:
    with Server(http) as web, Server(gopher) as hole:
        yield f"http://{web.authority}", f"gopher://{hole.authority}"


@pytest.mark.parametrize(
    "line",
    [
        ["get", "{0}/a.bin", "{1}/9b", "--output-dir", "{2}/x"],
        ["get", "{0}/a.bin", "{1}/9b", "--output-dir", "{2}/x", "--continue", "--warc", "{2}/a.warc.gz"],
        ["get", "{1}/9b", "-o", "{2}/x"], ["mirror", "{0}/a.bin", "{2}/x"], ["mirror", "{0}/a.html", "{2}/x"],
        ["mirror", "{1}/9b", "{2}/x", "--warc", "{2}/a.warc.gz"],
    ],
)  # fmt: skip
def test_a_large_body_is_never_whole_in_memory(places: tuple[str, str], tmp_path: Path, line: list[str]) -> None:
    words = [word.format(*places, tmp_path) for word in line]
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words, "--allow-private"], capture_output=True, text=True, env=CLEAN
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) < MOST_MIB
    sizes = [path.stat().st_size for path in (tmp_path / "x").rglob("*") if path.is_file()] or [
        (tmp_path / "x").stat().st_size
    ]
    assert max(sizes) == COUNT * len(PIECE)
