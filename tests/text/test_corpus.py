"""What is found in two thousand texts, of which it is known what is in them; the figures end the report of the run.

Other finders read the same octets: one that has no reader for a format is not told how to read it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import chain, islice
from pathlib import Path

import pytest

from anyurl.text import find
from tests.text.corpus import KINDS, Text
from tests.text.scoring import linkify, rates, same, told, urlextract


def ours(text: Text) -> list[str]:
    return [str(item) for item in find(text.text, format=text.format)]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_there_is_found_and_nothing_else(kind: str, record_property: Callable[[str, object], None]) -> None:
    texts = list(KINDS[kind]())
    figures: Counter[str] = Counter()
    faulty = []
    for text in texts:
        one = told(text.urls, ours(text))
        figures += one
        if one["found"] != sum(one.values()):
            faulty.append(text)
    wanted = sum(len(text.urls) for text in texts)
    shown = ", ".join(f"{figures[name]} {name}" for name in ("found", "cut", "longer", "missed", "invented"))
    record_property("figures", f"{kind}: {len(texts)} texts, {wanted} URLs: {shown}; {rates(figures)}")
    assert faulty == []
    assert figures["found"] == wanted > 140


@pytest.mark.parametrize(("name", "peer"), [("linkify-it-py", linkify), ("urlextract", urlextract)])
def test_others_find_less(
    name: str,
    peer: Callable[[Path], Callable[[str], list[str]]],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    read = peer(tmp_path)
    theirs: Counter[str] = Counter()
    for text in islice(chain.from_iterable(make() for make in KINDS.values()), 0, None, 7):
        theirs += told(text.urls, read(text.text.decode()), same)
    record_property("figures", f"{name}, every seventh text, each read as plain text: {rates(theirs)}")
    assert theirs["missed"] + theirs["cut"] > 0 < theirs["found"]


def test_there_are_two_thousand_different_texts() -> None:
    texts = [text for make in KINDS.values() for text in make()]
    assert len({(text.kind, text.text) for text in texts}) >= 2000
