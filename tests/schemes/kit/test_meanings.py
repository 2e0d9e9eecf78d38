"""What servers say, word for word, and what it means: the table of news, and what holds for that of every scheme."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

import pytest

from anyurl import errors
from anyurl.dialogue.values import Response
from anyurl.errors import Meaning, RemoteProtocolError, ReplyError, UnavailableError
from anyurl.schemes.ftp.replies import TABLE as FTP
from anyurl.schemes.gopher.exchange import TABLE as GOPHER
from anyurl.schemes.http.answers import MEANINGS, response_error
from anyurl.schemes.kit.meanings import CLASSES, Case, reply_error, row_of
from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.mailto.session import TABLE as MAIL
from anyurl.schemes.news.session import NO_LOGIN
from anyurl.schemes.news.session import TABLE as NEWS
from anyurl.url import URL
from tests.rows import each_row

SAID: list[tuple[Sequence[Case], str, str, Meaning]] = [
    # news: INN, Diablo, Cyrus, leafnode, those that sell
    (NEWS, "502 Too many connections", "login clear", "connections"),
    (NEWS, "400 Too many connections from your host", "login clear", "connections"),
    (NEWS, "400 Too many syntax errors", "", "busy"),
    (NEWS, "400 load at 37, try later", "login clear", "busy"),
    (NEWS, "502 You have no permission to talk.  Goodbye.", "login clear", "denied"),
    (NEWS, "483 Encryption or stronger authentication required", "clear", "tls"),
    (NEWS, "480 Authentication required for command", "clear", "login"),
    (NEWS, "480 TLS required", "clear", "tls"),
    (NEWS, "411 No such group", "", "not-found"),
    (NEWS, "423 Bad article number", "", "not-found"),
    (NEWS, "430 No such article", "", "not-found"),
    (NEWS, "440 Posting not allowed", "", "read-only"),
    (NEWS, "441 435 Duplicate", "", "denied"),
    (NEWS, "441 Posting failed: no space left on device", "", "quota"),
    (NEWS, "403 Internal fault", "", "busy"),
    (NEWS, "503 Not supported", "", "other"),
    (NO_LOGIN, "481 Authentication failed", "", "login"),
    (NO_LOGIN, "502 Too many connections for your account", "", "connections"),
    (NO_LOGIN, "482 too many connections", "", "connections"),
    (NO_LOGIN, "481 Too many login failures", "", "login"),
]  # fmt: skip


@each_row(("table", "said", "where", "meaning"), SAID, ids=[f"{row[1][:40]}-{row[2]}" for row in SAID])
def test_what_it_means(table: Sequence[Case], said: str, where: str, meaning: Meaning) -> None:
    assert row_of(table, int(said[:3]), said[4:], where.split()).meaning == meaning


def test_the_class_follows_from_the_meaning() -> None:
    """Who looks at the class only: absent, not allowed, login wanted, later, and no more; each meaning has one."""
    assert set(CLASSES) == set(get_args(Meaning))
    for table in (FTP, NEWS, MAIL, GOPHER):
        assert {row.meaning for row in table} <= set(CLASSES)
        for row in table:
            re.compile(row.words)
            assert row.advice == "" or row.advice.endswith((".", "?"))
    for meaning, kind in CLASSES.items():
        assert issubclass(kind, ReplyError)
        assert (kind is errors.NotFoundError) == (meaning == "not-found")
        assert (kind is errors.AuthRequiredError) == (meaning == "login")
        assert (kind is UnavailableError) == (meaning in ("connections", "greylisted", "busy"))


def test_a_no_becomes_what_the_table_says_and_anything_else_makes_no_sense() -> None:
    error = reply_error(FTP, Reply(550, (b"gone",)), "h has no x", advice="Ask again.")
    assert (type(error), str(error)) == (errors.NotFoundError, "h has no x: “550 gone”. Ask again.")
    assert str(reply_error(FTP, Reply(550, (b"gone",)), "h has no x")) == "h has no x: “550 gone”."
    assert isinstance(error, ReplyError)
    assert (error.code, error.text, error.meaning, error.stage) == (550, "gone", "not-found", "reply")
    error = reply_error(FTP, Reply(530, (b"Use TLS.",)), "h refuses", ("login", "clear"), stage="login")
    assert str(error) == "h refuses: “530 Use TLS”. The server wants TLS: use ftps:// with the same host and port."
    error = reply_error(FTP, Reply(250, (b"fine",)), "h has no x")
    assert (type(error), str(error)) == (RemoteProtocolError, "h has no x, and its reply makes no sense: “250 fine”.")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ([("retry-after", "120")], 120.0),
        ([("date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")], 30.0),
        ([("date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")], 0.0),
        ([("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")], 0.0),  # without a Date it counts from now
        ([("retry-after", "-1")], None),
        ([("retry-after", "9" * 30)], 999999999.0),
        ([], None),
    ],
)
def test_when_a_server_wants_to_be_asked_again(headers: list[tuple[str, str]], seconds: float | None) -> None:
    error = response_error(URL("http://h/"), Response(503, "1.1", headers, None))  # type: ignore[arg-type]
    assert isinstance(error, UnavailableError)
    assert error.retry_after == seconds


def test_http_codes() -> None:
    def kind(status: int, *, writing: bool = False) -> tuple[type, str]:
        error = response_error(URL("http://h/"), Response(status, "1.1", [], None), writing=writing)  # type: ignore[arg-type]
        return type(error), error.meaning

    for status, meaning in MEANINGS.items():
        assert kind(status) == (CLASSES[meaning], meaning)
    assert kind(405) == kind(400) == (ReplyError, "other")
    assert kind(405, writing=True) == kind(501, writing=True) == (errors.DeniedError, "read-only")
