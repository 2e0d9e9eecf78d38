"""Soak: many good and evil transfers over a few threads, and what they leave behind.

``python bench/soak.py [--count N] [--threads N]``. The servers (those of the world, and hostile ones) run in a process
of their own, so that what is counted is the client's alone: descriptors, threads and resident memory, looked at after
each tenth. The first tenth is the warm-up; after it, all three stay flat. Ends with 1 if they do not, if something that
is no error of the tree came out, or if a good transfer gave something else than the first one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from anyurl import URL, Client, Policy
from anyurl.errors import AnyURLError
from anyurl.guard.limits import Limits

BYTES_PER_TRANSFER = 1024
"""What memory may grow by for each transfer after the warm-up, beyond `SLACK_BYTES`: what leaks, leaks more."""

SLACK_BYTES = 16 * 1024 * 1024
"""What memory may grow by in any case: caches that have a limit fill up, allocators round, and when it is looked at
eight transfers of up to a megabyte are under way."""

LIMITS = Limits(connect=5.0, idle=1.0, total=15.0, max_bytes=1_000_000)


# --- the servers, in their own process -------------------------------------------------------------------------------


def serve() -> None:
    """Start all servers, print their URLs and wait for the end of standard input."""
    from anyurl.world import World
    from tests.servers import Connection, Server

    def silent(link: Connection) -> None:
        link.wait_for_close()

    def resets(link: Connection) -> None:
        link.reset()

    def cut(link: Connection) -> None:
        link.head()
        link.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"x" * 5000)

    def bomb(link: Connection) -> None:
        import gzip

        link.head()
        body = gzip.compress(bytes(30_000_000))
        head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
        link.send(head + body)

    def endless(link: Connection) -> None:
        while True:
            link.send(b"x" * 10_000)

    def loop(link: Connection) -> None:
        link.head()
        link.send(b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def refuses(link: Connection) -> None:
        link.send(b"220 ready\r\n")
        while link.line():
            link.send(b"530 no\r\n")

    def cut_menu(link: Connection) -> None:
        link.line()
        link.send(b"+500\r\nshort")

    parts = {
        "http silent": silent, "ftp silent": silent,
        "http resets": resets, "ftp resets": resets, "gopher resets": resets, "wais resets": resets,
        "http cut": cut, "http bomb": bomb, "http loop": loop, "http endless": endless, "ftp endless": endless,
        "gopher endless": endless, "nntp endless": endless, "wais endless": endless, "ftp refuses": refuses,
        "gopher cut": cut_menu,
    }  # fmt: skip
    paths = {"nntp": "comp.x/1", "wais": "db?words", "gopher": "0x%09%09+"}
    with ExitStack() as stack:
        world = stack.enter_context(World())
        evil = {}
        for name, part in parts.items():
            scheme = name.split()[0]
            server = stack.enter_context(Server(part))
            evil[name] = f"{scheme}://{server.authority}/{paths.get(scheme, 'x')}"
        good = {scheme: str(url) for scheme, url in world.urls.items() if scheme not in ("mailto", "telnet")}
        settings = {name: value for name, value in world.settings.items() if isinstance(value, str)}
        print(json.dumps({"good": good, "evil": evil, "settings": settings}), flush=True)
        sys.stdin.read()


# --- the client ------------------------------------------------------------------------------------------------------

NO_SERVER = {
    "refused port": "http://127.0.0.1:1/",
    "refused by the guard": "gopher://127.0.0.1:6379/_x",
    "no URL": "http://127.0.0.1:99999/",
    "no file": "file:///nonexistent/x",
    "smuggled": "ftp://127.0.0.1/%0D%0AQUIT",
    "no scheme of ours": "x-soak:x",
}


class Soak:
    """The transfers, and what came of them."""

    def __init__(self, good: dict[str, str], evil: dict[str, str], settings: dict[str, str], count: int) -> None:
        self._good = good
        self._evil = {**evil, **NO_SERVER}
        # The connections of a server that was told to wait count as well: no port is another service's here.
        self._client = Client(Policy.default().replace(limits=LIMITS), **settings)
        chance = random.Random(1738)
        names = [*list(good) * 4, *self._evil]
        self._work = [chance.choice(names) for _ in range(count)]
        self._at = 0
        self._lock = threading.Lock()
        self._seen: dict[str, int] = {}
        self.outcomes: Counter[str] = Counter()
        self.problems: list[str] = []

    def run(self, threads: int) -> None:
        """All of them, over so many threads."""
        workers = [threading.Thread(target=self._worker) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def done(self) -> int:
        """How many have been begun."""
        return self._at

    def close(self) -> None:
        """Close the client."""
        self._client.close()

    def _worker(self) -> None:
        while True:
            with self._lock:
                if self._at >= len(self._work):
                    return
                name = self._work[self._at]
                self._at += 1
            outcome = self._transfer(name)
            with self._lock:
                self.outcomes[outcome] += 1

    def _transfer(self, name: str) -> str:
        is_good = name in self._good
        try:
            resource = self._client.get(URL(self._good[name] if is_good else self._evil[name]))
            found = resource.read()
        except AnyURLError as error:
            if is_good:
                self._note(f"{name}: {error!r}")
            return f"{type(error).__name__}"
        except Exception as error:
            self._note(f"{name}: {error!r}")
            return "not of the tree"
        if is_good and self._seen.setdefault(name, hash(found)) != hash(found):
            self._note(f"{name}: other octets than before")
        return "good" if is_good else f"evil, and accepted: {name}"

    def _note(self, problem: str) -> None:
        if len(self.problems) < 20:
            self.problems.append(problem)


def _resident() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _watch(soak: Soak, count: int, samples: list[dict[str, Any]], begun: float) -> None:
    for tenth in range(1, 11):
        while soak.done() < count * tenth // 10:
            time.sleep(0.01)
        samples.append(
            {
                "transfers": soak.done(),
                "seconds": round(time.monotonic() - begun, 1),
                "descriptors": len(os.listdir("/proc/self/fd")),
                "threads": threading.active_count(),
                "resident": _resident(),
            }
        )


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Good and evil transfers, and what they leave behind.")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve()
        return 0
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as servers:
        assert servers.stdout is not None
        assert servers.stdin is not None
        told = json.loads(servers.stdout.readline())
        before = len(os.listdir("/proc/self/fd")), threading.active_count()
        soak = Soak(told["good"], told["evil"], told["settings"], arguments.count)
        samples: list[dict[str, Any]] = []
        begun = time.monotonic()
        watcher = threading.Thread(target=_watch, args=(soak, arguments.count, samples, begun))
        watcher.start()
        soak.run(arguments.threads)
        watcher.join()
        seconds = time.monotonic() - begun
        soak.close()
        time.sleep(0.1)
        after = len(os.listdir("/proc/self/fd")), threading.active_count()
        servers.stdin.close()
    return _report(arguments, soak, samples, seconds, before, after)


def _report(arguments: Any, soak: Soak, samples: list[dict[str, Any]], seconds: float, before: Any, after: Any) -> int:
    warm, last = samples[0], samples[-1]
    # What is under way comes and goes, what leaks stays: the least of the last three counts.
    grown = min(sample["resident"] for sample in samples[-3:]) - warm["resident"]
    transfers = max(last["transfers"] - warm["transfers"], 1)
    growth = grown / transfers
    problems = [
        *soak.problems,
        *(
            [f"memory grows by {growth:,.0f} octets for each transfer"]
            if grown > max(SLACK_BYTES, BYTES_PER_TRANSFER * transfers)
            else []
        ),
        *([f"descriptors and threads: {before} before, {after} after"] if after != before else []),
    ]
    result = {
        "transfers": arguments.count, "threads": arguments.threads, "seconds": round(seconds, 1),
        "octets for each transfer": round(growth), "outcomes": dict(soak.outcomes.most_common()), "samples": samples,
        "before": before, "after": after, "problems": problems,
    }  # fmt: skip
    if arguments.json:
        print(json.dumps(result))
    else:
        print(f"{arguments.count:,} transfers over {arguments.threads} threads in {seconds:.1f} s")
        for sample in samples:
            print(
                f"  {sample['transfers']:>7,} after {sample['seconds']:6.1f} s: {sample['descriptors']:4} descriptors, "
                f"{sample['threads']:3} threads, {sample['resident'] / 2**20:7.1f} MiB"
            )
        print(f"  memory for each transfer after the first tenth: {growth:,.0f} octets")
        print(f"  descriptors and threads: {before} before, {after} after")
        for outcome, number in soak.outcomes.most_common():
            print(f"  {number:>7,} {outcome}")
        for problem in problems:
            print(f"  PROBLEM {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
