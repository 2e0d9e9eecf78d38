"""Markdown: escapes and destinations."""

from __future__ import annotations

from tests.text.readers.contract import Contract


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
    )
