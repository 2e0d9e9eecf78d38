"""What is remembered for one person, in memory and in files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyurl.files import lock
from anyurl.url import URL
from anyurl.values import STRANGER, USER, Provenance
from anyurl.web import visits
from anyurl.web.visits import MAX_TITLE, MAX_VISITS, PageList, Visits
from anyurl.world import World
from tests.servers import Connection, Server
from tests.web.running import running
from tests.web.test_browse import page


def titles(pages: PageList) -> list[str]:
    return [one.title for one in pages.latest()]


def test_the_newest_is_first_and_the_oldest_is_forgotten() -> None:
    pages = PageList(None, MAX_VISITS)
    for number in range(MAX_VISITS + 2):
        pages.add(f"t{number}", URL(f"http://h/{number}"), USER)
    pages.add("again", URL("http://h/5"), USER)
    latest = titles(pages)
    assert (len(latest), latest[0], latest[1], latest[-1]) == (MAX_VISITS, "again", f"t{MAX_VISITS + 1}", "t2")


@pytest.mark.promise("passwords")
def test_they_are_kept_for_this_user_alone_and_without_a_password(tmp_path: Path) -> None:
    place = tmp_path / "state" / "anyurl"
    before = os.umask(0)
    try:
        first = Visits(str(place))
        first.history.add("x" * (MAX_TITLE + 1), URL("ftp://joe:s3cret@h/a"), USER)
        first.history.add("led", URL("http://b/"), STRANGER)
        first.bookmarks.add("mine", URL("gopher://h/"), USER)
    finally:
        os.umask(before)
    assert {path.name: path.stat().st_mode & 0o777 for path in place.iterdir()} == {
        "bookmarks": 0o600,
        "history": 0o600,
    }
    assert place.stat().st_mode & 0o777 == 0o700
    assert "s3cret" not in (place / "history").read_text()
    again = Visits(str(place))
    assert [(one.title, str(one.url), one.origin.own) for one in again.history.latest()] == [
        ("led", "http://b/", False), ("x" * MAX_TITLE, "ftp://joe@h/a", True),
    ]  # fmt: skip
    again.history.clear()
    again.bookmarks.remove(URL("gopher://h/"))
    assert (titles(PageList(str(place / "history"), 9)), titles(PageList(str(place / "bookmarks"), 9))) == ([], [])


def test_two_gateways_share_them(tmp_path: Path) -> None:
    one, other = (PageList(str(tmp_path / "bookmarks"), 9) for _ in range(2))
    named = Provenance("document", scheme="http", host="h.example", port=80)
    one.add("a", URL("http://a/"), named)
    other.add("b", URL("http://b/"), USER)
    one.add("c", URL("http://c/"), USER)
    assert titles(one) == ["c", "b", "a"]
    assert one.latest()[-1].origin == named  # in the sitting that knows it


def test_a_page_that_is_shown_waits_for_no_disk_and_reads_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that another gateway has written is read; a bookmark is on the disk when it is said to be kept."""
    waited: list[int] = []
    read: list[str] = []

    def counted(text: str) -> URL:
        read.append(text)
        return URL(text)

    monkeypatch.setattr(os, "fsync", waited.append)
    monkeypatch.setattr(visits, "from_stored", counted)
    mine = Visits(str(tmp_path))
    for name in "abc":
        mine.history.add(name, URL(f"http://{name}/"), USER)
    assert (waited, read) == ([], [])
    Visits(str(tmp_path)).history.add("d", URL("http://d/"), USER)
    read.clear()
    mine.history.add("e", URL("http://e/"), USER)
    assert read == ["http://a/", "http://b/", "http://c/", "http://d/"]
    assert titles(mine.history) == ["e", "d", "c", "b", "a"]
    mine.bookmarks.add("f", URL("http://f/"), USER)
    assert len(waited) == 1


