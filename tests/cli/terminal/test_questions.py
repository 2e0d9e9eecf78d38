"""Questions of a form on a terminal: what is proposed, what is typed, and what ends a text."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pexpect
import pytest

from anyurl.cli.terminal.questions import END_OF_TEXT, ask, ask_hidden, ask_line, ask_yes
from anyurl.client.form import Question
from anyurl.errors import LocalProtocolError
from tests.cli.runner import CLEAN, PROGRAM, run
from tests.schemes.gemini.serving import saying
from tests.servers import WAIT_SECONDS, Server


@pytest.fixture(autouse=True)
def _own_certificates(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of an earlier test may have had the same port, and another certificate."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


class Person:
    """Who types these lines, and what stands on standard error and is told."""

    def __init__(self, typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told: list[str] = []
        self.prompts = io.StringIO()
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        monkeypatch.setattr("sys.stderr", self.prompts)
        monkeypatch.setattr("getpass.getpass", self._hidden)

    def _hidden(self, prompt: str) -> str:
        self.told.append(f"hidden {prompt}")
        return "s3cret"


@pytest.mark.parametrize(
    ("question", "typed", "answer", "prompts", "told"),
    [
        (Question("Ask", "Name"), "me\n", ["me"], "Name: ", []),
        (Question("Ask", "Name", "you"), "\r\n", ["you"], "Name [you]: ", []),
        (Question("Ask", "Name", "you"), "me\r\n", ["me"], "Name [you]: ", []),
        (Question("Ask", "Name"), "\n", [""], "Name: ", []),
        (Question("Ask", "Name"), " me \n", [" me "], "Name: ", []),
        (Question("Ask", "A\x1b[2J", "\x07"), "x\n", ["x"], "A\\x1b[2J [\\x07]: ", []),
        (Question("Note", "By the way"), "", [], "", ["By the way"]),
        (Question("AskP", "Key\x1b", "d"), "", ["s3cret"], "", ["hidden Key\\x1b: "]),
        (Question("AskL", "Story"), "a\nb\n.\n", ["a\nb"], "> > > ", ["Story (a line with '.' alone ends it):"]),
        (Question("AskL", "Story", "Once"), ".\n", ["Once"], "> ", ["Story [Once] (a line with '.' alone ends it):"]),
        (Question("AskL", "Story", "Once"), "\n.\n", [""], "> > ", ["Story [Once] (a line with '.' alone ends it):"]),
        (Question("AskL", "Story"), "..\n .\n.\n", ["..\n ."], "> > > ", ["Story (a line with '.' alone ends it):"]),
        (Question("Choose", "Size", "", ("s", "l")), "m\n\nl\n", ["l"], "Size: Size: Size: ",
         ["Size: one of 's', 'l'", "'m' is not one of them", "'' is not one of them"]),
        (Question("Choose", "Size", "s", ("s", "l")), "\n", ["s"], "Size [s]: ", ["Size: one of 's', 'l'"]),
    ],
)  # fmt: skip
def test_each_kind_of_question(
    question: Question,
    typed: str,
    answer: list[str],
    prompts: str,
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    person = Person(typed, monkeypatch)
    assert ask([question], person.told.append) == answer
    assert (person.prompts.getvalue(), person.told) == (prompts, told)
    assert END_OF_TEXT == "."


def test_they_are_asked_in_their_order_and_notes_have_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person("a\nb\n", monkeypatch)
    questions = [Question("Ask", "1"), Question("Note", "n"), Question("AskP", "p"), Question("Ask", "2")]
    assert ask(questions, person.told.append) == ["a", "s3cret", "b"]
    assert (person.prompts.getvalue(), person.told) == ("1: 2: ", ["n", "hidden p: "])
    assert ask([], person.told.append) == []


@pytest.mark.parametrize("kind", ["Ask", "AskL", "Choose"])
def test_where_the_input_ends_there_is_no_answer(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person("", monkeypatch)
    with pytest.raises(EOFError):
        ask([Question(kind, "x", "d", ("d",) if kind == "Choose" else ())], person.told.append)


def test_a_file_of_this_machine_is_refused_before_the_first_question(monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person("me\n", monkeypatch)
    with pytest.raises(LocalProtocolError, match="file of this machine"):
        ask([Question("Ask", "Name"), Question("AskF", "Picture")], person.told.append)
    assert (person.prompts.getvalue(), person.told) == ("", [])


@pytest.mark.parametrize(
    ("typed", "yes"),
    [("y\n", True), ("yes\n", True), (" YES \n", True), ("Y", True), ("", False), ("\n", False), ("n\n", False),
     ("yep\n", False), ("ye\n", False), ("no yes\n", False)],
)  # fmt: skip
def test_only_yes_is_a_yes(typed: str, yes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(typed, monkeypatch)
    assert ask_yes("first\x1b\nsecond\nSend \x1b?", person.told.append) is yes
    assert (person.prompts.getvalue(), person.told) == ("Send \\x1b? [y/N] ", ["first\x1b", "second"])


def test_a_line_and_a_hidden_one(monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person("one\ntwo", monkeypatch)
    assert (ask_line("1> "), ask_line("2> "), ask_hidden("key: ")) == ("one", "two", "s3cret")
    assert (person.prompts.getvalue(), person.told) == ("1> 2> ", ["hidden key: "])
    with pytest.raises(EOFError):
        ask_line("3> ")


# --- what a server asks ----------------------------------------------------------------------------------------------


def asks(request: bytes) -> bytes:
    """A question at /q, another one behind its answer 'again', and a page for any other answer."""
    words = request.strip().partition(b"?")[2]
    if words in (b"", b"again"):
        return b"10 Your\x1b name?\r\n"
    return b"20 text/gemini\r\n=> /next Hello " + words + b"\r\n"


ASKED = "the server asks: “Your\\x1b name?”"


@pytest.mark.parametrize("verb", ["get", "ls", "stat"])
def test_what_a_gemini_server_asks_is_told_in_a_pipe(verb: str) -> None:
    with saying(asks) as server:
        done = run(verb, "--allow-private", f"gemini://{server.authority}/q")
    assert (done.exit_code, ASKED in done.stderr, "\x1b" in done.output) == (0, True, False)


@pytest.mark.parametrize(
    ("scheme", "path", "part"),
    [
        ("gemini", "q", None),
        ("gopher", "7/find", lambda connection: None),
        ("dict", "d:", lambda connection: None),
    ],
)
def test_an_index_is_not_saved_as_an_empty_file(scheme: str, path: str, part: Any, tmp_path: Path) -> None:
    with saying(asks) if part is None else Server(part) as server:
        done = run("get", "--allow-private", "-o", str(tmp_path / "x"), f"{scheme}://{server.authority}/{path}")
    assert (done.exit_code, list(tmp_path.iterdir())) == (4, [])
    assert "is an index" in done.stderr
    assert part is not None or "which asks “Your\\x1b name?”" in done.stderr


@pytest.mark.needs("terminal")
@pytest.mark.parametrize(
    ("command", "shown"), [(["get"], "=> /next Hello Ada%20L."), (["ls"], "Hello Ada%20L."), (["get", "-o"], None)]
)
def test_a_person_at_the_terminal_answers(command: list[str], shown: str | None, tmp_path: Path) -> None:
    target = [str(tmp_path / "x")] if shown is None else []
    with saying(asks) as server:
        words = [*command, *target, "--allow-private", f"gemini://{server.authority}/q"]
        child = pexpect.spawn(PROGRAM[0], [*PROGRAM[1:], *words], env=CLEAN, timeout=WAIT_SECONDS, encoding="utf-8")
        child.expect("asks:")
        child.expect(re.escape("Your\\x1b name? "))
        child.sendline("again")
        child.expect(re.escape("Your\\x1b name? "))
        child.sendline("Ada L.")
        if shown is not None:
            child.expect(re.escape(shown))
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 0
    assert shown is not None or (tmp_path / "x").read_bytes() == b"=> /next Hello Ada%20L.\r\n"
