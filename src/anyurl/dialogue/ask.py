"""Ask: the base of all asks, and what ``yield from`` makes of one.

Rule: nothing but that. An ask is subscripted by the type of its answer, for type checkers only.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from typing import Generic

    class _Answered(Generic[T]): ...

else:

    class _Answered:
        """In the place of `typing.Generic`, which would take a millisecond of each start for the asks' classes."""

        __slots__ = ()

        def __class_getitem__(cls, answer):
            return cls


class Ask(_Answered[T]):
    """A request of a dialogue; ``answer = yield from ask`` waits for the answer, of type T."""

    __slots__ = ()

    def __iter__(self) -> Generator[Ask[Any], Any, T]:
        answer: T = yield self
        return answer
