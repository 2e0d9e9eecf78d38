"""How long the command takes to begin: ``--version``, ``parse`` and ``get`` against Python that does nothing.

All are run in turn, many times each, and the medians are compared: what else the machine does at that moment slows all
of them. For ``get`` it is the time to the first octet of a document of 2 KB, from a server on loopback in a process of
its own. ``python bench/start.py`` prints a table; the bars are times of the wall time of ``python3 -c pass``. Where
valgrind is installed, ``--instructions`` counts the instructions of one run of each as well (user space, to its end).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

URL = "ftp://myname@host.dom/%2Fetc/motd;type=a"

BARS = {"--version": 6.0, f"parse {URL}": 8.0, "get": 6.0}

SERVER = """
import socket
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
answer = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: 2048\\r\\n\\r\\n" + b"x" * 2048
while True:
    peer, _ = listener.accept()
    with peer:
        request = b""
        while b"\\r\\n\\r\\n" not in request and (piece := peer.recv(4096)):
            request += piece
        peer.sendall(answer)
"""


def command() -> list[str]:
    """The installed command beside this Python, or what its script would do."""
    beside = Path(sys.executable).parent / "anyurl"
    if beside.is_file() and os.access(beside, os.X_OK):
        return [str(beside)]
    return [sys.executable, "-c", "import sys; from anyurl.cli import main; sys.exit(main())"]


@contextlib.contextmanager
def server() -> Iterator[str]:
    """A document of 2 KB: the port of its server."""
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def seconds(line: list[str]) -> float:
    """The wall time of one run: until its first octet, or until its end where it writes none."""
    start = time.perf_counter()
    with subprocess.Popen(line, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        if "get" not in line:
            process.wait()
        taken = time.perf_counter() - start
        process.stdout.read()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, line)
    return taken


def instructions(line: list[str]) -> float:
    """Millions of instructions of one run."""
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}"]
    done = subprocess.run([*valgrind, *line], capture_output=True, text=True, check=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found is not None
    return int(found[1]) / 1e6


def measure(lines: dict[str, list[str]], runs: int) -> dict[str, float]:
    """The median of each, all of them taking turns."""
    for line in lines.values():
        seconds(line)  # the first run compiles and fills the page cache: a start is cold for us, not for the disk
    times: dict[str, list[float]] = {name: [] for name in lines}
    for _ in range(runs):
        for name, line in lines.items():
            times[name].append(seconds(line))
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> int:
    """Print the table; 1 if a bar is not reached."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--instructions", action="store_true")
    given = parser.parse_args()
    program = command()
    python = shutil.which(sys.executable) or sys.executable
    with server() as port:
        lines = {"python3 -c pass": [python, "-c", "pass"]}
        lines |= {name: [*program, *name.split()] for name in BARS if name != "get"}
        lines["get"] = [*program, "get", "--allow-port", port, f"http://127.0.0.1:{port}/small"]
        medians = measure(lines, given.runs)
        counts = {name: instructions(line) for name, line in lines.items()} if given.instructions else {}
    base = medians["python3 -c pass"]
    print(f"medians of {given.runs} runs, {' '.join(program[:1])}, Python {sys.version.split()[0]}")
    print(f"{'what':48} {'ms':>7} {'ratio':>7} {'bar':>5} {'million instructions' if counts else ''}")
    missed = False
    for name, median in medians.items():
        bar = BARS.get(name)
        ratio = median / base
        missed |= bar is not None and ratio > bar
        shown = f"{median * 1000:7.1f} {ratio:7.2f} {'' if bar is None else f'{bar:.1f}':>5}"
        print(f"{name:48} {shown} {f'{counts[name]:10.1f}' if counts else ''}".rstrip())
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
