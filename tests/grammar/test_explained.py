"""A text of each kind, and all that is said of it: every component, complaint, piece, difference and remedy."""

from __future__ import annotations

import json
from typing import Any

from tests.grammar.explained import rows, said
from tests.rows import each_row


@each_row("row", rows(), ids=lambda row: ascii(row["text"])[1:-1][:60])
def test_all_that_is_said_of_a_text(row: dict[str, Any]) -> None:
    assert json.loads(json.dumps(said(row["text"]))) == row
