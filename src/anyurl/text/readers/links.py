"""Links whose destinations stand in lines of text: what Markdown and reStructuredText have in common.

Rule: the finder searches what stands between the destinations as running text. What can't be decided yet stays in its
buffer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from anyurl.text.finder import Finder
from anyurl.text.judgement import UNSAFE_OUT, encode_unsafe
from anyurl.url import URL

MAX_LINE = 65_536
"""Octets of a line that are waited for before its beginning is read: no link destination is longer than a URL."""

LINE_END_REACH = 64
"""Octets before the end of a line in which a destination that stands in the next line is looked for."""


_ESCAPED = (
    rb"|(?<![A-Za-z0-9+.\-\\`])(?P<escaped>[A-Za-z](?>[A-Za-z0-9+.\-]{1,30})://(?:[A-Za-z0-9/._~%?=&+#@,;$\-]|:(?!//))*+\\[_*~#&()+.\-]"
    rb"(?:[A-Za-z0-9/._~%?=&+#@,;$\-]|:(?!//)|\\[_*~#&()+.\-])*(?<=[A-Za-z0-9/_)]))"
)
"""A URL in running text, of which some characters are escaped (CommonMark 2.4)."""
_BROKEN = UNSAFE_OUT | str.maketrans({"\\": "%5C"})


class LinkReader:
    """Finds destinations in lines of text.

    Args:
        finder: The finder.
        base: What relative destinations are relative to; without one only whole URLs are reported.
        pattern: Destinations; the group that matched is the one.
        is_open: What stands at the end of a line whose destination stands in the next, or None.
        reference: What a destination means.
        context: How what is found stands in the text.
        literal: Where a backslash is no escape; its group is ``literal``.
    """

    def __init__(
        self,
        finder: Finder,
        base: URL | None,
        pattern: re.Pattern[bytes],
        is_open: re.Pattern[bytes] | None,
        reference: Callable[[str], str],
        context: str,
        literal: bytes = b"",
    ) -> None:
        self._finder = finder
        self._base = base
        self._pattern = pattern
        self._with_escapes = re.compile(pattern.pattern + literal + _ESCAPED, pattern.flags)
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
        pattern = self._pattern if data.find(b"\\", start, stop) < 0 else self._with_escapes
        for match in pattern.finditer(data, start, stop):
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
            text = data[first:last].decode("utf-8", "surrogateescape")
            if group == "literal":
                base, context = None, "angle"
            else:
                text = self._reference(text)
                base, context = (None, "bare") if group == "escaped" else (self._base, self._context)
            finder.link(first, last, encode_unsafe(text, _BROKEN), base, context)
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
