"""A text of each kind, and all that is found in it: whole, octet by octet, and in pieces of seven."""

from __future__ import annotations

from typing import Any

from tests.rows import each_row
from tests.text.everything import rows, told


@each_row("row", rows(), ids=lambda row: f"{row['format']} {ascii(row['text'])[1:-1][:60]}")
def test_all_that_is_found_in_a_text(row: dict[str, Any]) -> None:
    text, form = row["text"], row["format"]
    assert told(text, form) == row["found"]
    assert told(text, form, 1) == told(text, form, 7) == row["found"]
