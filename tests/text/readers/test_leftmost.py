"""What is looked for by the few octets with which it begins is what an alternation of the patterns finds."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from anyurl.text.readers import links, markdown

PATTERNS = (rb"\](?P<a>\(x?)", rb"<(?P<b>[a-x]+(?:\]\()?)>", rb"(?P<c>x+\\\(?)")


@given(st.lists(st.sampled_from([b"](", b"x", b"<", b">", b"\\", b"a", b" "]), max_size=30).map(b"".join), st.data())
def test_an_alternation(text: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    whole = re.compile(b"|".join(PATTERNS)).finditer(text, start, stop)
    found = links.leftmost([re.compile(each).search for each in PATTERNS], text, start, stop)
    assert [(each.lastgroup, each.span()) for each in found] == [(each.lastgroup, each.span()) for each in whole]


PIECES = [
    b"[", b"]", b"]:", b"](", b"\\", b"\n", b"\n\n", b" ", b"\t", b"a", b"^", b"- ", b"1. ", b"> ", b"<", b">", b"h://x.y",
    b"\\_", b"\\[", b"\\]", b"\\\\", b".", b"`",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)


SEARCHES = ((markdown.find_definition, markdown.DEFINITION), (links.find_escaped, links.ESCAPED))


@given(TEXTS, st.integers(0, 9))
@example(b"[a\n\\[b]: x", 0)  # the last bracket before the mark is escaped
@example(b"[a]: x", 1)
@example(b"a]: [b]: x\n[c]: y", 0)
@example(b"a b://c.d\\_e f", 0)
def test_a_search_by_its_mark(text: bytes, start: int) -> None:
    for find, pattern in SEARCHES:
        ours, theirs = find(text, start, len(text)), pattern.search(text, start, len(text))
        assert (ours and ours.span()) == (theirs and theirs.span())
