"""Fetching: many small files and one large one, against curl and aiohttp in the same run.

Rule: every figure is a ratio of medians of interleaved rounds; nginx and vsftpd run on loopback, one worker each.
`python bench/fetch.py [many] [large] [--quick]` prints a table, `--markdown` the rows for RESULTS.md.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

SMALL_FILES = 10_000
SMALL_OCTETS = 2048
AT_ONCE = 64
LARGE_OCTETS = 1_000_000_000
NAMES = 1000

NGINX = """
worker_processes 1; daemon off; master_process off; error_log {root}/error.log; pid {root}/pid;
events {{ worker_connections 1024; }}
http {{ access_log off; sendfile on; keepalive_requests 10000000; client_body_temp_path {root}/body;
proxy_temp_path {root}/proxy; fastcgi_temp_path {root}/fastcgi; uwsgi_temp_path {root}/uwsgi;
scgi_temp_path {root}/scgi;
server {{ listen 127.0.0.1:{port}; root {files}; }} }}
"""

VSFTPD = """
listen=YES
background=NO
listen_address=127.0.0.1
listen_port={port}
anonymous_enable=YES
anon_root={files}
ftp_username={user}
secure_chroot_dir={empty}
seccomp_sandbox=NO
connect_from_port_20=NO
{unprivileged}
"""

NO_UVLOOP = "not run: uvloop is not installed | >= 2.1"

MAP = """
import sys, time
import anyurl.net.http.engine
from anyurl import Client
base, count, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
urls = [f"{base}{i % 1000}.bin" for i in range(count)]
with Client() as client:
    began = time.perf_counter()
    octets = sum(len(result.resource.read()) for result in client.map(urls, at_once))
    print(time.perf_counter() - began)
assert octets == count * 2048, octets
"""

ASYNC_MAP = """
import asyncio, sys, time
import anyurl.net.http.engine
from anyurl import AsyncClient
base, count, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
urls = [f"{base}{i % 1000}.bin" for i in range(count)]
async def main():
    octets = 0
    async with AsyncClient() as client:
        began = time.perf_counter()
        async for result in client.map(urls, at_once):
            octets += len(await result.resource.read())
        print(time.perf_counter() - began)
    assert octets == count * 2048, octets
asyncio.run(main())
"""

AIOHTTP = """
import asyncio, sys, time
import aiohttp
base, count, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if "uvloop" in sys.argv:
    import uvloop
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
urls = iter([f"{base}{i % 1000}.bin" for i in range(count)])
async def work(session):
    octets = 0
    for url in urls:
        async with session.get(url) as response:
            octets += len(await response.read())
    return octets
async def main():
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=at_once)) as session:
        began = time.perf_counter()
        octets = sum(await asyncio.gather(*(work(session) for _ in range(at_once))))
        print(time.perf_counter() - began)
    assert octets == count * 2048, octets
asyncio.run(main())
"""

SAVE = """
import resource, sys, time
from anyurl import Client
from anyurl.access import save
url, path = sys.argv[1:]
began = time.perf_counter()
with Client() as client:
    save(client.open(url), path, force=True)
used = resource.getrusage(resource.RUSAGE_SELF)
print(time.perf_counter() - began, used.ru_maxrss, used.ru_utime)
"""

BARE = """
import resource, sys
import anyurl.saving.save  # it starts as ours does
import anyurl.net.http.engine
import pycurl
url, path = sys.argv[1:]
with open(path, "wb", 0) as file:
    easy = pycurl.Curl()
    easy.setopt(pycurl.URL, url)
    easy.setopt(pycurl.BUFFERSIZE, 131072)
    easy.setopt(pycurl.WRITEFUNCTION, file.write)
    easy.perform()
print(resource.getrusage(resource.RUSAGE_SELF).ru_utime)
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def server(command: list[str], port: int) -> Iterator[None]:
    """A server that listens on `port` while the block runs."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.02)
        else:
            sys.exit(f"{command[0]} does not start")
        yield
    finally:
        process.terminate()
        process.wait()


def python(script: str, *arguments: str) -> list[float]:
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return [float(word) for word in done.stdout.split()]


def curl_many(base: str, count: int, root: Path) -> float:
    config = root / "curl.config"
    lines = (f"url={base}{i % NAMES}.bin\noutput=/dev/null\n" for i in range(count))
    config.write_text("".join(lines))
    command = ["curl", "-s", "--no-progress-meter", "--parallel", "--parallel-max", str(AT_ONCE), "-K", str(config)]
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def rounds(count: int, runs: dict[str, Callable[[], float]]) -> dict[str, float]:
    """The median of each, taken in turns, so that a busy moment of the machine hits all of them."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(count):
        for name, run in runs.items():
            taken[name].append(run())
    return {name: statistics.median(times) for name, times in taken.items()}


