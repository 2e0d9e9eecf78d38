"""Delivery: what goes to the mail server, octet for octet, and what becomes of each of its answers (RFC 5321, 6409)."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyurl.client.client import Client
from anyurl.client.resource import Resource
from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    ConnectError,
    ConnectionLost,
    DeniedError,
    LimitError,
    LocalFileError,
    LocalProtocolError,
    NotFoundError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    SecretNeededError,
    UnavailableError,
    UnsupportedError,
    URLSyntaxError,
)
from anyurl.guard.policy import Policy
from anyurl.schemes.mailto.delivery import MAX_MESSAGE_BYTES
from tests.rows import each_row
from tests.schemes.mailto.mail_script import ADDRESS, FEATURES, FIXED, HOST, MailClient, Script
from tests.servers import Connection, certificate

TO = "mailto:you@example.com?subject=hello"
TLS = (*FEATURES, "STARTTLS", "AUTH PLAIN LOGIN")


def deliver(script: Script, url: str = TO, data: bytes = b"text\n", type: str | None = None, **how: Any) -> Resource:
    with MailClient(script.play, **how) as mail:
        return mail.client.append(url, data, type=type)


def fails(script: Script, error: type[AnyURLError], words: str, **how: Any) -> None:
    with pytest.raises(error, match=words):
        deliver(script, **how)


@pytest.fixture
def tls(tmp_path: Path) -> Iterator[tuple[Any, Path]]:
    with certificate(tmp_path, HOST) as made:
        yield made


# --- the conversation ------------------------------------------------------------------------------------------------


def test_a_text_is_delivered() -> None:
    script = Script()
    resource = deliver(script)
    assert script.commands == [
        b"EHLO [127.0.0.1]\r\n",
        b"MAIL FROM:<me@example.org> SIZE=%d\r\n" % (resource.size or 0),
        b"RCPT TO:<you@example.com>\r\n",
        b"DATA\r\n",
        b"QUIT\r\n",
    ]
    (message,) = script.messages
    head, _, body = message.partition(b"\r\n\r\n")
    assert body == b"text\r\n.\r\n"
    lines = head.decode().split("\r\n")
    assert re.fullmatch(r"Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000", lines[0])
    assert re.fullmatch(r"Message-ID: <[0-9a-f]{32}@example\.org>", lines[1])
    assert lines[2:] == [
        "From: me@example.org", "To: you@example.com", "Subject: hello", "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=us-ascii", "Content-Transfer-Encoding: 7bit",
    ]  # fmt: skip
    assert (resource.kind, resource.type, resource.size) == ("mailbox", "message/rfc822", len(message) - 3)
    assert resource.attributes == {
        "server": f"{HOST}:2525",
        "reply": "250 2.0.0 Ok: queued as 1",
        "delivered": ["you@example.com"],
        "refused": {},
    }
    assert resource.notes == [f"the message goes to {HOST} in cleartext: it offers no STARTTLS"]


def test_without_pipelining_one_after_the_other() -> None:
    script = Script(features=())
    deliver(script, "mailto:a@b.example,c@d.example")
    assert script.commands[1:4] == [
        b"MAIL FROM:<me@example.org>\r\n", b"RCPT TO:<a@b.example>\r\n", b"RCPT TO:<c@d.example>\r\n",
    ]  # fmt: skip


def test_a_server_without_extensions() -> None:
    """RFC 5321 3.2: who does not know EHLO knows HELO."""
    script = Script(replies={"EHLO": b"500 What?", "HELO": b"250 mail.example.org"})
    resource = deliver(script)
    assert script.commands[:3] == [
        b"EHLO [127.0.0.1]\r\n", b"HELO [127.0.0.1]\r\n", b"MAIL FROM:<me@example.org>\r\n",
    ]  # fmt: skip
    assert resource.attributes["delivered"] == ["you@example.com"]
    script = Script(replies={"EHLO": b"502 What?", "HELO": b"250 mail.example.org"})
    fails(script, ConnectError, "neither a password nor users' mail goes out without TLS", user="me", port=587)


def test_everybody_once() -> None:
    script = Script()
    deliver(script, "mailto:a@b.example?to=c@d.example&cc=a@b.example,e@f.example&bcc=g@h.example&from=i@j.example")
    assert [line for line in script.commands if line.startswith(b"RCPT")] == [
        b"RCPT TO:<a@b.example>\r\n", b"RCPT TO:<c@d.example>\r\n", b"RCPT TO:<e@f.example>\r\n",
    ]  # fmt: skip
    assert b"Bcc" not in script.messages[0]
    assert b"i@j" not in script.messages[0]


def test_international_addresses() -> None:
    script = Script()
    deliver(script, "mailto:%C3%BC@b%C3%BCcher.example")
    assert script.commands[1].endswith(b" BODY=8BITMIME SMTPUTF8\r\n")
    assert script.commands[2] == "RCPT TO:<ü@xn--bcher-kva.example>\r\n".encode()
    assert "\r\nTo: ü@xn--bcher-kva.example\r\n".encode() in script.messages[0]


def test_a_domain_needs_no_smtputf8() -> None:
    script = Script(features=())
    deliver(script, "mailto:a@b%C3%BCcher.example?subject=%C3%BC")
    assert script.commands[2] == b"RCPT TO:<a@xn--bcher-kva.example>\r\n"
    assert script.messages[0].isascii()


# --- what is sent ----------------------------------------------------------------------------------------------------


def body_of(script: Script) -> bytes:
    return script.messages[0].partition(b"\r\n\r\n")[2]


@each_row(
    ("data", "body"),
    [
        pytest.param(b"", b".\r\n", id="nothing"),
        pytest.param(b".\n", b"..\r\n.\r\n", id="a lone dot"),
        pytest.param(b"a\n.\nMAIL FROM:<x@y>\n", b"a\r\n..\r\nMAIL FROM:<x@y>\r\n.\r\n", id="smuggling by LF"),
        pytest.param(b"a\r.\rb", b"a\r\n..\r\nb\r\n.\r\n", id="smuggling by CR"),
        pytest.param(b"a\r\n.\rQUIT\r\n", b"a\r\n..\r\nQUIT\r\n.\r\n", id="smuggling by CR LF . CR"),
        pytest.param(b"a\r\n.\r\nQUIT\r\n", b"a\r\n..\r\nQUIT\r\n.\r\n", id="the end mark itself"),
        pytest.param(b"\xef\xbb\xbfa\n", b"a\r\n.\r\n", id="the mark of some editors"),
        pytest.param("ü\n".encode(), b"=C3=BC\r\n.\r\n", id="UTF-8"),
        pytest.param(b"a\0b\n", b"a=00b\r\n.\r\n", id="NUL"),
        pytest.param(b"x" * 1200, b"=\r\n".join([b"x" * 75] * 16) + b"\r\n.\r\n", id="a long line"),
    ],
)
def test_a_text_on_the_wire(data: bytes, body: bytes) -> None:
    script = Script()
    deliver(script, data=data)
    assert body_of(script) == body
    assert script.commands[-1] == b"QUIT\r\n"
    assert len(script.commands) == 5


def test_an_empty_text_leaves_the_body_of_the_url() -> None:
    script = Script()
    deliver(script, "mailto:list-request@example.org?body=subscribe%0D%0A.%0D%0Aend", b"")
    assert body_of(script) == b"subscribe\r\n..\r\nend\r\n.\r\n"


def test_a_text_takes_the_place_of_the_body_of_the_url() -> None:
    script = Script()
    resource = deliver(script, "mailto:a@b.example?body=x", b"y")
    assert body_of(script) == b"y\r\n.\r\n"
    assert "the body in the URL was left out: the file is the body" in resource.notes


def test_a_text_keeps_its_type() -> None:
    script = Script()
    deliver(script, data=b"# x", type="text/markdown")
    assert b"\r\nContent-Type: text/markdown; charset=us-ascii\r\n" in script.messages[0]


MESSAGE = (
    b"From: Me <me@example.org>\nTo: list@example.net\nBcc: hidden@example.net\nDate: x\nMessage-ID: <1@2>\n\n"
    b".\xc3\xbc\n"
)


def test_a_message_goes_as_it_is() -> None:
    """The envelope is the URL's; only who got it blindly is taken out."""
    script = Script()
    resource = deliver(script, data=MESSAGE, type="message/rfc822")
    assert script.messages == [
        b"From: Me <me@example.org>\r\nTo: list@example.net\r\nDate: x\r\nMessage-ID: <1@2>\r\n\r\n..\xc3\xbc\r\n.\r\n"
    ]
    assert script.commands[1].endswith(b" BODY=8BITMIME\r\n")
    assert script.commands[2] == b"RCPT TO:<you@example.com>\r\n"
    assert "the field 'bcc' of the message was left out: it is never sent" in resource.notes


