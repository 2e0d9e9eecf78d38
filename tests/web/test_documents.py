"""What of a document is shown as a text, and its links."""

from __future__ import annotations

import pytest

from anyurl.web.documents import TextLink, is_drawn, lines_of, plain


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
