"""One step of a dialogue; compiled, its end is no exception, which would cost as much as a small ask."""

from __future__ import annotations

from typing import Any

from anyurl.dialogue import Ask, Dialogue, Follow


def step(dialogue: Dialogue, answer: Any, result: list[Follow | None]) -> Ask[Any] | Any:
    """Send an answer, and get the next ask; None when the dialogue has ended, whose value is then added to `result`.

    Raises what the dialogue raises.
    """
    try:
        return dialogue.send(answer)
    except StopIteration as stop:
        result.append(stop.value)
        return None