def test_a_message_gets_what_it_lacks() -> None:
    script = Script()
    deliver(script, data=b"Subject: x\n\nbody\n", type="message/rfc822")
    names = [line.partition(b":")[0] for line in script.messages[0].partition(b"\r\n\r\n")[0].split(b"\r\n")]
    assert names == [b"From", b"Date", b"Message-ID", b"Subject"]


def test_a_message_with_utf8_in_its_header() -> None:
    script = Script()
    deliver(script, data="Subject: ü\n\nbody\n".encode(), type="message/global")
    assert script.commands[1].endswith(b" BODY=8BITMIME SMTPUTF8\r\n")


@each_row(
    ("data", "type", "error", "words"),
    [
        (b"\xff\xfe", None, LocalFileError, "is not UTF-8 .octet 0."),
        (b"x", "image/png", UnsupportedError, "image/png can't be sent as mail"),
        (b"x", "multipart/mixed", UnsupportedError, "can't be sent as mail"),
        (b"x", "message/rfc822", LocalProtocolError, "Line 1 of the message is not a header field"),
        (b"", "message/rfc822", LocalProtocolError, "Line 1 of the message is not a header field"),
        (b"To: a\n\n" + b"x" * 999, "message/rfc822", LocalProtocolError, "has 999 octets: a line of mail has 998"),
        (b"To: a\n\n\0", "message/rfc822", LocalProtocolError, "holds NUL, which no mail may contain"),
        (b"x" * (MAX_MESSAGE_BYTES + 1), None, LimitError, "more than 33,554,432 octets"),
    ],
)  # fmt: skip
def test_what_is_no_mail_is_not_begun(data: bytes, type: str | None, error: type[AnyURLError], words: str) -> None:
    script = Script()
    fails(script, error, words, data=data, type=type)
    assert script.commands == []


