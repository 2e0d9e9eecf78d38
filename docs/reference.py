"""Write the pages of the reference that follow from the code: ``python docs/reference.py``.

Rule: nothing here is known twice. The commands tell their options, the registry its schemes, the exit codes their
meanings; a test compares the pages with what this would write.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import get_args

import click

HERE = Path(__file__).resolve().parent
PUBLIC = (
    "anyurl", "anyurl.errors", "anyurl.url", "anyurl.grammar", "anyurl.text", "anyurl.access", "anyurl.access.article",
    "anyurl.batch", "anyurl.batch.check", "anyurl.dialogue", "anyurl.guard", "anyurl.adapters.httpx",
    "anyurl.adapters.httpcore", "anyurl.adapters.requests", "anyurl.adapters.urllib3", "anyurl.adapters.aiohttp",
    "anyurl.adapters.urllib", "anyurl.adapters.fsspec", "anyurl.adapters.pydantic", "anyurl.adapters.click",
    "anyurl.adapters.argparse", "anyurl.testing", "anyurl.world",
)  # fmt: skip
"""The public modules: each says by ``__all__`` what it offers."""

INTERNAL = ("cli", "kernel", "logs", "mcp", "net", "proxy", "reasons", "schemes", "values", "web")
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


def manual_page() -> str:
    """The command as `man anyurl` shows it."""
    from anyurl._version import __version__
    from anyurl.cli.app import COMMANDS, app
    from anyurl.cli.exits import MEANINGS

    context = click.Context(app, info_name="anyurl")
    lines = ['.\\" Written by docs/reference.py from the code; change it there.']
    lines += [f'.TH ANYURL 1 "" "anyurl {__version__}" "User Commands"', ".SH NAME"]
    lines += [f"anyurl \\- {roff((app.help or '').strip()[0].lower() + (app.help or '').strip()[1:].rstrip('.'))}"]
    lines += [".SH SYNOPSIS", ".B anyurl", r"\fICOMMAND\fR [\fIOPTIONS\fR] [\fIARGUMENTS\fR]", ".SH COMMANDS"]
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        lines += manual_section(f"anyurl {name}", command, click.Context(command, context, name))
    lines.append(".SH EXIT STATUS")
    for code, meaning in MEANINGS.items():
        lines += [".TP", f".B {code}", roff(meaning)]
    return "\n".join(lines) + "\n"


def manual_section(name: str, command: click.Command, context: click.Context) -> list[str]:
    """One command of the manual page."""
    arguments = [param.make_metavar(context) for param in command.params if isinstance(param, click.Argument)]
    lines = [f".SS {roff(name)}", ".B " + roff(" ".join([name, "[OPTIONS]", *arguments]))]
    for paragraph in inspect.cleandoc(command.help or "").replace("\b\n", "").split("\n\n"):
        lines += [".PP", *(roff(line) for line in paragraph.split("\n"))]
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            lines += [".TP", ".B " + roff(option_names(option, context)), roff(option.help or "")]
    return lines


def roff(text: str) -> str:
    """A line of text as troff has it: a hyphen that can be copied, and no line that is a request."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text[:1] in (".", "'") else text


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


