"""The search in HTML, its own tokens: cut anywhere, the same links; and never slower than the text is long."""

from __future__ import annotations

from anyurl.text import find
from fuzz import kit
from fuzz.targets.find import _told


def fuzz(data: bytes) -> None:
    """A document."""
    data = data[:4096]
    base = "http://base.example/folder/page?q"
    found = [_told(one) for one in find(data, format="html", base=base)]
    for size in (1, 7):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        kit.same([_told(one) for one in find(pieces, format="html", base=base)], found, f"cut by {size}")
    kit.same(len(found) <= len(data), True, "more links than octets")
