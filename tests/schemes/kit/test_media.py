"""Media types by suffix, and their parameters."""

from __future__ import annotations

import pytest

from anyurl.schemes.kit.media import TYPES, guess_type, parameters, suffix_of
from tests.rows import each_row


@each_row(
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


@each_row(
    ("text", "found"),
    [
        pytest.param("a/b", ("a/b", {}), id="none"),
        pytest.param("a; x=1; Y=2", ("a", {"x": "1", "y": "2"}), id="tokens"),
        pytest.param('a; x="1; y=2"; z=3', ("a", {"x": "1; y=2", "z": "3"}), id="delimiters inside quotes"),
        pytest.param(r'a; x="1\"\\2"', ("a", {"x": '1"\\2'}), id="quoted pairs"),
        pytest.param("a; x=1; x=2", ("a", {"x": "1"}), id="the first of two counts"),
        pytest.param("a; flag; x=1", ("a", {"x": "1"}), id="a parameter without a value"),
        pytest.param("a; x = 1", ("a", {"x": "1"}), id="spaces where none may be"),
        pytest.param('a; x="1', ("a", {"x": "1"}), id="a quote that never ends"),
        pytest.param('a; x="1\\', ("a", {"x": "1\\"}), id="an escape that never ends"),
        pytest.param("a;;=1;x=2;", ("a", {"x": "2"}), id="empty ones"),
        pytest.param("", ("", {}), id="nothing"),
    ],
)
def test_parameters(text: str, found: tuple[str, dict[str, str]]) -> None:
    assert parameters(text) == found


def test_thousands_of_parameters_cost_little() -> None:
    assert len(parameters("a;" + ";".join(f"p{i}=1" for i in range(20_000)))[1]) == 32
