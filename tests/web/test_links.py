"""Links say who named a URL, and nobody else can."""

from __future__ import annotations

from copy import copy
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest

from anyurl.errors import UnsupportedError, URLSyntaxError
from anyurl.guard.hops import named_in
from anyurl.url import URL, parse
from anyurl.values import STRANGER, USER, Provenance, Scope
from anyurl.web.links import MAX_ORIGINS, Links, field
from tests.rows import each_row

THERE = URL("ftp://h.example/a%20b/?#x")
LISTED = Provenance("listing", scope=Scope.PRIVATE, scheme="ftp", host="h.example", port=21)


def fields(href: str) -> dict[str, str]:
    return dict(parse_qsl(href.partition("?")[2], keep_blank_values=True, strict_parsing=True))


@each_row("origin", [USER, STRANGER, LISTED])
@each_row("text", ["ftp://h.example/a%20b", "gopher://h/7s%09a+b&c=d%09", "news:*", "http://b\u00fc.example/"])
def test_a_link_is_read_as_it_was_written(text: str, origin: Provenance) -> None:
    links, url = Links("/base/"), URL(text)
    href = links.to("view", url, origin, sort="name", down="")
    assert href.startswith("/base/view?u=")
    assert fields(href)["sort"] == "name"
    assert "down" not in fields(href)
    assert links.read(fields(href)) == (url, origin)
    assert links.read(links.fields(url, origin)) == (url, origin)


@pytest.mark.parametrize("text", ["gopher://h/7a/../b//?c%23+d", "wais://h/./d%2Fb", "prospero://h/a;b=c%3F"])
def test_a_link_as_a_path_is_read_as_it_was_written_whatever_a_browser_resolves(text: str) -> None:
    links, url = Links("/base/"), URL(text)
    href = links.index(url, LISTED)
    assert str(URL("http://g.example/x").join(href).normalize()) == f"http://g.example{href}"
    number, proof, there = href.removeprefix("/base/index/").split("/")
    assert links.read({"o": number, "s": proof, "u": unquote(there)}) == (url, LISTED)


def test_a_link_keeps_the_grammar_that_read_it() -> None:
    links, url = Links("/b/"), parse("http://good.example\\@evil.example/", "browser")
    read, _ = links.read(fields(links.to("view", url, USER)))
    assert (read, read.grammar, read.host) == (url, "browser", "good.example")


@pytest.mark.promise("web-gateway")
@pytest.mark.parametrize(
    "change",
    [{"o": "0"}, {"o": "2"}, {"s": ""}, {"s": "\u00fc"}, {"u": "file:///etc/passwd"}, {"o": "-1"}, {"o": "\u0661"}],
)
def test_a_link_that_was_changed_is_a_strangers(change: dict[str, str]) -> None:
    links = Links("/base/")
    given = {**links.fields(THERE, LISTED), **change}
    assert links.read(given) == (URL(given["u"]), STRANGER)


def test_another_server_has_another_key() -> None:
    assert Links("/base/").read(Links("/base/").fields(THERE, USER)) == (THERE, STRANGER)


@pytest.mark.parametrize("given", [{}, {"u": ""}, {"u": "no-url"}])
def test_a_link_without_a_url(given: dict[str, Any]) -> None:
    with pytest.raises(URLSyntaxError):
        Links("/base/").read(given)


def test_no_password_is_in_a_link() -> None:
    links = Links("/base/")
    secret = URL("ftp://joe:s3cret@h.example/")
    assert "s3cret" not in links.to("view", secret, USER) + str(links.fields(secret, USER))
    assert links.read(links.fields(secret, USER))[0] == URL("ftp://joe@h.example/")


def test_the_oldest_origins_are_forgotten() -> None:
    links = Links("/base/")
    first = links.fields(THERE, LISTED)
    for number in range(MAX_ORIGINS):
        links.to("view", THERE, named_in(URL(f"http://h{number}.example/")))
    assert links.read(first) == (THERE, STRANGER)
    assert links.read(links.fields(THERE, LISTED)) == (THERE, LISTED)


def test_equal_origins_have_one_number() -> None:
    links, other = Links("/base/"), named_in(URL("http://h.example/"))
    for origin in (LISTED, other, copy(LISTED), USER, other, LISTED):
        given = links.fields(THERE, origin)
        assert links.read(given) == (THERE, origin)
        assert given["o"] == {LISTED: "1", other: "2", USER: "0"}[origin]


def test_what_would_end_a_field_is_encoded() -> None:
    assert field("a&b=c+d%e#f g\u00fc") == "a%26b%3Dc%2Bd%25e%23f%20g%C3%BC"


def test_a_link_of_an_unknown_grammar() -> None:
    with pytest.raises(UnsupportedError, match="no grammar 'no'"):
        Links("/base/").read({"u": "no url"})
