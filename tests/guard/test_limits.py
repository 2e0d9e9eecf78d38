"""Limits as values."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.guard.limits import Limits


def test_limits_are_immutable_values() -> None:
    assert Limits() == Limits(connect=10.0)
    assert Limits().replace(redirects=3).redirects == 3
    assert Limits().replace(redirects=3) != Limits()
    with pytest.raises(AttributeError, match="immutable"):
        Limits().idle = 3
    with pytest.raises(TypeError):
        Limits().replace(patience=1)


@pytest.mark.parametrize(
    "changes", [{"connect": 0}, {"idle": -1}, {"total": 0.0}, {"idle": float("nan")}, {"redirects": -1}]
)
def test_a_limit_that_is_none_is_an_error(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the limit"):
        Limits(**changes)


def test_zero_is_a_limit_of_a_count() -> None:
    assert Limits(redirects=0, max_bytes=0).max_bytes == 0
