"""One step of a dialogue; compiled, it ends without raising StopIteration, which costs as much as a small ask."""

from __future__ import annotations

from typing import Any

from anyurl.dialogue import Ask, Dialogue, Follow


def step(dialogue: Dialogue, answer: Any, result: list[Follow | None]) -> Ask[Any] | Any:
    """Send an answer and return the next ask; None at the end of the dialogue, whose value is added to `result`.

    Raises whatever the dialogue raises.
    """
    try:
        return dialogue.send(answer)
    except StopIteration as stop:
        result.append(stop.value)
        return None
