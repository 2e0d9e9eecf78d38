"""An ask is yielded as it is, and what is sent in its place is the answer."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from anyurl.dialogue import Ask, Connect, Describe, Receive
from anyurl.dialogue.values import Channel
from tests.rows import each_row


def test_an_ask_is_yielded_once_and_its_answer_comes_back() -> None:
    ask = Receive(Channel())
    asked: list[Any] = []

    def dialogue() -> Generator[Ask[Any], Any, bytes]:
        data = yield from ask
        return data

    steps = dialogue()
    asked.append(next(steps))
    with pytest.raises(StopIteration) as ended:
        steps.send(b"octets")
    assert asked == [ask]
    assert ended.value.value == b"octets"


def test_the_type_of_the_answer_is_for_type_checkers_only() -> None:
    assert Ask[bytes].__origin__ is Ask  # type: ignore[attr-defined]
    assert Receive.__orig_bases__ == (Ask[bytes],)  # type: ignore[attr-defined]
    assert (type(Receive(Channel())), Receive.__bases__) == (Receive, (Ask,))


@each_row("kind", [Ask, *Ask.__subclasses__()], ids=lambda kind: kind.__name__)
def test_an_ask_has_slots_only(kind: type[Ask[Any]]) -> None:
    assert kind.__dictoffset__ == 0  # its instances have no __dict__


def test_a_server_is_believed_by_an_authority_where_nothing_else_is_asked() -> None:
    ask = Connect("h", 70)
    assert (ask.trust, ask.tls, ask.fresh, ask.secret, ask.certificate) == ("authority", False, False, None, False)


def test_what_is_known_of_nothing_is_nothing() -> None:
    assert Describe("document").attributes == {}
    assert Describe("document", attributes=lambda: {"a": "b"}).attributes == {"a": "b"}


def test_what_is_described_comes_from_its_first_octet_on() -> None:
    assert Describe("document").start == 0
