"""The console: the only contact of the command with the terminal, its pipes and the person there.

Rule: foreign text (a server's text, a file name, a URL) is escaped on a terminal, and unchanged in a pipe or a file.
Standard output carries results, standard error all messages about them.
Nothing heavy is imported before it is needed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from anyurl.cli.exits import CLOSED_PIPE, LOCAL_FILE, OK
from anyurl.errors import LocalFileError, escape

if TYPE_CHECKING:
    from anyurl.cli.terminal.progress import Progress
    from anyurl.client.form import Question
    from anyurl.dialogue import Secret
    from anyurl.saving.pieces import RateLimit

NAME = "anyurl"

NARROW = 60
"""Below this number of columns a table would be unreadable: a telephone has 40 to 50."""

USUAL_COLUMNS = 80
"""Columns of a terminal that does not report its size."""

MASK = "***"
"""Shown instead of a password."""


class Drawn(Protocol):
    """Something drawn on standard error, which is erased before anything else is written there."""

    def pause(self, *, asks: bool = False) -> object:
        """Erase it until it is drawn again.

        Args:
            asks: Erase it until the user has answered a prompt.
        """


class Console:
    """The output and input of a command.

    Attributes:
        json: Results are JSON objects, one per line.
        charset: Python's name for the charset of texts, names and sessions, or None for what the server says.
        subject: The URL that the command is about, with its password masked, or None.
        grammar: The grammar that reads the command's URLs.
        settings: The settings of the user's file (`anyurl.cli.config`).
        watch: The screen of many transfers, which is erased before anything else is written; or None.
        pace: The limit on the rate of what is saved, or None.
    """

    def __init__(self) -> None:
        self.json = False
        self.charset: str | None = None
        self.subject: str | None = None
        self.grammar = "current"
        self.settings: Mapping[str, Any] = {}
        self.pace: RateLimit | None = None
        self.watch: Drawn | None = None
        self._progress: Progress | None = None
        self._unwritten: LocalFileError | SystemExit | None = None

    @property
    def is_terminal(self) -> bool:
        """Whether standard output is a terminal."""
        return sys.stdout is not None and sys.stdout.isatty()

    @property
    def has_audience(self) -> bool:
        """Whether standard error is a terminal."""
        return sys.stderr is not None and sys.stderr.isatty()

    def columns(self, *, aside: bool = False) -> int | None:
        """The width of the terminal on standard output, or (`aside`) standard error; None if it is not a terminal."""
        if not (self.has_audience if aside else self.is_terminal):
            return None
        return _columns_of(sys.stderr if aside else sys.stdout)

    # --- results -----------------------------------------------------------------------------------------------------

    def line(self, text: str = "", *meanings: str) -> None:
        """Write one line of text, escaped; on a terminal in the colours of its meanings (`palette`)."""
        self._write(_encode(_painted(escape(text), meanings, self.is_terminal)) + b"\n")

    def lines(self, texts: Iterable[str]) -> None:
        """Write lines of text, each escaped."""
        for text in texts:
            self.line(text)

    def record(self, record: Mapping[str, Any], *, at_once: bool = True) -> None:
        """Write a JSON object on one line, in ASCII, so that it contains nothing that a terminal would interpret.

        Args:
            at_once: Flush it.
        """
        import json

        self._write(json.dumps(record, ensure_ascii=True).encode("ascii") + b"\n")
        if at_once:
            self.flush()

    def octets(self, data: bytes) -> None:
        """Write octets unchanged, to a pipe or a file."""
        self._write(data)

    def shown(self, text: str) -> None:
        """Write a piece of a server's text to a terminal; control characters but line ends and tabs are escaped."""
        self._write(_encode(escape_text(text)))

    def screen(self, text: str) -> None:
        """Write what `anyurl.schemes.telnet.wire.screen` has filtered, and flush it: a service owns the screen."""
        self._write(_encode(text))
        self.flush()

    def drawn(self, text: str) -> str:
        """A drawing, in ASCII if the encoding of this terminal lacks its characters."""
        from anyurl.cli.terminal.palette import as_ascii

        return as_ascii(text, getattr(sys.stdout, "encoding", None) or "utf-8")

    def fields(self, pairs: Iterable[tuple[str, str]], indent: str = "") -> None:
        """Write names and values, a pair per line, with aligned values; on a terminal, broken between words."""
        rows = list(pairs)
        width = max((len(name) for name, _ in rows), default=0)
        room = (self.columns() or 0) - len(indent) - width - 2
        for name, value in rows:
            first, *more = _folded(escape(value), room) if room > 0 else [value]
            self.line(f"{indent}{name:{width}}  {first}".rstrip())
            for line in more:
                self.line(f"{indent}{'':{width}}  {line}")

    def table(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        right: Sequence[str] = (),
        below: Sequence[str] = (),
    ) -> None:
        """Write a table: in columns on a terminal if it has headings, else as tab-separated lines, without headings.

        Args:
            right: The headings of right-aligned columns.
            below: For each row a text that a terminal shows below the last column, or an empty one.
        """
        if not (self.is_terminal and headings):
            for row in rows:
                self._write(_encode("\t".join(escape(value) for value in row)) + b"\n")
            return
        from anyurl.cli.terminal.palette import has_rich

        if not has_rich():
            self._columns(headings, rows, right, below)
            return
        from anyurl.cli.terminal.tables import rendered

        self._write(_encode(rendered(headings, rows, right, below)))

    def page(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        elastic: Sequence[str] = (),
        spare: Sequence[str] = (),
        right: Sequence[str] = (),
    ) -> None:
        """Write a table in columns with headings, also to a pipe: a line per row, or a few on a narrow terminal.

        Args:
            elastic: The headings of columns that may be cut to fit, the one that needs the most room last.
            spare: The headings of columns that are left out if there is no room.
            right: The headings of right-aligned columns.
        """
        from anyurl.cli.terminal.palette import has_rich

        if self.is_terminal and (width := _columns_of(sys.stdout)) < NARROW:
            for first, *more, last in rows:
                self.line(first)
                for text in ("  ".join(filter(None, more)), last):
                    self.lines(f"  {line}" for line in _folded(escape(text), width - 2))
        elif self.is_terminal and has_rich():
            from anyurl.cli.terminal.tables import page

            self._write(_encode(self.drawn(page(headings, rows, elastic, spare, right))))
        else:
            self._columns(headings, rows, right)

    def _columns(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[str]],
        right: Sequence[str],
        below: Sequence[str] = (),
    ) -> None:
        """Write a table as plain text, without regard to the width."""
        cells = [[escape(value) for value in row] for row in (headings, *rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
        sides = [str.rjust if heading in right else str.ljust for heading in headings]
        for row, more in zip_longest(cells, ("", *below), fillvalue=""):
            aligned = [side(value, width) for value, width, side in zip(row, widths, sides, strict=True)]
            self.line("  ".join(aligned).rstrip())
            if more:
                self.line(f"  {more}")

    def flush(self) -> None:
        """Flush standard output. Raises what `_guarded` does, also if it was `aside` that could not flush it."""
        if self._unwritten is not None:
            raise self._unwritten
        if sys.stdout is not None and not sys.stdout.closed:
            _guarded(sys.stdout.buffer.flush)

    def _write(self, data: bytes) -> None:
        if sys.stdout is None:
            raise LocalFileError("The standard output is closed: nothing can be written to it.")
        _guarded(sys.stdout.buffer.write, data)

    # --- messages -------------------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Write a sentence to standard error after the command's name; on a terminal, broken between words."""
        self.tell(f"{NAME}: {text}", " " * len(f"{NAME}: "))

    def tell(self, sentence: str, indent: str = "") -> None:
        """Write a sentence to standard error; on a terminal, broken between words, with further lines indented."""
        columns = self.columns(aside=True) or 0
        for line in _folded(escape(sentence), columns, indent) if columns else [sentence]:
            self.aside(line)

    def aside(self, text: str, *meanings: str) -> None:
        """Write one line to standard error; on a terminal in the colours of its meanings."""
        if sys.stderr is None:
            return
        drawn = self.watch or self._progress
        if drawn is not None:
            drawn.pause()  # it would overwrite the line
        try:
            self.flush()  # so that both streams appear in order where they go to one place, such as a screen
        except (LocalFileError, SystemExit) as ended:
            self._unwritten = ended  # this line may be about another error, which goes first
        try:
            sys.stderr.buffer.write(_encode(_painted(escape(text), meanings, self.has_audience), sys.stderr) + b"\n")
            sys.stderr.buffer.flush()
        except (OSError, ValueError):
            pass  # standard error is closed: the exit code remains

    def nothing(self, sentence: str) -> None:
        """Tell a person at a terminal that there is no result; a pipe and JSON stay empty."""
        if self.is_terminal and self.has_audience and not self.json:
            self.tell(sentence)

    def progress(
        self, label: str, total: int | None, *, start: int = 0, note: str = "", hidden: bool = False
    ) -> Progress:
        """A progress bar on standard error, shown after a second if that is a terminal with escape sequences.

        Args:
            label: The name of the transfer.
            total: Octets in all, or None if unknown.
            start: Octets that are there already.
            note: A text before the label.
            hidden: Never show the bar, since the result is written to the same screen.
        """
        from anyurl.cli.terminal.progress import Progress

        if self.watch is not None:  # which shows this transfer, too
            return Progress(escape(label), total, start=start, note=note, shown=False)
        shown = not hidden and self.can_draw
        tell = None if self.json or hidden or self.has_audience else self.aside
        made = self._progress = Progress(escape(label), total, start=start, note=note, shown=shown, tell=tell)
        return made

    @property
    def can_draw(self) -> bool:
        """Whether standard error is a terminal on which something can be drawn and erased again."""
        if not self.has_audience:
            return False
        from anyurl.cli.terminal.palette import has_rich, is_plain

        return not is_plain() and has_rich()

    # --- the person --------------------------------------------------------------------------------------------------

    def _is_answered(self) -> bool:
        """Whether a person can answer a question; if so, the progress bar is erased for it."""
        if sys.stdin is None or not sys.stdin.isatty() or not self.has_audience:
            return False
        drawn = self.watch or self._progress
        if drawn is not None:
            drawn.pause(asks=True)  # it would overwrite the question
        return True

    def ask_secret(self, host: str, user: str, kind: str) -> Secret | None:
        """Ask the person at the terminal for a password, and for a user if none is given; None without a terminal."""
        if not self._is_answered():
            return None
        from anyurl.cli.terminal.questions import ask_hidden, ask_line
        from anyurl.dialogue import Secret

        try:
            name = user or ask_line(f"user at {escape(host)}: ")
            return Secret(ask_hidden(f"{escape(kind)} of {escape(name)} at {escape(host)}: "), name)
        except EOFError:
            return None

    def ask_questions(self, where: str, questions: Sequence[Question]) -> list[str] | None:
        """Ask the person at the terminal the questions of a form; None without a terminal, or if the input ends."""
        if not self._is_answered():
            return None
        from anyurl.cli.terminal.questions import ask

        self.aside(f"{where} is a form:")
        try:
            return ask(questions, self.aside)
        except EOFError:
            return None

    def ask_words(self, where: str, prompt: str) -> str | None:
        """Ask the person at the terminal what a server asks for; None without a terminal, or if the input ends."""
        if self.json or not self._is_answered():
            return None
        from anyurl.cli.terminal.questions import ask_line

        self.aside(f"{where} asks:")
        try:
            return ask_line(f"{escape(prompt)}{'' if prompt.endswith((':', '?', '.', '!')) else ':'} ")
        except EOFError:
            return None

    def ask_consent(self, question: str) -> bool | None:
        """Ask the person at the terminal for consent; None without a terminal."""
        if not self._is_answered():
            return None
        from anyurl.cli.terminal.questions import ask_yes

        *lines, last = question.split("\n")  # other line ends are escaped
        room = (self.columns(aside=True) or USUAL_COLUMNS) - len(" [y/N] y")
        return ask_yes("\n".join((*lines, *_folded(escape(last), room))), self.aside)

    def input(self) -> BinaryIO:
        """Standard input, in binary mode.

        Raises:
            LocalFileError: It is closed.
        """
        if sys.stdin is None:
            raise LocalFileError("The standard input is closed: there is nothing to read.")
        return sys.stdin.buffer


def _folded(text: str, columns: int, indent: str = "") -> list[str]:
    """A text broken into lines; a URL is not broken, so that it can be copied."""
    if len(text) <= columns:
        return [text]
    from textwrap import wrap

    lines = wrap(text, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return lines or [text]


def _columns_of(stream: Any) -> int:
    """The width of the terminal of this stream, which may differ from that of another stream."""
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and len(named) < 10 and int(named):
        return int(named)
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL_COLUMNS
    except (OSError, ValueError):
        return USUAL_COLUMNS


def escape_text(text: str) -> str:
    """Escape a text of several lines, but keep line ends, tabs and spaces of all widths."""
    return "\n".join(map(_escape_line, text.split("\n")))


def _escape_line(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(char if char == "\t" or _is_space(char) else escape(char) for char in line)


def _is_space(char: str) -> bool:
    # Category Zs: a no-break space is ordinary in French. NEL, LS and PS end lines on some terminals: escaped.
    return char > "\x7f" and char.isspace() and char not in "\x85\u2028\u2029"


def _painted(text: str, meanings: Sequence[str], is_terminal: bool) -> str:
    if not meanings or not is_terminal:
        return text
    from anyurl.cli.terminal.palette import has_colours, painted

    return painted(text, *meanings) if has_colours() else text


def _encode(text: str, stream: Any = None) -> bytes:
    encoding = getattr(stream or sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace")


def _guarded(call: Any, *args: Any) -> None:
    """Write to standard output. Raises SystemExit if its reader has gone, and LocalFileError for other errors."""
    try:
        call(*args)
    except BrokenPipeError:  # the reader of the output has gone: not an error, and nothing to report
        abandon_output()
        raise SystemExit(CLOSED_PIPE) from None
    except (OSError, ValueError) as error:  # ValueError: the stream was closed
        from anyurl.errors.reasons import reason_of

        abandon_output()
        why = "it is closed" if isinstance(error, ValueError) else reason_of(error)
        raise LocalFileError(f"Can't write to the standard output: {why}.") from error


def abandon_output() -> None:
    """Redirect standard output to the null device: what is still buffered would raise again when Python exits."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        pass  # it has no descriptor, so Python has nothing to flush


def show_version() -> int:
    """Write the version; returns the exit code."""
    from anyurl._version import __version__

    console = Console()
    try:
        console.line(f"{NAME} {__version__}")
        console.flush()
    except LocalFileError as error:
        console.say(str(error))
        return LOCAL_FILE
    return OK
