"""Markdown: escapes and destinations."""

from __future__ import annotations

from anyurl.text import find
from tests.text.readers.contract import Contract


def test_an_address_in_angle_brackets_is_a_link() -> None:
    text = "mail <joe@example.org>, <a+b#c@h.org> or joe@host.dom; <no\\@host.dom> <joe@-h.org>"
    for emails in (False, True):
        found = [(str(each), each.raw, each.kind) for each in find(text, format="markdown", emails=emails)]
        assert found[:2] == [
            ("mailto:joe@example.org", "joe@example.org", "email"), ("mailto:a+b%23c@h.org", "a+b#c@h.org", "email"),
        ]  # fmt: skip
        assert (len(found) > 2) is emails


def test_a_url_in_angle_brackets_binds_tighter_than_a_link() -> None:
    found = list(find("[a](<https://h/?a=](x)>) <https://h/?b=](x)> [c](d)", format="markdown", base="http://b/"))
    assert [str(each) for each in found] == ["https://h/?a=%5D(x)", "https://h/?b=%5D(x)", "http://b/d"]


class TestMarkdown(Contract):
    format = "markdown"
    samples = [
        (
            b"[V8](http://h/V8_\\(JavaScript_engine\\)) x",
            [("http://h/V8_(JavaScript_engine)", "http://h/V8_\\(JavaScript_engine\\)", "markdown")],
        ),
        (
            b'[a](http://h/a?b&amp;c "t") [b](<http://h/a b>)',
            [("http://h/a?b&c", "http://h/a?b&amp;c", "markdown"), ("http://h/a%20b", "http://h/a b", "markdown")],
        ),
        (
            b"[a](\n  http://h/x_(y_(z))) [n]\n\n[n]:\n http://i/",
            [("http://h/x_(y_(z))", "http://h/x_(y_(z))", "markdown"), ("http://i/", "http://i/", "markdown")],
        ),
        (
            b"see http://h/a\\_b\\(c\\). **http://i/\\*** (http://j/\\_k) [x](http://l/\\_) http://m/`\\`",
            [
                ("http://h/a_b(c)", "http://h/a\\_b\\(c\\)", "bare"),
                ("http://i/", "http://i/", "bare"),
                ("http://j/_k", "http://j/\\_k", "bare"),
                ("http://l/_", "http://l/\\_", "markdown"),
                ("http://m/", "http://m/", "bare"),
            ],
        ),
        (  # CommonMark 6.5: between angle brackets nothing is escaped
            b"x <http://h/a\\b> <http://h/a\\_b>\n<http://h/a\\_b c>, <x:a\\b>",
            [
                ("http://h/a%5Cb", "http://h/a\\b", "angle"),
                ("http://h/a%5C_b", "http://h/a\\_b", "angle"),
                ("http://h/a_b", "http://h/a\\_b", "bare"),
            ],
        ),
        (b"<http://h/a> http://i/.", [("http://h/a", "http://h/a", "angle"), ("http://i/", "http://i/", "bare")]),
    ]
    pieces = (b"](", b"[a](", b")", b"\\(", b"\\)", b"<", b">", b"[n]:", b"\n", b" ", b"(", b"&amp;", b"> ")
    hostile = (
        b"http://h/",
        b"http://a\\_b,",
        b"a://\\",
        b"](",
        b"[a](b\\",
        b"[",
        b"[a]:\n",
        b"](\n",
        b"](((",
        b"[a](<",
        b"\\[]:",
        b"\\[\\]:",
    )
