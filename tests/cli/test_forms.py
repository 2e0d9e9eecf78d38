"""gopher on the command line: views, searches, and forms that are asked on a terminal or answered by --answer."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import pexpect
import pytest

from anyurl.world import gopher, tree
from anyurl.world.listener import SchemeListener
from tests.cli.runner import CLEAN, PROGRAM, records, run
from tests.servers import WAIT_SECONDS, Connection, Server

SIGNED = "Ada was here, and found it very good.\n2 lines were written:\none\ntwo\n"


@pytest.fixture
def server() -> Iterator[SchemeListener]:
    with contextlib.closing(gopher.start()) as server:
        yield server


def form(server: SchemeListener) -> list[str]:
    return ["get", f"{server.root}00/guest-book%09%09?", "--allow-port", str(server.port)]


def test_the_commands(server: SchemeListener) -> None:
    root = str(server.root)
    assert run("get", f"{root}00/motd.txt").stdout == tree.MOTD
    listed = run("ls", root).stdout.splitlines()
    assert listed[3].split("\t") == ["document", "", "", "motd.txt", f"{root}00/motd.txt%09%09+"]
    assert len(run("search", f"{root}77/search", "percent", "sign").stdout.splitlines()) == 1
    (record,) = records(run("stat", "--json", f"{root}00/motd.txt"))
    assert (record["kind"], record["modified"]) == ("document", "1994-12-20T00:00:00Z")
    assert record["attributes"]["abstract"].startswith("This is motd.txt.")
    assert run("get", f"{root}00/nope").exit_code == 8


def test_a_view(server: SchemeListener) -> None:
    url = f"{server.root}00/pub/names/gr%C3%BC%C3%9Fe.txt"
    assert run("get", "--view", "text/plain De_DE", url).stdout == tree.GREETINGS.splitlines()[0] + "\n"
    assert run("get", "--view", "image/gif", url).exit_code == 8
    assert "+text/plain De_DE" in run("get", "--explain", "--view", "text/plain De_DE", url).stdout


def test_answers_without_a_terminal(server: SchemeListener) -> None:
    answers = ["--answer", "Ada", "--answer", "x", "--answer", "one\ntwo", "--answer", "very good"]
    assert run(*form(server), *answers).stdout == SIGNED


def test_what_would_be_answered_is_explained(server: SchemeListener) -> None:
    """However many answers there are, and however long: the ideal form asks just these."""
    answers = ["--answer", "Ada", "--answer", "x", "--answer", "one\ntwo", "--answer", "very good"]
    result = run(*form(server), "--explain", *answers)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "ask the policy whether a form may be answered"
    assert lines[-9:] == [
        "> 0/guest-book\\x09+\\x091", "> +-1", "> Ada", "> x", "> 2", "> one", "> two", "> very good", "> .",
    ]  # fmt: skip
    assert "> +-1" not in run("get", "--explain", f"{server.root}00/guest-book%09%09?").stdout


def test_without_answers_and_without_a_terminal_it_says_what_is_asked(server: SchemeListener) -> None:
    result = run(*form(server))
    assert result.exit_code == 2
    assert "use --answer, in this order: 'Your name', 'A word that nobody else sees'" in result.stderr
    (record,) = records(run(*form(server), "--json"))
    assert (record["kind"], len(record["attributes"]["questions"])) == ("form", len(gopher.QUESTIONS))


def test_a_port_that_is_not_named(server: SchemeListener) -> None:
    result = run("get", f"{server.root}00/guest-book%09%09?", "--answer", "x")
    assert result.exit_code == 5
    assert f"--allow-port {server.port}" in result.stderr


def test_too_few_answers(server: SchemeListener) -> None:
    result = run(*form(server), "--answer", "Ada")
    assert result.exit_code != 0
    assert "The form asks 4 questions, and 1 answer is given" in result.stderr


@pytest.mark.needs("terminal")
def test_questions_on_a_terminal(server: SchemeListener) -> None:
    child = pexpect.spawn(PROGRAM[0], [*PROGRAM[1:], *form(server)], env=CLEAN, timeout=WAIT_SECONDS, encoding="utf-8")
    child.expect("Everybody may sign.")
    child.expect(re.escape("Your name [A visitor]: "))
    child.sendline("Ada")
    child.expect("A word that nobody else sees: ")
    child.sendline("hush")
    child.expect("Your message")
    child.sendline("one")
    child.sendline("two")
    child.sendline(".")
    child.expect("'good', 'very good'")
    child.sendline("awful")
    child.expect("'awful' is not one of them")
    child.sendline("very good")
    child.expect("Ada was here, and found it very good.")
    seen = child.before
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "hush" not in seen


@pytest.mark.needs("terminal")
def test_nobody_fills_in_what_will_be_refused(server: SchemeListener) -> None:
    command = form(server)[:2]
    child = pexpect.spawn(PROGRAM[0], [*PROGRAM[1:], *command], env=CLEAN, timeout=WAIT_SECONDS, encoding="utf-8")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 5
    assert f"--allow-port {server.port} would allow a form" in " ".join(child.before.split())
    assert "Your name" not in child.before


@pytest.mark.needs("terminal")
def test_a_text_that_the_form_proposes() -> None:
    sent: list[bytes] = []

    def part(connection: Connection) -> None:
        request = connection.until(b"\n")
        if request.endswith(b"+\t1\r\n"):
            sent.append(connection.until(b"\r\n.\r\n"))
            connection.send(b"+2\r\nok")
        else:
            connection.send(b"+-1\r\n+ASK:\r\n AskL: Story\tOnce\r\n.\r\n")

    with Server(part) as gopher_server:
        url = f"gopher://{gopher_server.authority}/0f%09%09?"
        command = ["get", url, "--allow-port", str(gopher_server.port)]
        child = pexpect.spawn(PROGRAM[0], [*PROGRAM[1:], *command], env=CLEAN, timeout=WAIT_SECONDS, encoding="utf-8")
        child.expect(re.escape("Story [Once] (a line with '.' alone ends it):"))
        child.sendline(".")
        child.expect("ok")
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 0
    assert sent == [b"+-1\r\n1\r\nOnce\r\n.\r\n"]


@pytest.mark.needs("terminal")
def test_nobody_is_asked_for_a_file() -> None:
    def part(connection: Connection) -> None:
        connection.until(b"\n")
        connection.send(b"+-1\r\n+ASK:\r\n Ask: Name\r\n AskF: Picture\r\n.\r\n")

    with Server(part) as gopher_server:
        url = f"gopher://{gopher_server.authority}/0f%09%09?"
        command = ["get", url, "--allow-port", str(gopher_server.port)]
        child = pexpect.spawn(PROGRAM[0], [*PROGRAM[1:], *command], env=CLEAN, timeout=WAIT_SECONDS, encoding="utf-8")
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 7
    assert "The form wants a file of this machine ('Picture')" in child.before
    assert "Name" not in child.before


@pytest.mark.needs("terminal")
def test_a_person_who_goes_away(server: SchemeListener) -> None:
    child = pexpect.spawn(PROGRAM[0], [*PROGRAM[1:], *form(server)], env=CLEAN, timeout=WAIT_SECONDS, encoding="utf-8")
    child.expect("Your name")
    child.sendeof()
    child.expect("This is a form, and there is no terminal to answer it")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 2


def test_a_search_shows_no_more_than_was_asked_for(server: SchemeListener) -> None:
    """A gopher server can't be told how many; what it finds beyond them is left out."""
    root = str(server.root)
    every = run("search", f"{root}77/search", "the").stdout.splitlines()
    assert len(every) > 2
    assert run("search", f"{root}77/search", "the", "--limit", "2").stdout.splitlines() == every[:2]
