"""Productions as ABNF (RFC 5234), for the tools of others.

Rule: the language stays the same. In ABNF a quoted string matches in any case, so characters whose case counts are
written by their numbers (``%x41``); rule names have letters, digits and hyphens only, and match in any case. ``alpha``
and ``digit`` in the notation of RFC 1738 are core rules of ABNF.
"""

from __future__ import annotations

from anyurl.grammar.bnf import Choice, Expression, Literal, Productions, Reference, Repeat, Sequence
from anyurl.grammar.matcher import FOLDED

CORE = {"alpha": "ALPHA", "digit": "DIGIT"}
"""Productions that every ABNF tool knows (RFC 5234 B.1)."""

WIDTH = 72
"""Characters of a line, as in RFCs."""


def rule_name(name: str) -> str:
    """A production's name as a rule's: ``gopher+_string`` is ``gopher-plus-string``."""
    return CORE.get(name, name.replace("+_", "-plus-").replace("_", "-").replace("+", "-plus-"))


def to_abnf(grammar: Productions) -> str:
    """All productions, with their clauses as comments; each line ends with CR LF, as RFC 5234 4 has it."""
    lines = [f"; {grammar.reference}, in the notation of RFC 5234 (ABNF)"]
    section = ""
    for one in grammar.productions.values():
        if one.name in CORE:
            continue
        if one.section != section:
            section = one.section
            lines += ["", f"; {section}"]
        lines += _folded(f"{rule_name(one.name)} =", _alternatives(one.expression, one.name == FOLDED).split(" "))
    return "".join(f"{line}\r\n" for line in lines)


def _folded(head: str, words: list[str]) -> list[str]:
    """The words of a rule in lines; those after the first are indented (RFC 5234 2.2)."""
    lines = [head]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(" ")
        lines[-1] += f" {word}"
    return lines


def _alternatives(node: Expression, any_case: bool) -> str:
    if isinstance(node, Choice):
        return " / ".join(_sequence(item, any_case) for item in node.items)
    return _sequence(node, any_case)


def _sequence(node: Expression, any_case: bool) -> str:
    if isinstance(node, Sequence):
        return " ".join(_element(item, any_case) for item in node.items)
    return _element(node, any_case)


def _element(node: Expression, any_case: bool) -> str:
    if isinstance(node, Reference):
        # In the name of a scheme case does not count (RFC 1738 2.1), although its production has small letters.
        return "ALPHA" if any_case and node.name == "lowalpha" else rule_name(node.name)
    if isinstance(node, Literal):
        return _literal(node, any_case)
    if isinstance(node, Repeat):
        if node.once:
            return f"[ {_alternatives(node.item, any_case)} ]"
        return f"{node.least or ''}*{_grouped(node.item, any_case)}"
    return f"( {_alternatives(node, any_case)} )"


def _grouped(node: Expression, any_case: bool) -> str:
    inner = _element(node, any_case)
    return f"( {inner} )" if inner.startswith("%x") and " " in inner else inner


def _literal(node: Literal, any_case: bool) -> str:
    # A case-insensitive scheme name is quoted together with the caseless characters after it.
    count = len(node.text) if any_case else node.folded
    while 0 < count < len(node.text) and _is_quotable(node.text[count]):
        count += 1
    pieces = [f'"{node.text[:count]}"'] if count else []
    rest = node.text[count:]
    while rest:  # characters without case are quoted, those with case are numbered
        count = next((at for at, char in enumerate(rest) if _is_quotable(char) != _is_quotable(rest[0])), len(rest))
        piece, rest = rest[:count], rest[count:]
        pieces.append(f'"{piece}"' if _is_quotable(piece[0]) else "%x" + ".".join(f"{ord(char):02X}" for char in piece))
    return pieces[0] if len(pieces) == 1 else f"( {' '.join(pieces)} )"


def _is_quotable(char: str) -> bool:
    return not char.isalpha() and char != '"'
