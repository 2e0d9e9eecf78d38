"""Messages of errors are sentences: a capital letter first, a full stop last.

Rule: what is written in the source is looked at. What a message begins or ends with may be a value: that is not seen.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from anyurl import errors
from tests.architecture.source import Module, called_name, modules
from tests.architecture.test_documents import script

ERRORS = {"UsageError"} | {
    name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, errors.AnyURLError)
}
ERRORS.discard("URLSyntaxError")  # its message is that of a diagnostic, with the place behind it

NAMES = {"anyurl", "ftp", "gopher", "http", "mailto", "netrc", "news", "nntp", "telnet", "wais", "x-anyurl"}
"""Names that are not written with a capital letter, wherever they stand."""

PYTHON = re.compile(
    r"\b(?:Async)?Client\b|\banyurl\.\w+\(|\b\w+=\.\.\.|\blibcurl\b|\bpycurl\b|\bzlib\b|\bclick\b|\brich\b|\bselectors?\b(?=\.)"
)
"""Names of Python and of the libraries that anyurl is made with."""


SENTENCES = {"hint", "_CLOSED"}
"""Values that end with a full stop."""


MAX_MESSAGE = 240
"""Characters of a message, without what is filled in."""

SECRET = re.compile(r"^_?(?:password|secret|reveal|userinfo)$")
"""Names of what is never shown."""


def literals(node: ast.AST) -> list[str | None]:
    """The pieces of a text; None for a value in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return [str(part.value) if isinstance(part, ast.Constant) else None for part in node.values]
    return []


def faults(module: Module) -> list[str]:
    """The messages of a module that are no sentences, with their places."""
    found: list[str] = []
    for node in module.nodes:
        if not isinstance(node, ast.Call) or called_name(node) not in ERRORS or not node.args:
            continue
        pieces = literals(node.args[0])
        if not any(piece and " " in piece for piece in pieces):  # a message that was made elsewhere
            continue
        first, last = pieces[0], pieces[-1]
        if first is not None and first[0].islower() and first.replace(":", " ").split()[0] not in NAMES:
            found.append(f"{module.at(node)}: begins {first[:40]!r}")
        if last is not None and not last.rstrip().endswith((".", "?")):
            found.append(f"{module.at(node)}: ends {last[-40:]!r}")
    return found


def test_a_message_begins_with_a_capital_letter_and_ends_with_a_full_stop() -> None:
    assert [fault for module in modules() for fault in faults(module)] == []


def test_what_ends_with_a_value_quotes_somebody_behind_a_colon() -> None:
    """Else the value is a word of the sentence, and the full stop is missing."""
    found = []
    for module in modules():
        for node in module.nodes:
            if isinstance(node, ast.Call) and called_name(node) in ERRORS and node.args:
                pieces = literals(node.args[0])
                if len(pieces) < 2 or pieces[-1] is not None or not any(piece and " " in piece for piece in pieces):
                    continue
                last = node.args[0].values[-1] if isinstance(node.args[0], ast.JoinedStr) else None
                said = ast.unparse(last.value) if isinstance(last, ast.FormattedValue) else ""
                if said not in SENTENCES and not (pieces[-2] or "").endswith((": ", " not ")):
                    found.append(f"{module.at(node)}: ends with {said}")
    assert found == []


def test_no_message_names_python_or_a_library() -> None:
    """What a person at a terminal can't type, or has never heard of; what only Python can do wrong may say so.

    What has to be installed stands in the command that installs it.
    """
    found = [
        module.at(node)
        for module in modules()
        if module.room not in ("adapters", "batch", "world", "testing")
        for node in module.nodes
        if isinstance(node, ast.Call) and called_name(node) in ERRORS and node.args
        if PYTHON.search(re.sub(r"pip install [\w-]+", "", "".join(piece or "" for piece in literals(node.args[0]))))
    ]
    assert found == []


OPTION = re.compile(r"(?<![\w<!-])--[a-z]{2,}")
"""An option of the command."""

OF_THE_COMMAND = ("cli", "mcp", "web", "proxy", "world", "testing")
"""Rooms whose messages a person at the command reads."""

NO_MESSAGE = {"client/options.py", "batch/check/changes.py", "batch/check/page.py", "guard/verdict.py"}
"""What names options and is not read as a sentence: tables of them, another command's, a style sheet."""


def option_names(module: Module) -> int:
    """How many texts of a module, beside what documents it, name an option."""
    documents = {id(node.value) for node in module.nodes if isinstance(node, ast.Expr)}
    return sum(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documents
        and "`anyurl " not in node.value
        and bool(OPTION.search(node.value))
        for node in module.nodes
    )


def test_no_message_of_the_library_names_an_option_of_the_command() -> None:
    """What helps stands in `anyurl.guard.verdict.REMEDIES`, in the words of each reader."""
    found = {
        name: count
        for module in modules()
        if module.room not in OF_THE_COMMAND and (name := str(module.path)) not in NO_MESSAGE
        if (count := option_names(module))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('raise LimitError("No more (--max-bytes).")', 1),
        ('Note(f"{limit}: there may be more (--limit)")', 1),
        ('"""As ``--explain`` shows it."""', 0),
        ('raise LimitError("No more.")', 0),
        ('x = "a--b <!--c"', 0),
    ],
)
def test_an_option_in_a_message_is_seen(tmp_path: Path, text: str, count: int) -> None:
    path = tmp_path / "new.py"
    path.write_text(text, encoding="utf-8")
    assert option_names(Module(path, tmp_path)) == count


def test_no_message_is_longer_than_three_lines_of_a_terminal() -> None:
    """Of what the source writes; `docs/messages.md` has them all."""
    assert [text for _, text, _ in script("reference").said() if len(text) > MAX_MESSAGE] == []


def test_a_limit_is_told_in_the_same_words() -> None:
    """What has more than so many of something was stopped by a limit, and the sentence says so."""
    told = [text for error, text, _ in script("reference").said() if error == "LimitError" and " more than " in text]
    assert len(told) > 30
    same = re.compile(
        r"the limit (?:\(--max-bytes\) |of \S+ )?allows no more|a bomb\.|\.\.\.$|the last one: |as its role|memory"
    )
    assert [text for text in told if not same.search(text)] == []


def test_no_message_is_made_of_a_password() -> None:
    found = [
        module.at(node)
        for module in modules()
        for node in module.nodes
        if isinstance(node, ast.Call) and called_name(node) in ERRORS
        for piece in ast.walk(node)
        if isinstance(piece, ast.FormattedValue)
        for name in ast.walk(piece.value)
        if isinstance(name, ast.Name | ast.Attribute) and SECRET.search(called_name(name))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('raise ConnectError("The host is gone.")', 0),
        ('raise ConnectError("the host is gone.")', 1),
        ('raise ConnectError("The host is gone")', 1),
        ('raise ConnectError(f"{host} is gone.")', 0),
        ('raise errors.ConnectError(f"the host {host} is gone: {why}")', 1),
        ('raise ConnectError("gopher has none.")', 0),
        ('raise ConnectError("the host " f"is gone")', 2),
        ("raise ConnectError(message)", 0),
    ],
)
def test_what_is_no_sentence_is_seen(tmp_path: Path, text: str, count: int) -> None:
    path = tmp_path / "net" / "new.py"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    assert len(faults(Module(path, tmp_path))) == count
