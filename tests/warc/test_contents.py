"""Which contents a file has already: read record by record, whatever the records hold."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

import pytest

from anyurl.warc.contents import read_contents

DIGEST = "sha256:ABC"
HEAD = (
    "WARC/1.1\r\nWARC-Type: {type}\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
    "WARC-Target-URI: http://h/a\r\nWARC-Payload-Digest: {digest}\r\n{more}Content-Length: 3\r\n\r\nabc\r\n\r\n"
)
ORIGINAL = ("<urn:uuid:1>", "http://h/a", "2026-01-02T03:04:05Z")


def record(type: str = "response", digest: str = DIGEST, more: str = "") -> bytes:
    return gzip.compress(HEAD.format(type=type, digest=digest, more=more).encode())


def read(path: Path, octets: bytes, start: int = 0) -> list[tuple[int, str | None, object]]:
    path.write_bytes(octets)
    fd = os.open(path, os.O_RDONLY)
    try:
        return list(read_contents(fd, start, len(octets)))
    finally:
        os.close(fd)


@pytest.mark.parametrize(
    ("one", "counts"),
    [
        (record(), True),
        (record("resource"), True),
        (record("revisit"), False),  # it has no content itself
        (record("conversion"), False),
        (record(more="WARC-Truncated: length\r\n"), False),  # it is not whole
        (record(digest=""), False),
        (gzip.compress(b"WARC/1.1\r\nWARC-Type: response\r\n\r\nWARC-Payload-Digest: sha256:ABC"), False),
        (gzip.compress(b"no record"), False),
    ],
)
def test_whole_contents_count(tmp_path: Path, one: bytes, counts: bool) -> None:
    end = len(one)
    assert read(tmp_path / "a", one) == [(end, DIGEST, ORIGINAL) if counts else (end, None, None)]


def test_one_after_the_other_up_to_what_is_not_whole(tmp_path: Path) -> None:
    one, two = record(), record("resource", "sha256:D")
    found = read(tmp_path / "a", one + two + record()[:-1])
    assert found == [(len(one), DIGEST, ORIGINAL), (len(one + two), "sha256:D", ORIGINAL)]
    assert read(tmp_path / "a", one + two, len(one)) == [(len(one + two), "sha256:D", ORIGINAL)]
    assert read(tmp_path / "a", one + b"something else" + two) == [(len(one), DIGEST, ORIGINAL)]


def test_an_archive_in_an_archive_is_a_content(tmp_path: Path) -> None:
    """Attack: a server hands out records of its own; who refers to one of them would lose what it got."""
    inner = record(digest="sha256:FORGED")
    packer = zlib.compressobj(0, wbits=31)  # stored as it is
    outer = packer.compress(b"WARC/1.1\r\nWARC-Type: metadata\r\n\r\n" + inner) + packer.flush()
    assert inner in outer
    assert read(tmp_path / "a", outer) == [(len(outer), None, None)]


def test_what_unpacks_to_very_much_takes_little_memory(tmp_path: Path) -> None:
    bomb = gzip.compress(HEAD.format(type="response", digest=DIGEST, more="").encode() + bytes(50_000_000))
    assert read(tmp_path / "a", bomb) == [(len(bomb), DIGEST, ORIGINAL)]
