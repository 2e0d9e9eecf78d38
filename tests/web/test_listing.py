"""Entries as rows."""

from __future__ import annotations

import re

import pytest

from anyurl.dialogue import Entry
from anyurl.url import URL
from anyurl.web.links import Links
from anyurl.web.listing import KINDS, LISTINGS, MEDIA, SORTS, ListingRow, human_date, kind_of, row_of, sort, threaded
from anyurl.web.pages import DATA
from tests.rows import each_row


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, ""), (0.0, "1970-01-01 00:00"), (787_881_600.0, "1994-12-20 00:00"), (1e300, ""), (float("nan"), "")],
)
def test_a_date_for_people(seconds: float | None, text: str) -> None:
    assert human_date(seconds) == text


@each_row(
    ("kind", "type", "word"),
    [("listing", None, "folder"), ("index", None, "search"), ("document", "image/png", "picture"),
     ("document", "text/html", "page"), ("document", "message/rfc822", "message"), (None, None, "document"),
     ("document", "application/gzip", "archive"), ("document", "application/x", "document"), ("form", None, "form"),
     ("service", None, "session"), ("mailbox", "message/rfc822", "mailbox")],
)  # fmt: skip
def test_a_kind_in_a_word(kind: str | None, type: str | None, word: str) -> None:
    assert kind_of(kind, type) == word


@each_row(
    ("url", "word"),
    [
        ("ftp://h/pub/", "folder"),
        ("gopher://h/1/pub", "menu"),
        ("gopher://h/7/search%09words", "results"),
        ("wais://h/base?words", "results"),
        ("news://h/*", "newsgroups"),
        ("news://h/comp.infosystems", "newsgroup"),
        ("nntp://h/comp.infosystems", "newsgroup"),
        ("dict://h/", "list"),
    ],
)
def test_what_a_listing_is_called(url: str, word: str) -> None:
    assert kind_of("listing", None, URL(url)) == word


def test_each_kind_has_its_icon() -> None:
    static = DATA / "static"
    styled = dict(
        re.findall(r"\.i-([a-z]+)::before \{ mask-image: url\(([a-z/.]+)\)", (static / "style.css").read_text("utf-8"))
    )
    icons = {name for name, path in styled.items() if (static / path).is_file()}
    kinds = {*KINDS.values(), *LISTINGS.values(), *MEDIA.values(), *SORTS.values(), "newsgroup", "page", "message"}
    assert {ListingRow("x", "", kind, "", "", "", "").icon for kind in kinds} <= icons


@pytest.mark.parametrize(
    ("type", "media", "word"),
    [
        ("I", "application/octet-stream", "picture"),
        ("s", "application/octet-stream", "sound"),
        ("5", "application/octet-stream", "archive"),
        ("6", "text/x-uuencode", "archive"),
        ("9", "application/octet-stream", "document"),
        ("I", "application/zip", "archive"),  # its name says more
        ("0", "text/plain", "text"),
    ],
)
def test_the_sort_of_a_gopher_item(type: str, media: str, word: str) -> None:
    entry = Entry("x", URL("gopher://h/9x"), kind="document", type=media, attributes={"gopher_type": type})
    assert row_of(entry, Links("/b/")).kind == word


def test_a_row_of_what_a_server_wrote() -> None:
    links, url = Links("/b/"), URL("ftp://h/a")
    entry = Entry("a\u202etxt\x1b", url, kind="document", type="text/plain", size=1234, modified=0.0)
    assert row_of(entry, links) == ListingRow(
        "a\\u202etxt\\x1b",
        links.to("view", url, entry.origin),
        "text",
        "1.2 kB",
        "1,234 octets",
        "1970-01-01 00:00",
        "",
    )
    said = Entry("Welcome", None, attributes={"gopher_type": "i"}, title="Welcome")
    assert row_of(said, links) == ListingRow("Welcome", None, "", "", "", "", "")
    nowhere = Entry("x", None, kind="document", attributes={"gopher_type": "0", "no_url": "its host “\x1b” is none"})
    assert row_of(nowhere, links) == ListingRow("x", None, "", "", "", "", "(no URL: its host “\\x1b” is none)")
    assert row_of(Entry("a\0", None, kind="document"), links).note == "(no URL: its name cannot be part of a URL)"
    hit = Entry("notes.txt", url, title="Notes", score=1000)
    assert row_of(hit, links).note == "Notes (score 1000)"
    article = Entry("raw", url, type="message/rfc822", title="A subject", attributes={"from": "Joe"})
    assert (row_of(article, links).name, row_of(article, links).note) == ("A subject", "Joe")


@pytest.mark.parametrize(
    ("column", "down", "order"),
    [("name", False, "aBc"), ("name", True, "cBa"), ("size", False, "Bca"), ("size", True, "acB"),
     ("date", False, "Bac"), ("kind", False, "Bca")],
)  # fmt: skip
def test_the_order_of_a_column(column: str, down: bool, order: str) -> None:
    url = URL("ftp://h/")
    entries = [
        Entry("said", None),
        Entry("c", url, kind="listing", size=5, modified=9),
        Entry("a", url, kind="document", type="text/plain", size=7, modified=3),
        Entry("B", url, kind="document"),
    ]
    assert "".join(entry.name for entry in sort(entries, column, down)) == order


def article(identifier: str, *references: str) -> Entry:
    attributes = {"news_url": f"news:{identifier}", **({"references": list(references)} if references else {})}
    return Entry(identifier, URL(f"news:{identifier}@h"), attributes=attributes)


@pytest.mark.parametrize(
    ("entries", "order"),
    [
        ([article("a"), article("b"), article("c", "a"), article("d", "a", "c")], "a0 c1 d2 b0"),
        ([article("c", "gone", "a"), article("a"), article("x", "gone")], "a0 c1 x0"),
        ([article("a", "b"), article("b", "a"), article("c", "c")], "c0 a0 b1"),  # they only answer each other
        ([article(str(n), *([str(n - 1)] if n else [])) for n in range(10)], "00 11 22 33 44 55 66 77 88 98"),
        ([], ""),
    ],
)
def test_articles_stand_under_what_they_answer(entries: list[Entry], order: str) -> None:
    assert " ".join(f"{entry.name}{depth}" for entry, depth in threaded(entries)) == order


def test_a_long_thread_takes_no_stack() -> None:
    entries = [article(str(n), *([str(n - 1)] if n else [])) for n in range(20_000)]
    assert [entry.name for entry, _ in threaded(entries)] == [str(n) for n in range(20_000)]
