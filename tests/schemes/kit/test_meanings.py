"""What servers say, word for word, and what it means: the tables of ftp, news, mail, gopher and http."""

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
from anyurl.schemes.gopher.exchange import reply_error as gopher_error
from anyurl.schemes.http.answers import MEANINGS, response_error
from anyurl.schemes.kit.meanings import CLASSES, Case, reply_error, row_of
from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.mailto.replies import TABLE as MAIL
from anyurl.schemes.news.replies import NO_LOGIN
from anyurl.schemes.news.replies import TABLE as NEWS
from anyurl.schemes.prospero.answers import complaint_error
from anyurl.schemes.prospero.methods import Location
from anyurl.schemes.prospero.wire.messages import Complaint
from anyurl.schemes.wais.documents import diagnostic_error
from anyurl.schemes.wais.wire.records import Diagnosis
from anyurl.url import URL

SAID: list[tuple[Sequence[Case], str, str, Meaning]] = [
    # vsftpd
    (FTP, "421 There are too many connected users, please try later.", "login clear", "connections"),
    (FTP, "421 There are too many connections from your internet address.", "login clear", "connections"),
    (FTP, "530 Anonymous sessions must use encryption.", "login clear", "tls"),
    (FTP, "530 Non-anonymous sessions must use encryption.", "login clear", "tls"),
    (FTP, "522 Data connections must be encrypted.", "clear data", "tls"),
    (FTP, "530 Login incorrect.", "login clear", "login"),
    (FTP, "530 This FTP server is anonymous only.", "login clear", "login"),
    (FTP, "530 Please login with USER and PASS.", "login clear", "login"),
    (FTP, "550 Permission denied.", "", "denied"),
    (FTP, "550 Failed to open file.", "", "not-found"),
    (FTP, "550 Failed to change directory.", "", "not-found"),
    (FTP, "553 Could not create file.", "write", "denied"),
    # proftpd
    (FTP, "530 Sorry, the maximum number of clients (2) from your host are already connected.", "login", "connections"),
    (FTP, "530 Sorry, the maximum number of allowed clients (9) already connected.", "login clear", "connections"),
    (FTP, "550 SSL/TLS required on the control channel", "login clear", "tls"),
    (FTP, "522 SSL/TLS required on the data channel", "clear data", "tls"),
    (FTP, "530 Maximum login attempts (3) exceeded, connection refused", "login clear", "login"),
    (FTP, "550 x: No such file or directory", "", "not-found"),
    (FTP, "550 pub: Not a regular file", "", "directory"),
    (FTP, "552 Transfer aborted. Disk quota exceeded", "write", "quota"),
    (FTP, "450 x: No such file or directory", "", "not-found"),
    (FTP, "550 x: Permission denied", "write", "denied"),
    # pure-ftpd
    (FTP, "421 50 users (the maximum) are already logged in, sorry", "login clear", "connections"),
    (FTP, "421 Too many connections (2) from this IP", "login clear", "connections"),
    (FTP, "421 Sorry, cleartext sessions and weak ciphers are not accepted on this server.", "login clear", "tls"),
    (FTP, "550 I can only retrieve regular files", "", "not-found"),
    (FTP, "550 Can't open nothing: No such file or directory", "", "not-found"),
    (FTP, "550 Anonymous user cannot upload", "write", "read-only"),
    (FTP, "552 Disk full - please upload later", "write", "quota"),
    (FTP, "451 Failure writing to local file.", "write", "quota"),
    (FTP, "451 Error during write to file Transfer aborted", "write", "quota"),
    (FTP, "451 Failure reading local file.", "", "busy"),
    # pyftpdlib
    (FTP, "421 Too many connections. Service temporarily unavailable.", "login clear", "connections"),
    (FTP, "421 Too many connections from the same IP address.", "login clear", "connections"),
    (FTP, "550 SSL/TLS required on the control channel.", "login clear", "tls"),
    (FTP, "550 SSL/TLS required on the data channel.", "clear data", "tls"),
    (FTP, "550 Not enough privileges.", "", "denied"),
    (FTP, "550 Not enough privileges.", "write", "denied"),
    (FTP, "550 Read-only file system.", "write", "read-only"),
    (FTP, "550 No such file or directory.", "write", "not-found"),
    (FTP, "550 Is a directory.", "", "directory"),
    (FTP, "550 Is a directory.", "write", "directory"),
    (FTP, "530 Log in with USER and PASS first.", "login clear", "login"),
    (FTP, "530 Authentication failed.", "login clear", "login"),
    # others
    (FTP, "530 User anonymous access denied: limit reached.", "login clear", "connections"),  # wu-ftpd
    (FTP, "530 Sorry, your maximum number of connections are already in use.", "login clear", "connections"),  # glFTPd
    (FTP, "534 Policy requires SSL.", "login clear", "tls"),  # IIS
    (FTP, "503 Use AUTH first.", "login clear", "tls"),  # FileZilla Server
    (FTP, "530 Must perform authentication before identifying USER.", "login clear", "tls"),  # z/OS
    (FTP, "530 This server does not allow plain FTP. You have to use FTP over TLS.", "login clear", "tls"),  # FileZilla
    (FTP, "421 Too many users are connected, please try again later.", "login clear", "connections"),  # Serv-U
    (FTP, "421 Too many failed login attempts.", "login clear", "login"),
    (FTP, "530 Too many bad passwords, please wait", "login clear", "login"),
    (FTP, "530 Too many invalid logins.", "login clear", "login"),
    (FTP, "421 Service not available, closing control connection.", "login clear", "busy"),
    (FTP, "450 File busy.", "", "busy"),
    (FTP, "425 Can't open data connection.", "data clear", "busy"),
    (FTP, "502 Command not implemented.", "", "other"),
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
    # mail: Postfix, Exim, Sendmail, Exchange, postgrey, Gmail
    (MAIL, "530 5.7.0 Must issue a STARTTLS command first", "clear", "tls"),
    (MAIL, "530 5.7.0 Authentication Required.", "", "login"),
    (MAIL, "538 5.7.11 Encryption required for requested authentication mechanism", "clear login", "tls"),
    (MAIL, "535 5.7.8 Error: authentication failed", "login", "login"),
    (MAIL, "454 4.7.0 Temporary authentication failure", "login", "busy"),
    (MAIL, "421 4.7.0 mx Error: too many connections from 192.0.2.1", "login", "connections"),
    (MAIL, "421 4.3.2 Too many concurrent SMTP connections; please try again later.", "login", "connections"),
    (MAIL, "450 4.2.0 <x@y>: Recipient address rejected: Greylisted, see http://postgrey", "", "greylisted"),
    (MAIL, "451 4.7.1 Greylisting in action, please come back later", "", "greylisted"),
    (MAIL, "421 4.7.0 mx Error: too many errors", "", "busy"),
    (MAIL, "452 4.5.3 Error: too many recipients", "", "connections"),
    (MAIL, "452 4.3.1 Insufficient system storage", "", "quota"),
    (MAIL, "552 5.2.2 <x@y>: user over quota", "", "quota"),
    (MAIL, "550 5.2.2 Mailbox full", "", "quota"),
    (MAIL, "550 5.1.1 <x@y>: Recipient address rejected: User unknown", "", "not-found"),
    (MAIL, "550 Unrouteable address", "", "not-found"),
    (MAIL, "550 Spam", "message", "denied"),
    (MAIL, "550 relay not permitted", "", "denied"),  # exim
    (MAIL, "550 Administrative prohibition", "", "denied"),  # exim
    (MAIL, "550 Sender verify failed", "", "denied"),  # exim
    (MAIL, "550 JunkMail rejected - h is in an RBL", "", "denied"),
    (MAIL, "553 sorry, that domain isn't allowed to be relayed thru this MTA (#5.7.1)", "", "denied"),  # qmail
    (MAIL, "550 <x@y>: no such user here, access denied", "", "not-found"),
    (MAIL, "550 Unknown user; blocked", "", "not-found"),
    (MAIL, "551 user not local; please try <x@z>", "", "not-found"),
    (MAIL, "550 5.7.1 Relaying denied", "", "denied"),
    (MAIL, "554 5.7.1 <x@y>: Relay access denied", "", "denied"),
    (MAIL, "451 4.3.0 Temporary lookup failure", "", "busy"),
    (MAIL, "502 5.5.1 Not implemented", "", "other"),
    # gopher: without a number, pygopherd and others; Gopher+ 2.3
    (GOPHER, "000 'x' does not exist (no handler found)", "", "not-found"),
    (GOPHER, "000 Sorry, too many users", "", "connections"),
    (GOPHER, "000 Access denied", "", "denied"),
    (GOPHER, "000 Server busy, try again", "", "busy"),
    (GOPHER, "001 Item is not available.", "", "not-found"),
    (GOPHER, "002 Try again later", "", "busy"),
    (GOPHER, "003 moved", "", "not-found"),
    (GOPHER, "009 odd", "", "other"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "said", "where", "meaning"), SAID, ids=[f"{row[1][:40]}-{row[2]}" for row in SAID])
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
    assert (type(error), str(error)) == (errors.NotFoundError, "h has no x: 550 gone. Ask again.")
    assert str(reply_error(FTP, Reply(550, (b"gone",)), "h has no x")) == "h has no x: 550 gone."
    assert isinstance(error, ReplyError)
    assert (error.code, error.text, error.meaning, error.stage) == (550, "gone", "not-found", "reply")
    error = reply_error(FTP, Reply(530, (b"Use TLS.",)), "h refuses", ("login", "clear"), stage="login")
    assert str(error) == "h refuses: 530 Use TLS. The server wants TLS: use ftps:// with the same host and port."
    error = reply_error(FTP, Reply(250, (b"fine",)), "h has no x")
    assert (type(error), str(error)) == (RemoteProtocolError, "h has no x, and its reply makes no sense: 250 fine.")


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


