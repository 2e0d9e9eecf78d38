"""Reading to the letter: the grammars as data, the faults of a text by each of them, and their fixes.

Rule: the productions of RFC 1738 section 5 and of the draft before it are in the ``.bnf`` files; ``current`` is
`anyurl.URL`, ``browser`` is the WHATWG's standard. Nothing is loaded before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.grammar.anatomy import draw_svg as draw_svg
    from anyurl.grammar.anatomy import draw_text as draw_text
    from anyurl.grammar.derivation import Derivation as Derivation
    from anyurl.grammar.explanation import Difference as Difference
    from anyurl.grammar.explanation import Explanation as Explanation
    from anyurl.grammar.explanation import Reading as Reading
    from anyurl.grammar.explanation import explain as explain
    from anyurl.grammar.formal import FormalGrammar as FormalGrammar
    from anyurl.grammar.formal import Rule as Rule
    from anyurl.grammar.formal import formal_grammar as formal_grammar
    from anyurl.grammar.grammars import GRAMMARS as GRAMMARS
    from anyurl.grammar.grammars import diagnose as diagnose
    from anyurl.grammar.grammars import parse as parse
    from anyurl.grammar.guessing import Guess as Guess
    from anyurl.grammar.guessing import guess as guess
    from anyurl.grammar.repairs import Change as Change
    from anyurl.grammar.repairs import Repair as Repair
    from anyurl.grammar.repairs import fix as fix
    from anyurl.grammar.repairs import repair as repair

__all__ = [
    "GRAMMARS", "parse", "diagnose",
    "explain", "Explanation", "Reading", "Difference", "draw_text", "draw_svg",
    "fix", "repair", "Repair", "Change", "guess", "Guess",
    "formal_grammar", "FormalGrammar", "Rule", "Derivation",
]  # fmt: skip

_HOMES = {
    "GRAMMARS": "grammars",
    "diagnose": "grammars",
    "parse": "grammars",
    "explain": "explanation",
    "Explanation": "explanation",
    "Reading": "explanation",
    "Difference": "explanation",
    "draw_text": "anatomy",
    "formal_grammar": "formal",
    "FormalGrammar": "formal",
    "Rule": "formal",
    "Derivation": "derivation",
    "draw_svg": "anatomy",
    "fix": "repairs",
    "repair": "repairs",
    "guess": "guessing",
    "Guess": "guessing",
    "Repair": "repairs",
    "Change": "repairs",
}


if not TYPE_CHECKING:  # a type checker knows each name, and shall complain of all others

    def __getattr__(name):
        from importlib import import_module

        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'anyurl.grammar' has no attribute {name!r}")
        value = getattr(import_module(f"anyurl.grammar.{home}"), name)
        globals()[name] = value
        return value
