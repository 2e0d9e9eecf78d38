"""Each character of ASCII, and some others, in each place of a text: whether it begins, ends, cuts or joins a URL."""

from __future__ import annotations

from typing import Any

from tests.rows import each_row
from tests.text.each_octet import PLACES, outcomes, rows


@each_row("row", rows(), ids=lambda row: f"{row['format']} {ascii(row['text'])[1:-1]}")
def test_what_a_character_does(row: dict[str, Any]) -> None:
    assert outcomes(row["format"], row["text"]) == row["outcomes"]


def test_every_place_is_there() -> None:
    assert [(row["format"], row["text"]) for row in rows()] == PLACES
