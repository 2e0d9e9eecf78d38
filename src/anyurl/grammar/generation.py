"""Texts that a production makes, and texts that are one octet off: by chance, but the same for one seed.

Rule: a text is made of the productions alone; `FormalGrammar.is_url` tells whether it is a URL, since productions know
nothing of the prose. Octets that are put into a text are any of the 256: more of them those that delimit, since these
make other URLs of it.
"""

from __future__ import annotations

import random

from anyurl.grammar.bnf import Choice, Expression, Literal, Productions, Reference, Sequence
from anyurl.grammar.matcher import FOLDED

MOST = 6
"""Repetitions of an element beyond those that it needs: enough that every neighbour occurs, and texts stay readable."""

IN_CAPITALS = 0.05
"""The share of capitals among case-insensitive letters, in the name of a scheme."""

_DELIMITERS = ';/?:@&=%#+.-[]\\ <>"\t\r\n\0~|'


def made(chance: random.Random, grammar: Productions, production: str) -> str:
    """One text of a production."""
    out: list[str] = []
    pending: list[tuple[Expression, bool]] = [(Reference(production), False)]
    while pending:
        node, folded = pending.pop()
        if isinstance(node, Literal):
            out += [
                char.upper() if (folded or at < node.folded) and chance.random() < IN_CAPITALS else char
                for at, char in enumerate(node.text)
            ]
        elif isinstance(node, Reference):
            pending.append((grammar.productions[node.name].expression, folded or node.name == FOLDED))
        elif isinstance(node, Sequence):
            pending += [(item, folded) for item in reversed(node.items)]
        elif isinstance(node, Choice):
            pending.append((chance.choice(node.items), folded))
        else:
            count = chance.randint(0, 1) if node.once else node.least + chance.randint(0, MOST)
            pending += [(node.item, folded)] * count
    return "".join(out)


def one_off(chance: random.Random, text: str) -> str:
    """A text with one octet more, less or other; octets beyond ASCII as surrogates (``surrogateescape``)."""
    octets = bytearray(text, "utf-8", "surrogateescape")
    if chance.random() < 0.5:
        octet = ord(chance.choice(_DELIMITERS))
    else:
        octet = chance.randrange(256)
    what, place = chance.randrange(3), chance.randrange(len(octets) + 1)
    if what == 0 or place == len(octets):
        octets.insert(place, octet)
    elif what == 1:
        del octets[place]
    else:
        octets[place] = octet
    return octets.decode("utf-8", "surrogateescape")
