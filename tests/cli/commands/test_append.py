"""``anyurl append``: what is added, and to what."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.runner import records, run


def test_put_replaces_and_append_adds_by_ftp(ftp_user: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one\n")
    for verb, expected in (("put", b"one\n"), ("append", b"one\none\n"), ("put", b"one\n")):
        result = run(verb, f"{ftp_user}notes-of-mine", str(file))
        assert (result.exit_code, result.output) == (0, "")
        assert run("get", f"{ftp_user}notes-of-mine").stdout_bytes == expected


def test_what_append_would_do_is_explained(tmp_path: Path) -> None:
    result = run("append", "--explain", "file:///a", "-")
    assert result.exit_code == 0
    assert result.stdout.startswith("append to the file /a\n")
    result = run("append", "--explain", "ftp://h.example/a", str(tmp_path / "none"))
    assert "> APPE a\n" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code"), [([], 2), (["file:///a"], 2), (["http://h:x/", "-"], 3), (["http://h.example/", "-"], 4)]
)
def test_appends_that_are_none(arguments: list[str], code: int) -> None:
    result = run("append", *arguments, input=b"")
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr


def test_append_tells_what_was_added_as_a_record(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"one\n")
    (record,) = records(run("append", "--json", file.as_uri(), "-", input=b"two\n"))
    assert (record["url"], record["size"], file.read_bytes()) == (file.as_uri(), 4, b"one\ntwo\n")