# --- before anything is opened ---------------------------------------------------------------------------------------


@each_row(
    ("url", "error", "words"),
    [
        ("mailto:", UnsupportedError, "mailto: names no recipient"),
        ("mailto:?bcc=a@b.example", UnsupportedError, "names no recipient"),
        ("mailto:-f@b.example", RefusedError, "to such an address: '-f@b.example' begins with '-'"),
        ("mailto:%22-f%22@b.example", RefusedError, "begins with '-'"),
        ("mailto:a@b.example?cc=-f@b.example", RefusedError, "begins with '-'"),
        (f"mailto:{'a' * 65}@b.example", RefusedError, "is too long"),
        ("mailto:a@b!c", RefusedError, "neither a host name nor an address"),
        ("mailto:a", URLSyntaxError, "has no '@'"),
        ("mailto:a@b.example%0D%0ARCPT%20TO:%3Cc@d%3E", RefusedError, "holds CR"),
        ("mailto:a@b.example?subject=x%0D%0A.%0D%0A", RefusedError, "holds CR"),
    ],
)  # fmt: skip
def test_to_whom_no_mail_goes(url: str, error: type[AnyURLError], words: str) -> None:
    script = Script()
    fails(script, error, words, url=url)
    assert script.commands == []


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({}, UnsupportedError, r"configured: mail_server='\[USER@\]HOST\[:PORT\]' names"),
        ({"mail_server": "h.example"}, UnsupportedError, "mail_from='ADDRESS' sets it"),
        ({"mail_server": "h.example", "mail_from": "me"}, LocalProtocolError, "The sender is no"),
        ({"mail_server": "h.example", "mail_from": "-f@b.example"}, RefusedError, "begins with '-'"),
        ({"mail_server": "h.example", "mail_from": "a@b>\r\nDATA"}, LocalProtocolError, "is not a mail address"),
    ],
)  # fmt: skip
def test_what_is_not_configured_says_how(settings: dict[str, str], error: type[AnyURLError], words: str) -> None:
    with Client(**settings) as client, pytest.raises(error, match=words):
        client.append(TO, b"x")


