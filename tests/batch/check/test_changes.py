"""Changes: what git says has changed, and that it runs nothing for a repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from anyurl import LocalFileError
from anyurl.batch.check import changes
from anyurl.batch.check.changes import changed_files
from anyurl.batch.check.sources import Sources

pytestmark = pytest.mark.needs("git")


def git(folder: Path, *args: str) -> str:
    who = ["-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *who, "-C", str(folder), *args], check=True, capture_output=True, text=True)
    return done.stdout.strip()


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
    with pytest.raises(LocalFileError, match="is not in a git repository, or in one of another user"):
        changed_files("HEAD", str(tmp_path))


def test_line_endings_are_no_change(tree: Path) -> None:
    (tree / "same.md").write_bytes(b"one\ntwo\n")
    git(tree, "commit", "-a", "-m", "y")
    (tree / "same.md").write_bytes(b"one\r\ntwo\r\n")  # as core.autocrlf writes it
    assert str(tree / "same.md") not in changed_files("HEAD", str(tree))[0]
    (tree / "same.md").write_bytes(b"one\r\ntwo \r\n")
    assert str(tree / "same.md") in changed_files("HEAD", str(tree))[0]


def test_what_is_not_compared_counts_as_changed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = (tree / "same.md").stat().st_size
    for limit, is_changed in ((size, False), (size - 1, True)):
        monkeypatch.setattr(changes, "MAX_OCTETS", limit)
        assert (str(tree / "same.md") in changed_files("HEAD", str(tree))[0]) == is_changed


def test_links_and_what_is_no_file(tree: Path) -> None:
    for name in ("link", "other", "pipe", "folder"):
        (tree / name).symlink_to("same.md") if name in ("link", "other") else (tree / name).touch()
    git(tree, "add", ".")
    git(tree, "commit", "-m", "y")
    for name in ("other", "pipe", "folder"):
        (tree / name).unlink()
    (tree / "other").symlink_to("sub/new.md")
    os.mkfifo(tree / "pipe")
    (tree / "folder").mkdir()
    changed, gone = changed_files("HEAD", str(tree))
    assert changed == {str(tree / "sub/new.md")}  # as both links were: what they lead to is read
    assert gone == {str(tree / "pipe"), str(tree / "folder")}


def test_removed_from_the_index_added_and_outside_of_a_sparse_checkout(tree: Path) -> None:
    git(tree, "commit", "-a", "-m", "y")
    (tree / "sub/new.md").write_text("new")
    git(tree, "add", "sub/new.md")
    git(tree, "rm", "--cached", "same.md")
    git(tree, "update-index", "--skip-worktree", "changed.md")
    (tree / "changed.md").unlink()
    changed, gone = changed_files("HEAD", str(tree))
    assert changed == {str(tree / "sub/new.md"), str(tree / "same.md")}
    assert gone == {str(tree / "same.md")}  # it will be


def test_submodules_and_other_hashes(tmp_path: Path) -> None:
    for name, kind in (("top", "sha256"), ("top/inner", "sha1"), ("top/outer", "sha256")):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init", f"--object-format={kind}")
        (tmp_path / name / "a.md").write_text("a")
        git(tmp_path / name, "add", "a.md")
        git(tmp_path / name, "commit", "-m", "x")
    top = tmp_path / "top"
    git(top, "-c", "protocol.file.allow=always", "submodule", "add", "./outer")
    git(top, "commit", "-m", "y")
    (top / "outer/a.md").write_text("b")
    assert changed_files("HEAD", str(top)) == ({str(top / "inner")}, frozenset())
    (top / "a.md").write_text("b")
    assert str(top / "a.md") in changed_files("HEAD~1", str(top))[0]
    assert changed_files("HEAD", str(top / "inner")) == (frozenset(), frozenset())


def test_a_linked_worktree(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other") / "tree"
    git(tree, "worktree", "add", str(other))
    (other / "changed.md").write_text("now")
    assert changed_files("HEAD", str(other)) == ({str(other / "changed.md")}, frozenset())


def test_a_folder_of_another_user_is_not_searched_for_a_repository(tree: Path) -> None:
    """Anybody could put one into /tmp."""
    if os.geteuid():
        pytest.skip("only root can give a folder away")
    (tree / "mine").mkdir()
    assert changed_files("HEAD", str(tree / "mine"))[1]
    for folder in (tree, tree / ".git"):
        os.chown(folder, 65_534, 65_534)
    with pytest.raises(LocalFileError, match="is not in a git repository, or in one of another user"):
        changed_files("HEAD", str(tree / "mine"))
    with pytest.raises(LocalFileError, match="dubious ownership"):
        changed_files("HEAD", str(tree))


def test_a_repository_that_is_none_is_not_searched_above(tree: Path) -> None:
    """A folder of a repository can hold what git takes for a bare one, or a broken one."""
    (tree / "sub/.git").mkdir()
    with pytest.raises(LocalFileError, match="not a git repository"):
        changed_files("HEAD", str(tree / "sub"))


HOOKS = (
    "post-index-change", "reference-transaction", "post-checkout", "pre-commit", "fsmonitor-watchman", "pre-auto-gc",
    "post-rewrite", "proc-receive", "update",
)  # fmt: skip

HOSTILE = [
    ({"filter.x.process": "{run}"}, ["diff", "HEAD"]),
    ({"filter.x.clean": "{run}"}, ["diff", "HEAD"]),
    ({"filter.x.clean": "{run}", "filter.x.required": "true"}, ["add", "changed.md"]),
    ({"core.fsmonitor": "{run}"}, ["status"]),
    ({"core.fsmonitor": "{run}", "core.untrackedCache": "true"}, ["ls-files", "--others"]),
    ({"diff.external": "{run}"}, ["diff", "HEAD"]),
    ({"diff.x.textconv": "{run}"}, ["diff", "HEAD"]),
    ({"diff.x.command": "{run}"}, ["diff", "HEAD"]),
    ({"core.hooksPath": "{hooks}"}, ["update-index", "--add", "sub/new.md"]),
    ({"core.hooksPath": "{hooks}"}, ["update-ref", "refs/heads/new", "HEAD"]),
    ({"alias.listed": "!{run}"}, ["listed"]),
    ({"core.sshCommand": "{run}", "remote.evil.url": "ssh://h/x"}, ["fetch", "evil"]),
    ({"remote.evil.url": "{tree}", "remote.evil.uploadpack": "{run}"}, ["fetch", "evil"]),
    ({"remote.evil.url": "ext::{run}", "protocol.ext.allow": "always"}, ["fetch", "evil"]),
]
"""Settings of a repository, and how git is brought to run their program."""

PARTIAL = {
    "extensions.partialClone": "evil", "remote.evil.promisor": "true", "core.repositoryFormatVersion": "1",
    "protocol.ext.allow": "always",
}  # fmt: skip


@pytest.fixture
def trap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program ``run``, and hooks, each of which makes a file ``ran``."""
    place = tmp_path_factory.mktemp("place")
    (place / "hooks").mkdir()
    for each in (place / "run", *(place / "hooks" / name for name in HOOKS)):
        each.write_text(f"#!/bin/sh\ntouch {place / 'ran'}\n")
        each.chmod(0o755)
    return place


