"""A mirror of a site of any size: memory, and our own work for each document.

``python bench/big_site.py [COUNT]... [--warc]``. The site is made up as it is asked for, by a process of its own: pages
with a hundred links each, to documents of 200 octets and to further pages. Each mirror runs in a process of its own;
printed are the peak of its memory and the processor time for each document, everything included: Python, requests,
files, the work list. Ends with 1 if the largest mirror took over a tenth more memory than the smallest.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from socket import create_server, socket
from typing import Any

LINKS = 100
BODY = b"x" * 200

ROOM = 1.1
"""How much more memory the largest mirror may take than the smallest."""

MIRROR = """
import json, resource, sys, time
from anyurl import Client, Policy
url, folder, archive = sys.argv[1:]
outcomes, begun = {}, time.monotonic()
with Client(Policy.open(), warc=archive or None) as client:
    for each in client.mirror(url, folder):
        outcomes[each.outcome] = outcomes.get(each.outcome, 0) + 1
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([outcomes, used.ru_maxrss, used.ru_utime + used.ru_stime, time.monotonic() - begun]))
"""


def page(number: int, count: int) -> bytes:
    """The page with this number: links to its documents, and to the pages below it, of a tree with two branches."""
    pages = -(-count // LINKS)
    below = [each for each in (2 * number + 1, 2 * number + 2) if each < pages]
    documents = range(number * LINKS, min(count, (number + 1) * LINKS))
    links = [f'<a href="p{each}.html">more</a>' for each in below] + [
        f'<a href="d{number}/{each}.txt">one</a>' for each in documents
    ]
    return f"<!DOCTYPE html><title>{number}</title>{''.join(links)}".encode()


def answer(path: str) -> bytes:
    """The response to a request: ``/COUNT/p3.html`` is a page of a site of so many documents."""
    count, _, name = path.strip("/").partition("/")
    if name.startswith("d") and count.isdigit():
        type, body = "text/plain", BODY + name.encode()
    elif (name == "" or name.startswith("p")) and count.isdigit():
        type, body = "text/html", page(int(name[1:].removesuffix(".html") or 0), int(count))
    else:
        return b"HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n"
    return f"HTTP/1.1 200 OK\r\nContent-Type: {type}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def serve() -> None:
    """Serve until the parent ends."""
    with create_server(("127.0.0.1", 0), backlog=100) as listener:
        print(listener.getsockname()[1], flush=True)
        threading.Thread(target=_accept, args=(listener,), daemon=True).start()
        sys.stdin.read()


def _accept(listener: socket) -> None:
    while True:
        threading.Thread(target=_converse, args=(listener.accept()[0],), daemon=True).start()


def _converse(connection: socket) -> None:
    held = b""
    with connection:
        while True:
            while b"\r\n\r\n" not in held:
                piece = connection.recv(65536)
                if not piece:
                    return
                held += piece
            head, _, held = held.partition(b"\r\n\r\n")
            connection.sendall(answer(head.split()[1].decode()))


def mirror(port: int, count: int, *, archives: bool) -> tuple[int, float]:
    """Mirror a site; returns the peak of memory in KiB and the seconds of processor."""
    with tempfile.TemporaryDirectory() as folder:
        archive = str(Path(folder) / "a.warc.gz") if archives else ""
        line = [sys.executable, "-c", MIRROR, f"http://127.0.0.1:{port}/{count}/", str(Path(folder) / "copy"), archive]
        told: Any = json.loads(subprocess.run(line, stdout=subprocess.PIPE, check=True).stdout)
    outcomes, memory, used, took = told
    saved = outcomes.get("saved", 0)
    print(
        f"{count:>9,} documents: {saved:,} saved {outcomes}, {memory / 1024:.1f} MiB, "
        f"{used / max(saved, 1) * 1000:.3f} ms of processor each, {took:.0f} s", flush=True,
    )  # fmt: skip
    return memory, used


def main() -> int:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("counts", nargs="*", type=int, default=[10_000, 100_000], metavar="COUNT")
    parser.add_argument("--warc", action="store_true", help="record all of it in an archive as well")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve()
        return 0
    with subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        peaks = [mirror(port, count, archives=asked.warc)[0] for count in asked.counts]
        server.communicate("")
    return int(max(peaks) > ROOM * peaks[0])


if __name__ == "__main__":
    sys.exit(main())
