"""Tunnels: what is made for a request whose dialogue has ended meanwhile is closed, and handed to nobody."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from anyurl.errors import AnyURLError, ConnectError
from anyurl.net.http.tunnels import Tunnels
from anyurl.net.wire import attempt

PROXY = object()


class Attempt:
    """A connection attempt that does nothing by itself."""

    def __init__(self, _connector: object, endpoint: tuple[str, int], **settings: Any) -> None:
        self.endpoint, self.then, self.closed, self.places = endpoint, settings["then"], False, None

    def start_through(self, proxy: object, places: list[tuple[str, int]]) -> None:
        assert proxy is PROXY
        self.places = places
        if self.endpoint[0] == "refused.example":
            raise ConnectError("No.", stage="connect")

    def close(self) -> None:
        self.closed = True


class Opened:
    closed = False

    def close(self) -> None:
        self.closed = True


class Trial:
    """Tunnels with a queue that the test empties."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.queue: list[tuple[Any, ...]] = []
        self.dug: list[tuple[object, object]] = []
        self.made: list[Attempt] = []
        monkeypatch.setattr(attempt, "ConnectAttempt", self.make)
        loop = SimpleNamespace(soon=lambda *call: self.queue.append(call))
        scheduler: Any = SimpleNamespace(connector=None, loop=loop)
        self.tunnels = Tunnels(scheduler, lambda transfer, result: self.dug.append((transfer, result)))

    def make(self, *arguments: Any, **settings: Any) -> Attempt:
        self.made.append(Attempt(*arguments, **settings))
        return self.made[-1]

    def turn(self) -> None:
        for call, *arguments in self.queue:
            call(*arguments)
        self.queue.clear()


class Wanting:
    """A transfer, as far as it is looked at here."""

    def __init__(self, host: str, *addresses: str) -> None:
        self.route = ("http", host, 80, addresses, PROXY)
        self.wants_tunnel = True


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch) -> Trial:
    return Trial(monkeypatch)


def test_a_tunnel_leads_to_the_approved_addresses_and_is_handed_over(trial: Trial) -> None:
    transfer: Any = Wanting("one.example", "192.0.2.1", "192.0.2.2")
    trial.tunnels.dig(transfer)
    assert (transfer.wants_tunnel, trial.tunnels.wanted_by()) == (False, [transfer])
    trial.turn()
    assert trial.made[0].places == [("192.0.2.1", 80), ("192.0.2.2", 80)]
    opened = Opened()
    trial.made[0].then(opened)
    assert (trial.dug, opened.closed, trial.tunnels.wanted_by()) == ([(transfer, opened)], False, [])


def test_a_name_that_the_proxy_looks_up_is_left_to_it(trial: Trial) -> None:
    transfer: Any = Wanting("one.example")
    trial.tunnels.dig(transfer)
    trial.turn()
    assert trial.made[0].places == [("one.example", 80)]


def test_what_can_not_be_begun_is_an_error_of_that_request(trial: Trial) -> None:
    transfer: Any = Wanting("refused.example", "192.0.2.1")
    trial.tunnels.dig(transfer)
    trial.turn()
    assert trial.made[0].closed
    assert [(each, isinstance(error, AnyURLError)) for each, error in trial.dug] == [(transfer, True)]


def test_a_request_that_ended_meanwhile_gets_none(trial: Trial) -> None:
    transfer: Any = Wanting("one.example", "192.0.2.1")
    trial.tunnels.dig(transfer)
    assert trial.tunnels.give_up(transfer)
    assert not trial.tunnels.give_up(transfer)
    trial.turn()
    assert (trial.made[0].places, trial.made[0].closed) == (None, True)
    late = Opened()
    trial.made[0].then(late)
    assert (late.closed, trial.dug) == (True, [])
