"""The command group: which commands there are, and how each way of ending becomes an exit code.

Rule: nothing comes out of `App.main` but `SystemExit`. A command's module is imported when the command is called.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import click
from click.core import ParameterSource

from anyurl.cli import exits
from anyurl.cli.config import GATEWAYS, PROGRAMS, as_defaults, config_path, read_config
from anyurl.cli.console import NAME, Console, abandon_output, show_version
from anyurl.errors import AnyURLError, LocalFileError, URLSyntaxError

COMMANDS = (
    "get", "ls", "stat", "search",
    "put", "append",
    "parse", "fix", "explain", "find",
    "schemes", "demo", "serve",
)  # fmt: skip
"""Every command, in the order of the help; each is the module of that name, and its ``command``."""

SOON = 0.01
"""Seconds until a signal that was swallowed is raised again: what swallowed it is over by then, or does so again."""

COMPLETION = "_ANYURL_COMPLETE"
"""The variable by which a shell asks click for completions."""


class App(click.Group):
    """The command `anyurl`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"anyurl.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, but a name that is no command gets the nearest one, and a URL the way to get it."""
        name = args[0] if args else ""
        if args and name not in COMMANDS and not name.startswith("-"):
            ctx.fail(f"there is no command {name!r}{_hint(name)}")
        return super().resolve_command(ctx, args)

    def main(self, args: Sequence[str] | None = None, *more: Any, **extra: Any) -> Any:
        """Run one command line, that of the process when none is given, and exit with its code."""
        if COMPLETION in os.environ:
            super().main(args, prog_name=NAME, complete_var=COMPLETION)
        raise SystemExit(_run(self, sys.argv[1:] if args is None else args))


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        raise click.exceptions.Exit(show_version())


@click.group(
    cls=App,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="anyurl COMMAND --help tells more. Exit codes: 0 ok, 1 faults found, 2 usage, 3 not a URL, 4 scheme can't, "
    "5 refused, 6 no connection, 7 transfer broke, 8 the server said no, 9 local file.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show it, and exit."
)
@click.pass_context
def app(ctx: click.Context) -> int:
    """Read any URL, and get what it points at (RFC 1738, for today)."""
    config = read_config()
    if config:
        # explain judges by a policy only when it is asked to
        ctx.default_map = {name: as_defaults(config) for name in COMMANDS if name != "explain"}
        ctx.meta[GATEWAYS] = config.get(GATEWAYS, {})
        ctx.meta[PROGRAMS] = config.get(PROGRAMS, {})
    if ctx.invoked_subcommand is None:
        ctx.ensure_object(Console).lines(ctx.get_help().splitlines())
        return exits.USAGE
    return exits.OK