def test_a_server_that_is_none_is_found_out_at_once() -> None:
    with pytest.raises(URLSyntaxError, match="'h/x' is not a mail server"):
        Client(mail_server="h/x")


@pytest.mark.promise("consent")
def test_the_person_is_shown_everything_and_asked() -> None:
    script = Script()
    url = "mailto:you@example.com?cc=them@example.com&subject=Gr%C3%BC%C3%9Fe&body=%0D%0Aone%0D%0A"
    with MailClient(script.play, consent=False) as mail:
        with pytest.raises(RefusedError, match="Nothing was sent: the answer was no"):
            mail.client.append(url, b"")
        assert mail.network.looked_up == []
    (question,) = mail.questions
    assert question == (
        "From: me@example.org\nTo: you@example.com\nCc: them@example.com\nSubject: Grüße\n\n\none\n\n"
        f"Send this from me@example.org to you@example.com, them@example.com, through {HOST} port 2525?"
    )
    assert script.commands == []


def test_a_subject_does_not_look_like_another_field() -> None:
    script = Script()
    url = "mailto:you@example.com?subject=x%0BTo:%20friend@example.com%E2%80%A8Cc:%20a@b%C2%85Bcc:%20c@d"
    with MailClient(script.play, consent=False) as mail, pytest.raises(RefusedError):
        mail.client.append(url, b"text")
    assert mail.questions[0].split("\n")[:4] == [
        "From: me@example.org", "To: you@example.com", "Subject: x To: friend@example.com Cc: a@b Bcc: c@d", "",
    ]  # fmt: skip


def test_a_large_message_is_not_shown_whole() -> None:
    script = Script()
    with MailClient(script.play, consent=False) as mail, pytest.raises(RefusedError):
        mail.client.append(TO, b"x\n" * 100_000)
    assert len(mail.questions[0]) < 66_000
    assert "characters more]" in mail.questions[0]


@pytest.mark.promise("consent")
def test_a_strangers_policy_sends_nothing() -> None:
    script = Script()
    with MailClient(script.play, policy=Policy.untrusted()) as mail:
        with pytest.raises(RefusedError, match="sends a message in your name, and the policy untrusted delivers none"):
            mail.client.append(TO, b"x")
        assert mail.client.get(TO).read().startswith(b"From: me@example.org\r\nTo: you@example.com\r\n")
    assert (mail.questions, script.commands, mail.network.looked_up) == ([], [], [])


# --- recipients that are refused -------------------------------------------------------------------------------------


def test_some_are_refused() -> None:
    script = Script(replies={"RCPT TO:<c@d": b"550 5.1.1 No such \x1buser", "RCPT TO:<e@f": b"452 4.2.2 Full"})
    resource = deliver(script, "mailto:a@b.example,c@d.example,e@f.example")
    assert resource.attributes["delivered"] == ["a@b.example"]
    assert resource.attributes["refused"] == {
        "c@d.example": r"550 5.1.1 No such \x1buser", "e@f.example": "452 4.2.2 Full",
    }  # fmt: skip
    assert [remark for remark in resource.notes if "refuses mail to" in remark] == [
        rf"{HOST} refuses mail to c@d.example: “550 5.1.1 No such \x1buser”",
        f"{HOST} refuses mail to e@f.example: “452 4.2.2 Full”",
    ]
    assert len(script.messages) == 1


@pytest.mark.parametrize("features", [FEATURES, ()], ids=["pipelining", "one by one"])
def test_all_are_refused(features: tuple[str, ...]) -> None:
    script = Script(features=features, replies={"RCPT": b"550 5.1.1 No such user"})
    fails(script, NotFoundError, "refuses mail to a@b.example: “550 5.1.1 No such user", url="mailto:a@b.example,c@d.e")
    assert script.messages == []
    assert b"DATA\r\n" not in script.commands


