"""Paths: as URLs and back, what is below what, and the tree of a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyurl.batch.check.paths import file_url, is_below, path_of, repository_of, tree_of, was_below
from anyurl.batch.check.sites import Sites


@pytest.mark.parametrize("name", ["a b", "a%20b", "100%", "ä", "a?b", "a#b", "q\udcff"])
def test_a_path_becomes_a_url_and_a_path_again(tmp_path: Path, name: str) -> None:
    url = file_url(str(tmp_path / name))
    assert path_of(url) == str(tmp_path / name)
    assert url.fragment is None
    assert str(file_url(str(tmp_path))) == f"file://{tmp_path}/" == str(file_url(f"{tmp_path}/"))
    assert str(file_url("/")) == "file:///"


def test_what_lies_below(tmp_path: Path) -> None:
    root = str(tmp_path)
    assert is_below(f"{root}/x/y", (root,))
    assert is_below(root, (root,))
    assert not is_below(f"{root}x", (root,))
    assert not is_below(f"{root}/../x", (root,))
    assert not is_below(f"{root}/x\0", (root,))


def test_the_disk_is_asked_once_for_a_file_to_which_many_links_lead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    resolve = os.path.realpath

    def note(path: str) -> str:
        asked.append(path)
        return resolve(path)

    monkeypatch.setattr("os.path.realpath", note)
    root, file = resolve(tmp_path), f"{resolve(tmp_path)}/a.md"
    assert [was_below(file, (root,)) for _ in range(20)] == [True] * 20
    assert asked == [file]
    Sites([root])  # of another check: files come and go
    assert was_below(file, (root,))
    assert asked[-1] == file
    assert asked.count(file) == 2


def test_the_tree_of_a_source_is_its_repository_or_the_current_folder_or_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r/docs").mkdir(parents=True)
    (tmp_path / "r/docs/a.md").touch()
    monkeypatch.chdir(tmp_path)
    assert tree_of("r/docs/a.md") == tree_of("r/docs") == str(tmp_path)
    monkeypatch.chdir("/")
    assert tree_of(f"{tmp_path}/r/docs/a.md") == tree_of(f"{tmp_path}/r/docs") == "/"  # it is the current folder
    monkeypatch.chdir(Path(__file__).parent)
    assert tree_of(f"{tmp_path}/r/docs/a.md") == tree_of(f"{tmp_path}/r/docs") == f"{tmp_path}/r/docs"
    (tmp_path / "r/.git").mkdir()
    assert tree_of(f"{tmp_path}/r/docs/a.md") == tree_of(f"{tmp_path}/r/docs") == f"{tmp_path}/r"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_is_not_looked_for_above_the_folder_of_another_user(tmp_path: Path) -> None:
    (tmp_path / "theirs/mine").mkdir(parents=True)
    (tmp_path / "theirs/.git").mkdir()
    assert repository_of(str(tmp_path / "theirs/mine")) == str(tmp_path / "theirs")
    os.chown(tmp_path / "theirs", 12345, 12345)
    assert repository_of(str(tmp_path / "theirs/mine")) is None
