"""Servers that a user configures: host, host:port, user@host:port."""

from __future__ import annotations

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.url.endpoint import Endpoint, read_endpoint
from tests.rows import each_row

GOOD = [
    ("mail.example.org", Endpoint("mail.example.org", 587), "no port: the default"),
    ("mail.example.org:25", Endpoint("mail.example.org", 25), "a port"),
    ("mail.example.org:", Endpoint("mail.example.org", 587), "RFC 3986 3.2.3: an empty port is no port"),
    ("me@mail.example.org", Endpoint("mail.example.org", 587, "me"), "who logs in"),
    ("me@example.org@mail.example.org:465", Endpoint("mail.example.org", 465, "me@example.org"), "the last @ ends it"),
    ("a/b?c#d@h", Endpoint("h", 587, "a/b?c#d"), "a user name is no URL: nothing in it is a delimiter"),
    ("[::1]:2525", Endpoint("::1", 2525), "an IPv6 address in brackets"),
    ("bücher.example", Endpoint("xn--bcher-kva.example", 587), "an international name"),
]

BAD = [
    ("", "nothing"),
    ("@h", "an empty user name"),
    ("me@", "no host"),
    ("h/x", "a path"),
    ("h?x", "a query"),
    ("h#x", "a fragment"),
    ("h:99999", "no port is so large"),
    ("h:smtp", "a port is a number"),
    ("a b", "a space"),
    ("a\r\nb", "line ends"),
    ("::1", "an IPv6 address without brackets"),
    ("127.1", "an address that programs read differently"),
    ("smtp://h", "a URL"),
]


@each_row(("text", "endpoint"), [row[:2] for row in GOOD], ids=[row[2] for row in GOOD])
def test_what_is_read(text: str, endpoint: Endpoint) -> None:
    assert read_endpoint(text, 587, "mail server") == endpoint


@each_row("text", [row[0] for row in BAD], ids=[row[1] for row in BAD])
def test_what_is_none(text: str) -> None:
    with pytest.raises(
        URLSyntaxError, match=r"^'.*' is not a mail server: host, host:port or user@host:port would be"
    ) as caught:
        read_endpoint(text, 587, "mail server")
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.severity, fault.span, fault.rule, fault.section, fault.fix) == (
        "bad-endpoint", "error", (0, len(text)), "authority", "RFC 3986 3.2", None,
    )  # fmt: skip


@pytest.mark.parametrize("text", ["me:s3cr3t@h", "me:s3cr3t@h/x", "me:s3c@r3t@h", "me:@h", "smtp://me@h"])
def test_a_password_stands_nowhere_and_is_not_shown(text: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        read_endpoint(text, 587, "mail server")
    message = caught.value.diagnostics[0].message
    assert message.startswith("the mail server has a ':' before its '@'")
    assert not any(word in f"{message} {caught.value} {caught.value.text}" for word in ("s3c", "r3t"))


def test_an_endpoint_is_a_value() -> None:
    assert hash(Endpoint("h", 1)) == hash(Endpoint("h", 1))
    assert Endpoint("h", 1) != Endpoint("h", 1, "me")
    assert repr(Endpoint("h", 1, "me")) == "Endpoint(host='h', port=1, user='me')"


@each_row("text", ["", ":25", "@", "u@", "@h", "u@:25", "@h:25", " ", "u@ "])
def test_without_a_host_or_a_user_before_its_mark_there_is_no_endpoint(text: str) -> None:
    with pytest.raises(URLSyntaxError, match="is not a mail server"):
        read_endpoint(text, 25, "mail server")
