"""The SMTP codec: replies in, commands and messages out (RFC 5321; FAULTS rows B1 to B9, G10)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import AnyURLError, LimitError, LocalProtocolError, RemoteProtocolError
from anyurl.schemes.kit.replies import Reply, ReplyReader
from anyurl.schemes.mailto.wire import smtp
from anyurl.schemes.mailto.wire.address import read_address
from anyurl.schemes.mailto.wire.smtp import MAX_REPLY_LINE_BYTES, MAX_REPLY_LINES, REPLIES
from anyurl.testing import ProtocolContract
from tests.rows import each_row

# --- replies ---------------------------------------------------------------------------------------------------------


def read(pieces: Sequence[bytes]) -> list[Reply]:
    reader = ReplyReader(REPLIES)
    found = []
    for piece in pieces:
        reader.feed(piece)
        while (reply := reader.next_reply()) is not None:
            found.append(reply)
    return found


class TestReplies(ProtocolContract):
    cases = (
        (b"220 mail.example.org ESMTP\r\n", b"25"),
        (b"250-mail.example.org\r\n250-SIZE 1000\r\n250 HELP\r\n", b"250"),
        (b"250\r\n", b""),
        (b"354 go\n", b"x"),  # a bare LF is understood
        (b"550-5.1.1 No such user\r\n550 5.1.1 here\r\n", b"2"),
        (b"250 \xe9\r\n", b""),
    )

    def read(self, pieces: Sequence[bytes]) -> Any:
        return read(pieces)


def test_what_a_reply_says() -> None:
    (reply,) = read([b"550-5.1.1 No\r\n550 5.1.1 such \x1buser\xff\r\n"])
    assert (reply.code, reply.kind, reply.status) == (550, 5, "5.1.1")
    assert reply.text == "5.1.1 No 5.1.1 such \\x1buser\\xff"
    assert str(reply) == "“550 5.1.1 No 5.1.1 such \\x1buser\\xff”"
    assert Reply(250, (b"fine",)).status is None
    assert str(Reply(250, (b"",))) == "“250”"
    assert Reply(250, (b"x" * 900,)).said == "250 " + "x" * 196 + "..."
    assert Reply(250, (b"x",)) == Reply(250, (b"x",))
    assert len({Reply(250, (b"x",)), Reply(250, (b"x",))}) == 1
    assert repr(Reply(250, (b"x",))) == "Reply(250, (b'x',))"


@each_row(
    "data",
    [
        b"hello\r\n",  # letters
        b"99 x\r\n",  # two digits
        b"150 x\r\n",  # RFC 5321 4.2.1 has no preliminary replies
        b"777 x\r\n",
        b"2500 x\r\n",  # four digits
        b"250_x\r\n",
        b"\r\n",
        b"HTTP/1.1 400 Bad Request\r\n",  # another protocol
        b"+OK POP3\r\n",
        b"\xb2\xb2\xb2 x\r\n",
    ],
)
def test_what_is_no_reply(data: bytes) -> None:
    with pytest.raises(RemoteProtocolError, match="This is not a valid SMTP reply"):
        read([data])


def test_a_reply_keeps_its_code() -> None:
    with pytest.raises(RemoteProtocolError, match="changes its code"):
        read([b"250-a\r\n550 b\r\n"])


@pytest.mark.parametrize("data", [b"250 a\0b\r\n", b"250 a\rb\r\n"])
def test_octets_that_no_line_holds(data: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        read([data])


def test_limits() -> None:
    with pytest.raises(LimitError) as caught:
        read([b"250 " + b"x" * MAX_REPLY_LINE_BYTES])
    assert caught.value.limit == "MAX_REPLY_LINE_BYTES"
    assert len(read([b"250-x\r\n" * (MAX_REPLY_LINES - 1) + b"250 x\r\n"])) == 1
    with pytest.raises(LimitError) as caught:
        read([b"250-x\r\n" * (MAX_REPLY_LINES + 1)])
    assert caught.value.limit == "MAX_REPLY_LINES"


def test_what_was_not_taken_is_pending() -> None:
    reader = ReplyReader(REPLIES)
    assert not reader.pending
    reader.feed(b"250-a\r\n")
    assert reader.next_reply() is None
    assert reader.pending
    reader.feed(b"250 b\r\n250 c")
    assert reader.next_reply() == Reply(250, (b"a", b"b"))
    assert reader.pending


@given(st.binary(max_size=200) | st.lists(st.sampled_from([b"250-", b"250 ", b"x", b"\r\n", b"\n"])).map(b"".join))
def test_only_errors_of_the_tree_come_out(data: bytes) -> None:
    try:
        read([data])
    except AnyURLError:
        pass


# --- what an answer to EHLO offers -----------------------------------------------------------------------------------

FEATURES = [
    ((b"h Hello",), {}, "nothing"),
    ((b"h", b"8BITMIME", b"size 1000"), {"8BITMIME": "", "SIZE": "1000"}, "keywords in any case"),
    ((b"h", b"AUTH PLAIN LOGIN"), {"AUTH": "PLAIN LOGIN"}, "parameters"),
    ((b"h", b"AUTH PLAIN", b"AUTH=LOGIN"), {"AUTH": "PLAIN LOGIN"}, "as servers before RFC 2554 wrote it"),
    ((b"h", b"", b"  "), {}, "empty lines"),
    ((b"h", b"X\xff y"), {"X\ufffd": "y"}, "what is not ASCII"),
]


@pytest.mark.parametrize(("lines", "features"), [row[:2] for row in FEATURES], ids=[row[2] for row in FEATURES])
def test_features(lines: tuple[bytes, ...], features: dict[str, str]) -> None:
    assert smtp.features_of(Reply(250, lines)) == features


@pytest.mark.parametrize(
    ("features", "limit"),
    [
        ({}, None),
        ({"SIZE": ""}, None),
        ({"SIZE": "0"}, None),  # RFC 1870 3: no fixed maximum
        ({"SIZE": "1000"}, 1000),
        ({"SIZE": "-5"}, None),
        ({"SIZE": "9" * 30}, None),
        ({"SIZE": "²"}, None),
    ],
)
def test_the_size_limit(features: dict[str, str], limit: int | None) -> None:
    assert smtp.size_limit(features) == limit


# --- commands --------------------------------------------------------------------------------------------------------


def test_commands() -> None:
    assert smtp.command("DATA") == b"DATA\r\n"
    assert smtp.hello("192.0.2.1") == b"EHLO [127.0.0.1]\r\n"
    assert smtp.hello("2001:db8::1") == b"EHLO [IPv6:::1]\r\n"
    assert smtp.recipient(read_address('"a b"@c'.replace(" ", "\\ "))) == b'RCPT TO:<"a\\ b"@c>\r\n'
    assert smtp.recipient(read_address("ü@bücher.example")) == "RCPT TO:<ü@xn--bcher-kva.example>\r\n".encode()


@pytest.mark.parametrize("verb", ["data", "DAT", "DATA\r\nRSET", "", "ABCDEFGHI"])
def test_what_is_no_command(verb: str) -> None:
    with pytest.raises(LocalProtocolError, match="not an SMTP command"):
        smtp.command(verb)


@pytest.mark.parametrize("octet", [b"\r", b"\n", b"\0", b"\r\n"])
def test_a_command_is_one_line(octet: bytes) -> None:
    with pytest.raises(LocalProtocolError, match="CR, LF or NUL"):
        smtp.command("RCPT", b"TO:<a@b" + octet + b">")


SENDER = read_address("me@example.org")


@pytest.mark.parametrize(
    ("features", "eight_bit", "utf8", "line"),
    [
        ({}, False, False, b"MAIL FROM:<me@example.org>\r\n"),
        ({"SIZE": "0"}, False, False, b"MAIL FROM:<me@example.org> SIZE=42\r\n"),
        ({"8BITMIME": ""}, True, False, b"MAIL FROM:<me@example.org> BODY=8BITMIME\r\n"),
        ({"8BITMIME": ""}, False, False, b"MAIL FROM:<me@example.org>\r\n"),
        (
            {"8BITMIME": "", "SMTPUTF8": "", "SIZE": ""}, True, True,
            b"MAIL FROM:<me@example.org> SIZE=42 BODY=8BITMIME SMTPUTF8\r\n",
        ),
    ],
)  # fmt: skip
def test_mail_from(features: dict[str, str], eight_bit: bool, utf8: bool, line: bytes) -> None:
    assert smtp.mail_from(SENDER, features, size=42, eight_bit=eight_bit, utf8=utf8) == line


def test_logins() -> None:
    assert smtp.plain("tim", "tanstaaftanstaaf") == b"AUTH PLAIN AHRpbQB0YW5zdGFhZnRhbnN0YWFm\r\n"  # RFC 4616 4
    assert smtp.login_answer("ü") == b"w7w=\r\n"
    for user, password in (("a\0b", "c"), ("a", "b\0c")):
        with pytest.raises(LocalProtocolError, match="holds NUL"):
            smtp.plain(user, password)


def test_a_password_is_taken_out_of_a_reply() -> None:
    """A hostile server says again what it was told, so that it stands in a log."""
    plain = base64.b64encode(b"\0me\0hunter2")
    reply = Reply(535, (b"no hunter2 here", b"nor " + base64.b64encode(b"hunter2"), b"nor " + plain))
    reply.secrets = smtp.secrets_of("me", "hunter2")
    assert reply.text == "no *** here nor *** nor ***"
    assert str(reply) == "“535 no *** here nor *** nor ***”"
    assert smtp.secrets_of("me", "") == (base64.b64encode(b"\0me\0"),)


# --- messages --------------------------------------------------------------------------------------------------------

SMUGGLED = [
    (b"", b"", "nothing"),
    (b"a", b"a\r\n", "the last line ends"),
    (b"a\r\nb\r\n", b"a\r\nb\r\n", "as it is"),
    (b"a\nb\n", b"a\r\nb\r\n", "bare LF"),
    (b"a\rb\r", b"a\r\nb\r\n", "bare CR"),
    (b"a\r\r\nb", b"a\r\n\r\nb\r\n", "a bare CR before CR LF"),
    (b"a\n\r\nb", b"a\r\n\r\nb\r\n", "a bare LF before CR LF"),
    (b"a\n.\nMAIL FROM:<x@y>\n", b"a\r\n.\r\nMAIL FROM:<x@y>\r\n", "LF . LF"),
    (b"a\r.\rb", b"a\r\n.\r\nb\r\n", "CR . CR"),
    (b"a\n.\r\nb", b"a\r\n.\r\nb\r\n", "LF . CR LF"),
    (b"a\r\n.\nb", b"a\r\n.\r\nb\r\n", "CR LF . LF"),
    (b"a\r\n.\rb", b"a\r\n.\r\nb\r\n", "CR LF . CR"),
]


@each_row(("message", "lines"), [row[:2] for row in SMUGGLED], ids=[row[2] for row in SMUGGLED])
def test_only_cr_lf_ends_a_line(message: bytes, lines: bytes) -> None:
    assert smtp.network_lines(message) == lines


@pytest.mark.promise("consent")
@each_row("message", [row[0] for row in SMUGGLED], ids=[row[2] for row in SMUGGLED])
def test_nothing_ends_a_message_but_its_end(message: bytes) -> None:
    """The attack on servers that also take LF . LF and its like for the end (SMTP smuggling, 2023)."""
    sent = smtp.stuffed(smtp.network_lines(message))
    inner = sent.removesuffix(b".\r\n")
    assert b"\n.\r\n" not in b"\n" + inner
    assert sent.replace(b"\r\n", b"").count(b"\r") == sent.replace(b"\r\n", b"").count(b"\n") == 0


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        (b"", b".\r\n"),
        (b"a\r\n", b"a\r\n.\r\n"),
        (b".\r\n", b"..\r\n.\r\n"),
        (b"..\r\na\r\n.b\r\n", b"...\r\na\r\n..b\r\n.\r\n"),
        (b"a.\r\n", b"a.\r\n.\r\n"),
    ],
)
def test_leading_dots_are_doubled(message: bytes, sent: bytes) -> None:
    assert smtp.stuffed(message) == sent


@pytest.mark.parametrize("message", [b"a\n", b"a\rb\r\n", b"a", b"\r\n\r"])
def test_nothing_else_is_ever_sent(message: bytes) -> None:
    with pytest.raises(LocalProtocolError, match="part of a CR LF pair"):
        smtp.stuffed(message)


@given(st.binary(max_size=300) | st.lists(st.sampled_from([b"\r", b"\n", b".", b"a"]), max_size=30).map(b"".join))
def test_what_is_sent_is_read_as_it_was(message: bytes) -> None:
    """As RFC 5321 4.5.2 has a server read it: to the lone dot, one leading dot less."""
    lines = smtp.network_lines(message)
    sent = smtp.stuffed(lines)
    body, end, rest = (b"\r\n" + sent).partition(b"\r\n.\r\n")
    assert (end, rest) == (b"\r\n.\r\n", b"")
    read = body.replace(b"\r\n.", b"\r\n").removeprefix(b"\r\n")
    assert read + (b"\r\n" if lines else b"") == lines


def test_lines_of_a_message() -> None:
    smtp.check_lines(b"x" * 998 + b"\r\n")
    with pytest.raises(LocalProtocolError, match=r"^Line 2 of the message has 999 octets"):
        smtp.check_lines(b"a\r\n" + b"x" * 999 + b"\r\n")
    with pytest.raises(LocalProtocolError, match=r"^Line 1 of the message holds NUL"):
        smtp.check_lines(b"a\0\r\n")
