"""What RFC 1738 accepts, character by character and rule by rule (section 5)."""

from __future__ import annotations

import re
from itertools import product

import pytest

from anyurl.grammar import bnf
from tests.grammar.judges import accepts
from tests.rows import each_row


@each_row("code", range(256))
def test_every_character_in_every_place(code: int) -> None:
    """One character at a time, against the productions' data."""
    char, data = chr(code), bnf.load("rfc1738")
    places = {
        "http://h/{}": "hpath",
        "http://h/?{}": "search",
        "ftp://{}@h": "user",
        "ftp://h/{}": "fpath",
        "x:{}": "xchar",
    }
    for form, production in places.items():
        url = form.format(char)
        allowed = char in data.characters(production) or char == "#" or (production == "hpath" and char == "?")
        if production == "user":
            allowed = char in data.characters("user") | {":"}
        assert accepts(url) is allowed, url


@pytest.mark.parametrize(
    ("text", "allowed"), [("newsx:a/", True), ("new:a/", True), ("news:a/", False), ("xnews:a/", True)]
)
def test_a_scheme_that_begins_as_another_one_is_its_own(text: str, allowed: bool) -> None:
    assert accepts(text) is allowed


def test_a_text_at_the_limit() -> None:
    text = "x:" + "a" * 65_534
    assert accepts(text)
    assert not accepts(text + "a")


def test_what_stands_behind_the_fragment_mark_is_not_looked_at() -> None:
    assert accepts("http://host.dom/#\x00 é")
    assert not accepts("http://host.dom/é#")
    assert not accepts("http://host.dom/\x00#")


def test_the_terminating_nul_is_not_one_of_the_text() -> None:
    """Behind the text stands a NUL in memory; one inside it is a character, and wrong."""
    assert not accepts("http://host.dom\x00")
    assert not accepts("\x00")
    assert not accepts("")
    assert not accepts("http")
    assert not accepts("%")
    assert not accepts("http://host.dom/%")
    assert not accepts("http://host.dom/%4")


_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = re.compile(
    rf"(?:{_LABEL}\.)*(?![0-9]){_LABEL}"  # RFC 1738 5: hostname
    r"|(?:(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])\.){3}(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])"
)


def test_every_short_host_is_one_by_the_grammar_or_none() -> None:
    for length in range(1, 6):
        for host in map("".join, product("a1-.", repeat=length)):
            assert accepts(f"http://{host}/") == bool(_HOST.fullmatch(host)), host
    for host in ("1.1.1.1", "1.1.1", "255.255.255.255", "256.1.1.1", "1.1.1.1.1", "1.1.1.a", "a.1"):
        assert accepts(f"http://{host}/") == bool(_HOST.fullmatch(host)), host


def test_a_label_and_a_host_have_a_length() -> None:
    """RFC 1034 3.1."""
    for label in (62, 63, 64):
        assert accepts(f"http://{'a' * label}.b/") is (label < 64)
        assert accepts(f"http://b.{'a' * label}/") is (label < 64)
    for last in (60, 61, 62, 63):
        host = ".".join(["a" * 63] * 3 + ["b" * last])
        assert accepts(f"http://{host}/") is (len(host) <= 255), len(host)


@each_row(
    ("part", "allowed"),
    [
        ("*", True), ("**", False), ("", False), ("a", True), ("a.b-c+d_9", True), ("9a", False), ("-a", False),
        ("a*", False), ("a@h.dom", True), ("@h.dom", False), ("a@", False), ("a@h", True), ("a@h.", False),
        ("a@h.dom@i.dom", False), ("a%41b@h.dom", True), ("a/b?c&d;e=f:g@h.dom", True), ("a@127.0.0.1", True),
    ],
)  # fmt: skip
def test_what_a_news_url_names(part: str, allowed: bool) -> None:
    """RFC 1738 5: a group that begins with a letter, an article with something before its ``@``, or all groups."""
    assert accepts(f"news:{part}") is allowed
