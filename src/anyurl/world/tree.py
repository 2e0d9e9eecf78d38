"""The content that all servers of the world share: a few texts, a picture, two folders and names that need encoding.

Rule: the content is the same on every machine and at every start, so that the results of schemes can be compared. Paths
are relative, with ``/`` between names.
"""

from __future__ import annotations

import math
import os
import struct
import zlib
from functools import cache
from pathlib import Path

MODIFIED = 787_881_600
"""When everything in the tree was last changed: 1994-12-20 00:00 UTC, the month that RFC 1738 was published."""

USER = "guest"
PASSWORD = "welcome"
"""The login that servers with logins accept, besides an anonymous one. It guards nothing: the servers are on
loopback."""

MOTD = """\
Welcome to the world.

Every server here runs on your own machine, for as long as you look at it.
They all serve the same few files, each by its own protocol.
"""

NOTES = """\
A resource locator says where something is and how to get it.
It does not say what it is, nor that it will still be there tomorrow.

Four things can be done with what a locator names: access it, update it,
replace it, and find its attributes.
"""

GREETINGS = """\
Guten Tag, Grüße aus Köln
Bonjour, ça va ?
Καλημέρα κόσμε
こんにちは、世界
"""

INDEX = """\
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>The world</title></head>
<body>
<h1>The world</h1>
<p>A few files, served by <a href="pub/">many protocols</a>. <a href="motd.txt">Read me first</a>.</p>
<p><img src="pub/picture.png" alt="A picture of waves" width="96" height="64"></p>
</body>
</html>
"""

SAFE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789$-_.+!*'(),"
"""RFC 1738 5: the characters of a name that are not percent-encoded."""

TYPES = {".txt": "text/plain; charset=utf-8", ".html": "text/html; charset=utf-8", ".png": "image/png"}
"""Media types by suffix, for the servers whose protocol has a word for them."""


def content_type(path: str) -> str:
    """The media type of a path by its suffix."""
    return TYPES.get(os.path.splitext(path)[1], "application/octet-stream")


def tree() -> dict[str, bytes]:
    """Every file of the world: its octets by its path."""
    return {
        "index.html": INDEX.encode(),
        "motd.txt": MOTD.encode(),
        "pub/notes.txt": NOTES.encode(),
        "pub/picture.png": picture(),
        "pub/names/a name; with marks?.txt": b"Space, semicolon and question mark are data in this name.\n",
        "pub/names/grüße.txt": GREETINGS.encode(),
        "pub/names/100%.txt": b"The percent sign of this name is written %25 in a URL.\n",
    }


@cache
def picture(width: int = 96, height: int = 64) -> bytes:
    """A PNG of waves: some kilobytes of binary data."""
    rows = bytearray()
    for y in range(height):
        rows.append(0)  # PNG 9.2: this row is not filtered
        for x in range(width):
            wave = math.sin(x / 9) + math.sin(y / 5) + math.sin((x + y) / 7)
            rows += bytes((int(127 + 40 * wave), int(120 + 30 * math.cos(x / 11)), int(160 + 30 * math.sin(y / 8))))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def write_tree(folder: Path) -> None:
    """Write the tree into a folder, with its modification times."""
    for path, data in tree().items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        os.utime(file, (MODIFIED, MODIFIED))
