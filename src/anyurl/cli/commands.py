"""The commands of `anyurl`: their names, their modules, and what the file of settings gives each of them.

Rule: a command's module is imported when the command is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from anyurl.cli.arguments import Subcommand
from anyurl.cli.config import PLUGINS, as_defaults, config_path, read_config
from anyurl.cli.console import Console
from anyurl.errors import SchemeError

COMMANDS = (
    "get", "ls", "stat", "search", "mirror",
    "put", "append",
    "parse", "fix", "explain", "find", "check", "columns",
    "schemes", "demo", "serve", "web", "proxy", "mcp", "completions",
)  # fmt: skip
"""Every command, in the order of the help; each is the module of that name, and its ``command``."""


def load(name: str) -> Subcommand:
    """The command of that name, imported now."""
    command: Subcommand = import_module(f"anyurl.cli.{name}").command
    return command


def read_settings(console: Console, name: str | None) -> None:
    """Tell the console what the file of settings says, and load the plug-ins that it names.

    Args:
        name: Of the command. A model knows no scheme (`mcp`) that a person allows themselves.

    Raises:
        UsageError: The file holds something else.
        LocalFileError: It can't be read.
        SchemeError: A plug-in that it names can't be loaded.
    """
    console.settings = read_config()
    plugins = console.settings.get(PLUGINS)
    if plugins and name != "mcp":
        from anyurl.schemes.registry import load_plugins

        try:
            load_plugins(*plugins)
        except SchemeError as error:
            raise SchemeError(f"{config_path()}: {error}") from None


def defaults_of(console: Console, name: str) -> Mapping[str, str]:
    """What the file of settings says for a command, by parameter.

    explain judges only when it is asked to; what a person allows themselves, mcp does not allow a model.
    """
    return {} if name in ("explain", "mcp") else as_defaults(console.settings)
