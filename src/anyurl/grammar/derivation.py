"""How a text is derived from a production: which piece of it is which production, as a tree.

Rule: as in `matcher`, time and memory are linear in the text. The text is read backwards once, by sets of positions in
the production from which its end can be reached; then forwards, along the first way that stays within these. Where a
production is ambiguous, a repetition ends as soon as it can, an optional element is taken if it can be, and of
alternatives one that begins with a literal comes before one that doesn't: so the first ``%09`` of a gopher URL
delimits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from anyurl.grammar.bnf import Choice, Expression, Literal, Productions, Reference, Repeat, Sequence
from anyurl.grammar.matcher import FOLDED, single_of
from anyurl.values import Value

OPEN, CLOSE = 1, -1


class Derivation(Value):
    """A piece of a text, and the production that it is derived from.

    Attributes:
        production: The name of the production.
        start: Where the piece begins in the text, in characters.
        end: Where it ends.
        text: The piece.
        children: The pieces of the productions that this one names, in their order. Literals are not pieces, and a
            production of single characters (``digit``, ``unreserved``) has no children.
    """

    production: str
    start: int
    end: int
    text: str
    children: tuple[Derivation, ...]

    def walk(self) -> Iterator[Derivation]:
        """This piece and all below it, each before its children."""
        pending: list[Derivation] = [self]
        while pending:
            one = pending.pop()
            yield one
            pending += reversed(one.children)

    def find(self, production: str) -> tuple[str, ...]:
        """The texts of all pieces of a production, in the order of the text.

        >>> from anyurl.grammar import formal_grammar
        >>> formal_grammar("rfc1738").derive("ftp://h/pub/x;type=a").find("fsegment")
        ('pub', 'x')
        """
        return tuple(one.text for one in self.walk() if one.production == production)


class Deriver:
    """The automaton of one production, with the begin and end of each production that it names.

    Args:
        grammar: The productions.
        production: The name of the one to derive from.
    """

    def __init__(self, grammar: Productions, production: str) -> None:
        self._grammar = grammar
        # For each node: the ways on without a character, best first, with the event on the way; and those with one.
        self._silent: list[list[tuple[int, tuple[int, str] | None]]] = []
        self._edges: list[list[tuple[frozenset[str], int]]] = []
        self._first = self._node()
        self._last = self._build(Reference(production), self._first, folded=False)
        self._back: list[list[int]] = [[] for _ in self._silent]
        self._into: list[list[tuple[frozenset[str], int]]] = [[] for _ in self._silent]
        for node, ways in enumerate(self._silent):
            for to, _ in ways:
                self._back[to].append(node)
        for node, edges in enumerate(self._edges):
            for chars, to in edges:
                self._into[to].append((chars, node))
        self._sets: dict[frozenset[int], frozenset[int]] = {}
        self._moves: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def derive(self, text: str) -> Derivation | None:
        """The tree of the whole text; None if the production has no such text."""
        within = [self._closed(frozenset((self._last,)))]  # from the end to the beginning of the text
        for char in reversed(text):
            within.append(self._before(within[-1], char))
            if not within[-1]:
                return None
        if self._first not in within[-1]:
            return None
        within.reverse()
        return _tree(text, self._events(text, within))

    def _events(self, text: str, within: list[frozenset[int]]) -> Iterator[tuple[int, int, str]]:
        """Where productions begin and end on the best way: position, OPEN or CLOSE, name."""
        node = self._first
        for position in range(len(text) + 1):
            char = text[position : position + 1]
            node, events = self._step(node, char, within, position)
            for kind, name in events:
                yield position, kind, name

    def _step(
        self, node: int, char: str, within: list[frozenset[int]], position: int
    ) -> tuple[int, list[tuple[int, str]]]:
        """The best way from a node over the next character, or to the end of the text: where it leads, its events."""
        seen = {node}
        pending: list[tuple[int, _Trail | None]] = [(node, None)]
        while pending:
            node, trail = pending.pop()
            if not char and node == self._last:
                return node, _events_of(trail)
            for chars, to in self._edges[node]:
                if char and char in chars and to in within[position + 1]:
                    return to, _events_of(trail)
            for to, event in reversed(self._silent[node]):
                if to not in seen and to in within[position]:
                    pending.append((to, trail if event is None else _Trail(event, trail)))
            seen.add(node)
        raise AssertionError("the backward sets hold only nodes from which the end is reached")

    def _before(self, nodes: frozenset[int], char: str) -> frozenset[int]:
        known = self._moves.get((nodes, char))
        if known is None:
            known = self._closed(frozenset(back for to in nodes for chars, back in self._into[to] if char in chars))
            if char.isascii():  # only ASCII is cached, so that the cache is bounded
                self._moves[nodes, char] = known
        return known

    def _closed(self, nodes: frozenset[int]) -> frozenset[int]:
        """These nodes, and those that lead to one of them without a character."""
        known = self._sets.get(nodes)
        if known is None:
            closed, pending = set(nodes), list(nodes)
            while pending:
                for node in self._back[pending.pop()]:
                    if node not in closed:
                        closed.add(node)
                        pending.append(node)
            known = self._sets[nodes] = frozenset(closed)
        return known

    def _node(self) -> int:
        self._silent.append([])
        self._edges.append([])
        return len(self._silent) - 1

    def _build(self, expression: Expression, begin: int, *, folded: bool) -> int:
        """Add the nodes of an expression after a node; returns the last one."""
        single = single_of(self._grammar, expression, folded)
        if single is not None:
            return self._build_single(expression, single, begin)
        if isinstance(expression, Literal):
            for position, char in enumerate(expression.text):
                any_case = folded or position < expression.folded
                end = self._node()
                self._edges[begin].append((frozenset({char, char.upper()} if any_case else {char}), end))
                begin = end
            return begin
        if isinstance(expression, Sequence):
            for item in expression.items:
                begin = self._build(item, begin, folded=folded)
            return begin
        if isinstance(expression, Choice):
            end = self._node()
            for item in sorted(expression.items, key=lambda item: not self._is_literal(item)):
                branch = self._node()
                self._silent[begin].append((branch, None))
                self._silent[self._build(item, branch, folded=folded)].append((end, None))
            return end
        if isinstance(expression, Reference):
            inner, end = self._node(), self._node()
            self._silent[begin].append((inner, (OPEN, expression.name)))
            body = self._grammar.productions[expression.name].expression
            last = self._build(body, inner, folded=folded or expression.name == FOLDED)
            self._silent[last].append((end, (CLOSE, expression.name)))
            return end
        return self._build_repeat(expression, begin, folded)

    def _build_single(self, expression: Expression, single: frozenset[str], begin: int) -> int:
        """An expression that is always one character: one edge, however its productions are nested."""
        end = self._node()
        if isinstance(expression, Reference):
            inner, after = self._node(), self._node()
            self._silent[begin].append((inner, (OPEN, expression.name)))
            self._edges[inner].append((single, after))
            self._silent[after].append((end, (CLOSE, expression.name)))
        else:
            self._edges[begin].append((single, end))
        return end

    def _build_repeat(self, repeat: Repeat, begin: int, folded: bool) -> int:
        for _ in range(repeat.least):
            begin = self._build(repeat.item, begin, folded=folded)
        turn, inside, end = self._node(), self._node(), self._node()
        self._silent[begin].append((turn, None))
        self._silent[turn] += [(inside, None), (end, None)] if repeat.once else [(end, None), (inside, None)]
        self._silent[self._build(repeat.item, inside, folded=folded)].append((end if repeat.once else turn, None))
        return end

    def _is_literal(self, expression: Expression) -> bool:
        """Whether an expression begins with literal characters."""
        if isinstance(expression, Sequence):
            return self._is_literal(expression.items[0])
        if isinstance(expression, Reference):
            return self._is_literal(self._grammar.productions[expression.name].expression)
        return isinstance(expression, Literal)


class _Trail(NamedTuple):
    """The events on a way, the last one first."""

    event: tuple[int, str]
    before: _Trail | None


def _events_of(trail: _Trail | None) -> list[tuple[int, str]]:
    events = []
    while trail is not None:
        events.append(trail.event)
        trail = trail.before
    return events[::-1]


def _tree(text: str, events: Iterator[tuple[int, int, str]]) -> Derivation:
    """The tree that nested begins and ends make."""
    open_at: list[int] = []
    children: list[list[Derivation]] = [[]]
    for position, kind, name in events:
        if kind == OPEN:
            open_at.append(position)
            children.append([])
        else:
            start, below = open_at.pop(), children.pop()
            children[-1].append(Derivation(name, start, position, text[start:position], tuple(below)))
    (whole,) = children[0]
    return whole
