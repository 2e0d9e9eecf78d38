"""Problems: what each error of the tree is answered with, as RFC 9457 has it."""

from __future__ import annotations

import json
import re

import pytest

from anyurl import URL, errors
from anyurl.guard import Policy
from anyurl.proxy.answers import REASONS, Problem, of_error, problem
from anyurl.proxy.journal import NO_ROLE
from tests.architecture.source import ROOT
from tests.rows import each_row


def syntax_error() -> errors.URLSyntaxError:
    with pytest.raises(errors.URLSyntaxError) as caught:
        URL("x")
    return caught.value


def test_a_problem_is_a_whole_answer() -> None:
    octets = problem(Problem(403, "address-private", "N\xf6\x1b."))
    assert str(Problem(403, "x", "A sentence.")) == "A sentence."
    head, _, body = octets.partition(b"\r\n\r\n")
    assert head.decode().split("\r\n") == [
        "HTTP/1.1 403 Forbidden: address-private", "Content-Type: application/problem+json",
        'Proxy-Status: anyurl; error=destination_ip_prohibited; details="address-private"',
        f"Content-Length: {len(body)}", "Connection: close",
    ]  # fmt: skip
    told = json.loads(body)
    assert (told["status"], told["code"], told["title"]) == (403, "address-private", "Forbidden")
    assert "\x1b" not in told["detail"]
    assert "N\xf6".encode() in body  # people read it too
    assert problem(Problem(403, "x", "y"), with_body=False).endswith(b"\r\n\r\n")


def test_407_says_how() -> None:
    head, _, body = problem(Problem(407, "no-role", "x")).partition(b"\r\n\r\n")
    assert head.decode().split("\r\n") == [
        "HTTP/1.1 407 Proxy Authentication Required: no-role", "Content-Type: application/problem+json",
        'Proxy-Authenticate: Basic realm="anyurl"', "Proxy-Authenticate: Bearer",
        'Proxy-Status: anyurl; error=http_request_denied; details="no-role"', f"Content-Length: {len(body)}",
        "Connection: close",
    ]  # fmt: skip


@each_row(
    ("error", "status", "code"),
    [
        (errors.RefusedError("x.", verdict=Policy.untrusted().check("http://127.0.0.1/")), 403, "address-private"),
        (errors.RefusedError("x."), 403, "refused"),  # what other code refuses has no verdict
        (errors.SecretNeededError("x."), 403, "refused"),
        (errors.LimitError("x."), 502, "limit"),
        (syntax_error(), 400, "no-url"),
        (errors.UnknownSchemeError("x.", scheme="x"), 501, "scheme"),
        (errors.NotFoundError("x."), 404, "not-found"),
        (errors.AuthRequiredError("x."), 403, "login"),
        (errors.DeniedError("x."), 403, "denied"),
        (errors.TransferTimeout("x.", clock="idle"), 504, "timeout"),
        (errors.ConnectError("x."), 502, "failed"),
        (errors.Truncated("x."), 502, "failed"),
    ],
)
def test_what_an_error_is_answered_with(error: errors.AnyURLError, status: int, code: str) -> None:
    trouble = of_error(error)
    assert (trouble.status, trouble.code) == (status, code)
    assert status in REASONS


def test_each_code_of_the_proxy_itself_is_explained() -> None:
    """With its status, on the page whose readers see it in their log."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/anyurl/proxy").glob("*.py"))
    given = {(code, status) for status, code in re.findall(r'Problem\(\s*(\d+), "([a-z-]+)"', source)}
    given |= {(code, status) for status, code in re.findall(r'\(errors\.\w+, (\d+), "([a-z-]+)"\)', source)}
    given.add((NO_ROLE, "407"))
    page = (ROOT / "docs/service.md").read_text(encoding="utf-8")
    explained = set()
    for codes, states in re.findall(r"^\| (`[a-z-]+`[^|]*) \| (\d[^|]*) \|", page, re.MULTILINE):
        for code in re.findall(r"`([a-z-]+)`", codes):
            explained |= {(code, status) for status in re.findall(r"\d+", states)}
    assert len(given) > 25
    assert given - explained == set()
    assert {code for code, _ in explained} == {code for code, _ in given}
