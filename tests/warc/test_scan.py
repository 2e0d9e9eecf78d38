"""The records of an archive in sequence, compressed or not, whole or cut, with archives in them."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import pytest

from anyurl.warc.block import Record
from anyurl.warc.captures import scan


def written(*blocks: bytes, packed: bool = True) -> bytes:
    file = io.BytesIO()
    for number, block in enumerate(blocks):
        record = Record(
            "resource", "2026-01-01T00:00:00Z", "text/plain", [("WARC-Target-URI", f"ftp://h/{number}")], block
        )
        one = io.BytesIO()
        for _ in record.write(one):
            pass
        file.write(one.getvalue() if packed else gzip.decompress(one.getvalue()))
    return file.getvalue()


def read(path: Path, octets: bytes) -> tuple[list[tuple[int, int, str, bytes]], bool]:
    """What was read, and whether it was all."""
    path.write_bytes(octets)
    found = []
    fd = os.open(path, os.O_RDONLY)
    try:
        for record in scan(fd, 0, len(octets)):
            found.append((record.start, record.end, record.fields["warc-target-uri"], record.content))
    except EOFError:
        return found, False
    finally:
        os.close(fd)
    return found, True


@pytest.mark.parametrize("packed", [True, False])
def test_each_record_stands_where_it_is_said_to(tmp_path: Path, packed: bool) -> None:
    blocks = [b"one", b"", written(b"inner"), os.urandom(300_000)]
    octets = written(*blocks, packed=packed)
    found, whole = read(tmp_path / "a", octets)
    assert whole
    assert [content[:60_000] for *_, content in found] == [block[:60_000] for block in blocks] or all(
        block.startswith(content) for block, (*_, content) in zip(blocks, found, strict=True)
    )
    assert [url for _, _, url, _ in found] == [f"ftp://h/{number}" for number in range(4)]
    for start, end, url, _ in found:
        (again,), _ = read(tmp_path / "b", octets[start:end])
        assert again[2] == url


@pytest.mark.parametrize("packed", [True, False])
def test_a_cut_leaves_what_stands_before_it(tmp_path: Path, packed: bool) -> None:
    octets = written(b"one" * 50, b"two" * 50, packed=packed)
    (first, _), _ = read(tmp_path / "a", octets)
    for cut in range(first[1] + 1, len(octets)):
        found, whole = read(tmp_path / "a", octets[:cut])
        assert (len(found), whole) == (1, False)


@pytest.mark.parametrize(
    "octets",
    [b"no archive", b"\x1f\x8b\x08 cut", gzip.compress(b"no archive"), b"WARC/1.1\r\n\r\n",
     b"WARC/1.1\r\nContent-Length: x\r\n\r\n", gzip.compress(written(b"one", b"two", packed=False))],
)  # fmt: skip
def test_what_is_no_record_of_its_own_ends_it(tmp_path: Path, octets: bytes) -> None:
    assert read(tmp_path / "a", octets) == ([], False)
