"""Checking links: `Client.map(urls, verb="stat")` and `anyurl check` against curl --parallel, lychee and LinkChecker.

Rule: the same pages of one nginx on loopback, one worker; programs take turns; medians, and the ratio to curl in the
same run. `ANYURL_LYCHEE` and `ANYURL_LINKCHECKER` name those two where they are not on PATH; what is not there is left
out. LinkChecker asks ten times a second, unless it is configured otherwise and the server sends a field called
LinkChecker: it gets both, and fewer pages.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.fetch import free_port, server

PAGES = 20_000
LIMITS = (64, 128, 256)

FEWER = 10
"""LinkChecker gets one page in so many."""

NGINX = """
worker_processes 1; daemon off; pid {root}/pid; error_log {root}/error; worker_rlimit_nofile 4096;
events {{ worker_connections 2048; }}
http {{
    access_log off; types {{ text/html html; }} keepalive_requests 1000000; keepalive_timeout 60s;
    client_body_temp_path {root}/t1; proxy_temp_path {root}/t2; fastcgi_temp_path {root}/t3;
    uwsgi_temp_path {root}/t4; scgi_temp_path {root}/t5;
    server {{ listen 127.0.0.1:{port} backlog=1024; add_header LinkChecker yes; root {root}/www; }}
}}
"""

MAP = """
import sys, time
from anyurl import Client, Policy
base, count, limit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with Client(Policy.open()) as client:
    begun, cpu = time.perf_counter(), time.process_time()
    for result in client.map((f"{base}{n}.html" for n in range(count)), limit, verb="stat"):
        if result.error is not None:
            sys.exit(str(result.error))
    print(time.perf_counter() - begun, time.process_time() - cpu)
"""


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--quick", action="store_true")
    given = options.parse_args()
    count = PAGES // 10 if given.quick else PAGES
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        (root / "www").mkdir()
        for number in range(count):
            (root / "www" / f"{number}.html").write_bytes(b"x" * 500)
        port = free_port()
        (root / "conf").write_text(NGINX.format(root=root, port=port))
        base = f"http://127.0.0.1:{port}/"
        (root / "links.md").write_text("".join(f"{base}{n}.html\n" for n in range(count)))
        links = "".join(f'<a href="{base}{n}.html">x</a>' for n in range(count // FEWER))
        (root / "www" / "links.html").write_text(f"<html><body>{links}</body></html>")
        (root / "linkcheckerrc").write_text("[checking]\nmaxrequestspersecond=100000\n")
        with server(["nginx", "-c", str(root / "conf"), "-p", str(root)], port):
            show(root, base, count, given.rounds)


def show(root: Path, base: str, count: int, rounds: int) -> None:
    cpu: dict[int, list[float]] = {limit: [] for limit in LIMITS}

    def mapped(limit: int) -> float:
        done = subprocess.run(
            [sys.executable, "-c", MAP, base, str(count), str(limit)], capture_output=True, text=True, check=True
        )
        seconds, of_cpu = map(float, done.stdout.split())
        cpu[limit].append(of_cpu)
        return seconds

    runs: dict[str, Callable[[], float]] = {"curl": lambda: curl(root, base, count)}
    runs |= {f"map, {limit} at once": lambda limit=limit: mapped(limit) for limit in LIMITS}  # type: ignore[misc]
    check = [sys.executable, "-m", "anyurl", "check", str(root / "links.md"), "--allow-private"]
    runs["anyurl check"] = lambda: timed(check)
    runs["anyurl check --state"] = lambda: timed([*check, "--state", fresh(root / "state")])
    lychee = program("lychee")
    if lychee:
        runs["lychee"] = lambda: timed([
            lychee, "--no-progress", "-q", "--max-concurrency", "64", "--host-concurrency", "64",
            "--host-request-interval", "0ms", str(root / "links.md"),
        ])  # fmt: skip
    linkchecker = program("linkchecker")
    if linkchecker:
        runs["LinkChecker"] = lambda: FEWER * timed([
            linkchecker, "-f", str(root / "linkcheckerrc"), "--no-status", "-t", "64", "-r", "1", f"{base}links.html",
        ])  # fmt: skip
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            taken[name].append(run())
    median = {name: statistics.median(times) for name, times in taken.items()}
    print(f"{count:,} pages, {rounds} rounds in turns; medians, smallest and largest of checks/s")
    for name, times in taken.items():
        rates = sorted(count / each for each in times)
        print(
            f"  {name:22} {count / median[name]:8,.0f}/s ({rates[0]:,.0f} to {rates[-1]:,.0f})"
            f"  {median['curl'] / median[name]:.2f} of curl"
        )
    each = {limit: statistics.median(times) / count * 1e6 for limit, times in cpu.items()}
    print(f"  CPU a check: {', '.join(f'{cost:.0f} us at {limit}' for limit, cost in each.items())}")
    print(f"  256 at once cost {each[256] / each[64]:.2f} times what 64 do")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"  largest child: {peak / 1024:,.0f} MiB")


def curl(root: Path, base: str, count: int) -> float:
    config = root / "curl.config"
    config.write_text("".join(f"url={base}{n}.html\noutput=/dev/null\n" for n in range(count)))
    return timed([
        "curl", "-s", "--head", "--no-progress-meter", "--parallel", "--parallel-max", "64", "-K", str(config)
    ])  # fmt: skip


def timed(command: list[str]) -> float:
    begun = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    seconds = time.perf_counter() - begun
    if done.returncode:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    return seconds


def fresh(path: Path) -> str:
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink()
    return str(path)


def program(name: str) -> str | None:
    return os.environ.get(f"ANYURL_{name.upper()}") or shutil.which(name)


if __name__ == "__main__":
    main()
