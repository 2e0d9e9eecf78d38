"""One small file after the other on a kept connection, against other clients of Python; and coded content against curl.

Rule: every figure is a ratio of medians of interleaved rounds; nginx runs on loopback, one worker. `python
bench/one_by_one.py [small] [coded] [--quick]` prints a table, `--markdown` the rows for RESULTS.md. niquests brings a
urllib3 of its own, so that it is run by another Python: `--niquests PYTHON`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fetch import free_port, rounds, server

SMALL_OCTETS = 2048
CODED_OCTETS = 64 * 1024 * 1024

NGINX = """
worker_processes 1; daemon off; master_process off; error_log {root}/error.log; pid {root}/pid;
events {{ worker_connections 1024; }}
http {{ access_log off; sendfile on; keepalive_requests 10000000; default_type text/plain;
client_body_temp_path {root}/body; proxy_temp_path {root}/proxy; fastcgi_temp_path {root}/fastcgi;
uwsgi_temp_path {root}/uwsgi; scgi_temp_path {root}/scgi;
server {{ listen 127.0.0.1:{port}; root {files};
location /br {{ add_header Content-Encoding br; }} location /zstd {{ add_header Content-Encoding zstd; }} }} }}
"""

CLIENTS = {
    "anyurl": "from anyurl import Client\nclient = Client()\nget = lambda: client.get(url).read()",
    "requests": "import requests\nclient = requests.Session()\nget = lambda: client.get(url).content",
    "httpx": "import httpx\nclient = httpx.Client()\nget = lambda: client.get(url).content",
    "niquests": "import niquests\nclient = niquests.Session()\nget = lambda: client.get(url).content",
    "pycurl": (
        "import pycurl\nclient, kept = pycurl.Curl(), []\nclient.setopt(pycurl.URL, url)\n"
        "client.setopt(pycurl.WRITEFUNCTION, kept.append)\n"
        "def get():\n    kept.clear()\n    client.perform()\n    return b''.join(kept)"
    ),
}

SCRIPT = """
import sys, time
url, count = sys.argv[1], int(sys.argv[2])
{client}
for _ in range(20):
    get()
began = time.perf_counter()
octets = sum(len(get()) for _ in range(count))
print(time.perf_counter() - began)
assert octets == count * 2048, octets
"""

CODED = """
import sys, time
from anyurl import Client
with Client() as client:
    client.get(sys.argv[1] + "small").read()
    began = time.perf_counter()
    octets = sum(map(len, client.get(sys.argv[1]).iter_bytes()))
    print(time.perf_counter() - began)
assert octets == int(sys.argv[2]), octets
"""


def timed(python: str, script: str, *arguments: str) -> float:
    """The seconds that a script says it took."""
    done = subprocess.run([python, "-c", script, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return float(done.stdout)


def small(base: str, count: int, turns: int, niquests: str | None) -> list[tuple[str, str]]:
    """Requests a second of each client."""
    runs = {
        name: lambda name=name, client=client: timed(
            niquests or "" if name == "niquests" else sys.executable, SCRIPT.format(client=client), base, str(count)
        )
        for name, client in CLIENTS.items()
        if name != "niquests" or niquests
    }
    rate = {name: count / seconds for name, seconds in rounds(turns, runs).items()}
    bars = {"pycurl": ">= 0.4", "httpx": ">= 5", "requests": "", "niquests": ""}
    ours = rate.pop("anyurl")
    return [
        (f"`Client.get`, {count:,} x 2 KB one after the other: requests/s of {name}",
         f"{ours / theirs:.2f} ({ours:,.0f} / {theirs:,.0f}) | {bars[name]}")
        for name, theirs in rate.items()
    ]  # fmt: skip


def curl(url: str) -> float:
    """Seconds that curl takes to get and decode it."""
    began = time.perf_counter()
    subprocess.run(["curl", "-s", "--compressed", "-o", "/dev/null", url], check=True)
    return time.perf_counter() - began


def coded(root: Path, base: str, turns: int) -> list[tuple[str, str]]:
    """The time for a long text, undone as it comes."""
    import brotli  # of the extra `codings`, as the next one

    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    line = b"A resource locator says where something is and how to get it: %d.\n"
    text = b"".join(line % number for number in range(CODED_OCTETS // len(line)))
    rows = []
    for name, compress in (("br", lambda data: brotli.compress(data, quality=5)), ("zstd", zstd.compress)):
        (root / "files" / name).write_bytes(compress(text))
        (root / "files" / f"{name}small").write_bytes(compress(b"x"))
        url, octets = f"{base}{name}", str(len(text))
        runs = {
            "ours": lambda url=url, octets=octets: timed(sys.executable, CODED, url, octets),
            "curl": lambda url=url: curl(url),
        }
        took = rounds(turns, runs)
        shown = f"{took['curl'] / took['ours']:.2f} ({took['ours'] * 1000:.0f} / {took['curl'] * 1000:.0f} ms)"
        rows.append((f"{len(text) // 1_000_000} MB of text as {name}: speed of curl --compressed", f"{shown} | "))
    return rows


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="small, coded; both if none is named")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--niquests", metavar="PYTHON", help="one that has niquests")
    arguments = parser.parse_args()
    count, turns = (500, 3) if arguments.quick else (3000, 5)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)  # nginx reads as its own user
        (root / "files").mkdir()
        (root / "files" / "small.bin").write_bytes(os.urandom(SMALL_OCTETS))
        port = free_port()
        (root / "nginx.conf").write_text(NGINX.format(root=root, port=port, files=root / "files"))
        base = f"http://127.0.0.1:{port}/"
        with server(["nginx", "-c", str(root / "nginx.conf"), "-p", str(root)], port):
            wanted = arguments.rows or ["small", "coded"]
            rows = small(f"{base}small.bin", count, turns, arguments.niquests) if "small" in wanted else []
            rows += coded(root, base, turns) if "coded" in wanted else []
    for work, result in rows:
        print(f"| {work} | {result} |" if arguments.markdown else f"{work}: {result}")


if __name__ == "__main__":
    main()
