"""What a test leaves behind is found, and an order is one of the same tests."""

from __future__ import annotations

import os
import signal
import sys
from itertools import pairwise
from types import ModuleType

import pytest

import anyurl.errors
from tests import leavings


def left(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    if what == "environment":
        monkeypatch.setenv("ANYURL_LEFT", "1")
    elif what == "folder":
        monkeypatch.chdir("/")
    elif what == "path":
        monkeypatch.setattr(sys, "path", [*sys.path, "/left"])
    elif what == "module":
        monkeypatch.setitem(sys.modules, "anyurl.errors", ModuleType("anyurl.errors"))
    elif what == "attribute":
        monkeypatch.setattr(anyurl, "errors", ModuleType("anyurl.errors"))


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("environment", "the environment: ANYURL_LEFT"), ("folder", "the folder: "), ("path", "sys.path: "),
        ("module", "anyurl.errors is another module now"),
        ("attribute", "anyurl.errors is not the one of its package"),
    ],
)  # fmt: skip
def test_what_is_left_is_found(monkeypatch: pytest.MonkeyPatch, what: str, told: str) -> None:
    before = leavings.now()
    left(monkeypatch, what)
    found = leavings.difference(before, leavings.now())
    monkeypatch.undo()
    assert found
    assert found[0].startswith(told)
    assert leavings.difference(before, leavings.now()) == []


def test_what_is_loaded_is_known_when_it_comes_and_when_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """All modules are looked at only where their number has changed."""
    before = leavings.now().modules
    assert leavings.now().modules is before
    new = ModuleType("anyurl.new")
    monkeypatch.setitem(sys.modules, "anyurl.new", new)
    after = leavings.now()
    assert after.modules == {**before, "anyurl.new": new}
    monkeypatch.setitem(sys.modules, "anyurl.new", ModuleType("anyurl.new"))
    assert leavings.difference(after, leavings.now()) == ["anyurl.new is another module now"]
    monkeypatch.undo()
    assert leavings.now().modules == before


def test_a_handler_that_is_left_is_found() -> None:
    before = leavings.now()
    handler = signal.signal(signal.SIGTERM, lambda *_: None)
    found = leavings.difference(before, leavings.now())
    signal.signal(signal.SIGTERM, handler)
    assert len(found) == 1
    assert found[0].startswith("signals: ")


def test_a_module_that_was_forgotten_is_there_again() -> None:
    before, old = leavings.now(), anyurl.errors
    leavings.put("anyurl.errors", None)
    assert "anyurl.errors" not in sys.modules
    assert not hasattr(anyurl, "errors")
    leavings.put("anyurl.errors", old)
    assert leavings.difference(before, leavings.now()) == []


def test_an_order_has_each_test_once_and_each_file_together() -> None:
    tests = [(file, number) for file in "abc" for number in range(9)]
    orders = [leavings.shuffled(tests, seed, lambda test: test[0]) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    for order in orders:
        assert sorted(order) == tests
        assert len([1 for one, two in pairwise(order) if one[0] != two[0]]) == 2


def test_the_environment_is_the_one_of_all_tests() -> None:
    assert os.environ["ANYURL_CONFIG"] == ""
