"""URLs as parameters of click's commands: ``@click.argument("url", type=URLParam())``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from anyurl.adapters.reading import URLReader
from anyurl.grammar.grammars import GrammarName
from anyurl.guard.policy import Policy
from anyurl.url import URL
from anyurl.values import shown

__all__ = ["URLParam"]

if TYPE_CHECKING:
    Base = click.ParamType[URL]
else:  # it takes no type before click 8.2
    Base = click.ParamType


class URLParam(Base):
    """A parameter that is a `URL`.

    Args:
        grammar: As `anyurl.parse` has it.
        policy: The policy that must allow the URL, judged by its text alone; None for any. It judges them as your
            program's own: a command line is written by its user.

    Attributes:
        name: ``url``, as click names the type in messages.
    """

    name = "url"

    def __repr__(self) -> str:
        return shown(self, "_read.grammar", "_read.policy.name")

    def __init__(self, *, grammar: GrammarName = "current", policy: Policy | None = None) -> None:
        self._read = URLReader(grammar=grammar, policy=policy)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> URL:
        """Called by click. Raises click.BadParameter."""
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
