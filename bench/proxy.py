"""`anyurl proxy` against tinyproxy in the same run: throughput, added latency, memory of many tunnels.

Rule: a figure is a ratio of medians of interleaved rounds, on loopback; nginx serves. `python bench/proxy.py` prints
a row for each, and ends with 1 when a bar is broken: 2.5 times tinyproxy's throughput, 1.5 times the time that it adds
to a request, 8.5 kB for an idle tunnel, and memory that is flat.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
REQUESTS = 300
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
def tinyproxy(folder: Path) -> Iterator[tuple[int, int]]:
    """The same of tinyproxy."""
    port = free_port()
    (folder / "tinyproxy.conf").write_text(TINYPROXY.format(port=port))
    with server(["tinyproxy", "-d", "-c", str(folder / "tinyproxy.conf")], port) as process:
        yield port, process.pid if process is not None else 0


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


def seconds_of(call: object, *arguments: object, times: int = 1) -> float:
    began = time.perf_counter()
    for _ in range(times):
        assert call(*arguments)  # type: ignore[operator]
    return (time.perf_counter() - began) / times


def memory_of(pid: int) -> int:
    """Kilobytes in memory."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0])


def kept(path: str, web: int, proxy: int, count: int) -> float:
    """The seconds of one request on a connection that is kept."""
    with socket.create_connection(("127.0.0.1", proxy)) as sock:
        request = f"GET http://127.0.0.1:{web}{path} HTTP/1.1\r\nHost: 127.0.0.1:{web}\r\n\r\n".encode()
        began = time.perf_counter()
        for _ in range(count):
            sock.sendall(request)
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += sock.recv(65536)
            head, _, body = answer.partition(b"\r\n\r\n")
            left = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]) - len(body)
            while left > 0:
                left -= len(sock.recv(65536))
        return (time.perf_counter() - began) / count


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


def main() -> None:
    """Measure, print, and say by the exit code whether each bar holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    rounds, octets, requests = (3, LARGE_OCTETS // 4, REQUESTS // 3) if quick else (7, LARGE_OCTETS, REQUESTS)
    tunnels = TUNNELS
    broken = False
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
            tinyproxy(folder) as (theirs, _),
        ):
            large: dict[str, list[float]] = {"ours": [], "theirs": []}
            through: dict[str, list[float]] = {"ours": [], "theirs": []}
            small: dict[str, list[float]] = {"ours": [], "theirs": [], "direct": []}
            tunnelled: dict[str, list[float]] = {"ours": [], "theirs": []}
            again: list[float] = []
            for _ in range(rounds):
                for who, port in (("ours", ours), ("theirs", theirs)):
                    large[who].append(seconds_of(get, "/large", web, port))
                    through[who].append(seconds_of(tunnel, "/large", web, port))
                for who, proxy in (("ours", ours), ("theirs", theirs), ("direct", None)):
                    small[who].append(seconds_of(get, "/small", web, proxy, times=requests))
                for who, port in (("ours", ours), ("theirs", theirs)):
                    tunnelled[who].append(seconds_of(tunnel, "/small", web, port, times=requests))
                again.append(kept("/small", web, ours, requests))
            median = {who: statistics.median(values) for who, values in small.items()}
            added = {who: median[who] - median["direct"] for who in ("ours", "theirs")}
            through_a_tunnel = {who: statistics.median(tunnelled[who]) - median["direct"] for who in tunnelled}
            reloaded, came = many_reloads(pid, RELOADS)
            each, left = many_tunnels(web, ours, pid, tunnels)
        rows: list[tuple[str, str, float, str, bool]] = []
        for what, times in (("http", large), ("a tunnel", through)):
            rate = {who: octets / statistics.median(values) / 1e6 for who, values in times.items()}
            share = rate["ours"] / rate["theirs"]
            shown = f"{rate['ours']:.0f} MB/s, {rate['theirs']:.0f} MB/s"
            bar = f">= {LEAST_THROUGHPUT}"
            rows.append((f"throughput of {what}, of tinyproxy's", shown, share, bar, share >= LEAST_THROUGHPUT))
        ratio = added["ours"] / added["theirs"]
        shown = f"{added['ours'] * 1e3:.2f} ms, {added['theirs'] * 1e3:.2f} ms"
        rows.append(
            ("time added to a request, of tinyproxy's", shown, ratio, f"<= {MOST_LATENCY:g}", ratio <= MOST_LATENCY)
        )
        ratio = through_a_tunnel["ours"] / through_a_tunnel["theirs"]
        shown = f"{through_a_tunnel['ours'] * 1e3:.2f} ms, {through_a_tunnel['theirs'] * 1e3:.2f} ms"
        rows.append(
            ("time added by a tunnel, of tinyproxy's", shown, ratio, f"<= {MOST_LATENCY:g}", ratio <= MOST_LATENCY)
        )
        share = statistics.median(again) / median["ours"]
        shown = f"{statistics.median(again) * 1e3:.2f} ms, {median['ours'] * 1e3:.2f} ms"
        rows.append(("the next request on a connection, of a new one", shown, share, "<= 1", share <= 1))
        what = f"memory after {RELOADS:,} reloads, of that after a tenth"
        rows.append((what, "", reloaded, "<= 1.05", reloaded <= 1.05))
        rows.append((f"descriptors that {RELOADS:,} reloads leave", "", came, "<= 0", came <= 0))
        bar = f"<= {MOST_KILOBYTES_A_TUNNEL:g}"
        rows.append((f"kB a tunnel, {tunnels:,} at once", "", each, bar, each <= MOST_KILOBYTES_A_TUNNEL))
        rows.append(("memory of them at the sixth time, of that at the third", "", left, "<= 1.1", left <= 1.1))
        for what, shown, value, bar, holds in rows:
            broken |= not holds
            print(f"| {what} | {shown} | {value:.2f} | {bar} |" + ("" if holds else "  BROKEN"), flush=True)
    sys.exit(broken)


if __name__ == "__main__":
    main()
