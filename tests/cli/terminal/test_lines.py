"""A text of the user's: in UTF-8 or as its byte order mark says, cut anywhere, with a limit."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from anyurl import SecretFile
from anyurl.cli.config import understood
from anyurl.cli.terminal.lines import MAX_LINE, lines_of
from anyurl.errors import LimitError
from tests.cli.runner import run

TEXT = "ftp://a/\r\n\r\n# \u0a0a\u0d0a\nftp://b/\u00fc\r\nftp://c/"
LINES = ["ftp://a/", "", "# \u0a0a\u0d0a", "ftp://b/\u00fc", "ftp://c/"]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_lines_of_a_text(encoding: str) -> None:
    octets = TEXT.encode(encoding)
    assert list(lines_of(io.BytesIO(octets))) == LINES
    assert list(lines_of(iter([octets]))) == LINES
    first = octets[:4]  # as much as a mark may have is never cut by the end of a line
    assert list(lines_of([first, *(octets[i : i + 1] for i in range(4, len(octets)))])) == LINES


def test_what_is_no_text_is_kept() -> None:
    assert list(lines_of([b"a\xff\n", b"\n", b"b\r"])) == ["a\udcff", "", "b"]
    assert list(lines_of([])) == []
    assert list(lines_of(["a\n".encode("utf-16") + b"b"])) == ["a", "\ufffd"]


def test_a_line_has_a_limit() -> None:
    piece = ("\u0a0a" * (MAX_LINE // 2)).encode("utf-16-le")
    assert len(list(lines_of([b"\xff\xfe", piece, piece]))) == 1
    pieces = [b"\xff\xfe", piece, piece, b"\x0a\x0a"]
    with pytest.raises(LimitError, match="more than 1,048,576 characters"):
        list(lines_of(pieces))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_file_that_windows_wrote_is_read(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"hi")
    file = tmp_path / "urls"
    url = (tmp_path / "x").as_uri()
    file.write_bytes(f"# \u0a0a\r\n{url}\r\n".encode(encoding))
    assert run("get", "--from", str(file)).stdout_bytes == b"hi"
    assert run("parse", "-", input=f"{url}\r\n".encode(encoding)).stdout.splitlines()[0] == url


def test_a_mark_is_no_part_of_a_password_or_of_settings(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"\xef\xbb\xbfhunter2\r\n")
    assert SecretFile(tmp_path / "secret").reveal() == "hunter2"
    assert understood(b"\xef\xbb\xbftimeout = 5\n", "x") == {"timeout": 5}
