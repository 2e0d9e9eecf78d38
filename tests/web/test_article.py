"""Articles as pages, and the files in them."""

from __future__ import annotations

import pytest

from anyurl.url import URL
from anyurl.values import STRANGER
from anyurl.web.article import part_of, references
from anyurl.web.links import Links
from anyurl.web.octets import SANDBOX
from anyurl.world import World
from tests.web.running import Browser
from tests.web.test_browse import page, server

LETTER = """\
From: <script>@h
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= <script>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

See http://h.example/ <script>
--b
Content-Type: text/html
Content-Disposition: attachment; filename="../../evil.html"

<script>alert(1)</script>
--b--
"""


def test_an_article_has_a_head_a_text_and_what_it_answers(browser: Browser, world: World) -> None:
    group = browser.go(f"{world.roots['news']}world.notes")
    answer = browser.get(group.links["Re: Gr\u00fc\u00dfe"])
    assert answer.title == "Re: Gr\u00fc\u00dfe"
    assert "nobody@world.example" in answer.text
    before = browser.get(answer.links["notes@world.example"])
    assert before.title == "Notes"


def test_a_picture_in_an_article_is_taken_out(browser: Browser, world: World) -> None:
    group = browser.go(f"{world.roots['news']}world.pictures")
    article = browser.get(group.links["Waves"])
    names = [name for name in article.links if name.endswith(".png")]
    assert len(names) == 1
    octets = browser.get(article.links[names[0]])
    assert octets.body[:8] == b"\x89PNG\r\n\x1a\n"
    assert octets.headers["content-security-policy"] == SANDBOX
    assert octets.headers["content-disposition"].startswith("attachment; filename=")


def test_what_an_article_holds_does_no_harm(browser: Browser) -> None:
    with server(page(LETTER, "Content-Type: message/rfc822")) as there:
        answer = browser.go(f"http://127.0.0.1:{there.port}/")
        assert (answer.status, answer.title) == (200, "Gr\u00fc\u00dfe <script>")
        assert "<script>" not in answer.text.partition("</head>")[2]
        file = browser.get(answer.links["evil.html"])
        assert (file.text.strip(), file.headers["content-security-policy"]) == ("<script>alert(1)</script>", SANDBOX)
        assert file.headers["content-disposition"] == 'attachment; filename="evil.html"'
        missing = browser.get(answer.links["evil.html"].replace("part=2", "part=9"))
        assert (missing.status, missing.fault) == (404, "The article has no such part.")
    assert "http://h.example/" in answer.links


@pytest.mark.parametrize(
    ("url", "field", "urls"),
    [
        ("news:x@h", "<a@h> <b@h>", ["news:a@h", "news:b@h"]),
        ("news://s:1190/x@h", "<a@h>", ["news://s:1190/a@h"]),
        ("nntps://s/g/1", "<a%@h>", ["snews://s/a%25@h"]),
        ("http://h/", "<a@h>", []),
        ("news:x@h", "nonsense <>", []),
    ],
)
def test_what_it_answers_is_at_its_server(url: str, field: str, urls: list[str]) -> None:
    links = Links("/b/")
    found = references(field, URL(url), STRANGER, links)
    assert [href for _, href in found] == [links.to("view", URL(one), STRANGER) for one in urls]


def test_a_part_by_its_number() -> None:
    assert part_of(LETTER.encode(), "2").type == "text/html"
