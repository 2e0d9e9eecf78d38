"""mailto on the command line: drafts, and deliveries with a yes from the terminal or from --yes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from anyurl.world.mail import MailDrop
from tests.cli.runner import CLEAN, PROGRAM, records, run
from tests.rows import each_row
from tests.servers import WAIT_SECONDS

GUEST = "mailto:guest@world.example?subject=Gr%C3%BC%C3%9Fe"


@pytest.fixture
def drop() -> Iterator[MailDrop]:
    with contextlib.closing(MailDrop()) as drop:
        yield drop


def settings(drop: MailDrop) -> list[str]:
    return ["--mail-server", drop.settings["mail_server"], "--mail-from", drop.settings["mail_from"]]


def test_a_draft_is_shown() -> None:
    result = run("get", "mailto:a@b.example?subject=hello&body=one%0D%0Atwo&bcc=c@d", "--mail-from", "me@example.org")
    assert result.exit_code == 0
    assert result.stdout_bytes == (
        b"From: me@example.org\r\nTo: a@b.example\r\nSubject: hello\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: text/plain; charset=us-ascii\r\nContent-Transfer-Encoding: 7bit\r\n\r\none\r\ntwo\r\n"
    )
    assert result.stderr == (
        "anyurl: note: the header field 'bcc' was left out: a URL may not set it (RFC 6068 3 and 4)\n"
    )


def test_facts_of_a_mailbox() -> None:
    (record,) = records(run("stat", "--json", "mailto:a@b.example?cc=c@d.example&from=e@f"))
    assert (record["kind"], record["type"]) == ("mailbox", None)
    assert record["attributes"] == {"to": ["a@b.example"], "cc": ["c@d.example"], "left_out": ["from"]}


def test_a_draft_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "draft.eml"
    assert run("get", "mailto:a@b.example", "-o", str(file)).exit_code == 0
    assert file.read_bytes().startswith(b"To: a@b.example\r\nMIME-Version: 1.0\r\n")


def test_a_file_is_delivered(drop: MailDrop, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_text("Grüße\n.\n", "utf-8")
    result = run("append", GUEST, str(file), "--yes", *settings(drop))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    (kept,) = drop.kept
    assert kept.data.endswith(b"\r\n\r\nGr=C3=BC=C3=9Fe\r\n=2E\r\n")
    assert b"\r\nSubject: =?utf-8?B?R3LDvMOfZQ==?=\r\n" in kept.data


def test_a_message_file_goes_as_it_is(drop: MailDrop, tmp_path: Path) -> None:
    message = b"From: me@example.org\r\nDate: x\r\nMessage-ID: <a@b>\r\n\r\n.\r\n"
    file = tmp_path / "message.eml"
    file.write_bytes(message)
    assert run("append", GUEST, str(file), "--yes", *settings(drop)).exit_code == 0
    assert run("append", GUEST, "-", "--type", "message/rfc822", "--yes", *settings(drop), input=message).exit_code == 0
    assert [kept.data for kept in drop.kept] == [message, message]


def test_standard_input_is_a_text(drop: MailDrop) -> None:
    (record,) = records(run("append", "--json", GUEST, "-", "--yes", *settings(drop), input=b"To: nobody\n"))
    assert record["kind"] == "mailbox"
    assert record["attributes"]["delivered"] == ["guest@world.example"]
    assert drop.kept[0].data.endswith(b"\r\n\r\nTo: nobody\r\n")


def test_the_environment_names_the_server(drop: MailDrop) -> None:
    env = {"ANYURL_MAIL_SERVER": drop.settings["mail_server"], "ANYURL_MAIL_FROM": drop.settings["mail_from"]}
    assert run("append", GUEST, "-", "--yes", input=b"", env=env).exit_code == 0
    assert len(drop.kept) == 1


def test_a_recipient_that_is_refused_is_an_error_of_its_own(drop: MailDrop) -> None:
    """A script has to know it: the message went to one, and not to the other."""
    result = run("append", "mailto:guest@world.example,x@world.example", "-", "--yes", *settings(drop), input=b"x")
    assert result.exit_code == 8
    assert "refuses mail to x@world.example: “550 5.1.1 There is guest and postmaster here" in result.stderr
    assert drop.kept[0].recipients == ("guest@world.example",)


@each_row(
    ("args", "code", "words"),
    [
        (["--yes"], 4, "No mail server is configured: --mail-server [USER@]HOST[:PORT], the variable"),
        (["--yes"], 4, "or mail-server in config.toml names"),
        (["--yes", "--mail-server", "h.example"], 4, "No sender is configured: --mail-from ADDRESS"),
        (["--yes", "--mail-server", "h/x"], 2, "'h/x' is not a mail server: host, host:port or user@host:port would"),
        (["--yes", "--mail-server", "me:s3cr3t@h"], 2, "the mail server has a ':' before its '@', and only user@host"),
        (["--mail-server", "h.example", "--mail-from", "me"], 2, "is not a mail address: an address is local-part"),
        (["--mail-server", "h.example", "--mail-from", "me@b.example"], 2, "there is no terminal to confirm it; --yes"),
        (["--yes", "--policy=untrusted", "--mail-server=h.example", "--mail-from=me@b.example"], 5, "in your name"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(args: list[str], code: int, words: str) -> None:
    result = run("append", GUEST, "-", *args, input=b"x", env={"ANYURL_MAIL_SERVER": None, "ANYURL_MAIL_FROM": None})
    assert result.exit_code == code
    assert words in result.stderr
    assert "s3cr3t" not in result.output


def test_a_server_that_is_none_is_no_better_where_it_is_explained() -> None:
    result = run("append", GUEST, "-", "--explain", "--mail-server", "me:s3cr3t@h", "--mail-from", "me@b.example")
    assert (result.exit_code, "s3cr3t" in result.output) == (2, False)
    assert "the mail server has a ':' before its '@'" in result.stderr


@pytest.mark.parametrize(
    ("url", "code"),
    [("mailto:-f@b.example", 5), ("mailto:a@b%0D%0ARSET", 5), ("mailto:a@b?subject=%0A", 5), ("mailto:a", 3)],
)
def test_what_is_refused(drop: MailDrop, url: str, code: int) -> None:
    result = run("append", url, "-", "--yes", *settings(drop), input=b"x")
    assert result.exit_code == code
    assert drop.kept == []


@pytest.mark.needs("terminal")
@pytest.mark.parametrize(
    ("answer", "code", "kept"), [("y", 0, 1), ("yes", 0, 1), ("n", 5, 0), ("", 5, 0), ("\x04", 5, 0)]
)
def test_a_person_is_shown_all_of_it_and_asked(
    drop: MailDrop, tmp_path: Path, answer: str, code: int, kept: int
) -> None:
    file = tmp_path / "note.txt"
    file.write_bytes(b"one\n\x1b[31mtwo\n")
    args = [*PROGRAM[1:], "append", GUEST, str(file), *settings(drop)]
    child = pexpect.spawn(PROGRAM[0], args, env={**CLEAN, "COLUMNS": "200"}, timeout=WAIT_SECONDS, encoding="utf-8")
    child.expect(r"Send this from visitor@world.example to guest@world.example, through 127.0.0.1 port \d+\? \[y/N\] ")
    shown = child.before.replace("\r\n", "\n")
    assert "From: visitor@world.example\nTo: guest@world.example\nSubject: Grüße\n\none\n\\x1b[31mtwo\n" in shown
    assert drop.kept == []
    child.send(answer if answer == "\x04" else f"{answer}\r")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == code
    assert len(drop.kept) == kept
    if code:
        assert "Nothing was sent: the answer was no." in child.before


@pytest.mark.needs("terminal")
def test_a_person_types_a_message(drop: MailDrop) -> None:
    """One Ctrl-D ends it, and nothing is written over the question, however long it took to type."""
    child = pexpect.spawn(
        PROGRAM[0], [*PROGRAM[1:], "append", GUEST, "-", *settings(drop)], env={**CLEAN, "COLUMNS": "200"},
        timeout=WAIT_SECONDS, encoding="utf-8",
    )  # fmt: skip
    child.send("hello\rthere\r\x04")
    child.expect(r"\[y/N\] ")
    assert "\nFrom: visitor@world.example\r\nTo: guest@world.example\r\n" in child.before
    assert "\x1b" not in child.before
    child.send("y\r")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert drop.kept[0].data.endswith(b"\r\n\r\nhello\r\nthere\r\n")


def test_that_nothing_would_be_sent_is_said() -> None:
    result = run("stat", "--explain", "mailto:joe@example.com")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "anyurl: note: nothing would be opened or sent\n"


def test_what_would_be_sent_is_explained() -> None:
    url = "mailto:a@b.example?subject=x&body=y"
    options = ["--mail-server", "me@mail.example.org", "--mail-from", "me@example.org"]
    lines = run("append", "--explain", url, "-", *options).stdout.splitlines()
    assert lines[:7] == [
        "take the caller's octets (here: none)",  # so the body below is the URL's, whose place a file would take
        "ask you and the policy whether a message may be sent in your name",
        "connect to mail.example.org port 587",
        "> EHLO [127.0.0.1]",
        "> STARTTLS",
        "begin TLS, for the name mail.example.org",
        "> EHLO [127.0.0.1]",
    ]
    assert "> RCPT TO:<a@b.example>" in lines
    assert lines[-4:] == ["> ", "> y", "> .", "> QUIT"]


@pytest.mark.needs("terminal")
def test_the_drop_says_how_to_deliver_there() -> None:
    child = pexpect.spawn(
        PROGRAM[0], [*PROGRAM[1:], "serve", "mailto"], env=CLEAN, timeout=WAIT_SECONDS, encoding="utf-8"
    )
    child.expect(r"mailto +mailto:guest@world\.example\r\n")
    child.expect(r"--mail-server (127\.0\.0\.1:\d+)\r\n--mail-from visitor@world\.example\r\n")
    options = ["--mail-server", child.match[1], "--mail-from", "me@example.org"]
    assert run("append", GUEST, "-", "--yes", *options, input=b"x").exit_code == 0
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
