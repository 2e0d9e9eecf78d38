"""What is told of many octets at a time is what Python tells of them, wherever a part begins and ends."""

from __future__ import annotations

import random

import pytest

from anyurl.text import find
from anyurl.text.finder import Finder
from anyurl.text.kinds import URLS_ALONE
from tests.rows import each_row


def _texts() -> list[bytes]:
    """Lines of all lengths around those that vectors hold, ASCII and not."""
    chance = random.Random(1738)
    texts = []
    for length in [*range(70), 127, 128, 129, 255, 256, 257, 1000]:
        for weights in ((60, 1, 0, 0), (5, 5, 1, 0), (60, 1, 0, 1)):
            letters = chance.choices(("a", "\n", "$", "é"), weights, k=length)
            texts.append("".join(letters).encode())
    return texts


@each_row("text", _texts())
def test_places_count_characters_octets_and_lines(text: bytes) -> None:
    """The parts before a URL, of each length and at each place, are told by where it stands."""
    finder = Finder(None, URLS_ALONE, "surrogateescape")
    whole = text + b" http://h/ " + text + b"\n http://i/ " + text
    found = finder.read_row(whole)
    assert len(found) == 2
    for one in found:
        start = whole.index(str(one.url).encode())
        before = whole[:start].decode()
        assert one.octet_span[0] == start
        assert one.span[0] == len(before)
        assert one.line == before.count("\n") + 1
        assert one.column == len(before) - (before.rfind("\n") + 1) + 1


@pytest.mark.parametrize("mark", ["/XXXX/", "/@NAME@/", "/$NAME/"])
def test_a_mark_of_a_gap_is_seen_wherever_it_stands(mark: str) -> None:
    for length in range(40):
        for place in range(length + 1):
            url = f"http://h/{'a' * place}{mark}{'a' * (length - place)}"
            assert list(find(f" {url} $ @ X ")) == [], url
            assert [one.raw for one in find(f"$ @ X {url} ", templates=True)] == [url]
            assert [one.raw for one in find(f"$@X {url.replace(mark, '/b/')} $@X")] == [url.replace(mark, "/b/")]