WHAT_TO_DO = {
    "UsageError": "Read `anyurl COMMAND --help`.",
    "URLSyntaxError": "`anyurl explain URL` shows place and rule; `anyurl fix URL` mends it where that is safe.",
    "UnknownSchemeError": "Check the spelling; `anyurl schemes --all` lists what is known.",
    "UnsupportedError": "`anyurl schemes` says what can be done with which URL; what has to be configured is named.",
    "RefusedError": "Allow it as the sentence says, if you trust who gave you the URL.",
    "LimitError": "Ask for less, or for another resource: the limit protects this machine.",
    "SecretNeededError": "Run it at a terminal, or write the login into netrc.",
    "ConnectError": "Check the host, the port and the network.",
    "Truncated": "Get it again; `--continue` goes on with what came.",
    "TransferTimeout": "Try again later, or allow more time (`--timeout`).",
    "ConnectionLost": "Try again; `--retry` does so by itself.",
    "LocalProtocolError": "Change the URL or the input as the sentence says: nothing was sent.",
    "RemoteProtocolError": "Check that this port speaks the protocol of the scheme; tell whoever runs the server.",
    "ReplyError": "Read the server's words behind the colon.",
    "NotFoundError": "Check the path; `anyurl ls` shows what there is.",
    "DeniedError": "Ask whoever runs the server.",
    "AuthRequiredError": "Name a user in the URL, and give the password at a terminal or in netrc.",
    "UnavailableError": "Try again later; `--retry` does so by itself.",
    "LocalFileError": "Check the file, its folder and the permissions.",
    "MissingExtraError": "Install what the sentence names.",
}
"""What to do about each class of error, for a person at a terminal."""

_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]+")


def messages_page() -> str:
    """Every sentence that the command can end with: faults of URLs, refusals of the policy, errors."""
    from anyurl.grammar.current import ADVICE
    from anyurl.guard.verdict import CODES
    from anyurl.url.faults import FAULTS

    found = list(said())
    lines = ["# The messages", "", NOTE, ""]
    lines += ["What stands in capitals or as `...` is filled in. A message never holds a password.", ""]
    lines += ["## Errors", "", "| error | exit code | what to do |", "|---|---|---|"]
    lines += [f"| `{name}` | {exit_code_of(name)} | {what} |" for name, what in WHAT_TO_DO.items()]
    faults = {(code, message) for code, *_, message in FAULTS.values()}
    faults |= {(kind, message) for kind, message, place in found if not place}
    lines += [
        "",
        "## Faults of a URL",
        "",
        "Behind each stand its clause and its place. A remedy is told only where it",
        "",
    ]
    lines[-2] += " was tried, and makes a URL of the text that leads where every reader of it goes."
    lines += ["| code | sentence | remedy |", "|---|---|---|"]
    of_today = {(code, message) for code, *_, message in FAULTS.values()}
    lines += [
        f"| `{code}` | {cell(message)} | {cell(ADVICE.get(code, '') if (code, message) in of_today else '')} |"
        for code, message in sorted(faults)
    ]
    lines += ["", "## Refusals of the policy", ""]
    lines += ["The command says what would allow it by its options, a program by the arguments of its `Policy`.", ""]
    lines += ["| code | sentence | of the command | of a program |", "|---|---|---|---|"]
    for code, sentence in CODES.items():
        first, mark, remedy = sentence.rpartition("; ")
        told = [first, remedy] if mark else [remedy, ""]
        cells = [_told(text, in_options=True) for text in told]
        cells.append("" if _told(told[1], in_options=False) == cells[1] else _told(told[1], in_options=False))
        lines.append(" | ".join([f"| `{code}`", *map(cell, cells)]) + " |")
    for place in sorted({place for *_, place in found if place}):
        lines += ["", f"## Sentences of {place}", "", "| error | sentence |", "|---|---|"]
        lines += [
            f"| `{kind}` | {cell(text)} |" for kind, text in sorted({each[:2] for each in found if each[2] == place})
        ]
    return "\n".join(lines) + "\n"


def _told(text: str, *, in_options: bool) -> str:
    """A text of the guard with its remedies, and what is filled in in capitals."""
    from anyurl.guard.verdict import REMEDIES

    words = {name: ways[in_options].format(subject="SUBJECT") for name, ways in REMEDIES.items()}
    return re.sub(r"\{(\w+)\}", lambda hole: words.get(hole[1], hole[1].upper()), text)


def exit_code_of(name: str) -> int:
    """What the command ends with after such an error."""
    from anyurl import errors
    from anyurl.cli import exits

    kind = getattr(errors, name, None)
    return exits.USAGE if kind is None else exits.exit_code(kind.__new__(kind))


