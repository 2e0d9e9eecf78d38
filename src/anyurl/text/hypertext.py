# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Links in HTML: the attributes that hold URLs, ``srcset``, ``<base>``, refresh, and the URLs in its text.

Rule: this tokenizer (HTML 13.2.5, without the tree) exists because URLs must have places in the source, and memory must
be bounded for documents of any length. `anyurl.text.scan.tags` reads the simple tags, this module all others. Comments
and scripts have no links, styles those of CSS; the beginning of a tag longer than MAX_TAG is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from anyurl.text.finder import Finder
    from anyurl.text.markup import MarkupReader
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.finder import Finder
        from cython.cimports.anyurl.text.markup import MarkupReader
    else:
        from anyurl.text.finder import Finder
        from anyurl.text.markup import MarkupReader

from anyurl.text.entities import undo, unescape
from anyurl.text.judgement import encode_unsafe
from anyurl.text.runs import Runs
from anyurl.text.scan import tags
from anyurl.url import URL

MAX_TAG = 131_072
"""Octets of a tag: twice the longest URL; only data URLs in ``src`` are longer."""

COMPILED: bool = cython.compiled

SILENT = (b"script", b"style", b"iframe", b"noembed", b"noframes")
"""Elements whose content is not text for readers (HTML 13.1.2)."""
VERBATIM = (b"textarea", b"title", b"xmp")
"""Elements whose content is text without tags."""

LINKS = tags.LINKS | {b"data"}
"""Attributes whose value is a URL; ``data`` only in an object."""
HINTS = frozenset((b"preconnect", b"dns-prefetch"))
"""Relations of a ``link`` that name a server, and no document of it (HTML 4.6.7.3, 4.6.7.14)."""

_NAME = re.compile(rb"<([A-Za-z][^\s/>]*+)")
_ATTRIBUTE = re.compile(
    rb"[\s/]*+(?:(?P<end>>)|(?P<name>[^\s/>][^\s/>=]*+)(?:\s*+=\s*+"
    rb"(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)'|(?P<open>[\"'])|(?P<plain>[^\s>]*+)))?)"
)
_CANDIDATE = re.compile(rb"[\s,]*+([^\s,]\S*+)")
_DESCRIPTORS = re.compile(rb"(?:[^,(]|\([^)]*+\)?)*+,?")
_REFRESH = re.compile(
    rb"\s*+[0-9.]*+\s*+[;,]?\s*+(?:url\s*+=\s*+)?(?:\"([^\"]*+)|'([^']*+)|(.*+))", re.IGNORECASE | re.DOTALL
)
_STYLE = re.compile(
    rb"(?:url\(\s*+|@import(?>\s+))\"((?>[^\"\n]+))\"|(?:url\(\s*+|@import(?>\s+))'((?>[^'\n]+))'"
    rb"|url\(\s*+((?>[^\s\"'()]+))\s*+\)"
    rb"|/\*(?:(?>[^*]|\*(?!/)))*+"
    rb"|\"(?>[^\"\n]*?/\*)[^\"\n]*+\"|'(?>[^'\n]*?/\*)[^'\n]*+'",  # strings that hold what begins a comment
    re.IGNORECASE,
)
"""URLs in CSS (CSS Syntax 3, 4.3.6; CSS Cascade 2), and what holds none."""
_PARENTHESIS = re.compile(rb"&(?:#0{0,5}40(?![0-9])|#[xX]0{0,4}28(?![0-9A-Fa-f])|lpar;)")
_SPACES = " \t\n\r\f"
_BLANKS = _SPACES.encode()
_LEAST = len("a.bc")
"""Octets of the shortest text that is found."""
Split: TypeAlias = Callable[[bytes, int, int], Iterable[tuple[int, int]]]
"""Where the references of a value lie."""

_TEXT = cython.declare(cython.int, tags.TEXT)
_LINK = cython.declare(cython.int, tags.LINK)
_PLAIN = cython.declare(cython.int, tags.PLAIN)


