"""mailto against OpenSMTPD (what Debian packages) and aiosmtpd (TLS, logins, international addresses)."""

from __future__ import annotations

import contextlib
import email
import email.policy
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from anyurl.client.client import Client, consent_to_all
from anyurl.dialogue import Secret
from anyurl.errors import AuthRequiredError, ConnectError, LimitError, NotFoundError, UnsupportedError
from anyurl.testing import SmallNetwork
from tests.peers.ftp_servers import HOST
from tests.peers.mail_servers import MAX_SIZE, Aiosmtpd, OpenSmtpd
from tests.servers import certificate

NAME, ADDRESS = "mail.example.org", "93.184.216.34"
GUEST = "mailto:guest@world.example"


def parse(data: bytes) -> EmailMessage:
    message = email.message_from_bytes(data, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


# --- OpenSMTPD -------------------------------------------------------------------------------------------------------


@pytest.fixture
def opensmtpd(tmp_path: Path) -> Iterator[OpenSmtpd]:
    with contextlib.closing(OpenSmtpd(tmp_path)) as server:
        yield server


def test_opensmtpd(opensmtpd: OpenSmtpd) -> None:
    """One server for all of it: it takes longer to begin than what it is asked."""
    with Client(
        mail_server=f"{HOST}:{opensmtpd.port}", mail_from="me@example.org", ask_consent=consent_to_all
    ) as client:
        text = ".\n..\nGrüße\n" + "x" * 1500 + "\nlast"
        resource = client.append(f"{GUEST}?subject=Gr%C3%BC%C3%9Fe&keywords=a,%20b", text.encode())
        assert resource.attributes["reply"].startswith("250 2.0.0")
        whole = (
            b"From: Me <me@example.org>\nDate: Thu, 01 Dec 1994 00:00:00 +0000\nBcc: x@y\nMessage-ID: <1@x>\n\n\xc3\xbc"
        )
        client.append(f"{GUEST}?cc=other@world.example", whole, type="message/rfc822")
        smuggled = b"a\n.\nMAIL FROM:<evil@example.org>\nRCPT TO:<guest@world.example>\nDATA\n\nevil\n.\n"
        client.append(GUEST, smuggled)
        some = client.append("mailto:guest@world.example,nobody@elsewhere.example", b"some")
        assert some.attributes["delivered"] == ["guest@world.example"]
        assert some.attributes["refused"]["nobody@elsewhere.example"].startswith("550 ")
        with pytest.raises(NotFoundError, match="550 Invalid recipient"):
            client.append("mailto:nobody@elsewhere.example", b"none")
        with pytest.raises(LimitError, match=f"takes {MAX_SIZE:,} at most"):
            client.append(GUEST, b"x" * MAX_SIZE)
        with pytest.raises(UnsupportedError, match="accepts no international addresses"):
            client.append("mailto:%C3%BC@world.example", b"x")
    found = {parse(data)["subject"] or parse(data).get_payload(): parse(data) for data in opensmtpd.messages(5)}
    assert len(found) == 4  # one message went to two people
    first = found["Grüße"]
    assert (first["from"], first["to"], first["keywords"]) == ("me@example.org", "guest@world.example", "a, b")
    assert first.get_content() == f"{text}\n"
    assert any(str(each.get_payload()).startswith("some") for each in found.values())
    plain = next(each for each in found.values() if str(each.get_payload()).startswith("a\n"))
    assert plain.get_payload() == smuggled.decode()
    kept = next(each for each in found.values() if each["from"] == "Me <me@example.org>")
    assert (kept["bcc"], kept["message-id"]) == (None, "<1@x>")


# --- aiosmtpd --------------------------------------------------------------------------------------------------------


@pytest.fixture
def tls(tmp_path: Path) -> Iterator[tuple[Any, Path]]:
    with certificate(tmp_path, NAME) as made:
        yield made


def client_of(server: Aiosmtpd, ca_file: Path | None, *, port: int = 587, user: str = "", password: str = "") -> Client:
    """A client that is led to the server under a public name."""
    return Client(
        mail_server=f"{user}@{NAME}:{port}" if user else f"{NAME}:{port}",
        mail_from="me@example.org",
        ca_file=ca_file,
        ask_secret=lambda host, name, kind: Secret(password),
        ask_consent=consent_to_all,
        network=SmallNetwork({NAME: [ADDRESS]}, {(ADDRESS, port): (HOST, server.port)}),
    )


def test_aiosmtpd_over_starttls(tls: tuple[Any, Path]) -> None:
    with contextlib.closing(Aiosmtpd(tls[0], user="me@example.org", password="hünter 2")) as server:
        with client_of(server, tls[1], user="me@example.org", password="hünter 2") as client:
            client.append(f"{GUEST}?subject=x", b".one\n")
            client.append("mailto:%C3%BC@b%C3%BCcher.example,a@b.example", "ü".encode())
        with client_of(server, tls[1], user="me@example.org", password="wrong") as client:
            with pytest.raises(AuthRequiredError, match=r"does not take the login of 'me@example\.org': “535 "):
                client.append(GUEST, b"x")
        with client_of(server, tls[1]) as client, pytest.raises(AuthRequiredError, match=r"530 .*names who logs in"):
            client.append(GUEST, b"x")
        with client_of(server, None, user="me@example.org", password="hünter 2") as client:
            with pytest.raises(ConnectError) as caught:
                client.append(GUEST, b"x")
            assert caught.value.stage == "tls"
    first, second = server.envelopes
    assert (first.mail_from, first.rcpt_tos) == ("me@example.org", ["guest@world.example"])
    assert first.content.endswith(b"\r\n\r\n.one\r\n")
    assert second.rcpt_tos == ["ü@xn--bcher-kva.example", "a@b.example"]
    assert "SMTPUTF8" in second.mail_options


def test_aiosmtpd_with_tls_from_the_start(tls: tuple[Any, Path]) -> None:
    with contextlib.closing(Aiosmtpd(tls[0], user="me", password="hunter2", smtps=True)) as server:
        with client_of(server, tls[1], port=465, user="me", password="hunter2") as client:
            client.append(GUEST, b"one")
    assert [envelope.rcpt_tos for envelope in server.envelopes] == [["guest@world.example"]]
    assert server.authenticated == [True]


def test_aiosmtpd_without_tls() -> None:
    with contextlib.closing(Aiosmtpd(None)) as server:
        with client_of(server, None, port=25) as client:
            assert "in clear" in client.append(GUEST, b"one").notes[0]
        with client_of(server, None) as client, pytest.raises(ConnectError, match="offers no STARTTLS at port 587"):
            client.append(GUEST, b"two")
    assert len(server.envelopes) == 1
