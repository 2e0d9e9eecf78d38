"""Operations by segments, fields and domain: as users of yarl and pathlib expect, and nothing else is touched."""

from __future__ import annotations

import copy
import pickle
from pathlib import PurePosixPath
from typing import Any

import pytest
import yarl
from hypothesis import given

from anyurl import URL, URLSyntaxError, parse
from tests.rows import each_row
from tests.url.strategies import url_texts

PATHS = ("", "/", "/a", "/a/", "/a/b.txt", "/a/b.tar.gz", "/a%2Fb/c%20d", "/a//b", "/%C3%A9/x", "/.hidden", "/a./b.")


@each_row("path", PATHS)
@each_row("tail", ["", "?q=1#f"])
def test_parent_and_name_are_those_of_yarl(path: str, tail: str) -> None:
    text = f"http://h.dom{path}{tail}"
    peer = yarl.URL(text, encoded=True)
    # To yarl a parent may have no path; ours has one where there can be.
    assert str(URL(text).parent) == (str(peer.parent) if peer.parent.raw_path != "/" else "http://h.dom/")
    assert str(URL(text).with_name("x y.md")) == str(peer.with_name("x y.md"))
    if peer.name.strip("."):
        assert str(URL(text).with_suffix(".md")) == str(peer.with_suffix(".md"))
        assert str(URL(text).with_suffix("")) == str(peer.with_suffix(""))


@each_row("path", PATHS)
def test_segments_are_the_path(path: str) -> None:
    url = URL(f"http://h.dom{path}")
    assert "/".join(segment.replace("/", "%2F") for segment in ("", *url.segments)) == (
        str(PurePosixPath(path)) + "/" * (path.endswith("/") and len(path) > 1) if "//" not in path and path else path
    ).replace("%20", " ").replace("%C3%A9", "\u00e9")


@given(url_texts())
def test_a_name_that_is_put_there_stands_there(text: str) -> None:
    try:
        url = URL(text)
        child = url.with_name("a?b#c%2f.\u00e9")
    except URLSyntaxError:
        return
    assert (child.name, child.query, child.fragment) == ("a?b#c%2f.\u00e9", None, None)
    assert child.parent == url.parent
    assert child.segments[-1:] == (child.name,)
    assert (child.user, child.host, child.port) == (url.user, url.host, url.port)


@each_row(
    ("make", "code"),
    [
        (lambda url: url.with_name(""), "child-place"),
        (lambda url: url.with_name(".."), "child-place"),
        (lambda url: url.with_name("a/b"), "child-place"),
        (lambda url: url.with_name("a\n"), "child-control"),
        (lambda url: url.with_suffix("txt"), "child-suffix"),
        (lambda url: url.with_suffix("."), "child-suffix"),
        (lambda url: (url / "n").with_suffix("./x"), "child-place"),
        (lambda url: (url / "x").parent.with_name("y").parent.with_suffix(".x"), "child-suffix"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(make: Any, code: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        make(URL("http://h/"))
    assert caught.value.diagnostics[0].code == code


@pytest.mark.parametrize("text", ["mailto:a@b.dom", "news:comp.lang.python", "telnet://h/"])
def test_a_scheme_without_a_hierarchy_has_no_parent(text: str) -> None:
    for make in (lambda: URL(text).parent, lambda: URL(text).with_name("x"), lambda: URL(text).with_suffix(".x")):
        with pytest.raises(URLSyntaxError, match="has no hierarchy"):
            make()


def test_the_type_of_a_gopher_item_is_not_part_of_a_name() -> None:
    url = URL("gopher://h/0/dir/a.txt%09search")
    assert url.segments == ("dir", "a.txt")
    assert (str(url.parent), str(url.with_name("b"))) == ("gopher://h/1/dir", "gopher://h/0/dir/b")
    assert str(URL("gopher://h").with_name("b")) == "gopher://h/1b"


def test_a_typecode_is_not_part_of_a_name() -> None:
    url = URL("ftp://h/pub/a.tar.gz;type=i")
    assert url.segments == ("pub", "a.tar.gz")
    assert (str(url.parent), str(url.with_suffix(".zst"))) == ("ftp://h/pub", "ftp://h/pub/a.tar.zst")


@each_row(
    ("made", "query"),
    [
        (lambda url: url.set_query(a=3), "a=3&b=x+y&c&d=%c3%a9"),
        (lambda url: url.set_query({"d": "\u00fc", "e": [1, 2]}), "a=1&b=x+y&a=2&c&d=%C3%BC&e=1&e=2"),
        (lambda url: url.set_query([("a", "&"), ("a", "=")]), "a=%26&a=%3D&b=x+y&c&d=%c3%a9"),
        (lambda url: url.set_query(a=[]), "a=1&b=x+y&a=2&c&d=%c3%a9"),
        (lambda url: url.add_query(a=3), "a=1&b=x+y&a=2&c&d=%c3%a9&a=3"),
        (lambda url: url.add_query(), "a=1&b=x+y&a=2&c&d=%c3%a9"),
        (lambda url: url.drop_query("a", "c"), "b=x+y&d=%c3%a9"),
        (lambda url: url.drop_query("*"), None),
        (lambda url: url.drop_query("\u00e9", "A"), "a=1&b=x+y&a=2&c&d=%c3%a9"),
    ],
)
def test_fields_that_are_not_named_stay_as_they_are_written(made: Any, query: str | None) -> None:
    url = URL("http://h/p?a=1&b=x+y&a=2&c&d=%c3%a9#f")
    assert made(url).query == query
    assert made(url).replace(query=None) == URL("http://h/p#f")


def test_names_of_fields_are_compared_decoded() -> None:
    assert str(URL("http://h/?utm%5Fid=1&q=%5f").drop_query("utm_*")) == "http://h/?q=%5f"
    assert str(URL("mailto:a@b?a+b=1&c=2").drop_query("a+b")) == "mailto:a@b?c=2"


def test_a_scheme_without_queries_takes_none() -> None:
    with pytest.raises(URLSyntaxError):
        URL("ftp://h/a").set_query(a=1)
    assert URL("ftp://h/a?b=1").drop_query("b") == URL("ftp://h/a?b=1")


def test_the_registered_domain_of_a_host() -> None:
    assert URL("http://www.news.bbc.co.uk:81/").registered_domain == "bbc.co.uk"
    for text in ("http://co.uk/", "http://127.0.0.1/", "http://[::1]/", "mailto:a@bbc.co.uk", "http://h./"):
        assert URL(text).registered_domain is None, text


def test_a_url_is_formatted_as_its_text() -> None:
    url = URL("http://u:p@h/")
    assert f"{url:<20}|{url:>20}|{url:^20}|{url}|{url:.4}" == (
        "http://u:p@h/       |       http://u:p@h/|   http://u:p@h/    |http://u:p@h/|http"
    )
    with pytest.raises(ValueError):
        format(url, "d")


def test_a_copy_of_a_url_is_the_url() -> None:
    url = parse("http://h/a?b", "rfc1738")
    assert copy.copy(url) is url
    assert copy.deepcopy({"a": [url]})["a"][0] is url
    assert pickle.loads(pickle.dumps(url)) == url


def test_what_is_made_keeps_the_grammar() -> None:
    url = parse("http://h/a/b?c=1", "browser")
    for made in (url.parent, url.with_name("x"), url.with_suffix(".x"), url.set_query(c=2), url.drop_query("c")):
        assert made.grammar == "browser"
