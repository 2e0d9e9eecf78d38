"""A file that several processes write: one after the other, and no one for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl.errors import LocalFileError
from anyurl.files import lock
from anyurl.files.lock import alone


def test_who_writes_meanwhile_is_waited_for_and_not_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "LOCK_TRIES", 2)
    monkeypatch.setattr(lock, "LOCK_NAP", 0.0)
    path = str(tmp_path / "new" / "file")
    with alone(path), pytest.raises(LocalFileError, match="another process keeps it locked"), alone(path):
        pass
    with alone(path):
        pass


def test_a_file_that_was_replaced_while_it_was_waited_for_is_not_the_one_to_be_locked(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    with path.open("r+b") as file:
        (tmp_path / "new").touch()
        (tmp_path / "new").replace(path)
        assert not lock._lock(file.fileno(), str(path))
    with path.open("r+b") as file:
        assert lock._lock(file.fileno(), str(path))
        path.unlink()
        assert not lock._lock(file.fileno(), str(path))


def test_where_there_are_no_such_locks_the_folder_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "fcntl", None)
    with alone(str(tmp_path / "new" / "file")):
        assert list((tmp_path / "new").iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(LocalFileError, match="can't be made"), alone(str(tmp_path / "file" / "x")):
        pass


def test_a_file_that_is_made_is_ours_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with alone(str(path)):
        assert [each.stat().st_mode & 0o7777 for each in tmp_path.iterdir()] == [0o600]


def test_what_can_not_be_opened_or_made_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with (
        pytest.raises(LocalFileError, match=r"/folder can't be written: is a directory\.$"),
        alone(f"{tmp_path}/folder"),
    ):
        pass
    (tmp_path / "file").touch()
    with pytest.raises(LocalFileError, match=r"/file can't be made: "), alone(f"{tmp_path}/file/x"):
        pass
