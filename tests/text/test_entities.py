"""Character references as they stand in URLs."""

from __future__ import annotations

from anyurl.text.entities import unescape
from tests.rows import each_row


@each_row(
    ("text", "meant"),
    [
        ("a&amp;b", "a&b"),
        ("a&AMP;b", "a&b"),
        ("a&#38;b", "a&b"),
        ("a&#x26;b", "a&b"),
        ("a&#38b", "a&b"),
        ("a&ampb", "a&ampb"),
        ("?a=1&copy=2", "?a=1&copy=2"),
        ("?a=1&copy;=2", "?a=1\xa9=2"),
        ("&nosuch;", "&nosuch;"),
        ("&;", "&;"),
        ("&#;", "&#;"),
        ("&#0;", "\ufffd"),
        ("a&amp;amp;b", "a&amp;b"),
        ("plain", "plain"),
    ],
)
def test_references(text: str, meant: str) -> None:
    assert unescape(text) == meant
