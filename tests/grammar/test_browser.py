"""The browsers' grammar at our door: bases, setters, octets; what they read is the Web Platform Tests' to say."""

from __future__ import annotations

import subprocess
import sys

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.grammar import browser, diagnose, parse
from anyurl.url import URL
from tests.rows import each_row


def test_a_relative_reference_needs_a_base() -> None:
    assert str(browser.parse("../g", "http://a/b/c/d")) == "http://a/b/g"
    assert str(browser.parse("//x/y", URL("http://a/b"))) == "http://x/y"
    with pytest.raises(URLSyntaxError, match="a browser needs a scheme, or a base"):
        browser.parse("../g")
    with pytest.raises(URLSyntaxError):
        browser.parse("../g", "mailto:a@b")


def test_attributes_are_set_as_a_script_does() -> None:
    url = parse("http://u:p@h:8080/a?b#c", "browser")
    assert str(browser.replace(url, host="x.y:80", pathname="/p q", search="", hash="z")) == "http://u:p@x.y/p%20q#z"
    assert str(browser.replace(url, username="", password="", port="")) == "http://h/a?b#c"
    assert browser.replace(url, port="99999", protocol="no such") == url, (
        "what an attribute can't have leaves it as it is"
    )
    assert str(browser.replace(url, href="https://other/")) == "https://other/"
    with pytest.raises(URLSyntaxError):
        browser.replace(url, href="nothing")
    with pytest.raises(TypeError, match="'origin' is not an attribute of a browser's URL; there are href, protocol"):
        browser.replace(url, origin="x")
    with pytest.raises(URLSyntaxError):
        browser.replace(parse("1http://h/", "rfc1738"), hash="x")


def test_what_is_no_character_becomes_the_replacement_character() -> None:
    assert str(browser.parse("http://h/\ud800")) == "http://h/%EF%BF%BD"
    assert str(browser.parse("http://h/\ud83d\ude00")) == "http://h/%F0%9F%98%80", (
        "a pair of surrogates is one character"
    )
    assert str(browser.parse(b"http://h/\xff")) == "http://h/%EF%BF%BD"


def test_a_text_beyond_the_limit_is_refused() -> None:
    with pytest.raises(URLSyntaxError, match="at most 65,536 characters"):
        browser.parse("http://h/" + "a" * 65_536)


@each_row(
    ("text", "code", "span"),
    [
        ("http://a:99999/", "port", (9, 14)),
        ("http://h:x/", "port", (9, 10)),
        ("http://[::1]:99999/", "port", (13, 18)),
        ("http://a<b:99999/", "host", (7, 10)),  # another port would not help
        ("http://1.2.3.4.5:99999/", "host", (7, 16)),
        ("http://[x:1/", "host", (7, 9)),
        ("http://u:p@a b:99999/x", "host", (11, 14)),
        ("http://:1/", "host-empty", (7, 7)),
        ("  http://h:x/", "port", (11, 12)),  # what a browser strips counts
        ("\t http://a<b/x", "host", (9, 12)),
        (" http://:1/", "host-empty", (8, 8)),
    ],
)
def test_the_fault_that_stops_a_browser_is_told(text: str, code: str, span: tuple[int, int]) -> None:
    assert [(one.code, one.span) for one in diagnose(text, "browser")] == [(code, span)]


def test_the_host_alone() -> None:
    assert browser.read_host("http://[::0001]:8/") == "::1"
    assert browser.read_host("http://0300.1/") == "192.0.0.1"
    assert browser.read_host("nothing") is None
    assert browser.read_host("mailto:a@b") == ""


def test_ada_is_loaded_when_the_grammar_is_used_and_not_before() -> None:
    code = (
        "import sys; from anyurl.grammar import diagnose, parse; diagnose('http://h/ x'); parse('a:b', 'rfc1738');"
        "assert 'ada_url' not in sys.modules; parse('http://h/', 'browser'); assert 'ada_url' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
