"""Who is let in, and what every answer says."""

from __future__ import annotations

import socket

import pytest

from anyurl.web.gate import MAX_BODY, PAGE_POLICY
from anyurl.web.server import HOST
from tests.web.running import FORM, Browser


@pytest.mark.promise("web-gateway")
def test_the_token_becomes_a_cookie_of_this_path_alone(browser: Browser) -> None:
    name, *attributes = browser.set_cookie.split("; ")
    assert name.startswith("anyurl=")
    assert sorted(attributes) == sorted(["HttpOnly", f"Path={browser.base}", "SameSite=strict"])
    assert browser.get("").title == "Start"


@pytest.mark.promise("web-gateway")
@pytest.mark.parametrize(
    ("target", "headers", "status"),
    [
        ("{base}", {"Cookie": ""}, 403),
        ("{base}", {"Cookie": "anyurl=guessed"}, 403),
        ("{base}?token=guessed", {}, 403),
        ("{base}?token=%C3%BC", {}, 403),
        ("/", {}, 404),
        ("/other/", {}, 404),
        ("{base}", {"Host": "evil.example"}, 421),  # a name that leads here by now
        ("{base}", {"Host": "127.0.0.1:1"}, 421),
        ("{base}", {"Host": "evil.example@127.0.0.1:{port}"}, 421),
        ("{base}", {"Origin": "http://evil.example"}, 403),
        ("{base}", {"Origin": "null"}, 403),  # a sandbox, a file
        ("{base}", {"Origin": "http://127.0.0.1:1"}, 403),  # another server of this machine
        ("{base}", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("{base}", {"Sec-Fetch-Site": "same-site"}, 403),
        ("{base}", {"Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1:{port}"}, 200),
        ("{base}", {"Sec-Fetch-Site": "none"}, 200),
        ("{base}", {"Host": "localhost:{port}"}, 200),
        ("{base}", {"Cookie": "anyurl=another; {cookie}"}, 200),  # what another server of this machine has set
        ("{base}", {"Cookie": "{cookie}; anyurl=another"}, 200),
        ("{base}", {"Cookie": "anyurl=another; anyurl=\u00fc; anyurl; =; anyurls={cookie}"}, 403),
        ("{base}", {}, 200),
    ],
)
def test_who_is_let_in(browser: Browser, target: str, headers: dict[str, str], status: int) -> None:
    filled = {name: value.format(port=browser.port, cookie=browser.cookie) for name, value in headers.items()}
    answer = browser.ask("GET", target.format(base=browser.base), b"", filled)
    assert answer.status == status
    assert ("anyurl</a>" in answer.text) == (status == 200)


def test_a_form_that_is_too_large_is_not_read(browser: Browser) -> None:
    answer = browser.ask("POST", f"{browser.base}go", b"x" * (MAX_BODY + 1), FORM)
    assert answer.status == 413


@pytest.mark.parametrize("length", ["-1", "+1", "1_0", "x"])
def test_a_length_that_is_none(browser: Browser, length: str) -> None:
    answer = browser.ask("POST", f"{browser.base}go", b"", {**FORM, "Content-Length": length})
    assert answer.status in (400, 413)


def test_what_every_page_says(browser: Browser) -> None:
    headers = browser.get("").headers
    assert headers["content-security-policy"] == PAGE_POLICY
    assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")
    assert headers["referrer-policy"] == "same-origin"
    assert "unsafe" not in PAGE_POLICY
    assert headers["server"] is None


def raw(browser: Browser, *lines: str) -> bytes:
    """What comes back for a request that is written octet for octet."""
    with socket.create_connection((HOST, browser.port), timeout=20) as link:
        link.sendall("\r\n".join((*lines, "", "")).encode("latin-1"))
        answer = b""
        while piece := link.recv(65536):
            answer += piece
    return answer


@pytest.mark.promise("web-gateway")
@pytest.mark.parametrize("name", ["Origin", "Sec-Fetch-Site"])
@pytest.mark.parametrize("order", [1, -1])
def test_of_two_fields_both_are_looked_at(browser: Browser, name: str, order: int) -> None:
    values = {"Origin": f"http://127.0.0.1:{browser.port}", "Sec-Fetch-Site": "none"}
    fields = [f"{name}: {values[name]}", f"{name}: http://evil.example"][::order]
    head = (f"Host: 127.0.0.1:{browser.port}", f"Cookie: {browser.cookie}", "Connection: close")
    assert raw(browser, f"GET {browser.base} HTTP/1.1", *head, *fields).startswith(b"HTTP/1.1 403")


def test_a_request_within_a_request_is_not_answered(browser: Browser) -> None:
    head = (f"Host: 127.0.0.1:{browser.port}", f"Cookie: {browser.cookie}")
    lengths = ("Content-Length: 400", "Transfer-Encoding: chunked")
    inner = ("0", "", f"GET {browser.base} HTTP/1.1", *head, "Connection: close")
    answer = raw(browser, f"POST {browser.base}go HTTP/1.1", *head, *lengths, "", *inner)
    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1 ") == 1
