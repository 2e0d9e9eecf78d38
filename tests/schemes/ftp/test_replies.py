"""What FTP servers say, word for word, and what it means."""

from __future__ import annotations

from anyurl.errors import Meaning
from anyurl.schemes.ftp.replies import TABLE, USE_TLS
from anyurl.schemes.kit.meanings import row_of
from tests.rows import each_row

SAID: list[tuple[str, str, Meaning]] = [
    # vsftpd
    ("421 There are too many connected users, please try later.", "login clear", "connections"),
    ("421 There are too many connections from your internet address.", "login clear", "connections"),
    ("530 Anonymous sessions must use encryption.", "login clear", "tls"),
    ("530 Non-anonymous sessions must use encryption.", "login clear", "tls"),
    ("522 Data connections must be encrypted.", "clear data", "tls"),
    ("530 Login incorrect.", "login clear", "login"),
    ("530 This FTP server is anonymous only.", "login clear", "login"),
    ("530 Please login with USER and PASS.", "login clear", "login"),
    ("550 Permission denied.", "", "denied"),
    ("550 Failed to open file.", "", "not-found"),
    ("550 Failed to change directory.", "", "not-found"),
    ("553 Could not create file.", "write", "denied"),
    # proftpd
    ("530 Sorry, the maximum number of clients (2) from your host are already connected.", "login", "connections"),
    ("530 Sorry, the maximum number of allowed clients (9) already connected.", "login clear", "connections"),
    ("550 SSL/TLS required on the control channel", "login clear", "tls"),
    ("522 SSL/TLS required on the data channel", "clear data", "tls"),
    ("530 Maximum login attempts (3) exceeded, connection refused", "login clear", "login"),
    ("550 x: No such file or directory", "", "not-found"),
    ("550 pub: Not a regular file", "", "directory"),
    ("552 Transfer aborted. Disk quota exceeded", "write", "quota"),
    ("450 x: No such file or directory", "", "not-found"),
    ("550 x: Permission denied", "write", "denied"),
    # pure-ftpd
    ("421 50 users (the maximum) are already logged in, sorry", "login clear", "connections"),
    ("421 Too many connections (2) from this IP", "login clear", "connections"),
    ("421 Sorry, cleartext sessions and weak ciphers are not accepted on this server.", "login clear", "tls"),
    ("550 I can only retrieve regular files", "", "not-found"),
    ("550 Can't open nothing: No such file or directory", "", "not-found"),
    ("550 Anonymous user cannot upload", "write", "read-only"),
    ("552 Disk full - please upload later", "write", "quota"),
    ("451 Failure writing to local file.", "write", "quota"),
    ("451 Error during write to file Transfer aborted", "write", "quota"),
    ("451 Failure reading local file.", "", "busy"),
    # pyftpdlib
    ("421 Too many connections. Service temporarily unavailable.", "login clear", "connections"),
    ("421 Too many connections from the same IP address.", "login clear", "connections"),
    ("550 SSL/TLS required on the control channel.", "login clear", "tls"),
    ("550 SSL/TLS required on the data channel.", "clear data", "tls"),
    ("550 Not enough privileges.", "", "denied"),
    ("550 Not enough privileges.", "write", "denied"),
    ("550 Read-only file system.", "write", "read-only"),
    ("550 No such file or directory.", "write", "not-found"),
    ("550 Is a directory.", "", "directory"),
    ("550 Is a directory.", "write", "directory"),
    ("530 Log in with USER and PASS first.", "login clear", "login"),
    ("530 Authentication failed.", "login clear", "login"),
    # others
    ("530 User anonymous access denied: limit reached.", "login clear", "connections"),  # wu-ftpd
    ("530 Sorry, your maximum number of connections are already in use.", "login clear", "connections"),  # glFTPd
    ("534 Policy requires SSL.", "login clear", "tls"),  # IIS
    ("503 Use AUTH first.", "login clear", "tls"),  # FileZilla Server
    ("530 Must perform authentication before identifying USER.", "login clear", "tls"),  # z/OS
    ("530 This server does not allow plain FTP. You have to use FTP over TLS.", "login clear", "tls"),  # FileZilla
    ("421 Too many users are connected, please try again later.", "login clear", "connections"),  # Serv-U
    ("421 Too many failed login attempts.", "login clear", "login"),
    ("530 Too many bad passwords, please wait", "login clear", "login"),
    ("530 Too many invalid logins.", "login clear", "login"),
    ("421 Service not available, closing control connection.", "login clear", "busy"),
    ("450 File busy.", "", "busy"),
    ("425 Can't open data connection.", "data clear", "busy"),
    ("502 Command not implemented.", "", "other"),
]


@each_row(("said", "where", "meaning"), SAID, ids=[f"{row[0][:40]}-{row[1]}" for row in SAID])
def test_what_it_means(said: str, where: str, meaning: Meaning) -> None:
    assert row_of(TABLE, int(said[:3]), said[4:], where.split()).meaning == meaning


@each_row(
    ("said", "where", "advice"),
    [
        ("522 Data connections must be encrypted.", "clear data", USE_TLS),
        ("552 Disk quota exceeded", "write", "There is no room left there for the file."),
        ("550 Is a directory.", "", "A URL with '/' at its end lists a directory."),
        ("550 Is a directory.", "write", "The name is that of a directory."),
        ("550 No such file or directory.", "write", "The directory that it goes into is not there."),
        ("421 Too many connections (2) from this IP", "login", "Fewer connections at a time, or later, may succeed."),
        ("450 File busy.", "", "Later it may succeed."),
        ("530 Login incorrect.", "login", ""),
        ("421 Too many failed login attempts.", "login", ""),  # another try may lock the account
    ],
)
def test_what_a_person_can_do(said: str, where: str, advice: str) -> None:
    assert row_of(TABLE, int(said[:3]), said[4:], where.split()).advice == advice


def test_the_same_words_elsewhere_mean_something_else() -> None:
    """Where a dialogue is decides: over TLS nobody is told to use it, and only who writes lacks the right to."""
    assert row_of(TABLE, 530, "Use TLS.", ["login"]).meaning == "login"
    assert row_of(TABLE, 550, "Read-only file system.", []).meaning == "denied"
    assert row_of(TABLE, 550, "odd", []).meaning == "not-found"
    assert row_of(TABLE, 550, "odd", ["write"]).meaning == "denied"
    assert [row_of(TABLE, code, "odd", []).meaning for code in (521, 533, 534, 537, 553)] == ["denied"] * 5
    assert [row_of(TABLE, code, "odd", ["clear"]).meaning for code in (521, 522, 533, 534)] == [*["tls"] * 3, "denied"]
    assert [row_of(TABLE, code, "odd", []).meaning for code in (532, 452, 552, 426)] == [
        "login",
        *["quota"] * 2,
        "busy",
    ]
    assert [row_of(TABLE, code, "odd", []).meaning for code in (500, 504, 551, 331)] == ["other"] * 4
