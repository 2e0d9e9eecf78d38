"""Grammars for other programs: acceptance and derivation of a text, generated texts, ABNF.

Rule: the productions are data (the ``.bnf`` files, and for ``current`` the facts of `anyurl.url.syntax`); this only
combines their readers. `FormalGrammar.accepts` is the productions alone; `FormalGrammar.is_url` is `anyurl.parse`,
which holds a text against the prose as well.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from anyurl.errors import URLSyntaxError
from anyurl.grammar import bnf
from anyurl.grammar.abnf import to_abnf
from anyurl.grammar.derivation import Derivation, Deriver
from anyurl.grammar.generation import made, one_off
from anyurl.grammar.grammars import GrammarName, read
from anyurl.grammar.matcher import Matcher, matcher
from anyurl.grammar.today import today
from anyurl.url import syntax
from anyurl.url.grammars import unknown_grammar
from anyurl.values import Value

FORMAL: tuple[GrammarName, ...] = ("current", *bnf.NAMES)  # type: ignore[assignment]
"""The grammars that have productions; the standard of browsers is an algorithm (WHATWG URL 4.4)."""

MAX_TRIES = 10_000
"""Texts that a generator makes in vain before it gives up: of a mailto production one in some hundred is an address."""


class Rule(Value):
    """One production.

    Attributes:
        name: Its name as the document spells it.
        section: The clause that describes it: ``RFC 1738 3.3``.
        text: Its right side in the notation of RFC 1738 section 5.
    """

    name: str
    section: str
    text: str


class FormalGrammar:
    """The productions of one grammar; `formal_grammar` returns it.

    Attributes:
        name: ``rfc1738``, ``rfc1738-draft07`` or ``current``.
        reference: The document.
    """

    __slots__ = ("name", "reference", "_productions", "_derivers", "_matchers", "__weakref__")

    def __init__(self, productions: bnf.Productions) -> None:
        self.name: str = productions.name
        self.reference: str = productions.reference
        self._productions = productions
        self._derivers: dict[str, Deriver] = {}
        self._matchers: dict[str, Matcher] = {}

    def __repr__(self) -> str:
        return f"FormalGrammar({self.name!r})"

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All productions, in the order of the document."""
        cite, rules = self._productions.cite, self._productions.productions.values()
        return tuple(Rule(one.name, cite(one.name), one.text) for one in rules)

    def rule_of(self, scheme: str) -> str:
        """The name of the production of a scheme's URLs: ``ftpurl``; ``otherurl`` for a scheme without its own."""
        return self._productions.scheme_production(scheme.lower()) or "otherurl"

    def accepts(self, text: str, rule: str | None = None) -> bool:
        """Whether a production makes a text, by the productions alone. Time is linear in the text.

        Args:
            rule: The production; by default that of the URLs of the text's scheme (`rule_of`). The production ``url``
                covers them all, but its ``otherurl`` also accepts invalid URLs of known schemes: ``http:x``.

        Raises:
            LookupError: There is no such production.

        >>> formal_grammar("rfc1738").accepts("192.0.2.1", "hostnumber")
        True
        """
        return self._matcher(rule or self._rule_for(text)).accepts(text)

    def stop(self, text: str, rule: str | None = None) -> int:
        """The offset of the first character that no text of a production has there; the length if there is none.

        Raises:
            LookupError: There is no such production.
        """
        return self._matcher(rule or self._rule_for(text)).stop(text)

    def expected(self, text: str, rule: str | None = None) -> frozenset[str]:
        """The characters that may follow the beginning of a text of a production.

        Raises:
            LookupError: There is no such production.
        """
        return self._matcher(rule or self._rule_for(text)).expected(text)

    def derive(self, text: str, rule: str | None = None) -> Derivation | None:
        """How a text is derived: which piece of it is which production; None if it is not.

        Of several derivations one is returned: repetitions end as soon as they can, and optional elements are taken, so
        that the first ``%09`` of a gopher URL delimits. Time and memory are linear in the text.

        Raises:
            LookupError: There is no such production.

        >>> formal_grammar("rfc1738").derive("http://h.dom:80/a?b").find("hostport")
        ('h.dom:80',)
        """
        rule = rule or self._rule_for(text)
        self._check(rule)
        deriver = self._derivers.get(rule)
        if deriver is None:
            deriver = self._derivers[rule] = Deriver(self._productions, rule)
        return deriver.derive(text)

    def is_url(self, text: str) -> bool:
        """Whether a text is a URL by this grammar, its prose included: whether `anyurl.parse` takes it."""
        try:
            read(text, self.name)  # type: ignore[arg-type]
        except URLSyntaxError:
            return False
        return True

    def generate(self, seed: int, rule: str = "url", *, valid: bool = False) -> Iterator[str]:
        """Texts of a production without end, by chance, but the same for one seed.

        Args:
            seed: Decides the texts.
            rule: The production.
            valid: Only texts that are URLs, by the prose as well; the production is then that of URLs of some kind.

        Raises:
            LookupError: There is no such production.
            ValueError: `valid`, and of 10,000 texts in a row none is a URL.

        >>> next(formal_grammar("rfc1738").generate(7, "hostport"))
        '60.8.5.08301:1318'
        """
        self._check(rule)
        return self._generate(random.Random(seed), rule, valid)

    def mutate(self, seed: int, rule: str = "url") -> Iterator[str]:
        """Texts of a production with one octet too many, too few, or another: URLs or not, `is_url` tells.

        Octets beyond ASCII are surrogates, as Python decodes them with ``surrogateescape``.

        Raises:
            LookupError: There is no such production.
        """
        self._check(rule)
        return self._mutate(random.Random(seed), rule)

    def abnf(self) -> str:
        """The productions as ABNF (RFC 5234), whose rule names have neither ``+`` nor ``_``; lines end with CR LF."""
        return to_abnf(self._productions)

    def _generate(self, chance: random.Random, rule: str, valid: bool) -> Iterator[str]:
        vain = 0
        while vain < MAX_TRIES:
            text = made(chance, self._productions, rule)
            if not valid or self.is_url(text):
                vain = 0
                yield text
            else:
                vain += 1
        raise ValueError(f"of {MAX_TRIES:,} texts of {rule} none is a URL of {self.name}")

    def _mutate(self, chance: random.Random, rule: str) -> Iterator[str]:
        while True:
            yield one_off(chance, made(chance, self._productions, rule))

    def _rule_for(self, text: str) -> str:
        return self.rule_of(text.partition(":")[0])

    def _check(self, rule: str) -> None:
        if rule not in self._productions.productions:
            raise LookupError(f"The grammar {self.name} has no production {rule!r}.")

    def _matcher(self, rule: str) -> Matcher:
        found = self._matchers.get(rule)
        if found is None:
            self._check(rule)
            found = matcher(self.name, rule) if self.name in bnf.NAMES else Matcher(self._productions, rule)
            self._matchers[rule] = found
        return found


_MADE: dict[tuple[str, tuple[str, ...]], FormalGrammar] = {}


def formal_grammar(name: GrammarName) -> FormalGrammar:
    """The productions of a grammar: ``rfc1738``, ``rfc1738-draft07``, or ``current``.

    Those of ``current`` are made of RFC 3986 and of the facts about each scheme, registered ones included.

    Raises:
        UnsupportedError: There is no such grammar, or it has no productions (``browser``).

    >>> formal_grammar("rfc1738").accepts("http://host.dom/~user")
    False
    """
    if name not in FORMAL:
        raise unknown_grammar(name, FORMAL)
    key = (name, tuple(sorted(syntax.ROWS)) if name == "current" else ())
    found = _MADE.get(key)
    if found is None:
        rows = syntax.ROWS.values()
        found = FormalGrammar(bnf.read(name, today(rows)) if name == "current" else bnf.load(name))
        for old in [one for one in _MADE if one[0] == name]:
            del _MADE[old]
        _MADE[key] = found
    return found
