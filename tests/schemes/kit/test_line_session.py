"""A server that speaks first, and one that doesn't: it is told soon, where it was, and what it should have spoken."""

from __future__ import annotations

import pytest

from anyurl import Client, Policy, consent_to_all
from anyurl.errors import TransferTimeout
from anyurl.guard.limits import Limits
from anyurl.schemes.kit.line_session import GREETING_SECONDS
from tests.servers import Connection, Server

LIMITS = Limits(idle=0.3)


def wait_for_a_request(connection: Connection) -> None:
    """As an HTTP server does: it never speaks first."""
    connection.take(1)


@pytest.mark.parametrize(
    ("url", "protocol"),
    [("ftp://{}/x", "FTP"), ("nntp://{}/a.b/1", "NNTP"), ("mailto:you@example.com", "SMTP")],
)
def test_a_server_that_never_speaks_first_is_named_with_what_it_should_speak(url: str, protocol: str) -> None:
    with Server(wait_for_a_request) as server:
        policy = Policy.open().replace(allow_ports=(server.port,), limits=LIMITS)
        settings = {"mail_server": server.authority, "mail_from": "me@example.org", "ask_consent": consent_to_all}
        with Client(policy, **settings) as client:  # type: ignore[arg-type]
            verb, source = ("append", b"x") if protocol == "SMTP" else ("get", None)
            with pytest.raises(TransferTimeout) as caught:
                client.open(url.format(server.authority), verb, source=source).read()  # type: ignore[arg-type]
    assert str(caught.value) == f"{server.authority} sent nothing for 0.3 s. Does it speak {protocol} there?"
    assert (caught.value.clock, caught.value.stage) == ("idle", "login")


def test_a_greeting_has_less_time_than_other_silence() -> None:
    assert Limits().idle > GREETING_SECONDS
