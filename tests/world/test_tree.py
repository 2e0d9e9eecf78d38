"""The shared content: the same everywhere, with a picture that is one."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

from anyurl.world import tree


def test_tree_is_the_same_at_every_call() -> None:
    assert tree.tree() == tree.tree()


def test_texts_are_utf_8_with_lf_line_ends() -> None:
    for path, data in tree.tree().items():
        if tree.content_type(path).startswith("text/"):
            assert "\r" not in data.decode(), path
            assert data.endswith(b"\n"), path


def test_picture_is_a_png_of_some_kilobytes() -> None:
    data = tree.picture()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert 4_000 < len(data) < 64_000
    at = 8
    chunks = {}
    while at < len(data):
        size = struct.unpack_from(">I", data, at)[0]
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(name + body)
        chunks[name] = body
        at += 12 + size
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (96, 64, 8, 2, 0, 0, 0)
    assert len(zlib.decompress(chunks[b"IDAT"])) == 64 * (1 + 3 * 96)


@pytest.mark.parametrize(
    ("path", "type"),
    [
        ("motd.txt", "text/plain; charset=utf-8"),
        ("pub/picture.png", "image/png"),
        ("index.html", "text/html; charset=utf-8"),
        ("new/thing", "application/octet-stream"),
    ],
)
def test_content_type_follows_the_suffix(path: str, type: str) -> None:
    assert tree.content_type(path) == type


def test_write_tree_keeps_octets_and_times(tmp_path: Path) -> None:
    tree.write_tree(tmp_path)
    files = {str(file.relative_to(tmp_path)): file for file in tmp_path.rglob("*") if file.is_file()}
    assert {path: file.read_bytes() for path, file in files.items()} == tree.tree()
    assert {file.stat().st_mtime for file in files.values()} == {tree.MODIFIED}
