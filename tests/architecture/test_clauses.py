"""The map of RFC 1738's statements is made of the tests' markers, and each statement has a test or a reason."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from tests.architecture.source import ROOT
from tests.architecture.test_documents import script
from tests.clauses.mutations import MUTATIONS, broken
from tests.rows import each_row

CLAUSES = script("clauses")


def test_the_map_is_what_the_markers_say() -> None:
    """Out of date? ``python docs/clauses.py`` writes it."""
    assert CLAUSES.PAGE.read_text(encoding="utf-8") == CLAUSES.page()


def test_each_statement_has_a_test_or_a_reason_and_each_marker_a_statement_and_a_test() -> None:
    assert CLAUSES.faults() == []


def test_the_statements_are_numbered_and_in_the_order_of_the_document() -> None:
    rows = CLAUSES.statements()
    assert len(rows) == 232
    assert list(dict.fromkeys(row.clause for row in rows)) == list(CLAUSES.CLAUSES)
    for clause, count in Counter(row.clause for row in rows).items():
        assert [row.id for row in rows if row.clause == clause] == [f"{clause}-{n}" for n in range(1, count + 1)]
    assert all(row.words for row in rows)
    assert all(row.decided.endswith(".") for row in rows if row.decided)


@each_row(
    ("text", "found"),
    [
        ("@pytest.mark.clause('1-1')\ndef test_x(): ...", [("1-1", "test_x")]),
        ("@pytest.mark.clause('1-1', '2-1')\n@other\nasync def test_x(): ...", [("1-1", "test_x"), ("2-1", "test_x")]),
        ("@pytest.mark.parametrize('a', [pytest.param(1, marks=pytest.mark.clause('1-1'))])\ndef test_x(a): ...",
         [("1-1", "test_x")]),
        ("@pytest.mark.clause('1-1')\nclass TestX:\n  @pytest.mark.clause('2-1')\n  def test_y(self): ...",
         [("1-1", "TestX::test_y"), ("2-1", "TestX::test_y")]),
        ("pytestmark = [pytest.mark.clause('1-1')]\ndef test_x(): ...\ndef test_y(): ...",
         [("1-1", "test_x"), ("1-1", "test_y")]),
        ("@pytest.mark.clause('1-1')\ndef helper(): ...", [("1-1", "")]),
        ("ROWS = [pytest.param(1, marks=pytest.mark.clause('1-1'))]", [("1-1", "")]),
        ("def test_x(): ...\ntest_y = pytest.mark.clause('1-1')(test_x)", [("1-1", "")]),
        ("@pytest.mark.clause(NAME)\ndef test_x(): ...", [("NAME", "test_x")]),
        ("def test_x(): '@pytest.mark.clause(1)'", []),
    ],
)  # fmt: skip
def test_a_marker_counts_where_it_stands_on_a_test(text: str, found: list[tuple[str, str]]) -> None:
    assert [(one.id, one.test) for one in CLAUSES.markers_of(ast.parse(text), "x.py")] == found


def test_each_mutation_can_be_applied() -> None:
    """What it breaks stands in its function once; ``scripts/mutate`` applies them, and sees that they are noticed."""
    for name, _, path, function, old, new in MUTATIONS:
        try:
            broken((ROOT / "src" / "anyurl" / path).read_text(encoding="utf-8"), function, old, new)
        except LookupError as error:
            pytest.fail(f"{name}: {error}")
    assert [name for name, count in Counter(row[0] for row in MUTATIONS).items() if count > 1] == []


def test_each_statement_that_has_a_test_has_a_mutation() -> None:
    noticed = {id for row in MUTATIONS for id in row[1].split()}
    assert noticed == {one.id for one in CLAUSES.markers()}
