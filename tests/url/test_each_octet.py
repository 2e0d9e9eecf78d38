"""Each character of ASCII, and some others, in each place of a URL: what it separates, and where it is an error."""

from __future__ import annotations

from typing import Any

from tests.rows import each_row
from tests.url.each_octet import PLACES, outcomes, rows


@each_row("row", rows(), ids=lambda row: ascii(row["text"])[1:-1])
def test_what_a_character_does(row: dict[str, Any]) -> None:
    assert outcomes(row["text"]) == row["outcomes"]


def test_every_place_is_there() -> None:
    assert [row["text"] for row in rows()] == PLACES
