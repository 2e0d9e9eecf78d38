"""What a format adds to running text: relative links in Markdown and reStructuredText, the header of mail.

Rule: a reader is told that the finder's buffer has grown, looks for what its format marks, in order, and lets the
finder search the rest as running text. What it can't decide yet it leaves in the buffer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from anyurl.text.finder import Finder
from anyurl.url import URL

FORMATS = ("text", "html", "markdown", "rst", "mail")

MAX_LINE = 65_536
"""Octets of a line that are waited for before its beginning is read: no link destination is longer than a URL."""

_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.\-]*:")

MARKDOWN = re.compile(
    rb"\]\([ \t]*+<(?P<angle>[^<>\n]++)>"  # [text](<destination>)
    rb"|\]\([ \t]*+(?P<bare>[^\s<>()]++(?:\([^\s()]*+\)[^\s<>()]*+)*+)"  # [text](destination "title")
    rb"|^ {0,3}\[[^\]\n]++\]:[ \t]*+(?P<definition>[^\s<>]++)",  # [name]: destination
    re.MULTILINE,
)
"""Destinations of links (CommonMark 6.3, 4.7)."""

RST = re.compile(
    rb"`[^`<\n]*+<(?P<angle>[^`<>\n]++)>`_"  # `text <target>`_
    rb"|^[ \t]*+\.\.[ ]_[^:\n]++:[ \t]*+(?P<definition>[^\s<>`]++)"  # .. _name: target
    rb"|^[ \t]*+\.\.[ ](?:\|[^|\n]++\|[ ])?(?:image|figure)::[ \t]++(?P<image>\S++)"  # .. image:: target
    rb"|^[ \t]++:target:[ \t]++(?P<target>[^\s`]++)",
    re.MULTILINE,
)
"""Targets of links and pictures (docutils, reStructuredText Markup Specification)."""

_MESSAGE = re.compile(rb"(\n\r?\n)From ")

SKIPPED_FIELDS = (b"message-id", b"in-reply-to", b"references", b"content-id", b"resent-message-id")
"""Header fields that hold identifiers in angle brackets (RFC 5322 3.6.4): they look like addresses and are none."""


def reader(format: str | None, finder: Finder, base: URL | None) -> Callable[[], None]:
    """What reads the finder's buffer each time it has grown."""
    if format == "html":
        from anyurl.text.hypertext import HypertextReader

        return HypertextReader(finder, base).read
    if format == "mail":
        return MailReader(finder).read
    if format in ("markdown", "rst") and base is not None:
        return LinkReader(
            finder, base, *(MARKDOWN, "markdown") if format == "markdown" else (RST, "restructuredtext")
        ).read
    return finder.read


class LinkReader:
    """Relative links in lines of text."""

    def __init__(self, finder: Finder, base: URL, pattern: re.Pattern[bytes], context: str) -> None:
        self._finder = finder
        self._base = base
        self._pattern = pattern
        self._context = context

    def read(self) -> None:
        """Read the whole lines of the buffer."""
        finder = self._finder
        data, start, final = finder.window()
        stop = len(data) if final else data.rfind(b"\n", start) + 1
        if stop <= start:
            if len(data) - start < MAX_LINE and not final:
                finder.done(start, len(data) - start)
                return
            stop = len(data)
        for match in self._pattern.finditer(data, start, stop):
            group: Any = match.lastgroup
            first, last = match.span(group)
            if first < start or _SCHEME.match(data, first, last):
                continue
            finder.search(start, first, None, True)
            start = finder.window()[1]
            if start < first:  # a wrapper that begins before may hold the link
                return
            if start > first:  # it does
                continue
            text = data[first:last].decode("utf-8", "surrogateescape")
            finder.link(first, last, text.replace(" ", "%20"), self._base, self._context)
            start = last
        finder.search(start, stop, None, True)


class MailReader:
    """Messages with their headers (RFC 5322), one or, as in a mailbox, many (RFC 4155)."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self._in_header = True
        self._field_is_skipped = False

    def read(self) -> None:
        """Read header fields line by line, and a body as it stands."""
        finder = self._finder
        data, start, final = finder.window()
        while start < len(data):
            if self._in_header:
                stop = self._line(data, start, final)
                if stop < 0:
                    finder.done(start, len(data) - start)
                    return
                self._header_line(data, start, stop)
                start = stop
                continue
            mark = _MESSAGE.search(data, max(0, start - len("\n\r\nFrom ")))
            if mark is None:
                finder.search(start, len(data), None, True)
                return
            if mark.end(1) > start:
                finder.search(start, mark.end(1), None)
                start = mark.end(1)
            self._in_header = True
        finder.done(start, 0)

    def _line(self, data: bytes, start: int, final: bool) -> int:
        """Where the line that begins at `start` and the lines that continue it end; -1 for not yet."""
        stop = start
        while True:
            stop = data.find(b"\n", stop) + 1
            if stop == 0 or stop == len(data):
                return len(data) if final or len(data) - start >= MAX_LINE else -1
            if data[stop] not in b" \t" or data[start] in b"\r\n":
                return stop

    def _header_line(self, data: bytes, start: int, stop: int) -> None:
        line = data[start:stop]
        if not line.strip():
            self._in_header = False
        elif not line.lower().startswith(SKIPPED_FIELDS):
            self._finder.search(start, stop, "mail-header")
