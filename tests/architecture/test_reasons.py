"""Only `anyurl.errors.reasons` puts a foreign error into words: what Python or a library says is quoted nowhere else.

Rule: every ``except`` with a name is looked at. What it does with an error that may be foreign is to hand it on.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.source import Module, called_name, modules
from tests.architecture.test_messages import ERRORS

OURS = ERRORS | {"AnyURLError", "Problem", "StopAsyncIteration", "StopIteration", "URLSyntaxError"}
"""What is raised with a sentence of ours; a `Problem` is the proxy's."""

WORDS = {"args", "msg", "message", "reason", "strerror", "verify_message"}
"""Attributes that hold the words of whoever raised."""

READERS = {"net/wire/channel.py": {"reason", "verify_message"}}
"""Who reads them to find ours: OpenSSL's are told apart by `anyurl.net.wire.tls`."""

OWN = {
    "adapters/argparse.py": "the reader that is called raises ours",
    "adapters/click.py": "the same",
    "adapters/pydantic.py": "the same",
    "adapters/backends.py": "what it raises is read by programs, in the words of the system",
    "batch/check/state.py": "SQLite's word for a base that is in use is looked for",
    "cli/commands/columns.py": "the names of columns are judged by ours",
    "cli/save.py": "the reader of checksums raises ours",
    "cli/settings.py": "the same, of options, gateways and proxies",
}
"""Modules whose ``except ValueError`` meets what anyurl itself has raised with a sentence, or quotes for a reason."""


def kinds(node: ast.expr | None) -> set[str]:
    """The last names of the classes that a handler catches."""
    if isinstance(node, ast.Tuple):
        return {name for each in node.elts for name in kinds(each)}
    return {"BaseException" if node is None else called_name(node)}


def quotes(module: Module) -> list[str]:
    """The places where the words of a foreign error are taken as they are."""
    found = []
    for handler in module.nodes:
        if not isinstance(handler, ast.ExceptHandler) or handler.name is None or kinds(handler.type) <= OURS:
            continue
        for node in (each for statement in handler.body for each in ast.walk(statement)):
            if not isinstance(node, ast.Name) or node.id != handler.name:
                continue
            parent = module.parents[node]
            if (
                isinstance(parent, ast.FormattedValue)
                or (isinstance(parent, ast.Call) and called_name(parent) in ("str", "repr", "format"))
                or (isinstance(parent, ast.Attribute) and parent.attr in WORDS - READERS.get(module.path, set()))
                or (isinstance(parent, ast.Call) and called_name(parent) == "getattr")
            ):
                found.append(module.at(node))
    return found


def test_the_words_of_a_foreign_error_are_taken_by_one_module() -> None:
    looked_at = [module for module in modules() if module.room != "world" and module.path not in OWN]
    assert [place for module in looked_at for place in quotes(module)] == []


def numbered(module: Module) -> list[str]:
    """The places where words of ours are given to an error that has a number: the system's words are told for it."""
    return [
        module.at(node)
        for node in module.nodes
        if isinstance(node, ast.Call) and called_name(node) == "OSError" and len(node.args) > 1
        and not (isinstance(node.args[1], ast.Call) and called_name(node.args[1]) == "strerror")
    ]  # fmt: skip


def test_a_number_has_the_words_of_the_system() -> None:
    own = [module for module in modules() if module.room != "adapters"]  # whose errors are read by other programs
    assert [place for module in own for place in numbered(module)] == []


def test_every_exception_is_one() -> None:
    assert [path for path in OWN if not any(module.path == path and quotes(module) for module in modules())] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("{error}", 1),
        ("{error!r}", 1),
        ("{str(error)}", 1),
        ("{error.strerror}", 1),
        ("{getattr(error, 'strerror', None)}", 1),
        ("{reason_of(error)}", 0),
        ("{error.errno}", 0),
    ],
)
def test_what_quotes_is_seen(tmp_path: Path, text: str, count: int) -> None:
    path = tmp_path / "net" / "new.py"
    path.parent.mkdir()
    lines = ["try:", "    act()", "except OSError as error:", f"    say(f{text!r})"]
    path.write_text("\n".join([*lines, lines[2].replace("OSError", "ConnectError"), lines[3]]), encoding="utf-8")
    assert len(quotes(Module(path, tmp_path))) == count


def test_a_number_of_the_system_has_a_name() -> None:
    """It is another one on another system, and 17 tells a reader nothing."""
    found = [
        f"{module.path}:{node.lineno}"
        for module in modules()
        for node in module.nodes
        if isinstance(node, ast.Call) and called_name(node) in ("complaint", "OSError")
        and any(isinstance(each, ast.Constant) and type(each.value) is int for each in node.args[:1])
    ]  # fmt: skip
    assert found == []
