"""Entries of listings, and the URLs that lead to them (RFC 1738 3.6, 3.7; RFC 5538)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.dialogue import Entry, Options
from anyurl.schemes.news.entries import ARTICLE_TYPE, ArticleEntry, UrlWriter, written
from anyurl.schemes.news.session import NewsSession
from anyurl.schemes.news.verbs import read
from anyurl.schemes.news.wire.lists import read_overview
from anyurl.url import URL
from tests.rows import each_row


def writer(url: str, group: bytes = b"a.b", server: str | None = None) -> UrlWriter:
    return UrlWriter(URL(url), NewsSession(URL(url), Options(news_server=server)), group)


@each_row(
    ("url", "server", "article", "news", "nntp"),
    [
        ("news:a.b", "s", "news:x@y", "news:x@y", "nntp://s/a.b/7"),
        ("news:a.b", "s:1119", "news:x@y", "news:x@y", "nntp://s:1119/a.b/7"),
        ("news://h/a.b", None, "news://h/x@y", "news:x@y", "nntp://h/a.b/7"),
        ("nntp://h/a.b", None, "nntp://h/a.b/7", "news:x@y", "nntp://h/a.b/7"),
        ("nntp://[::1]/a.b", None, "nntp://[::1]/a.b/7", "news:x@y", "nntp://[::1]/a.b/7"),
        ("nntp://h:1119/a.b", None, "nntp://h:1119/a.b/7", "news:x@y", "nntp://h:1119/a.b/7"),
        ("nntps://h/a.b", None, "nntps://h/a.b/7", "snews:x@y", "nntps://h/a.b/7"),
        ("nntps://h:119/a.b", None, "nntps://h:119/a.b/7", "snews:x@y", "nntps://h:119/a.b/7"),
        ("snews:a.b", "s", "snews:x@y", "snews:x@y", "nntps://s/a.b/7"),
        ("snews://h/a.b", None, "snews://h/x@y", "snews:x@y", "nntps://h/a.b/7"),
        ("news:a.b", "s:563", "news:x@y", "snews:x@y", "nntps://s/a.b/7"),  # RFC 8143 2: TLS at once
        ("nntp://h:563/a.b", None, "nntps://h/a.b/7", "snews:x@y", "nntps://h/a.b/7"),
    ],
)  # fmt: skip
def test_an_article_has_two_urls(url: str, server: str | None, article: str, news: str, nntp: str) -> None:
    names = writer(url, server=server)
    assert str(names.article("7", "<x@y>")) == article
    assert names.both("7", "<x@y>") == (news, nntp)


@each_row(
    ("identifier", "path"),
    [
        ("<a.b-c_d+e!*'(),$&=;:~@h>", "a.b-c_d+e!*'(),$&=;:~@h"),
        ("<a/b?c#d%e[1]@h>", "a%2Fb%3Fc%23d%25e%5B1%5D@h"),
        ("<é@h>", "%C3%A9@h"),
        ("<" + "x" * 246 + "@h>", "x" * 246 + "@h"),
        ("<" + "x" * 247 + "@h>", None),
        ("<" + "/" * 247 + "@h>", None),
        ("<a@b", None), ("a@b>", None), ("a@b", None), ("", None), ("<", None), ("<>", None), ("<ab>", None),
        ("<a b@c>", None), ("<a<@b>", None), ("<a@b>>", None), ("<a\t@b>", None),
    ],
)  # fmt: skip
def test_identifiers_as_written_in_urls(identifier: str, path: str | None) -> None:
    names = writer("news://h/a.b")
    url = names.article("7", identifier)
    assert str(url) == ("nntp://h/a.b/7" if path is None else f"news://h/{path}")
    assert names.both("7", identifier) == (None if path is None else f"news:{path}", "nntp://h/a.b/7")
    assert str(writer("nntp://h/a.b").article("7", identifier)) == "nntp://h/a.b/7"  # by its number, whatever it is


@given(
    st.text(st.characters(min_codepoint=33, exclude_characters="<>\x7f", exclude_categories=["C", "Z"]), max_size=30)
)
def test_what_is_written_is_read_again(local: str) -> None:
    url = writer("news://h/a.b").article("1", f"<{local}@h>")
    assert url is not None
    assert read(url).message_id == f"{local}@h"
    group = writer("news://h/").group(local.encode())
    if group is not None and "@" not in local:
        parts = read(group)
        assert (parts.group or parts.wildmat or "") == local


@pytest.mark.parametrize(
    ("url", "name", "group"),
    [("news:*", b"a.b", "news:a.b"), ("news:*", b"c++", "news:c++"), ("news:*", b"a/b", "news:a%2Fb"),
     ("news://h/*", b"a.b", "news://h/a.b"), ("snews://h:1/*", b"a.b", "snews://h:1/a.b"),
     ("news:*", b"a b\xff", "news:a%20b%FF")],
)  # fmt: skip
def test_groups(url: str, name: bytes, group: str) -> None:
    assert str(writer(url, server="s").group(name)) == group
    assert writer("news://h/", name).both("1", "")[1] == f"nntp://h/{group.rpartition('/')[2].removeprefix('news:')}/1"


def test_new_ones_have_an_identifier_alone() -> None:
    entry = writer("news://h/*").new(b" <a/b@c>\r\n")
    assert entry is not None
    assert (entry.name, str(entry.url), entry.kind, entry.type) == (
        "a/b@c", "news://h/a%2Fb@c", "document", "message/rfc822",
    )  # fmt: skip
    assert entry.attributes == {"news_url": "news:a%2Fb@c"}
    assert [writer("news:*", server="s").new(line) for line in (b"", b"a@b", b"<ab>", b"<a b@c>")] == [None] * 4


LINE = b"12\tRe: =?utf-8?q?=C3=BC?=\tM\xfc <me@h>\tThu, 01 Dec 1994 00:00:00 GMT\t<b@h>\t<a@h> <c@h>\t456\t7"


def entry_of(line: bytes, url: str = "news://h/a.b") -> ArticleEntry:
    fields = read_overview(line)
    assert fields is not None
    return ArticleEntry(fields, writer(url))


def test_an_entry_has_all_that_the_overview_has() -> None:
    entry = entry_of(LINE)
    assert (entry.name, entry.title, str(entry.url)) == ("Re: =?utf-8?q?=C3=BC?=", "Re: ü", "news://h/b@h")
    assert (entry.kind, entry.type, entry.size, entry.modified, entry.score) == (
        "document", ARTICLE_TYPE, 456, 786240000.0, None,
    )  # fmt: skip
    assert entry.attributes == {
        "number": 12, "from": "Mü <me@h>", "news_url": "news:b@h", "nntp_url": "nntp://h/a.b/12", "lines": 7,
        "references": ["a@h", "c@h"],
    }  # fmt: skip
    bare = entry_of(b"3\t\t\t\t\t\t\t")
    assert (bare.name, bare.title, str(bare.url), bare.size, bare.modified) == ("", "", "nntp://h/a.b/3", None, None)
    assert bare.attributes == {
        "number": 3, "from": "", "news_url": None, "nntp_url": "nntp://h/a.b/3", "lines": None,
    }  # fmt: skip


def test_each_is_computed_once_and_only_when_it_is_looked_at() -> None:
    class Counted(UrlWriter):
        count = 0

        def article(self, number: str, identifier: str) -> URL | None:
            Counted.count += 1
            return super().article(number, identifier)

    fields = read_overview(LINE)
    assert fields is not None
    entry = ArticleEntry(fields, Counted(URL("nntp://h/a.b"), NewsSession(URL("nntp://h/a.b"), Options()), b"a.b"))
    assert (entry.title, Counted.count) == ("Re: ü", 0)
    assert entry.url is entry.url
    assert Counted.count == 1
    assert isinstance(entry, Entry)
    with pytest.raises(AttributeError, match=r"^an entry has no 'nothing'$"):
        entry.nothing  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(("host", "text"), [("h.example", "h.example"), ("::1", "[::1]"), ("192.0.2.1", "192.0.2.1")])
def test_hosts_as_written(host: str, text: str) -> None:
    assert written(host) == text
