"""WACZ: an archive, its index and its pages in one file, as ReplayWeb.page and pywb show it (WACZ 1.1.1).

Rule: the file gets its name when it is complete, and is made anew from the archive, which stays: another run adds to
that. The archive is stored as it is, so that a record is found by its place in the file.
"""

from __future__ import annotations

import errno
import json
import os
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from anyurl._version import __version__
from anyurl.errors import LocalFileError, escape
from anyurl.files.channel import Replacement, complaint, local_error, open_folder
from anyurl.schemes.kit.media import PAGES
from anyurl.warc.cdxj import lines_of, read_line, sorted_lines

SUFFIX = ".wacz"

INDEX = "indexes/index.cdx"

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)
"""What `zipfile` raises for a damaged or encrypted file, or a compression that it does not know (a RuntimeError)."""

VERSION = "1.1.1"

AT_ONCE = 256 * 1024

SMALLEST_DATE = (1980, 1, 1, 0, 0, 0)


def archive_of(path: str) -> str:
    """The name of the archive that a WACZ is made of: ``a.warc.gz`` for ``a.wacz``."""
    return f"{path.removesuffix(SUFFIX)}.warc.gz"


def package_of(archive: str) -> str:
    """The name of the WACZ that is made of an archive."""
    return f"{archive.removesuffix('.warc.gz')}{SUFFIX}"


def index_lines(path: str) -> Iterator[bytes]:
    """The lines of the index in a WACZ that `pack` made; none if there is none that can be read."""
    try:
        with zipfile.ZipFile(path) as zipped, zipped.open(INDEX) as member:
            yield from lines_of(member)
    except (OSError, KeyError, *BROKEN):
        return


def check(path: str) -> None:
    """Check before the first transfer that the file can be made later.

    Raises:
        LocalFileError: It exists, and the archive that it was made of does not: its content would be lost.
    """
    if os.path.lexists(path) and not os.path.lexists(archive_of(path)):
        shown, archive = escape(path), escape(archive_of(path))
        raise complaint(errno.EEXIST, f"Writing {shown}", f"it exists, and {archive}, of which it is made, does not")


def pack(path: str, home: str) -> int:
    """Make a WACZ of the archive next to it; returns its size in octets.

    Args:
        path: Its name; an existing one is replaced.
        home: The URL of the first page.

    Raises:
        LocalFileError: The archive can't be read, or the file not be written.
    """
    what = f"Writing {escape(path)}"
    folder, name = os.path.split(os.path.abspath(path))
    try:
        file = Replacement(open_folder(os.fsencode(folder)), os.fsencode(name), path)
        try:
            file.begin(None if not os.path.lexists(path) else os.stat(path))
            _write(file, archive_of(path), home)
            size = file.moved
            file.commit()
        finally:
            file.close()
    except OSError as error:
        if isinstance(error, LocalFileError):
            raise
        raise local_error(error, what) from error
    return size


class _Output:
    """The output of `zipfile`: it never seeks back."""

    def __init__(self, file: Replacement) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        return self._file.write(bytes(data))

    def tell(self) -> int:
        raise OSError("this is written from the start to the end")

    def flush(self) -> None:
        """Nothing is held back."""


def _write(file: Replacement, archive: str, home: str) -> None:
    warc = os.path.basename(archive)
    parts: list[dict[str, object]] = []
    output: Any = _Output(file)
    with zipfile.ZipFile(output, "w", allowZip64=True) as zipped:
        with open(archive, "rb") as source:
            _add(zipped, f"archive/{warc}", _pieces(source), parts, zipfile.ZIP_STORED)
        with TemporaryFile() as pages:
            _add(zipped, INDEX, _index(archive, warc, pages), parts)
            pages.seek(0)
            _add(zipped, "pages/pages.jsonl", _pieces(pages), parts)
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        about = {
            "profile": "data-package", "wacz_version": VERSION, "title": home, "created": now, "modified": now,
            "software": f"anyurl/{__version__}", "mainPageUrl": home, "resources": parts,
        }  # fmt: skip
        whole = json.dumps(about, indent=2).encode("ascii")
        hashed = {"path": "datapackage.json", "hash": f"sha256:{sha256(whole).hexdigest()}"}
        _add(zipped, "datapackage.json", [whole], [])
        _add(zipped, "datapackage-digest.json", [json.dumps(hashed).encode("ascii")], [])


def _add(
    zipped: zipfile.ZipFile,
    path: str,
    pieces: Iterable[bytes],
    parts: list[dict[str, object]],
    how: int = zipfile.ZIP_DEFLATED,
) -> None:
    info = zipfile.ZipInfo(path, max(time.localtime()[:6], SMALLEST_DATE))
    info.compress_type = how
    hashed, size = sha256(), 0
    with zipped.open(info, "w", force_zip64=True) as member:
        for piece in pieces:
            member.write(piece)
            hashed.update(piece)
            size += len(piece)
    parts.append({"name": path.rpartition("/")[2], "path": path, "hash": f"sha256:{hashed.hexdigest()}", "bytes": size})


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(AT_ONCE):
        yield piece


def _index(archive: str, name: str, pages: BinaryIO) -> Iterator[bytes]:
    """The lines of the index, and on the way those of the list of pages, which go into a file."""
    pages.write(b'{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}\n')
    last = ""
    for line in sorted_lines(archive, name):
        yield line.encode("utf-8", "surrogateescape") + b"\n"
        told = read_line(line)
        if told is None or told["mime"] not in PAGES or told["status"] != "200" or told["url"] == last:
            continue
        last = told["url"]
        digits = told["timestamp"]
        date = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}T{digits[8:10]}:{digits[10:12]}:{digits[12:14]}Z"
        pages.write(json.dumps({"url": last, "ts": date, "title": last}).encode("ascii") + b"\n")