REFUSALS = [
    ({"greeting": b"554 5.7.1 Go away"}, DeniedError, 554, "accepts no mail from here"),
    ({"replies": {"EHLO": b"502 what?"}}, ReplyError, 502, "does not answer EHLO"),
    (
        {"replies": {"MAIL": b"530 5.7.0 Log in"}},
        AuthRequiredError,
        530,
        "USER@HOST as the mail server names who logs in",
    ),
    ({"replies": {"MAIL": b"553 5.1.8 Sender"}}, NotFoundError, 553, "accepts no mail from me@example.org"),
    ({"replies": {"MAIL": b"550 5.7.1 SPF"}}, DeniedError, 550, "accepts no mail from me@example.org"),
    ({"replies": {"RCPT": b"550 No"}}, NotFoundError, 550, "refuses mail to you@example.com"),
    ({"replies": {"RCPT": b"550 5.7.1 Relaying denied"}}, DeniedError, 550, "refuses mail to"),
    ({"replies": {"RCPT": b"554 Relay access denied"}}, DeniedError, 554, "refuses mail to"),
    ({"replies": {"RCPT": b"451 4.7.1 Greylisted"}}, UnavailableError, 451, "refuses mail to"),
    ({"replies": {"DATA": b"451 Not now"}}, UnavailableError, 451, "does not take the message"),
    ({"verdict": b"552 5.3.4 Too big"}, DeniedError, 552, "does not take the message"),
    ({"verdict": b"550 5.7.1 Spam"}, DeniedError, 550, "does not take the message"),
    ({"verdict": b"550 Spam"}, DeniedError, 550, "does not take the message"),  # it found the mailbox
]


@each_row(("how", "error", "code", "words"), REFUSALS, ids=[row[3] for row in REFUSALS])
def test_what_the_server_refuses(how: dict[str, Any], error: type[ReplyError], code: int, words: str) -> None:
    script = Script(**how)
    with pytest.raises(error, match=words) as caught:
        deliver(script)
    assert type(caught.value) is error
    assert caught.value.code == code
    # RFC 5321 4.1.1.10: a session ends with it, well or not. Behind commands that are sent at once it may be lost: the
    # replies to the others are on their way when the connection is closed.
    pipelined = "MAIL" in how.get("replies", {})
    assert pipelined or script.commands[-1] == b"QUIT\r\n"


def test_a_server_may_ponder_a_message_for_longer_than_a_peer_may_be_silent() -> None:
    """Ten minutes (RFC 5321 4.5.3.2.6): who gives up sooner sends it a second time."""
    policy = Policy.default().replace(limits={"idle": 0.3})
    assert deliver(Script(ponders=1.0), policy=policy).attributes["delivered"] == ["you@example.com"]


BROKEN = [
    ({"greeting": b"HTTP/1.1 400 Bad Request"}, RemoteProtocolError, "This is not a valid SMTP reply"),
    ({"greeting": b"421 Busy"}, UnavailableError, "refuses the connection: “421 Busy”. Later it may succeed."),
    ({"greeting": b"354 x"}, RemoteProtocolError, "its reply makes no sense: “354 x"),
    ({"greeting": b"220 a\r\n220 b"}, RemoteProtocolError, "sent an unexpected reply: “220 b"),
    ({"replies": {"EHLO": b""}}, ConnectionLost, "closed the connection without a reply"),
    ({"replies": {"MAIL": b"421 Shutting down"}}, ConnectionLost, "ends the session"),
    ({"replies": {"DATA": b"250 Ok"}}, RemoteProtocolError, "makes no sense"),
    ({"replies": {"DATA": b"354 Go\r\n250 Ok"}}, RemoteProtocolError, "sent an unexpected reply: “250 Ok"),
    (
        {"verdict": b""},
        ConnectionLost,
        "did not confirm the message, which may or may not have been delivered",
    ),
    ({"verdict": b"354 Go on"}, RemoteProtocolError, "makes no sense"),
    ({"verdict": b"421 Bye"}, ConnectionLost, "which may or may not have been delivered"),
]


@each_row(("how", "error", "words"), BROKEN)
def test_what_the_server_breaks(how: dict[str, Any], error: type[AnyURLError], words: str) -> None:
    script = Script(**how)
    fails(script, error, words)
    assert b"QUIT\r\n" not in script.commands


