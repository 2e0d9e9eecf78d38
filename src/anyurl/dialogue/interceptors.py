"""Interceptor: what stands between a dialogue and the scheduler, and sees what goes to and fro.

Rule: it changes, counts or tells; what is thrown in goes to the dialogue, which is closed when the interceptor is.
"""

from __future__ import annotations

from typing import Any

from anyurl.dialogue.ask import Ask
from anyurl.dialogue.asks import Dialogue, Emit
from anyurl.dialogue.values import Follow
from anyurl.errors import AnyURLError


class Interceptor:
    """One that changes nothing; its subclasses say what they do instead."""

    __slots__ = ()

    def ask(self, ask: Ask[Any]) -> Ask[Any] | None:
        """What is asked in its place: the same, another, or None to end the dialogue there."""
        return ask

    def answer(self, ask: Ask[Any], answer: Any) -> None:
        """The answer to what the dialogue asked for, before it has it."""

    def end(self, follow: Follow | None) -> None:
        """The dialogue is over, and leads there."""

    def over(self, dialogue: Dialogue) -> Dialogue:
        """The same dialogue with this one on its way."""
        answer: Any = None
        error: AnyURLError | None = None
        try:
            while True:
                try:
                    ask = dialogue.send(answer) if error is None else dialogue.throw(error)
                except StopIteration as end:
                    follow: Follow | None = end.value
                    self.end(follow)
                    return follow
                asked = self.ask(ask)
                if asked is None:
                    return None
                answer = error = None
                try:
                    answer = yield asked
                except AnyURLError as problem:
                    error = problem
                else:
                    self.answer(ask, answer)
        finally:
            dialogue.close()


class AtMost(Interceptor):
    """Ends a dialogue when more results come than are wanted: only some indexes can be told how many that are.

    Args:
        count: Results that are wanted.
    """

    __slots__ = ("_left", "_has_more")

    def __init__(self, count: int) -> None:
        self._left = count
        self._has_more = False

    def ask(self, ask: Ask[Any]) -> Ask[Any] | None:
        """The results, as many as are wanted of them; nothing once there were more."""
        if self._has_more:
            return None
        if not isinstance(ask, Emit) or isinstance(ask.content, bytes):
            return ask
        wanted, self._left = self._left, self._left - len(ask.content)
        if self._left >= 0:
            return ask
        self._has_more = True
        return Emit(ask.content[:wanted]) if wanted else None
