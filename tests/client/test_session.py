"""Sessions: reading, writing and expecting, whose clocks are the caller's own."""

from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from anyurl import Client, Policy
from anyurl.access import Session
from anyurl.client.session import MAX_EXPECT_OCTETS
from anyurl.dialogue import Terminal
from anyurl.errors import (
    AnyURLError,
    ConnectError,
    ConnectionLost,
    LimitError,
    LocalProtocolError,
    RefusedError,
    TransferTimeout,
    UnsupportedError,
)
from tests.servers import WAIT_SECONDS, Connection, Server, descriptors, left_open, unheard

ASKS = b"\xff\xfd\x18\xff\xfd\x1f"
"""DO TERMINAL-TYPE, DO NAWS."""

ANSWERS = b"\xff\xfb\x18\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0"


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.default()) as client:
        yield client


def url(server: Server) -> str:
    return f"telnet://{server.authority}/"


def shell(connection: Connection) -> None:
    """A service with two prompts, that says what it is told."""
    connection.send(ASKS + b"name: ")
    connection.take(len(ANSWERS))
    name = connection.line()
    connection.send(b"Welcome, " + name + b"\r\n> ")
    while line := connection.line():
        connection.send(b"you said " + line + b"\r\n> ")


def test_expect_and_write(client: Client) -> None:
    with Server(shell) as server, client.session(url(server)) as session:
        assert session.expect("name: ").group() == b"name: "
        session.write("Ada\n")
        assert session.expect(rb"Welcome, (\w+)")[1] == b"Ada"
        session.expect(re.compile(rb"> $"))
        with pytest.raises(LocalProtocolError, match=r"'hang-up' is not a signal .* 'break', 'interrupt'"):
            session.command("hang-up")  # type: ignore[arg-type]
        session.write("Ö\n")
        assert session.expect(re.compile("YOU SAID (ö|Ö)\r\n> $", re.IGNORECASE))[1] == "Ö".encode()
        session.write(b"x\xffy\n")
        assert session.expect("said (.*)\r\n")[1] == b"x\xffy"
        assert session.read() == b"> "
    assert bytes(server.received[0]) == ANSWERS + b"Ada\r\n\xc3\x96\r\nx\xff\xffy\r\n"


def test_what_is_not_taken_is_a_type_error_and_sends_nothing(client: Client) -> None:
    wrong: list[tuple[str, tuple[Any, ...]]] = [
        *[("write", (value,)) for value in (None, 5, True, ["x"])],  # bytes(5) would be five octets
        *[("expect", (value,)) for value in (None, 5, ["x"])],
        *[("expect", ("x", value)) for value in ("5", True)],
        *[("read", (value,)) for value in ("5", b"5", [5])],
        *[("command", (value,)) for value in (None, 5, b"break")],
        *[("resize", pair) for pair in (("80", 24), (80, 24.0), (None, 24))],
    ]
    with Server(shell) as server, client.session(url(server)) as session:
        session.expect("name: ")
        for name, values in wrong:
            with pytest.raises(TypeError, match=r"(text|pattern|timeout|name|columns|rows) is .* not ") as caught:
                getattr(session, name)(*values)
            assert type(values[-1]).__name__ in str(caught.value) or name == "resize"
        session.write("Ada\n")
        session.expect("Welcome")
    assert bytes(server.received[0]) == ANSWERS + b"Ada\r\n"


def test_urgent_octets_are_read_in_their_place(client: Client) -> None:
    """A Synch (RFC 854), as telnetd sends it for an interrupt: IAC goes as urgent, the Data Mark behind it does not."""

    def part(connection: Connection) -> None:
        connection.sock.send(b"before\xff", socket.MSG_OOB)
        connection.send(b"\xf2after")

    with Server(part) as server, client.session(url(server)) as session:
        assert session.expect("after$").string == b"beforeafter"


def test_what_came_before_the_pattern_is_read_with_it(client: Client) -> None:
    def part(connection: Connection) -> None:
        connection.send(b"one two three")
        connection.wait_for_close()

    with Server(part) as server, client.session(url(server)) as session:
        found = session.expect("two")
        assert (found.string, found.span()) == (b"one two three", (4, 7))
        assert session.read() == b" three"


