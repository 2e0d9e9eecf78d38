"""Texts to judge: strings that a grammar generates, and real URLs with mistakes put into them; the same for one seed.

Rule: like the oracle, this reads the data files by itself. About half of what comes out is a URL: a stream in which all
or nothing is accepted would prove little.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.grammar.oracle import DEFINED, TOKEN, right_sides

URL_DATA = Path(__file__).parent.parent / "data" / "url"

CHARACTERS = "ab0Z9-._+$!*'(),;/?:@&=%#~ {}|\\^[]`<>\"\t\n\x00\x7fé東"
DELIMITERS = ";/?:@&=%#"
"""What parts one piece of a URL from the next, of whatever scheme."""

PIECES = (
    "%09", "%0A", "%0d", "%20", "%41", "%zz", "%", "//", "..", "@", ":", ":80", ":0", ":65535", ":65536", ":x", "/",
    "?", "??", "#", "#f", ";type=a", ";type=x", ";TYPE=i", ";a=b", "=", "&", "1.2.3.4", "256", "1.2.3", "[::1]",
    "xn--", "-", "--", ".", "user@", "u:p@", "URL:", "<", ">", " ", '"a b"@', "%22", "%5C", "%5B", "%5D",
    "%0D%0A%20", "%C3%A9", "mailto:", "x:", "a" * 64, "localhost", "*",
)  # fmt: skip


@cache
def seeds() -> tuple[str, ...]:
    """Real URLs: the RFC's examples and what other libraries are tested with, where they have a scheme."""
    facts = json.loads((URL_DATA / "rfc1738.json").read_text(encoding="utf-8"))
    found = [row["url"] for row in facts["examples"]]
    with (URL_DATA / "peers.jsonl").open(encoding="utf-8") as rows:
        found += [json.loads(row)["input"] for row in rows]
    return tuple(dict.fromkeys(text for text in found if ":" in text and len(text) < 200))


def texts(seed: int, count: int, name: str = "rfc1738") -> Iterator[str]:
    """That many texts: generated from the grammar, generated with mistakes, and real ones with mistakes, in turn."""
    chance = random.Random(seed)
    for number in range(count):
        kind = number % 4
        if kind == 0:
            yield generated(chance, name)
        elif kind == 1:
            yield with_mistakes(chance, generated(chance, name), chance.choice((1, 1, 2)))
        else:
            yield with_mistakes(chance, chance.choice(seeds()), chance.choice((0, 1, 1, 2, 3)))


def with_mistakes(chance: random.Random, text: str, count: int) -> str:
    """A text in which characters are added, put in another's place, left out, or said twice."""
    for _ in range(count):
        place = chance.randrange(len(text) + 1)
        what = chance.randrange(7)
        if what == 0:
            text = text[:place] + chance.choice(CHARACTERS) + text[place:]
        elif what in (1, 2):
            text = text[:place] + chance.choice(PIECES) + text[place:]
        elif what in (3, 4):
            text = text[:place] + chance.choice(CHARACTERS) + text[place + 1 :]
        elif what == 5:
            text = text[:place] + text[place + chance.choice((1, 1, 2, 5)) :]
        else:
            text = text[:place] + text[max(0, place - 4) : place] + text[place:]
    return text


def each_mistake(text: str) -> Iterator[str]:
    """The text itself, each that lacks one of its characters, and each that has one of the delimiters too many."""
    yield text
    for place in range(len(text)):
        yield text[:place] + text[place + 1 :]
    for place in range(len(text) + 1):
        for char in DELIMITERS:
            yield text[:place] + char + text[place:]


@cache
def tree(name: str, production: str) -> Any:
    """The right side of a production in nested tuples: ("or", ...), ("and", ...), ("times", least, most, item)."""
    tokens = TOKEN.findall(right_sides(name)[production])
    node, rest = _choice(tokens)
    assert not rest
    return node


def _choice(tokens: list[str]) -> tuple[Any, list[str]]:
    branches: list[Any] = [[]]
    while tokens and tokens[0] != "]":
        token, tokens = tokens[0], tokens[1:]
        if token == "|":
            branches.append([])
        elif token.endswith("*"):
            least = int(token[:-1] or 0)
            if tokens[0] == "[":
                item, tokens = _choice(tokens[1:])
                tokens = tokens[1:]
            else:
                item, tokens = tokens[0], tokens[1:]
            branches[-1].append(("times", least, least + 6, item))
        elif token == "[":
            item, tokens = _choice(tokens)
            branches[-1].append(("times", 0, 1, item))
            tokens = tokens[1:]
        else:
            branches[-1].append(token)
    return ("or", *[("and", *branch) for branch in branches]), tokens


def generated(chance: random.Random, name: str) -> str:
    """A string that a document's productions make of one of its schemes."""
    scheme = chance.choice((*DEFINED, "other"))
    text = _made(chance, name, f"{scheme}url")
    return text if chance.random() < 0.9 else text.replace(scheme, scheme.upper(), 1)


def _made(chance: random.Random, name: str, node: Any) -> str:
    if isinstance(node, str):
        if node == '"""':
            return '"'
        if node[0] in '"<':
            return node[1:-1]
        return "/" if node == "/" else _made(chance, name, tree(name, node))
    kind, *items = node
    if kind == "or":
        return _made(chance, name, chance.choice(items))
    if kind == "and":
        return "".join([_made(chance, name, item) for item in items])
    least, most, item = items
    return "".join([_made(chance, name, item) for _ in range(chance.randint(least, most))])
