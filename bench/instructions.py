"""Instructions of one request, by callgrind: what neighbours on the machine can't change.

Rule: a figure is (instructions of a long run minus those of a short one) / (requests between them), in user space, of
the client's process alone. Where one request waits for the other the server answers some milliseconds later: an answer
that is there before the client looks costs a turn less, and which it is would hang on the machine.

`python bench/instructions.py [ROW...]` prints a table and ends with 1 when a row takes more than `ALLOWED` times the
instructions of its base; `--release PYTHON` counts the release anew, with what another Python has installed.
`--quick` makes fewer requests, `--markdown` writes the rows for RESULTS.md.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SMALL_OCTETS = 2048
LARGE_OCTETS = 1_000_000

MAP = """
import sys
from anyurl import Client
try:
    from anyurl.net.loop import turns
    turns.QUICK = turns.LOST = 3600.0
except ImportError:  # a release that tries no host out
    pass
with Client() as client:
    for count in (600, int(sys.argv[2])):  # after the first it is known that the host takes any number
        for result in client.map([sys.argv[1]] * count, 64):
            assert result.resource.read()
"""
"""Under valgrind no answer is quick: without `QUICK` the host would be tried out with few requests at once to the end,
by how many would hang on the machine, and so would the figure."""

GET = """
import sys
from anyurl import Client
with Client() as client:
    for _ in range(int(sys.argv[2])):
        assert client.get(sys.argv[1]).read()
"""

SAVE = """
import sys
from anyurl import Client
from anyurl.access import save
with Client() as client:
    for _ in range(int(sys.argv[2])):
        assert save(client.get(sys.argv[1]), "/dev/null") == 1_000_000
"""

ROWS: dict[str, tuple[str, str]] = {
    # row: what it does, and with which server
    "map": (MAP, "http"),
    "get one by one": (GET, "late"),
    "gopher get": (GET, "gopher"),
    "news get": (GET, "news"),
    "save a megabyte": (SAVE, "large"),  # each octet that is copied counts as one
}

RELEASE: dict[str, float] = {
    "map": 165.3,
    "get one by one": 173.0,
    "gopher get": 263.4,
    "news get": 381.2,
    "save a megabyte": 1799.0,
}
"""Thousand instructions of a request in the last release, b338cae2, counted on 2026-12-01."""

GRANTED: dict[str, float] = {"map": 1.03, "get one by one": 1.03, "gopher get": 1.09, "news get": 1.09}
"""Times that, once, for this release: its client, registry, verbs and kit are not compiled. The next has none."""

ALLOWED = 1.05
"""Times its base that a row may take; the base is what the release took, times what was granted."""

SERVERS = """
import sys
from anyurl.world.world import World
with World(["gopher", "news"]) as world:
    for scheme in ("gopher", "news"):
        print(scheme, world.urls[scheme], flush=True)
    sys.stdin.read()
"""

LATE = """
import socket, sys, threading, time
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as server:
    server.sendall(b"GET /small.bin HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: keep-alive\\r\\n\\r\\n")
    answer = b""
    while len(answer.partition(b"\\r\\n\\r\\n")[2]) < int(sys.argv[2]):
        answer += server.recv(65536)

def serve(client):
    asked = b""
    while piece := client.recv(65536):
        asked += piece
        if asked.endswith(b"\\r\\n\\r\\n"):
            time.sleep(0.003)
            client.sendall(answer)
            asked = b""

def accept():
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=accept, daemon=True).start()
print("late", f"http://127.0.0.1:{listener.getsockname()[1]}/small.bin", flush=True)
sys.stdin.read()
"""
"""What nginx answers, some milliseconds later."""


@contextmanager
def run(script: str, *arguments: str) -> Iterator[Iterator[str]]:
    """A Python of its own, which ends with its standard input; what it prints."""
    command = [sys.executable, "-c", script, *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield iter(process.stdout)
    finally:
        process.communicate()


@contextmanager
def servers(root: Path) -> Iterator[dict[str, str]]:
    """A URL for each scheme: nginx has the small file, and the world of the demo, in a process of its own, the rest."""
    from fetch import NGINX, free_port, server

    (root / "files").mkdir()
    (root / "files" / "small.bin").write_bytes(os.urandom(SMALL_OCTETS))
    (root / "files" / "large.bin").write_bytes(os.urandom(LARGE_OCTETS))
    port = free_port()
    (root / "nginx.conf").write_text(NGINX.format(root=root, port=port, files=root / "files"))
    root.chmod(0o755)  # nginx reads them as its own user
    with (
        run(SERVERS) as world,
        server(["nginx", "-c", str(root / "nginx.conf")], port),
        run(LATE, str(port), str(SMALL_OCTETS)) as late,
    ):
        urls = dict(line.split() for line in (next(world), next(world), next(late)))
        base = f"http://127.0.0.1:{port}/"
        yield {"http": base + "small.bin", "large": base + "large.bin", **urls}


def instructions(python: str, script: str, url: str, count: int) -> int:
    """User-space instructions of the whole process."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(
        [*valgrind, python, "-c", script, url, str(count)],
        env={**os.environ, "PYTHONHASHSEED": "0"}, cwd="/", capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or found is None:
        sys.exit(done.stderr)
    return int(found[1])


def count(python: str, row: str, urls: dict[str, str], quick: bool) -> float:
    """Thousand instructions of one request."""
    script, scheme = ROWS[row]
    few, many = (200, 500) if quick else (500, 1500)
    if scheme == "large":
        few, many = few // 25, many // 25
    short, long = (instructions(python, script, urls[scheme], number) for number in (few, many))
    return (long - short) / (many - few) / 1000


def main() -> None:
    """Measure each row, print the table, and say by the exit code whether all gates hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--release", metavar="PYTHON", help="the Python that has the last release")
    arguments = parser.parse_args()
    if unknown := set(arguments.rows) - ROWS.keys():
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    broken = False
    with tempfile.TemporaryDirectory() as folder, servers(Path(folder)) as urls:
        for name in arguments.rows or ROWS:
            now = count(sys.executable, name, urls, arguments.quick)
            release = count(arguments.release, name, urls, arguments.quick) if arguments.release else RELEASE[name]
            before = release * GRANTED.get(name, 1.0)
            ratio = now / before
            broken |= ratio > ALLOWED
            if arguments.markdown:
                print(f"| {name} | {before:.0f} | {now:.0f} | {ratio:.2f} |", flush=True)
            else:
                told = "  BROKEN" if ratio > ALLOWED else ""
                print(f"{name:<16} {now:7.1f} thousand, base {before:7.1f}: {ratio:.2f}{told}", flush=True)
    sys.exit(broken)


if __name__ == "__main__":
    main()
