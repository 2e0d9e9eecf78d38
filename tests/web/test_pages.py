"""PageWriter escape what they show, and say the way down to a URL."""

from __future__ import annotations

import re

import pytest

from anyurl.url import URL
from anyurl.values import USER
from anyurl.web.links import Links
from anyurl.web.pages import DATA, Crumb, PageWriter

EVIL = "<script>alert(1)</script>\"'&\udce9"


@pytest.fixture
def pages() -> PageWriter:
    return PageWriter(Links("/b/"), "the key")


def test_what_is_shown_is_escaped(pages: PageWriter) -> None:
    text = pages.page(
        "failure", EVIL, address=EVIL, crumbs=[Crumb(EVIL, EVIL)] * 2, sentence=EVIL, code=EVIL, about=EVIL, user=EVIL,
        asks=False, login={EVIL: EVIL}, led=True, target={"link": EVIL, "text": EVIL},
    )  # fmt: skip
    shown = bytes(text.body).decode()
    assert "<script>" not in shown
    assert shown.count("&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39;&amp;\\udce9") == 15


def test_a_host_that_looks_like_another_is_remarked_on(pages: PageWriter) -> None:
    def note(address: str) -> list[bytes]:
        page = pages.page("explain", "x", address=address, text="", masked=False, explained=None)
        return re.findall(rb"Beware: [^<]+", bytes(page.body))

    said = (
        b"Beware: the host of this address may be mistaken for another one: "
        b"one label mixes scripts: Cyrillic and Latin."
    )
    assert note("http://xn--pypal-4ve.com/") == [said]
    assert note("http://xn--bcher-kva.de/") == note("no address") == note("") == []


def test_no_template_trusts_anything() -> None:
    """No value is marked as safe, no script or style stands in a page, and each attribute is quoted."""
    for path in DATA.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"\|safe|autoescape|<style|style=|javascript:|\son\w+=|=\{\{", text) == [], path.name
        scripts = re.findall(r"<script[^>]*>.?", text)
        assert len(scripts) == {"head.html": 1, "terminal.html": 3}.get(path.name, 0), path.name
        assert all(
            re.fullmatch(r'<script src="\{\{ base \}\}static/[\w/.-]+\.js" (async|defer)><', one) for one in scripts
        )


def test_the_end_of_a_url_without_folders_is_no_name(pages: PageWriter) -> None:
    names = [crumb.name for crumb in pages.crumbs(URL("data:text/plain,a/b%00"), USER, "data.txt")]
    assert names == ["data.txt"]
    assert [crumb.name for crumb in pages.crumbs(URL("http://h/a/b"), USER, "A title")] == ["http://h", "a", "b"]


@pytest.mark.parametrize(
    ("text", "names", "urls"),
    [
        ("ftp://joe@h:2121/a/b%20c", ["ftp://h:2121", "a", "b%20c"],
         ["ftp://joe@h:2121/", "ftp://joe@h:2121/a/", "ftp://joe@h:2121/a/b%20c"]),
        ("ftp://h/a/b/", ["ftp://h", "a", "b"], ["ftp://h/", "ftp://h/a/", "ftp://h/a/b/"]),
        ("http://h/a/?q#f", ["http://h", "a"], ["http://h/", "http://h/a/?q#f"]),
        ("http://h/", ["http://h"], ["http://h/"]),
        ("gopher://h/00/pub/x.txt", ["gopher://h", "x.txt"], ["gopher://h/", "gopher://h/00/pub/x.txt"]),
        ("file:///tmp/a", ["file:///", "tmp", "a"], ["file:///", "file:///tmp/", "file:///tmp/a"]),
        ("news:comp.lang", ["comp.lang"], ["news:comp.lang"]),
        ("telnet://h/", ["telnet://h/"], ["telnet://h/"]),
    ],
)  # fmt: skip
def test_the_way_down(pages: PageWriter, text: str, names: list[str], urls: list[str]) -> None:
    crumbs = pages.crumbs(URL(text), USER)
    assert [crumb.name for crumb in crumbs] == names
    assert [crumb.href for crumb in crumbs] == [pages.links.to("view", URL(url), USER) for url in urls]
