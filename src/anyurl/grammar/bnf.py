"""The productions as data: reads the notation of RFC 1738 section 5 (RFC 822's, with "|" and []) into a tree.

Rule: the syntax of URLs is in the ``.bnf`` files and nowhere else in this room; this file only knows the notation.
``1*[x]`` is at least one x, since brackets after a repetition only group; a bare ``/`` is a literal; scheme names match
in any case (RFC 1738 2.1), all other literals as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NoReturn, TypeAlias

from anyurl.values import Struct, Value


class Literal:
    """Literal characters.

    Attributes:
        text: The characters, without their quotes.
        folded: The number of leading characters that match in any case: those of a scheme's name.
    """

    __slots__ = ("text", "folded")

    def __init__(self, text: str) -> None:
        self.text: str = text
        scheme = _SCHEME_NAME.match(text)
        self.folded = scheme.end() - 1 if scheme else 0


class Reference(Struct):
    """The name of another production."""

    name: str


class Sequence(Struct):
    """Expressions in sequence."""

    items: tuple[Expression, ...]


class Choice(Struct):
    """One of several expressions."""

    items: tuple[Expression, ...]


class Repeat(Struct):
    """An expression at least ``least`` times, at most once if ``once``, otherwise any number of times."""

    least: int
    item: Expression
    once: bool = False


Expression: TypeAlias = Literal | Reference | Sequence | Choice | Repeat


class Production(Value):
    """One rule of the grammar.

    Attributes:
        name: The name as the RFC spells it.
        section: The number of the clause that describes it.
        expression: The parsed right side.
        text: The right side as written, with lines joined.
    """

    name: str
    section: str
    expression: Expression
    text: str


class Productions:
    """The productions of one document.

    Attributes:
        name: The name of the grammar and of its file.
        reference: The document: ``RFC 1738``.
        productions: The productions by name, in the order of the document.
    """

    __slots__ = ("name", "reference", "productions", "_characters")

    def __init__(self, name: str, reference: str, productions: dict[str, Production]) -> None:
        self.name: str = name
        self.reference: str = reference
        self.productions: dict[str, Production] = productions
        self._characters: dict[str, frozenset[str]] = {}

    def cite(self, name: str) -> str:
        """The clause that describes a production: ``RFC 1738 3.3``."""
        return f"{self.reference} {self.productions[name].section}"

    def scheme_production(self, scheme: str) -> str | None:
        """The production of a scheme that the document defines; None for other schemes, which are ``otherurl``."""
        name = production_of(scheme)
        return name if name in self.productions and name != "otherurl" else None

    def characters(self, name: str) -> frozenset[str]:
        """The characters that a production allows unencoded anywhere (not those of an escape)."""
        known = self._characters.get(name)
        if known is not None:
            return known
        found: set[str] = set()
        pending: list[Expression] = [Reference(name)]
        seen: set[str] = set()
        while pending:
            node = pending.pop()
            if isinstance(node, Literal):
                found.update(node.text)
            elif isinstance(node, Reference):
                if node.name not in seen and node.name != "escape":
                    seen.add(node.name)
                    pending.append(self.productions[node.name].expression)
            elif isinstance(node, Repeat):
                pending.append(node.item)
            else:
                pending.extend(node.items)
        self._characters[name] = known = frozenset(found)
        return known


def production_of(scheme: str) -> str:
    """The name of a scheme's production: ``ftpurl``, ``z39-50url`` (names of productions have no dots)."""
    return f"{scheme.replace('.', '-')}url"


_SCHEME_NAME = re.compile(r"[a-z][a-z0-9+.-]*:")
_TOKEN = re.compile(
    r"""(?P<space>[ \t]+)|(?P<line>\n)|;(?P<comment>[^\n]*)
      |(?P<defined>[A-Za-z][\w+-]*)(?=[ ]*=)|(?P<name>[A-Za-z][\w+-]*)
      |(?P<equals>=)|\"(?P<quote>\")\"|\"(?P<literal>[^\"\n]+)\"|<(?P<angled>[^\n])>|(?P<least>\d*)\*|(?P<mark>[\[\]|/])""",
    re.VERBOSE,
)
_NOTE = re.compile(r" (section|reference) (.+)")


