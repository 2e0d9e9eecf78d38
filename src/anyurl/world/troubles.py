"""Troubles on the way: faults of a network for datagrams, at random but the same on each run with the same seed."""

from __future__ import annotations

import random


class Troubles:
    """Loses, doubles, delays and so reorders datagrams.

    Args:
        lost: The part that does not arrive, 0 to 1.
        doubled: The part that arrives twice.
        held: The part that is held back, so that others overtake it.
        delay: Seconds that every datagram takes.
        hold: Seconds that one is held back for at most.
        seed: Of the random numbers.
    """

    def __init__(
        self,
        *,
        lost: float = 0.0,
        doubled: float = 0.0,
        held: float = 0.0,
        delay: float = 0.0,
        hold: float = 0.05,
        seed: int = 1738,
    ) -> None:
        self._lost = lost
        self._doubled = doubled
        self._held = held
        self._delay = delay
        self._hold = hold
        self._random = random.Random(seed)

    def fate(self) -> list[float]:
        """Seconds after which each copy of a datagram arrives; none when it is lost."""
        chance = self._random.random
        copies = 2 if chance() < self._doubled else 1
        return [
            self._delay + (chance() * self._hold if chance() < self._held else 0.0)
            for _ in range(copies)
            if chance() >= self._lost
        ]
