"""What the servers of the crawl say is understood: a step that no client follows would prove nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyurl import URL
from anyurl.dialogue import Channel, Connect, Follow, Options, Receive
from anyurl.errors import AnyURLError
from anyurl.schemes import registry
from anyurl.schemes.prospero.answers import DirectoryReply
from anyurl.schemes.prospero.wire import messages
from tests.hostile import replies, udp
from tests.hostile.graph import Ledger, Origin


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    made = Ledger(tmp_path / "ledger", random.Random(1), 0, "/canary")
    yield made
    made._file.close()


class Heard:
    """A `Talk` that keeps what is said to it."""

    def __init__(self, request: bytes, ledger: Ledger) -> None:
        self.ledger, self.source, self.secure = ledger, ledger.source, False
        self.origin = Origin("93.0.0.1", 70, "gopher")
        self._request, self.said = request, b""

    def line(self) -> bytes:
        return self._request

    def send(self, data: bytes) -> None:
        self.said += data


def outcome(url: URL, said: bytes) -> object:
    """What a dialogue ends with whose peer says this."""
    steps, left = registry.verb(url, "get")(url, Options()), [said]
    answer: Any = None
    try:
        while True:
            ask = steps.send(answer)
            answer = Channel(("93.0.0.1", 70)) if isinstance(ask, Connect) else None
            if isinstance(ask, Receive):
                answer = left.pop() if left else b""
    except StopIteration as stop:
        return stop.value
    except AnyURLError as error:
        return error


def test_gopher_plus_items_that_have_moved_are_followed(ledger: Ledger) -> None:
    ends = []
    for _ in range(40):
        talk: Any = Heard(b"/x\t+\r\n", ledger)
        replies.gopher(talk)
        ends.append(outcome(URL("gopher://h/0/x%09%09+"), talk.said))
    assert sum(isinstance(end, Follow) for end in ends) > 10


def test_access_methods_of_prospero_objects_are_seen(ledger: Ledger) -> None:
    request = messages.resolve_request(b"/u1z/x.txt", 0, ())
    followed = 0
    for _ in range(40):
        reply = DirectoryReply()
        reply.feed(messages.read_reply(udp.answer(request, Origin("93.0.0.1", 1525, "prospero"), ledger).text))
        is_object = reply.complaint is not None and reply.complaint.code == b"NOT-A-DIRECTORY"
        followed += is_object and any(each.name == b"ACCESS-METHOD" for each in reply.attributes)
    assert followed > 10
