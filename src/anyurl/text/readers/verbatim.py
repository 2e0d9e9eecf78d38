"""Code and comments in a text of lines, where no relative reference is a link: Markdown and reStructuredText.

Rule: a text is read in whole paragraphs, each once; an open block continues in the next one. Spans are places in the
finder's buffer, and move with it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator
from typing import ClassVar

_QUOTED = rb"(?:(?>[ \t]{0,3}>[ \t]?))*+"
_FENCE = re.compile(
    rb"(?P<prefix>" + _QUOTED + rb"[ \t]*+(?:(?>(?:[-*+]|[0-9]{1,9}[.)])[ \t]+))*+)"
    rb"(?P<fence>(?>`{3,})(?=[^`]*+\Z)|(?>~{3,}))"
)
_RAW = re.compile(rb"[ \t>]{0,3}<(?P<name>pre|script|style|textarea)(?=[\s>])", re.IGNORECASE)
_RAW_END = re.compile(rb"</(?:pre|script|style|textarea)>", re.IGNORECASE)
_BLOCKS = (
    (re.compile(rb"<!--"), re.compile(rb"-->")),
    (re.compile(rb"\{/\*"), re.compile(rb"\*/\}")),  # a comment of MDX
    (re.compile(rb"\{\{[<%][ ]*+highlight\s"), re.compile(rb"\{\{[<%][ ]*+/[ ]*+highlight\s")),  # Hugo
    (re.compile(rb"\{%-?[ ]*+highlight\s"), re.compile(rb"\{%-?[ ]*+endhighlight\s")),  # Jekyll
)
"""Beginnings of a comment or code at the start of a line, and their ends."""
_OPENER = re.compile(
    rb"[ \t>]{0,3}(?:!!!|\?\?\?|===|[-*+][ \t]|[0-9]{1,9}[.)][ \t]|\[\^(?>[^\]]+)\]:|:[ \t]|</?[A-Z][A-Za-z.]*+[\s/>])"
)
"""Lines after which an indented text is part of a list, a note, an admonition (MkDocs) or a component of MDX, not
code."""
_INLINE = re.compile(rb"\\.|(?P<ticks>(?>`+))|(?P<comment><!--|\{/\*)", re.DOTALL)

_MARKER = re.compile(rb"(?P<indent>[ \t]*+)\.\.(?:(?>[ \t]+)(?P<what>.*)|[ \t]*+)\Z", re.DOTALL)
_DIRECTIVE = re.compile(rb"(?:\|(?>[^|]+)\|(?>[ \t]+))?(?P<name>[A-Za-z][\w:+.\-]*?)[ \t]?::")
_BULLET = re.compile(rb"[ \t]*+(?:(?>[-*+][ \t]+|\(?(?:[0-9]{1,9}|#|[A-Za-z])[.)][ \t]+))++")
_TARGET = re.compile(rb"_|\[(?>[^\]]+)\][ \t]|__")
CODE = frozenset(
    b"code code-block sourcecode literalinclude highlight math doctest testcode testoutput testsetup testcleanup"
    b" productionlist prompt graphviz mermaid ipython ipython3 command-output jinja".split()
)
"""Directives of docutils and Sphinx whose content is not reStructuredText."""
_LITERAL = re.compile(rb"``(?=\S).+?(?<=\S)``", re.DOTALL)


class Verbatim(ABC):
    """The spans of code and comments in a text.

    Attributes:
        ends: The end of a paragraph.
    """

    ends: ClassVar[re.Pattern[bytes]] = re.compile(rb"^[ \t>]*+\r?\n", re.MULTILINE)

    def __init__(self) -> None:
        self._spans: list[tuple[int, int]] = []
        self._read = 0

    def move(self, count: int) -> None:
        """The buffer has lost so many octets at its beginning."""
        if count:
            self._spans = [(first - count, last - count) for first, last in self._spans if last > count]
            self._read = max(0, self._read - count)

    def end_of(self, data: bytes, start: int, most: int) -> int:
        """The end of the last whole paragraph, or of the last line if there are more octets than `most`; else 0."""
        ends = [match.end() for match in self.ends.finditer(data, start)]
        return ends[-1] if ends else data.rfind(b"\n", start) + 1 if len(data) - start >= most else 0

    @abstractmethod
    def read(self, data: bytes, stop: int) -> None:
        """Read up to the end of a paragraph."""

    def covers(self, place: int) -> bool:
        """Whether a place is in code or in a comment."""
        at = bisect_right(self._spans, (place, len(self._spans) + 1 << 62)) - 1
        return at >= 0 and place < self._spans[at][1]


class ParagraphVerbatim(Verbatim):
    """The same in a text of lines and paragraphs."""

    def __init__(self) -> None:
        super().__init__()
        self._paragraph = 0

    def move(self, count: int) -> None:
        """See `Verbatim.move`."""
        super().move(count)
        self._paragraph = max(0, self._paragraph - count)

    def read(self, data: bytes, stop: int) -> None:
        """Read up to the end of a paragraph."""
        place = self._paragraph = self._read
        while place < stop:
            end = data.find(b"\n", place, stop) + 1 or stop
            self._line(data, place, end)
            place = end
        self._end_paragraph(data, stop)
        self._read = stop

    @abstractmethod
    def _line(self, data: bytes, start: int, end: int) -> None:
        """Read a line, which may begin or end a block."""

    @abstractmethod
    def _inline(self, data: bytes, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """The spans in a paragraph."""

    def _end_paragraph(self, data: bytes, stop: int) -> None:
        if self._paragraph < stop:
            self._spans.extend(self._inline(data, self._paragraph, stop))
        self._paragraph = stop

    def _is_code(self, data: bytes, start: int, end: int) -> None:
        """Take a line as code; a paragraph before it ends."""
        self._end_paragraph(data, start)
        if self._spans and self._spans[-1][1] == start:
            self._spans[-1] = (self._spans[-1][0], end)
        else:
            self._spans.append((start, end))
        self._paragraph = end


class MarkdownVerbatim(ParagraphVerbatim):
    """Code, comments, and the elements of HTML that hold text (CommonMark 4.4 to 4.6, 6.1)."""

    def __init__(self) -> None:
        super().__init__()
        self._until: re.Pattern[bytes] | None = None  # the line that ends the open block
        self._is_quoted = False
        self._indent = 0
        self._is_fence = False
        self._is_blank = True
        self._is_held = False  # an indented text is part of a list or an admonition

    def _line(self, data: bytes, start: int, end: int) -> None:
        line = data[start:end]
        text = line.strip()
        if self._until is not None and not self._has_left(line, text):
            self._is_code(data, start, end)
            if self._until.search(line) is not None:
                self._until = None
            return
        self._until = None
        was_blank, self._is_blank = self._is_blank, not text
        if not text:
            self._end_paragraph(data, end)
            return
        is_indented = _indent_of(line) >= 4
        if is_indented and was_blank and not self._is_held:
            self._is_code(data, start, end)
            self._is_blank = True
            return
        if not is_indented:
            self._is_held = _OPENER.match(line) is not None or (self._is_held and not was_blank)
        self._open(data, start, end, line)

    def _open(self, data: bytes, start: int, end: int, line: bytes) -> None:
        """Read a line that may begin code or a comment."""
        begin = line.lstrip(b" \t>")
        if begin[:1] not in (b"<", b"{") and b"```" not in line and b"~~~" not in line:
            return
        fence = _FENCE.match(line)
        if fence is not None:
            mark, prefix = fence["fence"], fence["prefix"]
            self._until = re.compile(rb"\A[ \t>]*+" + mark[:1] + b"{%d,}+[ \t]*+\r?\n?\\Z" % len(mark))
            self._is_quoted, self._is_fence = b">" in prefix, True
            bare = prefix.replace(b">", b" ")
            self._indent = len(bare.expandtabs(4)) if bare.strip() else 2 if len(bare.expandtabs(4)) > 3 else 0
            self._is_code(data, start, end)
            return
        raw = _RAW.match(line)
        until = _RAW_END if raw is not None else next((end for first, end in _BLOCKS if first.match(begin)), None)
        if until is None:
            return
        # Its own line is left to the paragraph: a block that begins there is found in it.
        self._is_fence, self._is_quoted, self._indent = False, False, 0
        if until.search(line, len(line) - len(begin) + 4) is None:
            self._until = until
            self._is_code(data, start, end) if raw is None else self._end_paragraph(data, end)

    def _has_left(self, line: bytes, text: bytes) -> bool:
        """Whether a line is no longer in the quotation or the list item in which a fence is open."""
        if not self._is_fence or not text:
            return False
        return (self._is_quoted and not text.startswith(b">")) or (
            not self._is_quoted and _indent_of(line) < self._indent
        )

    def _inline(self, data: bytes, start: int, stop: int) -> Iterator[tuple[int, int]]:
        lost: set[int] = set()
        place = start
        while (match := _INLINE.search(data, place, stop)) is not None:
            place = match.end()
            if match["ticks"]:
                count = len(match["ticks"])
                closer = None
                if count not in lost:
                    closer = re.compile(rb"(?<!`)`{%d}(?!`)" % count).search(data, place, stop)
                if closer is None:
                    lost.add(count)
                else:
                    yield match.start(), closer.end()
                    place = closer.end()
            elif match["comment"] and 0 not in lost:
                closer = next(last for first, last in _BLOCKS if first.match(match[0])).search(data, place, stop)
                if closer is None:
                    lost.add(0)
                else:
                    yield match.start(), closer.end()
                    place = closer.end()


class RstVerbatim(ParagraphVerbatim):
    """Literal blocks, code, comments and inline literals (docutils, Markup Specification)."""

    def __init__(self) -> None:
        super().__init__()
        self._within = -1  # lines that are indented more are code
        self._is_waiting = False  # a literal block begins after a blank line
        self._last = 0

    def _line(self, data: bytes, start: int, end: int) -> None:
        line = data[start:end].rstrip()
        if not line:
            if self._within < 0:
                self._end_paragraph(data, end)
            if self._is_waiting:
                self._within, self._is_waiting = self._last, False
            return
        indent = _indent_of(line)
        if self._within >= 0:
            if indent > self._within:
                self._is_code(data, start, end)
                return
            self._within = -1
        self._is_waiting = line.endswith(b"::")
        bullet = _BULLET.match(line)
        self._last = indent if bullet is None else len(bullet[0].expandtabs(4))
        marker = _MARKER.match(line)
        if marker is None:
            return
        what = marker["what"] or b""
        directive = _DIRECTIVE.match(what)
        if directive is not None:
            self._is_waiting = False
            if directive["name"].lower() in CODE:
                self._within = indent
        elif _TARGET.match(what) is None:  # a comment
            self._is_waiting, self._within = False, indent
            self._is_code(data, start, end)

    def _inline(self, data: bytes, start: int, stop: int) -> Iterator[tuple[int, int]]:
        return (match.span() for match in _LITERAL.finditer(data, start, stop))


def _indent_of(line: bytes) -> int:
    """The columns before the text of a line; a tab ends at a multiple of 4."""
    if line[:1] not in (b" ", b"\t"):  # as of nearly all lines
        return 0
    return len(line[: len(line) - len(line.lstrip(b" \t"))].expandtabs(4))
