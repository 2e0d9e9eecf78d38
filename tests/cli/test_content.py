"""What of a resource is shown: which octets are a text, and how entries and facts become lines."""

from __future__ import annotations

import pytest

from anyurl import URL
from anyurl.cli import content
from anyurl.dialogue import Entry
from tests.rows import each_row

LISTED = URL("ftp://h/pub/")


def test_entries_are_counted_with_the_sizes_of_documents() -> None:
    entries = [
        Entry("a", URL("ftp://h/a"), kind="document", size=1000),
        Entry("b", URL("ftp://h/b"), kind="document", size=234),
        Entry("c/", URL("ftp://h/c/"), kind="listing", size=4096),  # the size of a folder is none of its content
        Entry("d", URL("ftp://h/d")),
        Entry("a line of a menu", None, size=5),
    ]
    assert content._count(entries) == "4 entries, 1.2 kB"
    assert content._count(entries[3:]) == "1 entry"
    assert content._count([]) == "0 entries"


@each_row(
    ("entry", "place"),
    [
        (Entry("a b", URL("ftp://h/pub/a%20b")), ""),  # it follows from the name
        (Entry("sub", URL("ftp://h/pub/sub/")), ""),
        (Entry("sub/", URL("ftp://h/pub/sub")), ""),
        (Entry("a", URL("ftp://h/pub/b")), "ftp://h/pub/b"),
        (Entry("a", URL("ftp://h/other/a")), "ftp://h/other/a"),
        (Entry("a", URL("ftp://h/pub/a"), title="A title"), "ftp://h/pub/a"),
        (Entry("x", URL("ftp://h/pub/a"), title="a"), ""),
        (Entry("a", URL("ftp://u:secret@h/a")), "ftp://u:***@h/a"),
        (Entry("a", None), ""),
    ],
)
def test_the_place_of_an_entry_is_told_where_nobody_can_tell_it(entry: Entry, place: str) -> None:
    assert content._place(entry, LISTED) == place


@pytest.mark.parametrize(
    ("entry", "person", "program"),
    [
        (
            Entry("a", None, kind="document", size=15_679, modified=787_881_600.0),
            ["document", "15.7 kB", "1994-12-20 00:00", "a"],
            ["document", "15679", "1994-12-20T00:00:00Z", "a"],
        ),
        (Entry("a", None), ["", "", "", "a"], ["", "", "", "a"]),
        (Entry("a", None, size=0), ["", "0 B", "", "a"], ["", "0", "", "a"]),
        (Entry("sub", None, kind="listing"), ["listing", "", "", "sub/"], ["listing", "", "", "sub"]),
        (Entry("sub/", None, kind="listing"), ["listing", "", "", "sub/"], ["listing", "", "", "sub/"]),
        (
            Entry("sub", None, kind="listing", title="sub (at h)"),
            ["listing", "", "", "sub/ (at h)"],
            ["listing", "", "", "sub (at h)"],
        ),
        (
            Entry(
                "comp.x", None, kind="listing", title="About x"
            ),  # the description of a newsgroup is no folder's name
            ["listing", "", "", "About x"],
            ["listing", "", "", "About x"],
        ),
    ],
)
def test_the_columns_of_an_entry(entry: Entry, person: list[str], program: list[str]) -> None:
    assert content._row(entry, is_read=True) == person
    assert content._row(entry, is_read=False) == program


def test_the_rank_of_a_search_result() -> None:
    assert content._rank(Entry("a", None, score=0.5, attributes={"lines": 7})) == ["0.5", "7"]
    assert content._rank(Entry("a", None, score=1000.0)) == ["1000", ""]
    assert content._rank(Entry("a", None)) == ["", ""]


def test_facts_are_told_once_and_in_lines() -> None:
    record: dict[str, object] = {
        "url": "ftp://h/a",
        "size": 12_345,
        "type": None,
        "charset": "utf-8",
        "attributes": {
            "charset": "utf-8",  # shown above
            "empty": "", "none": None, "nothing": [], "no": {},
            "yes": True, "never": False, "zero": 0,
            "words": ["a", None, "b"],
            "table": [{"x": 1, "y": None}, {"x": True}],
        },
        "history": [{"url": "http://h/old", "reason": "301"}],
    }  # fmt: skip
    assert list(content._facts(record)) == [
        ("url", "ftp://h/a"),
        ("size", "12,345"),
        ("charset", "utf-8"),
        ("  yes", "yes"),
        ("  never", "no"),
        ("  zero", "0"),
        ("  words", "a, b"),
        ("  table", "x=1, y"),
        ("", "x=yes"),
        ("came from", "http://h/old (301)"),
    ]
