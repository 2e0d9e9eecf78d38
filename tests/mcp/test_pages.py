"""Pages and their cursors: nothing is lost between them, and what is kept has a limit."""

from __future__ import annotations

import pytest

from anyurl.errors import RefusedError
from anyurl.mcp.pages import Pages


def read_all(pages: Pages, text: str) -> list[str]:
    facts, page = pages.first({"ok": True}, text)
    found = [page]
    while facts["cursor"]:
        facts, page = pages.next(facts["cursor"])
        found.append(page)
    return found


@pytest.mark.parametrize("text", ["", "a", "x" * 100, "x" * 101, "line\n" * 100, "\n" * 250])
def test_all_of_a_text_comes(text: str) -> None:
    found = read_all(Pages(100), text)
    assert "".join(found) == text
    assert all(len(page) <= 100 for page in found)


def test_a_page_ends_with_a_line_if_one_ends_in_its_second_half() -> None:
    first, *_ = read_all(Pages(100), "x" * 70 + "\n" + "y" * 200)
    assert first == "x" * 70 + "\n"
    first, *_ = read_all(Pages(100), "x" * 20 + "\n" + "y" * 200)
    assert len(first) == 100


def test_a_page_says_where_it_stands() -> None:
    pages = Pages(100)
    facts, _ = pages.first({"url": "u"}, "x" * 150)
    assert (facts["url"], facts["page"]) == ("u", {"start": 0, "end": 100, "of": 150})
    facts, _ = pages.next(facts["cursor"])
    assert (facts["url"], facts["page"], facts["cursor"]) == ("u", {"start": 100, "end": 150, "of": 150}, None)


@pytest.mark.parametrize("change", [lambda c: "x", lambda c: "", lambda c: "A" * 16 + ".1", lambda c: c[:17] + "99999"])
def test_a_cursor_that_leads_nowhere_is_refused(change: object) -> None:
    pages = Pages(10)
    facts, _ = pages.first({}, "x" * 20)
    with pytest.raises(RefusedError) as caught:
        pages.next(change(facts["cursor"]))  # type: ignore[operator]
    assert caught.value.verdict is not None
    assert caught.value.verdict.code == "cursor"


def test_what_was_not_read_for_longest_goes() -> None:
    pages = Pages(10, most=50)
    old, _ = pages.first({}, "o" * 20)
    kept, _ = pages.first({}, "k" * 20)
    pages.next(old["cursor"])  # read just now
    pages.first({}, "n" * 20)
    assert pages.next(old["cursor"])[1] == "o" * 10
    with pytest.raises(RefusedError):
        pages.next(kept["cursor"])
