"""The English of ``src`` is plain: turns of phrase that a native engineer stumbles over do not come back.

Rule: each pattern has a plain form, named beside it. Places are counted in docstrings and comments (`scripts/house`
prints them by room); in texts that users see, every place is listed here, with its reason.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache

from tests.architecture.source import Module, modules
from tests.rows import each_row

PATTERNS = {
    "a noun: the content received": r"\bWhat\b(?! to \w)(?![^.]*\?)",
    "without one; invalid; is not a": r"(?<!\b[Tt]here )\b(?:is|are|has|have|was|were) none\b"
    r"|(?<!\b[Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|matter\b|less\b|way\b|need\b)\w",
    "is, precedes, continues, resumes": r"\bstands?\b(?! for\b)|\b(?:goes?|going|gone|leads?|led) on\b",
    "is reported, requested, logged": r"\b(?:is|are|was|were|be) (?:told|said|asked|got)\b(?! for\b)",
    "next to, besides, after": r"\b(?:beside|behind)\b(?! (?:a |the |an |its )?(?:prox|gateway|firewall))",
    "the caller, peer, server, user": r"\b(?:[Nn]obody|[Ss]omebody|[Ww]hoever)\b",
    "anyurl's, the caller's own": r"\b(?:ours|theirs)\b|\bof (?:\w+ )?\w+'s own\b(?! \w)",
}
"""By its plain form, a turn of phrase."""

_FOUND = re.compile("|".join(f"(?:{pattern})" for pattern in PATTERNS.values()))

MOST = 60
"""Places in docstrings and comments: in these it is the best word, or a name."""

SEEN = {
    "batch/tables.py": "a sentence in two parts: there is no column",
    "grammar/hosts.py": "a message of the corpora",
    "mcp/answers.py": "a warning to a model: Nobody has checked it",
    "schemes/dict/wire/server.py": "the server's own words",
    "schemes/news/wire/server.py": "the server's own words",
    "schemes/gopher/wire/server.py": "the server's own words",
    "schemes/mailto/wire/server.py": "the server's own words",
    "world/dict.py": "the content of the small world",
    "world/gopher.py": "the content of the small world",
    "world/news.py": "the content of the small world",
    "world/wais_index.py": "the content of the small world",
    "world/world.py": "the content of the small world",
}
"""Files with a place in a text that users see, and the reason."""


def prose_of(module: Module) -> Iterator[tuple[str, bool]]:
    """Each docstring, comment and text of a module; whether users see it. A text has two spaces at least."""
    for node in module.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_docstring = isinstance(module.parents.get(node), ast.Expr)
            if is_docstring or node.value.strip().count(" ") >= 2:
                yield node.value, not is_docstring
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string, False


@cache
def places(module: Module) -> tuple[int, int]:
    """The places in a module: in docstrings and comments, and in texts that users see."""
    found = [0, 0]
    for text, is_seen in prose_of(module):
        found[is_seen] += len(_FOUND.findall(text))
    return found[False], found[True]


def test_docstrings_and_comments_are_plain() -> None:
    found = {module.path: count for module in modules() if (count := places(module)[0])}
    assert sum(found.values()) <= MOST, found


def test_texts_that_users_see_are_plain() -> None:
    assert {module.path for module in modules() if places(module)[1]} == set(SEEN)


@each_row(
    ("text", "count"),
    [
        ("What a caller made of it.", 1), ("What to search for.", 0), ("What is it?", 0), ("It is none.", 1),
        ("There is none.", 0), ("It is no URL.", 1), ("It is no longer there.", 0), ("The host stands there.", 1),
        ("It stands for a name.", 0), ("It goes on.", 1), ("The log is told.", 1), ("It is asked for.", 0),
        ("the file beside it", 1), ("a server behind a proxy", 0), ("nobody", 1), ("a URL of the user's own", 1),
    ],
)  # fmt: skip
def test_a_place_is(text: str, count: int) -> None:
    assert len(_FOUND.findall(text)) == count
