"""Matching a text with a production, by an automaton that is built from the production's tree.

Rule: a text is read once, from left to right, in time linear in its length for every grammar and text: all reachable
states are followed together and cached (Thompson's construction, with subsets made on demand). A matcher stops at the
first character that can't continue a match.
"""

from __future__ import annotations

from functools import cache

from anyurl.grammar import bnf
from anyurl.grammar.bnf import Choice, Expression, Literal, Productions, Reference, Repeat, Sequence

FOLDED = "scheme"
"""The production whose letters match in any case (RFC 1738 2.1: HTTP as well as http)."""


class _State:
    """A set of positions in the production; ``moves`` is filled as characters occur."""

    __slots__ = ("nodes", "moves", "accepting")

    def __init__(self, nodes: frozenset[int], accepting: bool) -> None:
        self.nodes: frozenset[int] = nodes
        self.moves: dict[str, _State | None] = {}
        self.accepting: bool = accepting


class Matcher:
    """An automaton for one production of one grammar.

    >>> matcher("rfc1738", "hostport").stop("host.dom:80/x")
    11
    """

    def __init__(self, grammar: Productions, production: str) -> None:
        self._grammar = grammar
        self._edges: list[list[tuple[frozenset[str], int]]] = []
        self._silent: list[list[int]] = []
        first = self._node()
        self._last = self._build(Reference(production), first, folded=False)
        self._states: dict[frozenset[int], _State] = {}
        self._start = self._state({first})

    def accepts(self, text: str) -> bool:
        """Whether the whole text matches the production."""
        state = self._start
        for char in text:
            following = self._move(state, char)
            if following is None:
                return False
            state = following
        return state.accepting

    def stop(self, text: str) -> int:
        """The offset of the first character that can't continue a match, or the length of the text."""
        state = self._start
        for position, char in enumerate(text):
            following = self._move(state, char)
            if following is None:
                return position
            state = following
        return len(text)

    def expected(self, text: str) -> frozenset[str]:
        """The characters that may follow a text that `stop` accepts to its end."""
        state = self._start
        for char in text:
            following = self._move(state, char)
            if following is None:
                return frozenset()
            state = following
        return frozenset().union(*(chars for node in state.nodes for chars, _ in self._edges[node]))

    def _move(self, state: _State, char: str) -> _State | None:
        if char in state.moves:
            return state.moves[char]
        targets = {to for node in state.nodes for chars, to in self._edges[node] if char in chars}
        following = self._state(targets) if targets else None
        if char.isascii():  # only ASCII is cached, so that the cache is bounded
            state.moves[char] = following
        return following

    def _state(self, nodes: set[int]) -> _State:
        pending = list(nodes)
        closed = set(nodes)
        while pending:
            for to in self._silent[pending.pop()]:
                if to not in closed:
                    closed.add(to)
                    pending.append(to)
        key = frozenset(closed)
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = _State(key, self._last in key)
        return state

    def _node(self) -> int:
        self._edges.append([])
        self._silent.append([])
        return len(self._edges) - 1

    def _build(self, expression: Expression, begin: int, *, folded: bool) -> int:
        """Add the nodes of an expression after a node; returns the last one."""
        single = single_of(self._grammar, expression, folded)
        if single is not None:
            end = self._node()
            self._edges[begin].append((single, end))
            return end
        if isinstance(expression, Reference):
            body = self._grammar.productions[expression.name].expression
            return self._build(body, begin, folded=folded or expression.name == FOLDED)
        if isinstance(expression, Literal):
            return self._build_literal(expression, begin)
        if isinstance(expression, Sequence):
            for item in expression.items:
                begin = self._build(item, begin, folded=folded)
            return begin
        if isinstance(expression, Choice):
            end = self._node()
            for item in expression.items:
                branch = self._node()
                self._silent[begin].append(branch)
                self._silent[self._build(item, branch, folded=folded)].append(end)
            return end
        return self._build_repeat(expression, begin, folded)

    def _build_literal(self, literal: Literal, begin: int) -> int:
        for position, char in enumerate(literal.text):
            end = self._node()
            chars = {char, char.upper()} if position < literal.folded else {char}
            self._edges[begin].append((frozenset(chars), end))
            begin = end
        return begin

    def _build_repeat(self, repeat: Repeat, begin: int, folded: bool) -> int:
        for _ in range(repeat.least):
            begin = self._build(repeat.item, begin, folded=folded)
        inside, end = self._node(), self._node()
        self._silent[begin] += [inside, end]
        self._silent[self._build(repeat.item, inside, folded=folded)].append(end if repeat.once else begin)
        return end


def single_of(grammar: Productions, expression: Expression, folded: bool) -> frozenset[str] | None:
    """The characters of an expression that is always one character, or None; this keeps an automaton small."""
    if isinstance(expression, Literal):
        if len(expression.text) != 1:
            return None
        return frozenset(expression.text + expression.text.upper() if folded else expression.text)
    if isinstance(expression, Reference):
        return _single_of_production(grammar, expression.name, folded)
    if isinstance(expression, Choice):
        parts = [single_of(grammar, item, folded) for item in expression.items]
        known = [part for part in parts if part is not None]
        return frozenset().union(*known) if len(known) == len(parts) else None
    return None


@cache
def _single_of_production(grammar: Productions, name: str, folded: bool) -> frozenset[str] | None:
    return single_of(grammar, grammar.productions[name].expression, folded)


@cache
def matcher(grammar: str, production: str) -> Matcher:
    """The matcher of a production, cached."""
    return Matcher(bnf.load(grammar), production)
