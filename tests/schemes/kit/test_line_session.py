"""One conversation for ftp, news and mail: the same greeting, clock, masking, second try and good-bye."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from anyurl import Client, Policy, consent_to_all
from anyurl.dialogue import Channel, Close, Connect, Keep, Monotonic, Options, Receive, Send, Steps
from anyurl.errors import (
    AnyURLError,
    ConnectionLost,
    LimitError,
    RemoteProtocolError,
    ReplyError,
    TransferTimeout,
)  # fmt: skip
from anyurl.guard.limits import Limits
from anyurl.schemes.ftp.session import Control
from anyurl.schemes.kit.line_session import GREETING_SECONDS, LineSession, check_said
from anyurl.schemes.mailto.session import MailSession
from anyurl.schemes.news.session import NewsSession
from anyurl.url import URL
from anyurl.url.endpoint import Endpoint
from tests.servers import Connection, Server, certificate

LIMITS = Limits(idle=0.3)

Make = Callable[[], LineSession]

MAKERS: dict[str, Make] = {
    "FTP": lambda: Control(URL("ftp://h:2121/x"), Options(), []),
    "NNTP": lambda: NewsSession(URL("nntp://h:1190/a.b/1"), Options()),
    "SMTP": lambda: MailSession(Endpoint("h", 2525), 60.0),
}

all_three = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


class Drive:
    """Carries out steps, with what the server says on each connection, and what the clock shows.

    Attributes:
        log: What was asked, a word each.
        error: What the steps ended with, or None.
        result: What they gave.
        waits: The seconds that each Receive allowed.
    """

    def __init__(self, steps: Steps[Any], *says: Sequence[bytes | AnyURLError], clock: Sequence[float] = ()) -> None:
        self.log: list[str] = []
        self.error: AnyURLError | None = None
        self.result: Any = None
        self.waits: list[float | None] = []
        self._says = [list(one) for one in says]
        self._inboxes: dict[Channel, list[bytes | AnyURLError]] = {}
        self._clock = list(clock)
        answer: Any = None
        try:
            ask = next(steps)
            while True:
                try:
                    answer = self._answer(ask)
                except AnyURLError as error:
                    ask = steps.throw(error)
                else:
                    ask = steps.send(answer)
        except StopIteration as stop:
            self.result = stop.value
        except AnyURLError as error:
            self.error = error

    def _answer(self, ask: object) -> Any:
        match ask:
            case Connect():
                self.log.append("fresh" if ask.fresh else "connect")
                channel = Channel(("192.0.2.1", ask.port))
                self._inboxes[channel] = self._says.pop(0)
                return channel
            case Send():
                self.log.append(ask.data.decode("latin-1").strip())
            case Receive():
                inbox = self._inboxes[ask.channel]
                piece = inbox.pop(0) if inbox else b""
                self.waits.append(ask.within)
                if isinstance(piece, AnyURLError):
                    raise piece
                return piece
            case Monotonic():
                return self._clock.pop(0)
            case Close() | Keep():
                self.log.append(type(ask).__name__)
            case _:
                raise AssertionError(ask)
        return None


def greeted(session: LineSession) -> Steps[Any]:
    """Connect, and the greeting."""
    yield from session.connect()
    return (yield from session.reply())


def one_command(session: LineSession) -> Steps[Any]:
    yield from greeted(session)
    return (yield from session.ask(b"NOOP\r\n"))


# --- the greeting ----------------------------------------------------------------------------------------------------


def wait_for_a_request(connection: Connection) -> None:
    """As an HTTP server does, and one that begins with TLS: neither ever speaks first."""
    connection.take(1)


def fetch(url: str, server: Server, **policy: Any) -> None:
    allowed = Policy.open().replace(allow_ports=(server.port,), **policy)
    settings = {"mail_server": server.authority, "mail_from": "me@example.org", "ask_consent": consent_to_all}
    with Client(allowed, **settings) as client:  # type: ignore[arg-type]
        verb, source = ("append", b"x") if url.startswith("mailto") else ("get", None)
        client.open(url.format(server.authority), verb, source=source).read()  # type: ignore[arg-type]


WRONG = [
    ("ftp://{}/x", "FTP", "ftps:// begins with it at port 990 only"),
    ("nntp://{}/a.b/1", "NNTP", "use nntps://"),
    ("news://{}/a.b", "NNTP", "use snews://"),
    ("mailto:you@example.com", "SMTP", "mail begins with it at port 465 only"),
]


@pytest.mark.parametrize(("url", "protocol", "hint"), WRONG)
def test_a_server_that_never_speaks_first_is_named_with_what_it_should_speak(
    url: str, protocol: str, hint: str
) -> None:
    with Server(wait_for_a_request) as server, pytest.raises(TransferTimeout) as caught:
        fetch(url, server, limits=LIMITS)
    where = server.authority
    assert str(caught.value) == f"{where} sent nothing for 0.3 s. Does it speak {protocol} there, or TLS ({hint})?"
    assert (caught.value.clock, caught.value.stage) == ("idle", "login")


def test_one_that_never_answers_a_first_request_is_named_too() -> None:
    with Server(Connection.wait_for_close) as server, pytest.raises(TransferTimeout) as caught:
        fetch("wais://{}/database?words", server, limits=LIMITS)
    moved = f"Nothing, or next to nothing, moved to or from 127.0.0.1:{server.port}"
    silence = f"{moved} for 0.3 seconds: the limit allows no more."
    assert str(caught.value) == f"{silence} Does it speak WAIS there?"
    assert caught.value.clock == "idle"


@pytest.mark.parametrize("url", ["nntp://{}/a.b/1", "news://{}/a.b"])
def test_the_greeting_of_another_protocol_is_told_as_such(url: str) -> None:
    with Server(lambda connection: connection.send(b"220 FTP is spoken here\r\n")) as server:
        with pytest.raises(RemoteProtocolError) as caught:
            fetch(url, server)
    where = server.authority
    said = f"{where} does not greet as a server of NNTP: “220 FTP is spoken here”. Does it speak NNTP there?"
    assert (str(caught.value), caught.value.stage) == (said, "login")


@pytest.mark.parametrize(("url", "hint"), [(url, hint) for url, _, hint in WRONG])
def test_a_server_that_waits_for_tls_is_found_out(url: str, hint: str, tmp_path: Path) -> None:
    """A real one (OpenSSL), which says nothing until it is spoken to."""
    with certificate(tmp_path, "127.0.0.1") as (context, _):
        with Server(wait_for_a_request, context=context) as server, pytest.raises(RemoteProtocolError) as caught:
            fetch(url, server, limits=LIMITS)
    assert str(caught.value) == f"{server.authority} speaks TLS: {hint}."
    assert caught.value.stage == "login"


SILENT = TransferTimeout("silent", clock="idle")
HALF_A_HELLO = "\x16\x03\x01\0\x05\x01\0\0\x01\0"


@pytest.mark.parametrize("protocol", ["FTP", "NNTP"])
def test_after_three_seconds_of_silence_another_connection_asks_for_tls(protocol: str) -> None:
    told = Drive(greeted(MAKERS[protocol]()), [SILENT], [ALERT])
    assert (type(told.error), "speaks TLS" in str(told.error), told.waits) == (RemoteProtocolError, True, [3.0, 2.0])
    assert told.log == ["connect", "fresh", HALF_A_HELLO, "Close"]


@pytest.mark.parametrize("answer", [b"", b"421 One connection is enough.\r\n", SILENT, ConnectionLost("gone")])
def test_a_server_that_is_only_slow_greets_on_the_first_connection(answer: bytes | AnyURLError) -> None:
    slow = Drive(greeted(MAKERS["FTP"]()), [SILENT, b"220 At last\r\n"], [answer])
    assert (slow.error, slow.result.text) == (None, "At last")
    assert slow.waits == [3.0, 2.0, 27.0]


def test_nobody_speaks_to_a_mail_server_before_it_greets() -> None:
    """As senders of spam do: servers wait for that, and refuse them."""
    mail = Drive(greeted(MAKERS["SMTP"]()), [b"220 At last\r\n"])
    assert (mail.result.text, mail.waits) == ("At last", [GREETING_SECONDS])
    assert "speaks TLS" in str(Drive(greeted(MAKERS["SMTP"]()), [SILENT], [ALERT]).error)


def test_a_probe_that_may_not_be_made_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def greet_late(connection: Connection) -> None:
        time.sleep(0.1)
        connection.send(b"550 Closed\r\n")

    monkeypatch.setattr(LineSession, "probe_seconds", 0.05)
    with Server(greet_late) as server, pytest.raises(ReplyError) as caught:
        fetch("ftp://{}/x", server, limits=Limits(connections=1))
    assert "550 Closed" in str(caught.value)
    assert len(server.received) == 1


@all_three
def test_where_tls_has_begun_nobody_is_asked_for_it(make: Make) -> None:
    session = make()
    session._tls = True
    silent = Drive(greeted(session), [TransferTimeout("silent", clock="idle")])
    assert "Does it speak" in str(silent.error)
    assert silent.log == ["connect"]


def test_a_greeting_has_less_time_than_other_silence() -> None:
    assert Limits().idle > GREETING_SECONDS


ALERT = b"\x15\x03\x03\0\x02\x02\n"
"""RFC 8446 6.2: a fatal unexpected_message, whose number is LF; it looks like a line."""

HANDSHAKE = b"\x16\x03\x01\0\x05"


@pytest.mark.parametrize(("url", "hint"), [(url, hint) for url, _, hint in WRONG])
@pytest.mark.parametrize("octets", [ALERT, ALERT + ALERT, HANDSHAKE, ALERT[:2]], ids=["alert", "two", "hello", "cut"])
def test_a_server_that_begins_with_tls_is_named_as_such(url: str, hint: str, octets: bytes) -> None:
    with Server(lambda connection: connection.send(octets)) as server, pytest.raises(RemoteProtocolError) as caught:
        fetch(url, server)
    assert str(caught.value) == f"{server.authority} speaks TLS: {hint}."


@all_three
def test_tls_is_seen_byte_by_byte_and_in_a_greeting_only(make: Make) -> None:
    pieces = [bytes([octet]) for octet in ALERT]
    assert "speaks TLS" in str(Drive(greeted(make()), pieces, clock=[0.0]).error)
    assert "speaks TLS" not in str(Drive(greeted(make()), pieces[:1], clock=[0.0]).error)
    later = Drive(one_command(make()), [b"200 hello\r\n", ALERT])
    assert "speaks TLS" not in str(later.error)


def test_the_hint_knows_the_ports() -> None:
    made = {
        "use ftps://": Control(URL("ftp://h:990/"), Options(), []),
        "snews:// begins with it at any port but 119": NewsSession(URL("news://h/a.b"), Options()),
        "nntps:// begins with it at any port but 119": NewsSession(URL("nntps://h:119/a.b"), Options()),
    }
    for hint, session in made.items():
        error = Drive(greeted(session), [ALERT]).error
        assert str(error) == f"h:{session.port} speaks TLS: {hint}."


# --- the clock -------------------------------------------------------------------------------------------------------


@all_three
def test_silence_before_a_reply_is_not_of_its_clock(make: Make) -> None:
    """A whole reply asks for no time at all; one in pieces asks from its first octets on."""
    assert Drive(greeted(make()), [b"200 hello\r\n"]).result.code == 200
    assert Drive(greeted(make()), [b"200 hel", b"lo\r\n"], clock=[1000.0]).result.text == "hello"
    late = [b"2", b"0", b"0", b" x\r\n"]
    assert Drive(greeted(make()), late, clock=[1000.0, 1059.0, 1060.0]).result.code == 200


@all_three
def test_a_reply_that_drips_has_an_end(make: Make) -> None:
    drive = Drive(greeted(make()), [b"2", b"0", b"0", b" x\r\n"], clock=[1000.0, 1060.0, 1060.1])
    assert type(drive.error) is TransferTimeout
    assert str(drive.error) == "A reply of h took more than 60 s."


# --- commands --------------------------------------------------------------------------------------------------------


@all_three
def test_what_is_here_before_the_question_is_no_answer(make: Make) -> None:
    closing = 400 if isinstance(make(), NewsSession) else 421
    for extra, error, words in (
        (b"250 stale\r\n", RemoteProtocolError, "h sent an unexpected reply: “250 stale”"),
        (b"25", RemoteProtocolError, "h sent an unexpected reply: the beginning of a reply"),
        (b"%d bye\r\n" % closing, ConnectionLost, f"h ends the session: “{closing} bye”"),
    ):
        drive = Drive(one_command(make()), [b"200 hello\r\n" + extra])
        assert (type(drive.error), str(drive.error), drive.log) == (error, words, ["connect"])


@all_three
def test_a_server_that_goes_away(make: Make) -> None:
    noun = make().noun
    closed = Drive(one_command(make()), [b"200 hello\r\n"])
    assert str(closed.error) == f"h closed the {noun} without a reply."
    assert type(closed.error) is ConnectionLost


@all_three
def test_a_password_that_is_said_again_is_in_no_message(make: Make) -> None:
    """Whatever the server wraps it in: a reply, a line that is none, one that is too long."""
    for said in (b"535 hunter2\r\n", b"hunter2\r\n", b"535 hunter2" * 1000, b"535 hunter2\0\r\n"):
        session = make()

        def steps(session: LineSession = session) -> Steps[Any]:
            yield from greeted(session)
            session._secrets = (b"hunter2",)
            return (yield from session.ask(b"PASS hunter2\r\n"))

        drive = Drive(steps(), [b"200 hello\r\n", said])
        shown = str(drive.error or drive.result)
        assert shown in (
            "“535 ***”",
            f"h sent no {session._form.protocol} reply; it may hold the password, and is not shown.",
        )
        error = drive.error
        assert error is None or (error.__context__, error.__cause__) == (None, None)
        assert isinstance(error, LimitError) is (len(said) > 1000)


def test_a_line_end_never_goes_out() -> None:
    assert check_said("a b", "password") == "a b"
    for octet in "\r\n\0":
        with pytest.raises(AnyURLError, match="The password holds CR, LF or NUL"):
            check_said(f"a{octet}b", "password")


# --- the end ---------------------------------------------------------------------------------------------------------


def no() -> Steps[None]:
    raise ReplyError("no", code=550, text="no")
    yield from ()


def broken() -> Steps[None]:
    raise RemoteProtocolError("nonsense")
    yield from ()


class Small(LineSession):
    """The least that a protocol brings."""

    _tls_hint = ""

    def _enter(self) -> Steps[None]:
        yield from self.reply()


def small() -> Small:
    control = MAKERS["FTP"]()
    return Small(control._form, "h", 21, tls=False, patience=60.0)


def test_a_server_that_says_no_is_told_good_bye_and_one_that_talks_nonsense_is_not() -> None:
    assert Drive(small().converse(no()), [b"220 hello\r\n"]).log == ["connect", "QUIT"]
    assert Drive(small().converse(broken()), [b"220 hello\r\n"]).log == ["connect"]
    assert Drive(small().converse(), [b"220 hello\r\n"]).log == ["connect"]
    error = Drive(small().converse(no()), [b"220 hello\r\n"]).error
    assert type(error) is ReplyError


def test_nothing_is_kept_without_a_session() -> None:
    session = small()
    assert Drive(session.converse(session.keep(1)), [b"220 hello\r\n"]).log == ["connect", "QUIT"]
