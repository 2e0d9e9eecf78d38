"""The commands that a URL stands for, in the order of RFC 1738 3.2.2, as the fake server sees them."""

from __future__ import annotations

import pytest

from anyurl.client.dry_run import dry_run
from anyurl.dialogue import Options, Verb
from anyurl.schemes.ftp.verbs import SCHEMES
from anyurl.schemes.registry import find_scheme
from anyurl.url import URL
from tests.rows import each_row
from tests.schemes.ftp.ftp_script import VSFTPD, Rehearsed

ANONYMOUS = ["USER anonymous", "PASS anonymous@"]


def commands(text: str, verb: Verb = "get", **options: object) -> list[str]:
    """The command lines of a rehearsal, those of the login left out when it is the anonymous one."""
    url = URL(text)
    script = {key: options.pop(key) for key in ("secret", "features", "holds") if key in options}
    script.setdefault("holds", "file" if url.parts.name else "directory")
    rehearsed = Rehearsed(
        find_scheme(url.scheme).verbs[verb](url, Options(**options)),  # type: ignore[arg-type]
        **script,  # type: ignore[arg-type]
    )
    assert rehearsed.error is None
    lines = rehearsed.commands
    return lines[2:] if lines[:2] == ANONYMOUS else lines


def retrieving(name: str, type_: str = "I") -> list[str]:
    """The commands that stand around RETR: beside those of the RFC, what tells size and time, and the data port."""
    size = [f"SIZE {name}"] if type_ == "I" else []
    return [f"TYPE {type_}", *size, f"MDTM {name}", "EPSV", f"RETR {name}"]


GET: list[tuple[str, str, list[str]]] = [
    ("a directory and a name", "ftp://h/etc/motd", ["CWD etc", *retrieving("motd")]),
    ("an encoded slash is of the name", "ftp://h/%2Fetc/motd", ["CWD /etc", *retrieving("motd")]),
    ("an empty segment is a CWD with an empty argument", "ftp://h//etc/motd", ["CWD ", "CWD etc", *retrieving("motd")]),
    ("typecode a", "ftp://h/a%2Fb/c;type=a", ["CWD a/b", *retrieving("c", "A")]),
    ("typecode i, against the suffix", "ftp://h/c.txt;type=i", retrieving("c.txt")),
    ("typecode d", "ftp://h/pub/x;type=d", ["CWD pub", "EPSV", "NLST x"]),
    ("typecode d without a name", "ftp://h/pub/;type=d", ["CWD pub", "EPSV", "NLST"]),
    ("no typecode, a text by its suffix: the system is asked", "ftp://h/x.txt", ["SYST", *retrieving("x.txt")]),
    ("no typecode, nothing known of the suffix (3.2.3)", "ftp://h/x.bin", retrieving("x.bin")),
    ("nothing: a listing", "ftp://h", ["FEAT", "EPSV", "MLSD"]),
    ("an empty path: a listing", "ftp://h/", ["FEAT", "EPSV", "MLSD"]),
    ("a directory: a listing, never a RETR of nothing", "ftp://h/a/", ["CWD a", "FEAT", "EPSV", "MLSD"]),
    ("an empty directory", "ftp://h//", ["CWD ", "FEAT", "EPSV", "MLSD"]),
    ("a directory with a typecode of files", "ftp://h/a/;type=i", ["CWD a", "FEAT", "EPSV", "MLSD"]),
    ("dot segments are CWD arguments", "ftp://h/a/../b/./x", ["CWD a", "CWD ..", "CWD b", "CWD .", *retrieving("x")]),
    ("a name of dots", "ftp://h/a/..", ["CWD a", *retrieving("..")]),
    ("a semicolon in a name", "ftp://h/a%3Btype=a", retrieving("a;type=a")),
    ("a question mark in a name", "ftp://h/a?b/c?d", ["CWD a?b", *retrieving("c?d")]),
    ("spaces", "ftp://h/a%20b/%20c%20", ["CWD a b", *retrieving(" c ")]),
    ("the fragment stays here", "ftp://h/a#b", retrieving("a")),
    ("0xFF is doubled", "ftp://h/%FF", retrieving("\\xff\\xff")),
    ("octets that are not UTF-8 go out as they are", "ftp://h/%E9/x", ["CWD \\xe9", *retrieving("x")]),
    ("UTF-8 is asked for where names need it", "ftp://h/%C3%BC/x",
     ["FEAT", "OPTS UTF8 ON", "CWD ü", *retrieving("x")]),
]  # fmt: skip