class HypertextReader(MarkupReader):
    """Reads the tags of a document in sequence."""

    def __init__(self, finder: Finder, base: URL | None) -> None:
        super().__init__(finder, True)
        self._base = base
        self._has_base = False
        self._is_silent = False

    def _report_rows(self, data: bytes, count: cython.int) -> object:
        """Report the URLs in simple tags, and in the text between them."""
        row: cython.int
        kind: cython.Py_ssize_t
        start: cython.Py_ssize_t
        end: cython.Py_ssize_t
        for row in range(count):
            kind = self._rows[3 * row]
            start = self._rows[3 * row + 1]
            end = self._rows[3 * row + 2]
            if kind == _PLAIN:
                raw = data[start:end].decode("ascii")
                url = self._finder._read(raw)
                if url is None:  # a template, or malformed
                    self._link(data, start, end)
                    continue
                self._finder._add(url, None, (), raw, start, end, "html-attribute", "url")
            elif kind == _LINK:
                self._link(data, start, end)
            elif kind == _TEXT:
                self._finder.search(start, end, "html-text")
            else:
                self._other(data, start, end)
        return None

    def _text(self, data: bytes, start: int) -> int:
        stop = data.find(b"<", start)
        if stop >= 0:
            self._finder.search(start, stop, "html-text")
            return stop
        self._finder.search(start, len(data), "html-text", True)
        return -1

    def _pass_over(self, data: bytes, start: int, final: bool) -> int:
        """Skip to the end of a comment, or of an element without tags in it."""
        stop = _find(data, self._until, start)
        if stop < 0 and final:
            stop = len(data)
        end = stop if stop >= 0 else max(start, len(data) - len(self._until) + 1)
        if self._until == b"</style":
            if stop < 0 and len(data) - start < MAX_TAG:
                return self._wait(start, len(data) - start)
            self._styles(data, start, end)
        if not self._is_silent:
            if stop < 0:
                self._finder.search(start, end, "html-text", True)
                return -1
            self._finder.search(start, end, "html-text")
        if stop < 0:
            return self._wait(end, 1)
        # an end tag is read as markup, the end of a comment is skipped
        after = stop if self._until.startswith(b"</") else min(stop + len(self._until), len(data))
        self._until = b""
        return after

    def _markup(self, data: bytes, start: int, final: bool) -> int:
        """Read markup that begins with <; returns its end, or -1 if it is incomplete."""
        size = len(data) - start
        if size < 9 and not final:  # <![CDATA[ is the longest beginning
            return self._wait(start, 9 - size)
        second = data[start + 1 : start + 2]
        if second.isalpha():
            return self._tag(data, start, final)
        if second and second in b"!?/":  # all except comments and CDATA end with the next >
            self._is_silent = True
            if data.startswith(b"<!--", start):
                self._until = b"-->"
                return start + 2  # <!--> is a whole comment
            if data.startswith(b"<![CDATA[", start):
                self._until = b"]]>"
                return start + 9
            self._until = b">"
            return start + 2
        return start + 1 if start + 1 < len(data) or final else self._wait(start, 1)

    def tag(self, data: bytes, start: int) -> int:
        """Report the links of one whole tag in a text of another format; returns its end."""
        end = self._tag(data, start, True)
        self._until = b""
        return end

    def _tag(self, data: bytes, start: int, final: bool) -> int:
        match = _NAME.match(data, start)
        name = match[1].lower() if match else b""
        place = match.end() if match else start
        attributes: dict[bytes, tuple[int, int]] = {}
        while (found := _ATTRIBUTE.match(data, place)) is not None and found["end"] is None and found["open"] is None:
            group = found.lastgroup or "name"
            attributes.setdefault(found["name"].lower(), found.span(group) if group != "name" else (0, 0))
            place = found.end()
        is_whole = found is not None and found["end"] is not None
        if not is_whole and not final and len(data) - start < MAX_TAG:
            return self._wait(start, len(data) - start)
        if found is None or not is_whole:  # not a tag, or cut off by the end of the text, so that a browser drops it
            return len(data)
        self._report(data, name, attributes)
        if name in SILENT or name in VERBATIM:
            self._until, self._is_silent = b"</" + name, name in SILENT
        return found.end()

    def _report(self, data: bytes, name: bytes, attributes: dict[bytes, tuple[int, int]]) -> None:
        """Report the links of one tag in order; of attributes with the same name, the first counts (HTML 13.2.5.33)."""
        equivalent = data[slice(*attributes.get(b"http-equiv", (0, 0)))]
        refresh = name == b"meta" and equivalent.lower() == b"refresh"
        rel = data[slice(*attributes.get(b"rel", (0, 0)))].lower().split() if name == b"link" else ()
        is_hint = bool(rel) and HINTS.issuperset(rel)
        for key, (start, end) in attributes.items():
            if key in LINKS and not (key == b"data" and name != b"object"):
                is_base = name == b"base" and key == b"href"
                is_named = is_base or (is_hint and key == b"href")
                self._link(data, start, end, "html-hint" if is_named else "html-attribute")
                if is_base:
                    self._set_base(data, start, end)
            elif key in LISTS:
                self._parts(data, start, end, LISTS[key])
            elif refresh and key == b"content":
                self._parts(data, start, end, _in_refresh)
            elif not key.startswith(b"xmlns"):
                self._other(data, start, end)

    def _other(self, data: bytes, start: int, end: int) -> None:
        """Search the value of an attribute that is not a reference; it may be a style, or hold one."""
        if data.find(b"(", start, end) >= 0 or (
            data.find(b"&", start, end) >= 0 and _PARENTHESIS.search(data, start, end) is not None
        ):
            start = self._parts(data, start, end, _in_style, "css")
        if start + _LEAST <= end:
            self._finder.search(start, end, "html-attribute", False, start)

    def _styles(self, data: bytes, start: int, end: int) -> None:
        """Report the URLs of a style sheet."""
        for first, last in _in_style(data, start, end):
            self._link(data, first, last, "css")

    def _parts(self, data: bytes, start: int, end: int, split: Split, context: str = "html-attribute") -> int:
        """Report the references in a value, which is taken apart when its character references are undone.

        The text between the URLs of a style is searched as text.

        Returns:
            The end of the last one.
        """
        text, runs = undo(data, start, end)
        done = start
        for first, last in split(text, 0, len(text)):
            first, last = _stripped(text, first, last)
            if first == last:
                continue
            reference = _cleaned(text[first:last].decode("utf-8", "surrogateescape"))
            first, last = (start + first, start + last) if runs is None else _place(runs, start, first, last)
            if context == "css" and done + _LEAST <= first:
                self._finder.search(done, first, "html-attribute", False, done)
            self._finder.link(first, last, reference, self._base, context)
            done = last
        return done

    def _link(self, data: bytes, start: int, end: int, context: str = "html-attribute") -> None:
        start, end = _stripped(data, start, end)
        if start < end:
            self._finder.link(start, end, self._reference(data[start:end]), self._base, context)

    def _reference(self, value: bytes) -> str:
        """A reference as a browser reads it, with unsafe characters encoded (HTML 2.4.2, RFC 1738 2.2)."""
        return _cleaned(unescape(value.decode("utf-8", "surrogateescape")).strip(_SPACES))

    def _set_base(self, data: bytes, start: int, end: int) -> None:
        """Use the first <base href> as the base (HTML 4.2.3)."""
        if self._has_base:
            return
        reference = self._reference(data[start:end])
        try:
            self._base = (
                self._base.join(reference) if self._base is not None else (self._finder.parse or URL)(reference)
            )
        except ValueError:
            return
        self._has_base = True


