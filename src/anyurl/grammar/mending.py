"""Mending: a text that is changed step by step, with the origin of each of its characters.

Rule: every change is reported at its place in the original text.
"""

from __future__ import annotations

from collections.abc import Sequence


class Mending:
    """A copy of a text that can be changed.

    Attributes:
        original: The text.
        text: The current copy.

    >>> mending = Mending("http://a b/c d")
    >>> mending.replace((8, 9), "")
    >>> mending.text, mending.place((11, 12))
    ('http://ab/c d', (12, 13))
    """

    __slots__ = ("original", "text", "_origin")

    def __init__(self, text: str) -> None:
        self.original: str = text
        self.text: str = text
        self._origin = list(range(len(text) + 1))

    def place(self, span: tuple[int, int]) -> tuple[int, int]:
        """The span in the original text of a span of the copy."""
        start = self._origin[span[0]]
        return start, start if span[0] == span[1] else max(start, self._origin[span[1] - 1] + 1)

    def replace(self, span: tuple[int, int], replacement: str) -> None:
        """Replace a span."""
        self.replace_many([(span, replacement)])

    def replace_many(self, edits: Sequence[tuple[tuple[int, int], str]]) -> None:
        """Replace spans that do not overlap, given in order, in linear time."""
        pieces, origin, done = [], [], 0
        for (start, end), replacement in edits:
            pieces += [self.text[done:start], replacement]
            origin += self._origin[done:start]
            origin += [self._origin[start]] * len(replacement)
            done = end
        self.text = "".join([*pieces, self.text[done:]])
        self._origin = origin + self._origin[done:]

    def replace_all(self, span: tuple[int, int], old: str, new: str) -> None:
        """Replace every occurrence of a character in a span."""
        places = [place for place in range(*span) if self.text[place] == old]
        self.replace_many([((place, place + 1), new) for place in places])
