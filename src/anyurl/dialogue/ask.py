"""Ask: the base class of all asks, and what ``yield from`` does with one.

Rule: nothing else belongs here. An ask is subscripted with the type of its answer, for type checkers only.
"""

from __future__ import annotations

from collections.abc import Generator

from anyurl._typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from typing import Generic

    class _Answered(Generic[T]): ...

else:

    class _Answered:
        """Replaces `typing.Generic`, which would add a millisecond to each start for the classes of the asks."""

        __slots__ = ()

        def __class_getitem__(cls, answer):
            return cls


class Ask(_Answered[T]):
    """A request of a dialogue; ``answer = yield from ask`` waits for the answer, of type T."""

    __slots__ = ()

    def __iter__(self) -> Generator[Ask[Any], Any, T]:
        answer: T = yield self
        return answer
