"""How HTML is told; what is found in it: test_hypertext.py."""

from __future__ import annotations

import pytest

from anyurl.text import find
from tests.text.readers.contract import Contract


class TestHtml(Contract):
    format = "html"
    samples = [
        (
            b"<p>http://h/a.<a class=x href='http://h/b?c&amp;d' title=\"see http://i/\">http://h/b</a>",
            [
                ("http://h/a", "http://h/a", "html-text"),
                ("http://h/b?c&d", "http://h/b?c&amp;d", "html-attribute"),
                ("http://i/", "http://i/", "html-attribute"),
                ("http://h/b", "http://h/b", "html-text"),
            ],
        ),
        (
            b"<!-- http://a/ --><script>'http://b/'</SCRIPT>\n<title><a href=http://c/></title><![CDATA[http://d/]]>\xc3\xa9",
            [("http://c/", "http://c/", "html-text")],
        ),
        (
            b"<img srcset='http://h/1 1x, http://h/2,\n'>",
            [
                ("http://h/1", "http://h/1", "html-attribute"),
                ("http://h/2", "http://h/2", "html-attribute"),
            ],
        ),
        (
            b"<style>a { background: url(http://h/a) url( 'http://h/b' ) }\n@import \"http://h/c\";</style>",
            [(f"http://h/{name}", f"http://h/{name}", "css") for name in "abc"],
        ),
        (
            b'<p style="x: url(http://h/a)" title="url(http://h/b)">',
            [(f"http://h/{name}", f"http://h/{name}", "css") for name in "ab"],
        ),
        (
            b"<meta http-equiv=refresh content='0; url=http://h/a'> <a href=http://h/b",
            [
                ("http://h/a", "http://h/a", "html-attribute"),
            ],
        ),
    ]
    pieces = (
        b"<a href='", b"<a href=", b"'", b'"', b">", b"<", b"</", b" ", b"\n", b"<!--", b"-->", b"<![CDATA[", b"]]>",
        b"<style>", b"</style>", b"url(", b")", b"<title>", b"</title>", b"&amp;", b"<img srcset='", b",", b"=", b"/",
        b"<base href='", b"<p style='",
    )  # fmt: skip
    hostile = (
        b"<style>",
        b"<a ",
        b"<a href='",
        b"<!--",
        b"</",
        b"<![CDATA[",
        b"<title>",
        b"<img srcset=a,",
        b"url(",
        b"< a",
        b"<p style=\"'/*",
    )


@pytest.mark.parametrize(
    "head", ["<!DOCTYPE html>", "\n<html lang=en>", "<!-- a --> <!-- b -->\n<HTML>", "\ufeff<!doctype HTML>"]
)
def test_a_page_is_told_by_its_beginning(head: str) -> None:
    text = f'{head}<a href="?a&amp;b">'
    assert [str(item) for item in find(text, format="auto", base="http://h/")] == ["http://h/?a&b"]


def test_a_text_about_html_is_none() -> None:
    assert list(find('see <html> <a href="?a">', format="auto", base="http://h/")) == []
