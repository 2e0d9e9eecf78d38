"""Ask: the base class of all asks, and its meaning for ``yield from``.

Rule: nothing else belongs here. An ask is subscripted with the type of its answer, for type checkers only.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Generic, TypeVar

from anyurl.values import Struct

T = TypeVar("T")


class Ask(Struct, Generic[T]):
    """A request of a dialogue; ``answer = yield from ask`` waits for the answer, of type T."""

    def __repr__(self) -> str:
        # Octets may be those of a login, as in ``PASS ...``: only their number is shown.
        names = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ()) if name[0] != "_"]
        fields = {name: getattr(self, name) for name in names}
        shown = {
            name: f"<{len(value)} octets>" if isinstance(value, bytes) else repr(value)
            for name, value in fields.items()
        }
        return f"{type(self).__name__}({', '.join(f'{name}={text}' for name, text in shown.items())})"

    def __iter__(self) -> Generator[Ask[Any], Any, T]:
        answer: T = yield self
        return answer
