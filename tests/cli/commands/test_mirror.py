"""``anyurl mirror``: what is got, what is said, and the codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from anyurl import URL, Mirrored
from anyurl.cli import exits
from anyurl.cli.commands.mirror import Tally
from tests.cli.runner import records, run
from tests.cli.test_terminal import Screen
from tests.servers import Connection, Server, reply


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
    assert done.stderr.startswith(f"anyurl: note: a (gopher://{server.authority}/0a): ")


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


def test_a_dry_run_tells_what_it_would_get(tmp_path: Path) -> None:
    source = tree(tmp_path)
    assert run("mirror", f"file://{source}/", str(tmp_path / "copy"), "--include", "*.txt").exit_code == exits.OK
    done = run("mirror", f"file://{source}/", str(tmp_path / "copy"), "--dry-run")
    assert sorted(done.stdout.splitlines()) == [
        f"kept\ta.txt\tfile://{source}/a.txt",
        f"planned\tsub/b.bin\tfile://{source}/sub/b.bin",
    ]
    assert not (tmp_path / "copy" / "sub" / "b.bin").exists()


@pytest.mark.parametrize(
    ("options", "summary"),
    [
        ((), r"{0}: 1 saved \(1 octets\), 1 unchanged, 1 failed"),
        (("--exclude", "*.bin"), r"{0}: 0 saved \(0 octets\), 1 unchanged, 1 failed"),
        (("--dry-run", "--include", "*.bin"), r"{0}: 1 to get"),
    ],
    ids=["all", "less", "dry run"],
)
def test_a_person_is_told_what_became_of_them(tmp_path: Path, options: tuple[str, ...], summary: str) -> None:
    source = tree(tmp_path)
    copy = tmp_path / "copy"
    assert run("mirror", f"file://{source}/", str(copy), "--include", "*.txt").exit_code == exits.OK
    (source / "c.txt").write_text("c")
    (copy / "c.txt").mkdir()
    screen = Screen("mirror", f"file://{source}/", str(copy), *options)
    assert re.fullmatch(summary.format(re.escape(str(copy))), screen.text.splitlines()[-1])
    assert screen.code == (exits.OK if "--dry-run" in options else exits.LOCAL_FILE)
    lines = [line for line in screen.text.splitlines() if "\t" in line]
    assert lines == ([f"planned\tsub/b.bin\tfile://{source}/sub/b.bin"] if "--dry-run" in options else [])


@pytest.mark.promise("names")
def test_what_is_not_replaced_is_told_and_counted_and_force_replaces_it(tmp_path: Path) -> None:
    source, copy = tree(tmp_path), tmp_path / "copy"
    copy.mkdir()
    (copy / "a.txt").write_text("mine")
    told = run("mirror", f"file://{source}/", str(copy))
    assert told.exit_code == exits.LOCAL_FILE
    assert told.stderr == (
        f"anyurl: a.txt (file://{source}/a.txt): Saving to a.txt: there is a file of that name, which this mirror did "
        "not save (--force replaces it).\n"
    )
    lines = {f"failed\ta.txt\tfile://{source}/a.txt", f"saved\tsub/b.bin\tfile://{source}/sub/b.bin"}
    assert set(told.stdout.splitlines()) == lines
    screen = Screen("mirror", f"file://{source}/", str(copy))
    assert screen.text.splitlines()[-1] == f"{copy}: 0 saved (0 octets), 1 unchanged, 1 not replaced"
    (record, *_) = [each for each in records(run("mirror", f"file://{source}/", str(copy), "--json")) if each["error"]]
    assert (record["path"], record["outcome"], record["error"]) == ("a.txt", "failed", "LocalFileError")
    assert (copy / "a.txt").read_text() == "mine"
    assert run("mirror", "--force", f"file://{source}/", str(copy)).exit_code == exits.OK
    assert (copy / "a.txt").read_text() == (source / "a.txt").read_text()


def test_the_tally_counts_what_is_saved() -> None:
    tally = Tally("copy", iter(()), dry_run=False)
    for outcome, size in (("saved", 1), ("kept", 5), ("saved", 1000), ("failed", None), ("folder", None)):
        tally.add(Mirrored(URL("ftp://h/"), "x", outcome, size=size))
    assert tally.saved() == 1001
    assert tally.lines() == ["copy: 2 saved, 1 unchanged, 1 failed"]
    assert tally.event() == {"saved": 2, "kept": 1, "failed": 1, "folder": 1}


@pytest.mark.parametrize(
    ("saved", "said"), [(0, "nothing new is kept"), (1, "1 document is kept"), (1200, "1,200 documents are kept")]
)
def test_an_interrupted_mirror_says_what_it_saved(saved: int, said: str) -> None:
    tally = Tally("copy", iter(()), dry_run=False)
    for _ in range(saved):
        tally.add(Mirrored(URL("ftp://h/"), "x", "saved", size=1))
    assert tally.kept() == f"{said} in copy; the same command continues the mirror"


def test_each_failure_is_a_line_with_its_path_and_its_url(tmp_path: Path) -> None:
    def part(connection: Connection) -> None:
        at = f"{server.host}\t{server.port}"
        menu = "".join(f"0{name}\t{name}\t{at}\r\n" for name in ("gone", "there")) + ".\r\n"
        told = {b"": menu.encode(), b"gone": b"3no such\t\terror.host\t1\r\n.\r\n", b"there": b"text\r\n.\r\n"}
        connection.send(told.get(connection.line(), b""))

    with Server(part) as server:
        done = run("mirror", f"gopher://{server.authority}/", str(tmp_path), "--allow-private")
    assert done.exit_code != exits.OK
    url = f"gopher://{server.authority}/0gone"
    assert f"failed\tgone\t{url}" in done.stdout.splitlines()
    assert any(line.startswith(f"anyurl: gone ({url}): ") for line in done.stderr.splitlines())


def test_a_listing_beyond_its_limit_is_shown_up_to_it(tmp_path: Path) -> None:
    page = b"".join(b'<a href="%06d">x</a>' % number for number in range(1_050))
    policy = tmp_path / "policy.toml"
    policy.write_text('allow_nets = ["127.0.0.1"]\n[limits]\nlisting_entries = 1000\n')

    def part(connection: Connection) -> None:
        while connection.head():
            connection.send(reply(page, "Content-Type: text/html"))

    with Server(part) as server:
        done = run("ls", f"http://{server.authority}/", "--policy", str(policy))
    assert done.exit_code == exits.BROKEN
    assert len(done.stdout.splitlines()) == 1_000
    assert "1,000" in done.stderr