def read(name: str, text: str) -> Productions:
    """Read a document's productions.

    Args:
        name: The name of the grammar.
        text: The content of the ``.bnf`` file.

    Raises:
        ValueError: The text is not in the notation, or names a production that it does not define.
    """
    reference = section = ""
    bodies: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    current: list[tuple[str, str]] | None = None
    for kind, value in _tokens(text):
        if kind == "comment":
            note = _NOTE.fullmatch(value.rstrip())
            if note is not None and note[1] == "section":
                section = note[2]
            elif note is not None:
                reference = note[2]
        elif kind == "defined":
            current = []
            bodies[value] = (section, current)
        elif kind == "equals":
            continue
        elif current is None:
            raise ValueError(f"{name}: {value!r} precedes the first production")
        else:
            current.append((kind, value))
    productions = {key: _BnfReader(key, body).production(clause) for key, (clause, body) in bodies.items()}
    _check_references(productions)
    return Productions(name, reference, productions)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"line {text.count(chr(10), 0, position) + 1}: {text[position : position + 20]!r}")
        position = match.end()
        kind = match.lastgroup or ""
        if kind not in ("space", "line"):
            yield kind, match[kind]


class _BnfReader:
    """Recursive descent over the tokens of one production."""

    def __init__(self, name: str, tokens: list[tuple[str, str]]) -> None:
        self._name = name
        self._tokens = tokens
        self._next = 0

    def production(self, section: str) -> Production:
        if not section:
            raise ValueError(f"{self._name}: no section is given")
        expression = self._choice()
        if self._next < len(self._tokens):
            self._fail()
        return Production(self._name, section, expression, " ".join(map(_spell, self._tokens)).replace("* ", "*"))

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._next] if self._next < len(self._tokens) else ("end", "")

    def _choice(self) -> Expression:
        items = [self._sequence()]
        while self._peek() == ("mark", "|"):
            self._next += 1
            items.append(self._sequence())
        return items[0] if len(items) == 1 else Choice(tuple(items))

    def _sequence(self) -> Expression:
        items = [self._item()]
        while self._peek()[0] != "end" and self._peek() not in (("mark", "|"), ("mark", "]")):
            items.append(self._item())
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _item(self) -> Expression:
        kind, value = self._peek()
        if kind == "least":
            self._next += 1
            inner = self._bracketed() if self._peek() == ("mark", "[") else self._atom()
            return Repeat(int(value or 0), inner)
        if (kind, value) == ("mark", "["):
            return Repeat(0, self._bracketed(), once=True)
        return self._atom()

    def _bracketed(self) -> Expression:
        self._next += 1
        inner = self._choice()
        if self._peek() != ("mark", "]"):
            self._fail()
        self._next += 1
        return inner

    def _atom(self) -> Expression:
        kind, value = self._peek()
        self._next += 1
        if kind == "name":
            return Reference(value)
        if kind in ("literal", "quote", "angled") or (kind, value) == ("mark", "/"):
            return Literal(value)
        self._fail()

    def _fail(self) -> NoReturn:
        raise ValueError(f"{self._name}: the notation is broken at item {self._next + 1}")


def _spell(token: tuple[str, str]) -> str:
    kind, value = token
    if kind == "least":
        return f"{value}*"
    return {"literal": f'"{value}"', "quote": f'"{value}"', "angled": f"<{value}>"}.get(kind, value)


def _check_references(productions: dict[str, Production]) -> None:
    for production in productions.values():
        pending = [production.expression]
        while pending:
            node = pending.pop()
            if isinstance(node, Reference):
                if node.name not in productions:
                    raise ValueError(f"{production.name}: {node.name} is not defined")
            elif isinstance(node, Repeat):
                pending.append(node.item)
            elif not isinstance(node, Literal):
                pending.extend(node.items)


NAMES = ("rfc1738", "rfc1738-draft07")
"""The grammars that are data files of this package."""


@cache
def load(name: str) -> Productions:
    """One of the package's own grammars, by its name in `NAMES`."""
    from importlib.resources import files

    return read(name, files("anyurl.grammar").joinpath(f"{name}.bnf").read_text("ascii"))