def test_a_wait_that_is_too_long_ends_and_the_session_goes_on(client: Client) -> None:
    go_on = threading.Event()

    def part(connection: Connection) -> None:
        connection.send(b"slow")
        go_on.wait(5)
        connection.send(b"ly")
        connection.wait_for_close()

    with Server(part) as server, client.session(url(server)) as session:
        with pytest.raises(TransferTimeout, match="'slowly' did not arrive from telnet://127"):
            session.expect("slowly", timeout=0.05)
        go_on.set()
        assert session.expect("slowly")[0] == b"slowly"
        with pytest.raises(TransferTimeout, match=r"^Nothing arrived from telnet://127"):
            session.read(timeout=0.01)
        assert not session.closed


def test_the_policys_idle_limit_is_the_default_and_silence_is_no_fault() -> None:
    policy = Policy.default()
    policy = policy.replace(limits=policy.limits.replace(idle=0.05))
    answer = threading.Event()

    def part(connection: Connection) -> None:
        answer.wait(5)
        connection.send(b"at last")
        connection.wait_for_close()

    with Client(policy) as client, Server(part) as server, client.session(url(server)) as session:
        for _ in range(2):
            with pytest.raises(TransferTimeout):
                session.read()
        answer.set()
        session.expect("at last", timeout=WAIT_SECONDS)


def test_read_alone_obeys_the_idle_limit() -> None:
    policy = Policy.default()
    policy = policy.replace(limits=policy.limits.replace(idle=0.05))
    with Client(policy) as client, Server(lambda connection: connection.wait_for_close()) as server:
        with client.get(url(server)) as resource, pytest.raises(TransferTimeout):
            resource.read()


@pytest.mark.parametrize("pause", [0.01, 0.0], ids=["now and then", "without a pause"])
@pytest.mark.parametrize("said", [b"\xff\xf1", b"\xff\xf6"], ids=["NOP", "AYT"])
def test_what_a_service_says_to_the_program_is_no_progress(said: bytes, pause: float) -> None:
    policy = Policy.default()
    policy = policy.replace(limits=policy.limits.replace(idle=0.2, total=8.0))
    over = threading.Event()

    def part(connection: Connection) -> None:
        connection.sock.setblocking(False)
        while not over.wait(pause):
            with suppress(BlockingIOError):
                connection.send(said)
            with suppress(BlockingIOError):
                connection.sock.recv(1000)

    with Client(policy) as client, Server(part) as server:
        with client.get(url(server)) as resource, pytest.raises(TransferTimeout) as caught:
            resource.read()
        over.set()
    assert caught.value.clock == "idle"


def test_the_end(client: Client) -> None:
    with Server(lambda connection: connection.send(b"bye")) as server, client.session(url(server)) as session:
        with pytest.raises(ConnectionLost, match="ended the session before 'nothing' came"):
            session.expect("nothing")
        assert session.read() == b"bye"
        assert session.read() == b""
        assert session.closed
        with pytest.raises(ConnectionLost, match="has ended: nothing can be sent"):
            session.write("x")


def test_a_reset_is_a_lost_connection(client: Client) -> None:
    def part(connection: Connection) -> None:
        connection.send(b"half")
        connection.line()
        connection.reset()

    with Server(part) as server, client.session(url(server)) as session:
        session.expect("half")

        def go_on() -> None:  # the reset is heard by the one or by the other
            session.write("x\n")
            session.read()

        with pytest.raises(ConnectionLost, match="The session is over"):
            go_on()


def test_what_is_sent_when_write_returns_was_sent(client: Client) -> None:
    """A service that floods is still told what it is told, and what it says waits."""
    told = threading.Event()

    def part(connection: Connection) -> None:
        connection.send(b"x" * 300_000)
        connection.line()
        told.set()
        connection.wait_for_close()

    with Server(part) as server, client.session(url(server)) as session:
        session.write("stop\n")
        assert told.wait(WAIT_SECONDS)
        size = 0
        while size < 300_000:
            size += len(session.read())
        assert size == 300_000


def test_a_large_write_is_sent_whole(client: Client) -> None:
    def part(connection: Connection) -> None:
        connection.take(4_000_000)
        connection.send(b"all here")
        connection.wait_for_close()

    with Server(part) as server, client.session(url(server)) as session:
        session.write(b"x" * 4_000_000)
        session.expect("all here")


def test_a_write_that_nobody_takes_ends_with_the_idle_clock() -> None:
    """It has not been sent when the call returns, so the call does not return."""
    policy = Policy.default()
    policy = policy.replace(limits=policy.limits.replace(idle=0.2))
    over = threading.Event()

    def deaf(connection: Connection) -> None:
        over.wait(10)

    with Server(deaf) as server, Client(policy) as client, client.session(url(server)) as session:
        with pytest.raises(TransferTimeout):
            session.write(bytes(64 << 20))
        over.set()


