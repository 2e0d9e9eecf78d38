"""The page of a listing in the gateway against the bare fetch of its entries: the processor's time of both.

Rule: `anyurl web` is run as a person runs it, with a history on disk, in a process of its own, and so is the gopher
server; a browser asks for one page after the other on a kept connection, each of another URL. The client lists the same
URLs, in turns with it. Each round is a ratio of two sums; printed are the median of the rounds, the smallest and the
largest. `python bench/page.py [--rounds N] [ENTRIES ...]`
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import socketserver
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

from anyurl import Client, Policy

ENTRIES = (20, 200, 2_000, 100_000)
OF_A_ROUND = 20_000
"""Entries that a round lists, at least one page of them and at most as many as the history keeps."""

MOST_PAGES = 60
BARS = {20: "<= 2", 200: "<= 1.9"}


class Gateway:
    """The command in a process of its own, and a browser that has come in."""

    def __init__(self, state: str, port: int) -> None:
        command = [sys.executable, "-m", "anyurl", "web", "--allow-port", str(port)]
        environment = {**os.environ, "XDG_STATE_HOME": state}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        link = next(found[0] for line in self.process.stdout if (found := re.search(r"http://\S+", line)))
        place = urlsplit(link)
        self._connection = HTTPConnection(place.netloc)
        self._base = place.path
        self._cookie = ""
        self._cookie = self._ask("GET", f"{place.path}?{place.query}")[1].partition(";")[0]
        key = re.search(rb'name="key" value="([^"]*)"', self._ask("GET", self._base)[2])
        assert key is not None
        self._key = key[1].decode()
        self._clock = _clock_of(self.process.pid)

    def target(self, url: str) -> str:
        """The path of the page of a URL that a person has typed."""
        return self._ask("POST", f"{self._base}go", urlencode({"key": self._key, "u": url}))[0]

    def page(self, target: str) -> bytes:
        """That page."""
        return self._ask("GET", target)[2]

    def come_back(self) -> None:
        """Connect anew: the gateway closes a connection that has had nothing to do for five seconds."""
        self._connection.close()
        self.page(self._base)

    def spent(self) -> float:
        """Seconds that processors have worked for the gateway so far."""
        return time.clock_gettime(self._clock)

    def _ask(self, method: str, target: str, body: str | None = None) -> tuple[str, str, bytes]:
        head = {"Cookie": self._cookie, "Content-Type": "application/x-www-form-urlencoded"}
        self._connection.request(method, target, body, head)
        answer = self._connection.getresponse()
        return answer.headers.get("location", ""), answer.headers.get("set-cookie", ""), answer.read()


def _clock_of(process: int) -> int:
    """The clock of a process (clock_getcpuclockid(3))."""
    found = ctypes.c_int()
    assert ctypes.CDLL(None).clock_getcpuclockid(process, ctypes.byref(found)) == 0
    return found.value


def serve(entries: int) -> None:
    """Send a menu to everybody who asks, until the end of the standard input."""
    menu = b"".join(b"0Entry number %d\t/files/%d.txt\t127.0.0.1\t1\r\n" % (n, n) for n in range(entries)) + b".\r\n"

    class Menu(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.rfile.readline()
            self.wfile.write(menu)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Menu) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()


@contextmanager
def menu(entries: int) -> Iterator[int]:
    """The port of a server that sends a menu."""
    command = [sys.executable, __file__, "--serve", str(entries)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def compare(entries: int, rounds: int) -> list[tuple[float, float]]:
    """Seconds of a page and of a fetch, in each round."""
    pages = max(1, min(MOST_PAGES, OF_A_ROUND // entries))
    found = []
    with menu(entries) as port, tempfile.TemporaryDirectory() as state:
        urls = [f"gopher://127.0.0.1:{port}/1/{number}" for number in range(pages)]
        gateway = Gateway(state, port)
        try:
            targets = [gateway.target(url) for url in urls]
            with Client(policy=Policy.default().replace(allow_ports=[port])) as client:
                for _ in range(rounds + 1):
                    start = time.thread_time()
                    for url in urls:
                        assert sum(1 for _ in client.list(url).entries()) == entries
                    fetched = time.thread_time() - start
                    gateway.come_back()
                    start = gateway.spent()
                    for target in targets:
                        assert gateway.page(target).count(b'<td class="name') == entries
                    found.append(((gateway.spent() - start) / pages, fetched / pages))
        finally:
            gateway.process.terminate()
            gateway.process.wait()
    return found[1:]  # the first one loads modules and templates


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entries", nargs="*", type=int, default=ENTRIES)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        serve(options.serve)
    for entries in options.entries:
        both = compare(entries, options.rounds)
        ratios = sorted(page / fetch for page, fetch in both)
        page, fetch = (1000 * statistics.median(times) for times in zip(*both, strict=True))
        print(
            f"| {entries:,} entries | {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}; "
            f"{page:.2f} / {fetch:.2f} ms) | {BARS.get(entries, '')} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
