"""Write the pages of the reference that follow from the code: ``python docs/reference.py``.

Rule: nothing here is known twice. The commands tell their options, the registry its schemes, the exit codes their
meanings; a test compares the pages with what this would write.
"""

from __future__ import annotations

import builtins
import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import get_args

import click

HERE = Path(__file__).resolve().parent
PUBLIC = (
    "anyurl", "anyurl.errors", "anyurl.url", "anyurl.grammar", "anyurl.text", "anyurl.access", "anyurl.access.article",
    "anyurl.batch", "anyurl.dialogue", "anyurl.guard", "anyurl.adapters.httpx", "anyurl.adapters.httpcore",
    "anyurl.adapters.requests", "anyurl.adapters.urllib3", "anyurl.adapters.aiohttp", "anyurl.adapters.urllib",
    "anyurl.adapters.pydantic", "anyurl.adapters.click", "anyurl.adapters.argparse", "anyurl.testing", "anyurl.world",
)  # fmt: skip
"""The public modules: each says by ``__all__`` what it offers."""

INTERNAL = ("cli", "kernel", "net", "schemes", "values")
"""Rooms of which nothing is public but what `anyurl` itself offers."""

NOTE = "<!-- Written by docs/reference.py from the code; change it there. -->"


def commands_page() -> str:
    """Every command with its arguments and options, and the exit codes."""
    from anyurl.cli.app import COMMANDS, app
    from anyurl.cli.exits import MEANINGS

    context = click.Context(app, info_name="anyurl")
    lines = ["# The command", "", NOTE, ""]
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        lines += command_section(f"anyurl {name}", command, click.Context(command, context, name))
    lines += ["## Exit codes", "", "| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in MEANINGS.items()]
    return "\n".join(lines) + "\n"


def command_section(name: str, command: click.Command, context: click.Context) -> list[str]:
    """One command; laid out here, because click lays help out a little differently in each of its versions."""
    arguments = [param.make_metavar(context) for param in command.params if isinstance(param, click.Argument)]
    lines = [f"## {name}", "", f"    {' '.join([name, '[OPTIONS]', *arguments])}", ""]
    for paragraph in inspect.cleandoc(command.help or "").replace("\b\n", "").split("\n\n"):
        lines += [paragraph, ""]
    options = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
    if options:
        lines += ["| option | |", "|---|---|"]
        lines += [f"| `{cell(option_names(option, context))}` | {cell(option.help)} |" for option in options]
        lines.append("")
    return lines


def cell(text: str | None) -> str:
    """A bar inside a cell of a table is escaped."""
    return (text or "").replace("|", "\\|")


def option_names(option: click.Option, context: click.Context) -> str:
    """``-o, --output FILE``"""
    names = ", ".join([*option.opts, *option.secondary_opts])
    return names if option.is_flag or option.count else f"{names} {option.make_metavar(context)}"


def schemes_page() -> str:
    """Every scheme that can be followed, with its verbs, then those that are known by name."""
    from anyurl.schemes.kit.scheme import VERBS
    from anyurl.schemes.registry import find_scheme
    from anyurl.url.syntax import ROWS

    spoken = [find_scheme(name) for name, row in ROWS.items() if row.module]
    lines = ["# The schemes", "", NOTE, ""]
    lines += ["| scheme | reference | port | " + " | ".join(VERBS) + " |", "|---" * (3 + len(VERBS)) + "|"]
    for scheme in spoken:
        marks = ["yes" if verb in scheme.verbs else "" for verb in VERBS]
        lines.append(f"| {scheme.name} | {scheme.reference} | {ROWS[scheme.name].port or ''} | {' | '.join(marks)} |")
    lines += ["", "What their URLs designate:", ""]
    lines += [f"- `{scheme.name}`: {scheme.summary}" for scheme in spoken]
    known = sorted(name for name, row in ROWS.items() if not row.module)
    if known:
        lines += ["", "Known by name, and not spoken: " + ", ".join(f"`{name}`" for name in known) + "."]
    return "\n".join(lines) + "\n"


def python_page() -> str:
    """The options of a client, and what each public module offers."""
    from anyurl.access.options import OPTIONS

    internal = ", ".join(f"`{room}`" for room in INTERNAL)
    lines = ["# From Python", "", NOTE, ""]
    lines += [
        "Public is what stands on this page; what changes of it is told in the changelog. All else is internal and",
        f"free to change: the rooms {internal}, the files behind the door of a",
        "public package, and names that begin with an underscore.",
        "",
    ]
    lines += ["## Options of a client", "", "| option | type | default | meaning |", "|---|---|---|---|"]
    lines += [
        f"| `{option.name}` | `{cell(option.type)}` | `{option.default!r}` | {cell(option.sentence)} |"
        for option in OPTIONS
    ]
    for name in PUBLIC:
        module = import_module(name)
        lines += ["", f"## {name}", "", "| name | |", "|---|---|"]
        lines += [f"| `{one}` | {cell(meaning(one, getattr(module, one)))} |" for one in public_names(module)]
    return "\n".join(lines) + "\n"


def public_names(module: ModuleType) -> list[str]:
    """What a public module offers: what it lists, and what it loads under the name of a builtin."""
    builtin = {name for name in getattr(module, "_HOMES", ()) if hasattr(builtins, name)}
    return sorted({*module.__all__, *builtin}, key=lambda name: (name.lower(), name))


def meaning(name: str, value: object) -> str:
    """What a name stands for, in a line."""
    if choices := get_args(value):
        return "One of " + ", ".join(f"`{choice}`" for choice in choices) + "."
    if isinstance(value, type | ModuleType) or callable(value):
        return (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ")
    return f"A constant: `{value!r}`." if isinstance(value, int) else f"A constant, {type(value).__name__}."


PAGES = {"commands.md": commands_page, "schemes.md": schemes_page, "python.md": python_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
