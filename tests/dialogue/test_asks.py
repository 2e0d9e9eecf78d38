"""What an ask holds: all of it as it was given, and what is meant where nothing is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from anyurl.dialogue import asks
from anyurl.dialogue.ask import Ask
from anyurl.dialogue.values import Channel
from anyurl.url import URL
from tests.rows import each_row

CHANNEL = Channel()
LINK = URL("http://h/a")
CONNECT = {
    "host": "h", "port": 1, "transport": "tcp", "tls": False, "session": None, "secret": None, "fresh": False,
    "skip": 0, "named_by": None, "trust": "authority", "certificate": False, "until_close": False,
}  # fmt: skip
REQUEST = {
    "method": "GET", "url": LINK, "target": "/a", "headers": (), "upload": False, "authorization": None, "decode": True,
}  # fmt: skip
DESCRIBE = {
    "kind": "document", "type": None, "size": None, "modified": None, "etag": None, "name": None, "start": 0,
    "attributes": {}, "headers": (),
}  # fmt: skip
ROWS: list[tuple[Callable[[], Ask[Any]], dict[str, object]]] = [
    (lambda: asks.Connect("h", 1), CONNECT),
    (lambda: asks.Connect("h", 1, transport="udp", skip=2), {**CONNECT, "transport": "udp", "skip": 2}),
    (lambda: asks.Connect("h", 1, tls=True, trust="first"), {**CONNECT, "tls": True, "trust": "first"}),
    (lambda: asks.Connect("h", 1, fresh=True, certificate=True), {**CONNECT, "fresh": True, "certificate": True}),
    (lambda: asks.Connect("h", 1, session="s", named_by=CHANNEL), {**CONNECT, "session": "s", "named_by": CHANNEL}),
    (lambda: asks.ConnectData(CHANNEL, 2), {"control": CHANNEL, "port": 2, "within": None}),
    (
        lambda: asks.Secure(CHANNEL, "h"),
        {"channel": CHANNEL, "server_name": "h", "resume": None, "trust": "authority", "certificate": False},
    ),
    (lambda: asks.Send(CHANNEL, b"x"), {"channel": CHANNEL, "data": b"x"}),
    (lambda: asks.Receive(CHANNEL), {"channel": CHANNEL, "at_most": 262_144, "within": None}),
    (lambda: asks.Receive(CHANNEL, 1, 2.5), {"channel": CHANNEL, "at_most": 1, "within": 2.5}),
    (lambda: asks.Relay(CHANNEL), {"channel": CHANNEL, "limit": None}),
    (lambda: asks.Relay(CHANNEL, 0), {"channel": CHANNEL, "limit": 0}),
    (lambda: asks.Keep(CHANNEL, "s"), {"channel": CHANNEL, "session": "s", "state": None, "goodbye": b""}),
    (lambda: asks.Keep(CHANNEL, "s", 1, b"."), {"channel": CHANNEL, "session": "s", "state": 1, "goodbye": b"."}),
    (lambda: asks.Close(CHANNEL), {"channel": CHANNEL}),
    (lambda: asks.Request("GET", LINK, "/a"), REQUEST),
    (lambda: asks.Request("GET", LINK, "/a", upload=True), {**REQUEST, "upload": True}),
    (lambda: asks.Request("GET", LINK, "/a", decode=False), {**REQUEST, "decode": False}),
    (lambda: asks.OpenFile("p"), {"path": "p", "mode": "read", "offset": 0}),
    (lambda: asks.OpenFile("p", "append", 3), {"path": "p", "mode": "append", "offset": 3}),
    (lambda: asks.Commit(CHANNEL), {"channel": CHANNEL}),
    (lambda: asks.StatFile("p"), {"path": "p"}),
    (lambda: asks.OpenFolder("p"), {"path": "p"}),
    (lambda: asks.ListFolder(CHANNEL), {"channel": CHANNEL}),
    (lambda: asks.Take(), {"at_most": 262_144}),
    (
        lambda: asks.AskSecret("h", "u", "password"),
        {"host": "h", "user": "u", "kind": "password", "by_person": True, "kept": True},
    ),
    (
        lambda: asks.AskSecret("h", "u", "password", False, False),
        {"host": "h", "user": "u", "kind": "password", "by_person": False, "kept": False},
    ),
    (lambda: asks.Consent(), {"act": "form", "question": ""}),
    (lambda: asks.Random(4), {"count": 4}),
    (lambda: asks.Describe("document"), DESCRIBE),
    (
        lambda: asks.Describe("listing", "t/s", 1, 2.0, "e", "n", 3, {"a": "b"}, [("c", "d")]),
        {"kind": "listing", "type": "t/s", "size": 1, "modified": 2.0, "etag": "e", "name": "n", "start": 3,
         "attributes": {"a": "b"}, "headers": [("c", "d")]},
    ),
    (lambda: asks.Emit(b"x"), {"content": b"x"}),
    (lambda: asks.Note("n"), {"text": "n", "unproved": False}),
    (lambda: asks.Note("n", unproved=True), {"text": "n", "unproved": True}),
]  # fmt: skip


@each_row(("make", "holds"), ROWS)
def test_an_ask_holds_what_it_was_given_and_its_defaults(
    make: Callable[[], Ask[Any]], holds: dict[str, object]
) -> None:
    ask = make()
    names = [name for kind in type(ask).__mro__ for name in getattr(kind, "__slots__", ()) if not name.startswith("_")]
    assert {name: getattr(ask, name) for name in {*names, *holds}} == holds


@pytest.mark.parametrize("first", ["type", "modified", "etag", "name"])
def test_what_is_found_out_later_is_found_out_once_by_whichever_is_asked_for(first: str) -> None:
    told: list[int] = []

    def later() -> asks.Told:
        told.append(1)
        return "text/plain", 5.0, "tag", "a.txt"

    ask = asks.Describe("document", "?", 1, 2.0, "?", "?", later=later)
    assert told == []
    wanted = {"type": "text/plain", "modified": 5.0, "etag": "tag", "name": "a.txt"}
    assert getattr(ask, first) == wanted[first]
    assert ({name: getattr(ask, name) for name in wanted}, told) == (wanted, [1])


def test_attributes_are_found_out_once() -> None:
    told: list[int] = []
    ask = asks.Describe("document", attributes=lambda: told.append(1) or {"a": 1})
    assert [ask.attributes, ask.attributes, told] == [{"a": 1}, {"a": 1}, [1]]