@pytest.mark.promise("children")
@pytest.mark.parametrize(("settings", "control"), HOSTILE)
@pytest.mark.parametrize("worktree", ["", "/"])
def test_no_program_of_the_repository_is_run(
    settings: dict[str, str], control: list[str], worktree: str, tree: Path, trap: Path
) -> None:
    (tree / ".gitattributes").write_text("*.md filter=x diff=x merge=x\n")
    for key, value in settings.items():
        git(tree, "config", key, value.format(run=trap / "run", hooks=trap / "hooks", tree=tree))
    if worktree:
        git(tree, "config", "core.worktree", worktree)
    changed, gone = changed_files("HEAD", str(tree / "sub"))
    assert not (trap / "ran").exists()
    assert {path.removeprefix(f"{tree}/") for path in changed} == {
        "changed.md", "sub/new.md", "a name\n.md", ".gitattributes",
    }  # fmt: skip
    assert gone == {f"{tree}/moved.md"}
    tempted(tree, *control)
    assert (trap / "ran").exists()


@pytest.mark.promise("children")
@pytest.mark.parametrize(
    "settings",
    [{"url": "ext::{run}"}, {"url": "file://{tree}", "uploadpack": "{run}"}, {"url": "ssh://h/x"}],
)
def test_no_missing_object_is_fetched(settings: dict[str, str], tree: Path, trap: Path) -> None:
    """git gets what a partial clone lacks from where its settings say, by a program if they say so."""
    git(tree, "add", ".")
    git(tree, "commit", "-m", "y")
    name = git(tree, "rev-parse", "HEAD:sub")
    (tree / ".git/objects" / name[:2] / name[2:]).unlink()
    remote = {f"remote.evil.{key}": value.format(run=trap / "run", tree=tree) for key, value in settings.items()}
    for key, value in {**PARTIAL, **remote, "core.sshCommand": str(trap / "run")}.items():
        git(tree, "config", key, value)
    with pytest.raises(LocalFileError, match=f"The program 'git' failed: error: Could not read {name}"):
        changed_files("HEAD", str(tree))
    assert not (trap / "ran").exists()
    tempted(tree, "ls-tree", "-r", "HEAD")
    assert (trap / "ran").exists()


def tempted(tree: Path, *args: str) -> None:
    """What runs the programs of a repository."""
    environment = {**os.environ, "GIT_WORK_TREE": str(tree)}
    subprocess.run(["git", "-C", tree, *args], env=environment, stdin=subprocess.DEVNULL, capture_output=True)
