"""``anyurl check --fix``: what has moved for ever is written anew, and nothing else changes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from anyurl.cli import exits
from tests.batch.check.site import Site, moved, page
from tests.cli.runner import records, run

PAGES = {
    "a.md": b'[a]({root}/old#part "title")\r\n<{root}/old>, [b](rel.md) {root}/good {root}/for-now \xc3\xa9\n',
    "b.html": b'<a href="{root}/old?x=1&amp;y=2#f">{root}/old</a> <a href="/old">',
    "c.json": b'{"url": "{slashed}\\/old"}',
    "rel.md": b"no links\n",
}


def tree(folder: Path, root: str) -> None:
    for name, data in PAGES.items():
        text = data.replace(b"{slashed}", root.replace("/", "\\/").encode()).replace(b"{root}", root.encode())
        (folder / name).write_bytes(text)


@pytest.mark.needs("git")
def test_moved_links_are_written_anew_and_nothing_else(tmp_path: Path) -> None:
    answers = {
        "/good": page("x"), "/new": page("x"), "/new?x=1&y=2": page("x"), "/old": moved("/new"),
        "/old?x=1&y=2": moved("/new?x=1&y=2"), "/for-now": moved("/good", "302 Found"),
    }  # fmt: skip
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    with Site(answers) as site:
        tree(tmp_path, site.root)
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
            subprocess.run([*git, *command], check=True)
        done = run("check", "--fix", "--allow-private", str(tmp_path))
        again = run("check", "--allow-private", str(tmp_path))
    changed = subprocess.run([*git, "diff", "-U0"], check=True, capture_output=True).stdout.decode()
    lines = [line for line in changed.split("\n") if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    before = [line[1:] for line in lines if line.startswith("-")]
    assert [line[1:] for line in lines if line.startswith("+")] == [
        line.replace("/old", "/new").replace('href="/new"', 'href="/old"') for line in before
    ]
    assert len(before) == 4
    assert "-<" in done.stdout
    assert f"+<{site.root}/new>" in done.stdout
    assert "Moved links were written in 3 files." in done.stderr
    assert "/old: It has moved" not in again.stdout


def test_with_json_the_difference_is_told_aside(tmp_path: Path) -> None:
    with Site({"/new": page("x"), "/old": moved("/new")}) as site:
        (tmp_path / "a.txt").write_text(f"see {site.root}/old.")
        done = run("check", "--fix", "--json", "--allow-private", str(tmp_path / "a.txt"))
    assert len(records(done)) == 1
    assert f"+see {site.root}/new." in done.stderr
    assert (tmp_path / "a.txt").read_text() == f"see {site.root}/new."
    assert done.exit_code == exits.OK


def test_a_login_and_what_cannot_be_written_stay(tmp_path: Path) -> None:
    with Site({"/a,b": page("x"), "/old": moved("/a,b")}) as site:
        login = site.root.replace("://", "://me:secret@")
        (tmp_path / "a.txt").write_text(f"{login}/old")
        (tmp_path / "a.csv").write_text(f"x,y\n{site.root}/old,z\n")
        done = run("check", "--fix", "--allow-private", str(tmp_path))
    assert (tmp_path / "a.txt").read_text() == f"{login}/old"
    assert (tmp_path / "a.csv").read_text() == f"x,y\n{site.root}/old,z\n"
    assert "a.csv is left as it is" in done.stderr
    assert "secret" not in done.stdout + done.stderr
