from __future__ import annotations

from typing import Any

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.url import URL, parse
from tests.rows import each_row


class Words:
    """Parts, as far as building needs them: they write themselves."""

    def __init__(self, text: str) -> None:
        self.text = text

    def url_path(self) -> str:
        return self.text


@each_row(
    ("components", "text"),
    [
        ({"scheme": "http", "host": "h"}, "http://h"),
        ({"scheme": "HTTP", "host": "H", "path": "/A"}, "http://H/A"),
        ({"scheme": "http", "host": "h", "path": "a"}, "http://h/a"),
        ({"scheme": "http", "host": "::1", "port": 80}, "http://[::1]:80"),
        ({"scheme": "http", "host": "[v1.x]"}, "http://[v1.x]"),
        ({"scheme": "http", "host": "bücher.example"}, "http://xn--bcher-kva.example"),
        ({"scheme": "ftp", "host": "h", "user": "", "path": "/"}, "ftp://@h/"),
        ({"scheme": "ftp", "host": "h", "user": "", "password": ""}, "ftp://:@h"),
        ({"scheme": "ftp", "host": "h", "user": "a:b@c/d", "password": "e:f@g"}, "ftp://a%3Ab%40c%2Fd:e:f%40g@h"),
        ({"scheme": "ftp", "host": "h", "user": "ü\udcff%"}, "ftp://%C3%BC%FF%25@h"),
        ({"scheme": "http", "host": "h", "path": "/a b?c#d%20é"}, "http://h/a%20b%3Fc%23d%20%C3%A9"),
        ({"scheme": "http", "host": "h", "path": "/", "query": "a b#c?d/e[]"}, "http://h/?a%20b%23c?d/e%5B%5D"),
        ({"scheme": "http", "host": "h", "query": "", "fragment": ""}, "http://h?#"),
        ({"scheme": "http", "host": "h", "fragment": "a#b c"}, "http://h#a%23b%20c"),
        ({"scheme": "ftp", "host": "h", "path": "/a?b#c"}, "ftp://h/a?b%23c"),
        ({"scheme": "file", "host": "", "path": "/x"}, "file:///x"),
        ({"scheme": "file", "path": "/x"}, "file:/x"),
        ({"scheme": "mailto", "path": "a@b", "query": "subject=x y"}, "mailto:a@b?subject=x%20y"),
        ({"scheme": "foo", "path": "a/b"}, "foo:a/b"),
        ({"scheme": "ftp", "host": "h", "parts": Words("%2Fetc/motd;type=a")}, "ftp://h/%2Fetc/motd;type=a"),
        ({"scheme": "wais", "host": "h", "parts": Words("db?words")}, "wais://h/db?words"),
        ({"scheme": "gopher", "host": "h", "parts": Words("0a?b")}, "gopher://h/0a?b"),
        ({"scheme": "mailto", "parts": Words("a@b?cc=c")}, "mailto:a@b?cc=c"),
        ({"scheme": "news", "parts": Words("a.b")}, "news:a.b"),
        ({"scheme": "news", "host": "h", "parts": Words("a.b")}, "news://h/a.b"),
    ],
)
def test_components_make_a_url(components: dict[str, Any], text: str) -> None:
    assert str(URL.build(**components)) == text


