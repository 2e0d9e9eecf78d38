"""SECURITY.md promises what tests hold, and no more: each promise has tests, and a breakage that turns them red."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.architecture.source import ROOT
from tests.architecture.test_documents import script
from tests.clauses.mutations import broken
from tests.clauses.promises import PROMISES

PAGES = script("promises")


def test_the_page_is_what_the_markers_say() -> None:
    """Out of date? ``python docs/promises.py`` writes it."""
    assert PAGES.PAGE.read_text(encoding="utf-8") == PAGES.page()


def test_each_promise_has_a_test_and_each_marker_a_promise() -> None:
    assert PAGES.faults() == []
    assert [name for name, count in Counter(one.id for one in PAGES.promises()).items() if count > 1] == []


def test_each_promise_can_be_broken() -> None:
    """``scripts/mutate`` breaks them, and sees that a test of the promise fails."""
    for name, _, path, function, old, new in PROMISES:
        try:
            broken((ROOT / "src" / "anyurl" / path).read_text(encoding="utf-8"), function, old, new)
        except LookupError as error:
            pytest.fail(f"{name}: {error}")
    assert {id for row in PROMISES for id in row[1].split()} == {one.id for one in PAGES.promises()}
