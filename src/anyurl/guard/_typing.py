"""What type checkers are told of ``replace``: it takes what the constructor takes, and no other name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Concatenate, ParamSpec, TypeVar

    P = ParamSpec("P")
    S = TypeVar("S")
    V = TypeVar("V")


def as_made_by(
    _constructor: Callable[Concatenate[S, P], None],
) -> Callable[[Callable[..., V]], Callable[Concatenate[S, P], V]]:
    """Decorate a method that takes any of the constructor's arguments, all of which have defaults."""
    return lambda method: method
