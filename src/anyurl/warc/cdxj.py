"""CDXJ: the index of a web archive, as pywb and the other programs of Webrecorder read it.

Rule: a line for each capture, sorted by octets: the key of its URL (SURT), its time in 14 digits, and an object. It is
made by reading the archive, so it does not depend on the archive's writer; memory does not grow with the number of
captures.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from typing import IO, Any

from anyurl.errors import URLSyntaxError
from anyurl.files.channel import Replacement, local_error, open_folder
from anyurl.url import URL
from anyurl.url.cut import percent_decode
from anyurl.url.cut.compose import remove_dot_segments
from anyurl.warc.captures import IndexedCapture, captures

FILES = (".warc.gz", ".warc")

_WWW = re.compile(r"^www\d*\.")

_SESSION = re.compile(r"(?:(?<=^)|(?<=&))(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}(?:&|$)")
"""Session ids, which tell apart nothing."""

_PLACE = re.compile(rb'"digest": "([^"]+)", "length": "(\d+)", "offset": "(\d{1,18})", "filename": "([^"]*)"')
"""A part of a line as it is written here: a million lines would take a parser of JSON some seconds."""

_LINES_AT_ONCE = 1000

LINE_AT_MOST = 64 * 1024
"""Octets of a line, whose URL is most of it; a longer one of a foreign index is none of a capture."""


def surt(text: str) -> str:
    """The key of a URL: its host from the right to the left, and the path and query as the surt library folds them.

    >>> surt("http://www.example.org:80/A/?b=1&a=2")
    'org,example)/a?a=2&b=1'
    """
    try:
        url = URL(text)
    except URLSyntaxError:
        return text
    if not url.host:
        return f"file:{url.path.lower()}" if url.scheme == "file" else text
    host = ",".join(reversed(_WWW.sub("", url.host.lower()).split(".")))
    port = url.explicit_port
    shown = "" if port is None or (url.scheme, port) in (("http", 80), ("https", 443)) else f":{port}"
    path, mark, query = url.path.partition("?") if url.query is None else (url.path, "?", url.query)
    path = re.sub("//+", "/", remove_dot_segments(_plain(path) or "/")).lower()
    path = path.rstrip("/") or "/"
    query = "&".join(sorted(part for part in _SESSION.sub("", _plain(query).lower()).split("&")))
    return f"{host}{shown}){path}{mark if query else ''}{query}"


def _plain(text: str) -> str:
    """A text with all that need not be encoded decoded, however often it was encoded."""
    octets = text.encode("utf-8", "surrogateescape")
    while (decoded := percent_decode(octets.decode("utf-8", "surrogateescape"))) != octets:
        octets = decoded
    return "".join(chr(each) if 0x20 < each < 0x7F and each not in b"#%" else f"%{each:02x}" for each in octets)


def line_of(capture: IndexedCapture, name: str) -> str:
    """The line of a capture.

    Args:
        name: The name of the archive's file.
    """
    digits = "".join(char for char in capture.date[:19] if char.isdigit())
    told = {
        "url": capture.url, "mime": capture.type, "status": str(capture.status), "digest": capture.digest,
        "length": str(capture.end - capture.start), "offset": str(capture.start), "filename": name,
    }  # fmt: skip
    return f"{surt(capture.url)} {digits.ljust(14, '0')} {json.dumps(told)}"


def sorted_lines(path: str, name: str) -> Iterator[str]:
    """The lines of an archive, in order. Raises OSError."""
    base = sqlite3.connect("", isolation_level=None)  # a temporary file, in which SQLite sorts
    try:
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("CREATE TABLE line (text BLOB)")
        base.execute("BEGIN")
        rows: list[tuple[Any]] = []
        for capture in _shown(path):
            rows.append((line_of(capture, name).encode("utf-8", "surrogateescape"),))
            if len(rows) >= _LINES_AT_ONCE:
                base.executemany("INSERT INTO line VALUES (?)", rows)
                rows.clear()
        base.executemany("INSERT INTO line VALUES (?)", rows)
        for (text,) in base.execute("SELECT text FROM line ORDER BY text"):
            yield text.decode("utf-8", "surrogateescape")
    finally:
        base.close()


def _shown(path: str) -> Iterator[IndexedCapture]:
    """The captures that a program may show: truncated ones are left out, which the format can't mark."""
    with open(path, "rb") as file:
        try:
            for capture in captures(file.fileno(), 0, os.fstat(file.fileno()).st_size):
                if capture.is_whole:
                    yield capture
        except EOFError:  # the records before the damage are there
            return


def lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of an index; too long ones are left out, and never held. Attack: one line of gigabytes."""
    is_rest = False
    while line := file.readline(LINE_AT_MOST + 1):
        if not is_rest and len(line) <= LINE_AT_MOST:
            yield line
        is_rest = not line.endswith(b"\n")


def read_line(line: str) -> dict[str, str] | None:
    """The object of a line, with its ``timestamp``; None if it is not one."""
    parts = line.rstrip("\r\n").split(" ", 2)
    if len(parts) != 3 or not parts[1].isdigit():
        return None
    try:
        told = json.loads(parts[2])
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or not isinstance(told.get("url"), str):
        return None
    return {**{name: str(value) for name, value in told.items()}, "timestamp": parts[1]}


def places_of_contents(lines: Iterable[bytes], name: str, least: int) -> Iterator[tuple[str, int]]:
    """The digests of the contents of an archive, and the places of their records, as its index tells.

    Args:
        name: The name of the archive's file.
        least: Octets that a record has at least.
    """
    for line in lines:
        told = _PLACE.search(line)
        if told is not None and len(told[2]) < 19 and int(told[2]) >= least and os.fsencode(name) == told[4]:
            yield told[1].decode("latin-1"), int(told[3])


def index_name(path: str) -> str:
    """The name of the index of an archive: ``a.cdxj`` for ``a.warc.gz``."""
    stem = next((path[: -len(suffix)] for suffix in FILES if path.endswith(suffix)), path)
    return f"{stem}.cdxj"


def index_lines(path: str) -> Iterator[bytes]:
    """The lines of the index of an archive; none without a readable index."""
    try:
        with open(index_name(path), "rb") as file:
            yield from lines_of(file)
    except OSError:
        return


def write_index(path: str) -> str:
    """Write the index of an archive next to it, replacing an earlier one; returns its name.

    Raises:
        LocalFileError: The archive can't be read, or the index not be written.
    """
    target = index_name(path)
    folder, name = os.path.split(os.path.abspath(target))
    try:
        file = Replacement(open_folder(os.fsencode(folder)), os.fsencode(name), target)
        try:
            file.begin(None)
            for line in sorted_lines(path, os.path.basename(path)):
                file.write(line.encode("utf-8", "surrogateescape") + b"\n")
            file.commit()
        finally:
            file.close()
    except OSError as error:
        raise local_error(error, f"Writing {target}") from error
    return target
