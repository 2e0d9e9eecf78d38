"""Interceptor: sits between a dialogue and the scheduler, and sees all asks and answers.

Rule: it changes, counts or reports; errors are passed on to the dialogue, which is closed with the interceptor.
"""

from __future__ import annotations

from typing import Any

from anyurl.dialogue.ask import Ask
from anyurl.dialogue.asks import Dialogue, Emit
from anyurl.dialogue.values import Follow
from anyurl.errors import AnyURLError


class Interceptor:
    """The base class, which changes nothing."""

    __slots__ = ()

    def ask(self, ask: Ask[Any]) -> Ask[Any] | None:
        """The ask to pass on: the same, another one, or None to end the dialogue."""
        return ask

    def answer(self, ask: Ask[Any], answer: Any) -> None:
        """Called with each answer, before the dialogue gets it."""

    def end(self, follow: Follow | None) -> None:
        """Called when the dialogue has ended, with its result."""

    def over(self, dialogue: Dialogue) -> Dialogue:
        """The dialogue, with this interceptor around it."""
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
    """Ends a dialogue after the wanted number of results: only some servers accept a limit.

    Args:
        count: Number of results wanted.
    """

    __slots__ = ("_left", "_has_more")

    def __init__(self, count: int) -> None:
        self._left = count
        self._has_more = False

    def ask(self, ask: Ask[Any]) -> Ask[Any] | None:
        """Cut the results off at the wanted number, and end the dialogue at the next ask."""
        if self._has_more:
            return None
        if not isinstance(ask, Emit) or isinstance(ask.content, bytes):
            return ask
        wanted, self._left = self._left, self._left - len(ask.content)
        if self._left >= 0:
            return ask
        self._has_more = True
        return Emit(ask.content[:wanted]) if wanted else None
