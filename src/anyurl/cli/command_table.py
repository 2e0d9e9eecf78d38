"""The commands of `anyurl`: their names, their modules, and their defaults from the settings file.

Rule: a command's module is imported when the command is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from anyurl.cli.arguments import Subcommand
from anyurl.cli.config import PLUGINS, as_defaults, config_path, read_config
from anyurl.cli.terminal.console import Console
from anyurl.errors import SchemeError

COMMANDS = (
    "get", "ls", "stat", "search", "mirror",
    "put", "append",
    "parse", "fix", "explain", "find", "check", "columns",
    "schemes", "demo", "serve", "web", "proxy", "mcp", "completions",
)  # fmt: skip
"""Every command, in the order of the help; each is `command` in the module of that name."""


def load(name: str) -> Subcommand:
    """Import the command of that name."""
    command: Subcommand = import_module(f"anyurl.cli.commands.{name}").command
    return command


def read_settings(console: Console, name: str | None) -> None:
    """Read the settings file into the console, and load the plug-ins that it names.

    Args:
        name: The command. For `mcp` no plug-ins are loaded: a model gets no scheme that a person allows themselves.

    Raises:
        UsageError: The file has invalid settings.
        LocalFileError: The file can't be read.
        SchemeError: A plug-in can't be loaded.
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
    """The defaults of a command from the settings file, by parameter.

    `explain`, `mcp` and `proxy` take no defaults: `explain` judges only on request, and the user's settings do not
    apply to a model or to other programs.
    """
    return {} if name in ("explain", "mcp", "proxy") else as_defaults(console.settings)
