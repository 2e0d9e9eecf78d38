"""What is said and answered is told line by line, whatever the scheme, and no password is in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from anyurl import Client, Secret
from anyurl.client.trace import Teller
from anyurl.dialogue import AskSecret, Channel, Connect, Dialogue, Receive, Request, Send
from anyurl.errors import ConnectionLost, NotFoundError
from anyurl.url import URL
from anyurl.warc.known_secrets import KnownSecrets
from anyurl.world import World
from tests.client.test_requests import elsewhere, serving
from tests.rows import each_row
from tests.servers import reply

SECRET = "s3cret"


def play(begin: Callable[[], Dialogue], answers: list[Any], url: str = "ftp://u:s3cret@h/x") -> list[str]:
    lines: list[str] = []
    secrets = KnownSecrets()
    secrets.know_login(URL(url))
    dialogue = Teller(lines.append, secrets).over(begin())
    try:
        dialogue.send(None)
        for answer in answers:
            if isinstance(answer, Exception):
                dialogue.throw(answer)
            else:
                dialogue.send(answer)
    except StopIteration:
        pass
    return lines


def test_lines_and_octets_are_told() -> None:
    def begin() -> Dialogue:
        channel = yield from Connect("h", 21, tls=True)
        yield from Receive(channel)
        yield from Send(channel, b"STAT x\x1b\r\n")
        yield from Send(channel, b"x" * 5000)
        return None

    assert play(begin, [Channel(), b"220 hello\r\n", None, None]) == [
        "* Connecting to h port 21 over TLS.", "< 220 hello", "> (9 octets)", "> (5,000 octets)",
    ]  # fmt: skip


def test_a_password_is_masked_wherever_a_request_has_it() -> None:
    def begin() -> Dialogue:
        url = URL("http://h/")
        fields = [("X-Echo", f"a {SECRET}"), ("Cookie", "a=b"), ("Referer", "http://me:other@h/")]
        yield from Request("GET", url, f"/?q={SECRET}", headers=fields)
        return None

    assert play(begin, []) == [
        "> GET /?q=*** HTTP", "> Host: h", "> X-Echo: a ***", "> Cookie: ***", "> Referer: http://me:***@h/",
    ]  # fmt: skip


@each_row(
    "line",
    [
        b"PASS s3cret", b"pass other", b"AUTHINFO PASS x y", b"AUTH PLAIN AHUAczNjcmV0", b"ACCT x", b"czNjcmV0",
        b"LOGIN u s3cret", b"AUTHINFO SASL PLAIN AHUA",
    ],
)  # fmt: skip
def test_a_password_is_masked_in_whatever_line_it_stands(line: bytes) -> None:
    def begin() -> Dialogue:
        yield from Send(Channel(), line + b"\r\n")
        return None

    (told,) = play(begin, [None])
    assert "***" in told
    for text in ("s3cret", "other", "x y", "AHUA", "czNjcmV0"):
        assert text not in told


def test_a_password_that_is_asked_for_is_masked_from_then_on() -> None:
    def begin() -> Dialogue:
        secret = yield from AskSecret("h", "u", "password")
        assert secret is not None
        yield from Send(Channel(), f"ENTER {secret.reveal()}\r\n".encode())
        return None

    assert play(begin, [Secret("gotten"), None], "gopher://h/") == ["> ENTER ***"]


def test_an_error_reaches_the_dialogue() -> None:
    found = []

    def begin() -> Dialogue:
        try:
            yield from Send(Channel(), b"a\r\n")
        except ConnectionLost as error:
            found.append(error)
        return None

    assert play(begin, [ConnectionLost("It is gone.")]) == ["> a"]
    assert len(found) == 1


def test_a_client_tells_each_hop() -> None:
    lines: list[str] = []
    with serving(elsewhere(302, "")) as (url, _), Client(trace=lines.append) as client:
        client.get(url, headers={"Authorization": SECRET}).read()
    port = url.rpartition(":")[2]
    assert lines[:3] == ["> GET / HTTP", f"> Host: 127.0.0.1:{port}", "> Authorization: ***"]
    assert f"* It leads to {url}/there (302)." in lines
    assert lines[-1] == "< (5 octets)"
    assert SECRET not in " ".join(lines)


def test_no_cookie_is_told() -> None:
    lines: list[str] = []
    with serving(lambda *_: reply(b"", "Set-Cookie: a=s3cret")) as (url, _), Client(trace=lines.append) as client:
        client.get(url).read()
    assert "< set-cookie: ***" in lines


def test_other_schemes_are_told() -> None:
    lines: list[str] = []
    with World(["ftp", "gopher"]) as world, Client(trace=lines.append, **world.settings) as client:
        client.get(f"{world.roots['ftp']}motd.txt").read()
        with pytest.raises(NotFoundError):
            client.get(f"{world.roots['ftp']}none").read()
    assert any(line.startswith("< 220") for line in lines)
    assert any(line == "> PASS ***" for line in lines)
    assert any(line.startswith("> RETR motd.txt") for line in lines)
