"""Data connections: what is sent before one, to which port it goes, and what ends it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from anyurl import Client, Policy
from anyurl.dialogue import Dialogue, Options
from anyurl.errors import (
    AnyURLError,
    ConnectError,
    RefusedError,
    RemoteProtocolError,
    TransferTimeout,
    UnavailableError,
)
from anyurl.schemes.ftp.session import Control
from anyurl.schemes.ftp.transfer import PORTS_TRIED, DataTransfer, begin, finish
from anyurl.schemes.kit.replies import Reply
from anyurl.url import URL
from tests.rows import each_row
from tests.schemes.ftp.ftp_script import Answer, Rehearsed
from tests.schemes.ftp.small_server import ftp_part
from tests.servers import Server

NO_EPSV: dict[str, Answer] = {"EPSV": b"500 ?\r\n"}


class Play:
    """One transfer of ``x``, from the login on.

    Attributes:
        begun: What `begin` returned.
        done: What `finish` returned, or None.
    """

    def __init__(
        self, answers: dict[str, Answer] | None = None, *, url: str = "ftp://h/x", restart: int = 0,
        passive: str = "", verb: str = "RETR", argument: bytes | None = b"x", times: int = 1, **script: Any,
    ) -> None:  # fmt: skip
        self.begun: DataTransfer | Reply | None = None
        self.done: Reply | None = None
        self.passive = passive

        def dialogue() -> Dialogue:
            control = Control(URL(url), Options(), ())
            yield from control.open()
            control.passive = passive
            for _ in range(times):
                self.begun = yield from begin(control, verb, argument, **({"restart": restart} if restart else {}))
                self.passive = control.passive
                if isinstance(self.begun, DataTransfer):
                    self.done = yield from finish(control, self.begun)
            return None

        self.rehearsed = Rehearsed(dialogue(), answers, **script)
        self.commands = self.rehearsed.commands[2:]

    @property
    def data(self) -> list[str]:
        """What became of data connections."""
        return [line for line in self.rehearsed.log if line.startswith(("data", "close", "tls"))]


@each_row(
    ("answers", "passive", "commands", "port", "left"),
    [
        ({}, "", ["EPSV"], 49152, "EPSV"),
        ({"EPSV": b"229 ok (|||1|)\r\n"}, "", ["EPSV"], 1, "EPSV"),
        ({"EPSV": b"229 ok (!!!65535!)\r\n"}, "EPSV", ["EPSV"], 65535, "EPSV"),
        (NO_EPSV, "", ["EPSV", "PASV"], 49152, "PASV"),
        ({"EPSV": b"425 later\r\n"}, "", ["EPSV", "PASV"], 49152, "PASV"),
        ({}, "PASV", ["PASV"], 49152, "PASV"),  # EPSV did not work before
        ({"EPSV": b"227 Entering Passive Mode (127,0,0,1,195,80)\r\n"}, "", ["EPSV"], 50000, "PASV"),
        ({"EPSV": b"200 ok\r\n"}, "", ["EPSV", "PASV"], 49152, "PASV"),
        ({"EPSV": b"202 superfluous\r\n"}, "", ["EPSV", "PASV"], 49152, "PASV"),
        ({"EPSV": b"350 what\r\n"}, "", ["EPSV", "PASV"], 49152, "PASV"),
        ({"EPSV": b"229-listen socket created\r\n229 (|||50000|)\r\n"}, "", ["EPSV"], 50000, "EPSV"),
        # RFC 2577 3: wherever a reply points, the connection goes to the host of the control connection.
        ({**NO_EPSV, "PASV": b"227 (10,9,8,7,195,80)\r\n"}, "", ["EPSV", "PASV"], 50000, "PASV"),
    ],
)
def test_which_port(answers: dict[str, Answer], passive: str, commands: list[str], port: int, left: str) -> None:
    play = Play(answers, passive=passive)
    assert play.rehearsed.error is None
    assert play.commands == [*commands, "RETR x"]
    assert play.data == [f"data {port}", "close 2"]
    assert play.passive == left
    assert (play.done and play.done.code) == 226


@pytest.mark.parametrize(
    ("answers", "error", "words"),
    [
        (
            {"EPSV": b"200 ok\r\n", "PASV": b"502 no\r\n"},
            RemoteProtocolError,
            "h opens no data connection, and its reply makes no sense",
        ),
        ({"EPSV": b"229 ok (|||0|)\r\n"}, RemoteProtocolError, "1 to 65535"),
        ({**NO_EPSV, "PASV": b"425 none\r\n"}, UnavailableError, "h opens no data connection: “425 none"),
        ({**NO_EPSV, "PASV": b"228 (127,0,0,1,192,0)\r\n"}, RemoteProtocolError, "h opens no data connection"),
    ],
)
def test_no_port(answers: dict[str, Answer], error: type[AnyURLError], words: str) -> None:
    play = Play(answers)
    assert type(play.rehearsed.error) is error
    assert words in str(play.rehearsed.error)
    assert (play.begun, play.data) == (None, [])


@pytest.mark.parametrize(
    "dead", [ConnectError("refused"), TransferTimeout("filtered", clock="connect")], ids=["refused", "filtered"]
)
@pytest.mark.parametrize("passive", ["", "EPSV"])
def test_pasv_follows_an_epsv_that_led_to_no_connection(dead: AnyURLError, passive: str) -> None:
    play = Play(dead=[dead], passive=passive, times=2)
    assert play.rehearsed.error is None
    assert play.commands == ["EPSV", "PASV", "RETR x", "PASV", "RETR x"]
    assert play.passive == "PASV"


def test_the_error_is_that_of_epsv_where_there_is_no_pasv() -> None:
    play = Play({"PASV": b"502 no\r\n"}, dead=[ConnectError("the port is closed")])
    assert str(play.rehearsed.error) == "the port is closed"
    assert type(Play(dead=[ConnectError("a"), ConnectError("b")]).rehearsed.error) is ConnectError


@pytest.mark.parametrize("verb", ["get", "list"])
def test_a_firewall_that_knows_pasv_only_is_passed(verb: str) -> None:
    part = ftp_part({}, {"RETR": b"content", "LIST": b"-rw-r--r-- 1 f f 7 Jan 05 2001 x\r\n"}, passive=("PASV",))
    with Server(part) as server, Client(Policy.open()) as client:
        if verb == "get":
            assert client.get(f"ftp://{server.authority}/x").read() == b"content"
        else:
            assert [entry.name for entry in client.list(f"ftp://{server.authority}/").entries()] == ["x"]


@pytest.mark.parametrize("refuse", range(PORTS_TRIED + 1))
def test_a_port_that_the_policy_refuses_is_asked_for_again(refuse: int) -> None:
    play = Play(refuse=refuse)
    tries = min(refuse + 1, PORTS_TRIED)
    assert PORTS_TRIED == 3
    assert play.commands == ["EPSV"] * tries + ["RETR x"] * (refuse < PORTS_TRIED)
    assert type(play.rehearsed.error) is (type(None) if refuse < PORTS_TRIED else RefusedError)


@pytest.mark.parametrize(
    ("verb", "argument", "restart", "commands"),
    [
        ("RETR", b"x", 0, ["RETR x"]),
        ("RETR", b"x", 1, ["REST 1", "RETR x"]),
        ("RETR", b"x", 2**63, [f"REST {2**63}", "RETR x"]),
        ("MLSD", None, 0, ["MLSD"]),
    ],
)
def test_the_command_comes_behind_the_port(
    verb: str, argument: bytes | None, restart: int, commands: Sequence[str]
) -> None:
    play = Play(verb=verb, argument=argument, restart=restart)
    assert play.commands == ["EPSV", *commands]
    assert isinstance(play.begun, DataTransfer)
    assert (play.begun.reply.code, play.begun.data.peer) == (150, ("192.0.2.1", 21))


@pytest.mark.parametrize(
    ("answers", "code", "commands"),
    [
        ({"REST": b"502 no\r\n"}, 502, ["EPSV", "REST 5"]),
        ({"REST": b"200 fine\r\n"}, 200, ["EPSV", "REST 5"]),  # RFC 3659 5.3: 350, and nothing else
        ({"RETR": b"550 no\r\n"}, 550, ["EPSV", "REST 5", "RETR x"]),
        ({"RETR": b"450 no\r\n"}, 450, ["EPSV", "REST 5", "RETR x"]),
        ({"RETR": b"350 what\r\n"}, 350, ["EPSV", "REST 5", "RETR x"]),
    ],
)
def test_what_is_refused_leaves_no_data_connection(answers: dict[str, Answer], code: int, commands: list[str]) -> None:
    play = Play(answers, restart=5, url="ftps://h:21/x")
    assert isinstance(play.begun, Reply)
    assert (play.begun.code, play.done) == (code, None)
    assert play.commands[-len(commands) :] == commands
    assert play.data == ["tls 1 h", "data 49152", "close 2"]  # never secured: nothing goes through it


def test_data_resume_the_session_of_the_control_connection() -> None:
    """RFC 4217 10: so that nobody else can take the data."""
    play = Play(url="ftps://h:21/x")
    assert play.data == ["tls 1 h", "data 49152", "tls 2 h resume 1", "close 2"]
    assert play.rehearsed.log.index("> RETR x") < play.rehearsed.log.index("tls 2 h resume 1")
    assert Play().data == ["data 49152", "close 2"]


def test_a_final_reply_may_come_at_once() -> None:
    """An empty directory, say; no other is waited for."""
    play = Play({"RETR": b"226 nothing there\r\n"})
    assert isinstance(play.begun, DataTransfer)
    assert play.done is play.begun.reply


def test_the_final_reply_is_whatever_comes_behind_the_data() -> None:
    play = Play({"RETR": [b"150 go\r\n426 broken\r\n", b"150 go\r\n226 whole\r\n"]}, times=1)  # type: ignore[dict-item]
    assert (play.done and (play.done.code, play.done.text)) == (426, "broken")
    assert [line for line in play.rehearsed.log if line.startswith(("close", "> RETR"))] == ["> RETR x", "close 2"]


def test_who_closes_tls_too_slowly_is_not_waited_for() -> None:
    class Slow(Rehearsed):
        clock: Any = "idle"

        def _close(self, ask: Any) -> None:
            super()._close(ask)
            raise TransferTimeout("it says no goodbye", clock=self.clock)

    def play(clock: str) -> tuple[Reply | None, AnyURLError | None]:
        done: list[Reply] = []

        def dialogue() -> Dialogue:
            control = Control(URL("ftp://h/x"), Options(), ())
            yield from control.open()
            begun = yield from begin(control, "RETR", b"x")
            assert isinstance(begun, DataTransfer)
            done.append((yield from finish(control, begun)))
            return None

        kind = type("Slow", (Slow,), {"clock": clock})
        error = kind(dialogue()).error
        return (done[0] if done else None), error

    reply, error = play("idle")
    assert (reply and reply.code, error) == (226, None)
    reply, error = play("total")
    assert (reply, type(error)) == (None, TransferTimeout)
