"""The server that a user configured for URLs without a host, and the two yeses that a message needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from anyurl.dialogue import Connect, Consent, Dialogue
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.scheduler import Scheduler
from anyurl.url import URL
from anyurl.values import USER, Provenance, Scope
from tests.rows import each_row
from tests.servers import Connection, Server

MAILBOX = URL("mailto:a@b.example")


def hang_up(connection: Connection) -> None:
    connection.send(b"bye")


def run(scheduler: Scheduler, begin: Callable[[], Dialogue], url: URL = MAILBOX, came_from: Provenance = USER) -> None:
    task = scheduler.start(Parties(url, came_from), begin)
    while task.pull() is not None:
        pass


def connecting(host: str, port: int) -> Callable[[], Dialogue]:
    def begin() -> Dialogue:
        yield from Connect(host, port)
        return None

    return begin


def asking(question: str = "", act: Any = "delivery") -> Callable[[], Dialogue]:
    def begin() -> Dialogue:
        yield from Consent(act, question)
        return None

    return begin


def test_the_configured_server_is_reached_as_if_it_was_asked_for_directly() -> None:
    with Server(hang_up) as server:
        scheduler = Scheduler(Policy.default(), handlers, configured={"mailto": ("127.0.0.1", server.port)})
        run(scheduler, connecting("127.0.0.1", server.port), came_from=Provenance("redirect"))
        scheduler.close()


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        pytest.param("mailto:a@b.example", "127.0.0.1", 2526, id="another port"),
        pytest.param("mailto:a@b.example", "127.0.0.2", 2525, id="another host"),
        pytest.param("mailto:a@b.example", "b.example", 25, id="what the address names"),
        pytest.param("news:a.group", "127.0.0.1", 2525, id="another scheme's server"),
    ],
)
def test_a_url_without_a_host_reaches_no_other_server(url: str, host: str, port: int) -> None:
    scheduler = Scheduler(Policy.open(), handlers, configured={"mailto": ("127.0.0.1", 2525)})
    with pytest.raises(RefusedError, match="names no server: only the configured one is connected to"):
        run(scheduler, connecting(host, port), URL(url))
    scheduler.close()


def test_a_url_with_a_host_gains_nothing_from_what_is_configured() -> None:
    """Attack: a menu leads to the mail server of the user's network, by a scheme that can be made to speak to it."""
    scheduler = Scheduler(Policy.default(), handlers, configured={"mailto": ("127.0.0.1", 2525)})
    with pytest.raises(RefusedError, match="requested directly it would be allowed"):
        run(scheduler, connecting("127.0.0.1", 2525), URL("gopher://127.0.0.1:2525/"), Provenance("redirect"))
    scheduler.close()


def test_a_policy_without_private_addresses_reaches_no_private_mail_server() -> None:
    scheduler = Scheduler(Policy.untrusted(), handlers, configured={"mailto": ("127.0.0.1", 2525)})
    with pytest.raises(RefusedError, match="public addresses only"):
        run(scheduler, connecting("127.0.0.1", 2525))
    scheduler.close()


@pytest.mark.parametrize(
    ("port", "code"),
    [
        (25, "allowed"),
        (465, "allowed"),
        (587, "allowed"),
        (2525, "allowed"),
        (80, "port-service"),
        (22, "port-service"),
    ],
)
def test_the_ports_of_a_mail_server(port: int, code: str) -> None:
    assert Policy.default().judge_port(port, "mailto").code == code


@each_row("scheme", ["http", "gopher", "ftp", "news", "telnet"])
@each_row("port", [25, 465, 587])
def test_they_stay_shut_to_all_others(scheme: str, port: int) -> None:
    assert Policy.open().judge_port(port, scheme).code == "port-service"


@pytest.mark.parametrize(
    ("policy", "came_from", "code"),
    [
        (Policy.default(), USER, "allowed"),
        (Policy.open(), USER, "allowed"),
        (Policy.untrusted(), USER, "delivery"),
        (Policy.default().replace(allow_delivery=False), USER, "delivery"),
        (Policy.default(), Provenance("redirect"), "delivery-hop"),
        (Policy.open(), Provenance("document", scope=Scope.LOCAL), "delivery-hop"),
    ],
)
def test_whether_a_message_may_be_sent(policy: Policy, came_from: Provenance, code: str) -> None:
    assert policy.judge_delivery(MAILBOX, came_from).code == code


@pytest.mark.parametrize(
    ("question", "answer", "asked"),
    [
        pytest.param("Send it?", True, ["Send it?"], id="yes"),
        pytest.param("Send it?", False, ["Send it?"], id="no"),
        pytest.param("", True, ["Send this in your name to mailto:a@b.example?"], id="no question of its own"),
    ],
)
def test_a_person_is_asked(question: str, answer: bool, asked: list[str]) -> None:
    heard: list[str] = []

    def consent(text: str) -> bool:
        heard.append(text)
        return answer

    scheduler = Scheduler(Policy.default(), handlers, ask_consent=consent)
    if question and not answer:
        with pytest.raises(RefusedError, match="Nothing was sent: the answer was no"):
            run(scheduler, asking(question))
    else:
        run(scheduler, asking(question))
    scheduler.close()
    assert heard == asked


def test_the_policy_is_asked_first() -> None:
    heard: list[str] = []
    scheduler = Scheduler(Policy.untrusted(), handlers, ask_consent=lambda text: not heard.append(text))
    with pytest.raises(RefusedError, match="in your name"):
        run(scheduler, asking("Send it?"))
    scheduler.close()
    assert heard == []