@pytest.mark.clause("3.2.2-6", "3.2.2-12", "3.2.2-13", "3.2.2-14")
@each_row(("url", "expected"), [row[1:] for row in GET], ids=[row[0] for row in GET])
def test_get_sends(url: str, expected: list[str]) -> None:
    assert commands(url) == expected


LOGINS: list[tuple[str, str, dict[str, object], list[str]]] = [
    ("no user: anonymous", "ftp://h/", {}, ["USER anonymous", "PASS anonymous@"]),
    ("no user: anonymous, with the identity", "ftp://h/", {"identity": "me@example.org"},
     ["USER anonymous", "PASS me@example.org"]),
    ("a user and a password", "ftp://u:p%40%2F@h/", {}, ["USER u", "PASS p@/"]),
    ("an empty user", "ftp://@h/", {}, ["USER ", "PASS "]),
    ("an empty user and an empty password", "ftp://:@h/", {}, ["USER ", "PASS "]),
    ("an empty user and a password", "ftp://:p@h/", {}, ["USER ", "PASS p"]),
    ("an empty password", "ftp://u:@h/", {}, ["USER u", "PASS "]),
    ("a user without a password is asked", "ftp://u@h/", {"secret": "s"}, ["USER u", "PASS s"]),
    ("a user named anonymous is a user", "ftp://anonymous:x@h/", {}, ["USER anonymous", "PASS x"]),
    ("encoded octets of a user", "ftp://u%20%3A@h/", {"secret": "s"}, ["USER u :", "PASS s"]),
]  # fmt: skip


@pytest.mark.clause("3.2.1-1", "3.2.1-3")
@each_row(("url", "options", "expected"), [row[1:] for row in LOGINS], ids=[row[0] for row in LOGINS])
def test_login_sends(url: str, options: dict[str, object], expected: list[str]) -> None:
    """RFC 1738 3.2.1: no user is the anonymous one; an empty user and an empty password are sent as they are."""
    options = dict(options)
    secret = options.pop("secret", None)
    rehearsed = Rehearsed(SCHEMES[0].verbs["get"](URL(url), Options(**options)), secret=secret, holds="directory")  # type: ignore[arg-type]
    assert rehearsed.error is None
    assert rehearsed.commands[:2] == expected


OTHERS: list[tuple[str, Verb, str, list[str]]] = [
    ("list a directory by its URL", "list", "ftp://h/pub/", ["CWD pub", "FEAT", "EPSV", "MLSD"]),
    ("list a name", "list", "ftp://h/pub/x", ["CWD pub", "FEAT", "EPSV", "MLSD x"]),
    ("list names", "list", "ftp://h/pub/x;type=d", ["CWD pub", "EPSV", "NLST x"]),
    ("stat a name", "stat", "ftp://h/pub/x", ["CWD pub", "FEAT", "MLST x"]),
    ("stat a directory", "stat", "ftp://h/pub/", ["CWD pub", "FEAT", "MLST"]),
    ("put", "put", "ftp://h/pub/x", ["CWD pub", "TYPE I", "EPSV", "STOR x"]),
    ("put in the mode of a get", "put", "ftp://h/x.txt", ["SYST", "TYPE I", "EPSV", "STOR x.txt"]),
    ("put in type a", "put", "ftp://h/x;type=a", ["TYPE A", "EPSV", "STOR x"]),
    ("append", "append", "ftp://h/pub/x", ["CWD pub", "TYPE I", "EPSV", "APPE x"]),
]


@each_row(("verb", "url", "expected"), [row[1:] for row in OTHERS], ids=[row[0] for row in OTHERS])
def test_other_verbs_send(verb: Verb, url: str, expected: list[str]) -> None:
    assert commands(url, verb) == expected


VSFTPD_ROWS: list[tuple[str, Verb, str, list[str]]] = [
    ("a directory by LIST", "get", "ftp://h/pub/", ["CWD pub", "FEAT", "EPSV", "LIST"]),
    ("a name that is a directory", "list", "ftp://h/pub/x", ["CWD pub", "FEAT", "CWD x", "EPSV", "LIST"]),
    ("stat by SIZE and MDTM", "stat", "ftp://h/pub/x", ["CWD pub", "FEAT", "TYPE I", "SIZE x", "MDTM x", "CWD x"]),
    ("stat of a directory", "stat", "ftp://h/pub/", ["CWD pub", "FEAT"]),
]


