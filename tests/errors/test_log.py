"""What a program's own log is told: each step of a transfer, no secret, and nothing unless somebody listens."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest

from anyurl import Client, Policy, RefusedError
from anyurl.adapters.urllib import opener
from anyurl.dialogue import Login
from anyurl.errors import AnyURLError
from anyurl.errors import log as logs
from anyurl.world.world import World
from tests.servers import Server, answers, reply, unheard

BUSY = reply(b"", "Retry-After: 0", status="503 Service Unavailable")
SECRETS = ("s3cr3t", "czNjcjN0", "am9lOnMzY3IzdA")
"""A password, and how logins write it: base64 of itself, and of ``joe:s3cr3t``."""


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Everything that the loggers below anyurl are told."""
    with caplog.at_level(logging.DEBUG, "anyurl"):
        yield caplog


def lines(told: pytest.LogCaptureFixture) -> list[str]:
    return [f"{record.name}: {record.getMessage()}" for record in told.records if record.name.startswith("anyurl")]


def test_each_step_of_a_transfer_is_told(told: pytest.LogCaptureFixture) -> None:
    moved = reply(b"", "Location: /new", status="301 Moved Permanently")
    with Server(answers(moved, BUSY, reply(b"here"))) as server, Client(Policy.open(), retries=1) as client:
        place = f"http://{server.authority}"
        assert client.get(f"{place}/old").read() == b"here"
    port = f"127.0.0.1 port {server.port}"
    expected = [
        f"anyurl.guard: {place}/old: the policy allows it.",
        f"anyurl.access: get of {place}/old begins.",
        f"anyurl.guard: {port}: the policy allows it.",
        "anyurl.net: 127.0.0.1 has the addresses 127.0.0.1.",
        f"anyurl.guard: {port} at 127.0.0.1: the policy allows it.",
        f"anyurl.net: Connected to {server.authority} at 127.0.0.1.",
        f"anyurl.access: get of {place}/old is answered with 301.",
        f"anyurl.access: {place}/old leads to {place}/new (301).",
        f"anyurl.access: get of {place}/new is answered with 503.",
        f"anyurl.access: get of {place}/new is answered with 200.",
        f"anyurl.access: get of {place}/new is done.",
    ]
    found = iter(lines(told))
    assert [line for line in expected if line not in found] == []  # each of them, in this order
    (again,) = [record for record in told.records if "is tried again in" in record.msg]
    assert again.getMessage().endswith(f"503 for {place}/new: the server is not available now.")


def test_a_connection_of_a_line_protocol_is_told_with_its_use_again(told: pytest.LogCaptureFixture) -> None:
    with World(["news"]) as world, Client(Policy.open()) as client:
        url = world.urls["news"]
        for _ in range(2):
            client.get(url).read()
    told_of = [line for line in lines(told) if line.startswith("anyurl.net: ") and "onnect" in line]
    assert told_of == [
        f"anyurl.net: Connected to 127.0.0.1 port {url.port} at 127.0.0.1.",
        f"anyurl.net: The connection to 127.0.0.1 port {url.port} is used again.",
    ]


def test_what_is_refused_and_what_fails_is_told(told: pytest.LogCaptureFixture) -> None:
    with Client() as client:
        with pytest.raises(RefusedError) as refused:
            client.get("http://127.0.0.1:25/")
        with unheard() as port, pytest.raises(AnyURLError) as failed:
            client.get(f"gopher://127.0.0.1:{port}/")
    assert refused.value.verdict is not None
    assert f"anyurl.guard: http://127.0.0.1:25/ is refused: {refused.value.verdict.message}." in lines(told)
    (record,) = [each for each in told.records if each.levelno == logging.WARNING]
    fields = {name: vars(record)[name] for name in ("url", "code", "address", "origin", "allowed")}
    assert fields == {
        "url": "http://127.0.0.1:25/", "code": refused.value.verdict.code, "address": None, "origin": "user",
        "allowed": False,
    }  # fmt: skip
    assert f"anyurl.net: No connection to 127.0.0.1 port {port}: {failed.value}" in lines(told)
    assert f"anyurl.access: get of gopher://127.0.0.1:{port}/ failed: {failed.value}" in lines(told)


def test_the_guard_under_another_client_is_heard_too(told: pytest.LogCaptureFixture) -> None:
    with pytest.raises(OSError):
        opener(Policy.untrusted()).open("http://127.0.0.1/")
    assert [line for line in lines(told) if line.startswith("anyurl.guard: ") and "public addresses only" in line]


@pytest.mark.promise("passwords")
def test_no_secret_is_told(told: pytest.LogCaptureFixture) -> None:
    asked = reply(b"", 'WWW-Authenticate: Basic realm="x"', status="401 Unauthorized")
    with Server(answers(asked, reply(b"in", "Set-Cookie: sid=s3cr3t"))) as server:
        with Client(Policy.open(), auth={f"http://{server.authority}": Login("joe", "s3cr3t")}) as client:
            client.get(f"http://{server.authority}/").read()
        assert b"Basic am9lOnMzY3IzdA" in server.received[-1]
    with World(["ftp"]) as world, Client(Policy.open()) as client:
        url = world.urls["ftp"]
        with pytest.raises(AnyURLError):
            client.get(f"ftp://joe:s3cr3t@127.0.0.1:{url.port}/motd")
        with pytest.raises(RefusedError):
            client.get("http://joe:s3cr3t@127.0.0.1:25/")
    assert any("joe" in line for line in lines(told))
    assert [line for line in lines(told) if any(secret in line for secret in SECRETS)] == []


def test_nobody_is_told_below_the_level_that_is_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "anyurl"):
        assert logs.listener("net") is None
        with Server(answers(reply(b"x"))) as server, Client(Policy.open()) as client:
            client.get(f"http://{server.authority}/").read()
    assert lines(caplog) == []
    # Other libraries of the tests set the level of the root, which "anyurl" would inherit.
    with caplog.at_level(logging.INFO, "anyurl"), caplog.at_level(logging.DEBUG, "anyurl.guard"):
        assert (logs.listener("guard") is not None, logs.listener("net")) == (True, None)


GET = """
import sys
{}
from anyurl import Client, Policy
with Client(Policy.open()) as client:
    client.get(sys.argv[1]).read()
print("logging" in sys.modules, *getattr(sys.modules.get("logging"), "Logger").manager.loggerDict["anyurl"].handlers
      if "logging" in sys.modules else ())
"""


@pytest.mark.parametrize(
    ("before", "printed"),
    [
        ("", "False\n"),  # it is not loaded for nothing
        ("import logging", "True <NullHandler (NOTSET)>\n"),
        ("import logging; logging.getLogger().setLevel(logging.DEBUG)", "True <NullHandler (NOTSET)>\n"),
    ],
)
def test_nothing_is_printed_unasked(before: str, printed: str) -> None:
    with World(["gopher"]) as world:
        url = str(world.urls["gopher"])
        done = subprocess.run(
            [sys.executable, "-c", GET.format(before), url], capture_output=True, text=True, timeout=60, check=False
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")
