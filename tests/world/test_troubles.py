"""What happens to datagrams on the way: each trouble by itself, and the same at each run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.world.prospero import Troubles

MANY = 2000


def fates(**troubles: float) -> list[list[float]]:
    made = Troubles(**troubles)  # type: ignore[arg-type]
    return [made.fate() for _ in range(MANY)]


def test_without_troubles_each_arrives_once_and_at_once() -> None:
    assert fates() == [[0.0]] * MANY
    assert fates(delay=0.25) == [[0.25]] * MANY


def test_each_trouble_when_it_is_certain() -> None:
    assert fates(lost=1.0) == fates(lost=1.0, doubled=1.0, held=1.0) == [[]] * MANY
    assert fates(doubled=1.0, delay=1.0) == [[1.0, 1.0]] * MANY
    held = [seconds for (seconds,) in fates(held=1.0, delay=2.0, hold=0.5)]
    assert min(held) >= 2.0
    assert 2.45 < max(held) < 2.5
    assert len(set(held)) > MANY // 2
    assert max(seconds for (seconds,) in fates(held=1.0)) < 0.05


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_part_of_them_has_the_trouble(part: float) -> None:
    some = pytest.approx(part * MANY, abs=0.05 * MANY)
    assert sum(not fate for fate in fates(lost=part)) == some
    assert sum(len(fate) == 2 for fate in fates(doubled=part)) == some
    assert sum(fate != [0.0] for fate in fates(held=part)) == some
    # Each copy is lost by itself.
    assert sum(map(len, fates(lost=part, doubled=1.0))) == pytest.approx(2 * (1 - part) * MANY, abs=0.1 * MANY)


@given(st.integers(), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_same_seed_has_the_same_fates(seed: int, lost: float, doubled: float, held: float) -> None:
    one, other = (Troubles(lost=lost, doubled=doubled, held=held, delay=1.0, seed=seed) for _ in range(2))
    for _ in range(20):
        fate = one.fate()
        assert fate == other.fate()
        assert len(fate) <= 2
        assert all(1.0 <= seconds <= 1.05 for seconds in fate)


def test_another_seed_has_others() -> None:
    first, second, default = (Troubles(lost=0.5, **more) for more in ({"seed": 1}, {"seed": 2}, {}))
    runs = [[len(each.fate()) for _ in range(64)] for each in (first, second, default, Troubles(lost=0.5, seed=1738))]
    assert runs[0] != runs[1]
    assert runs[2] == runs[3]