# --- what the server can't carry -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("features", "how", "error", "words"),
    [
        (("SIZE 100",), {}, LimitError, r"octets, and mail.example.org takes 100 at most"),
        ((), {"url": "mailto:%C3%BC@b.example"}, UnsupportedError, "accepts no international addresses"),
        ((), {"data": "Subject: ü\n\n".encode(), "type": "message/rfc822"}, UnsupportedError, "or header fields"),
        ((), {"data": "To: x\n\nü".encode(), "type": "message/rfc822"}, UnsupportedError, "accepts no octets"),
    ],
)  # fmt: skip
def test_what_the_server_can_not_carry(
    features: tuple[str, ...], how: dict[str, Any], error: type[AnyURLError], words: str
) -> None:
    script = Script(features=features)
    fails(script, error, words, **how)
    assert script.commands == [b"EHLO [127.0.0.1]\r\n"]


# --- TLS and login ---------------------------------------------------------------------------------------------------


def test_starttls_and_plain(tls: tuple[Any, Path]) -> None:
    script = Script(TLS, context=tls[0])
    deliver(script, user="me@example.org", ca_file=tls[1], port=587)
    assert script.commands[:4] == [
        b"EHLO [127.0.0.1]\r\n", b"STARTTLS\r\n", b"EHLO [127.0.0.1]\r\n",
        b"AUTH PLAIN " + base64.b64encode(b"\0me@example.org\0hunter2") + b"\r\n",
    ]  # fmt: skip
    assert len(script.messages) == 1


def test_starttls_and_login(tls: tuple[Any, Path]) -> None:
    script = Script(
        (*FEATURES, "STARTTLS", "AUTH LOGIN XOAUTH2"), context=tls[0],
        replies={"AUTH": b"334 VXNlcm5hbWU6", "aHVudGVyMg==": b"235 Ok"},
    )  # fmt: skip
    deliver(script, user="me", ca_file=tls[1], port=587)
    assert script.commands[3:6] == [b"AUTH LOGIN\r\n", b"bWU=\r\n", b"aHVudGVyMg==\r\n"]
    assert len(script.messages) == 1


def test_tls_from_the_start(tls: tuple[Any, Path]) -> None:
    script = Script((*FEATURES, "AUTH PLAIN"))
    deliver(script, user="me", ca_file=tls[1], port=465, context=tls[0])
    assert script.commands[:2] == [b"EHLO [127.0.0.1]\r\n", b"AUTH PLAIN AG1lAGh1bnRlcjI=\r\n"]


def test_what_was_said_before_tls_counts_for_nothing(tls: tuple[Any, Path]) -> None:
    """RFC 3207 4.2, and the injection of CVE-2011-0411."""
    script = Script(TLS, context=tls[0], replies={"STARTTLS": b"220 Go\r\n250 AUTH PLAIN"})
    fails(script, RemoteProtocolError, "sent more than its reply to STARTTLS before TLS began", user="me", port=587)


def test_a_certificate_is_verified(tls: tuple[Any, Path]) -> None:
    script = Script(TLS, context=tls[0])
    with pytest.raises(ConnectError) as caught:
        deliver(script, user="me", port=587)
    assert caught.value.stage == "tls"
    assert script.commands == [b"EHLO [127.0.0.1]\r\n", b"STARTTLS\r\n"]


@pytest.mark.parametrize(
    ("user", "port", "sent"),
    [
        pytest.param("me", 587, False, id="a login"),
        pytest.param("me", 25, False, id="a login at a relay"),
        pytest.param("me", 2525, False, id="a login anywhere"),
        pytest.param("", 587, False, id="users' mail"),
        pytest.param("", 25, True, id="a relay in clear, and it is told"),
    ],
)
def test_without_tls(user: str, port: int, sent: bool) -> None:
    """Attack: whoever is between takes STARTTLS out of the answer, and reads the password."""
    script = Script((*FEATURES, "AUTH PLAIN LOGIN"))
    if sent:
        assert "in clear" in deliver(script, user=user, port=port).notes[0]
        return
    fails(script, ConnectError, "neither a password nor users' mail goes out without TLS", user=user, port=port)
    assert script.commands == [b"EHLO [127.0.0.1]\r\n"]