def test_a_history_grows_at_its_end_and_is_short_again(tmp_path: Path) -> None:
    file = tmp_path / "history"
    pages = PageList(str(file), 3, waits=False)
    sizes = []
    for number in (1, 2, 1, 3, 4, 5, 6, 7):
        pages.add(f"t{number}", URL(f"http://h/{number}"), USER)
        sizes.append(len(file.read_bytes().splitlines()))
        assert titles(PageList(str(file), 3)) == titles(pages)
    assert sizes == [1, 2, 3, 4, 5, 6, 3, 4]
    assert titles(pages) == ["t7", "t6", "t5"]
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_line_that_a_power_failure_cut_off_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "history"
    pages = PageList(str(file), 9, waits=False)
    for name in "ab":
        pages.add(name, URL(f"http://{name}/"), USER)
    for cut in range(1, 40):
        whole = file.read_bytes()
        file.write_bytes(whole[:-cut])
        after = PageList(str(file), 9, waits=False)
        assert (titles(after), after.fault) == (["a"], "")
        file.write_bytes(whole)
    file.write_bytes(file.read_bytes()[:-5])
    after.add("c", URL("http://c/"), USER)
    assert titles(PageList(str(file), 9)) == ["c", "a"]


def test_two_gateways_lose_none_of_one_anothers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the other writes when the first has read the file, and not written it yet, waits."""
    one, other = (PageList(str(tmp_path / "bookmarks"), 9) for _ in range(2))
    monkeypatch.setattr(lock, "LOCK_TRIES", 1)
    read = one._read

    def meanwhile() -> None:
        read()
        other.add("b", URL("http://b/"), USER)

    monkeypatch.setattr(one, "_read", meanwhile)
    one.add("a", URL("http://a/"), USER)
    assert other.fault == f"{tmp_path / 'bookmarks'} can't be written: another process keeps it locked."
    assert titles(other) == ["b"]  # in memory
    assert titles(PageList(str(tmp_path / "bookmarks"), 9)) == ["a"]


def test_without_a_history_no_file_has_one(tmp_path: Path) -> None:
    visits = Visits(str(tmp_path), keeps_history=False)
    visits.history.add("a", URL("http://a/"), USER)
    assert (titles(visits.history), list(tmp_path.iterdir())) == (["a"], [])


@pytest.mark.parametrize(
    "content", [b"my diary", b"[1]\n", b'{"title": "x", "url": "http://[/", "own": true}\n', b"\xff", b"[" * 99_999]
)
def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "history"
    file.write_bytes(content)
    pages = PageList(str(file), 9)
    pages.add("a", URL("http://a/"), USER)
    assert (titles(pages), file.read_bytes()) == (["a"], content)
    assert pages.fault == f"{file} does not hold pages: it is left unchanged."


def test_what_can_not_be_kept_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    pages = PageList(str(tmp_path / "file" / "history"), 9)
    assert "can't be read" in pages.fault
    (tmp_path / "history").mkdir()
    assert "can't be read" in PageList(str(tmp_path / "history"), 9).fault


def test_the_start_page_of_the_next_day(tmp_path: Path, world: World) -> None:
    """What a page led to is a stranger's then: it was never the person's own word."""

    def play(link: Connection) -> None:
        link.head()
        link.send(page(f'<a href="{world.urls["gopher"]}">the text</a>', "Content-Type: text/html"))

    with Server(play) as there:
        with running(visits=Visits(str(tmp_path)), **world.settings) as browser:
            named = browser.go(f"http://127.0.0.1:{there.port}/x")
            led = browser.get(named.links[str(world.urls["gopher"])])
            assert browser.post("keep", {**led.form("keep"), "key": "guessed"}).status == 403
            assert browser.post("keep", led.form("keep")).headers["location"] == browser.base
            browser.post("keep", named.form("keep"))
        with running(visits=Visits(str(tmp_path)), **world.settings) as browser:
            start = browser.get("")
            assert all(f"<h2>{head}</h2>" in start.text for head in ("Bookmarks", "Recently visited"))
            assert browser.get(start.links["x"]).status == 200
            refused = browser.get(start.links[led.title])
            assert (refused.status, refused.title) == (403, "Refused")
            browser.post("clear", {})
            browser.post("forget", start.form("forget"))
            start = browser.get("")
            assert ("Recently visited" in start.text, start.text.count("/forget")) == (False, 1)
