"""What of a document is shown as a text, and its links."""

from __future__ import annotations

import pytest

from anyurl.access.resource import Description
from anyurl.dialogue import Describe
from anyurl.url import URL
from anyurl.web.documents import TextLink, is_drawn, is_html, is_text, lines_of, plain


def described(type: str | None) -> Description:
    return Description(URL("http://h/"), Describe("document", type), (), [])


@pytest.mark.parametrize(
    ("type", "data", "expected"),
    [
        ("text/plain", b"\0", True), ("application/json", b"", True), ("image/svg+xml", b"", True),
        ("image/png", b"a", False), ("application/zip", b"a", False), (None, b"a text", True), (None, b"\0", False),
        ("application/octet-stream", "\u00fc".encode()[:1], True), (None, b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8", False),
    ],
)  # fmt: skip
def test_what_is_a_text(type: str | None, data: bytes, expected: bool) -> None:
    assert is_text(described(type), data) is expected


@pytest.mark.parametrize(
    ("type", "data", "expected"),
    [
        ("text/html", b"", True),
        (None, b" <!DOCTYPE html>", True),
        ("text/plain", b"<html", False),
        (None, b"<x", False),
    ],
)
def test_what_is_a_page(type: str | None, data: bytes, expected: bool) -> None:
    assert is_html(described(type), data) is expected


def test_a_text_in_pieces() -> None:
    text = "see http://h/ and http://i/."
    found = [
        TextLink(4, 13, "http://h/", "/a", "http://h/"),
        TextLink(4, 9, "x", "/x", "x"),
        TextLink(18, 27, "", "/b", ""),
    ]
    assert list(lines_of(text, found)) == [
        ("see ", None), ("http://h/", "/a"), (" and ", None), ("http://i/", "/b"), (".", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\r\nb\tc", "a\nb\tc"), ("a\x1b[2J\u202eb", "a\\x1b[2J\\u202eb"), ("a\fb", "a\nb"), ("\udce9", "\\xe9")],
)
def test_a_text_without_what_is_obeyed(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [("A sentence.\nAnother one.\n", False), ("name     size\n", True), ("+----+\n", True), ("a\tb\n", True)],
)
def test_what_wants_letters_of_one_width(text: str, expected: bool) -> None:
    assert is_drawn(text) is expected
