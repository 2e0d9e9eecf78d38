"""Which server a URL leads to (RFC 1738 3.6, RFC 5538 2), and the login command (RFC 4643 2.3)."""

from __future__ import annotations

import pytest

from anyurl.dialogue import Options
from anyurl.errors import RefusedError, UnsupportedError, URLSyntaxError
from anyurl.schemes.news.server import login_line, server_of
from anyurl.url import URL
from anyurl.url.endpoint import Endpoint


@pytest.mark.parametrize(
    ("url", "configured", "server"),
    [
        ("news:a.b", "h.example", Endpoint("h.example", 119)),
        ("snews:a.b", "h.example", Endpoint("h.example", 563)),
        ("news:a.b", "me@h.example:563", Endpoint("h.example", 563, "me")),
        ("news://other/a.b", "me@h.example", Endpoint("other", 119)),
        ("nntp://h.example/a.b", "me@h.example", Endpoint("h.example", 119, "me")),  # the user is known there
        ("nntp://h.example:1119/a.b", "me@h.example", Endpoint("h.example", 1119)),
    ],
)
def test_which_server(url: str, configured: str, server: Endpoint) -> None:
    assert server_of(URL(url), Options(news_server=configured)) == server


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("nntp://h/a.b", Endpoint("h", 119)), ("nntps://h/a.b", Endpoint("h", 563)),
        ("news://h/a.b", Endpoint("h", 119)), ("snews://h/a.b", Endpoint("h", 563)),
        ("nntp://h:563/a.b", Endpoint("h", 563)), ("nntp://[::1]:1119/a.b", Endpoint("::1", 1119)),
    ],
)  # fmt: skip
def test_without_a_configured_one_it_is_the_urls(url: str, server: Endpoint) -> None:
    assert server_of(URL(url), Options()) == server


@pytest.mark.parametrize("url", ["news:a.b", "news:a@b", "news:*", "snews:a.b"])
def test_neither_named_nor_configured(url: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        server_of(URL(url), Options())
    assert str(caught.value) == (
        f"{url} names no server, and no news server is configured: news_server='HOST' "
        "or a URL as news://HOST/... names one."
    )
    assert caught.value.scheme == URL(url).scheme


@pytest.mark.parametrize("configured", ["", "h:x", "a b", "h:99999"])
def test_a_configured_one_that_is_none(configured: str) -> None:
    for url in ("news:a.b", "nntp://other/a.b"):
        with pytest.raises(URLSyntaxError):
            server_of(URL(url), Options(news_server=configured))


@pytest.mark.parametrize(
    ("kind", "text", "line"),
    [(b"USER", "me", b"AUTHINFO USER me\r\n"), (b"PASS", "a b  c", b"AUTHINFO PASS a b  c\r\n"),
     (b"PASS", "pä\udcff", "AUTHINFO PASS pä".encode() + b"\xff\r\n")],
)  # fmt: skip
def test_a_login_may_have_spaces_and_any_octets_but_line_ends(kind: bytes, text: str, line: bytes) -> None:
    assert login_line(kind, text) == line


@pytest.mark.parametrize("text", ["", "a\r", "\nb", "a\0b", "a\r\nPOST"])
def test_what_would_end_the_command_is_not_sent(text: str) -> None:
    with pytest.raises(RefusedError) as caught:
        login_line(b"USER", text)
    assert str(caught.value) == (
        "The user or the password is empty, or holds CR, LF or NUL, which would end the command."
    )
