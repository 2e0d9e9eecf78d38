"""`anyurl proxy` against tinyproxy in the same run: throughput, added latency, memory of many tunnels.

Rule: a figure is a ratio of medians, and of the least, by turns, on loopback; nginx serves. `python bench/proxy.py`
prints a row for each in two minutes, and ends with 1 when a bar is broken: 2.5 times tinyproxy's throughput, 1.5 times
the time that it adds to a request, 8.5 kB for an idle tunnel, and memory that is flat.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from fetch import NGINX, free_port, server

ROLES = """
[[role]]
name = "bench"
sources = ["127.0.0.1/32"]
policy = "default"
connect_ports = [{port}]
connections = 12000
"""

TINYPROXY = """
Port {port}
Listen 127.0.0.1
Timeout 60
MaxClients 4000
Allow 127.0.0.1
LogLevel Critical
DisableViaHeader Yes
"""

LARGE_OCTETS = 200_000_000
REQUESTS = 3_000
TUNNELS = 1_000

LEAST_THROUGHPUT, MOST_LATENCY, MOST_KILOBYTES_A_TUNNEL = 2.5, 1.5, 8.5
RELOADS = 1_000


@contextmanager
def anyurl_proxy(folder: Path, port: int) -> Iterator[tuple[int, int]]:
    """Its port and its process."""
    (folder / "roles.toml").write_text(ROLES.format(port=port))
    words = [sys.executable, "-m", "anyurl", "proxy", "--json", "--roles", folder / "roles.toml", "--log", os.devnull]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(json.loads(process.stdout.readline())["proxy"].rpartition(":")[2]), process.pid
        finally:
            process.kill()


@contextmanager
def tinyproxy(folder: Path) -> Iterator[int]:
    """The port of tinyproxy."""
    port = free_port()
    (folder / "tinyproxy.conf").write_text(TINYPROXY.format(port=port))
    with server(["tinyproxy", "-d", "-c", str(folder / "tinyproxy.conf")], port):
        yield port


def get(path: str, web: int, proxy: int | None) -> int:
    """The octets of one answer, on a connection of its own."""
    with socket.create_connection(("127.0.0.1", proxy or web)) as sock:
        target = path if proxy is None else f"http://127.0.0.1:{web}{path}"
        sock.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{web}\r\nConnection: close\r\n\r\n".encode())
        return _drain(sock)


def tunnel(path: str, web: int, proxy: int) -> int:
    """The same through CONNECT."""
    with socket.create_connection(("127.0.0.1", proxy)) as sock:
        sock.sendall(f"CONNECT 127.0.0.1:{web} HTTP/1.1\r\nHost: 127.0.0.1:{web}\r\n\r\n".encode())
        assert b" 200 " in sock.recv(65536)
        sock.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        return _drain(sock)


def _drain(sock: socket.socket) -> int:
    buffer, count = bytearray(1 << 18), 0
    while got := sock.recv_into(buffer):
        count += got
    return count


def seconds_of(call: Callable[..., int], *arguments: object) -> float:
    began = time.perf_counter()
    assert call(*arguments)
    return time.perf_counter() - began


def memory_of(pid: int) -> int:
    """Kilobytes in memory."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0])


