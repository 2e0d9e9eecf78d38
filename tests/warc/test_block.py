"""What a record holds, and how it is written: as ISO 28500 and warcio have it."""

from __future__ import annotations

import io
from hashlib import sha256

import pytest

from anyurl.warc.block import AT_ONCE, IN_MEMORY, Record, RecordBlock, digest
from anyurl.warc.known_secrets import KnownSecrets

warcio = pytest.importorskip("warcio.archiveiterator", reason="warcio is not installed")


def test_a_large_block_is_a_file_and_not_in_memory() -> None:
    block = RecordBlock()
    for _ in range(10):
        block.write(b"x" * IN_MEMORY)
    assert block._file._rolled  # type: ignore[attr-defined]
    assert (block.size, sum(map(len, block.pieces()))) == (10 * IN_MEMORY, 10 * IN_MEMORY)
    assert max(map(len, block.pieces())) == AT_ONCE
    assert block.digest == digest(sha256(b"x" * 10 * IN_MEMORY))
    block.close()


def test_a_record_is_read_by_warcio_with_its_digests() -> None:
    block, file = RecordBlock(), io.BytesIO()
    block.write(b"the content" * 100_000)
    fields = [("WARC-Target-URI", "gopher://h/0x"), ("WARC-Payload-Digest", block.digest)]
    record = Record("resource", "2026-01-02T03:04:05Z", "text/plain", fields, body=block)
    steps = list(record.write(file))
    assert len(steps) > 4  # between which others have their turn
    file.seek(0)
    found = next(iter(warcio.ArchiveIterator(file, check_digests="raise")))
    assert (found.rec_type, found.format) == ("resource", "warc")
    assert found.rec_headers.protocol == "WARC/1.1"
    assert found.rec_headers.get_header("WARC-Record-ID") == record.id
    assert found.rec_headers.get_header("WARC-Block-Digest") == block.digest
    block.close()


def test_a_line_end_begins_no_field_of_its_own() -> None:
    file = io.BytesIO()
    for _ in Record("metadata", "now", "text/plain\r\nWARC-Type: response").write(file):
        pass
    file.seek(0)
    found = next(iter(warcio.ArchiveIterator(file)))
    assert found.rec_type == "metadata"
    assert found.rec_headers.get_header("Content-Type") == "text/plain??WARC-Type: response"


def test_secrets_are_replaced_on_the_way_into_a_block() -> None:
    secrets = KnownSecrets()
    secrets.know("hunter2")
    block = RecordBlock(secrets)
    block.write(b"it is hunt")
    block.write(b"er2")
    block.end()
    assert b"".join(block.pieces()) == b"it is *******"
    assert block.digest == digest(sha256(b"it is *******"))
    block.close()
