"""An interceptor sees what goes to and fro, and nothing of a dialogue is lost between it and the scheduler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from anyurl.dialogue import Ask, Channel, Dialogue, Emit, Entry, Follow, Receive, Send
from anyurl.dialogue.interceptors import AtMost, Interceptor
from anyurl.errors import ConnectionLost
from anyurl.url import URL
from tests.rows import each_row


class Witness(Interceptor):
    """Tells what it saw, and asks for other octets than the dialogue did."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def ask(self, ask: Ask[Any]) -> Ask[Any]:
        self.seen.append(type(ask).__name__)
        return Send(ask.channel, ask.data.upper()) if isinstance(ask, Send) else ask

    def answer(self, ask: Ask[Any], answer: Any) -> None:
        self.seen.append(answer)

    def end(self, follow: Follow | None) -> None:
        self.seen.append(follow)


class Conversation:
    """A dialogue that tells what it was answered, and when it ended."""

    def __init__(self, follow: Follow | None = None) -> None:
        self.heard: list[object] = []
        self.follow = follow

    def __call__(self) -> Dialogue:
        channel = Channel()
        try:
            yield from Send(channel, b"hello")
            try:
                self.heard.append((yield from Receive(channel)))
            except ConnectionLost:
                self.heard.append("lost")
            return self.follow
        finally:
            self.heard.append("closed")


def test_asks_are_replaced_and_answers_are_seen_on_their_way() -> None:
    follow = Follow(URL("http://h/"), "moved")
    witness, conversation = Witness(), Conversation(follow)
    dialogue = witness.over(conversation())
    sent = dialogue.send(None)
    assert isinstance(sent, Send)
    assert sent.data == b"HELLO"
    dialogue.send(None)
    with pytest.raises(StopIteration) as end:
        dialogue.send(b"answer")
    assert end.value.value is follow
    assert witness.seen == ["Send", None, "Receive", b"answer", follow]
    assert conversation.heard == [b"answer", "closed"]


def test_what_is_thrown_in_goes_to_the_dialogue_and_is_no_answer() -> None:
    witness, conversation = Witness(), Conversation()
    dialogue = witness.over(conversation())
    dialogue.send(None)
    dialogue.send(None)
    with pytest.raises(StopIteration):
        dialogue.throw(ConnectionLost("It is gone."))
    assert witness.seen == ["Send", None, "Receive", None]
    assert conversation.heard == ["lost", "closed"]


def test_what_a_dialogue_raises_goes_on_to_the_scheduler() -> None:
    conversation = Conversation()
    dialogue = Interceptor().over(conversation())
    dialogue.send(None)
    with pytest.raises(ConnectionLost):
        dialogue.throw(ConnectionLost("It is gone."))
    assert conversation.heard == ["closed"]


def test_a_dialogue_is_closed_with_its_interceptor() -> None:
    conversation = Conversation()
    dialogue = Interceptor().over(conversation())
    dialogue.send(None)
    dialogue.close()
    assert conversation.heard == ["closed"]


def test_a_dialogue_is_closed_though_somebody_holds_it() -> None:
    """So it is where nobody counts references."""
    inner = Conversation()()
    outer = Interceptor().over(inner)
    outer.send(None)
    outer.close()
    assert inner.gi_frame is None


def entries(count: int) -> list[Entry]:
    return [Entry(str(number), None) for number in range(count)]


@each_row(
    ("count", "sizes", "given"),
    [
        (0, [3], []), (1, [3], [1]), (3, [3], [3]), (3, [3, 1], [3]), (4, [3, 1, 1], [3, 1]), (4, [3, 3, 3], [3, 1]),
        (9, [], []), (9, [2, 2], [2, 2]),
    ],
)  # fmt: skip
def test_no_more_results_come_than_are_wanted(count: int, sizes: Sequence[int], given: Sequence[int]) -> None:
    ended: list[str] = []

    def results() -> Dialogue:
        try:
            yield from Emit(b"octets are no results")
            for size in sizes:
                yield from Emit(entries(size))
            return None
        finally:
            ended.append("closed")

    came = [len(ask.content) for ask in AtMost(count).over(results()) if isinstance(ask, Emit)]
    assert came[1:] == given
    assert ended == ["closed"]


def test_nothing_is_asked_for_after_the_last_result_that_is_wanted() -> None:
    def results() -> Dialogue:
        yield from Emit(entries(3))
        yield from Receive(Channel())
        return None

    assert [type(ask) for ask in AtMost(2).over(results())] == [Emit]
    assert [type(ask) for ask in AtMost(3).over(results())] == [Emit, Receive]
