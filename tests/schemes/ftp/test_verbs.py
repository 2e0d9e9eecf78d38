"""get, put and append: what comes of good and bad answers (FAULTS columns F: A, B, C), resumption, kept connections."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.dialogue import Options, Resume, Secret, Verb
from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    ConnectError,
    ConnectionLost,
    DeniedError,
    LimitError,
    NotFoundError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    SecretNeededError,
    TransferTimeout,
    Truncated,
    UnavailableError,
    URLSyntaxError,
)
from anyurl.schemes.ftp.session import FtpState
from anyurl.schemes.ftp.verbs import SCHEMES
from anyurl.schemes.ftp.wire.fake_server import FILE
from anyurl.schemes.registry import find_scheme
from anyurl.testing import SchemeContract
from anyurl.url import URL
from tests.rows import each_row
from tests.schemes.ftp.ftp_script import CUT, END, NOW, RESET, SILENCE, Answer, Rehearsed

MODIFIED = 786_240_000.0


class TestFtp(SchemeContract):
    scheme = SCHEMES[0]
    urls = ("ftp://h/etc/motd", "ftp://u:pw@h/a/", "ftp://u@h//x.txt", "ftp://h/pub/x;type=d", "ftp://h")


class TestFtps(SchemeContract):
    scheme = SCHEMES[1]
    urls = ("ftps://u:pw@h/etc/motd", "ftps://h:21/a/%C3%BC", "ftps://h:21/")


def run(text: str, verb: Verb = "get", answers: dict[str, Answer] | None = None, **how: Any) -> Rehearsed:
    names = ("resume", "identity", "upload_size", "upload_mtime", "resumes_upload")
    options = Options(**{name: how.pop(name) for name in names if name in how})
    url = URL(text)
    return Rehearsed(find_scheme(url.scheme).verbs[verb](url, options), answers, **how)


# --- get -------------------------------------------------------------------------------------------------------------


def test_get_hands_over_the_octets_and_what_is_known_of_them() -> None:
    done = run("ftp://h/pub/x.bin")
    assert done.error is None
    assert done.content == FILE
    assert done.described is not None
    assert (done.described.kind, done.described.size, done.described.modified) == ("document", len(FILE), MODIFIED)
    assert (done.described.name, done.described.start, done.described.attributes) == ("x.bin", 0, {"mode": "i"})
    assert done.notes == []


def test_get_in_type_a_converts_line_ends_and_tells_no_size() -> None:
    done = run("ftp://h/x.txt;type=a", data=[[b"a\r", b"\nb\rc\n", b"\r\n\r"]])
    assert done.content == b"a\nb\rc\n\n\r"
    assert done.described is not None
    assert (done.described.size, done.described.type, done.described.attributes) == (None, "text/plain", {"mode": "a"})


@pytest.mark.parametrize("chop", [1, 2, 7])
def test_replies_may_be_cut_anywhere(chop: int) -> None:
    done = run("ftp://h/pub/x", chop=chop)
    assert done.error is None
    assert done.content == FILE


GOOD: list[tuple[str, dict[str, Answer], bytes]] = [
    ("SIZE and MDTM unknown to the server", {"SIZE": b"500 ?\r\n", "MDTM": b"502 no\r\n"}, FILE),
    ("the size in the 150 reply", {"SIZE": b"500 ?\r\n", "RETR": b"150 Opening (29 bytes)\r\n226 done\r\n"}, FILE),
    ("the last word before the data's end", {"RETR": b"150 here\r\n226 done\r\n"}, FILE),
    ("125 in place of 150", {"RETR": b"125 open already\r\n250 done\r\n"}, FILE),
    ("no preliminary reply at all", {"RETR": b"226 done\r\n"}, FILE),
    ("EPSV unknown: PASV", {"EPSV": b"500 ?\r\n"}, FILE),
    ("EPSV refused for now: PASV", {"EPSV": b"425 no\r\n"}, FILE),
    ("PASV naming another host (G7)", {"EPSV": b"500 ?\r\n", "PASV": b"227 (10,9,8,7,195,80)\r\n"}, FILE),
    ("no password wanted", {"USER": b"230 in\r\n"}, FILE),
    ("a password superfluous", {"PASS": b"202 superfluous\r\n"}, FILE),
    ("a size that no file has is ignored (C6)", {"SIZE": b"213 -1\r\n"}, FILE),
    ("CWD answered 200", {"CWD": b"200 ok\r\n"}, FILE),
    ("replies of many lines", {"CWD": b"250-Welcome\r\n 250 here\r\n250 ok\r\n"}, FILE),
]


@each_row(("answers", "content"), [row[1:] for row in GOOD], ids=[row[0] for row in GOOD])
def test_servers_differ(answers: dict[str, Answer], content: bytes) -> None:
    done = run("ftp://h/pub/x", answers=answers)
    assert (done.error, done.content) == (None, content)
    assert done.notes == []
    assert len(done.keeps) == 1


def test_a_greeting_may_ask_to_wait() -> None:
    assert run("ftp://h/x", greeting=b"120 in 3 minutes\r\n120 in 2\r\n220-now\r\n220 ready\r\n").error is None


@pytest.mark.promise("data-connections")
def test_the_port_of_pasv_is_taken_and_its_host_is_not() -> None:
    done = run("ftp://h/x", answers={"EPSV": b"500 ?\r\n", "PASV": b"227 (10,9,8,7,195,80)\r\n"})
    assert [line for line in done.log if line.startswith(("connect", "data"))] == ["connect h:21", "data 50000"]


def test_a_server_that_lacks_epsv_is_not_asked_twice() -> None:
    done = run("ftp://h/x", answers={"EPSV": b"500 ?\r\n", "RETR": [b"550 no\r\n"], "CWD": b"550 no\r\n"})
    assert done.commands.count("EPSV") == 1
    assert run("ftp://h/x", kept=FtpState(passive="PASV")).commands.count("EPSV") == 0


def test_a_data_port_that_the_policy_refuses_is_asked_for_again() -> None:
    done = run("ftp://h/x", refuse=2)
    assert (done.error, done.content, done.commands.count("EPSV")) == (None, FILE, 3)
    done = run("ftp://h/x", refuse=3)
    assert (type(done.error), done.commands.count("EPSV"), "RETR x" in done.commands) == (RefusedError, 3, False)


FAULTS: list[tuple[str, str, dict[str, Any], type[AnyURLError], str]] = [
    (
        "A3: says nothing",
        "ftp://h/x",
        {"greeting": SILENCE},
        TransferTimeout,
        "h:21 sent nothing for 30 s. Does it speak FTP",
    ),
    ("A4: reset after accept", "ftp://h/x", {"greeting": RESET}, ConnectionLost, "broke"),
    ("A6: closes before any byte", "ftp://h/x", {"greeting": END}, ConnectionLost, "closed the control connection"),
    ("A12: another protocol", "ftp://h/x", {"greeting": b"SSH-2.0-x\r\n"}, RemoteProtocolError, "SSH-2.0-x"),
    ("B1: greeting without end", "ftp://h/x", {"greeting": b"220-x\r\n" * 1001}, LimitError, "1,000 lines"),
    ("B2: line without end", "ftp://h/x", {"greeting": b"220 " + b"x" * 9000}, LimitError, "8,192 octets"),
    ("B3: 120 without end", "ftp://h/x", {"greeting": b"120 wait\r\n" * 9}, LimitError, "preliminary"),
    ("B3: 150 without end", "ftp://h/x", {"answers": {"RETR": b"150 wait\r\n" * 9}}, LimitError, "preliminary"),
    ("B4: NUL", "ftp://h/x", {"greeting": b"220 a\0b\r\n"}, RemoteProtocolError, "NUL"),
    ("B7: bare CR", "ftp://h/x", {"greeting": b"220 a\rb\r\n"}, RemoteProtocolError, "CR without LF"),
    ("B8: binary", "ftp://h/x", {"greeting": b"\x80\x81\n"}, RemoteProtocolError, "\\x80\\x81"),
    ("B9: code 777", "ftp://h/x", {"answers": {"USER": b"777 x\r\n"}}, RemoteProtocolError, "777 x"),
    (
        "B10: a reply too many",
        "ftp://h/x",
        {"answers": {"TYPE": b"200 ok\r\n226 stale\r\n"}},
        RemoteProtocolError,
        "unexpected reply: “226 stale",
    ),
    (
        "B10: the beginning of one",
        "ftp://h/x",
        {"answers": {"TYPE": b"200 ok\r\n22"}},
        RemoteProtocolError,
        "the beginning",
    ),
    ("B11: 421 as a greeting", "ftp://h/x", {"greeting": b"421 full\r\n"}, UnavailableError, "421 full"),
    ("B11: 421 later", "ftp://h/x", {"answers": {"SIZE": b"421 bye\r\n"}}, ConnectionLost, "421 bye"),
    ("B11: 421 unasked", "ftp://h/x", {"answers": {"TYPE": b"200 ok\r\n421 bye\r\n"}}, ConnectionLost, "421 bye"),
    ("B11: closes later", "ftp://h/x", {"answers": {"MDTM": END}}, ConnectionLost, "without a reply"),
    ("broken later", "ftp://h/x", {"answers": {"MDTM": CUT}}, ConnectionLost, "broke"),
    (
        "B12: 530 to USER",
        "ftp://h/x",
        {"answers": {"USER": b"530 no anonymous\r\n"}},
        AuthRequiredError,
        "anonymous login",
    ),
    ("B12: 530 to PASS", "ftp://u:p@h/x", {"answers": {"PASS": b"530 wrong\r\n"}}, AuthRequiredError, "login of 'u'"),
    ("an account is wanted", "ftp://u:p@h/x", {"answers": {"PASS": b"332 account\r\n"}}, AuthRequiredError, "ACCT"),
    (
        "an account is wanted at once",
        "ftp://u@h/x",
        {"answers": {"USER": b"332 account\r\n"}},
        AuthRequiredError,
        "ACCT",
    ),
    ("another no to the login", "ftp://u:p@h/x", {"answers": {"USER": b"504 no\r\n"}}, DeniedError, "504 no"),
    (
        "nonsense to the login",
        "ftp://u:p@h/x",
        {"answers": {"USER": b"150 no\r\n"}},
        RemoteProtocolError,
        "makes no sense",
    ),
    ("554 as a greeting", "ftp://h/x", {"greeting": b"554 not you\r\n"}, DeniedError, "554 not you"),
    ("a login is wanted later", "ftp://h/d/x", {"answers": {"CWD": b"530 log in\r\n"}}, AuthRequiredError, "'d'"),
    ("no such directory", "ftp://h/d/x", {"answers": {"CWD": b"550 no such\r\n"}}, NotFoundError, "'d'"),
    ("no access to it", "ftp://h/d/x", {"answers": {"CWD": b"550 Permission denied\r\n"}}, DeniedError, "'d'"),
    ("type refused", "ftp://h/x", {"answers": {"TYPE": b"504 no\r\n"}}, ReplyError, "type I"),
    (
        "no such file",
        "ftp://h/x",
        {"answers": {"RETR": b"550 no such\r\n", "CWD": b"550 no\r\n"}},
        NotFoundError,
        "'x'",
    ),
    (
        "no access",
        "ftp://h/x",
        {"answers": {"RETR": b"550 Access denied\r\n", "CWD": b"550 no\r\n"}},
        DeniedError,
        "'x'",
    ),
    ("busy", "ftp://h/x", {"answers": {"RETR": b"450 busy\r\n"}}, UnavailableError, "450 busy"),
    (
        "a question in answer to RETR",
        "ftp://h/x",
        {"answers": {"RETR": b"350 more\r\n"}},
        RemoteProtocolError,
        "no sense",
    ),
    (
        "G8: 229 with a host",
        "ftp://h/x",
        {"answers": {"EPSV": b"229 (|1|10.0.0.1|5000|)\r\n"}},
        RemoteProtocolError,
        "229",
    ),
    ("G8: 229 with port 0", "ftp://h/x", {"answers": {"EPSV": b"229 (|||0|)\r\n"}}, RemoteProtocolError, "1 to 65535"),
    (
        "G8: 227 malformed",
        "ftp://h/x",
        {"answers": {"EPSV": b"500 ?\r\n", "PASV": b"227 ok\r\n"}},
        RemoteProtocolError,
        "h1,h2",
    ),
    (
        "neither EPSV nor PASV",
        "ftp://h/x",
        {"answers": {"EPSV": b"500 ?\r\n", "PASV": b"502 no\r\n"}},
        ReplyError,
        "opens no data connection",
    ),
    (
        "EPSV and PASV answered 200",
        "ftp://h/x",
        {"answers": {"EPSV": b"200 ok\r\n", "PASV": b"200 ok\r\n"}},
        RemoteProtocolError,
        "data connection",
    ),
    ("G11: a typecode that is none", "ftp://h/x;type=z", {}, URLSyntaxError, "RFC 1738 3.2.2"),
]


@each_row(("url", "how", "error", "words"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
@each_row("chop", [None, 1])
def test_a_fault_ends_with_an_error_of_the_tree(
    url: str, how: dict[str, Any], error: type[AnyURLError], words: str, chop: int | None
) -> None:
    if "unexpected" in words or "beginning" in words:
        chop = None  # only what has arrived can be seen before the next command
    done = run(url, chop=chop, **how)
    assert type(done.error) is error
    assert words in str(done.error)
    assert str(done.error).isprintable()
    assert done.keeps == []


def test_the_empty_cwd_that_a_server_refuses_names_the_way_out() -> None:
    done = run("ftp://h//etc/x", answers={"CWD ": b"550 no\r\n"})
    assert type(done.error) is NotFoundError
    assert "RFC 1738 3.2.2" in str(done.error)
    assert "lenient=True" in str(done.error)
    assert done.commands[-2:] == ["CWD ", "QUIT"]


def test_a_directory_without_its_slash_is_told_from_nothing() -> None:
    done = run("ftp://h/pub", answers={"RETR": b"550 Failed to open file.\r\n"})
    assert isinstance(done.error, ReplyError)
    assert (type(done.error), done.error.meaning) == (ReplyError, "directory")
    assert str(done.error) == (
        "'pub' is a directory of h, not a file: `anyurl ls`, or a URL with '/' at its end, lists it "
        "(“550 Failed to open file.”)."
    )


@each_row("url", ["ftp://h/a%0D%0ADELE%20b", "ftp://u%0A@h/", "ftp://u:%00@h/", "ftp://h/%0A/"])
@each_row("verb", ["get", "list", "stat", "put", "append"])
def test_g10_forbidden_octets_are_refused_before_anything_is_asked(url: str, verb: Verb) -> None:
    done = run(url, verb)
    assert type(done.error) is RefusedError
    assert done.log == []


@pytest.mark.parametrize("identity", ["a\r\nDELE b", "a\n", "\0"])
def test_an_identity_that_would_end_the_command_is_refused(identity: str) -> None:
    done = run("ftp://h/x", identity=identity)
    assert (type(done.error), done.log) == (RefusedError, [])


# --- passwords -------------------------------------------------------------------------------------------------------


def test_a_password_is_asked_for_only_when_the_server_wants_one() -> None:
    assert "ask h u ftp password" in run("ftp://u@h/x", secret="s").log
    assert "ask h u ftp password" not in run("ftp://u@h/x", answers={"USER": b"230 in\r\n"}, secret="s").log
    for url in ("ftp://h/x", "ftp://@h/x", "ftp://u:@h/x", "ftp://u:p@h/x"):
        assert [line for line in run(url, secret="s").log if line.startswith("ask")] == []


def test_without_anybody_to_ask_the_error_is_clear() -> None:
    done = run("ftp://u@h/x")
    assert type(done.error) is SecretNeededError
    assert str(done.error) == "h asks for the password of 'u', and neither netrc nor a terminal can give it."
    assert done.commands == ["USER u"]


def test_a_password_that_would_end_the_command_is_refused() -> None:
    done = run("ftp://u@h/x", secret="a\r\nDELE b")
    assert (type(done.error), done.commands) == (RefusedError, ["USER u"])


def test_a_password_echoed_by_the_server_is_not_shown() -> None:
    done = run("ftp://u:hunter2@h/x", answers={"PASS": b"530 hunter2 is wrong\r\n"})
    assert "hunter2" not in str(done.error)
    assert "530 *** is wrong" in str(done.error)


@pytest.mark.parametrize(
    "answers",
    [
        {"EPSV": b"500 no\r\n", "PASV": b"227 hunter2\r\n"},  # a reply without what it has to hold
        {"TYPE": b"hunter2\r\n"},  # no reply at all
        {"TYPE": b"200 hunter2" + b"x" * 9000},  # more than a line may have
        {"TYPE": b"200 ok\r\n200 hunter2\r\n"},  # unasked
    ],
)
def test_a_password_said_again_later_is_not_shown(answers: dict[str, bytes]) -> None:
    done = run("ftp://u:hunter2@h/x", answers=answers)
    assert isinstance(done.error, RemoteProtocolError | LimitError)
    assert "hunter2" not in str(done.error)


def test_a_server_that_says_no_is_told_good_bye() -> None:
    """RFC 959 4.1.1: a connection that is not kept ends with QUIT; one that broke, or talks nonsense, just ends."""
    refused = run("ftp://h/x", answers={"RETR": b"550 no such\r\n", "CWD": b"550 no\r\n"})
    assert (type(refused.error), refused.commands[-1], refused.keeps) == (NotFoundError, "QUIT", [])
    assert run("ftp://h/x", answers={"RETR": b"777 x\r\n"}).commands[-1] == "RETR x"
    assert run("ftp://h/x", answers={"RETR": b"421 bye\r\n"}).commands[-1] == "RETR x"
    assert run("ftp://h/x").commands[-1] == "RETR x"  # kept


def test_a_login_whose_password_was_asked_for_is_not_kept_but_ended_politely() -> None:
    done = run("ftp://u@h/x", secret="s")
    assert (done.error, done.keeps, done.commands[-1]) == (None, [], "QUIT")
    assert run("ftp://u@h/x", answers={"QUIT": RESET}, secret="s").error is None


# --- the end of a transfer -------------------------------------------------------------------------------------------

SIZE_29 = b"213 29\r\n"
ENDS: list[tuple[str, dict[str, Any], type[AnyURLError] | None, str]] = [
    (
        "C1: fewer octets than SIZE said",
        {"answers": {"SIZE": b"213 30\r\n"}},
        Truncated,
        "announced 30 octets, but sent only 29",
    ),
    (
        "C1: fewer than the 150 reply said",
        {"answers": {"SIZE": b"500 ?\r\n", "RETR": b"150 (30 bytes)\r\n226 ok\r\n"}},
        Truncated,
        "announced 30 octets, but sent only 29",
    ),
    (
        "C2: more octets than announced, and no last word",
        {"answers": {"SIZE": b"213 28\r\n", "RETR": b"150 x\r\n"}},
        Truncated,
        "did not say",
    ),
    ("C4: 426 after the data", {"answers": {"RETR": b"150 x\r\n426 aborted\r\n"}}, Truncated, "426 aborted"),
    ("C4: 451 after the data", {"answers": {"RETR": b"150 x\r\n451 disk\r\n"}}, Truncated, "451 disk"),
    ("C4: 550 after the data", {"answers": {"RETR": b"150 x\r\n550 gone\r\n"}}, Truncated, "550 gone"),
    ("C5: no last word, no size", {"answers": {"SIZE": b"500 ?\r\n", "RETR": b"150 x\r\n"}}, Truncated, "did not say"),
    ("C5: no last word, the size fits", {"answers": {"RETR": b"150 x\r\n"}}, None, ""),
    ("C5: closed, the size fits", {"answers": {"RETR": [[b"150 x\r\n", END]]}}, None, ""),
    ("C5: reset, the size fits", {"answers": {"RETR": [[b"150 x\r\n", RESET]]}}, None, ""),
    ("C5: 421, the size fits", {"answers": {"RETR": [[b"150 x\r\n", b"421 x\r\n"]]}}, None, ""),
    (
        "C5: closed, the size does not fit",
        {"answers": {"SIZE": b"213 30\r\n", "RETR": [[b"150 x\r\n", END]]}},
        Truncated,
        "did not say",
    ),
    ("A5: reset in the data", {"data": [[b"part", RESET]]}, Truncated, ""),
    (
        "A5: cut in the data, the server none the wiser",
        {"data": [[b"part ", CUT]]},
        Truncated,
        "announced 29 octets, but sent only 5",
    ),
    (
        "A5: cut in the data, no size",
        {"data": [[b"part ", CUT]], "answers": {"SIZE": b"500 ?\r\n"}},
        Truncated,
        "broke",
    ),
]


@each_row(("how", "error", "words"), [row[1:] for row in ENDS], ids=[row[0] for row in ENDS])
def test_an_end_that_is_none_is_never_a_success(
    how: dict[str, Any], error: type[AnyURLError] | None, words: str
) -> None:
    done = run("ftp://h/x", **how)
    if error is None:
        assert (done.error, done.content) == (None, FILE)
        assert done.notes == [
            "unverified: the server did not confirm the end; the 29 octets that it announced were received"
        ]
    else:
        assert type(done.error) is error
        assert words in str(done.error)
    assert done.keeps == []


def test_truncated_says_how_much_came() -> None:
    error = run("ftp://h/x", answers={"SIZE": b"213 30\r\n"}).error
    assert isinstance(error, Truncated)
    assert (error.received, error.expected) == (29, 30)


def test_the_total_clock_is_not_mistaken_for_a_missing_word() -> None:
    late = TransferTimeout("too long", clock="total")
    done = run("ftp://h/x", answers={"RETR": [[b"150 x\r\n", late]]})
    assert done.error is late


@pytest.mark.parametrize("announced", [b"213 10\r\n", b"213 0\r\n"])
def test_a_file_that_grows_while_it_is_read_is_fetched(announced: bytes) -> None:
    done = run("ftp://h/x", answers={"SIZE": announced}, data=[[b"x" * 20]])
    assert (done.error, done.content) == (None, b"x" * 20)
    more = f"{20 - int(announced[4:])} octets more than announced were received"
    assert done.notes == [f"{more}: the file grew while it was read, or its size was not known to the server"]
    assert len(done.keeps) == 1


def test_a_server_that_takes_rest_and_sends_the_whole_is_no_success() -> None:
    resume = Resume(20, None, 786_240_000.0, 29)
    done = run("ftp://h/x", resume=resume, answers={"MDTM": b"213 19941201000000\r\n"})
    assert type(done.error) is RemoteProtocolError
    assert "it does not resume" in str(done.error)


def test_a8_a_reply_that_drips_for_a_minute_is_too_slow() -> None:
    drip = [[b"2"], [b"2"], [b"0"], [b" "]] * 50
    done = run("ftp://h/x", greeting=[piece[0] for piece in drip], clock=[NOW + 20 * tick for tick in range(50)])
    assert type(done.error) is TransferTimeout
    assert "more than 60 s." in str(done.error)


# --- resumption ------------------------------------------------------------------------------------------------------


def resume(start: int = 10, size: int | None = 29, modified: float | None = MODIFIED, *, anew: bool = False) -> Resume:
    return Resume(start, size=size, modified=modified, anew=anew)


def test_a_transfer_goes_on_when_size_and_time_are_the_same() -> None:
    done = run("ftp://h/x", resume=resume(), data=FILE[10:])
    assert (done.error, done.content, done.notes) == (None, FILE[10:], [])
    assert done.commands[-3:] == ["EPSV", "REST 10", "RETR x"]
    assert done.described is not None
    assert (done.described.start, done.described.size) == (10, 29)


def test_a_transfer_that_was_complete_goes_on_with_nothing() -> None:
    done = run("ftp://h/x", resume=resume(29), data=b"")
    assert (done.error, done.content, done.notes) == (None, b"", [])


ANEW: list[tuple[str, str, Resume, dict[str, Answer], str]] = [
    ("another size", "ftp://h/x", resume(size=30), {}, "the file has changed"),
    ("another time", "ftp://h/x", resume(modified=MODIFIED + 1), {}, "the file has changed"),
    ("more here than there", "ftp://h/x", resume(30), {}, "the file has changed"),
    ("all of another size", "ftp://h/x", resume(30, 30), {}, "the file has changed"),
    ("all of another time", "ftp://h/x", resume(29, modified=MODIFIED + 1), {}, "the file has changed"),
    ("the size then is not known", "ftp://h/x", resume(size=None), {}, "unknown whether"),
    ("the time then is not known", "ftp://h/x", resume(modified=None), {}, "unknown whether"),
    ("no SIZE", "ftp://h/x", resume(), {"SIZE": b"500 ?\r\n", "MLST": b"500 ?\r\n"}, "unknown whether"),
    ("no MDTM", "ftp://h/x", resume(), {"MDTM": b"500 ?\r\n", "MLST": b"500 ?\r\n"}, "unknown whether"),
    ("text", "ftp://h/x;type=a", resume(), {}, "converted"),
    ("REST refused", "ftp://h/x", resume(), {"REST": b"502 no\r\n"}, "octet 10 (“502 no”)"),
    ("RETR refused after REST", "ftp://h/x", resume(), {"RETR": [b"554 no\r\n", b"150 x\r\n226 ok\r\n"]}, "(“554 no”)"),
]


@each_row(("url", "given", "answers", "why"), [row[1:] for row in ANEW], ids=[row[0] for row in ANEW])
def test_else_it_starts_anew_and_says_so(url: str, given: Resume, answers: dict[str, Answer], why: str) -> None:
    done = run(url, resume=given, answers=answers)
    assert (done.error, done.content) == (None, FILE)
    assert done.described is not None
    assert done.described.start == 0
    (remark,) = done.notes
    assert "starts again from the beginning" in remark
    assert why in remark


def test_who_has_a_whole_file_and_wants_it_anew_is_told_nothing_of_a_beginning() -> None:
    for given in (resume(30, 30, anew=True), resume(29, modified=MODIFIED + 1, anew=True)):
        done = run("ftp://h/x", resume=given)
        assert (done.error, done.content, done.notes) == (None, FILE, [])
    done = run("ftp://h/x", resume=resume(29, anew=True), data=b"")
    assert (done.error, done.content, done.notes) == (None, b"", [])
    done = run("ftp://h/x", resume=resume(modified=MODIFIED + 1, anew=True))
    assert [note.partition(": ")[2] for note in done.notes] == ["the file has changed"]


def test_a_server_without_size_and_mdtm_proves_by_its_facts_that_a_file_is_the_same() -> None:
    answers = {"SIZE": b"502 no\r\n", "MDTM": b"502 no\r\n"}
    done = run("ftp://h/x", answers=answers, resume=resume(modified=MODIFIED), data=FILE[10:])
    assert (done.error, done.content, done.notes) == (None, FILE[10:], [])
    assert "MLST x" in done.commands


def test_a_resumed_transfer_that_ends_early_is_truncated() -> None:
    done = run("ftp://h/x", resume=resume(), data=FILE[10:-1])
    assert type(done.error) is Truncated


# --- TLS -------------------------------------------------------------------------------------------------------------

TLS_FAULTS: list[tuple[str, dict[str, Answer], type[AnyURLError], str]] = [
    ("AUTH TLS refused: never on without", {"AUTH": b"502 no\r\n"}, ConnectError, "AUTH TLS"),
    ("data protection refused", {"PROT": b"536 no\r\n"}, ConnectError, "data connections"),
    ("words before TLS began", {"AUTH": b"234 go\r\n230 you are in\r\n"}, RemoteProtocolError, "before TLS began"),
]


@pytest.mark.parametrize(
    ("answers", "error", "words"), [row[1:] for row in TLS_FAULTS], ids=[row[0] for row in TLS_FAULTS]
)
def test_tls_is_never_given_up(answers: dict[str, Answer], error: type[AnyURLError], words: str) -> None:
    done = run("ftps://u:p@h:21/x", answers=answers)
    assert type(done.error) is error
    assert words in str(done.error)
    assert [line for line in done.commands if line.startswith("RETR")] == []


def test_pbsz_is_a_formality() -> None:
    assert run("ftps://u:p@h/x", answers={"PBSZ": b"503 no\r\n"}).error is None


# --- kept connections (RFC 1738 3.2.5) -------------------------------------------------------------------------------


def kept_by(text: str, **how: Any) -> tuple[str, FtpState]:
    done = run(text, **how)
    assert done.error is None
    ((session, state),) = done.keeps
    return session, state


def test_what_is_kept_is_what_was_sent() -> None:
    _, state = kept_by("ftp://h/a/b/x;type=a")
    assert (state.directories, state.type, state.features, state.passive) == ((b"a", b"b"), "a", None, "EPSV")


REUSE: list[tuple[str, str, str, list[str]]] = [
    ("the same file", "ftp://h/a/x", "ftp://h/a/x", ["SIZE x", "MDTM x", "EPSV", "RETR x"]),
    ("the same directory", "ftp://h/a/x", "ftp://h/a/y", ["SIZE y", "MDTM y", "EPSV", "RETR y"]),
    ("another type", "ftp://h/a/x", "ftp://h/a/y;type=a", ["TYPE A", "MDTM y", "EPSV", "RETR y"]),
    ("a directory below", "ftp://h/a/x", "ftp://h/a/b/y", ["CWD b", "SIZE y", "MDTM y", "EPSV", "RETR y"]),
    ("from the top", "ftp://h/x", "ftp://h/b/y", ["CWD b", "SIZE y", "MDTM y", "EPSV", "RETR y"]),
    (
        "an empty segment is a directory like any other",
        "ftp://h//x",
        "ftp://h//b/y",
        ["CWD b", "SIZE y", "MDTM y", "EPSV", "RETR y"],
    ),
    # RFC 959 4.1.3: a listing is text, after a file of octets, too.
    ("a listing", "ftp://h/a/x", "ftp://h/a/", ["FEAT", "TYPE A", "EPSV", "MLSD", "EPSV", "NLST"]),
]


@pytest.mark.clause("3.2.5-1")
@pytest.mark.parametrize(("first", "second", "expected"), [row[1:] for row in REUSE], ids=[row[0] for row in REUSE])
def test_a_kept_connection_goes_on_where_it_is(first: str, second: str, expected: list[str]) -> None:
    session, state = kept_by(first)
    done = run(second, kept=state)
    assert (done.error, done.commands) == (None, expected)
    assert done.connects[0].session == session


FRESH: list[tuple[str, str, str]] = [
    ("a directory above", "ftp://h/a/b/x", "ftp://h/a/y"),
    ("another directory", "ftp://h/a/x", "ftp://h/b/y"),
    ("the top", "ftp://h/a/x", "ftp://h/y"),
    ("a directory that only begins so", "ftp://h/a/x", "ftp://h/ab/y"),
]


@pytest.mark.clause("3.2.5-2")
@pytest.mark.parametrize(("first", "second"), [row[1:] for row in FRESH], ids=[row[0] for row in FRESH])
def test_elsewhere_only_a_fresh_connection_leads(first: str, second: str) -> None:
    _, state = kept_by(first)
    done = run(second, kept=state)
    assert done.error is None
    assert done.log[:4] == ["connect h:21", "> QUIT", "close 1", "connect h:21 fresh"]
    assert done.commands[1:3] == ["USER anonymous", "PASS anonymous@"]


# --- commands that go out at once, where the server is known to take them --------------------------------------------

KNOWN = b"220 (vsFTPd 3.0.3)\r\n"


def test_the_first_transfer_asks_at_once_and_the_next_says_retr_too() -> None:
    first = run("ftp://h/a/b/x", greeting=KNOWN)
    assert (first.error, first.content) == (None, FILE)
    assert first.commands[2:] == ["CWD a", "CWD b", "TYPE I", "SIZE x", "MDTM x", "EPSV", "RETR x"]
    assert first.at_once == [1, 1, 2, 4, 1]
    ((_, state),) = first.keeps
    done = run("ftp://h/a/b/y", kept=state)
    assert (done.error, done.content) == (None, FILE)
    assert (done.commands, done.at_once) == (["SIZE y", "MDTM y", "EPSV", "RETR y"], [4])
    assert run("ftp://h/a/b/y;type=a", kept=state).commands == ["TYPE A", "MDTM y", "EPSV", "RETR y"]


def test_a_server_that_announces_each_size_is_not_asked_for_it() -> None:
    told: dict[str, Any] = {"RETR": b"150 Opening data connection for it (29 bytes).\r\n226 done\r\n"}
    first = run("ftp://h/a/x", greeting=KNOWN, answers=told)
    ((_, state),) = first.keeps
    assert state.announces
    done = run("ftp://h/a/y", kept=state, answers=told)
    assert (done.error, done.content, done.commands) == (None, FILE, ["MDTM y", "EPSV", "RETR y"])
    assert done.described is not None
    assert done.described.size == 29
    other: dict[str, Any] = {"RETR": b"150 Opening data connection for it (30 bytes).\r\n226 done\r\n"}
    assert "30" in str(run("ftp://h/a/y", kept=state, answers=other).error)  # what it says now is what counts
    resume = Resume(5, size=len(FILE), modified=MODIFIED)
    assert "SIZE y" in run("ftp://h/a/y", kept=state, answers=told, resume=resume).commands


@pytest.mark.parametrize(
    ("size", "announced"),
    [(b"213 29\r\n", b"150 ok\r\n"), (b"213 29\r\n", b"150 (28 bytes)\r\n"), (b"500 ?\r\n", b"150 ok\r\n")],
)
def test_one_that_announces_none_or_another_is_asked(size: bytes, announced: bytes) -> None:
    answers: dict[str, Any] = {"SIZE": size, "RETR": announced + b"226 done\r\n"}
    ((_, state),) = run("ftp://h/a/x", greeting=KNOWN, answers=answers).keeps
    assert not state.announces
    assert run("ftp://h/a/y", kept=state, answers=answers).commands[0] == "SIZE y"
    # One that has announced them until now, too.
    before = FtpState((b"a",), "i", passive="EPSV", pipelines=True, announces=True)
    done = run("ftp://h/a/y", kept=before, answers={**answers, "RETR": b"150 ok\r\n226 done\r\n"})
    assert (done.error, done.content, done.keeps[0][1].announces) == (None, FILE, False)


def test_what_goes_on_in_the_middle_is_not_asked_for_before_it_is_known_to_be_the_same() -> None:
    resume = Resume(5, size=len(FILE), modified=MODIFIED)
    done = run("ftp://h/x", resume=resume, kept=FtpState(type="i", passive="EPSV", pipelines=True))
    assert (done.commands, done.at_once) == (["SIZE x", "MDTM x", "EPSV", "REST 5", "RETR x"], [3, 1, 1])


@pytest.mark.parametrize("refusal", ["the policy", "the server"])
def test_a_retr_that_waits_for_a_connection_in_vain_is_left_with_its_connection(refusal: str) -> None:
    state = FtpState((b"a",), "i", passive="EPSV", pipelines=True)
    refused: dict[str, Any] = {"refuse": 1} if refusal == "the policy" else {"answers": {"EPSV": [b"425 none\r\n"]}}
    done = run("ftp://h/a/y", kept=state, **refused)
    assert (done.error, done.content) == (None, FILE)
    again = ["USER anonymous", "PASS anonymous@", "CWD a", "TYPE I"]
    port = "EPSV" if refusal == "the policy" else "PASV"
    assert done.commands == ["SIZE y", "MDTM y", "EPSV", "RETR y", *again, port, "RETR y"]


def test_a_directory_that_is_refused_counts_though_others_were_sent_behind_it() -> None:
    done = run("ftp://h/a/b/x", greeting=KNOWN, answers={"CWD a": b"550 no\r\n"})
    assert type(done.error) is NotFoundError
    assert "does not enter the directory 'a'" in str(done.error)
    assert done.commands[2:] == ["CWD a", "CWD b", "QUIT"]
    assert done.keeps == []


def test_who_moves_about_asks_once_for_the_way_back() -> None:
    _, state = kept_by("ftp://h/a/x", greeting=KNOWN)
    moved = run("ftp://h/b/x", greeting=KNOWN, kept=state)
    assert moved.log[:4] == ["connect h:21", "> QUIT", "close 1", "connect h:21 fresh"]
    assert moved.commands[3:5] == ["PWD", "CWD b"]
    ((_, state),) = moved.keeps
    back = run("ftp://h/a/x", kept=state)
    assert (back.error, len(back.connects)) == (None, 1)
    assert back.commands == ["CWD /", "CWD a", "SIZE x", "MDTM x", "EPSV", "RETR x"]
    ((_, state),) = back.keeps
    assert state.directories == (b"a",)
    lost = run("ftp://h/b/x", kept=state, answers={"CWD /": b"550 no\r\n"})
    assert lost.error is None
    assert lost.log[:5] == ["connect h:21", "> CWD /", "> QUIT", "close 1", "connect h:21 fresh"]


@pytest.mark.parametrize("pwd", [b"502 no\r\n", b"257 nothing\r\n", b'257 "C:\\pub"\r\n'])
def test_where_nothing_leads_back_one_connects_anew(pwd: bytes) -> None:
    _, state = kept_by("ftp://h/a/x", greeting=KNOWN)
    for path in ("b", "c"):
        moved = run(f"ftp://h/{path}/x", greeting=KNOWN, kept=state, answers={"PWD": pwd})
        assert moved.log[:4] == ["connect h:21", "> QUIT", "close 1", "connect h:21 fresh"]
        ((_, state),) = moved.keeps


def test_logins_have_sessions_of_their_own() -> None:
    sessions = {
        kept_by(url, **how)[0]
        for url, how in (
            ("ftp://h/x", {}),
            ("ftp://h/x", {"identity": "me@example.org"}),
            ("ftp://anonymous:anonymous%40@h/x", {}),
            ("ftp://u:p@h/x", {}),
            ("ftp://@h/x", {}),
            ("ftps://h/x", {}),
            ("ftps://h:21/x", {}),
        )
    }
    # ftps on two ports is told apart by the endpoint; all others by the session.
    assert len(sessions) == 6


def test_the_password_of_a_url_is_part_of_the_key_and_never_of_the_session() -> None:
    done = run("ftp://u:hunter2@h/x")
    assert done.connects[0].secret == Secret("hunter2")
    assert "hunter2" not in str(done.connects[0].session)
    assert run("ftp://u@h/x", secret="s").connects[0].secret is None
    assert run("ftp://h/x").connects[0].secret is None


@pytest.mark.parametrize("broken", [END, RESET, CUT, b"421 idle too long\r\n"], ids=["closed", "reset", "cut", "421"])
def test_a_kept_connection_that_breaks_before_its_first_reply_is_replaced_once(broken: Answer) -> None:
    done = run("ftp://h/a/b/y", answers={"CWD b": [broken, b"250 ok\r\n"]}, kept=FtpState((b"a",), "i", None, True))
    assert (done.error, done.content) == (None, FILE)
    assert done.log[:4] == ["connect h:21", "> CWD b", "close 1", "connect h:21 fresh"]
    assert done.commands == [
        "CWD b",
        "USER anonymous",
        "PASS anonymous@",
        "FEAT",
        "OPTS UTF8 ON",
        "CWD a",
        "TYPE I",
        "CWD b",
        "SIZE y",
        "MDTM y",
        "EPSV",
        "RETR y",
    ]


def test_it_is_not_replaced_twice() -> None:
    done = run("ftp://h/a/y", answers={"SIZE y": END}, kept=FtpState((b"a",), "i"))
    assert type(done.error) is ConnectionLost
    assert len(done.connects) == 2


def test_after_its_first_reply_it_is_not_replaced() -> None:
    done = run("ftp://h/a/y", answers={"MDTM y": END}, kept=FtpState((b"a",), "i"))
    assert type(done.error) is ConnectionLost
    assert len(done.connects) == 1


def test_a_directory_that_is_gone_when_a_connection_is_replaced_is_said() -> None:
    done = run("ftp://h/a/y", answers={"SIZE y": END, "CWD a": b"550 gone\r\n"}, kept=FtpState((b"a",), "i"))
    assert type(done.error) is NotFoundError
    assert "does not enter 'a' again" in str(done.error)


def test_a_listing_enters_a_name_and_keeps_that_in_mind() -> None:
    _, state = kept_by("ftp://h/a/b", verb="list", features=(), holds="directory")
    assert state.directories == (b"a", b"b")


def _put(answers: dict[str, Answer], **options: Any) -> Rehearsed:
    dialogue = find_scheme("ftp").verbs["put"](URL("ftp://h/a/b/x"), Options(**options))
    return Rehearsed(dialogue, answers, source=[b"abc"], greeting=b"220 vsFTPd\r\n")


def test_the_directories_of_an_upload_are_made_if_that_is_wanted() -> None:
    def missing() -> dict[str, Answer]:
        return {"CWD b": [b"550 no such\r\n", b"250 ok\r\n"], "MKD": b"257 made\r\n"}

    done = _put(missing(), ftp_create_dirs=True)
    assert (done.error, done.uploaded) == (None, b"abc")
    assert [line for line in done.commands if line[:3] in ("CWD", "MKD")] == ["CWD a", "CWD b", "MKD b", "CWD b"]
    assert isinstance(_put(missing()).error, NotFoundError)


def test_a_directory_that_another_made_meanwhile_is_entered_and_one_that_nobody_may_make_is_an_error() -> None:
    known: dict[str, Answer] = {"CWD b": [b"550 no such\r\n", b"250 ok\r\n"], "MKD": b"550 exists\r\n"}
    assert _put(known, ftp_create_dirs=True).error is None
    refused: dict[str, Answer] = {"CWD b": b"550 no such\r\n", "MKD": b"550 Permission denied\r\n"}
    error = _put(refused, ftp_create_dirs=True).error
    assert isinstance(error, DeniedError)
    assert "h does not make the directory 'b'" in str(error)