def test_limits(client: Client) -> None:
    def part(connection: Connection) -> None:
        try:
            while True:
                connection.send(b"x" * 65536)
        except OSError:
            pass

    with Server(part) as server, client.session(url(server)) as session:
        with pytest.raises(LimitError, match=f"more than {MAX_EXPECT_OCTETS:,} octets without 'y'") as caught:
            session.expect("y")
        assert caught.value.limit == "MAX_EXPECT_OCTETS"


def test_signals_and_sizes(client: Client) -> None:
    end = b"\xff\xf3\xff\xf4\xff\xee\xff\xf6" + b"\xff\xfa\x1f\x00\x84\x00\x2b\xff\xf0"

    def part(connection: Connection) -> None:
        connection.send(ASKS + b"go")
        connection.take(len(ANSWERS) + len(end))
        connection.send(b"done")
        connection.wait_for_close()

    with Server(part) as server, client.session(url(server), Terminal("vt100")) as session:
        session.expect("go")
        for name in ("break", "interrupt", "abort", "are-you-there"):
            session.command(name)
        session.resize(132, 43)
        session.expect("done")
    assert bytes(server.received[0]) == ANSWERS + end


def test_keys_are_echoed_where_the_service_does_not(client: Client) -> None:
    with Server(shell) as server, client.session(url(server)) as session:
        session.expect("name: ")
        session.typed(b"Aq\x7fda\r")
        assert session.expect("Welcome, (.*)\r\n").string == b"Aq\b \bda\r\nWelcome, Ada\r\n> "


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("telnet://127.0.0.1:1/", RefusedError),  # a port that is another service's
        ("telnet://127.0.0.1:{port}/", ConnectError),  # nobody listens
        ("telnet://u%0Ax@127.0.0.1/", RefusedError),
        ("file:///etc/hostname", UnsupportedError),
        ("mailto:a@b", UnsupportedError),
        ("tn3270://127.0.0.1/", UnsupportedError),
    ],
)
def test_what_can_not_be_had(client: Client, where: str, error: type[AnyURLError]) -> None:
    client._scheduler()
    with unheard() as port:
        before = descriptors()
        with pytest.raises(error):
            client.session(where.format(port=port))
        assert left_open(before) <= 0


def test_strangers_open_no_session() -> None:
    with Client(Policy.untrusted()) as client, pytest.raises(RefusedError, match="interactive session"):
        client.session("telnet://93.184.216.34/")


def test_nothing_is_connected_to_before_somebody_wants_it(client: Client) -> None:
    with Server(shell) as server:
        for verb in ("get", "stat"):
            with client.open(f"telnet://joe:pw@{server.authority}/", verb) as resource:
                assert resource.kind == "service"
                assert resource.attributes == {
                    "protocol": "telnet", "user_advised": "joe", "password_advised": True,
                }  # fmt: skip
                assert not any("pw" in remark for remark in resource.notes)
        assert server.received == []


def test_who_goes_through_many_urls_connects_to_no_service(client: Client) -> None:
    with Server(shell) as server:
        (result,) = client.map([url(server)])
        assert result.resource is not None
        assert result.resource.kind == "service"
        assert server.received == []


def test_closing_hangs_up_and_may_be_done_twice(client: Client) -> None:
    gone = threading.Event()

    def part(connection: Connection) -> None:
        connection.send(b"hello")
        connection.wait_for_close()
        gone.set()

    before = descriptors()
    with Server(part) as server:
        session = client.session(url(server))
        assert isinstance(session, Session)
        session.close()
        session.close()
        assert gone.wait(WAIT_SECONDS)
    del session
    client.close()
    assert left_open(before) <= 0


def test_a_descriptor_is_watched_beside_the_service(client: Client) -> None:
    reading, writing = os.pipe()
    seen: list[bytes] = []

    with Server(shell) as server, client.session(url(server)) as session:

        def ready() -> None:
            seen.append(os.read(reading, 100))
            session.typed(seen[-1])

        session.expect("name: ")
        session.watch(reading, ready)
        os.write(writing, b"Bob\r")
        shown = b""
        while b"Welcome" not in shown:
            piece = session.next_piece()
            assert piece is not None
            shown += piece
        session.soon(session.close)
        assert session.next_piece() is None or session.next_piece() is None
    os.close(reading)
    os.close(writing)
    assert seen == [b"Bob\r"]
