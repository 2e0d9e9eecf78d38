"""One session with a mail server, line by line: TLS, login, one message, and what is said when it breaks."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence

import pytest

from anyurl.dialogue import AskSecret, Close, Connect, Dialogue, Receive, Secure
from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    ConnectError,
    ConnectionLost,
    DeniedError,
    LimitError,
    NotFoundError,
    ReplyError,
    SecretNeededError,
    TransferTimeout,
    Truncated,
    UnavailableError,
    UnsupportedError,
)
from anyurl.schemes.mailto.session import TLS_PORT, VERDICT_SECONDS, MailSession, Outcome
from anyurl.schemes.mailto.wire.address import Address, read_address
from anyurl.url.endpoint import SUBMISSION_PORT, Endpoint
from tests.schemes.steps import Played, Said

HERE = ("127.0.0.1", 25)
AWAY = ("192.0.2.1", 25)
ME, YOU, HER = (read_address(f"{name}@example.org") for name in ("me", "you", "her"))
HELLO = b"EHLO [127.0.0.1]\r\n"
GREETING = b"220 mail ESMTP\r\n"
OK = b"250 2.1.0 Ok\r\n"
GO = b"354 Go\r\n"
QUEUED = b"250 2.0.0 queued\r\n"


def features(*lines: str) -> bytes:
    whole = ["mail", *lines]
    return "".join(f"250-{line}\r\n" for line in whole[:-1]).encode() + f"250 {whole[-1]}\r\n".encode()


PLAIN = features()


class Mail(Played):
    """A message from me, handed over.

    Attributes:
        outcome: What became of it, or None.
        session: The session.
    """

    def __init__(
        self, *said: Said, port: int = 25, user: str | None = None, peer: tuple[str, int] = HERE,
        to: Sequence[Address] = (YOU,), message: bytes = b"Hi\r\n.\r\n", eight_bit: bool = False, utf8: bool = False,
        secret: str | None = None,
    ) -> None:  # fmt: skip
        self.outcome: Outcome | None = None
        self.session = MailSession(Endpoint("mail", port, user), 60.0)

        def dialogue() -> Dialogue:
            yield from self.session.open()
            self.outcome = yield from self.session.deliver(ME, to, message, eight_bit=eight_bit, utf8=utf8)
            return None

        super().__init__(dialogue(), said, peer=peer, secret=secret)

    @property
    def lines(self) -> list[bytes]:
        """What was sent."""
        return self.sent[0].splitlines(keepends=True)


def fails(mail: Mail, error: type[AnyURLError], words: str) -> None:
    assert type(mail.error) is error
    assert words in str(mail.error)
    assert mail.outcome is None


def test_a_message() -> None:
    mail = Mail(GREETING, PLAIN, OK, OK, GO, QUEUED)
    assert mail.error is None
    assert mail.lines == [
        HELLO, b"MAIL FROM:<me@example.org>\r\n", b"RCPT TO:<you@example.org>\r\n", b"DATA\r\n",
        b"Hi\r\n", b"..\r\n", b".\r\n",
    ]  # fmt: skip
    assert mail.outcome is not None
    assert (str(mail.outcome.reply), list(mail.outcome.delivered), mail.outcome.refused) == (
        "“250 2.0.0 queued”", [YOU], {},
    )  # fmt: skip
    assert [ask.within for ask in mail.of(Receive)][-1] == VERDICT_SECONDS == 600.0


@pytest.mark.parametrize(("port", "tls"), [(25, False), (587, False), (TLS_PORT, True)])
def test_tls_begins_at_once_at_its_own_port(port: int, tls: bool) -> None:
    """RFC 8314 7.3."""
    [connect] = Mail(GREETING, PLAIN, port=port).of(Connect)
    assert (connect.host, connect.port, bool(connect.tls), TLS_PORT) == ("mail", port, tls, 465)


# --- greeting and TLS ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "error", "words", "sent"),
    [
        ([b"554 no\r\n"], DeniedError, "mail accepts no mail from here: “554 no", []),
        ([GREETING, b"550 no\r\n"], NotFoundError, "mail does not answer EHLO: “550 no", [HELLO]),
        ([GREETING, b"500 ?\r\n", b"550 no\r\n"], ReplyError, "mail does not answer EHLO: “500 ?”", [HELLO, b"HELO"]),
        ([GREETING, b"421 bye\r\n"], UnavailableError, "421 bye", [HELLO]),
    ],
)
def test_who_takes_no_mail(said: list[bytes], error: type[AnyURLError], words: str, sent: list[bytes]) -> None:
    mail = Mail(*said)
    fails(mail, error, words)
    assert [line[: len(wanted)] for line, wanted in zip(mail.lines, sent, strict=True)] == sent


@pytest.mark.parametrize("code", [500, 502])
def test_a_server_that_knows_no_extensions(code: int) -> None:
    """RFC 5321 3.2."""
    mail = Mail(GREETING, b"%d ?\r\n" % code, b"250 mail\r\n", OK, OK, GO, QUEUED)
    assert mail.lines[:2] == [HELLO, b"HELO [127.0.0.1]\r\n"]
    assert mail.session.features == {}
    assert mail.error is None


@pytest.mark.parametrize(
    ("peer", "user", "offered", "secured"),
    [
        (AWAY, None, ("STARTTLS",), True),
        (AWAY, None, (), False),
        (HERE, None, ("STARTTLS",), False),  # nobody is between, and certificates of this machine are its own
        (HERE, "me", ("STARTTLS", "AUTH PLAIN"), False),
        (HERE, "me", ("STARTTLS",), True),  # a login is offered behind it only
    ],
)
def test_when_tls_begins(peer: tuple[str, int], user: str | None, offered: Sequence[str], secured: bool) -> None:
    again = [b"220 go\r\n", features("AUTH PLAIN")] if secured else []
    login = [b"235 in\r\n"] if user else []
    mail = Mail(GREETING, features(*offered), *again, *login, OK, OK, GO, QUEUED, peer=peer, user=user, secret="pw")
    assert mail.error is None
    assert [ask.server_name for ask in mail.of(Secure)] == ["mail"] * secured
    assert (mail.lines[1:3] == [b"STARTTLS\r\n", HELLO]) is secured
    assert mail.session.secure is secured
    cleartext = [] if secured or peer is HERE else ["the message goes to mail in cleartext: it offers no STARTTLS"]
    assert mail.notes == cleartext


@pytest.mark.parametrize(("port", "user"), [(25, "me"), (SUBMISSION_PORT, None)])
def test_what_never_goes_out_without_tls(port: int, user: str | None) -> None:
    """RFC 8314 3.3; a man in the middle could have removed STARTTLS from the reply."""
    mail = Mail(GREETING, features("AUTH PLAIN"), port=port, user=user, peer=AWAY, secret="pw")
    fails(mail, ConnectError, f"mail offers no STARTTLS at port {port}, and neither a password nor users' mail goes")
    assert (mail.error and mail.error.stage, mail.lines, mail.of(AskSecret)) == ("tls", [HELLO], [])


def test_tls_that_is_refused_or_forestalled() -> None:
    fails(Mail(GREETING, features("STARTTLS"), b"454 no\r\n", peer=AWAY), ConnectError, "refuses STARTTLS")
    forged = Mail(GREETING, features("STARTTLS"), b"220 go\r\n250 mail\r\n", peer=AWAY)
    assert "sent more than its reply to STARTTLS before TLS began" in str(forged.error)
    assert forged.of(Secure) == []


def test_a_server_of_this_machine_may_want_tls_after_all() -> None:
    """RFC 3207 4."""
    wants = b"530 5.7.0 Must issue a STARTTLS command first\r\n"
    mail = Mail(GREETING, features("STARTTLS"), wants, b"220 go\r\n", PLAIN, OK, OK, GO, QUEUED)
    assert mail.error is None
    assert [line[:8] for line in mail.lines[1:5]] == [b"MAIL FRO", b"STARTTLS", HELLO[:8], b"MAIL FRO"]
    fails(Mail(GREETING, features("STARTTLS"), b"530 5.7.0 log in\r\n"), AuthRequiredError, "accepts no mail from me@")


# --- login -----------------------------------------------------------------------------------------------------------


def b64(text: str) -> bytes:
    return b64encode(text.encode()) + b"\r\n"


@pytest.mark.parametrize(
    ("offered", "replies", "sent"),
    [
        ("PLAIN LOGIN", [b"235 in\r\n"], [b"AUTH PLAIN " + b64("\0me\0p\xe4")]),
        ("CRAM-MD5 plain", [b"235 in\r\n"], [b"AUTH PLAIN " + b64("\0me\0p\xe4")]),
        (
            "LOGIN", [b"334 VXNlcm5hbWU6\r\n", b"334 UGFzc3dvcmQ6\r\n", b"235 in\r\n"],
            [b"AUTH LOGIN\r\n", b64("me"), b64("p\xe4")],
        ),
    ],
)  # fmt: skip
def test_a_login(offered: str, replies: list[bytes], sent: list[bytes]) -> None:
    hello = features(f"AUTH {offered}")
    mail = Mail(GREETING, hello, *replies, OK, OK, GO, QUEUED, user="me", secret="p\xe4")
    assert mail.error is None
    assert mail.lines[1 : 1 + len(sent)] == sent
    assert [(ask.host, ask.user, ask.kind) for ask in mail.of(AskSecret)] == [("mail", "me", "mail password")]


@pytest.mark.parametrize(
    ("offered", "replies", "secret", "error", "words"),
    [
        ((), [], "pw", UnsupportedError, "mail offers no login that anyurl knows: PLAIN and LOGIN are supported."),
        (("AUTH GSSAPI X",), [], "pw", UnsupportedError, "knows (GSSAPI, X): PLAIN and LOGIN are supported."),
        (("AUTH PLAIN",), [], None, SecretNeededError, "mail asks for the password of 'me', and neither netrc nor"),
        (("AUTH PLAIN",), [b"535 no\r\n"], "pw", AuthRequiredError, "mail does not take the login of 'me': “535 no"),
        (("AUTH LOGIN",), [b"535 no\r\n"], "pw", AuthRequiredError, "does not take the login"),
        (("AUTH LOGIN",), [b"334 x\r\n", b"535 no\r\n"], "pw", AuthRequiredError, "does not take the login"),
        (("AUTH PLAIN",), [b"454 later\r\n"], "pw", UnavailableError, "Later it may succeed."),
    ],
)
def test_a_login_that_fails(
    offered: Sequence[str], replies: list[bytes], secret: str | None, error: type[AnyURLError], words: str
) -> None:
    mail = Mail(GREETING, features(*offered), *replies, user="me", secret=secret)
    fails(mail, error, words)
    assert not any(line.startswith(b"MAIL") for line in mail.lines)


FORMS = [b"hunter2", b64encode(b"hunter2"), b64encode(b"\0me\0hunter2")]


@pytest.mark.parametrize("form", FORMS)
def test_a_password_that_is_echoed_is_not_shown(form: bytes) -> None:
    mail = Mail(GREETING, features("AUTH PLAIN"), b"535 " + form + b"\r\n", user="me", secret="hunter2")
    assert form.decode() not in str(mail.error)


# --- one message -----------------------------------------------------------------------------------------------------


def test_some_recipients_may_be_refused() -> None:
    no = b"550 5.1.1 nobody\r\n"
    for pipelining in (False, True):
        hello = features("PIPELINING") if pipelining else PLAIN
        mail = Mail(GREETING, hello, OK, no, OK, GO, QUEUED, to=[YOU, HER])
        assert mail.outcome is not None
        assert (list(mail.outcome.delivered), [*mail.outcome.refused]) == ([HER], [YOU])
        assert mail.outcome.refused[YOU].said == "550 5.1.1 nobody"
        fails(Mail(GREETING, hello, OK, no, b"450 x\r\n", to=[YOU, HER]), NotFoundError, "refuses mail to you@example")


def test_commands_go_together_where_the_server_says_so() -> None:
    """RFC 2920 3.1; what may have to be said again behind TLS goes alone."""
    for offered, alone in ((("PIPELINING",), False), (("PIPELINING", "STARTTLS"), True), ((), True)):
        mail = Mail(GREETING, features(*offered), b"550 no\r\n")
        assert type(mail.error) is DeniedError
        assert (b"RCPT" not in mail.sent[0]) is alone


@pytest.mark.parametrize(
    ("replies", "error", "words"),
    [
        ([b"550 no\r\n"], DeniedError, "mail accepts no mail from me@example.org: “550 no"),
        ([OK, OK, b"554 no\r\n"], DeniedError, "mail does not take the message: “554 no"),
        ([OK, OK, b"250 what\r\n"], AnyURLError, "mail does not take the message"),
        ([OK, OK, GO, b"550 spam\r\n"], DeniedError, "mail does not take the message: “550 spam"),
        ([OK, OK, GO, b"451 later\r\n"], UnavailableError, "mail does not take the message: “451 later"),
        ([OK, OK, GO + b"250 early\r\n"], AnyURLError, "mail"),
    ],
)
def test_who_does_not_take_it(replies: list[bytes], error: type[AnyURLError], words: str) -> None:
    mail = Mail(GREETING, PLAIN, *replies)
    assert isinstance(mail.error, error)
    assert words in str(mail.error)
    assert mail.outcome is None


@pytest.mark.parametrize(
    ("offered", "more", "error", "words"),
    [
        (("SIZE 6",), {}, LimitError, "The message has 7 octets, and mail takes 6 at most (RFC 1870)."),
        ((), {"utf8": True}, UnsupportedError, "no international addresses or header fields (SMTPUTF8, RFC 6531)"),
        ((), {"eight_bit": True}, UnsupportedError, "accepts no octets above 127 (8BITMIME, RFC 6152)"),
    ],
)
def test_what_the_server_can_not_carry(
    offered: Sequence[str], more: dict[str, bool], error: type[AnyURLError], words: str
) -> None:
    mail = Mail(GREETING, features(*offered), **more)  # type: ignore[arg-type]
    fails(mail, error, words)
    assert mail.lines == [HELLO]


@pytest.mark.parametrize(
    ("offered", "more", "parameters"),
    [
        (("SIZE 7",), {}, b" SIZE=7"),
        (("SIZE",), {}, b" SIZE=7"),
        (("SIZE 0",), {}, b" SIZE=7"),
        (("8BITMIME",), {"eight_bit": True}, b" BODY=8BITMIME"),
        (("SMTPUTF8",), {"utf8": True, "eight_bit": True}, b" SMTPUTF8"),  # which implies it
    ],
)
def test_what_it_can(offered: Sequence[str], more: dict[str, bool], parameters: bytes) -> None:
    mail = Mail(GREETING, features(*offered), OK, OK, GO, QUEUED, **more)  # type: ignore[arg-type]
    assert mail.error is None
    assert mail.lines[1] == b"MAIL FROM:<me@example.org>" + parameters + b"\r\n"


@pytest.mark.parametrize(
    ("end", "error", "clock"),
    [
        (b"", ConnectionLost, None),
        (ConnectionLost("broken"), ConnectionLost, None),
        (Truncated("cut", received=1), ConnectionLost, None),
        (TransferTimeout("too late", clock="idle"), TransferTimeout, "idle"),
        (TransferTimeout("too late", clock="total"), TransferTimeout, "total"),
    ],
)
def test_a_message_that_nobody_confirms_may_have_arrived(
    end: Said, error: type[AnyURLError], clock: str | None
) -> None:
    """RFC 1047: sent again it might arrive twice."""
    mail = Mail(GREETING, PLAIN, OK, OK, GO, *([end] if end else []))
    fails(mail, error, "mail did not confirm the message, which may or may not have been delivered. ")
    assert getattr(mail.error, "clock", None) == clock
    assert mail.of(Close) == []


def test_a_message_that_breaks_off_is_not_delivered() -> None:
    class Broken(Mail):
        def _answer(self, ask: object) -> object:
            if getattr(ask, "data", b"").endswith(b"\r\n.\r\n"):
                raise ConnectionLost("broken")
            return super()._answer(ask)  # type: ignore[arg-type]

    mail = Broken(GREETING, PLAIN, OK, OK, GO)
    fails(mail, ConnectionLost, "broke before all of the message was sent: it is not delivered.")
