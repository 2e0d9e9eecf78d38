"""`anyurl serve --warc` with an archive of any size: how soon it answers, and its memory.

``python bench/replay.py [COUNT]...``. An archive of so many small responses of a made-up site is written, and the WACZ
of it. Each is served by a process of its own; printed are the seconds and the seconds of processor until it tells its
address, those of a response (the median of 200 URLs drawn by chance, each looked at), and the peak of its memory. Ends
with 1 if the largest took over a tenth more memory than the smallest, or an answer is wrong.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import BinaryIO

ASKED = 200

ROOM = 1.1
"""How much more memory the largest archive may take than the smallest."""

COMMAND = "import sys; from anyurl.cli import main; sys.argv[0] = 'anyurl'; main()"

PACK = "import sys; from anyurl.warc.wacz import pack; pack(sys.argv[1], 'http://site.example/')"

RECORD = (
    "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{0:012}>\r\n"
    "WARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: {1}\r\n"
    "Content-Type: application/http;msgtype=response\r\nContent-Length: {2}\r\n\r\n{3}\r\n\r\n"
)
ANSWER = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {0}\r\n\r\n{1}"


def url_of(number: int) -> str:
    """The URL of the document with this number."""
    return f"http://site{number % 100}.example/folder{number % 1009}/document{number}.txt"


def body_of(number: int) -> str:
    """Its content."""
    return f"this is document {number}\n" * (1 + number % 7)


def write(file: BinaryIO, count: int) -> None:
    """Write an archive, each record a member of its own."""
    for number in range(count):
        body = body_of(number)
        answer = ANSWER.format(len(body), body)
        file.write(member(RECORD.format(number, url_of(number), len(answer), answer).encode()))


def member(data: bytes) -> bytes:
    """A member of a gzip file with these octets as they are: to compress so few takes longer than all else."""
    size = len(data)
    head = b"\x1f\x8b\x08" + bytes(6) + b"\xff\x01" + struct.pack("<HH", size, size ^ 0xFFFF)
    return head + data + struct.pack("<II", zlib.crc32(data), size)


def serve(path: Path, count: int) -> tuple[float, int]:
    """Serve an archive; returns the peak of memory in MiB, and the number of wrong answers."""
    begun = time.monotonic()
    line = [sys.executable, "-c", COMMAND, "serve", "--warc", str(path), "--json"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"]
            there, used = time.monotonic() - begun, _processor(process.pid)
            wrong, took = _ask(url.split("/")[2], count)
            status = Path(f"/proc/{process.pid}/status").read_text().splitlines()
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
        finally:
            process.terminate()
    print(
        f"{count:>9,} records, {path.name}, {path.stat().st_size / 1e6:.0f} MB: there after {there:.1f} s "
        f"({used:.1f} s of processor), a response {took * 1000:.1f} ms, {peak:.1f} MiB, {wrong} wrong", flush=True,
    )  # fmt: skip
    return peak, wrong


def _processor(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _ask(place: str, count: int) -> tuple[int, float]:
    """The number of wrong answers, and the median of the seconds that one takes."""
    wrong, taken = 0, []
    draw = random.Random("the URLs that are asked for")
    for number in (draw.randrange(count) for _ in range(ASKED)):
        begun = time.monotonic()
        connection = http.client.HTTPConnection(place)
        connection.request("GET", f"/{url_of(number)}")
        wrong += connection.getresponse().read() != body_of(number).encode()
        connection.close()
        taken.append(time.monotonic() - begun)
    return wrong, statistics.median(taken)


def main() -> int:
    """Print two lines for each size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("counts", nargs="*", type=int, default=[10_000, 1_000_000], metavar="COUNT")
    peaks: dict[str, list[float]] = {}
    wrong = 0
    for count in parser.parse_args().counts:
        with tempfile.TemporaryDirectory() as folder:
            archive, package = Path(folder, "a.warc.gz"), Path(folder, "a.wacz")
            with archive.open("wb") as file:
                write(file, count)
            for path in (archive, package):
                if path == package:
                    begun = time.monotonic()
                    subprocess.run([sys.executable, "-c", PACK, str(package)], check=True)
                    print(f"{count:>9,} records: packed in {time.monotonic() - begun:.1f} s", flush=True)
                peak, bad = serve(path, count)
                peaks.setdefault(path.name, []).append(peak)
                wrong += bad
    return int(wrong > 0 or any(max(each) > ROOM * each[0] for each in peaks.values()))


if __name__ == "__main__":
    sys.exit(main())