def test_starttls_that_is_refused() -> None:
    script = Script(TLS, replies={"STARTTLS": b"454 4.7.0 Not now"})
    words = "refuses STARTTLS, so that nothing more was sent: “454 4.7.0 Not now"
    fails(script, ConnectError, words, port=25)


def test_this_very_machine_needs_no_tls() -> None:
    script = Script(TLS)
    deliver(script, user="me", loopback=True)
    assert script.commands[:2] == [b"EHLO [127.0.0.1]\r\n", b"AUTH PLAIN AG1lAGh1bnRlcjI=\r\n"]


@pytest.mark.parametrize("features", [FEATURES, ("8BITMIME",)], ids=["pipelining", "one by one"])
def test_this_very_machine_may_want_tls(tmp_path: Path, features: tuple[str, ...]) -> None:
    """RFC 3207 4: 530 is the reply to what has to come after STARTTLS."""
    want = {"MAIL": b"530 5.7.0 Must issue a STARTTLS command first"}
    with certificate(tmp_path, "127.0.0.1") as (context, ca_file):
        script = Script((*features, "STARTTLS"), context=context, replies=want, over_tls={"MAIL": FIXED["MAIL"]})
        resource = deliver(script, loopback=True, ca_file=ca_file)
        assert [line.split()[0] for line in script.commands] == [
            b"EHLO", b"MAIL", b"STARTTLS", b"EHLO", b"MAIL", b"RCPT", b"DATA", b"QUIT",
        ]  # fmt: skip
        assert resource.attributes["delivered"] == ["you@example.com"]
        still = Script((*features, "STARTTLS"), context=context, replies=want)
        fails(still, AuthRequiredError, "530 5.7.0 Must issue", loopback=True, ca_file=ca_file)
    login = Script((*features, "STARTTLS"), replies={"MAIL": b"530 5.7.0 Authentication required"})
    fails(login, AuthRequiredError, "names who logs in", loopback=True)


@pytest.mark.parametrize(
    ("how", "password", "error", "words"),
    [
        ({"replies": {"AUTH": b"535 hunter2 AG1lAGh1bnRlcjI="}}, "hunter2", AuthRequiredError, r"535 \*\*\* \*\*\*"),
        ({}, None, SecretNeededError, "asks for the password of 'me'"),
        ({"features": ("AUTH XOAUTH2",)}, "x", UnsupportedError, r"offers no login that anyurl knows \(XOAUTH2\)"),
        ({"features": ()}, "x", UnsupportedError, r"offers no login that anyurl knows: PLAIN and LOGIN are supported"),
        ({}, "a\0b", LocalProtocolError, "holds NUL"),
        ({"features": ("AUTH LOGIN",), "replies": {"AUTH": b"535 No"}}, "x", AuthRequiredError, "of 'me': “535 No"),
    ],
)  # fmt: skip
def test_logins_that_fail(how: dict[str, Any], password: str | None, error: type[AnyURLError], words: str) -> None:
    script = Script(**{"features": TLS, **how})
    with pytest.raises(error, match=words) as caught:
        deliver(script, user="me", password=password, loopback=True)
    assert "hunter2" not in str(caught.value)
    assert script.messages == []


# --- which server ----------------------------------------------------------------------------------------------------


@pytest.mark.promise("consent")
def test_only_the_configured_server_is_reached() -> None:
    script = Script()
    with MailClient(script.play, port=25) as mail:
        mail.client.append("mailto:a@evil.example", b"x")
        assert mail.network.looked_up == [HOST]
        assert mail.network.connected == [(ADDRESS, 25)]


def test_a_port_of_another_service() -> None:
    fails(Script(), RefusedError, "port 6379 belongs to another service", port=6379)


def test_a_slow_server_is_given_up() -> None:
    from anyurl.errors import TransferTimeout

    def part(connection: Connection) -> None:
        connection.wait_for_close()

    policy = Policy.default()
    policy = policy.replace(limits=policy.limits.replace(idle=0.1))
    with MailClient(part, policy=policy) as mail, pytest.raises(TransferTimeout):
        mail.client.append(TO, b"x")
