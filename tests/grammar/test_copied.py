"""What a person copies with a URL: what is taken off, and what is not."""

from __future__ import annotations

import pytest

from anyurl.grammar.copied import destination, has_tail, narrowed, peeled
from tests.rows import each_row


@each_row(
    ("text", "inner"),
    [
        ("“x.org”,", "x.org"),
        ("[2] x.org", "x.org"),
        ("&quot;x.org&quot;", "x.org"),
        ("x.org ⇒", "x.org"),
        ("URL = 'https://x.org/", "https://x.org/"),
        ("view-source:https://x.org/", "view-source:https://x.org/"),  # no label: it would be another URL
        ("[::1]", "[::1]"),  # an address, and no brackets around it
        ("x.org/a_(b)", "x.org/a_(b)"),
    ],
)
def test_what_stands_around_a_url_is_taken_off(text: str, inner: str) -> None:
    assert peeled(text) == (inner, inner != text)


@each_row(
    ("text", "found"),
    [
        ("[a](http://x.org/a)", "http://x.org/a"),
        ("see [a](http://x.org/a) there", "http://x.org/a"),
        ("[a](http://x.org/a) [b](http://x.org/b)", None),
        ("<a class='b' href='/a?b&amp;c'>", "/a?b&c"),
        ("[http://x.org/a|a]", "http://x.org/a"),
        ("\\href{http://x.org/a}{b}", "http://x.org/a"),
        ("`a <b>`__", "b"),
        ("`a <b>`", None),
        ("[a] (b)", None),
    ],
)
def test_the_destination_of_one_link(text: str, found: str | None) -> None:
    assert destination(text) == found


@pytest.mark.parametrize(
    ("text", "narrow"),
    [
        ("ｈｔｔｐ：／／ｘ．ｏｒｇ", "http://x.org"),
        ("x.org/ａ：ｂ", "x.org/ａ：ｂ"),  # a path may be written so
        ("ｘ．ｏｒｇ：８０", "x.org:80"),
        ("１．２．３．４／", "１．２．３．４／"),  # an address to some readers
    ],
)
def test_wide_characters(text: str, narrow: str) -> None:
    assert narrowed(text) == narrow


@pytest.mark.parametrize(
    ("text", "ends"), [("a。", True), ("a\u200b", True), ("a」", True), ("aé", False), ("a.", False)]
)
def test_an_end_that_no_url_has(text: str, ends: bool) -> None:
    assert has_tail(text) == ends
