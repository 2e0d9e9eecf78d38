"""Media types by suffix."""

from __future__ import annotations

import pytest

from anyurl.schemes.kit.media import TYPES, guess_type, suffix_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.txt", "text/plain"), ("a.TXT", "text/plain"), ("a.tar.gz", "application/gzip"), ("README", "text/plain"),
        ("a.html", "text/html"), ("a", None), (".profile", None), (".txt", None), ("a.", None), ("a.unheard-of", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_suffix_suggests_a_type(name: str, expected: str | None) -> None:
    assert guess_type(name) == expected


@pytest.mark.parametrize(
    ("type", "suffix"),
    [("image/png", ".png"), ("text/plain", ".txt"), ("image/svg+xml", ".svg"), ("text/xml", ""), ("x/y", "")],
)
def test_a_type_suggests_a_suffix_that_suggests_it(type: str, suffix: str) -> None:
    assert suffix_of(type) == suffix
    assert not suffix or guess_type(f"data{suffix}") == type


def test_the_table_is_in_lower_case_and_in_order() -> None:
    assert list(TYPES) == sorted(TYPES)
    assert [suffix for suffix in TYPES if suffix != suffix.lower() or "." in suffix] == []
    assert [media for media in TYPES.values() if media.count("/") != 1] == []
