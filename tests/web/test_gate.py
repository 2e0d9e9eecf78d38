"""Who is let in, and what every answer says."""

from __future__ import annotations

import pytest

from anyurl.web.gate import MAX_BODY, PAGE_POLICY
from tests.web.running import FORM, Browser


def test_the_token_becomes_a_cookie_of_this_path_alone(browser: Browser) -> None:
    name, *attributes = browser.set_cookie.split("; ")
    assert name.startswith("anyurl=")
    assert sorted(attributes) == sorted(["HttpOnly", f"Path={browser.base}", "SameSite=strict"])
    assert browser.get("").title == "Start"


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
        ("{base}", {}, 200),
    ],
)
def test_who_is_let_in(browser: Browser, target: str, headers: dict[str, str], status: int) -> None:
    filled = {name: value.format(port=browser.port) for name, value in headers.items()}
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