def test_gopher_sentences() -> None:
    error = gopher_error(URL("gopher://h/0x"), 2, b"Too busy")
    assert (type(error), str(error)) == (UnavailableError, "h asks to try again later: Too busy.")
    error = gopher_error(URL("gopher://h/0x"), 0, b"too many users")
    assert str(error) == "h does not give gopher://h/0x: too many users. Later it may succeed."


@pytest.mark.parametrize(
    ("code", "text", "meaning"),
    [
        ("S1", b"The following database is not available: x", "not-found"), ("SF", b"Missing DocID", "not-found"),
        ("T2", b"", "denied"), ("SH", b"", "denied"), ("T3", b"", "login"), ("S3", b"Bad search", "other"),
    ],
)  # fmt: skip
def test_wais_diagnostics(code: str, text: bytes, meaning: Meaning) -> None:
    error = diagnostic_error(URL("wais://h/db"), Diagnosis(code, text))
    assert (type(error), error.meaning) == (CLASSES[meaning], meaning)


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (b"NOT-FOUND", "not-found"), (b"NOT-AUTHORIZED", "denied"), (b"AUTHENTICATION-REQUIRED", "login"),
        (b"SERVER-FAILED", "other"), (b"", "other"),
    ],
)  # fmt: skip
def test_prospero_complaints(code: bytes, meaning: Meaning) -> None:
    error = complaint_error(Location("h", 1525, b"/x"), Complaint(b"FAILURE", code))
    assert (type(error), error.meaning) == (CLASSES[meaning], meaning)
