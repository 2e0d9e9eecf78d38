"""The world's files: the tree in a folder of its own, which is gone when it is closed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from anyurl import Client
from anyurl.world import files, tree


def test_each_file_of_the_tree_is_under_its_root() -> None:
    with closing(files.start()) as server, Client() as client:
        assert server.root.scheme == "file"
        assert Path(str(server.root).removeprefix("file://")) == server.folder
        assert str(server.root).endswith("/")
        there = {path.relative_to(server.folder).as_posix() for path in server.folder.rglob("*") if path.is_file()}
        assert there == set(tree.tree())
        for path, data in tree.tree().items():
            assert (server.folder / path).read_bytes() == data
        assert {name: str(url) for name, url in server.urls.items()} == {"file": f"{server.root}motd.txt"}
        with client.get(server.urls["file"]) as resource:
            assert resource.read() == tree.MOTD.encode()
            assert resource.modified == tree.MODIFIED


def test_each_has_a_folder_of_its_own_that_goes_with_it() -> None:
    first, second = files.start(), files.start(7)
    assert first.folder != second.folder
    assert first.folder.name.startswith("anyurl-")
    assert first.folder == first.folder.resolve()
    first.close()
    assert not first.folder.exists()
    assert (second.folder / "motd.txt").exists()
    second.close()
    second.close()  # twice is no error
    assert not second.folder.exists()


def test_a_folder_whose_name_has_other_characters(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    odd = tmp_path / "grün & 100%?#"
    odd.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(odd))
    with closing(files.start()) as server, Client() as client:
        assert "/gr%C3%BCn%20%26%20100%25%3F%23/" in str(server.root)
        with client.get(server.urls["file"]) as resource:
            assert resource.read() == tree.MOTD.encode()