def _hint(name: str) -> str:
    from difflib import get_close_matches

    if ":" in name:
        return f"; `{NAME} get URL` gets what a URL points at"
    near = get_close_matches(name, COMMANDS, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; there is {', '.join(COMMANDS)}"


def _run(command: App, args: Sequence[str]) -> int:
    """Run the command line; every way in which it may end is a code."""
    console = Console()
    try:
        with _signals():
            code = _invoke(command, args, console)
            console.flush()
        return code
    except SystemExit as ended:  # a signal, or the reader of the output has gone
        abandon_output()
        return ended.code if isinstance(ended.code, int) else exits.BUG
    except (KeyboardInterrupt, click.Abort):
        abandon_output()  # a reader that has stopped reading must not hold up the end
        if console.has_audience:
            console.aside("")  # the line on which the terminal wrote ^C
        return exits.INTERRUPTED
    except BrokenPipeError:  # click's own help was not read to its end
        code = exits.CLOSED_PIPE
    except click.ClickException as error:
        code = exits.USAGE
        _say_usage(console, error)
    except AnyURLError as error:
        code = exits.exit_code(error)
        _report(console, error)
    except Exception as error:  # whatever it is, a person is told in a sentence, and a script by a code of its own
        told = _of_the_output(error) or error
        code = exits.LOCAL_FILE if told is not error else exits.BUG
        _report(console, told)
    _flush_or_abandon(console)
    return code


def _of_the_output(error: Exception) -> LocalFileError | None:
    """The same as `Console` would have it, where click's own help could not be written."""
    from traceback import walk_tb

    frames = [frame for frame, _line in walk_tb(error.__traceback__)]
    if not isinstance(error, OSError) or frames[-1].f_code is not click.echo.__code__:
        return None
    return LocalFileError(f"can't write to the standard output: {error.strerror or error}")


def _flush_or_abandon(console: Console) -> None:
    """What came before the error still goes out; if it can't, the error that is already told is enough."""
    try:
        console.flush()
    except (AnyURLError, SystemExit):
        abandon_output()


def _invoke(command: App, args: Sequence[str], console: Console) -> int:
    try:
        with command.make_context(NAME, list(args), obj=console) as ctx:
            code = command.invoke(ctx)
    except click.exceptions.Exit as ended:  # --help, --version
        return ended.exit_code
    return code if isinstance(code, int) else exits.OK


@contextmanager
def _signals() -> Iterator[None]:
    """SIGTERM and SIGHUP unwind the command as an exception does: what it has begun is undone.

    A finalizer swallows whatever is raised in it, a signal too (Ctrl-C as well): that one is raised once more.
    """
    swallowed: list[BaseException] = []
    complain = sys.unraisablehook

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    def stop_now(number: int, frame: FrameType | None) -> None:
        if swallowed:
            raise swallowed.pop()

    def find_swallowed(found: sys.UnraisableHookArgs) -> None:
        if not isinstance(found.exc_value, KeyboardInterrupt | SystemExit):
            complain(found)
            return
        with suppress(ValueError):  # another thread than the main one: it was no signal
            signal.signal(signal.SIGALRM, stop_now)
            swallowed[:] = [found.exc_value.with_traceback(None)]
            signal.setitimer(signal.ITIMER_REAL, SOON)

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)}
    try:
        for number, handler in before.items():
            if handler is signal.SIG_DFL and number != signal.SIGALRM:  # nohup ignores SIGHUP, and so do we then
                signal.signal(number, stop)
        sys.unraisablehook = find_swallowed
        yield
    finally:
        sys.unraisablehook = complain
        if swallowed:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _say_usage(console: Console, error: click.ClickException) -> None:
    from anyurl.cli import caret

    for line in caret.masked_everywhere(f"{_origin(error)}{error.format_message()}").splitlines():
        console.say(line)
    ctx = getattr(error, "ctx", None)
    if ctx is not None:
        console.aside(f"Try '{ctx.command_path} --help'.")


def _origin(error: click.ClickException) -> str:
    """The file of settings, if what is wrong stands there and not on the command line."""
    if not isinstance(error, click.BadParameter) or isinstance(error, click.MissingParameter):
        return ""
    ctx, param = error.ctx, error.param
    if ctx is None or param is None or param.name is None:
        return ""
    if ctx.get_parameter_source(param.name) not in (ParameterSource.DEFAULT_MAP, ParameterSource.DEFAULT):
        return ""
    return f"{config_path()}: "


def _report(console: Console, error: Exception) -> None:
    """One sentence on standard error, and with ``--json`` one object on standard output as well."""
    if console.json:
        from anyurl.cli.records import error_record

        try:
            console.record(error_record(error, console.subject))
        except (AnyURLError, SystemExit):
            pass  # standard output is what has failed, or nobody reads it: the sentence is still said
    if isinstance(error, URLSyntaxError):
        from anyurl.cli import caret

        first, *carets = caret.point_out(error.text, caret.judged(error))
        console.say(first)
        for line in carets:
            console.aside(" " * len(f"{NAME}: ") + line)
    elif isinstance(error, AnyURLError):
        from anyurl.cli import caret

        console.say(caret.masked_everywhere(str(error)))
    else:
        console.say(f"a fault of anyurl itself ({_place(error)}); please report it with the command that you typed")


def _place(error: Exception) -> str:
    """The kind of an unforeseen error and where it came up; not its text, which may hold anything."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    frame = next((frame for frame in reversed(frames) if f"{os.sep}anyurl{os.sep}" in frame.filename), None)
    if frame is None:
        return type(error).__name__
    room = frame.filename.rpartition(f"{os.sep}anyurl{os.sep}")[2]
    return f"{type(error).__name__} in {room}, line {frame.lineno}"
