"""The click command group: help, completion, and error messages for wrong command lines.

Rule: `App.main` raises only `SystemExit`. No other module imports click, and its commands are made from the
descriptions in `anyurl.cli.arguments`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.core import ParameterSource

from anyurl.cli import exits
from anyurl.cli.arguments import Convert, Parameter, Subcommand, UsageError
from anyurl.cli.command_table import COMMANDS, defaults_of, load, read_settings
from anyurl.cli.config import COMPLETE_FROM, config_path, read_config
from anyurl.cli.terminal.console import NAME, Console, show_version
from anyurl.errors import AnyURLError
from anyurl.errors.reasons import nearest

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

WANTS_HELP = "anyurl.wants_help"
"""The key in a context's `meta` that says whether --help is on the command line."""

COMPLETION = "_ANYURL_COMPLETE"
"""The environment variable with which a shell asks click for completions."""


class App(click.Group):
    """The command `anyurl`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name; None if there is none."""
        return _as_click(load(cmd_name)) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but for an unknown name suggest the nearest command, and for a URL ``anyurl get``."""
        name = args[0] if args else ""
        if args and name not in COMMANDS and not name.startswith("-"):
            ctx.fail(f"There is no command {name!r}{_hint(name)}")
        ctx.meta[WANTS_HELP] = not {"-h", "--help"}.isdisjoint(args[: args.index("--") if "--" in args else None])
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        raise click.exceptions.Exit(show_version())


@click.group(
    cls=App,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="anyurl COMMAND --help shows details. Exit codes: 0 ok, 1 faults found, 2 usage, 3 not a URL, 4 "
    "unsupported, 5 refused by the policy, 6 no connection, 7 transfer failed, 8 refused by the server, 9 "
    "local file.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@click.pass_context
def app(ctx: click.Context) -> int:
    """Parse any URL, and fetch the resource that it points at (RFC 1738, for today)."""
    console = ctx.ensure_object(Console)
    try:
        read_settings(console, ctx.invoked_subcommand)
    except AnyURLError:
        if ctx.meta.get(WANTS_HELP):
            return _help_without_settings(ctx, console)
        raise
    ctx.default_map = {name: defaults_of(console, name) for name in COMMANDS}
    if ctx.invoked_subcommand is None:
        console.lines(ctx.get_help().splitlines())
        return exits.USAGE
    return exits.OK


def _help_without_settings(ctx: click.Context, console: Console) -> NoReturn:
    """Show a command's help without reading the settings file; whatever else is on the command line is ignored."""
    name = ctx.invoked_subcommand or ""
    command = app.get_command(ctx, name) or app
    with click.Context(command, info_name=name, parent=ctx) as inner:
        console.lines(inner.get_help().splitlines())
    raise click.exceptions.Exit(exits.OK)


def complete() -> NoReturn:
    """Write the completions that a shell asks for, and exit."""
    if os.environ.get(COMPLETION, "").startswith("bash"):
        from anyurl.cli.hosts import joined

        words, place = joined(os.environ.get("COMP_WORDS", ""), int(os.environ.get("COMP_CWORD", "0")))
        os.environ.update({"COMP_WORDS": words, "COMP_CWORD": str(place)})
    app.main(prog_name=NAME, complete_var=COMPLETION)


def completion_source(shell: str) -> str:
    """The script with which a shell asks for completions."""
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    # Not the method of the class: that of bash runs bash to get its version.
    source = ShellComplete.source(kind(app, {}, NAME, COMPLETION))
    return source.replace('string split ","', 'string split -m 1 ","')  # in fish a comma would end a description


