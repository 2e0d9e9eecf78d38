"""A folder that others read: nothing outside of it, nothing hidden, and nothing that is no file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from anyurl.errors import LocalFileError
from anyurl.files.shared import SharedFolder
from tests.world.shared_tree import PATHS_OUT, TEXT, make

pytestmark = pytest.mark.promise("shared-folder")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[SharedFolder]:
    with closing(SharedFolder(str(make(tmp_path)))) as folder:
        yield folder


def test_files_and_folders_are_there_and_nothing_else(folder: SharedFolder) -> None:
    listed = folder.names("/")
    assert listed is not None
    assert [(entry.name, entry.is_folder) for entry in listed] == [("sub", True), ("data", False), ("notes.txt", False)]
    assert [entry.name for entry in folder.names("sub/") or ()] == ["gr\u00fc\u00dfe #1.txt"]


@pytest.mark.parametrize("path", ["notes.txt", "/notes.txt"])
def test_a_file_is_opened(folder: SharedFolder, path: str) -> None:
    found = folder.open_file(path)
    assert found is not None
    with found[0] as file:
        assert (file.read(), found[1].size) == (TEXT, len(TEXT))


@pytest.mark.parametrize("path", [*PATHS_OUT, "", "/", "\ud800"])
def test_what_is_not_shared_is_not_there(folder: SharedFolder, path: str) -> None:
    assert folder.open_file(path) is None


@pytest.mark.parametrize("path", ["..", "sub/..", "linked", "linked/", ".git", "notes.txt", "nothing", "sub/../sub"])
def test_no_folder_but_those_below_is_listed(folder: SharedFolder, path: str) -> None:
    assert folder.names(path) is None


def test_a_folder_that_is_none_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for name in ("file", "nothing"):
        with pytest.raises(LocalFileError, match="Serving"):
            SharedFolder(str(tmp_path / name))
