"""Relative references (RFC 1738 2.3), and what a slash means to them in each scheme (RFC 1738 3.2.4)."""

from __future__ import annotations

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from anyurl.url.cut.compose import remove_dot_segments
from anyurl.url.resolve import split_scheme
from tests.rows import each_row


@each_row(
    ("base", "reference", "result"),
    [
        # RFC 3986 5.2.3: an authority and no path
        ("http://h", "a", "http://h/a"),
        ("http://h?q", "a", "http://h/a"),
        ("http://h", "", "http://h"),
        ("http://h", "?x", "http://h?x"),
        ("http://h", "#x", "http://h#x"),
        ("http://h/a", "//i/b/../c", "http://i/c"),
        ("http://h/a", "//i", "http://i"),
        ("HTTP://H/a", "b", "HTTP://H/b"),
        ("http://u:p@h:1/a/b", "c", "http://u:p@h:1/a/c"),
        ("http://h/a?b#c", "", "http://h/a?b"),
        ("http://h/a?b#c", "#", "http://h/a?b#"),
        ("http://h/a?b", "?", "http://h/a?"),
        ("http://h/a/", "é ü".replace(" ", ""), "http://h/a/%C3%A9%C3%BC"),
        ("http://h/a", "//bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://h/a", "./b:c", "http://h/b:c"),
        ("http://h/a/b", "..//c", "http://h//c"),
        ("http://h/a", "/b//../c", "http://h/b/c"),
        # same scheme: as every reader does where a host is needed; strictly where it is not
        ("http://h/a/b", "HTTP:c", "http://h/a/c"),
        ("http://h/a/b", "http:?x", "http://h/a/b?x"),
        ("http://h/a/b", "https://i/x/../y", "https://i/y"),
        ("foo://h/a/b", "foo:c", "foo:c"),
        ("foo:a/b", "c", "foo:a/c"),
        ("foo:/a/b", "/.//c", "foo:/.//c"),
        # a relative reference against ftp is relative; a URL of its own keeps its '..', an argument of CWD
        ("ftp://h/a/b/c", "../x", "ftp://h/a/x"),
        ("ftp://h/a/b;type=i", "c;type=a", "ftp://h/a/c;type=a"),
        ("ftp://h/a/b", "ftp://h/x/../y", "ftp://h/x/../y"),
        ("ftp://h/a/b", "//i/x/../y", "ftp://i/x/../y"),
        ("ftp://h/a/b", "?x", "ftp://h/a/?x"),
        ("ftp://h/a?b", "c", "ftp://h/c"),
        ("http://h/a", "mailto:x@y?z", "mailto:x@y?z"),
        ("http://h/a", "file:///x/../y", "file:///y"),
        ("file:///a/b", "c", "file:///a/c"),
        ("file:/a/b", "../../c", "file:/c"),
        ("gopher://h/1/a", "b", "gopher://h/1/b"),
        ("nntp://h/group/1", "2", "nntp://h/group/2"),
        # without a hierarchy: fragments and queries alone
        ("mailto:a@b", "#x", "mailto:a@b#x"),
        ("mailto:a@b", "?subject=x", "mailto:a@b?subject=x"),
        ("mailto:a@b?c=d", "", "mailto:a@b?c=d"),
        ("news:a.b", "#x", "news:a.b#x"),
        ("mailto:a@b", "news:c", "news:c"),
    ],
)
def test_a_reference_leads_from_its_base_to_a_url(base: str, reference: str, result: str) -> None:
    url = URL(base).join(reference)
    assert str(url) == result
    assert URL(base).join(url) == url or url.scheme in ("ftp", "foo")
    assert URL(base).join(url.relative_to(URL(base))) == url


