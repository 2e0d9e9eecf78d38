"""A page of gemtext: what its lines are, and where they lead."""

from __future__ import annotations

from contextlib import closing

from anyurl.web.documents import TextLink
from anyurl.web.gemtext import blocks_of
from anyurl.world import World, gemini
from tests.web.running import running


def test_what_the_lines_are() -> None:
    text = (
        "# A\r\n##B\n### C\n=> x  The x\n=> y\n\n* one\n* two\n*three\n>said\ntext http://h/.\n"
        "```alt\n=> z\n\n# d\n```\nend"
    )
    at = text.index
    found = [
        TextLink(at("x  "), at("x  ") + 1, "x", "/x", "gemini://h/x"),
        TextLink(at("y\n"), at("y\n") + 1, "y", "/y", "gemini://h/y"),
        TextLink(at("http"), at("http") + 9, "http://h/", "/h", "http://h/"),
    ]
    assert list(blocks_of(text, found)) == [
        ("h2", [[("A", None)]]), ("h3", [[("B", None)]]), ("h4", [[("C", None)]]),
        ("links", [[("The x", "/x"), ("gemini://h/x", None)], [("y", "/y"), ("", None)]]),
        ("items", [[("one", None)], [("two", None)]]), ("text", [[("*three", None)]]), ("quote", [[("said", None)]]),
        ("text", [[("text ", None), ("http://h/", "/h"), (".", None)]]),
        ("drawn", [[("=> z", None)], [("", None)], [("# d", None)]]), ("text", [[("end", None)]]),
    ]  # fmt: skip


def test_a_link_that_leads_nowhere_is_text() -> None:
    assert list(blocks_of("=> http://[/ x", [])) == [("links", [[("http://[/ x", None)]])]


def test_nothing_of_it_is_markup() -> None:
    hostile = "# <i>\n=> /<i>x\n=> /y <i>\n=> http://[/<i>\n* <i>\n> <i>\n```\n<i>\n```\n<i>\n"
    served = gemini.start(files={"x.gmi": hostile.encode()})
    with closing(served) as server, running(**World().settings) as browser:
        page = browser.go(f"{server.root}x.gmi")
    assert "<i>" not in page.text
    assert page.text.partition("<h1>")[2].count("&lt;i&gt;") >= hostile.count("<i>")


def test_relative_links_lead_on() -> None:
    with World(["gemini"]) as world, running(**world.settings) as browser:
        page = browser.go(f"gemini://127.0.0.1:{world.urls['gemini'].port}/")
        assert "<h2>The world</h2>" in page.text
        note = browser.get(page.links["The welcome note, where it was"])
        assert "redirected here" in note.text
        assert browser.get(browser.get(page.links["pub/"]).links["notes.txt"]).status == 200
