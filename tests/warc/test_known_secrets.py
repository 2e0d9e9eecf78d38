"""A secret is in nothing that is kept: not where it was sent, and not where it comes back."""

from __future__ import annotations

from base64 import b64encode

import pytest

from anyurl import Secret
from anyurl.url import URL
from anyurl.warc.known_secrets import Hider, KnownSecrets
from tests.rows import each_row


@each_row(
    "line",
    [
        b"PASS hunter2", b"pass other words", b"AUTHINFO PASS x y", b"AUTHINFO SASL PLAIN AHUA", b"AUTH PLAIN AHUA",
        b"ACCT x", b"XPWD hunter2", b"AHUA " + b64encode(b"hunter2"),
    ],
)  # fmt: skip
def test_what_is_sent_has_no_password(line: bytes) -> None:
    secrets = KnownSecrets()
    secrets.know("hunter2")
    sent = secrets.sent(b"USER alice\r\n" + line + b"\r\nCWD x\r\n")
    assert sent.startswith(b"USER alice\r\n")
    assert sent.endswith(b"***\r\nCWD x\r\n")
    assert b"hunter2" not in sent
    assert list(secrets.replaced) == ["password"]


def test_a_short_one_goes_from_what_is_sent_and_not_from_what_comes() -> None:
    secrets = KnownSecrets()
    secrets.know("ab")
    assert secrets.sent(b"LOGIN ab") == b"LOGIN ***"
    hider = Hider(secrets)
    assert hider.feed(b"a cab") + hider.rest() == b"a cab"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_what_comes_in_pieces_is_looked_through_and_keeps_its_length(size: int) -> None:
    secrets = KnownSecrets()
    secrets.know("hunter2", Secret("pässwörd"))
    hider = Hider(secrets)
    text = "x hunter2hunter2 and pässwörd, hunter".encode() + b" " + b64encode(b"hunter2")
    kept = b"".join(hider.feed(text[start : start + size]) for start in range(0, len(text), size)) + hider.rest()
    assert kept == b"x " + b"*" * 14 + b" and " + b"*" * 10 + b", hunter " + b"*" * 12
    assert list(secrets.replaced) == ["secret in what was received"]


def test_one_that_is_learned_later_is_looked_for_from_then_on() -> None:
    secrets = KnownSecrets()
    hider = Hider(secrets)
    assert hider.feed(b"hunter2 ") == b"hunter2 "
    secrets.know("hunter2")
    assert hider.feed(b"hunter2") + hider.rest() == b"*******"
    assert (hider.feed(b"x hunt"), hider.rest(), hider.rest()) == (b"", b"x hunt", b"")
    assert hider.feed(b"er2") + hider.rest() == b"er2"  # the beginning of it has been handed out


def test_the_password_of_a_url_as_it_stands_and_decoded() -> None:
    secrets = KnownSecrets()
    secrets.know_login(URL("ftp://u:a%20b%20c@h/"))
    assert secrets.sent(b"a b c, a%20b%20c") == b"***, ***"


def test_a_field_with_the_login_of_somebody() -> None:
    secrets = KnownSecrets()
    assert secrets.field("http://bob:word@h/x") == "http://bob:***@h/x"
    assert list(secrets.replaced) == ["password"]
    assert KnownSecrets().field("text/html") == "text/html"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("PASS hunter2", "PASS ***"),
        ("pass \xa0x", "pass ***"),  # a space for Python's text, and the first octets of a password for the server
        ("AUTHINFO SASL PLAIN AGpvZQ==", "AUTHINFO SASL PLAIN ***"),
        ("PASS \udcff", "PASS ***"),
        ("0PASS me\t/1", "0PASS me\t/1"),
    ],
)
def test_a_line_with_a_login_command(line: str, shown: str) -> None:
    secrets = KnownSecrets()
    assert secrets.field(line) == shown
    assert bool(secrets.replaced) is (line != shown)
