"""Links with destinations in lines of text: the common base of Markdown and reStructuredText.

Rule: the finder searches the text between the destinations as running text. Undecided text stays in its buffer. With a
base, the place of a reference decides: in code and in comments only whole URLs are links. A text is then read in whole
paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from anyurl.text.finder import Finder
from anyurl.text.hypertext import HypertextReader
from anyurl.text.judgement import UNSAFE_OUT, encode_unsafe
from anyurl.text.readers.verbatim import Verbatim
from anyurl.url import URL

MAX_LINE = 65_536
"""Octets of a line that are waited for before its beginning is read: no link destination is longer than a URL."""

LINE_END_REACH = 64
"""Octets before the end of a line that may announce a destination in the next line."""


ESCAPED = re.compile(
    rb"(?<![A-Za-z0-9+.\-\\`])(?P<escaped>[A-Za-z](?>[A-Za-z0-9+.\-]{1,30})://(?:[A-Za-z0-9/._~%?=&+#@,;$\-]|(?>:(?!//)))*+\\[_*~#&()+.\-]"
    rb"(?:[A-Za-z0-9/._~%?=&+#@,;$\-]|:(?!//)|\\[_*~#&()+.\-])*(?<=[A-Za-z0-9/_)]))"
)
"""A URL in running text, of which some characters are escaped (CommonMark 2.4)."""
_TAG = rb"(?P<tag><[A-Za-z][A-Za-z0-9\-]*+(?=[\s/>])(?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+>)"
"""A tag of HTML in a text of another format."""

_AUTO = rb"<(?P<auto>(?:(?i:https?|ftps?))://(?>[^\x00-\x20\x7f<>]+))>"
"""A URL in angle brackets is a link (CommonMark 6.5), and reported if it is malformed; in running text it may be a
word."""

_WHOLE = re.compile(rb"[A-Za-z][A-Za-z0-9+.\-]*+:(?=//)|mailto:", re.IGNORECASE)
"""The beginning of a URL that needs no base."""

_MAILBOX = re.compile(r"[\w.+-]+@\w[\w-]*(?:\.\w[\w-]*)+")
"""An address, as docutils knows one in a target."""

_AUTOLINK = re.compile(rb"<([A-Za-z](?>[A-Za-z0-9+.\-]{1,31}):[^\x00-\x20\x7f<>]*+)>")
"""A URL in angle brackets (CommonMark 6.5), which binds tighter than the brackets of a link."""
_AUTOLINK_REACH = 1024
_BREAK = re.compile(rb"[ \n]")
_BROKEN = UNSAFE_OUT | str.maketrans({"\\": "%5C"})


Search: TypeAlias = Callable[[bytes, int, int], re.Match[bytes] | None]
"""Finds the next match that begins at a place or behind it, and ends before another."""


def leftmost(searches: Sequence[Search], data: bytes, start: int, stop: int) -> Iterator[re.Match[bytes]]:
    """The matches that an alternation of patterns finds.

    Each search looks for the few octets with which its matches begin, and skips the others; an alternation looks at
    each octet.
    """
    found = [search(data, start, stop) for search in searches]
    while True:
        first = None
        for match in found:
            if match is not None and (first is None or match.start() < first.start()):
                first = match
        if first is None:
            return
        yield first
        start = first.end()
        for number, match in enumerate(found):
            if match is not None and match.start() < start:
                found[number] = searches[number](data, start, stop)


def find_escaped(data: bytes, start: int, stop: int) -> re.Match[bytes] | None:
    """The next URL in running text, of which some characters are escaped; none holds a space."""
    mark = data.find(b"\\", start, stop)
    while mark >= 0:
        first = max(data.rfind(b" ", start, mark), data.rfind(b"\n", start, mark), start)
        ended = _BREAK.search(data, mark, stop)
        last = stop if ended is None else ended.start()
        match = ESCAPED.search(data, first, last)
        if match is not None:
            return match
        start = last
        mark = data.find(b"\\", start, stop)
    return None


class LinkReader:
    """Finds destinations in lines of text.

    Args:
        finder: The finder.
        base: The base of relative destinations; without one only whole URLs are reported.
        searches: Destinations; the group that matched is the one. The group ``silent`` holds no URL.
        is_open: Matches the end of a line whose destination is in the next line; or None.
        reference: The meaning of a destination.
        context: The context of the found URLs.
        literal: Text where a backslash is not an escape; its group is ``literal``.
        verbatim: Code and comments.
        is_link: Whether a relative destination at a place of the buffer is one, by its surroundings.
        has_tags: Whether the text may have tags of HTML.
        address: A mail address that is a link without markup; its group is ``address``.
        mailboxes: Groups in which an address is a link to its mailbox.
    """

    def __init__(
        self,
        finder: Finder,
        base: URL | None,
        searches: Sequence[Search],
        is_open: re.Pattern[bytes] | None,
        reference: Callable[[str], str],
        context: str,
        literal: bytes = b"",
        verbatim: Verbatim | None = None,
        is_link: Callable[[bytes, int, int, str], bool] | None = None,
        has_tags: bool = True,
        address: bytes = b"",
        mailboxes: tuple[str, ...] = (),
    ) -> None:
        self._finder = finder
        self._base = base
        tags = () if base is None or not has_tags else (_AUTO, _TAG) if literal else (_TAG,)
        angles = [each for each in (*tags, address, literal) if each]
        self._searches = (*searches, *([re.compile(b"|".join(angles)).search] if angles else ()), find_escaped)
        self._is_open = is_open
        self._reference = reference
        self._context = context
        self._verbatim = None if base is None else verbatim
        self._is_link = is_link
        self._mailboxes = mailboxes
        self._tags = None if base is None else HypertextReader(finder, base)
        self._resumed = 0

    def read(self) -> None:
        """Read the whole lines of the buffer."""
        finder = self._finder
        data, start, final = finder.window()
        if self._verbatim is not None:
            self._verbatim.move(self._resumed - start)
        self._read(data, start, final)
        self._resumed = finder.window()[1]

    def _read(self, data: bytes, start: int, final: bool) -> None:
        finder, verbatim = self._finder, self._verbatim
        stop = len(data) if final else self._lines_end(data, start)
        if stop <= start:
            if len(data) - start < MAX_LINE and not final:
                finder.done(start, len(data) - start)
                return
            stop = len(data)
        if verbatim is not None:
            verbatim.read(data, stop)
        for match in leftmost(self._searches, data, start, stop):
            group: Any = match.lastgroup
            first, last = match.span(group)
            if group == "bare" and (inside := self._autolink(data, start, match.start())) is not None:
                group, (first, last) = "literal", inside
            if first < start or not self._counts(data, first, last, group):
                continue
            finder.search(start, first, None, True)
            start = finder.window()[1]
            if start < first:  # a wrapper that begins before may hold the link
                return
            if start > first:  # it does
                continue
            self._report(data, first, last, group)
            start = last
        finder.search(start, stop, None, True)

    def _report(self, data: bytes, first: int, last: int, group: str) -> None:
        if group == "tag" or group.startswith("silent"):
            if group == "tag" and self._tags is not None:
                self._tags.tag(data, first)
            self._finder.done(last, 0)
            return
        text = data[first:last].decode("utf-8", "surrogateescape")
        if "@" in text and group in self._mailboxes and _MAILBOX.fullmatch(text):
            group = "address"
        if group in ("literal", "auto"):
            base, context = None, "angle"
        elif group == "address":
            text = f"mailto:{text.replace('%', '%25').replace('#', '%23').replace('?', '%3F')}"
            base, context = None, "angle"
        else:
            text = self._reference(text)
            base, context = (None, "bare") if group == "escaped" else (self._base, self._context)
        implied = "email" if group == "address" else ""
        self._finder.link(first, last, encode_unsafe(text, _BROKEN), base, context, implied)

    def _counts(self, data: bytes, first: int, last: int, group: str) -> bool:
        """Whether a match is a link at its place: whole URLs always are."""
        if self._base is None or (group != "auto" and _WHOLE.match(data, first) is not None):
            return True
        if self._verbatim is not None and self._verbatim.covers(first):
            return False
        if group in ("tag", "address", "auto") or group.startswith("silent") or self._is_link is None:
            return True
        return self._is_link(data, first, last, group)

    def _autolink(self, data: bytes, start: int, place: int) -> tuple[int, int] | None:
        """The URL in angle brackets that holds a place."""
        opened = data.rfind(b"<", max(start, place - _AUTOLINK_REACH), place)
        match = _AUTOLINK.match(data, opened) if opened >= 0 else None
        return match.span(1) if match is not None and match.end() > place else None

    def _lines_end(self, data: bytes, start: int) -> int:
        """Where the last line ends that needs no other; with a base the last paragraph."""
        if self._verbatim is not None:
            return self._verbatim.end_of(data, start, MAX_LINE)
        stop = data.rfind(b"\n", start) + 1
        while stop > start and self._is_open is not None:
            if self._is_open.search(data, max(start, stop - LINE_END_REACH), stop) is None:
                break
            stop = data.rfind(b"\n", start, stop - 1) + 1
        return stop
