"""Which documents are texts, and which texts are HTML."""

from __future__ import annotations

import pytest

from anyurl.access.resource import Description
from anyurl.access.texts import is_html, is_text
from anyurl.dialogue import Describe
from anyurl.url import URL


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
def test_what_is_html(type: str | None, data: bytes, expected: bool) -> None:
    assert is_html(described(type), data) is expected
