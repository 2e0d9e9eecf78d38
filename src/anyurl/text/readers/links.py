"""Links whose destinations stand in lines of text: what Markdown and reStructuredText have in common.

Rule: the finder searches what stands between the destinations as running text. What can't be decided yet stays in its
buffer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from anyurl.text.finder import Finder
from anyurl.text.judgement import BROKEN_OUT
from anyurl.url import URL

MAX_LINE = 65_536
"""Octets of a line that are waited for before its beginning is read: no link destination is longer than a URL."""

LINE_END_REACH = 64
"""Octets before the end of a line in which a destination that stands in the next line is looked for."""

_HEAD = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*+:)?+(?://[^/?#]*+)?+")
_BROKEN = BROKEN_OUT | str.maketrans({" ": "%20", "<": "%3C", ">": "%3E", '"': "%22", "\\": "%5C"})


class LinkReader:
    """Finds destinations in lines of text.

    Args:
        finder: The finder.
        base: What relative destinations are relative to; without one only whole URLs are reported.
        pattern: Destinations; the group that matched is the one.
        is_open: What stands at the end of a line whose destination stands in the next, or None.
        reference: What a destination means.
        context: How what is found stands in the text.
    """

    def __init__(
        self,
        finder: Finder,
        base: URL | None,
        pattern: re.Pattern[bytes],
        is_open: re.Pattern[bytes] | None,
        reference: Callable[[str], str],
        context: str,
    ) -> None:
        self._finder = finder
        self._base = base
        self._pattern = pattern
        self._is_open = is_open
        self._reference = reference
        self._context = context

    def read(self) -> None:
        """Read the whole lines of the buffer."""
        finder = self._finder
        data, start, final = finder.window()
        stop = len(data) if final else self._lines_end(data, start)
        if stop <= start:
            if len(data) - start < MAX_LINE and not final:
                finder.done(start, len(data) - start)
                return
            stop = len(data)
        for match in self._pattern.finditer(data, start, stop):
            group: Any = match.lastgroup
            first, last = match.span(group)
            if first < start:
                continue
            finder.search(start, first, None, True)
            start = finder.window()[1]
            if start < first:  # a wrapper that begins before may hold the link
                return
            if start > first:  # it does
                continue
            text = self._reference(data[first:last].decode("utf-8", "surrogateescape"))
            head = _HEAD.match(text)
            end = head.end() if head else 0
            finder.link(first, last, text[:end] + text[end:].translate(_BROKEN), self._base, self._context)
            start = last
        finder.search(start, stop, None, True)

    def _lines_end(self, data: bytes, start: int) -> int:
        """Where the last line ends that needs no other."""
        stop = data.rfind(b"\n", start) + 1
        while stop > start and self._is_open is not None:
            if self._is_open.search(data, max(start, stop - LINE_END_REACH), stop) is None:
                break
            stop = data.rfind(b"\n", start, stop - 1) + 1
        return stop
