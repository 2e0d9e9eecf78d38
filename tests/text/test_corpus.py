"""What is found in two thousand texts, of which it is known what is in them; the figures are printed."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from anyurl.text import find
from anyurl.url import URL
from tests.text.corpus import KINDS, Text


def told(text: Text) -> Counter[str]:
    """How many URLs of a text are found, how many are cut, too long or missed, and how much else is reported."""
    wanted = [str(URL(url)) for url in text.urls]
    got = [str(item) for item in find(text.text, format=text.format)]
    figures: Counter[str] = Counter()
    for url in wanted:
        if url in got:
            got.remove(url)
            figures["found"] += 1
        elif near := [each for each in got if each.startswith(url[:9])]:
            got.remove(near[0])
            figures["cut" if url.startswith(near[0]) else "longer"] += 1
        else:
            figures["missed"] += 1
    figures["invented"] += len(got)
    return figures


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_there_is_found_and_nothing_else(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    texts = list(KINDS[kind]())
    figures: Counter[str] = Counter()
    faulty = []
    for text in texts:
        one = told(text)
        figures += one
        if one["found"] != sum(one.values()):
            faulty.append(text)
    wanted = sum(len(text.urls) for text in texts)
    with capsys.disabled():
        shown = ", ".join(f"{figures[name]} {name}" for name in ("found", "cut", "longer", "missed", "invented"))
        sys.stdout.write(f"\n{kind}: {len(texts)} texts, {wanted} URLs: {shown}\n")
    assert faulty == []
    assert figures["found"] == wanted > 140


def test_there_are_two_thousand_different_texts() -> None:
    texts = [text for make in KINDS.values() for text in make()]
    assert len({(text.kind, text.text) for text in texts}) >= 2000
