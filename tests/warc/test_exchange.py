"""A request and its answer as text: what was said, without the codings of the way and without what is secret."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl import Secret
from anyurl.dialogue import Request, Response
from anyurl.dialogue.logins import Authorization
from anyurl.guard.limits import Limits
from anyurl.net.http.body import Body
from anyurl.url import URL
from anyurl.warc.exchange import WebExchange
from anyurl.warc.known_secrets import KnownSecrets


def exchange(ask: Request, *, keeps_cookies: bool = False) -> tuple[WebExchange, KnownSecrets]:
    secrets = KnownSecrets()
    return WebExchange(ask, "2026-01-02T03:04:05Z", secrets, "test/1", keeps_cookies=keeps_cookies), secrets


def answer(headers: list[tuple[str, str]], *codings: str, version: str = "1.1", status: int = 200) -> Response:
    body = Body(lambda: None, lambda: None, Limits())
    body.codings = list(codings)
    return Response(status, version, headers, body)


def get(**more: Any) -> Request:
    return Request("GET", URL("http://h:81/a?b"), "/a?b", **more)


def test_a_request_is_what_libcurl_sends() -> None:
    made, secrets = exchange(get(headers=[("Accept", "text/html"), ("X-Empty", "")]))
    assert made.request.decode().splitlines()[:5] == [
        "GET /a?b HTTP/1.1", "Host: h:81", "Accept: text/html", "X-Empty:", "User-Agent: test/1",
    ]  # fmt: skip
    assert "Accept: */*" in exchange(get())[0].request.decode()
    assert not secrets.replaced


def content(made: WebExchange) -> bytes:
    assert made.body is not None
    return b"".join(made.body.pieces())


def done(made: WebExchange) -> None:
    assert made.body is not None
    made.body.close()


@pytest.mark.parametrize(
    ("field", "known"),
    [
        (("Cookie", Secret("a=value1; b=value2")), [b"value1", b"value2"]),
        (("X-Api-Key", "a token"), [b"a token"]),
        (("X-Mine", Secret("a token")), [b"a token"]),
        (("Referer", "http://bob:hunter2@h/"), []),
    ],
)
def test_a_credential_is_replaced_and_known(field: tuple[str, str | Secret], known: list[bytes]) -> None:
    made, secrets = exchange(get(headers=[field]))
    assert not any(word in made.request for word in (b"value1", b"a token", b"hunter2"))
    assert b"***" in made.request
    assert secrets.replaced
    assert set(known) <= set(secrets.words)


@pytest.mark.parametrize("scheme", ["Basic", "Digest", "Bearer"])
def test_authorization_says_how_and_not_what(scheme: str) -> None:
    authorization = Authorization(scheme, Secret("the credentials"), Secret("login"))
    made, secrets = exchange(get(authorization=authorization))
    assert f"\r\nAuthorization: {scheme} ***\r\n".encode() in made.request
    assert b"credentials" not in made.request
    assert list(secrets.replaced) == ["authorization"]


def test_the_head_of_an_answer() -> None:
    made, secrets = exchange(get())
    made.answered(
        answer([
            ("transfer-encoding", "chunked"), ("content-type", "text/plain"), ("set-cookie", "sid=abcdef; Path=/"),
            ("location", "http://bob:hunter2@h/"), ("x-auth-token", "abcdef"),
        ], version="2", status=302)
    )  # fmt: skip
    made.take(b"x" * 10)
    made.take(b"")
    made.end()
    assert made.head.decode() == (
        "HTTP/1.1 302 Found\r\ncontent-type: text/plain\r\nset-cookie: ***\r\nlocation: http://bob:***@h/\r\n"
        "x-auth-token: ***\r\ncontent-length: 10\r\n\r\n"
    )
    assert made.protocol == "h2"
    assert list(secrets.replaced) == ["set-cookie", "password", "x-auth-token"]
    done(made)


def test_a_coded_body_stays_as_it_was_sent() -> None:
    made, _ = exchange(get())
    response = answer([("content-encoding", "gzip"), ("content-length", "5")], "gzip")
    made.answered(response)
    body: Any = response.body
    body.tap(b"coded")
    made.take(b"what it says")
    made.take(b"")
    made.end()
    assert content(made) == b"coded"
    assert b"content-encoding: gzip\r\ncontent-length: 5\r\n" in made.head
    done(made)


def test_where_a_credential_went_along_it_is_looked_through() -> None:
    made, secrets = exchange(get(headers=[("X-Api-Key", "hunter2")]))
    response = answer([("content-encoding", "gzip"), ("content-length", "5")], "gzip")
    made.answered(response)
    made.take(b"it was hun")
    made.take(b"ter2.")
    made.take(b"")
    made.end()
    assert content(made) == b"it was *******."
    assert made.head == b"HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n"
    assert "content-encoding" in secrets.replaced
    done(made)


def test_a_cookie_that_the_client_keeps_is_looked_for() -> None:
    for keeps, kept in ((True, b"page of ******"), (False, b"page of abcdef")):
        made, _ = exchange(get(), keeps_cookies=keeps)
        made.answered(answer([("set-cookie", "sid=abcdef; Path=/")]))
        made.take(b"page of abcdef")
        made.end()
        assert content(made) == kept
        done(made)


@pytest.mark.parametrize(("length", "cut"), [("4", ""), ("5", "disconnect"), (None, "disconnect")])
def test_what_broke_off_says_so(length: str | None, cut: str) -> None:
    made, _ = exchange(get())
    made.answered(answer([] if length is None else [("content-length", length)]))
    made.take(b"four")
    made.stop("disconnect")
    assert made.cut == cut
    done(made)