def kept(path: str, web: int, sock: socket.socket) -> int:
    """The same on a connection to a proxy that carries another request after it."""
    sock.sendall(f"GET http://127.0.0.1:{web}{path} HTTP/1.1\r\nHost: 127.0.0.1:{web}\r\n\r\n".encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += sock.recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
    count = len(body)
    while count < size:
        count += len(sock.recv(65536))
    return count


def many_reloads(pid: int, count: int) -> tuple[float, int]:
    """The memory after so many reloads, of that after a tenth of them, and the descriptors that came."""

    def reload(times: int) -> None:
        for _ in range(times):
            os.kill(pid, signal.SIGHUP)
            time.sleep(0.005)
        time.sleep(0.5)

    reload(count // 10)
    before, open_before = memory_of(pid), len(os.listdir(f"/proc/{pid}/fd"))
    reload(count)
    return memory_of(pid) / before, len(os.listdir(f"/proc/{pid}/fd")) - open_before


def many_tunnels(web: int, proxy: int, pid: int, count: int) -> tuple[float, float]:
    """Kilobytes that a tunnel takes, and the memory of all of them at the sixth time, of that at the third."""
    before = memory_of(pid)
    peaks = []
    for _ in range(6):
        socks = []
        for _ in range(count):
            sock = socket.create_connection(("127.0.0.1", proxy))
            sock.sendall(f"CONNECT 127.0.0.1:{web} HTTP/1.1\r\n\r\n".encode())
            assert b" 200 " in sock.recv(65536)
            socks.append(sock)
        peaks.append(memory_of(pid))
        for sock in socks:
            sock.close()
    return (peaks[0] - before) / count, peaks[5] / peaks[2]


class Row(NamedTuple):
    """A figure, what it is made of, and its bar."""

    what: str
    shown: str
    value: float
    bar: float
    is_least: bool = False

    def __str__(self) -> str:
        sign = ">=" if self.is_least else "<="
        return f"| {self.what} | {self.shown} | {self.value:.2f} | {sign} {self.bar:g} |" + (
            "" if self.holds else "  BROKEN"
        )

    @property
    def holds(self) -> bool:
        """Whether its bar is kept."""
        return self.value >= self.bar if self.is_least else self.value <= self.bar


def throughput(web: int, ours: int, theirs: int, octets: int, rounds: int) -> Iterator[Row]:
    """A large file by http and through a tunnel, by turns."""
    for what, call in (("http", get), ("a tunnel", tunnel)):
        taken: dict[int, list[float]] = {ours: [], theirs: []}
        for _ in range(rounds):
            for port, times in taken.items():
                times.append(seconds_of(call, "/large", web, port))
        rates = [octets / statistics.median(times) / 1e6 for times in taken.values()]
        best = [octets / min(times) / 1e6 for times in taken.values()]
        shown = f"median {rates[0]:.0f} and {rates[1]:.0f} MB/s; most {best[0]:.0f} and {best[1]:.0f}"
        yield Row(f"throughput of {what}, of tinyproxy's", shown, rates[0] / rates[1], LEAST_THROUGHPUT, is_least=True)


def latency(web: int, ours: int, theirs: int, requests: int) -> Iterator[Row]:
    """What a small file takes longer on a new connection than without a proxy; each request after one of the others."""
    for what, call in (("a plain request", get), ("a tunnel", tunnel)):
        direct, first, second, again = [], [], [], []
        with socket.create_connection(("127.0.0.1", ours)) as sock:
            for _ in range(requests):
                direct.append(seconds_of(get, "/small", web, None))
                first.append(seconds_of(call, "/small", web, ours))
                second.append(seconds_of(call, "/small", web, theirs))
                again.append(seconds_of(kept, "/small", web, sock))
        for name, take in (("median", statistics.median), ("least", min)):
            added = [take(times) - take(direct) for times in (first, second)]
            shown = f"{added[0] * 1e6:.0f} and {added[1] * 1e6:.0f} us; direct {take(direct) * 1e6:.0f} us"
            yield Row(f"{name} time added by {what}, of tinyproxy's", shown, added[0] / added[1], MOST_LATENCY)
        if call is get:
            taken = [statistics.median(times) for times in (again, first)]
            shown = f"{taken[0] * 1e6:.0f} and {taken[1] * 1e6:.0f} us"
            yield Row("the next request on a connection, of a new one", shown, taken[0] / taken[1], 1)


def memory(web: int, ours: int, pid: int, tunnels: int) -> Iterator[Row]:
    """What reloads and idle tunnels leave and take."""
    reloaded, came = many_reloads(pid, RELOADS)
    yield Row(f"memory after {RELOADS:,} reloads, of that after a tenth", "", reloaded, 1.05)
    yield Row(f"descriptors that {RELOADS:,} reloads leave", "", came, 0)
    each, left = many_tunnels(web, ours, pid, tunnels)
    yield Row(f"kB a tunnel, {tunnels:,} at once", "", each, MOST_KILOBYTES_A_TUNNEL)
    yield Row("memory of them at the sixth time, of that at the third", "", left, 1.1)


def main() -> None:
    """Measure, print, and say by the exit code whether each bar holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a third of the rounds")
    parser.add_argument("--times", action="store_true", help="latency and throughput alone")
    options = parser.parse_args()
    rounds, octets, requests = (3, LARGE_OCTETS // 4, REQUESTS // 3) if options.quick else (7, LARGE_OCTETS, REQUESTS)
    holds = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        files = folder / "files"
        files.mkdir()
        (files / "small").write_bytes(os.urandom(2048))
        with open(files / "large", "wb") as file:
            file.truncate(octets)
        web = free_port()
        (folder / "nginx.conf").write_text(NGINX.format(root=folder, port=web, files=files))
        with (
            server(["nginx", "-c", str(folder / "nginx.conf")], web),
            anyurl_proxy(folder, web) as (ours, pid),
            tinyproxy(folder) as theirs,
        ):
            parts = [latency(web, ours, theirs, requests), throughput(web, ours, theirs, octets, rounds)]
            if not options.times:
                parts.append(memory(web, ours, pid, TUNNELS))
            for row in chain.from_iterable(parts):
                holds &= row.holds
                print(row, flush=True)
    sys.exit(not holds)


if __name__ == "__main__":
    main()
