"""Messages: drafts are written so that Python's own parser reads them back; the user's go as they are (RFC 5322)."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import LocalProtocolError
from anyurl.schemes.mailto.wire.address import read_address
from anyurl.schemes.mailto.wire.message import (
    Message,
    address_field,
    clean_text,
    date_field,
    ids_field,
    text_field,
    write_draft,
)
from tests.rows import each_row


def parse(data: bytes) -> EmailMessage:
    message = email.message_from_bytes(data, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


# --- fields ----------------------------------------------------------------------------------------------------------


def test_addresses_are_folded_behind_commas() -> None:
    field = address_field("To", [read_address(f"user{i}@example.org") for i in range(5)])
    assert field == (
        "To: user0@example.org, user1@example.org, user2@example.org,\r\n user3@example.org, user4@example.org"
    )


@each_row(
    ("value", "field"),
    [
        ("hello", "Subject: hello"),
        ("", "Subject: "),
        ("Grüße", "Subject: =?utf-8?B?R3LDvMOfZQ==?="),
        ("=?utf-8?Q?caf=C3=A9?=", "Subject: =?utf-8?Q?caf=C3=A9?="),  # RFC 6068 5: encoded words may stand in it
        ("a\tb\x1b[31mc", "Subject: a b [31mc"),  # what terminals obey
        ("a\r\nBcc: b", "Subject: a  Bcc: b"),  # refused before; not even then a field of its own
        ("x" * 2000, None),  # no line is longer than it may be
        ("ü" * 500, None),
        ("word " * 300, None),
    ],
)
def test_texts(value: str, field: str | None) -> None:
    written = text_field("Subject", value)
    if field is not None:
        assert written == field
    lines = written.split("\r\n")
    assert max(map(len, lines)) <= 998
    assert all(line.startswith(" ") and line.strip() for line in lines[1:])
    assert written.isascii()


@given(st.text(max_size=200))
def test_a_text_is_one_field_and_comes_back(value: str) -> None:
    written = text_field("Subject", value)
    message = parse(f"{written}\r\n\r\nbody".encode())
    assert message.keys() == ["Subject"]
    assert message.get_content() == "body"
    words = clean_text(value)
    if "=?" not in words:  # an encoded word of the page's is decoded by every reader
        assert "".join(str(message["Subject"]).split()) == "".join(words.encode("utf-8", "replace").decode().split())


def test_encoded_words_fit_their_lines() -> None:
    for name in ("Subject", "Keywords"):
        for line in text_field(name, "日本語" * 40).split("\r\n"):
            assert len(line) <= 76  # RFC 2047 2


@each_row(
    ("value", "field"),
    [
        ("<a@b>", "References: <a@b>"),
        (" <a@b>  <c@d> ", "References: <a@b> <c@d>"),
        ("", None),
        ("a@b", None),
        ("<a@b", None),
        ("<a@b> and more", None),
        ("<ü@b>", None),
        (f"<{'a' * 500}@b>", None),
    ],
)
def test_message_identifiers(value: str, field: str | None) -> None:
    assert ids_field("References", value) == field


@pytest.mark.parametrize(
    ("seconds", "field"),
    [
        (0.0, "Date: Thu, 01 Jan 1970 00:00:00 +0000"),
        (1_709_210_096.7, "Date: Thu, 29 Feb 2024 12:34:56 +0000"),
        (-1.0, "Date: Thu, 01 Jan 1970 00:00:00 +0000"),
        (1e18, "Date: Fri, 31 Dec 9999 23:59:59 +0000"),
    ],
)
def test_dates(seconds: float, field: str) -> None:
    assert date_field(seconds) == field


# --- drafts ----------------------------------------------------------------------------------------------------------


def test_a_plain_draft() -> None:
    assert write_draft(["To: a@b", "Subject: x"], "one\r\n.two\nthree") == (
        b"To: a@b\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=us-ascii\r\n"
        b"Content-Transfer-Encoding: 7bit\r\n\r\none\r\n.two\r\nthree\r\n"
    )


def test_a_draft_that_is_not_ascii() -> None:
    assert write_draft([], "Grüße\n.\n").endswith(
        b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        b"Gr=C3=BC=C3=9Fe\r\n=2E\r\n"
    )


def test_the_type_of_a_text() -> None:
    assert b"Content-Type: text/markdown; charset=us-ascii\r\n" in write_draft([], "x", "text/markdown")
    for type in ("image/png", "text/x\r\nBcc: a@b", "text/", "text/x;y"):
        assert b"Content-Type: text/plain; charset=us-ascii\r\n" in write_draft([], "x", type)


@given(st.text(max_size=300) | st.text("ab \t.=\r\nü\0\x1b", max_size=60) | st.just("x" * 3000))
def test_a_body_comes_back(body: str) -> None:
    data = write_draft(["Subject: x"], body)
    _, _, text = data.partition(b"\r\n\r\n")
    assert text.isascii()
    assert b"\n" not in data.replace(b"\r\n", b"")
    assert b"\r" not in data.replace(b"\r\n", b"")
    assert max(map(len, data.split(b"\r\n"))) <= 998
    decoded = parse(data).get_payload(decode=True)
    assert isinstance(decoded, bytes)
    whole = body.encode("utf-8", "replace").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    whole = whole if whole.endswith(b"\n") or not whole else whole + b"\n"
    assert decoded.replace(b"\r\n", b"\n") == whole


# --- messages of the user's ------------------------------------------------------------------------------------------


def test_a_message_is_taken_apart() -> None:
    message = Message(b"From: me@x\nSubject: a\n b\n\tc\nX-Odd : d\n\none\n\ntwo")
    assert message.fields == [b"From: me@x\r\n", b"Subject: a\r\n b\r\n\tc\r\n", b"X-Odd : d\r\n"]
    assert message.body == b"one\r\n\r\ntwo\r\n"
    assert (message.has("SUBJECT"), message.has("X-Odd"), message.has("Date")) == (True, True, False)
    assert message.encode(["Date: now"]) == b"Date: now\r\n" + message.head + b"\r\none\r\n\r\ntwo\r\n"


def test_who_got_it_blindly_is_not_told() -> None:
    message = Message(b"Bcc: a@b,\n c@d\nBCC : e@f\nResent-Bcc: g@h\nReturn-Path: <i@j>\nTo: k@l\n\nBcc: body")
    assert message.encode() == b"To: k@l\r\n\r\nBcc: body\r\n"
    assert message.left_out == ["bcc", "resent-bcc", "return-path"]


def test_the_first_line_of_a_mailbox_file_is_left_out() -> None:
    assert (
        Message(b"From me@x Thu Jan  1 00:00:00 1970\nTo: a@b\n\nFrom here\n").encode()
        == b"To: a@b\r\n\r\nFrom here\r\n"
    )


@each_row(
    ("data", "line"),
    [
        (b"", "Line 1"),
        (b"hello\n", "Line 1"),
        (b"\nTo: a@b\n", "Line 1"),  # no header at all
        (b" folded: x\n\n", "Line 1"),  # there is nothing to go on with
        (b"To: a@b\nno field\n\n", "Line 2"),
        (b"To: a@b\n: x\n\n", "Line 2"),
        (b"To: a@b\nx y: z\n\n", "Line 2"),
        (b"T\xf6: a@b\n\n", "Line 1"),
    ],
)
def test_what_is_no_message(data: bytes, line: str) -> None:
    with pytest.raises(LocalProtocolError, match=f"^{line} of the message is not a header field"):
        Message(data)


def test_a_header_alone_is_a_message() -> None:
    assert Message(b"To: a@b").encode() == b"To: a@b\r\n\r\n"