@each_row(
    ("components", "code"),
    [
        ({"scheme": "http", "path": "/x"}, "no-authority"),
        ({"scheme": "http", "host": ""}, "empty-host"),
        ({"scheme": "1x", "host": "h"}, "scheme-start"),
        ({"scheme": "", "host": "h"}, "no-scheme"),
        ({"scheme": "http:", "host": "h"}, "no-authority"),
        ({"scheme": "http", "host": "a/b"}, "build-other"),
        ({"scheme": "http", "host": "a@b"}, "build-other"),
        ({"scheme": "http", "host": "a?b"}, "build-other"),
        ({"scheme": "http", "host": "h:80"}, "address"),
        ({"scheme": "http", "host": "127.1"}, "numeric-host"),
        ({"scheme": "http", "host": "☃"}, "idna"),
        ({"scheme": "http", "host": "h", "port": 65536}, "port-too-large"),
        ({"scheme": "http", "host": "h", "port": -1}, "port-too-large"),
        ({"scheme": "http", "host": "h", "password": "x"}, "build-no-user"),
        ({"scheme": "foo", "user": "x"}, "build-no-host"),
        ({"scheme": "foo", "port": 1}, "build-no-host"),
        ({"scheme": "foo", "path": "//x"}, "build-other"),
        ({"scheme": "ftp", "host": "h", "path": "/a", "query": "b"}, "build-other"),
        ({"scheme": "http", "host": "h", "path": "/100%"}, "percent"),
        ({"scheme": "http", "host": "h", "path": "/\ud800"}, "surrogate"),
        ({"scheme": "ftp", "host": "h", "user": "\ud800"}, "surrogate"),
        ({"scheme": "gopher", "host": "h", "user": "u"}, "userinfo"),
        ({"scheme": "mailto", "host": "h", "path": "a"}, "authority"),
        ({"scheme": "file", "host": "h", "port": 1, "path": "/"}, "port"),
        ({"scheme": "ftp", "host": "h", "path": "/x", "parts": Words("x")}, "build-parts"),
        ({"scheme": "http", "host": "h", "query": "x", "parts": Words("x")}, "build-parts"),
    ],
)
def test_components_that_make_no_url_are_refused(components: dict[str, Any], code: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL.build(**components)
    assert caught.value.diagnostics[0].code == code


@each_row(
    ("text", "changes", "result"),
    [
        ("http://u:p@h:1/a?b#c", {"scheme": "HTTPS"}, "https://u:p@h:1/a?b#c"),
        ("http://u:p@h:1/a?b#c", {"user": "v"}, "http://v:p@h:1/a?b#c"),
        ("http://u:p@h:1/a?b#c", {"user": None}, "http://h:1/a?b#c"),
        ("http://u:p@h:1/a?b#c", {"password": None}, "http://u@h:1/a?b#c"),
        ("http://u:p@h:1/a?b#c", {"password": ""}, "http://u:@h:1/a?b#c"),
        ("http://u%41:p%3A@h/", {"host": "i"}, "http://u%41:p%3A@i/"),
        ("http://u:p@h:1/a?b#c", {"host": "::1"}, "http://u:p@[::1]:1/a?b#c"),
        ("http://[V1.X]/", {"path": "/y"}, "http://[V1.X]/y"),
        ("http://H:0080/", {"path": "/y"}, "http://H:80/y"),
        ("http://u:p@h:1/a?b#c", {"port": None}, "http://u:p@h/a?b#c"),
        ("http://u:p@h:1/a?b#c", {"port": 2}, "http://u:p@h:2/a?b#c"),
        ("http://u:p@h:1/a?b#c", {"path": ""}, "http://u:p@h:1?b#c"),
        ("http://u:p@h:1/a?b#c", {"query": None, "fragment": None}, "http://u:p@h:1/a"),
        ("http://u:p@h:1/a?b#c", {"query": "d e"}, "http://u:p@h:1/a?d%20e#c"),
        ("http://u:p@h:1/a?b#c", {"scheme": "foo", "host": None}, "foo:/a?b#c"),
        ("ftp://h/a;type=a#c", {"parts": Words("b")}, "ftp://h/b#c"),
        ("http://h/a?b", {"parts": Words("c?d")}, "http://h/c?d"),
        ("http://h/a?b", {"parts": Words("c")}, "http://h/c"),
        ("foo:a", {"host": "h"}, "foo://h/a"),
        ("http://h/%7e", {}, "http://h/%7e"),
    ],
)
def test_components_are_replaced_and_the_others_stay_as_written(text: str, changes: Any, result: str) -> None:
    assert str(URL(text).replace(**changes)) == result


def test_a_component_that_a_url_does_not_have_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="a URL has no component 'hots'"):
        URL("http://h/").replace(hots="x")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="a URL has no component 'netloc'"):
        URL.build(scheme="http", netloc="x")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="a URL has a scheme"):
        URL.build(host="h")  # type: ignore[call-arg]


def test_no_message_of_a_build_holds_a_password() -> None:
    for components in ({"port": 65536}, {"host": "a/b"}, {"path": "/%"}, {"host": "127.1"}, {"scheme": "gopher"}):
        with pytest.raises(URLSyntaxError) as caught:
            URL.build(**({"scheme": "ftp", "host": "h", "user": "u", "password": "hunter2"} | components))  # type: ignore[arg-type]
        assert "hunter2" not in str(caught.value)


def test_parts_that_a_grammar_would_lose_are_refused_by_whatever_makes_the_url() -> None:
    """To FTP ``..`` is a name; a browser takes a step up."""
    parts = URL("ftp://h/a/%2E%2E/b").parts
    assert str(URL("ftp://i/").replace(parts=parts)) == str(URL.build(scheme="ftp", host="i", parts=parts))
    for make in (
        lambda: URL.build(scheme="ftp", host="i", parts=parts, grammar="browser"),
        lambda: parse("ftp://i/", "browser").replace(parts=parts),
    ):
        with pytest.raises(URLSyntaxError) as caught:
            make()
        assert caught.value.diagnostics[0].message == "these parts make a URL that reads as other parts"


@pytest.mark.parametrize(
    ("components", "text"),
    [
        ({"scheme": "http", "path": "/a?b"}, "http://h/a%3Fb"),
        ({"scheme": "ftp", "path": "/a?b"}, "ftp://h/a?b"),  # RFC 1738 3.2: there is no query that it would begin
        ({"scheme": "ftp", "path": "/a?b", "grammar": "browser"}, "ftp://h/a%3Fb"),  # to a browser there is
        ({"scheme": "ftp", "path": "/a?b", "query": "c", "grammar": "browser"}, "ftp://h/a%3Fb?c"),
    ],
)
def test_a_question_mark_of_a_path_begins_no_query(components: dict[str, Any], text: str) -> None:
    assert str(URL.build(host="h", **components)) == text
