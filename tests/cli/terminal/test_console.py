"""The console: what a terminal may never get, and what each stream carries."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.cli.terminal.console import Console, escape_text
from anyurl.cli.terminal.tables import rendered
from anyurl.errors import LocalFileError
from tests.rows import each_row


@each_row(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),  # ESC begins every sequence that a terminal obeys
        ("\x1b]52;c;YQ==\x07", "\\x1b]52;c;YQ==\\x07"),  # OSC 52 would fill the clipboard
        ("\x9b31m \x85", "\\x9b31m \\x85"),  # C1: CSI and NEL in one octet
        ("a\rb", "a\\x0db"),  # a bare CR would write over what was there
        ("a\x00b\x7f", "a\\x00b\\x7f"),
        ("gpj.\u202eexe", "gpj.\\u202eexe"),  # turns a name round
        ("line\u2028line", "line\\u2028line"),
        ("ça\u00a0va\u202f?", "ça\u00a0va\u202f?"),  # French spacing is text
        ("\udcff", "\\xff"),  # an octet that was not UTF-8
    ],
)
def test_escape_text(text: str, shown: str) -> None:
    assert escape_text(text) == shown


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    assert all(char.isprintable() or char in "\n\t" or char.isspace() for char in escape_text(text))
    assert not any((ord(char) < 32 and char not in "\n\t") or 0x7F <= ord(char) < 0xA0 for char in escape_text(text))


class Terminal(io.TextIOWrapper):
    """A standard output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch, encoding: str = "utf-8") -> Terminal:
    """Make it the standard output; not a fixture, because pytest itself changes sys.stdout before the test's body."""
    screen = Terminal(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", screen)
    return screen


def seen(screen: Terminal) -> str:
    return screen.buffer.getvalue().decode()  # type: ignore[attr-defined]


def test_a_table_on_a_terminal_has_headings_and_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    screen = terminal(monkeypatch)
    Console().table(("size", "name"), [["5", "a"], ["1,000", "[red]b[/red]\x1b"]], right=("size",))
    lines = [line.replace("\x1b[1m", "").replace("\x1b[0m", "").rstrip() for line in seen(screen).splitlines()]
    assert lines == [" size  name", "    5  a", "1,000  [red]b[/red]\\x1b"]


def test_a_table_in_a_pipe_is_tabs(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    console = Console()
    console.table(("size", "name"), [["5", "a\tb\n\x1b"], ["", "ü"]])
    console.flush()
    assert capfdbinary.readouterr().out == "5\ta\\x09b\\x0a\\x1b\n\tü\n".encode()


@pytest.mark.parametrize("rich", [True, False])
def test_rows_without_headings_are_tabs_on_a_terminal_too(monkeypatch: pytest.MonkeyPatch, rich: bool) -> None:
    """They come one by one, so that nobody knows how wide a column is."""
    if not rich:
        monkeypatch.setitem(sys.modules, "rich", None)
    screen = terminal(monkeypatch)
    Console().table((), [["saved", "a\x1b"], ["", "b"]])
    screen.flush()
    assert seen(screen) == "saved\ta\\x1b\n\tb\n"


def test_a_page_in_a_pipe_is_in_columns(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    console = Console()
    console.page(("a", "bb"), [["long", "x"], ["", "y"]])
    console.flush()
    assert capfdbinary.readouterr().out == b"a     bb\nlong  x\n      y\n"


def test_fields_stand_below_each_other(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    console = Console()
    console.fields([("a", "1"), ("long", "2"), ("none", "")], indent=" ")
    console.flush()
    assert capfdbinary.readouterr().out == b" a     1\n long  2\n none\n"


def test_records_are_ascii_lines(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    Console().record({"a": "\x1b\x7f\x9b\u202e\udcff", "b": None})
    assert capfdbinary.readouterr().out == b'{"a": "\\u001b\\u007f\\u009b\\u202e\\udcff", "b": null}\n'


def test_octets_are_unchanged(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    console = Console()
    console.octets(bytes(range(256)))
    console.flush()
    assert capfdbinary.readouterr().out == bytes(range(256))


def test_what_is_said_is_one_escaped_line_on_the_other_stream(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    Console().say("no\nsuch\x1bthing")
    assert capfdbinary.readouterr() == (b"", b"anyurl: no\\x0asuch\\x1bthing\n")


def test_an_old_terminal_gets_escapes_for_what_it_can_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch, "ascii")
    Console().shown("Grüße\n")
    assert seen(screen) == "Gr\\xfc\\xdfe\n"


class Broken(io.RawIOBase):
    """A stream whose writing fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        raise self.error


def broken(error: Exception) -> io.TextIOWrapper:
    return io.TextIOWrapper(Broken(error), encoding="utf-8")  # type: ignore[type-var]


def test_a_closed_pipe_ends_the_command_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", broken(BrokenPipeError()))
    with pytest.raises(SystemExit) as ended:
        Console().octets(b"x")
    assert ended.value.code == 141


def test_a_full_disk_is_an_error_of_a_local_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", broken(OSError(28, "No space left on device")))
    with pytest.raises(LocalFileError, match="Can't write to the standard output: no space left on device"):
        Console().octets(b"x")


def test_closed_streams_are_errors_of_a_local_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)  # what Python makes of >&-
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "stderr", None)
    console = Console()
    assert not console.is_terminal
    with pytest.raises(LocalFileError, match="The standard output is closed"):
        console.line("x")
    with pytest.raises(LocalFileError, match="The standard input is closed"):
        console.input()
    console.say("nobody hears it")
    assert console.ask_secret("h", "u", "ftp password") is None


def test_nobody_is_asked_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"secret\n")))
    assert Console().ask_secret("h", "u", "ftp password") is None


def test_long_values_are_folded_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    text = rendered(("url",), [["http://example.com/" + "a" * 60]], ())
    assert "".join(text.split("\n")[1:]) == "http://example.com/" + "a" * 60


@pytest.mark.parametrize("json", [False, True])
@pytest.mark.parametrize("aside", [True, False])
@pytest.mark.parametrize("results", [True, False])
def test_only_a_person_is_told_that_there_is_nothing(
    monkeypatch: pytest.MonkeyPatch, results: bool, aside: bool, json: bool
) -> None:
    for name, is_terminal in (("stdout", results), ("stderr", aside)):
        stream = (Terminal if is_terminal else io.TextIOWrapper)(io.BytesIO(), encoding="utf-8")
        monkeypatch.setattr(sys, name, stream)
    console = Console()
    console.json = json
    console.nothing("Nothing was found.")
    assert sys.stderr.buffer.getvalue() == b"Nothing was found.\n" * (results and aside and not json)  # type: ignore[attr-defined]
    assert sys.stdout.buffer.getvalue() == b""  # type: ignore[attr-defined]
