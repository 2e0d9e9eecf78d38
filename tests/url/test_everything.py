"""A text of each kind, and all that a URL says of it: every component, form, reference and fault."""

from __future__ import annotations

from typing import Any

from tests.rows import each_row
from tests.url.everything import rows, said


@each_row("row", rows(), ids=lambda row: ascii(row["text"])[1:-1][:60])
def test_all_that_a_url_says(row: dict[str, Any]) -> None:
    assert said(row["text"]) == row
