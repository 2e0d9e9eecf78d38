"""The examples of the reference: the texts in docs/examples, in sections that name what they show.

Rule: a section is a doctest that needs nothing of the others; `tests/architecture/test_examples.py` runs each, and the
site shows it at what its heading names, and each statement at the members that it uses.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from doctest import DocTestParser, Example
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "examples"
SECTION = re.compile(r"^(anyurl\.\S.*)\n-+\n", re.MULTILINE)
MOST = 2
"""Statements that are shown at one member."""


@cache
def sections() -> dict[str, str]:
    """The text of each section, by its heading: the names that it shows, with commas."""
    found: dict[str, str] = {}
    for path in sorted(FOLDER.glob("*.txt")):
        _, *pieces = SECTION.split(path.read_text("utf-8"))
        found |= dict(zip(pieces[::2], (piece.strip() + "\n" for piece in pieces[1::2]), strict=True))
    return found


@cache
def by_name() -> dict[str, str]:
    """The section of each name: ``anyurl.URL``."""
    return {name: text for heading, text in sections().items() for name in heading.split(", ")}


def statements(text: str) -> Iterator[Example]:
    """The statements of a section, each with what it prints."""
    yield from DocTestParser().get_examples(text)


def used(source: str) -> set[str]:
    """The attributes and the arguments that a statement names."""
    nodes = list(ast.walk(ast.parse(source)))
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return names | {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg is not None}


def of_member(text: str, member: str) -> str:
    """The first statements of a section that use a member, with what they print; long ones are left out."""
    shown = [one for one in statements(text) if member in used(one.source) and one.source.count("\n") < 4]
    return "".join(as_typed(one) for one in shown[:MOST])


def as_typed(example: Example) -> str:
    """A statement as it stands at the prompt, with what follows."""
    first, *more = example.source.rstrip("\n").split("\n")
    return "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in more)]) + "\n" + example.want


def in_markdown(text: str) -> str:
    """A section as a page has it: the sentences as they are, the code in fences."""
    return re.sub(r"(?m)(?:^>>> .*\n(?:^.+\n?)*)+", lambda code: f"\n```pycon\n{code[0].rstrip()}\n```\n", text)