def many(root: Path, quick: bool) -> list[tuple[str, str]]:
    files = root / "files"
    files.mkdir()
    for i in range(NAMES):
        (files / f"{i}.bin").write_bytes(os.urandom(SMALL_OCTETS))
    port = free_port()
    (root / "nginx.conf").write_text(NGINX.format(root=root, port=port, files=files))
    base = f"http://127.0.0.1:{port}/"
    count = SMALL_FILES // 5 if quick else SMALL_FILES
    arguments = (base, str(count), str(AT_ONCE))
    with server(["nginx", "-c", str(root / "nginx.conf"), "-p", str(root)], port):
        times = rounds(
            3 if quick else 5,
            {
                "curl": lambda: curl_many(base, count, root),
                "map": lambda: python(MAP, *arguments)[0],
                "async": lambda: python(ASYNC_MAP, *arguments)[0],
                "aiohttp": lambda: python(AIOHTTP, *arguments)[0],
                **({"uvloop": lambda: python(AIOHTTP, *arguments, "uvloop")[0]} if find_spec("uvloop") else {}),
            },
        )
    rate = {name: count / seconds for name, seconds in times.items()}
    return [
        (f"`Client.map`, {count:,} x 2 KB: requests/s of curl --parallel", _row(rate["map"], rate["curl"], ">= 0.95")),
        ("`Client.map`: requests/s of aiohttp", _row(rate["map"], rate["aiohttp"], ">= 2")),
        ("`AsyncClient.map`: requests/s of aiohttp", _row(rate["async"], rate["aiohttp"], ">= 2.1")),
        (
            "the same: of aiohttp on uvloop",
            _row(rate["async"], rate["uvloop"], ">= 2.1") if "uvloop" in rate else NO_UVLOOP,
        ),
    ]


def _row(ours: float, theirs: float, target: str) -> str:
    return f"{ours / theirs:.2f} ({ours:,.0f} / {theirs:,.0f}) | {target}"


def large(root: Path, quick: bool) -> list[tuple[str, str]]:
    files = root / "large"
    files.mkdir()
    size = LARGE_OCTETS // 5 if quick else LARGE_OCTETS
    with open(files / "big.bin", "wb") as out:
        block = os.urandom(1_000_000)
        for _ in range(size // len(block)):
            out.write(block)
    for folder in (root, files):
        folder.chmod(0o755)
    (root / "empty").mkdir(mode=0o555)
    http, ftp = free_port(), free_port()
    (root / "nginx-large.conf").write_text(NGINX.format(root=root, port=http, files=files))
    unprivileged = "" if os.geteuid() == 0 else "run_as_launching_user=YES"
    text = VSFTPD.format(
        port=ftp, files=files, empty=root / "empty", user="ftp" if os.geteuid() == 0 else os.environ.get("USER", ""),
        unprivileged=unprivileged,
    )  # fmt: skip
    (root / "vsftpd.conf").write_text(text)
    rows: list[tuple[str, str]] = []
    target = root / "saved.bin"
    with (
        server(["nginx", "-c", str(root / "nginx-large.conf"), "-p", str(root)], http),
        server(["vsftpd", str(root / "vsftpd.conf")], ftp),
    ):
        for name, url in (
            ("http", f"http://127.0.0.1:{http}/big.bin"),
            ("ftp", f"ftp://127.0.0.1:{ftp}/big.bin"),
        ):
            peak = 0.0
            busy: dict[str, list[float]] = {"ours": [], "bare": []}

            def ours(url: str = url, busy: dict[str, list[float]] = busy) -> float:
                nonlocal peak
                seconds, kilobytes, user = python(SAVE, url, str(target))
                peak = max(peak, kilobytes / 1024)
                busy["ours"].append(user)
                assert target.stat().st_size == size
                target.unlink()
                return seconds

            def bare(url: str = url, busy: dict[str, list[float]] = busy) -> float:
                busy["bare"] += python(BARE, url, str(target))
                target.unlink()
                return busy["bare"][-1]

            def curl(url: str = url, *, synced: bool = False) -> float:
                began = time.perf_counter()
                subprocess.run(["curl", "-s", "-o", str(target), url], check=True)
                if synced:
                    subprocess.run(["sync", "-d", str(target)], check=True)
                seconds = time.perf_counter() - began
                assert target.stat().st_size == size
                target.unlink()
                return seconds

            times = rounds(5, {
                "curl": curl, "ours": ours, "synced": lambda url=url: curl(url, synced=True), "bare": bare,
            })  # fmt: skip
            speed = {each: size / seconds / 1e6 for each, seconds in times.items()}
            rows += [
                (f"one file of {size // 1_000_000:,} MB by {name} to disk: MB/s of curl and `sync -d`",
                 _row(speed["ours"], speed["synced"], ">= 1.0")),
                (f"the same: MB/s of curl, which leaves its file in memory ({name})",
                 _row(speed["ours"], speed["curl"], "none")),
                (f"the same: processor time in user space of a bare pycurl loop, ms ({name})",
                 _row(1000 * statistics.median(busy["ours"]), 1000 * statistics.median(busy["bare"]), "<= 3")),
            ]  # fmt: skip
            rows.append((f"the same: peak memory of the process, MB ({name})", f"{peak:.0f} | <= 60"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["many", "large"], help="many, large")
    parser.add_argument("--quick", action="store_true", help="a fifth of the work")
    parser.add_argument("--markdown", action="store_true", help="rows for RESULTS.md")
    given = parser.parse_args()
    for program in ("curl", "nginx", "vsftpd"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is not installed: bench/fetch.py measures against it")
    for what in given.what:
        with tempfile.TemporaryDirectory() as folder:
            for name, row in {"many": many, "large": large}[what](Path(folder), given.quick):
                print(f"| {name} | {row} |" if given.markdown else f"{name:70} {row}")


if __name__ == "__main__":
    main()
