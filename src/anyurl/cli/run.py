"""One run of the command: each way of ending becomes an exit code.

Rule: `run` only returns a code, and never raises. A command's module is imported when the command is called, and click
only for command lines that are not plain (`anyurl.cli.arguments`).
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, NoReturn

from anyurl.cli import exits
from anyurl.cli.arguments import Subcommand, UsageError, read
from anyurl.cli.command_table import COMMANDS, defaults_of, load, read_settings
from anyurl.cli.terminal.console import NAME, Console, abandon_output
from anyurl.errors import AnyURLError, LocalFileError, MissingExtraError, URLSyntaxError
from anyurl.errors.reasons import EXHAUSTED

_ENDING = ("TERM", "HUP", "QUIT", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "XCPU", "BREAK")
ENDING = tuple(getattr(signal, f"SIG{name}") for name in _ENDING if hasattr(signal, f"SIG{name}"))
"""Signals that end a process by default, which would leave a terminal in raw mode."""

PARTS = {"ada_url": "browser", "click": "cli", "pycurl": "http", "rich": "cli"}
"""The modules that the extra `full` brings, each with its own extra."""


def run(args: Sequence[str]) -> int:
    """Run the command line; returns the exit code, whatever happens."""
    console = Console()
    try:
        with _Signals():
            code = _invoke(args, console)
            console.flush()
        return code
    except SystemExit as ended:  # a signal, or the reader of the output has gone
        abandon_output()
        return ended.code if isinstance(ended.code, int) else exits.BUG
    except KeyboardInterrupt:
        abandon_output()  # a reader that has stopped reading must not block the exit
        if console.has_audience:
            console.aside("")  # ends the line on which the terminal wrote ^C
        return exits.INTERRUPTED
    except BrokenPipeError:  # the reader of click's help has gone
        code = exits.CLOSED_PIPE
    except UsageError as error:
        code = exits.USAGE
        console.json |= "--json" in args[: args.index("--") if "--" in args else None]  # the options were not parsed
        _say_usage(console, error)
    except AnyURLError as error:
        code = exits.exit_code(error)
        _report(console, error)
    except Exception as error:  # a bug: a person gets a sentence, and a script an exit code of its own
        told = _of_the_system(error) or _of_the_output(error) or _of_the_installation(error)
        code = exits.BUG if told is None else exits.exit_code(told)
        _report(console, told or error)
    _flush_or_abandon(console)
    return code


def _invoke(args: Sequence[str], console: Console) -> int:
    json_value = "--json" in args[:-1] and args[args.index("--json") + 1][:1] in ("{", "[", '"', "@")
    plain = None if json_value else _read(args, console)  # it would be read as a URL
    if plain is None:
        from anyurl.cli.curl_words import translated

        ours = translated(args)
        plain = None if list(ours) == list(args) else _read(ours, console)
        args = ours
    if plain is not None:
        command, values = plain
        return command.run(console, values)
    from anyurl.cli.app import invoke

    return invoke(args, console)


def _read(args: Sequence[str], console: Console) -> tuple[Subcommand, dict[str, Any]] | None:
    """The command and its values if the command line is plain and valid; None leaves it to click."""
    if not args or args[0] not in COMMANDS:
        return None
    try:
        read_settings(console, args[0])
        command = load(args[0])
        values = read(command, args[1:], console, defaults_of(console, command.name))
    except AnyURLError:
        return None
    return None if values is None else (command, values)


def _report(console: Console, error: Exception) -> None:
    """`report`, also if the system lets its modules not be loaded."""
    try:
        report(console, error)
    except Exception as another:
        told = _of_the_system(another)
        if told is None:
            raise
        console.say(str(told))  # the other error could hold a password, and only a module could hide it


def _of_the_system(error: Exception) -> LocalFileError | None:
    """The error if the system lacks something, wherever that was noticed, mostly while loading a module. Else None."""
    if isinstance(error, MemoryError):
        return LocalFileError("There is not enough memory.")
    for number in EXHAUSTED:
        words = os.strerror(number)
        # The system's loader of libraries says why, but has no number.
        if (isinstance(error, OSError) and error.errno == number) or (
            isinstance(error, ImportError) and words in str(error)
        ):
            return LocalFileError(f"The system gives this process no more: {words[:1].lower()}{words[1:]}.")
    if isinstance(error, FileNotFoundError):
        try:
            os.getcwd()
        except FileNotFoundError:
            return LocalFileError("The current folder was removed: no path can begin there.")
    return None


def _of_the_output(error: Exception) -> LocalFileError | None:
    """The error if click failed to write its help, as `Console` would raise it; otherwise None."""
    click = sys.modules.get("click")
    if click is None or not isinstance(error, OSError):
        return None
    from traceback import walk_tb

    frames = [frame for frame, _line in walk_tb(error.__traceback__)]
    if frames[-1].f_code is not click.echo.__code__:
        return None
    from anyurl.errors.reasons import reason_of

    return LocalFileError(f"Can't write to the standard output: {reason_of(error)}.")


def _of_the_installation(error: Exception) -> MissingExtraError | None:
    """The error for a package of an extra that is not installed. Otherwise None."""
    if not isinstance(error, ModuleNotFoundError) or error.name not in PARTS:
        return None
    extra = PARTS[error.name]
    return MissingExtraError(
        f"This needs {error.name}: in a clone of anyurl, pip install '.[{extra}]'.",
        extra=extra,
    )


def _flush_or_abandon(console: Console) -> None:
    """Flush the output from before the error; if that fails too, discard it, since an error was reported."""
    try:
        console.flush()
    except (AnyURLError, SystemExit):
        abandon_output()


class _Signals:
    """Turns signals that would end the process into exceptions, so that the command cleans up."""

    def __enter__(self) -> None:
        self._before = {number: signal.getsignal(number) for number in ENDING}
        for number, handler in self._before.items():
            if handler == signal.SIG_DFL:  # not if it is ignored, as SIGHUP under nohup
                signal.signal(number, self._stop)

    def __exit__(self, kind: object, error: BaseException | None, frames: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)


def _say_usage(console: Console, error: UsageError) -> None:
    from anyurl.cli.terminal import caret

    if console.json:
        _record(console, error)
    for line in caret.masked_everywhere(str(error)).splitlines():
        console.say(line)
    path = NAME if error.command is None else f"{NAME} {error.command}"
    console.aside(f"Try '{path} --help'.")


def report(console: Console, error: Exception) -> None:
    """Report an error in a sentence on standard error, and with ``--json`` also as an object on standard output."""
    if console.json:
        _record(console, error)
    if isinstance(error, URLSyntaxError):
        from anyurl.cli.terminal import caret

        caret.complain(console, error.text, caret.judged(error))
    elif isinstance(error, AnyURLError):
        from anyurl.cli.terminal import caret

        for note in getattr(error, "__notes__", ()):
            console.say(f"note: {caret.masked_everywhere(note)}")
        console.say(caret.masked_everywhere(str(error)))
    else:
        from anyurl.errors.reasons import fault_of

        console.say(f"{fault_of(error)}. Please report it with the command that you typed.")


def _record(console: Console, error: Exception) -> None:
    from anyurl.cli.records import error_record

    try:
        console.record(error_record(error, console.subject))
    except (AnyURLError, SystemExit):
        pass  # standard output has failed or has no reader: standard error still gets the sentence
