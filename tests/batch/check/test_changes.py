"""Changes: what git says has changed, and that it runs nothing for a repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from anyurl import LocalFileError
from anyurl.batch.check.changes import changed_files
from anyurl.batch.check.sources import Sources


def git(folder: Path, *args: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, "-C", str(folder), *args], check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    git(tmp_path, "init")
    for name in ("same.md", "changed.md", "moved.md", "a name\n.md"):
        (tmp_path / name).write_text(f"http://h/{name[:4]} [m](moved.md)")
    (tmp_path / ".gitignore").write_text("ignored.md")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "x")
    (tmp_path / "changed.md").write_text("http://h/changed [m](moved.md)")
    (tmp_path / "a name\n.md").write_text("http://h/odd")
    (tmp_path / "moved.md").unlink()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "new.md").write_text("http://h/new")
    (tmp_path / "ignored.md").write_text("http://h/ignored")
    return tmp_path


def test_what_is_new_changed_and_gone(tree: Path) -> None:
    changed, gone = changed_files("HEAD", str(tree / "sub"))
    assert {path.removeprefix(f"{tree}/") for path in changed} == {"changed.md", "sub/new.md", "a name\n.md"}
    assert gone == {f"{tree}/moved.md"}


def test_what_a_change_touches_is_read(tree: Path) -> None:
    changed, gone = changed_files("HEAD", str(tree))
    found = list(Sources((str(tree),), changed=changed, gone=gone, complain=pytest.fail))
    assert sorted(str(each.url).replace(f"file://{tree}", "") for each in found) == [
        "/moved.md",  # in what has changed
        "/moved.md",  # and in what leads to what is gone
        "http://h/changed",
        "http://h/new",
        "http://h/odd",
    ]


@pytest.mark.parametrize(
    ("revision", "said"),
    [("--output=x", "is not a revision"), ("none", "The program 'git' failed: "), ("", "The program 'git' failed: ")],
)
def test_no_such_revision(tree: Path, revision: str, said: str) -> None:
    with pytest.raises(LocalFileError, match=said):
        changed_files(revision, str(tree))
    assert not (tree / "x").exists()


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(LocalFileError, match="not a git repository"):
        changed_files("HEAD", str(tmp_path))


def test_no_program_of_the_repository_is_run(tree: Path) -> None:
    ran = tree / "ran"
    for key in ("core.fsmonitor", "diff.external", "diff.x.textconv", "diff.x.command"):
        git(tree, "config", key, f"touch {ran}; true")
    (tree / ".gitattributes").write_text("*.md diff=x")
    changed_files("HEAD", str(tree))
    assert not ran.exists()
