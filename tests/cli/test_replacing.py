"""``anyurl find --replace FROM=TO``: what is written, what is shown, and what is left."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from anyurl.cli import exits
from tests.cli.runner import run

OLD, NEW = "http://old.example", "https://new.example/p"
TEXTS = {
    "a.md": b'[a](http://old.example/x_(y) "t") <http://old.example>, http://old.example.org/ http://other/\r\nend',
    "b.json": b'{"a": "http:\\/\\/old.example\\/?b\\u0026c=1"}',
    "c.html": b'<a href="http://old.example/?a&amp;b">http://old.example#f</a>',
    "d.eml": b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\nhttp://old.example/?a=3Db\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in TEXTS.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(f"url = {OLD}/\n")
    return tmp_path


def test_urls_are_written_where_they_stand_and_nothing_else_changes(folder: Path) -> None:
    (folder / "a.md").chmod(0o754)
    result = run("find", "--recursive", "--replace", f"{OLD}={NEW}", str(folder))
    assert result.exit_code == exits.OK
    for name, data in TEXTS.items():
        expected = data.replace(b"http:\\/\\/old.example\\/", b"https:\\/\\/new.example\\/p\\/")
        expected = expected.replace(b"http://old.example", b"https://new.example/p")
        expected = expected.replace(b"https://new.example/p.org/", b"http://old.example.org/")
        assert (folder / name).read_bytes() == expected, name
    assert (folder / "a.md").stat().st_mode & 0o777 == 0o754
    assert (folder / ".git" / "config").read_text() == f"url = {OLD}/\n"
    assert f"--- {folder}/b.json" in result.stdout
    assert '+{"a": "https:\\/\\/new.example\\/p\\/?b\\u0026c=1"}' in result.stdout


def test_a_dry_run_shows_it_and_writes_nothing(folder: Path) -> None:
    result = run("find", "--replace", f"{OLD}={NEW}", "--dry-run", str(folder / "b.json"))
    assert "+{" in result.stdout
    assert (folder / "b.json").read_bytes() == TEXTS["b.json"]
    assert run("find", "--dry-run", str(folder / "b.json")).exit_code == exits.USAGE


def test_standard_input_is_copied() -> None:
    pair = "http://old.example/?a=b=http://n/?c=d"
    assert run("find", "--replace", pair, input=b"x http://old.example/?a=b\n").stdout == "x http://n/?c=d\n"
    assert (
        run("find", "--replace", pair, input=b"x http://old.example/?a=bc\n").stdout == "x http://old.example/?a=bc\n"
    )


def test_what_cannot_be_written_is_told_and_its_file_left(tmp_path: Path) -> None:
    table, packed = tmp_path / "a.csv", tmp_path / "b.txt.gz"
    table.write_bytes(b"a,b\nhttp://old.example/,c\n")
    packed.write_bytes(gzip.compress(b"http://old.example/"))
    result = run("find", "--replace", "http://old.example/=http://n/d,e", str(table), str(packed))
    assert result.exit_code == exits.LOCAL_FILE
    assert f"{table} is left as it is: http://n/d,e can't be written in line 2" in result.stderr
    assert f"{packed} is compressed or an archive, in which nothing is replaced" in result.stderr
    assert table.read_bytes() == b"a,b\nhttp://old.example/,c\n"


def test_no_password_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("ftp://me:secret@h/ http://old.example/")
    result = run("find", "--replace", f"{OLD}={NEW}", str(path))
    assert "secret" not in result.stdout
    assert path.read_text() == f"ftp://me:secret@h/ {NEW}/"


@pytest.mark.parametrize("pair", ["http://a", "http://a=", "a=http://b/", "=http://b/", "http://a=b"])
def test_what_is_no_pair_of_urls_is_told(pair: str) -> None:
    result = run("find", "--replace", pair, input=b"x")
    assert result.exit_code == exits.USAGE
    assert "is not FROM=TO" in result.stderr
