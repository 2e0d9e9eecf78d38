"""What is put may be given as anything that holds octets; its faults are errors of the tree."""

from __future__ import annotations

import array
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyurl import Client
from anyurl.client.source import UploadSource
from anyurl.errors import LocalFileError
from tests.rows import each_row


def drain(source: UploadSource, at_most: int) -> bytes:
    taken = b""
    while piece := source.read(at_most):
        assert len(piece) <= at_most
        taken += piece
    assert source.read(at_most) == b""
    return taken


class Generous(io.RawIOBase):
    """Gives more than it is asked for."""

    def __init__(self) -> None:
        self._left = [b"12345", b"678"]

    def read(self, _size: int = -1) -> bytes:
        return self._left.pop(0) if self._left else b""


@each_row("at_most", [1, 3, 1000])
@each_row(
    ("upload", "size"),
    [
        (lambda: b"12345678", 8),
        (lambda: bytearray(b"12345678"), 8),
        (lambda: memoryview(b"12345678"), 8),
        (lambda: io.BytesIO(b"12345678"), 8),
        (lambda: [b"123", b"", bytearray(b"45678")], None),
        (lambda: iter((b"12345678",)), None),
        (lambda: [array.array("B", b"12345678")], None),
        (Generous, None),
    ],
)
def test_all_of_it_is_read(upload: Any, size: int | None, at_most: int) -> None:
    source = UploadSource(upload())
    assert source.size == size
    assert drain(source, at_most) == b"12345678"


def test_a_file_is_read_from_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"..12345678")
    with open(path, "rb") as file:
        file.seek(2)
        source = UploadSource(file)
        assert source.size == 8
        assert drain(source, 5) == b"12345678"


def test_a_pipe_has_no_size() -> None:
    near, far = os.pipe()
    os.write(far, b"x")
    os.close(far)
    with open(near, "rb", buffering=0) as pipe:
        source = UploadSource(pipe)
        assert source.size is None
        assert drain(source, 10) == b"x"


def torn() -> Iterator[bytes]:
    yield b"x"
    raise ZeroDivisionError("torn")


def empty_pipe() -> Any:
    near, _ = os.pipe()
    os.set_blocking(near, False)
    return open(near, "rb", buffering=0)


@pytest.mark.parametrize(
    ("upload", "words"),
    [
        (torn, "torn"),
        (lambda: ["text"], "binary mode"),
        (lambda: io.StringIO("text"), "binary mode"),
        (lambda: [7], "can't be read"),
        (empty_pipe, "not available yet"),  # it would be taken for the end
        (lambda: io.FileIO("/proc/self/mem"), "can't be read"),
    ],
)
def test_what_can_not_be_read(upload: Any, words: str) -> None:
    given = upload()
    source = UploadSource(given)
    with pytest.raises(LocalFileError, match=words):
        drain(source, 10)
    if hasattr(given, "close"):
        given.close()


@pytest.mark.parametrize("upload", ["text", 7, None])
def test_what_holds_no_octets(upload: Any) -> None:
    with pytest.raises(TypeError, match="bytes"):
        UploadSource(upload)


@pytest.mark.parametrize("verb", ["put", "append"])
def test_nothing_is_put_only_where_it_is_said(verb: str, tmp_path: Path) -> None:
    with Client() as client, pytest.raises(TypeError, match="not NoneType"):
        getattr(client, verb)(f"file://{tmp_path}/x", None)
    assert list(tmp_path.iterdir()) == []