def _complete_scheme(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from anyurl.url.syntax import ROWS

    return sorted(name for name, row in ROWS.items() if row.module and name.startswith(incomplete))


def _complete_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete files; where a URL is also allowed, hosts as soon as it is one."""
    from click.shell_completion import CompletionItem

    if "URL" in (param.metavar or "") and "://" in incomplete:
        return [CompletionItem(each) for each in _complete_url(ctx, param, incomplete)]
    return [CompletionItem(incomplete, type="file")]


def _complete_folder(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def _complete_url(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete hosts, if the settings file names a file to take them from."""
    from anyurl.cli import hosts
    from anyurl.errors import AnyURLError

    try:
        path = read_config().get(COMPLETE_FROM)
    except AnyURLError:
        return []  # the next command will report the error
    found = hosts.roots(path) if isinstance(path, str) else []
    return hosts.completed(found, incomplete, behind_colon=os.environ.get(COMPLETION, "").startswith("bash"))


def invoke(args: Sequence[str], console: Console) -> int:
    """Parse a command line with click and run the command; returns the exit code.

    Raises:
        UsageError: click rejects the command line, or the command does.
    """
    try:
        with app.make_context(NAME, list(args), obj=console) as ctx:
            code = app.invoke(ctx)
    except click.exceptions.Exit as ended:  # --help, --version
        return ended.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        raise _as_ours(error, args) from None
    return code if isinstance(code, int) else exits.OK


@cache
def _as_click(command: Subcommand) -> click.Command:
    def run(**values: Any) -> int:
        return command.run(click.get_current_context().ensure_object(Console), values)

    parameters = [_as_option(each) if each.names else _as_argument(each) for each in command.parameters]
    return click.Command(
        command.name, callback=run, params=parameters, help=command.help, short_help=command.short_help
    )


def _as_option(parameter: Parameter) -> click.Parameter:
    facts: dict[str, Any] = {"help": _help(parameter), "is_eager": parameter.is_eager}
    facts |= {"is_flag": True} if parameter.is_flag else {"type": _type(parameter), "envvar": parameter.envvar}
    if parameter.default is not None:
        facts |= {"default": parameter.default, "show_default": True}
    return click.Option(
        [*parameter.names, parameter.dest],
        metavar=parameter.metavar,
        multiple=parameter.multiple,
        shell_complete=_completer(parameter),
        expose_value=parameter.is_passed,
        callback=_callback(parameter.convert),
        **facts,
    )


def _help(parameter: Parameter) -> str | None:
    """The help text of a parameter, followed by its choices if they are too many for the left column."""
    if parameter.choices is None or parameter.metavar is None:
        return parameter.help
    return f"{parameter.help} One of {', '.join(parameter.choices)}."


def _as_argument(parameter: Parameter) -> click.Parameter:
    return click.Argument(
        [parameter.dest],
        type=_type(parameter),
        metavar=parameter.metavar,
        nargs=-1 if parameter.many else 1,
        required=parameter.required,
        shell_complete=_completer(parameter),
        callback=_callback(parameter.convert),
    )


_COMPLETERS: dict[str, Callable[[click.Context, click.Parameter, str], Any]] = {
    "SCHEME": _complete_scheme, "URL": _complete_url, "FILE": _complete_file, "OUT": _complete_file,
    "FOLDER": _complete_folder, "DIR": _complete_folder,
}  # fmt: skip
"""The completion of a value, by the first word of its metavar; other values are not completed."""


def _completer(parameter: Parameter) -> Callable[[click.Context, click.Parameter, str], Any] | None:
    return _COMPLETERS.get(parameter.noun)


def _type(parameter: Parameter) -> click.ParamType[Any] | None:
    if parameter.choices is not None:
        return click.Choice(parameter.choices, case_sensitive=parameter.is_case_sensitive)
    if parameter.is_path:
        return _Path()
    return None if parameter.between is None else _Range(*parameter.between)


class _Path(click.ParamType[str]):
    """The name of a file or a folder: an empty one, mostly of a variable that is not set, would be no place at all."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value:
            self.fail("an empty text is not the name of a file or folder.", param, ctx)
        return str(value)


class _Range(click.IntRange):
    """An integer range that the help and the error messages describe in words."""

    def _describe_range(self) -> str:
        return f"{self.min:,} to {self.max:,}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not a number from {self._describe_range()}", param, ctx)


def _callback(convert: Convert | None) -> Callable[[click.Context, click.Parameter, Any], Any] | None:
    if convert is None:
        return None

    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        try:
            return convert(ctx.ensure_object(Console), value)
        except UsageError as error:
            raise click.BadParameter(str(error), ctx, param) from None

    return callback


def _as_ours(error: click.ClickException, args: Sequence[str]) -> UsageError:
    message = error.format_message()
    if isinstance(error, click.NoSuchOption):
        message = f"There is no option {error.option_name!r}{nearest(error.option_name, error.possibilities or ())}"
    told = UsageError(f"{_origin(error)}{message}")
    # An error about an option's value does not name the command.
    told.command = args[0] if args and args[0] in COMMANDS else None
    return told


def _origin(error: click.ClickException) -> str:
    """The settings file or the variable that has the wrong value, if it is not on the command line."""
    if not isinstance(error, click.BadParameter) or isinstance(error, click.MissingParameter):
        return ""
    ctx, param = error.ctx, error.param
    if ctx is None or param is None or param.name is None:
        return ""
    source = ctx.get_parameter_source(param.name)
    if source is ParameterSource.ENVIRONMENT:
        return f"{param.envvar}: "
    return f"{config_path()}: " if source in (ParameterSource.DEFAULT_MAP, ParameterSource.DEFAULT) else ""


def _hint(name: str) -> str:
    if ":" in name:
        return f"; `{NAME} get URL` downloads what a URL designates"
    return nearest(name, COMMANDS) or f"; there are {', '.join(COMMANDS)}"