@pytest.mark.parametrize(
    ("verb", "url", "expected"), [row[1:] for row in VSFTPD_ROWS], ids=[row[0] for row in VSFTPD_ROWS]
)
def test_a_server_without_mlsd_gets(verb: Verb, url: str, expected: list[str]) -> None:
    assert commands(url, verb, features=VSFTPD) == expected


def test_a_lenient_client_leaves_out_empty_directories() -> None:
    assert commands("ftp://h//a//x", lenient=True) == ["CWD a", *retrieving("x")]


TLS = [
    ("990 begins with TLS", "ftps://u:p@h/x", ["connect h:990 tls", "> USER u", "> PASS p", "> PBSZ 0", "> PROT P"]),
    ("990 written out is the same", "ftps://u:p@h:990/x", ["connect h:990 tls", "> USER u"]),
    ("any other port: AUTH TLS before anything else", "ftps://u:p@h:21/x",
     ["connect h:21", "> AUTH TLS", "tls 1 h", "> USER u", "> PASS p", "> PBSZ 0", "> PROT P"]),
]  # fmt: skip


@pytest.mark.parametrize(("url", "log"), [row[1:] for row in TLS], ids=[row[0] for row in TLS])
def test_tls_begins(url: str, log: list[str]) -> None:
    rehearsed = Rehearsed(find_scheme("ftps").verbs["get"](URL(url), Options()))
    assert rehearsed.error is None
    assert rehearsed.log[: len(log)] == log


def test_a_data_connection_resumes_the_tls_session_after_the_first_reply() -> None:
    rehearsed = Rehearsed(find_scheme("ftps").verbs["get"](URL("ftps://u:p@h/x"), Options()))
    start = rehearsed.log.index("> EPSV")
    assert rehearsed.log[start:] == [
        "> EPSV", "data 49152", "> RETR x", "tls 2 h resume 1", "describe document", "close 2", "keep",
    ]  # fmt: skip


def test_a_plain_connection_has_no_tls() -> None:
    rehearsed = Rehearsed(find_scheme("ftp").verbs["get"](URL("ftp://u:p@h/x"), Options()))
    assert [line for line in rehearsed.log if line.startswith("tls")] == []


def test_explain_shows_the_commands() -> None:
    assert list(dry_run("ftp://u:secret@h/a/x.txt")) == [
        "connect to h port 21",
        "> USER u",
        "> PASS ***",
        "> CWD a",
        "> SYST",
        "> TYPE I",
        "> SIZE x.txt",
        "> MDTM x.txt",
        "> EPSV",
        "connect to the same address at the port that the server names",
        "> RETR x.txt",
        "deliver everything received, to its end",
    ]


def test_a_get_takes_no_more_round_trips_than_curl() -> None:
    """curl: USER, PASS, PWD, CWD, EPSV, TYPE, SIZE, RETR. It tells no modification time."""
    assert len(commands("ftp://h/pub/x")) + len(ANONYMOUS) == 8


@pytest.mark.parametrize(
    ("greeting", "name"),
    [
        ("220 (vsFTPd 3.0.5)", "\\xff"),
        ("220---------- Welcome to Pure-FTPd [privsep] [TLS] ----------\r\n220 ok", "\\xff"),
        ("220 pyftpdlib 2.2.0 ready.", "\\xff"),
        ("220 ProFTPD Server (Debian) [127.0.0.1]", "\\xff\\xff"),
        ("220 h FTP server (GNU inetutils 2.4) ready.", "\\xff\\xff"),
        ("220 ready", "\\xff\\xff"),
    ],
)
def test_0xff_is_doubled_unless_the_server_is_known_to_take_it_for_two(greeting: str, name: str) -> None:
    verb = find_scheme("ftp").verbs["get"](URL("ftp://h/%FFd/%FFx.bin"), Options())
    said = Rehearsed(verb, greeting=greeting.encode() + b"\r\n").commands
    assert [line for line in said if line.startswith(("CWD", "RETR"))] == [f"CWD {name}d", f"RETR {name}x.bin"]
