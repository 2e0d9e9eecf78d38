"""`parse` by each grammar: one type, and what that grammar reads in it."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import pytest

import anyurl
from anyurl.errors import URLSyntaxError
from anyurl.grammar import parse
from anyurl.url import URL
from tests.rows import each_row

NAMES = ("scheme", "raw_user", "raw_password", "raw_host", "explicit_port", "path", "query", "fragment")

READ: list[tuple[str, str, str, str, str]] = [
    ("http://h:80/a?b#c", "rfc1738", "", "http - - h 80 /a b c", "as current reads it"),
    ("1http://u:p@h:8/x?y", "rfc1738", "", "1http u p h 8 /x y -", "a scheme that begins with a digit"),
    ("foo://a:b:c/d?e", "rfc1738", "", "foo - - - - //a:b:c/d e -", "no common syntax: no authority"),
    ("foo://@h/", "rfc1738-draft07", "", "foo '' - h - / - -", "an empty user"),
    ("news://a/b@h.dom", "rfc1738", "", "news - - - - //a/b@h.dom - -", "a message identifier"),
    ("x-y://a?@b/", "rfc1738", "", "x-y a? - b - / - -", "a user name may have a question mark"),
    ("ftp://a?b@h/", "rfc1738", "", "ftp a?b - h - / - -", "in ftp, too"),
    ("mailto:a@b?c=d", "rfc1738", "", "mailto - - - - a@b?c=d - -", "RFC 1738 has no header fields"),
    ("mailto://a@b", "rfc1738", "", "mailto - - - - //a@b - -", "an address may begin with slashes"),
    ("http://010.1.1.1/", "rfc1738", "", "http - - 010.1.1.1 - / - -", "four groups of digits"),
    (
        "http://h/#é b",
        "rfc1738",
        "http://h/#%C3%A9%20b",
        "http - - h - / - %C3%A9%20b",
        "a fragment is encoded at the door",
    ),
    ("ftp://u:@h/a;type=a", "rfc1738-draft07", "", "ftp u '' h - /a;type=a - -", "an empty password"),
    ("http://a{b}/~{c}?{d}", "rfc1738-draft07", "", "http - - a{b} - /~{c} {d} -", "national characters"),
    ("wais://h/db?words", "rfc1738-draft07", "", "wais - - h - /db words -", "a search is a query"),
    ("gopher://h/7a%09b?c", "rfc1738", "", "", "a search of gopher has no question mark"),
    (
        "HTTP:\\\\h\\a b|c",
        "browser",
        "http://h/a%20b|c",
        "http - - h - /a%20b|c - -",
        "a browser repairs, and leaves a bar",
    ),
    ("http://u:p@h:80/?#", "browser", "http://u:p@h/?#", "http u p h - / '' ''", "empty query and fragment are kept"),
    ("foo://a b/", "browser", "", "", "a host that a browser refuses"),
    ("foo://h:99999/", "rfc1738", "", "foo - - - - //h:99999/ - -", "no port of TCP: no common syntax"),
    ("foo:/.//p", "browser", "", "foo - - - - /.//p - -", "no authority"),
    ("mailto:a@b?c", "browser", "", "mailto - - - - a@b c -", "every scheme has a query"),
    ("http://:p@h/", "browser", "", "http '' p h - / - -", "a password without a user"),
    ("http://[::1]:8/", "browser", "", "http - - [::1] 8 / - -", "an address"),
]
"""Text, grammar, how the URL is written if otherwise, its components (- is none, '' is empty), and why."""


@each_row(("text", "grammar", "written", "components", "reason"), READ, ids=[row[4] for row in READ])
def test_what_a_grammar_reads(text: str, grammar: Any, written: str, components: str, reason: str) -> None:
    if not components:
        with pytest.raises(URLSyntaxError):
            parse(text, grammar)
        return
    url = parse(text, grammar)
    assert isinstance(url, URL)
    assert str(url) == (written or text)
    values = [getattr(url, name) for name in NAMES]
    assert " ".join("-" if value is None else "''" if value == "" else str(value) for value in values) == components


def test_the_front_door_is_the_same() -> None:
    for grammar in ("current", "rfc1738", "rfc1738-draft07", "browser"):
        url = anyurl.parse("http://host.dom/path", grammar)
        assert url == parse("http://host.dom/path", grammar)
    with pytest.raises(URLSyntaxError):
        anyurl.parse("http://host.dom/~", "rfc1738")


def test_a_url_of_another_grammar_is_copied_and_pickled_as_it_was_read() -> None:
    for text, grammar in (("news://a/b@h.dom", "rfc1738"), ("http://h/a|b", "browser"), ("http://h/", "rfc1738")):
        url = parse(text, grammar)  # type: ignore[arg-type]
        for again in (copy.copy(url), copy.deepcopy(url), pickle.loads(pickle.dumps(url))):
            assert [getattr(again, name) for name in NAMES] == [getattr(url, name) for name in NAMES]


@each_row("grammar", ["rfc1738", "rfc1738-draft07"])
@each_row(
    ("text", "path", "query"),
    [
        ("snews:/a?b#", "/a?b", None),
        ("data:a?b#", "a?b", None),
        ("ftps://h/a?b#", "/a?b", None),
        ("x:/a?b#", "/a", "b"),
    ],
)
def test_a_fragment_that_is_encoded_changes_no_other_component(
    grammar: Any, text: str, path: str, query: str | None
) -> None:
    """Whether a scheme that the documents leave open has a query hangs on the scheme, and on nothing behind it."""
    for fragment in ("f", "%7C", "|", "#"):
        url = parse(text + fragment, grammar)
        assert (url.path, url.query) == (path, query)
        assert parse(str(url), grammar) == url
        assert url.replace(path=url.path) == url
        assert (url.without_fragment().path, url.join("#|").path) == (path, path)


def test_the_draft_lets_a_port_pass_that_no_url_holds() -> None:
    """Five well-known clients take such a port modulo 65,536: 65561 is the mail server's."""
    with pytest.raises(URLSyntaxError, match="a port is a TCP port, at most 65535"):
        parse("http://h:65561/", "rfc1738-draft07")


def test_an_error_names_the_first_fault_and_has_them_all() -> None:
    with pytest.raises(URLSyntaxError) as caught:
        parse("HTTP://u@h/ x#", "rfc1738")
    assert str(caught.value).startswith("an http URL can't have a user name or password (RFC 1738 3.3, at character 8)")
    assert [one.code for one in caught.value.diagnostics] == ["userinfo", "space", "scheme-case", "fragment"]


def test_octets() -> None:
    assert str(parse(b"http://h/a", "rfc1738")) == "http://h/a"
    assert str(parse("http://h/é".encode(), "browser")) == "http://h/%C3%A9"
    with pytest.raises(URLSyntaxError):
        parse(b"http://h/\xff", "rfc1738")


def test_every_door_means_today_unless_told() -> None:
    """``~`` is unreserved today and unsafe in RFC 1738: no door may take one grammar for the other."""
    text = "http://host.dom/~a"
    assert anyurl.parse(text) == parse(text) == URL(text) == anyurl.fix(text)
    assert [one.severity for one in anyurl.diagnose(text)] == ["remark"]
    assert anyurl.diagnose(text) == anyurl.diagnose(text, "current") == anyurl.explain(text).readings[0].diagnostics
    assert [found.url for found in anyurl.find(text)] == [URL(text)]
    for door in (anyurl.parse, parse, anyurl.diagnose, anyurl.find):
        assert inspect.signature(door).parameters["grammar"].default == "current"
