"""Query and path as fields, and the text for people."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl import parse
from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from anyurl.url.fields import check_pairs, form_decoded, form_encoded, pairs
from tests.rows import each_row


@each_row(
    ("text", "items"),
    [
        ("http://h/", ()),
        ("http://h/?", ()),
        ("http://h/?a=1&b=x+y%2B&a", (("a", "1"), ("b", "x y+"), ("a", ""))),
        ("http://h/?&&=x&=", (("", "x"), ("", ""))),  # WHATWG URL 5.1: only what is empty between two & is none
        ("http://h/?a=b=c;d=e", (("a", "b=c;d=e"),)),  # a semicolon separates nothing
        ("http://h/?%C3%A9=%FF", (("é", "\udcff"),)),  # octets that are not UTF-8 can be written back
        ("mailto:a@h?subject=1+1", (("subject", "1+1"),)),  # RFC 6068 5
        ("ftp://h/a?b=c", ()),  # RFC 1738 3.2: a file name
        ("foo:?a=1+1", (("a", "1 1"),)),
    ],
)
def test_names_and_values_of_a_query(text: str, items: tuple[tuple[str, str], ...]) -> None:
    assert URL(text).query_items == items


@each_row(
    ("given", "named", "text"),
    [
        (None, {}, "http://u@h:81/p#f"),
        ("", {}, "http://u@h:81/p#f"),
        ({}, {}, "http://u@h:81/p#f"),
        ("a=b c&%41=#", {}, "http://u@h:81/p?a=b%20c&%41=%23#f"),  # a text is encoded already
        ({"a": "b c", "n": 1, "x": 1.5}, {}, "http://u@h:81/p?a=b%20c&n=1&x=1.5#f"),
        ({"a": ["1", 2]}, {}, "http://u@h:81/p?a=1&a=2#f"),
        ([("a", "&=+%41"), ("a", "é")], {}, "http://u@h:81/p?a=%26%3D%2B%2541&a=%C3%A9#f"),
        (None, {"a": "1", "query": "2"}, "http://u@h:81/p?a=1&query=2#f"),
    ],
)
def test_another_query(given: Any, named: dict[str, Any], text: str) -> None:
    assert str(URL("http://u@h:81/p?old#f").with_query(given, **named)) == text


def test_what_is_no_query() -> None:
    url = URL("http://h/")
    with pytest.raises(TypeError, match="not bool"):
        url.with_query(a=True)
    with pytest.raises(TypeError, match="not both"):
        url.with_query("a", b="c")
    with pytest.raises(URLSyntaxError, match="lone surrogate"):
        url.with_query(a="\ud800")
    with pytest.raises(URLSyntaxError, match="reads as other components"):
        URL("ftp://h/a").with_query(a="b")


@each_row(
    ("text", "name", "child"),
    [
        ("http://h", "a", "http://h/a"),
        ("http://h/", "a", "http://h/a"),
        ("http://u:p@h:81/a/?q#f", "b", "http://u:p@h:81/a/b"),
        ("http://h/a;x", "b", "http://h/a;x/b"),
        ("http://h/a", "b/c", "http://h/a/b/c"),
        ("http://h/a", "b/", "http://h/a/b/"),
        ("http://h/a", "50%/..b", "http://h/a/50%25/..b"),
        ("http://h/a", "?#@:\\ é%2e", "http://h/a/%3F%23@:%5C%20%C3%A9%252e"),
        ("ftp://h/pub;type=d", "x;type=a", "ftp://h/pub/x%3Btype=a"),
        ("ftp://h//etc", "motd", "ftp://h//etc/motd"),
        ("gopher://h", "x", "gopher://h/1/x"),  # RFC 1738 3.4.1: nothing is the menu of type 1
        ("gopher://h/1/a%09words", "x", "gopher://h/1/a/x"),
        ("gopher://h/%09words", "x", "gopher://h/1/x"),  # and so is nothing before what is searched for
        ("file:///tmp/", "x", "file:///tmp/x"),
        ("foo:a", "b", "foo:a/b"),
    ],
)
def test_a_child(text: str, name: str, child: str) -> None:
    assert str(URL(text) / name) == child


@each_row(
    ("text", "name", "reason"),
    [
        ("http://h/a", "..", "below its parent"),
        ("http://h/a", "b/../../c", "below its parent"),
        ("http://h/a", ".", "below its parent"),
        ("http://h/a", "", "below its parent"),
        ("http://h/a", "/b", "below its parent"),
        ("http://h/a", "b//c", "below its parent"),
        ("ftp://h/a", "b\r\nDELE c", "can't contain control characters"),
        ("gopher://h/1/a", "b\tc", "can't contain control characters"),
        ("http://h/a", "\ud800", "lone surrogate"),
        ("mailto:a@h", "b", "no hierarchy"),
        ("telnet://h/", "b", "no hierarchy"),
        ("prospero://h/a;f=v", "b", "no hierarchy"),  # RFC 1738 3.11: its slashes say nothing
    ],
)
def test_what_is_no_child(text: str, name: str, reason: str) -> None:
    with pytest.raises(URLSyntaxError, match=reason) as caught:
        URL(text) / name
    assert caught.value.text == name


@pytest.mark.parametrize("given", [5, None, "a=b", b"a=b"])
def test_what_is_no_pairs_is_told_by_its_type(given: Any) -> None:
    with pytest.raises(TypeError, match=f"a mapping, or an iterable of pairs, not {type(given).__name__}$"):
        list(check_pairs("names", given))


def test_only_a_text_is_put_below_a_url() -> None:
    with pytest.raises(TypeError):
        URL("http://h/") / 1  # type: ignore[operator]


@each_row(
    ("text", "name", "suffix"),
    [
        ("http://h", "", ""),
        ("http://h/a/", "", ""),
        ("http://h/a/b%2Fc.tar.gz?x.y#z", "b/c.tar.gz", ".gz"),
        ("http://h/.profile", ".profile", ""),
        ("http://h/a.", "a.", ""),
        ("http://h/a;b.c", "a;b.c", ".c"),
        ("ftp://h/a.b;type=i", "a.b", ".b"),
        ("ftp://h/a;type=ab", "a;type=ab", ""),
        ("ftp://h/a.b;t%79pe=%69", "a.b", ".b"),
        ("ftp://h/a;TYPE=i", "a;TYPE=i", ""),
        ("gopher://h/0about.txt", "about.txt", ".txt"),
        ("gopher://h/7/find%09words.x", "find", ""),
        ("gopher://h", "", ""),
        ("prospero://h/a/b.c;d=e.f", "b.c", ".c"),
        ("wais://h/db", "db", ""),
        ("mailto:a@b.c", "a@b.c", ".c"),
    ],
)
def test_the_last_name_and_its_suffix(text: str, name: str, suffix: str) -> None:
    assert (URL(text).name, URL(text).suffix) == (name, suffix)


@each_row(
    ("text", "shown"),
    [
        ("http://h/a%20b%2Fc%25", "http://h/a%20b%2Fc%25"),  # ASCII stays as it is written
        ("http://h/gr%c3%b6%C3%9Fe?%E6%97%A5#%F0%9F%98%80", "http://h/größe?日#😀"),
        ("http://h/%FF%C3%A9%C3", "http://h/%FFé%C3"),  # octets that are not UTF-8
        ("http://h/%E2%80%AEtxt.exe", "http://h/%E2%80%AEtxt.exe"),  # right-to-left override
        ("http://h/%E2%80%8B%C2%A0%EF%BB%BF%C2%85", "http://h/%E2%80%8B%C2%A0%EF%BB%BF%C2%85"),  # what nobody sees
        ("http://xn--bcher-kva.example/", "http://bücher.example/"),
        ("http://u@XN--Mnchen-3ya.de:81/%C3%A4", "http://u@münchen.de:81/ä"),
        ("http://xn--r8jz45g.jp/", "http://例え.jp/"),
        ("http://xn--d1acpjx3f.xn--p1ai/", "http://яндекс.рф/"),
        ("http://xn--80ak6aa92e.com/", "http://xn--80ak6aa92e.com/"),  # Cyrillic that looks like apple, and Latin
        ("http://xn--oogle-qmc.com/", "http://xn--oogle-qmc.com/"),  # a script g, which looks like g
        ("http://xn--a/", "http://xn--a/"),  # not the form of any name
        ("http://good.example%E2%88%95a@evil.example/", "http://good.example%E2%88%95a@evil.example/"),
        ("ftp://u:s%C3%A9cret@h/%C3%A9", "ftp://u:***@h/é"),
        ("mailto:%C3%A9@h?x=%C3%A9", "mailto:é@h?x=é"),
        ("http://h?%C3%A9", "http://h?é"),
    ],
)
def test_the_text_for_people(text: str, shown: str) -> None:
    assert URL(text).display == shown


def test_nothing_before_the_path_is_shown_otherwise_by_any_grammar() -> None:
    text = "https://127.0.0.1?%E2%88%95@evil.example/%C3%A9"
    assert parse(text, "rfc1738").display == "https://127.0.0.1?%E2%88%95@evil.example/é"


def test_forms() -> None:
    assert form_encoded({"a b": "c+d", "e": [1, "é~*"]}) == "a+b=c%2Bd&e=1&e=%C3%A9~*"
    assert form_decoded("a+b=c%2Bd", plus=False) == (("a+b", "c+d"),)
    assert pairs({"a": ["b", 1]}) == [("a", "b"), ("a", "1")]
