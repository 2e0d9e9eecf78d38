"""The arguments and options of commands as data, and a parser for plain command lines.

Rule: one description for both parsers. `anyurl.cli.app` makes click commands from it, for help, completion and error
messages; `read` parses unambiguous command lines, so that these start without click, whose import takes longer than
Python's own start. Anything unusual or wrong is left to click.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from anyurl.errors import AnyURLError

if TYPE_CHECKING:
    from anyurl.cli.terminal.console import Console

Function = TypeVar("Function", bound=Callable[..., Any])
Convert = Callable[["Console", Any], Any]

_LIST = "_parameters"


class UsageError(AnyURLError):
    """The command line or the settings file is invalid.

    Attributes:
        command: The name of the command whose help is recommended; None for the general help.
    """

    command: str | None = None

    def __init__(self, message: str) -> None:
        # The library's errors for programs are not sentences.
        super().__init__(message if message.endswith((".", "?")) else f"{message}.")


class Parameter:
    """An argument or an option; as a decorator it adds itself to a command.

    Args:
        names: The names as typed (``-o``, ``--output``); one without hyphens names the parameter of the function.
        metavar: The name of the value in the help.
        help: The help text.
        convert: ``(console, value) -> value``, called even if nothing was given; raises UsageError.
        choices: The allowed values, or None for any.
        between: The smallest and the largest number, or None if the value is a text.
        is_flag: The option has no value.
        is_eager: It is processed before the others.
        is_passed: The value is passed to the command.
        multiple: The option may be repeated; the value is a tuple.
        many: The argument takes all remaining words.
        required: The argument must be given.
        default: The value if none is given.
        envvar: The environment variable that provides the value if the command line does not.
    """

    __slots__ = (
        "names", "dest", "metavar", "help", "convert", "choices", "is_case_sensitive", "between", "is_flag",
        "is_eager", "is_passed", "multiple", "many", "required", "default", "envvar",
    )  # fmt: skip

    def __init__(
        self,
        *names: str,
        metavar: str | None = None,
        help: str | None = None,
        convert: Convert | None = None,
        choices: Sequence[str] | None = None,
        is_case_sensitive: bool = True,
        between: tuple[int, int] | None = None,
        is_flag: bool = False,
        is_eager: bool = False,
        is_passed: bool = True,
        multiple: bool = False,
        many: bool = False,
        required: bool = False,
        default: str | None = None,
        envvar: str | None = None,
    ) -> None:
        self.names = tuple(name for name in names if name.startswith("-"))
        bare = [name for name in names if not name.startswith("-")]
        self.dest = bare[0] if bare else max(self.names, key=len).lstrip("-").replace("-", "_")
        self.metavar = metavar
        self.help = help
        self.convert = convert
        self.choices = choices
        self.is_case_sensitive = is_case_sensitive
        self.between = between
        self.is_flag = is_flag
        self.is_eager = is_eager
        self.is_passed = is_passed
        self.multiple = multiple
        self.many = many
        self.required = required
        self.default = default
        self.envvar = envvar

    def __call__(self, function: Function) -> Function:
        function.__dict__.setdefault(_LIST, []).append(self)
        return function

    @property
    def noun(self) -> str:
        """The name of the value in the help, or of the first of several."""
        return (self.metavar or "").strip("[].").replace("|", "=").split("=")[0]

    @property
    def is_path(self) -> bool:
        """Whether the value is the name of a file or a folder."""
        return self.noun in ("FILE", "FOLDER", "OUT", "DIR")

    def read(self, text: str) -> Any:
        """Parse a value. Raises ValueError for one that is left to click, to parse or to report."""
        if not text and self.is_path:
            raise ValueError(text)
        if self.between is not None:
            number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
            if not self.between[0] <= number <= self.between[1]:
                raise ValueError(text)
            return number
        if self.choices is not None and text not in self.choices:
            raise ValueError(text)
        return text


class Subcommand:
    """One command of `anyurl`.

    Attributes:
        name: The name as typed.
        parameters: The arguments and options, in the order of the help.
        help: The docstring of the function.
        short_help: The line in the list of commands; None for the first line of `help`.
    """

    __slots__ = ("name", "parameters", "help", "short_help", "_function")

    def __init__(self, name: str, function: Callable[..., int | None], short_help: str | None = None) -> None:
        self.name = name
        self.parameters: tuple[Parameter, ...] = tuple(reversed(function.__dict__.get(_LIST, ())))
        self.help = function.__doc__
        self.short_help = short_help
        self._function = function

    def run(self, console: Console, values: Mapping[str, Any]) -> int:
        """Run the command; returns the exit code. Raises UsageError, and the errors of the command itself."""
        try:
            return self._function(console, **values) or 0
        except UsageError as error:
            error.command = self.name
            raise


def as_command(name: str, *, short_help: str | None = None) -> Callable[[Callable[..., int | None]], Subcommand]:
    """Make a command of a function that takes the console, and the parameters by name."""

    def make(function: Callable[..., int | None]) -> Subcommand:
        return Subcommand(name, function, short_help)

    return make


def read(
    command: Subcommand, words: Sequence[str], console: Console, defaults: Mapping[str, str]
) -> dict[str, Any] | None:
    """The values of a plain command line by parameter; None for one that is left to click.

    Args:
        words: The words after the command's name.
        defaults: The values of the settings file, by parameter.

    Raises:
        UsageError: A value is invalid; click finds the same error and reports its place.
        AnyURLError: A value is not a URL.
    """
    given = split(command, words)
    if given is None:
        return None
    values = {}
    for parameter in sorted(command.parameters, key=lambda each: not each.is_eager):
        try:
            value = _value(parameter, given.get(parameter.dest), defaults)
        except ValueError:
            return None
        if parameter.convert is not None:
            value = parameter.convert(console, value)
        if parameter.is_passed:
            values[parameter.dest] = value
    return values


def split(command: Subcommand, words: Sequence[str]) -> dict[str, list[str]] | None:
    """The texts given for each parameter, by its name; None if that is ambiguous, or a required one is missing."""
    options = {name: parameter for parameter in command.parameters for name in parameter.names}
    given: dict[str, list[str]] = {}
    rest: list[str] = []
    ahead = iter(words)
    for word in ahead:
        if word == "--":
            rest += ahead
            break
        if word == "-" or not word.startswith("-"):
            rest.append(word)
            continue
        name, equals, text = word.partition("=")
        option = options.get(name)
        if option is None or (equals and (option.is_flag or not name.startswith("--"))):
            return None
        if not equals and not option.is_flag:
            text = next(ahead, "")
            if text.startswith("-") and text != "-":
                return None
        if not option.is_flag and not text:
            return None
        given.setdefault(option.dest, []).append(text)
    return given if _place(command, rest, given) else None


def _place(command: Subcommand, rest: list[str], given: dict[str, list[str]]) -> bool:
    """Assign the words that are not options to the arguments; returns whether their number fits."""
    if not all(rest):
        return False
    for parameter in command.parameters:
        if parameter.names:
            continue
        taken, rest = (rest, []) if parameter.many else (rest[:1], rest[1:])
        if not taken and parameter.required:
            return False
        given[parameter.dest] = taken
    return not rest


def _value(parameter: Parameter, texts: list[str] | None, defaults: Mapping[str, str]) -> Any:
    """The value from the command line, the environment, the settings file, or the default. Raises ValueError."""
    if parameter.is_flag:
        return texts is not None
    if parameter.multiple or parameter.many:
        return tuple(map(parameter.read, texts or ()))
    text = texts[-1] if texts else None
    if text is None and parameter.envvar is not None:
        text = os.environ.get(parameter.envvar) or None
    if text is None:
        text = defaults.get(parameter.dest, parameter.default)
    return None if text is None else parameter.read(text)
