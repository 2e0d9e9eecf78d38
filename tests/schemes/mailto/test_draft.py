"""What a mailto URL may say of a message: RFC 6068 3, 4 and 6 (FAULTS row G16)."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.client.dry_run import DryRun
from anyurl.dialogue import Options
from anyurl.errors import AnyURLError, LocalProtocolError, RefusedError, URLSyntaxError
from anyurl.schemes.mailto import verbs as mailto
from anyurl.schemes.mailto.draft import MAX_NOTES, MAX_RECIPIENTS
from anyurl.url import URL
from tests.rows import each_row

ME = Options(mail_from="me@example.org")


def get(text: str, options: Options = ME) -> DryRun:
    return DryRun(mailto.get(URL(text), options), None).run()


def notes(text: str) -> list[str]:
    return [line[1:-1] for line in get(text).lines]


def head(text: str, options: Options = ME) -> list[str]:
    data = get(text, options).emitted[0]
    return data.partition(b"\r\nMIME-Version: 1.0\r\n")[0].decode().split("\r\n")


DRAFTS = [
    ("mailto:chris@example.com", ["To: chris@example.com"], "RFC 6068 6.1"),
    (
        "mailto:infobot@example.com?subject=current-issue",
        ["To: infobot@example.com", "Subject: current-issue"],
        "6.1: a subject",
    ),
    (
        "mailto:list@example.org?In-Reply-To=%3C3469A91.D10AF4C@example.com%3E",
        ["To: list@example.org", "In-Reply-To: <3469A91.D10AF4C@example.com>"],
        "6.1: an answer",
    ),
    ("mailto:joe@example.com?cc=bob@example.com&body=hello", ["To: joe@example.com", "Cc: bob@example.com"], "6.1"),
    ("mailto:?to=joe@example.com&cc=bob@example.com", ["To: joe@example.com", "Cc: bob@example.com"], "2: to"),
    ("mailto:a@b?to=c@d&TO=e@f%2Cg@h", ["To: a@b, c@d, e@f, g@h"], "2: never two To fields"),
    ("mailto:a@b,a@b?to=a@b&cc=c@d,c@d", ["To: a@b", "Cc: c@d"], "once each"),
    ("mailto:a@b?subject=caf%C3%A9", ["To: a@b", "Subject: =?utf-8?B?Y2Fmw6k=?="], "6.3: UTF-8"),
    ("mailto:a@b?subject==?utf-8?Q?caf=C3=A9?=", ["To: a@b", "Subject: =?utf-8?Q?caf=C3=A9?="], "6.3: an encoded word"),
    ("mailto:u@%E7%B4%8D%E8%B1%86.example", ["To: u@xn--99zt52a.example"], "6.3: an international domain"),
    ("mailto:%C3%BC@b", ["To: ü@b"], "an international local part stands in UTF-8 (RFC 6532)"),
    ("mailto:a@b?keywords=x,%20y", ["To: a@b", "Keywords: x, y"], "4: keywords"),
    ("mailto:a@b?references=%3Cc@d%3E%20%3Ce@f%3E", ["To: a@b", "References: <c@d> <e@f>"], "as mutt has it"),
    ("mailto:a@b?cc=%22Your%20Bank%22%20%3Cevil@c%3E", ["To: a@b", "Cc: evil@c"], "no name that a page gives"),
]  # fmt: skip


@each_row(("url", "lines"), [row[:2] for row in DRAFTS], ids=[row[2] for row in DRAFTS])
def test_the_header_of_a_draft(url: str, lines: list[str]) -> None:
    assert head(url) == ["From: me@example.org", *lines]
    assert head(url, Options()) == lines


@each_row(
    ("url", "body"),
    [
        ("mailto:a@b?body=one%0D%0Atwo", b"one\r\ntwo\r\n"),  # RFC 6068 5
        ("mailto:a@b?body=one%0Atwo%0Dthree", b"one\r\ntwo\r\nthree\r\n"),  # as pages write it
        ("mailto:a@b?BODY=x", b"x\r\n"),  # RFC 6068 2: names have no case
        ("mailto:a@b?body=x&body=y", b"x\r\n"),  # the first one
        ("mailto:a@b?body=%0D%0A.%0D%0A", b"\r\n.\r\n"),
        ("mailto:a@b?body=Bcc:%20c@d", b"Bcc: c@d\r\n"),  # it is text, and no header
        ("mailto:a@b?body=a+b", b"a+b\r\n"),  # RFC 6068 5: + is a plus
        ("mailto:a@b", b""),
    ],
)
def test_the_body_of_a_draft(url: str, body: bytes) -> None:
    assert get(url).emitted[0].partition(b"\r\n\r\n")[2] == body


UNSAFE = [
    "bcc", "from", "sender", "reply-to", "apparently-to", "date", "message-id", "return-path", "received",
    "resent-to", "resent-bcc", "content-type", "content-transfer-encoding", "mime-version", "attach", "attachment",
    "disposition-notification-to", "x-mailer", "list-unsubscribe", "errors-to", "subject%20", "amp;body", "to%3A",
]  # fmt: skip


@pytest.mark.promise("consent")
@each_row("name", UNSAFE)
def test_a_field_that_is_not_safe_is_left_out_and_told(name: str) -> None:
    url = f"mailto:a@b?{name.upper()}=c@d&subject=x"
    assert head(url) == ["From: me@example.org", "To: a@b", "Subject: x"]
    (remark,) = notes(url)
    assert remark.endswith("was left out: a URL may not set it (RFC 6068 3 and 4)")


@pytest.mark.parametrize(
    ("url", "remark"),
    [
        ("mailto:a@b?subject=x&Subject=y", "the URL has 'subject' more than once: the first one counts"),
        ("mailto:a@b?subject=%E9", "the value of 'subject' is not UTF-8: it was read as Latin-1"),
        ("mailto:a@b?body=%E9", "the value of 'body' is not UTF-8: it was read as Latin-1"),
        (
            "mailto:a@b?in-reply-to=x",
            "the header field 'in-reply-to' was left out: its value is not a message identifier",
        ),
        ("mailto:a@b?cc=c", "an address of 'cc' was left out: an address is local-part@domain; 'c' has no '@'"),
        ("mailto:a@b?x%1B=y", r"the header field 'x\x1b' was left out: a URL may not set it (RFC 6068 3 and 4)"),
    ],
)
def test_what_is_mended_is_told(url: str, remark: str) -> None:
    assert notes(url) == [remark]


def test_not_everything_that_is_left_out_is_told() -> None:
    told = notes("mailto:a@b?" + "&".join(f"x{number}=y" for number in range(MAX_NOTES + 1000)))
    assert len(told) == MAX_NOTES + 1
    assert told[-2:] == [
        f"the header field 'x{MAX_NOTES - 1}' was left out: a URL may not set it (RFC 6068 3 and 4)",
        "so it was with 1,000 more parts of the URL",
    ]


def test_what_is_read_as_latin_1() -> None:
    assert head("mailto:a@b?subject=%E9") == ["From: me@example.org", "To: a@b", "Subject: =?utf-8?B?w6k=?="]


def test_the_description_of_a_draft() -> None:
    found = get("mailto:a@b?cc=c@d&subject=x&bcc=e@f&body=y").described
    assert found is not None
    assert (found.kind, found.type) == ("mailbox", "message/rfc822")
    assert found.attributes == {"to": ["a@b"], "cc": ["c@d"], "subject": "x", "left_out": ["bcc"]}
    international = get("mailto:%C3%BC@b").described
    assert international is not None
    assert international.type == "message/global"  # RFC 6532 3.7


def test_attributes_without_a_draft() -> None:
    rehearsal = DryRun(mailto.stat(URL("mailto:a@b?subject=x&from=c@d"), Options()), None).run()
    assert rehearsal.described is not None
    assert rehearsal.described.kind == "mailbox"
    assert rehearsal.described.attributes == {"to": ["a@b"], "cc": [], "subject": "x", "left_out": ["from"]}
    assert rehearsal.emitted == []


def test_a_draft_needs_no_network() -> None:
    assert get("mailto:a@b?subject=x").lines == []


@each_row(
    ("url", "error"),
    [
        ("mailto:a@b?subject=x%0D%0ABcc:%20c@d", RefusedError),
        ("mailto:a@b?cc=c@d%0ABcc:e@f", RefusedError),
        ("mailto:a@b%0D%0ADATA", RefusedError),
        ("mailto:a@b?x%0D=y", RefusedError),
        ("mailto:a@b?subject=x%00", RefusedError),
        ("mailto:a@b?in-reply-to=%3Ca@b%3E%0D%0AFrom:c@d", RefusedError),
        ("mailto:a", URLSyntaxError),
        ("mailto:a@b&subject=x", URLSyntaxError),
        ("mailto:a@b?subject%0D%0ABcc:%20c@d", RefusedError),
    ],
)
@each_row("verb", [mailto.get, mailto.stat, mailto.append])
def test_what_would_be_another_header_is_refused(url: str, error: type[AnyURLError], verb: Any) -> None:
    options = Options(mail_server="h.example", mail_from="me@example.org")
    with pytest.raises(error):
        next(verb(URL(url), options))


def test_no_value_ever_begins_a_field() -> None:
    """Whatever a URL holds, the header has the fields that it may have, and no more."""
    names = {"From", "To", "Cc", "Subject", "Keywords", "In-Reply-To", "References"}
    for octet in range(256):
        url = URL(f"mailto:a@b?subject=x%{octet:02X}y:z&keywords=%{octet:02X}Bcc:%20c&cc=d@e%{octet:02X}")
        try:
            (data,) = DryRun(mailto.get(url, ME), None).run().emitted
        except RefusedError:
            assert octet in b"\r\n\0"
            continue
        lines = data.partition(b"\r\nMIME-Version")[0].decode().split("\r\n")
        assert {line.partition(":")[0] for line in lines if not line.startswith(" ")} <= names


def test_limits() -> None:
    many = ",".join(f"a{i}@b" for i in range(MAX_RECIPIENTS))
    assert len(get(f"mailto:{many}?cc=a0@b").emitted) == 1  # nobody gets it twice
    with pytest.raises(LocalProtocolError, match="names 101 recipients; one message may have 100"):
        get(f"mailto:{many}?cc=x@y")


def test_a_sender_that_is_none() -> None:
    with pytest.raises(
        LocalProtocolError,
        match=r"The sender is not a mail address: an address is local-part@domain; 'me' has no",
    ):
        get("mailto:a@b", Options(mail_from="me"))