@each_row(
    ("base", "reference", "code"),
    [
        ("mailto:a@b", "c", "no-hierarchy"),
        ("mailto:a@b", "/c", "no-hierarchy"),
        ("mailto:a@b", "//c", "no-hierarchy"),
        ("news:a.b", "c.d", "no-hierarchy"),
        ("telnet://h/", "x", "no-hierarchy"),
        ("urn:a:b", "c", "no-hierarchy"),
        ("data:,x", "y", "no-hierarchy"),
        ("http://h/", "a b", "space"),
        ("http://h/", "\\x", "backslash"),
        ("http://h/", "//", "empty-host"),
        ("http://h/", "///x", "empty-host"),
        ("http://h/", "//127.1/", "numeric-host"),
        ("http://h/", "https:x", "no-authority"),
        ("http://h/", "\ud800", "surrogate"),
    ],
)
def test_a_reference_that_leads_nowhere_is_an_error(base: str, reference: str, code: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL(base).join(reference)
    assert caught.value.diagnostics[0].code == code


@each_row(
    ("base", "url", "reference"),
    [
        ("http://h/a/b", "http://h/a/b", ""),
        ("http://h/a/b#x", "http://h/a/b", ""),
        ("http://h/a/b", "http://h/a/b#c", "#c"),
        ("http://h/a/b", "http://h/a/b?c", "?c"),
        ("http://h/a/b?c", "http://h/a/b", "b"),
        ("http://h/a/?c", "http://h/a/", "./"),
        ("http://h/a/b", "http://h/a/c", "c"),
        ("http://h/a/b", "http://h/a/", "./"),
        ("http://h/a/b", "http://h/x/y", "../x/y"),
        ("http://h/a/b/c/d", "http://h/a/", "../../"),
        ("http://h/a/b", "http://h/a/c:d", "./c:d"),
        ("http://h/a", "http://h//b", ".//b"),
        ("http://h/a", "http://h", "//h"),
        ("http://h/a", "http://i/a", "//i/a"),
        ("http://h/a", "http://h:80/a", "//h:80/a"),
        ("http://h/a", "https://h/a", "https://h/a"),
        ("http://h/a", "HTTP://h/a", "HTTP://h/a"),
        ("ftp://h/a/b", "ftp://h/a/c?d", "c?d"),
        ("ftp://h/a/b", "ftp://h/a/../c", "//h/a/../c"),
        ("http://h/a/b", "http://h/a/../c", "http://h/a/../c"),
        ("mailto:a@b", "mailto:a@b#c", "#c"),
        ("mailto:a@b", "mailto:c@d", "mailto:c@d"),
        ("foo:a/b", "foo:a/c", "c"),
        ("foo:a", "foo:b", "b"),
        ("http://h", "http://h/a/b", "/a/b"),
        ("http://h", "http://h/", "/"),
        ("x:a/b", "x:c/d", "../c/d"),
        ("x:a", "x:b/c", "b/c"),
    ],
)
def test_the_reference_from_a_base_is_short(base: str, url: str, reference: str) -> None:
    assert URL(url).relative_to(URL(base)) == reference


@each_row(
    ("path", "result"),
    [
        ("", ""), ("/", "/"), (".", ""), ("..", ""), ("./", ""), ("../", ""), ("/.", "/"), ("/..", "/"), ("/a/..", "/"),
        ("/a/../", "/"), ("/a/.", "/a/"), ("/../a", "/a"), ("a/..", ""), ("a/../b", "b"), ("../../a", "a"),
        ("/a//..", "/a/"),
        ("/a/b/c/./../../g", "/a/g"), ("/...", "/..."), ("/.a/..b", "/.a/..b"), ("//..", "/"), ("/a/..//b", "//b"),
    ],
)  # fmt: skip
def test_dot_segments_are_removed(path: str, result: str) -> None:
    assert remove_dot_segments(path) == result


@each_row(
    ("reference", "scheme"),
    [
        ("http:x", "http"), ("A+b-c.1:", "A+b-c.1"), ("1a:b", None), (":x", None), ("a/b:c", None), ("?a:b", None),
        ("#a:b", None), ("", None), ("é:x", None), ("a b:c", None), ("//h:1", None),
    ],
)  # fmt: skip
def test_a_reference_begins_with_a_scheme_or_is_relative(reference: str, scheme: str | None) -> None:
    assert split_scheme(reference) == scheme