@cache
def said() -> tuple[tuple[str, str, str], ...]:
    """Each message in the source: its error, its sentence, and the room or scheme; of a fault its code, and no room."""
    return tuple(each_said())


def each_said() -> Iterator[tuple[str, str, str]]:
    source = HERE.parent / "src" / "anyurl"
    for path in sorted(source.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if path.stem == "testing":
            continue  # what a test makes up
        room, *rest = path.relative_to(source).with_suffix("").parts
        place = rest[0] if room == "schemes" and len(rest) > 1 and rest[0] != "kit" else room
        above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
            if name in WHAT_TO_DO and node.args:
                sentences, kind, at = sentences_of(node.args[0], node, above), name, place
            elif room == "grammar" and name in ("error", "prose", "warning", "remark") and len(node.args) > 3:
                code = node.args[0]
                sentences, at = sentences_of(node.args[3], node, above), ""
                kind = str(code.value) if isinstance(code, ast.Constant) else "..."
            else:
                continue
            yield from ((kind, text, at) for text in sentences)


def sentences_of(value: ast.expr, node: ast.AST, above: dict[ast.AST, ast.AST]) -> Iterator[str]:
    """What an argument says; of a name what it was given in the same function."""
    if isinstance(value, ast.Name):
        for one in given(value.id, node, above):
            yield from sentences_of(one.value, one, {}) if not isinstance(one.value, ast.Name) else ()
        return
    if isinstance(value, ast.IfExp):
        yield from sentences_of(value.body, node, above)
        yield from sentences_of(value.orelse, node, above)
        return
    if isinstance(value, ast.BoolOp):
        for one in value.values:
            yield from sentences_of(one, node, above)
        return
    pieces = value.values if isinstance(value, ast.JoinedStr) else [value]
    text = "".join(piece_of(piece) for piece in pieces)
    if " " in text.replace("...", "").strip():
        yield text


def given(name: str, node: ast.AST, above: dict[ast.AST, ast.AST]) -> Iterator[ast.Assign]:
    """The assignments by which a name has its value there: the nearest before it, in each branch that leads to it."""
    while node in above and not isinstance(node, ast.FunctionDef):
        parent = above[node]
        for field in ("body", "orelse", "finalbody"):
            block = getattr(parent, field, None)
            if not isinstance(block, list) or node not in block:
                continue
            for before in reversed(block[: block.index(node)]):
                yield from assigned(name, before)
                whole = isinstance(before, ast.If) and all(
                    any(True for one in branch for _ in assigned(name, one)) for branch in (before.body, before.orelse)
                )
                if whole or any(one is before for one in assigned(name, before)):
                    return
        node = parent


def assigned(name: str, tree: ast.AST) -> Iterator[ast.Assign]:
    """The assignments to a name in a statement."""
    for one in ast.walk(tree):
        if isinstance(one, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in one.targets):
            yield one


def piece_of(piece: ast.expr) -> str:
    """The text itself, or the name of what is filled in: ``{self.host}`` is HOST."""
    if isinstance(piece, ast.Constant):
        return str(piece.value)
    filled = piece.value if isinstance(piece, ast.FormattedValue) else None
    if isinstance(filled, ast.Call) and len(filled.args) == 1 and not isinstance(filled.func, ast.Attribute):
        filled = filled.args[0]  # sample(line), quoted(name)
    name = filled.attr if isinstance(filled, ast.Attribute) else filled.id if isinstance(filled, ast.Name) else ""
    if name == "masked":
        return "URL"
    return name if _CAPITALS.fullmatch(name) else name.strip("_").upper() or "..."


PAGES = {
    "commands.md": commands_page, "schemes.md": schemes_page, "python.md": python_page, "messages.md": messages_page,
    "anyurl.1": manual_page,
}  # fmt: skip

if __name__ == "__main__":
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
