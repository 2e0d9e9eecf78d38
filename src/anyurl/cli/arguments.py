"""The arguments and options of commands as data, and a parser for plain command lines.

Rule: one description for both parsers. `anyurl.cli.app` makes click commands from it, for help, completion and error
messages; `read` parses unambiguous command lines, so that these start without click, whose import takes longer than
Python's own start. Anything unusual or wrong is left to click.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from anyurl._typing import TYPE_CHECKING, Any, TypeVar
from anyurl.errors import AnyURLError

if TYPE_CHECKING:
    from anyurl.cli.console import Console

Function = TypeVar("Function", bound=Callable[..., Any])
Convert = Callable[["Console", Any], Any]

_LIST = "_parameters"


class UsageError(AnyURLError):
    """The command line, or the file of settings, asks for what can't be.

    Attributes:
        command: The name of the command whose help tells more; None for that of all commands.
    """

    command: str | None = None

    def __init__(self, message: str) -> None:
        # What the library raises about a value, to a program, is no sentence.
        super().__init__(message if message.endswith((".", "?")) else f"{message}.")


class Parameter:
    """An argument or an option; used as a decorator it becomes one of the command's.

    Args:
        names: As they are typed (``-o``, ``--output``); one without hyphens names the parameter of the function.
        metavar: What the help calls the value.
        help: One line of it.
        convert: ``(console, value) -> value``, called even if nothing was given; raises UsageError.
        choices: The values that there are, or None for any.
        between: The least and the largest number, or None when it is a text.
        is_flag: It has no value.
        is_eager: It is looked at before the others.
        is_passed: The command gets the value.
        multiple: It may be repeated; the value is a tuple.
        many: Of an argument: it takes all words that are left.
        required: Of an argument: there must be one.
        default: The value where none is given.
        envvar: The variable of the environment that gives it otherwise.
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

    def read(self, text: str) -> Any:
        """The value of a text. Raises ValueError for one that click has to complain of, or to understand."""
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
        name: As it is typed.
        parameters: In the order of the help.
        help: What the docstring of the function says.
        short_help: The line in the list of commands; the first of `help` when None.
    """

    __slots__ = ("name", "parameters", "help", "short_help", "_function")

    def __init__(self, name: str, function: Callable[..., int | None], short_help: str | None = None) -> None:
        self.name = name
        self.parameters: tuple[Parameter, ...] = tuple(reversed(function.__dict__.get(_LIST, ())))
        self.help = function.__doc__
        self.short_help = short_help
        self._function = function

    def run(self, console: Console, values: Mapping[str, Any]) -> int:
        """Do it; returns the exit code. Raises UsageError, and what the command itself raises."""
        try:
            return self._function(console, **values) or 0
        except UsageError as error:
            error.command = self.name
            raise


def as_command(name: str, *, short_help: str | None = None) -> Callable[[Callable[..., int | None]], Subcommand]:
    """Make a function that takes the console, and its parameters by name, a command."""

    def make(function: Callable[..., int | None]) -> Subcommand:
        return Subcommand(name, function, short_help)

    return make


def read(
    command: Subcommand, words: Sequence[str], console: Console, defaults: Mapping[str, str]
) -> dict[str, Any] | None:
    """The values of a plain command line by parameter; None for one that click has to look at.

    Args:
        words: What stands behind the command's name.
        defaults: What the file of settings says, by parameter.

    Raises:
        UsageError: A value is wrong; click finds the same and says where it stands.
        AnyURLError: It is no URL.
    """
    given = _split(command, words)
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


def _split(command: Subcommand, words: Sequence[str]) -> dict[str, list[str]] | None:
    """The texts that each parameter is given; None where that is in question."""
    options = {name: parameter for parameter in command.parameters for name in parameter.names}
    given: dict[str, list[str]] = {}
    rest = []
    ahead = iter(words)
    for word in ahead:
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
    """Give the words that are no options to the arguments; whether they are as many as there must be."""
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
    """The command line, then the environment, then the file of settings, then the default. Raises ValueError."""
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
