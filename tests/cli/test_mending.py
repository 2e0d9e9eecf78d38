"""``anyurl check --fix``: what has moved for ever is written anew, and nothing else changes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from urllib.parse import unquote

import pytest

from anyurl.cli import exits
from tests.architecture.source import ROOT
from tests.batch.check.site import Site, moved, page
from tests.cli.runner import records, run
from tests.servers import Connection

PAGES = {
    "a.md": b'[a]({root}/old#part "title")\r\n<{root}/old>, [b](rel.md) {root}/good {root}/for-now \xc3\xa9\n',
    "b.html": b'<a href="{root}/old?x=1&amp;y=2#f">{root}/old</a> <a href="/old">',
    "c.json": b'{"url": "{slashed}\\/old"}',
    "d.html": b'<a href="{root}/old#f">{root}/old#f</a>\n<a href="{root}/old">\n{root}/old</a> {root}/good',
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
    assert len(before) == 7
    assert "-<" in done.stdout
    assert f"+<{site.root}/new>" in done.stdout
    assert "Moved links were written in 4 files." in done.stderr
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


class Moved(Site):
    """A server on which all has moved for ever."""

    def _serve(self, connection: Connection) -> None:
        while head := connection.head():
            _, path, _ = head.decode("latin-1").split(" ", 2)
            connection.send(page("x") if path.startswith("/moved/") else moved(f"/moved{path}"))


@pytest.mark.needs("git")
def test_in_the_documents_of_a_project_nothing_else_changes(tmp_path: Path) -> None:
    """Those of this one, whose links all lead to a server that has moved them."""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    with Moved({}) as site:
        for document in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/*.svg")):
            text = re.sub(r"https?://(?=[a-z])", f"{site.root}/", document.read_text())
            (tmp_path / document.name).write_text(text)
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
            subprocess.run([*git, *command], check=True)
        done = run("check", "--fix", "--allow-private", "--include", f"{site.root}/*", str(tmp_path))
    shown = subprocess.run([*git, "diff", "-U0"], capture_output=True, text=True, check=True).stdout.splitlines()
    lines = [each for each in shown if each[:4] not in ("--- ", "+++ ")]
    before = [unquote(each[1:]) for each in lines if each[0] == "-"]  # the server encodes what it is asked for
    after = [unquote(each[1:]) for each in lines if each[0] == "+"]
    assert "Moved links were written in" in done.stderr
    assert len(after) > 50
    assert [each.replace(f"{site.root}/moved/", f"{site.root}/") for each in after] == before
