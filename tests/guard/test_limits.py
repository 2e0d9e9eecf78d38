"""Limits as values."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from anyurl.guard.limits import Limits
from anyurl.guard.policy import Policy

ROOT = Path(__file__).parents[2]


def test_limits_are_immutable_values() -> None:
    assert Limits() == Limits(connect=10.0)
    assert Limits().replace(redirects=3).redirects == 3
    assert Limits().replace(redirects=3) != Limits()
    with pytest.raises(AttributeError, match="immutable"):
        Limits().idle = 3
    with pytest.raises(TypeError, match=r"^there is no limit 'patience'; there are connect, .*, open_connections$"):
        Limits().replace(patience=1)


@pytest.mark.parametrize("change", [Policy.untrusted().replace, Policy])
def test_a_limit_that_is_misspelled_is_told_its_neighbour(change: Any) -> None:
    with pytest.raises(TypeError, match=r"no limit 'max_byte'; .*; did you mean 'max_bytes'"):
        change(limits={"max_byte": 500_000})


def test_a_limit_beside_the_limits_is_told_its_place() -> None:
    change: Any = Policy.untrusted().replace
    with pytest.raises(TypeError, match=r"^max_bytes is a limit of a policy; limits=\{'max_bytes'"):
        change(max_bytes=500_000)


@pytest.mark.parametrize(
    "changes",
    [{"connect": 0}, {"idle": -1}, {"total": 0.0}, {"idle": float("nan")}, {"redirects": -1}, {"open_connections": 0}],
)
def test_a_limit_that_is_none_is_an_error(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the limit"):
        Limits(**changes)


def test_a_clock_may_be_shorter_than_a_second() -> None:
    assert Limits(connect=0.5, idle=0.25, total=0.125).total == 0.125


def test_zero_is_a_limit_of_a_count() -> None:
    assert Limits(redirects=0, max_bytes=0).max_bytes == 0


def _table() -> dict[str, tuple[float | None, ...]]:
    """The table of limits of SECURITY.md: for each, what default, untrusted and open have."""
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", (ROOT / "SECURITY.md").read_text("utf-8"), re.MULTILINE)
    found: dict[str, tuple[float | None, ...]] = {}
    for name, rest in rows:
        cells = [cell.strip() for cell in rest.split("|")]
        assert len(cells) == 5, f"the row of {name}: a value for each preset, why, and a precedent"
        assert all(cells[3:])
        found[name] = tuple(None if cell == "-" else float(cell.replace(",", "")) for cell in cells[:3])
    return found


def test_the_table_of_limits_says_what_the_code_does() -> None:
    presets = [policy.limits for policy in (Policy.default(), Policy.untrusted(), Policy.open())]
    assert _table() == {name: tuple(getattr(limits, name) for limits in presets) for name in Limits.__slots__}


def test_a_strangers_url_has_no_limit_that_is_none() -> None:
    limits = Policy.untrusted().limits
    assert all(getattr(limits, name) for name in Limits.__slots__)
    assert (limits.total, limits.max_bytes, limits.max_read) == (300.0, 1 << 30, 1 << 26)
