"""One step of a dialogue: its next ask, or its end; compiled or not."""

from __future__ import annotations

import pytest

from anyurl.dialogue import Dialogue, Follow, Note
from anyurl.errors import LocalProtocolError
from anyurl.net.loop.step import step
from anyurl.url import URL

FIRST, SECOND = Note("first"), Note("second")
ELSEWHERE = Follow(URL("http://127.0.0.1/"), "301")


def dialogue(end: Follow | None, heard: list[object]) -> Dialogue:
    heard.append((yield FIRST))
    heard.append((yield SECOND))
    return end


@pytest.mark.parametrize("end", [None, ELSEWHERE])
def test_a_step_gives_the_next_ask_and_at_the_end_what_the_dialogue_returned(end: Follow | None) -> None:
    heard: list[object] = []
    result: list[Follow | None] = []
    talk = dialogue(end, heard)
    assert step(talk, None, result) is FIRST
    assert step(talk, "one", result) is SECOND
    assert result == []
    assert step(talk, "two", result) is None
    assert (heard, result) == (["one", "two"], [end])


def test_what_a_dialogue_raises_comes_out() -> None:
    def broken() -> Dialogue:
        yield FIRST
        raise LocalProtocolError("No.")

    talk, result = broken(), list[Follow | None]()
    assert step(talk, None, result) is FIRST
    with pytest.raises(LocalProtocolError, match="No"):
        step(talk, None, result)
    assert result == []
