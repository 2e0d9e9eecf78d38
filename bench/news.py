"""News: the overview of 100,000 articles, against nntplib (`standard-nntplib`, the package that goes on with it).

Rule: every figure is a ratio of medians of interleaved rounds, each in a process of its own; the server is a process on
loopback that sends lines it made beforehand. ``python bench/news.py [--quick]`` prints a table, ``--markdown`` the rows
for RESULTS.md. nntplib gives a list of dictionaries of texts; ours gives entries as they come, whose URL, time, decoded
subject and attributes are worked out when they are asked for: the second row asks for all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import socket
import statistics
import subprocess
import sys
from collections.abc import Iterator

ARTICLES = 100_000

OURS = """
import resource, sys, time
from anyurl import Client
port, count = int(sys.argv[1]), int(sys.argv[2])
with Client() as client:
    client.list(f"nntp://127.0.0.1:{port}/bench.group/1-1").read()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    found = 0
    for entry in client.list(f"nntp://127.0.0.1:{port}/bench.group/1-{count}").entries():
        found += 1
        last = entry.name
        if sys.argv[3:]:
            last = entry.url, entry.title, entry.size, entry.modified, entry.attributes
    print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
assert found == count and entry.attributes["number"] == count, (found, entry)
"""

NNTPLIB = """
import resource, sys, time, warnings
warnings.simplefilter("ignore")
import nntplib
port, count = int(sys.argv[1]), int(sys.argv[2])
with nntplib.NNTP("127.0.0.1", port, readermode=True) as server:
    server.group("bench.group")
    server.over((1, 1))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    _, found = server.over((1, count))
    for number, fields in found:
        last = fields["subject"]
    print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
assert (len(found), number) == (count, count), (len(found), number)
"""

SERVER = """
import socket, sys
count = int(sys.argv[1])
lines = [
    b"%d\\t%s\\tSomebody Else <somebody.%d@news.example.org>\\tThu, %02d Dec 1994 %02d:%02d:00 +0100\\t"
    b"<%08x.%d@news.example.org>\\t<%08x.%d@news.example.org>\\t%d\\t%d\\tXref: news.example.org bench.group:%d\\r\\n"
    % (n, b"Re: What a subject line of an ordinary length looks like" if n % 10 else
       b"=?utf-8?q?Gr=C3=BC=C3=9Fe?= from somebody", n % 997, n % 28 + 1, n % 24, n % 60, n * 2654435761 % 2**32, n,
       (n - 1) * 2654435761 % 2**32, n - 1, 1000 + n % 5000, 10 + n % 90, n)
    for n in range(1, count + 1)
]
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], sum(map(len, lines)), flush=True)
whole = b"224 overview follows\\r\\n" + b"".join(lines) + b".\\r\\n"
while True:
    peer, _ = listener.accept()
    with peer, peer.makefile("rb") as commands:
        peer.sendall(b"200 ready\\r\\n")
        for line in commands:
            verb, *words = line.split()
            if verb == b"CAPABILITIES":
                peer.sendall(b"101 this\\r\\nVERSION 2\\r\\nREADER\\r\\nOVER\\r\\n.\\r\\n")
            elif verb == b"GROUP":
                peer.sendall(b"211 %d 1 %d bench.group\\r\\n" % (count, count))
            elif verb in (b"OVER", b"XOVER"):
                few = words[0] in (b"1", b"1-1")
                peer.sendall(b"224 x\\r\\n" + lines[0] + b".\\r\\n" if few else whole)
            elif verb == b"LIST":
                peer.sendall(b"215 order\\r\\nSubject:\\r\\nFrom:\\r\\nDate:\\r\\nMessage-ID:\\r\\nReferences:\\r\\n"
                             b":bytes\\r\\n:lines\\r\\nXref:full\\r\\n.\\r\\n")
            elif verb == b"QUIT":
                peer.sendall(b"205 good-bye\\r\\n")
                break
            else:
                peer.sendall(b"200 yes\\r\\n")
"""


@contextlib.contextmanager
def server(count: int) -> Iterator[tuple[int, int]]:
    """A news server in a process of its own: its port, and the octets of its overview."""
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(count)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port, octets = process.stdout.readline().split()
        yield int(port), int(octets)
    finally:
        process.kill()
        process.wait()


def run(program: str, port: int, count: int, *more: str) -> tuple[float, int]:
    """Seconds, and KiB by which the process grew."""
    done = subprocess.run(
        [sys.executable, "-c", program, str(port), str(count), *more], capture_output=True, text=True, check=True
    )
    seconds, grown = done.stdout.split()
    return float(seconds), int(grown)


def bare(port: int) -> float:
    """Seconds in which the octets alone arrive."""
    import time

    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(b"OVER 1-\r\n")
        began = time.perf_counter()
        tail = b""
        while not tail.endswith(b"\r\n.\r\n"):
            tail = (tail + sock.recv(1 << 18))[-5:]
        return time.perf_counter() - began


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the articles, one round")
    parser.add_argument("--markdown", action="store_true", help="rows for RESULTS.md")
    given = parser.parse_args()
    count, rounds = (ARTICLES // 10, 1) if given.quick else (ARTICLES, 7)
    ours, whole, theirs, alone = [], [], [], []
    with server(count) as (port, octets):
        for _ in range(rounds):
            ours.append(run(OURS, port, count))
            whole.append(run(OURS, port, count, "all"))
            theirs.append(run(NNTPLIB, port, count))
            alone.append(bare(port))
    one, full, other = (statistics.median(seconds for seconds, _ in each) for each in (ours, whole, theirs))
    grown, they_grew = (statistics.median(grown for _, grown in each) / 1024 for each in (ours, theirs))
    rows = [
        (f"{count:,} overview lines, {octets / 1e6:.0f} MB: time of nntplib", f"{one / other:.2f}",
         f"{one:.2f} s : {other:.2f} s", "< 1"),
        ("the same, with the URL, time, decoded subject and attributes of each", f"{full / other:.2f}",
         f"{full:.2f} s : {other:.2f} s", ""),
        ("the same: memory that the process grows by", f"{grown / max(they_grew, 0.1):.2f}",
         f"{grown:.0f} MB : {they_grew:.0f} MB", "constant"),
        ("the octets alone", "", f"{statistics.median(alone):.2f} s", ""),
    ]  # fmt: skip
    for what, ratio, figures, bar in rows:
        print(
            f"| {what} | {ratio} | {figures} | {bar} |" if given.markdown else f"{what:70} {ratio:>6}  {figures}  {bar}"
        )


if __name__ == "__main__":
    main()
