"""The worklist of a mirror: each URL and each name once, and what is left when a process ends."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from anyurl import URL, LocalFileError, parse
from anyurl.saving.tree import fold
from anyurl.saving.worklist import AT_ONCE, NAME, Worklist
from anyurl.values import STRANGER, USER

ROOT = URL("ftp://bob:s3cret@h/d/")


def add(work: Worklist, url: str, local: str) -> str | None:
    return work.add(URL(url), STRANGER, local, "document", 5, 7.0, 1)


def test_each_url_once_and_each_name_once(tmp_path: Path) -> None:
    work = Worklist(str(tmp_path), ROOT)
    assert add(work, "ftp://h/d/a.txt", "a.txt") == "a.txt"
    assert add(work, "ftp://h/d/a.txt", "a.txt") is None
    other = add(work, "ftp://h/d/A.TXT", "A.TXT")
    assert other is not None
    assert fold(other) != fold("a.txt")
    assert other.startswith("A-")
    assert other.endswith(".TXT")
    work.close()


def test_a_list_that_was_ended_before_its_root_was_in_it_is_new(tmp_path: Path) -> None:
    Worklist(str(tmp_path), ROOT).close()
    work = Worklist(str(tmp_path), ROOT)
    assert work.is_new
    add(work, str(ROOT), "")
    work.close()
    work = Worklist(str(tmp_path), ROOT)
    assert not work.is_new
    work.close()


def test_another_name_stays_in_its_folder(tmp_path: Path) -> None:
    work = Worklist(str(tmp_path), ROOT)
    assert add(work, "ftp://h/d/v1.0/readme", "v1.0/readme") == "v1.0/readme"
    second = add(work, "ftp://h/d/v1.0/README", "v1.0/README")
    assert second is not None
    assert second.startswith("v1.0/README-")
    work.close()


def test_a_piece_of_a_listing_is_noted_at_once_and_says_what_add_says(tmp_path: Path) -> None:
    def row(name: str, local: str) -> Any:
        return URL(f"ftp://bob:s3cret@h/d/{name}"), STRANGER, local, "document", 5, 7.0, 1

    work = Worklist(str(tmp_path), ROOT)
    assert work.add_all([]) == []
    assert work.add_all([row("a", "a"), row("b", "b")]) == ["a", "b"]
    first, again, taken, last = work.add_all([row("c", "c"), row("a", "a"), row("x", "B"), row("d", "d")])
    assert (first, again, last) == ("c", None, "d")
    assert taken is not None
    assert taken.startswith("B-")
    found = []
    while (item := work.next()) is not None:
        found.append((str(item.url), item.local))
    assert found == [(f"ftp://bob:s3cret@h/d/{name}", local) for name, local in
                     [("a", "a"), ("b", "b"), ("c", "c"), ("x", taken), ("d", "d")]]  # fmt: skip
    work.close()
    assert all(b"s3cret" not in path.read_bytes() for path in tmp_path.iterdir())


def test_it_says_again_what_it_was_told_but_a_password(tmp_path: Path) -> None:
    work = Worklist(str(tmp_path), ROOT)
    work.add(URL("ftp://bob:s3cret@h/d/x"), USER, "x", "document", 5, 7.5, 3)
    item = work.next()
    assert item is not None
    assert (str(item.url), item.origin, item.local, item.kind) == ("ftp://bob:s3cret@h/d/x", USER, "x", "document")
    assert (item.size, item.modified, item.depth, item.tries) == (5, 7.5, 3, 0)
    assert work.next() is None
    work.close()
    assert all(b"s3cret" not in path.read_bytes() for path in tmp_path.iterdir())


def test_what_was_begun_is_known_to_who_comes_next(tmp_path: Path) -> None:
    work = Worklist(str(tmp_path), ROOT)
    assert work.is_new
    for name in ("a", "b", "c"):
        add(work, f"ftp://h/d/{name}", name)
    first, second = work.next(), work.next()
    assert first is not None
    assert second is not None
    work.name(second, "b", lambda _: "before")
    work.done(first, "5 7")
    work.close()
    work = Worklist(str(tmp_path), ROOT)
    assert not work.is_new
    assert [(item.local, item.before) for item in work.begun()] == [("b", "before"), ("c", None)]
    assert [(item.local, mark) for item, mark in work.saved()] == [("a", "5 7")]
    work.again(work.begun()[1], failed=False)
    third = work.next()
    assert third is not None
    assert (third.local, third.tries) == ("c", 0)
    work.again(third)
    again = work.next()
    assert again is not None
    assert (again.local, again.tries) == ("c", 1)
    work.finish()
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_what_was_saved_is_known_to_the_next_run_of_the_same_mirror_only(tmp_path: Path) -> None:
    work = Worklist(str(tmp_path), ROOT)
    for name in ("a", "b", "c"):
        add(work, f"ftp://h/d/{name}", name)
    for mark in ("5 7", None, "6 8"):
        item = work.next()
        assert item is not None
        assert work.own(item.local) == (None, None)
        work.done(item, mark, 9.5 if mark == "6 8" else None, told_by_file=True)
    work.together()
    work.written()
    assert [mark for _, mark in work.saved()] == ["5 7", "6 8"]
    work.finish()
    for _ in range(2):
        again = Worklist(str(tmp_path), ROOT)
        assert again.is_new
        assert again.next() is None
        assert [again.own(name) for name in ("a", "b", "c")] == [("5 7", None), (None, None), ("6 8", 9)]
        again.finish()
    other = Worklist(str(tmp_path), URL("ftp://h/e/"))
    assert other.own("a") == (None, None)
    other.finish()


@pytest.mark.parametrize("name", ["a", "a?#%41", "file:a"])
def test_a_dry_run_reads_the_record_of_the_same_mirror_and_writes_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def own(root: URL = ROOT) -> tuple[object, object]:
        with closing(Worklist(name, root, dry=True)) as one:
            return one.own("a")

    monkeypatch.chdir(tmp_path)
    assert own() == (None, None)
    Path(name).mkdir()
    assert own() == (None, None)
    work = Worklist(name, ROOT)
    add(work, "ftp://h/d/a", "a")
    item = work.next()
    assert item is not None
    work.done(item, "5 7", 9)
    assert own() == (None, None)  # it has not ended, and is in use
    work.finish()
    before = [(path.name, path.read_bytes()) for path in Path(name).iterdir()]
    dry = Worklist(name, ROOT, dry=True)
    assert (dry.is_new, dry.own("a")) == (True, ("5 7", 9))
    assert own(URL("ftp://h/e/")) == (None, None)
    dry.finish()
    assert [(path.name, path.read_bytes()) for path in Path(name).iterdir()] == before
    assert not list(tmp_path.glob("*-*"))


def test_a_dry_run_refuses_the_record_that_the_run_would_refuse(tmp_path: Path) -> None:
    list_ = tmp_path / NAME
    list_.write_bytes(b"no list" * 1000)
    list_.chmod(0o600)
    for dry in (False, True):
        with pytest.raises(LocalFileError, match="is not the work list of a mirror"):
            Worklist(str(tmp_path), ROOT, dry=dry)
    list_.chmod(0o644)
    for dry in (False, True):
        with pytest.raises(LocalFileError, match="others may have written it"):
            Worklist(str(tmp_path), ROOT, dry=dry)
    list_.write_bytes(b"")
    list_.chmod(0o600)
    Worklist(str(tmp_path), ROOT, dry=True).close()


def test_a_mirror_that_saved_nothing_leaves_nothing(tmp_path: Path) -> None:
    work = Worklist(str(tmp_path), ROOT)
    add(work, "ftp://h/d/a", "a")
    item = work.next()
    assert item is not None
    work.done(item)
    work.finish()
    assert list(tmp_path.iterdir()) == []


def test_what_its_file_tells_is_noted_later_and_by_the_end_at_the_latest(tmp_path: Path) -> None:
    work = Worklist(str(tmp_path), ROOT)
    for number in range(AT_ONCE + 5):
        add(work, f"ftp://h/d/{number}", f"{number}")
    while (item := work.next(lambda _local: "")) is not None:
        assert item.before == ""
        work.done(item, "5 7", told_by_file=True)
        if item.number == AT_ONCE:
            assert len(list(work.saved())) == AT_ONCE
    assert len(list(work.saved())) == AT_ONCE
    work.close()
    work = Worklist(str(tmp_path), ROOT)
    assert len(list(work.saved())) == AT_ONCE + 5
    assert work.begun() == []
    work.finish()


def test_a_url_is_read_again_by_its_grammar(tmp_path: Path) -> None:
    """One text, two hosts: a mirror must not go where another grammar finds its host."""
    texts = "https://127.0.0.1?@allowed.example/d/", "https://127.0.0.1?@allowed.example/d/x"
    root, child = (parse(text, "rfc1738") for text in texts)
    work = Worklist(str(tmp_path), root)
    assert work.add(child, STRANGER, "x", "document", None, None, 1) == "x"
    other = work.add(URL(texts[1]), STRANGER, "x", "document", None, None, 1)
    assert other not in (None, "x")
    assert work.add(child, STRANGER, "x", "document", None, None, 1) is None
    work.close()
    again = Worklist(str(tmp_path), root)
    items = [again.next(), again.next()]
    assert [item.url.host for item in again.begun()] == ["allowed.example", "127.0.0.1"]
    assert [item and item.url for item in items] == [child, URL(texts[1])]
    again.close()
    with pytest.raises(LocalFileError, match="an unfinished mirror of rfc1738 https:"):
        Worklist(str(tmp_path), URL(texts[0]))


def test_the_disk_is_waited_for_while_it_is_in_use_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    connect = sqlite3.connect

    def traced(*values: Any, **given: Any) -> sqlite3.Connection:
        base: sqlite3.Connection = connect(*values, **given)
        base.set_trace_callback(said.append)
        return base

    def waits_at(what: str) -> bool:
        """Whether SQLite flushed when it was told this last."""
        last = max(place for place, one in enumerate(said) if what in one)
        return [one for one in said[:last] if one.startswith("PRAGMA sync")][-1:] != ["PRAGMA synchronous = OFF"]

    monkeypatch.setattr(sqlite3, "connect", traced)
    work = Worklist(str(tmp_path), ROOT)
    assert not waits_at("PRAGMA journal_mode")
    assert not waits_at("CREATE TABLE")
    add(work, "ftp://h/d/a.txt", "a.txt")
    assert waits_at("INSERT INTO work")
    work.close()
    said.clear()
    again = Worklist(str(tmp_path), ROOT)
    assert waits_at("PRAGMA journal_mode")
    again.finish()
    assert said[-1] == "PRAGMA synchronous = OFF"
    assert not list(tmp_path.iterdir())


def test_where_no_list_can_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LocalFileError, match=f"{NAME} can't be written: "):
        Worklist(str(tmp_path / "file"), ROOT)
    with pytest.raises(LocalFileError, match=f"{NAME} can't be written: "):
        Worklist(str(tmp_path / "none"), ROOT)


@pytest.mark.parametrize("mode", [0o600 | other for other in (0, 0o1, 0o2, 0o4, 0o10, 0o20, 0o40)])
def test_a_list_that_others_may_read_or_write_is_not_taken_up(tmp_path: Path, mode: int) -> None:
    (tmp_path / NAME).touch()
    (tmp_path / NAME).chmod(mode)
    if mode == 0o600:
        Worklist(str(tmp_path), ROOT).close()
        return
    with pytest.raises(LocalFileError, match="Resuming") as caught:
        Worklist(str(tmp_path), ROOT)
    assert "can't be written" not in str(caught.value)