def _find(data: bytes, wanted: bytes, start: int) -> int:
    """The position of `wanted`, an end tag (in lower case) in any case, or another text; -1 if it is missing."""
    if not wanted.startswith(b"</"):
        return data.find(wanted, start)
    place = data.find(b"</", start)
    while place >= 0 and data[place : place + len(wanted)].lower() != wanted:
        place = data.find(b"</", place + 2)
    return place


def _stripped(data: bytes, start: int, end: int) -> tuple[int, int]:
    """A part of a text without the white space around it."""
    while start < end and data[start] in _BLANKS:
        start += 1
    while end > start and data[end - 1] in _BLANKS:
        end -= 1
    return start, end


def _cleaned(text: str) -> str:
    """A reference without line ends and tabs, and with unsafe characters encoded."""
    return encode_unsafe(text.replace("\t", "").replace("\n", "").replace("\r", ""))


def _place(runs: Runs, start: int, first: int, last: int) -> tuple[int, int]:
    """The place in the source of a part of a text that was written from `start` on."""
    begin, end, _ = runs.span(first, last)
    return begin, end


def _in_style(text: bytes, start: int, end: int) -> Iterable[tuple[int, int]]:
    """The URLs of a style, outside of its comments."""
    return [match.span(match.lastindex) for match in _STYLE.finditer(text, start, end) if match.lastindex]


def _in_refresh(text: bytes, start: int, end: int) -> Iterable[tuple[int, int]]:
    """The place that a document is replaced by (HTML 4.2.5.3); none where it is itself."""
    match = _REFRESH.match(text, start, end)
    return [] if match is None or match.start(match.lastindex or 0) == start else [match.span(match.lastindex or 0)]


def _in_tokens(text: bytes, start: int, end: int) -> Iterable[tuple[int, int]]:
    """URLs with white space between them (HTML 2.3.7)."""
    return [match.span() for match in re.finditer(rb"[^ \t\n\f\r]+", text[start:end])]


def _in_commas(text: bytes, start: int, end: int) -> Iterable[tuple[int, int]]:
    """URLs with white space or commas between them (HTML 4.01 13.3, 13.4)."""
    return [match.span() for match in re.finditer(rb"[^\s,]+", text[start:end])]


def _in_set(text: bytes, start: int, end: int) -> Iterable[tuple[int, int]]:
    """The URLs of image candidates: each with its descriptors, up to a comma that no bracket holds (HTML 4.8.4.2.1)."""
    found = []
    while (match := _CANDIDATE.match(text, start, end)) is not None:
        first, last = match.span(1)
        start = last
        while text[last - 1 : last] == b",":
            last -= 1
        found.append((first, last))
        if last == start and (rest := _DESCRIPTORS.match(text, start, end)) is not None:
            start = rest.end()
    return found


LISTS: dict[bytes, Split] = {
    b"ping": _in_tokens, b"archive": _in_commas, b"srcset": _in_set, b"imagesrcset": _in_set,
}  # fmt: skip
"""Attributes with more than one URL."""
