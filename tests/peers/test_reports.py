"""What users of other programs reported does not happen here."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.peers.reports import REPORTS, Report

ROOT = Path(__file__).resolve().parents[2]
COUNT = 76
"""The reports that were collected."""


@pytest.mark.parametrize("row", REPORTS, ids=lambda row: ", ".join(row.where))
def test_a_public_report(row: Report, tmp_path: Path) -> None:
    if isinstance(row.held, str):
        file, _, name = row.held.partition("::")
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    else:
        row.held(tmp_path)


def test_no_report_is_missing() -> None:
    where = [each for row in REPORTS for each in row.where]
    assert len(where) == len(set(where)) == COUNT
