"""``anyurl mirror``: what is got, what is said, and the codes."""

from __future__ import annotations

import json
from pathlib import Path

from anyurl.cli import exits
from tests.cli.runner import run
from tests.servers import Connection, Server


def tree(folder: Path) -> Path:
    source = folder / "source"
    (source / "sub").mkdir(parents=True)
    (source / "a.txt").write_text("a")
    (source / "sub" / "b.bin").write_text("b")
    return source


def test_each_document_is_a_line(tmp_path: Path) -> None:
    source = tree(tmp_path)
    done = run("mirror", f"file://{source}/", str(tmp_path / "copy"))
    assert done.exit_code == exits.OK
    assert sorted(done.stdout.splitlines()) == [
        f"saved\ta.txt\tfile://{source}/a.txt",
        f"saved\tsub/b.bin\tfile://{source}/sub/b.bin",
    ]
    assert (tmp_path / "copy" / "sub" / "b.bin").read_text() == "b"
    again = run("mirror", f"file://{source}/", str(tmp_path / "copy"), "--include", "*.txt")
    assert again.stdout == f"kept\ta.txt\tfile://{source}/a.txt\n"


def test_a_remark_does_not_hide_what_was_saved(tmp_path: Path) -> None:
    def part(connection: Connection) -> None:
        at = f"{server.host}\t{server.port}"
        told = {b"": f"0a\ta\t{at}\r\n.\r\n".encode(), b"a": b"text\r\n.\r\nmore"}
        connection.send(told[connection.line()])

    with Server(part) as server:
        done = run("mirror", f"gopher://{server.authority}/", str(tmp_path), "--allow-private")
    assert done.exit_code == exits.OK
    assert done.stdout == f"saved\ta\tgopher://{server.authority}/0a\n"
    assert done.stderr.startswith("anyurl: note: a: ")


def test_a_dry_run_and_objects(tmp_path: Path) -> None:
    source = tree(tmp_path)
    done = run("mirror", f"file://{source}/", str(tmp_path / "copy"), "--dry-run", "--json", "--depth", "1")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(record["outcome"], record["path"]) for record in records if record["outcome"] == "planned"] == [
        ("planned", "a.txt")
    ]
    assert not (tmp_path / "copy").exists()


def test_what_fails_is_told_and_the_others_come(tmp_path: Path) -> None:
    source = tree(tmp_path)
    (tmp_path / "copy" / "a.txt").mkdir(parents=True)
    done = run("mirror", f"file://{source}/", str(tmp_path / "copy"))
    assert done.exit_code == exits.LOCAL_FILE
    assert "a.txt" in done.stderr
    assert (tmp_path / "copy" / "sub" / "b.bin").read_text() == "b"


def test_what_has_no_listing(tmp_path: Path) -> None:
    assert run("mirror", "telnet://h/", str(tmp_path / "copy")).exit_code == exits.CANNOT
