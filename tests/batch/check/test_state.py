"""State: URLs once, results by number, and whose file it is."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from anyurl import LocalFileError
from anyurl.batch.check.outcome import OK, OUTCOMES, Finding
from anyurl.batch.check.state import OPEN, PAGE, READ, STAT, CheckItem, CheckState, Mention
from anyurl.grammar import parse
from anyurl.url import URL
from anyurl.values import USER, Provenance

DOCUMENT = Provenance("document")
ALL = (STAT, READ)
BROKEN = Finding("broken", 404, "NotFoundError", "No.")


def opened(path: Path | None = None, work: str = "w", **options: object) -> CheckState:
    given: dict[str, object] = {"resume": False, "now": 1000.0, **options}
    return CheckState(None if path is None else str(path), work, **given)  # type: ignore[arg-type]


def todo(state: CheckState, ways: tuple[int, int] = ALL) -> list[int]:
    return [item.number for item in state.todo(ways)]


def test_a_url_stands_in_it_once_for_each_who_named_it() -> None:
    state = opened()
    one = state.add(URL("http://h/#a"), DOCUMENT, STAT)
    assert state.add(URL("http://h/#b"), DOCUMENT, STAT) == one
    other = state.add(URL("http://h/"), Provenance("document", scheme="http", host="h", port=80), STAT)
    assert other != one  # the policy may say yes to the one and no to the other
    assert [(str(item.url), item.origin.host) for item in state.todo(ALL)] == [
        ("http://h/", None),
        ("http://h/", "h"),
    ]
    state.close()


def test_what_the_caller_named_is_the_callers() -> None:
    state = opened()
    own = state.add(URL("http://u:secret@h/"), USER, STAT)
    assert state.add(URL("http://u@h/"), DOCUMENT, READ) == own
    (item,) = state.todo((READ, READ))
    assert (item.origin, item.url.password) == (USER, "secret")
    state.close()


def test_what_the_caller_names_later_is_the_callers_from_then_on() -> None:
    state = opened()
    known = state.add(URL("http://h/"), DOCUMENT, STAT)
    assert state.add(URL("http://h/"), DOCUMENT, READ) == known
    assert todo(state, (READ, READ)) == [known]
    own = state.add(URL("http://h/"), USER, STAT)
    assert state.add(URL("http://h/"), DOCUMENT, STAT) == own != known
    state.close()


@pytest.mark.parametrize("name", ["a?#%41", "file:a"])
def test_any_name_is_that_of_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    opened(Path(name)).close()
    assert [each.name for each in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).stat().st_size > 0


def test_a_password_is_never_written(tmp_path: Path) -> None:
    state = opened(tmp_path / "s")
    state.add(URL("http://u:secret@h/"), USER, STAT)
    state.add(URL("http://u:secret@h/"), DOCUMENT, STAT)
    state.read_to_end()
    state.close()
    assert [path.name for path in tmp_path.iterdir() if b"secret" in path.read_bytes()] == []


def test_what_is_recorded_is_not_to_do() -> None:
    state = opened()
    first, second = (state.add(URL(f"http://h/{name}"), DOCUMENT, STAT) for name in "ab")
    state.record([(second, STAT, BROKEN)], 1001)
    assert todo(state) == [first]
    assert state.counts()["broken"] == 1
    assert [(number, str(url), finding) for number, url, finding in state.results()] == [(second, "http://h/b", BROKEN)]
    assert list(state.results(("ok",))) == []
    state.add(URL("http://h/b"), DOCUMENT, READ)  # what is not there is not asked for its content
    assert todo(state) == [first]
    state.record([(second, STAT, Finding("ok"))], 1001)
    assert todo(state) == [first, second]  # more is wanted of it than was asked for
    assert todo(state, (OPEN, READ)) == [second]
    assert [item.is_known for item in state.todo((STAT, READ))] == [False, True]
    state.close()


def test_a_redirection_is_kept_as_it_was() -> None:
    state = opened()
    number = state.add(URL("http://h/"), DOCUMENT, STAT)
    finding = Finding("redirected", 301, None, "It has moved.", "http://there/", True)
    state.record([(number, STAT, finding)], 1001)
    assert [each for _, _, each in state.results()] == [finding]
    state.close()


def test_places_and_fragments() -> None:
    state = opened()
    number = state.add(URL("http://h/"), DOCUMENT, STAT)
    places = [Mention("b", 1, 2, "x"), Mention("a", 3, 4), Mention("a", 3, 9, "y")]
    for place in (*places, places[0]):
        state.place(number, place)
    assert state.places(number) == places
    assert state.places(number, 1) == places[:1]
    assert state.fragments(number) == {"x", "y"}
    assert (state.count_lacking(), list(state.lacking())) == (0, [])
    state.miss(number, ["x"])
    assert state.missing(number) == {"x"}
    assert state.count_lacking() == 1
    assert [(each, str(url)) for each, url in state.lacking()] == [(number, "http://h/")]
    state.close()


def test_a_name_that_is_no_text() -> None:
    state = opened()
    number = state.add(URL("http://h/"), DOCUMENT, STAT)
    state.place(number, Mention("a\udcff.md", 1, 1))
    assert state.places(number) == [Mention("a\udcff.md", 1, 1)]
    state.close()


def hosts(state: CheckState, after: CheckItem | None = None) -> str:
    """The hosts of what is to do, in order; each has a name of one letter."""
    return "".join(item.url.host or "" for item in state.todo(ALL, after))


def test_hosts_take_turns_also_after_a_restart(tmp_path: Path) -> None:
    state = opened(tmp_path / "s")
    numbers = [
        state.add(URL(f"http://{host}/{n}"), DOCUMENT, STAT) for host in "abc" for n in range(3 - "abc".index(host))
    ]
    state.add(URL("http://a/0"), DOCUMENT, STAT)  # it has its turn
    assert hosts(state) == "abcaba"
    state.record([(numbers[0], STAT, OK)], 0)
    state.read_to_end()
    state.close()
    state = opened(tmp_path / "s", resume=True)
    assert hosts(state) == "bcaba"
    state.add(URL("http://d/"), DOCUMENT, STAT)
    state.add(URL("http://b/2"), DOCUMENT, STAT)
    assert hosts(state) == "bcabadb"
    state.finish()
    state.close()
    state = opened(tmp_path / "s")  # the next check, with another list
    for url in ("http://b/1", "http://b/0", "http://c/0"):
        state.add(URL(url), DOCUMENT, STAT)
    assert [str(item.url) for item in state.todo(ALL)] == ["http://b/1", "http://c/0", "http://b/0"]
    state.close()


def test_what_is_found_meanwhile_is_not_passed_over() -> None:
    state = opened()
    for number in range(PAGE + 1):
        state.add(URL(f"http://a/{number}"), DOCUMENT, STAT)
    state.add(URL("http://c/1"), DOCUMENT, STAT)
    items = state.todo(ALL)
    state.add(URL("http://b/"), DOCUMENT, STAT)  # the first turn is over, and so is the second one of c
    state.add(URL("http://c/2"), DOCUMENT, STAT)
    assert hosts(state, items[-1]) == "bcaa"
    state.close()


def test_a_url_in_several_notations_is_requested_once_as_it_was_written_first() -> None:
    state = opened()
    notations = ("HTTP://H", "http://h/", "http://h:80/#x", "http://h/./", "http://h/%2e/")
    assert len({state.add(URL(url), DOCUMENT, STAT) for url in notations}) == 1
    (item,) = state.todo(ALL)
    assert str(item.url) == "HTTP://H"
    state.record([(item.number, STAT, BROKEN)], 0)
    state.place(item.number, Mention("f"))
    assert [str(url) for _, url, _ in state.results()] == ["HTTP://H"]
    assert [str(row[1]) for row in state.rows(("broken",))] == ["HTTP://H"]
    for url in ("file:///a/../b", "file:///b", "ftp://h/a/../b", "ftp://h/b"):
        state.add(URL(url), DOCUMENT, STAT)  # these may lead elsewhere
    assert len(state.todo(ALL)) == 4
    state.close()


def test_a_host_has_a_budget() -> None:
    state = opened()
    assert [state.is_within("h", 2) for _ in range(3)] == [True, True, False]
    assert state.is_within("i", 2)
    state.close()


def test_a_check_that_broke_off_goes_on(tmp_path: Path) -> None:
    state = opened(tmp_path / "s")
    numbers = [state.add(URL(f"http://h/{name}"), DOCUMENT, STAT) for name in "abc"]
    state.read_to_end()
    state.record([(numbers[1], STAT, OK)], 1001)
    state.add(URL("http://h/d"), DOCUMENT, STAT)
    state.close()  # as a kill would have it: the last one was not brought to the file
    with pytest.raises(LocalFileError, match="resume=True continues it"):
        opened(tmp_path / "s")
    state = opened(tmp_path / "s", resume=True, now=9000.0)
    assert state.is_read
    assert state.goes_on
    assert state.counts()["ok"] == 1
    assert todo(state) == [numbers[0], numbers[2]]
    state.finish()
    state.close()


def test_a_new_check_asks_for_all_or_for_what_is_old(tmp_path: Path) -> None:
    def recorded(now: float, *findings: Finding, **options: float) -> list[int]:
        state = opened(tmp_path / "s", now=now, **options)
        numbers = [state.add(URL(f"http://h/{name}"), DOCUMENT, STAT) for name in "ab"]
        left = todo(state)
        assert sum(state.counts().values()) == 2 - len(left)
        state.record([(number, STAT, each) for number, each in zip(numbers, findings, strict=False)], now)
        state.finish()
        state.close()
        return left

    assert recorded(1000.0, OK, BROKEN) == [1, 2]
    assert recorded(1000.0, OK, BROKEN) == [1, 2]
    assert recorded(1060.0, max_age=100.0) == [2]  # what was broken may have been mended
    assert recorded(1101.0, max_age=100.0) == [1, 2]


def test_a_new_check_counts_and_finds_places_anew(tmp_path: Path) -> None:
    for _ in range(2):
        state = opened(tmp_path / "s")
        number = state.add(URL("http://h/"), DOCUMENT, STAT)
        assert (state.places(number), state.missing(number), state.count_lacking()) == ([], set(), 0)
        assert [state.is_within("h", 1) for _ in range(2)] == [True, False]
        state.place(number, Mention("a", 1, 1, "x"))
        state.miss(number, ["x"])
        state.read_to_end()
        state.finish()
        state.close()
    base = sqlite3.connect(tmp_path / "s")
    assert base.execute("SELECT count(*) FROM files").fetchone() == (1,)
    base.close()


def test_another_work_list_is_refused(tmp_path: Path) -> None:
    opened(tmp_path / "s", "one").close()
    with pytest.raises(LocalFileError, match="belongs to another check"):
        opened(tmp_path / "s", "other")


@pytest.mark.parametrize("content", [b"not a database at all, " * 99, b"SQLite format 3\0" + b"\xff" * 4096, b"x"])
def test_what_is_no_state_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(LocalFileError, match="is not the state of a check, or is damaged"):
        opened(path, resume=True)
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["s"]


def test_another_programs_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "s"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE mine (x)")
    base.close()
    path.chmod(0o600)
    before = path.read_bytes()
    with pytest.raises(LocalFileError, match="is not the state of a check"):
        opened(path)
    assert path.read_bytes() == before


def test_another_version_is_refused(tmp_path: Path) -> None:
    opened(tmp_path / "s").close()
    base = sqlite3.connect(tmp_path / "s")
    base.execute("UPDATE about SET version = 99")
    base.commit()
    base.close()
    with pytest.raises(LocalFileError, match="another version of anyurl"):
        opened(tmp_path / "s", resume=True)


def test_a_file_that_others_may_have_written_is_refused(tmp_path: Path) -> None:
    opened(tmp_path / "s").close()
    (tmp_path / "s").chmod(0o644)
    with pytest.raises(LocalFileError, match=r"others may have written it, as its mode is not 600"):
        opened(tmp_path / "s", resume=True)


def test_two_at_once(tmp_path: Path) -> None:
    state = opened(tmp_path / "s")
    with pytest.raises(LocalFileError, match="Another process is working on"):
        opened(tmp_path / "s", resume=True)
    state.close()


def test_no_room(tmp_path: Path) -> None:
    state = opened(tmp_path / "s")
    state._do("PRAGMA max_page_count = 20")
    urls = [URL(f"http://h/{number}") for number in range(5000)]
    with pytest.raises(LocalFileError, match="can't be read or written"):
        any(state.add(url, DOCUMENT, STAT) < 0 for url in urls)
    with pytest.raises(LocalFileError, match="can't be read or written"):
        state.miss(1, [f"fragment-{number}" for number in range(5000)])
    state.close()


def test_a_url_is_read_again_by_its_grammar() -> None:
    """One text, two hosts: what is asked for, and what is reported, is the one that was given."""
    text = "https://127.0.0.1?@allowed.example/x"
    state = opened()
    one, other = (state.add(parse(text, grammar), USER, STAT) for grammar in ("rfc1738", "current"))
    assert one != other
    assert [item.url.host for item in state.todo(ALL)] == ["allowed.example", "127.0.0.1"]
    state.record([(one, STAT, BROKEN), (other, STAT, BROKEN)], 1000.0)
    assert [url.host for _, url, _ in state.results()] == ["allowed.example", "127.0.0.1"]
    state.miss(one, ["f"])
    assert [url.host for _, url in state.lacking()] == ["allowed.example"]
    state.close()


def test_a_state_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LocalFileError, match=r"state can't be written: no such file or directory\.$"):
        CheckState(str(tmp_path / "none" / "state"), "w", resume=False, now=0.0)


@pytest.mark.parametrize(
    "finding",
    [
        Finding("ok"),
        Finding("ok", 200),
        Finding("broken", 404, "NotFoundError", "No."),
        Finding("redirected", 301, None, "", "http://h/there", True),
        Finding("redirected", 302, None, "Elsewhere.", "http://h/there", False),
        Finding("timed-out", None, "TimeoutError", "Late."),
    ],
)
def test_a_finding_comes_back_as_it_was_recorded(finding: Finding) -> None:
    state = opened()
    number = state.add(URL("http://h/"), DOCUMENT, STAT)
    assert (state.count(), [*state.results()]) == (1, [])
    state.record([(number, STAT, finding)], 1001.0)
    ((found, url, told),) = state.results()
    assert (found, str(url), told) == (number, "http://h/", finding)
    assert [*state.results({finding.outcome})] == [*state.results()]
    assert [*state.results(set(OUTCOMES) - {finding.outcome})] == []
    assert state.counts() == {name: int(name == finding.outcome) for name in OUTCOMES}
    state.close()


def test_who_named_a_url_is_known_again_however_many_there_are() -> None:
    state = opened()
    origins = [Provenance("document", scheme="http", host=f"h{number}", port=80) for number in range(PAGE + 100)]
    for origin in origins:
        state.add(URL("http://h/"), origin, STAT)
    found, after = [], None
    while items := state.todo(ALL, after):
        found += [item.origin for item in items]
        after = items[-1]
        assert len(state._known) <= PAGE
    assert found == origins
    state.close()
