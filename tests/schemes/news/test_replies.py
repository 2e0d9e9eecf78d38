"""What each negative code of RFC 3977, RFC 4642 and RFC 4643 means, and what helps."""

from __future__ import annotations

from anyurl.errors import Meaning
from anyurl.schemes.kit.meanings import row_of
from anyurl.schemes.news.session import NO_LOGIN, TABLE, USE_TLS
from tests.rows import each_row

CODES: dict[int, Meaning] = {
    400: "busy", 403: "busy", 411: "not-found", 412: "not-found", 420: "not-found", 423: "not-found",
    430: "not-found", 436: "other", 437: "denied", 440: "read-only", 441: "denied", 480: "login", 481: "login",
    482: "login", 483: "tls", 500: "other", 501: "other", 502: "denied", 503: "other", 421: "other", 422: "other",
    435: "other",
}  # fmt: skip
"""By code alone: RFC 3977 3.2.1 and appendix C, RFC 4643 2.3."""


@each_row("code", CODES)
def test_what_a_code_means_without_words(code: int) -> None:
    assert row_of(TABLE, code, "").meaning == CODES[code]
    assert row_of(TABLE, code, "", ("login", "clear")).meaning == CODES[code]


@each_row(
    ("code", "text", "where", "meaning"),
    [
        (441, "No space left", (), "quota"), (441, "over QUOTA", (), "quota"), (441, "article too long", (), "quota"),
        (441, "Article is too  large", (), "denied"), (441, "try later", (), "busy"),
        (436, "Transfer failed; try again later", (), "busy"), (437, "no space left", (), "denied"),
        (436, "temporarily unavailable", (), "busy"), (441, "temporary failure", (), "busy"),
        (502, "TLS is required", ("clear",), "tls"), (480, "Use STARTTLS first", ("clear",), "tls"),
        (502, "TLS is required", (), "denied"), (480, "Use STARTTLS first", (), "login"),
        (481, "Authentication failed: too many connections", (), "login"),
        (482, "wrong password", (), "login"), (400, "Too many connections", (), "connections"),
        (480, "too many users", (), "connections"),
    ],
)  # fmt: skip
def test_what_it_means_with_words(code: int, text: str, where: tuple[str, ...], meaning: Meaning) -> None:
    assert row_of(TABLE, code, text, where).meaning == meaning


@each_row(
    ("code", "text", "meaning"),
    [(400, "", "login"), (481, "", "login"), (502, "", "login"), (599, "", "login"), (483, "", "tls"),
     (502, "too many connections", "connections"), (481, "too many connections", "connections"),
     (481, "invalid: too many connections", "login"), (281, "", "other"), (381, "", "other")],
)  # fmt: skip
def test_what_a_refused_login_means(code: int, text: str, meaning: Meaning) -> None:
    """Any no to AUTHINFO is one to the login, but where the words say that the server is full."""
    assert row_of(NO_LOGIN, code, text).meaning == meaning


def test_what_helps() -> None:
    assert row_of(TABLE, 483, "").advice == row_of(TABLE, 502, "tls", ("clear",)).advice == USE_TLS
    assert USE_TLS == "The server wants TLS: use nntps:// (snews:// for a news URL) with the same host."
    full = "Fewer connections at a time, or later, may succeed."
    assert row_of(TABLE, 400, "too many connections").advice == row_of(NO_LOGIN, 502, "server full").advice == full
    assert row_of(TABLE, 403, "").advice == row_of(TABLE, 441, "try later").advice == "Later it may succeed."
    assert [row_of(TABLE, code, "").advice for code in (411, 430, 440, 441, 480, 502)] == [""] * 6
