"""The arguments and options that commands share, and the types of their values.

Rule: an option is defined once, so that it means the same in every command.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from anyurl.cli.console import Console

if TYPE_CHECKING:
    from anyurl.url import URL

Command = TypeVar("Command", bound=Callable[..., Any])

UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}


_GRAMMAR = "anyurl.grammar"
"""Where the context keeps the grammar that was asked for, for whatever reads a URL."""


def url_argument(command: Command) -> Command:
    """The argument URL, and ``--grammar``; what is none ends the command with the place of its fault."""
    return click.argument("url", metavar="URL", callback=to_url)(_grammar_option(command, expose=False))


def to_url(ctx: click.Context, param: click.Parameter, value: str) -> URL:
    """Raises URLSyntaxError."""
    from anyurl.url import parse

    url = parse(value, ctx.meta.get(_GRAMMAR, "current"))
    ctx.ensure_object(Console).subject = url.masked
    return url


def to_urls(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[URL, ...]:
    """Raises URLSyntaxError."""
    from anyurl.url import parse

    return tuple(parse(value, ctx.meta.get(_GRAMMAR, "current")) for value in values)


def to_octets(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """A number of octets: ``500``, ``64k``, ``10M``, ``2G`` (of 1024). Raises click's BadParameter."""
    if value is None:
        return None
    digits = value.rstrip("kmgtKMGT")
    unit = value[len(digits) :].lower()
    if not (digits.isascii() and digits.isdigit()) or unit not in UNITS:
        raise click.BadParameter(f"{value!r} is no number of bytes; 500, 64k, 10M or 2G would be", ctx, param)
    return int(digits) * UNITS[unit]


def to_seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """A positive number of seconds. Raises click's BadParameter."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise click.BadParameter(f"{value!r} is no time to wait; 30 or 0.5 (seconds) would be", ctx, param)
    return seconds


def json_option(command: Command) -> Command:
    """``--json``, which the console learns of before anything else is looked at."""

    def switch(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        ctx.ensure_object(Console).json |= value

    text = "Write one JSON object a line."
    return click.option("--json", is_flag=True, is_eager=True, expose_value=False, callback=switch, help=text)(command)


def grammar_option(command: Command) -> Command:
    """``--grammar``, as an argument of the command."""
    return _grammar_option(command, expose=True)


def _grammar_option(command: Command, *, expose: bool) -> Command:
    def known(ctx: click.Context, param: click.Parameter, value: str) -> str:
        from anyurl.url.grammars import GRAMMARS

        if value not in GRAMMARS:
            raise click.BadParameter(f"there is no grammar {value!r}; there is {', '.join(GRAMMARS)}", ctx, param)
        ctx.meta[_GRAMMAR] = value
        return value

    text = "Read by this grammar: today's RFC of each scheme is `current`."
    return click.option(
        "--grammar", metavar="NAME", default="current", show_default=True, callback=known, help=text, is_eager=True,
        expose_value=expose,
    )(command)  # fmt: skip
