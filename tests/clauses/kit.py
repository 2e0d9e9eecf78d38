"""What the tests of the clauses ask: what a grammar says of a text, and what a URL would make the client send."""

from __future__ import annotations

from anyurl import diagnose
from anyurl.client.dry_run import dry_run
from anyurl.dialogue import Verb
from anyurl.grammar.grammars import GrammarName


def errors(text: str, grammar: GrammarName = "rfc1738") -> list[tuple[str, str]]:
    """The code and the place of each error, as the piece of the text that it points at."""
    return [(one.code, text[slice(*one.span)]) for one in diagnose(text, grammar) if one.severity == "error"]


def is_url(text: str, grammar: GrammarName = "rfc1738") -> bool:
    """Whether the grammar has no fault to find."""
    return not errors(text, grammar)


def connects(text: str, verb: Verb = "get") -> list[str]:
    """The places that it connects to, in words: ``connect to h port 21``."""
    return [line for line in dry_run(text, verb) if line.startswith("connect to ")]


def sent(text: str, verb: Verb = "get") -> list[str]:
    """The lines that go to a server that does everything right."""
    return [line[2:] for line in dry_run(text, verb) if line.startswith("> ")]
