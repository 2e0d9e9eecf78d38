"""The parts of office documents: OOXML (ECMA-376: DOCX, XLSX, PPTX) and OpenDocument (ODT, ODS, ODP).

Rule: a text is the text that a reader of the document sees, so it continues across elements that only change its looks,
and ends with its paragraph or cell. Links are the external targets of relationships and ``xlink:href``; names of kinds
(``Type``, ``uri``, a namespace) are not links.
"""

from __future__ import annotations

import re

from anyurl.text.readers.registry import Reader
from anyurl.text.readers.xml import MAX_TAG, REFERENCE, REFERENCE_LENGTH, meaning, undo_references
from anyurl.text.runs import Runs

_RUNS = frozenset(
    b"r t instrText rPr rPrChange span a hyperlink ins moveTo smartTag sdt sdtContent proofErr softHyphen "
    b"lastRenderedPageBreak bookmarkStart bookmarkEnd commentRangeStart commentRangeEnd bookmark bookmark-start "
    b"bookmark-end reference-mark reference-mark-start reference-mark-end soft-page-break".split()
)
"""Elements that do not end a text: its runs, and marks in it."""
_MEANS = {
    b"br": b"\n", b"cr": b"\n", b"line-break": b"\n", b"tab": b"\t", b"ptab": b"\t", b"s": b" ",
    b"noBreakHyphen": b"-",
}  # fmt: skip
"""Elements that stand for a character."""
_DROPPED = frozenset((b"rPr", b"del", b"moveFrom", b"delText", b"tracked-changes", b"attachedSchema", b"binary-data"))
"""Elements without a text: the looks of a run, and deletions."""
_LINKS = frozenset((b"href", b"url"))
"""Attributes whose value is a reference."""
_NAMES = frozenset(
    b"Type type uri ContentType Namespace namespace prefixMappings uniqueId loTypeId qsTypeId csTypeId schemaLocation"
    .split()
)  # fmt: skip
"""Attributes that name a kind of thing by a URL."""

# XML allows no < in a tag (2.3, 3.1). Attack: many beginnings without an end, each of which would be read to the last.
_TAG = re.compile(rb"<(/?)(?:[^\s/<>:]*+:)?([^\s/<>:]*+)(?:[^\"'<>]+|(?>\"[^\"<]*\")|(?>'[^'<]*'))*+>")
_ATTRIBUTE = re.compile(rb"\s((?>[^\s=\"'/>]+))\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_VALUE = re.compile(rb"=\s*+(?:\"[^\":]*+:|'[^':]*+:)")
"""A value in which a URL may be."""
_EXTERNAL = re.compile(rb"\sTargetMode\s*+=\s*+[\"']External[\"']")
_UNSAFE = re.compile(REFERENCE.pattern + rb"|[ \t\n\"<>{}|\\^`]")
_ENDS = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"), (b"<!", b">"))
"""Beginnings of markup without text, and the end of each; no writer of such documents uses sections."""
_MIXED = b"urn:oasis:names:tc:opendocument:"
_BEGIN = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?<(?!svg|html)[^\s>]*+\s[^>]*?[\"'](?:http://schemas\.openxmlformats\.org/"
    rb"|http://purl\.oclc\.org/ooxml/|http://schemas\.microsoft\.com/office/|urn:schemas-microsoft-com:(?:office|vml)"
    rb"|urn:oasis:names:tc:opendocument:)"
)


class OfficeDecoder:
    """Writes the texts of a part, and its links."""

    def __init__(self) -> None:
        self._until = b""  # the end of the dropped part
        self._is_mixed = False  # text between elements counts: OpenDocument
        self._is_content = False  # an element has begun directly before
        self._is_open = False  # there is a text that a cut would end

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Read tag by tag."""
        at = 0
        while at < len(data):
            if self._until:
                stop = data.find(self._until, at)
                if stop < 0:
                    return len(data) if final else max(at, len(data) - len(self._until) + 1)
                at = stop + len(self._until)
                self._until = b""
            elif data[at] == 60:  # <
                after = self._markup(data, at, final, out)
                if after < 0:
                    return at
                at = after
            else:
                stop = data.find(b"<", at)
                end = stop if stop >= 0 else self._text_end(data, at, final)
                if (self._is_mixed or self._is_content) and end > at:
                    self._is_open = True
                    undo_references(data, at, end, out)
                if stop < 0:
                    return end
                at = end
        return at

    def _text_end(self, data: bytes, start: int, final: bool) -> int:
        """Where a text can be cut that is not whole yet: before a reference that may go on."""
        place = -1 if final else data.rfind(b"&", max(start, len(data) - REFERENCE_LENGTH))
        return len(data) if place < 0 else place

    def _markup(self, data: bytes, start: int, final: bool, out: Runs) -> int:
        """Read markup that begins with <; returns its end, or -1 if it is incomplete."""
        if len(data) - start < 9 and not final:  # <![CDATA[
            return -1
        second = data[start + 1 : start + 2]
        if second in (b"!", b"?"):
            self._until = next(end for begin, end in _ENDS if data.startswith(begin, start))
            return start + 2
        match = _TAG.match(data, start)
        if match is None:
            if final or len(data) - start >= MAX_TAG:
                return start + 1
            return -1
        closes, name = match[1] != b"", match[2]
        is_whole = data[match.end() - 2] == 47  # />
        self._is_content = not closes and not is_whole
        if name in _MEANS:
            if not closes:
                out.put(_MEANS[name], start, match.end())
        elif name not in _RUNS:
            self._cut(start, out)
        if closes:
            return match.end()
        if name in _DROPPED and not is_whole:
            self._until = b"</" + data[start + 1 : match.end(2)] + b">"
        elif _VALUE.search(data, start, match.end()) is not None:
            self._attributes(data, start, match.end(), name, out)
        return match.end()

    def _attributes(self, data: bytes, start: int, end: int, name: bytes, out: Runs) -> None:
        """Write the values of a tag's attributes: links, and texts."""
        is_relation = name == b"Relationship"
        if is_relation and _EXTERNAL.search(data, start, end) is None:
            return
        for match in _ATTRIBUTE.finditer(data, start, end):
            prefix, _, key = match[1].rpartition(b":")
            first, last = match.span(match.lastindex or 0)
            if prefix == b"xmlns" or key == b"xmlns":
                self._is_mixed = self._is_mixed or data.startswith(_MIXED, first)
            elif key in _LINKS or (is_relation and key == b"Target"):
                self._cut(first, out)
                out.name("link")
                self._link(data, first, last, out)
                out.name(None)
                self._is_open = True
                self._cut(last, out)
            elif not is_relation and key not in _NAMES and data.find(b":", first, last) >= 0:
                self._cut(first, out)
                undo_references(data, first, last, out)
                self._is_open = True
                self._cut(last, out)

    def _link(self, data: bytes, start: int, end: int, out: Runs) -> None:
        """Write a reference in angle brackets, so that all of it is one, with its unsafe characters encoded."""
        out.put(b"<", start, start)
        for match in _UNSAFE.finditer(data, start, end):
            out.copy(data, start, match.start())
            start = match.end()
            text = meaning(match) if match[0][:1] == b"&" else match[0]
            out.put(b"%%%02X" % text[0] if _UNSAFE.fullmatch(text) else text, match.start(), start)
        out.copy(data, start, end)
        out.put(b">", end, end)

    def _cut(self, place: int, out: Runs) -> None:
        """End a text, if there is one."""
        if self._is_open:
            out.cut(place)
            self._is_open = False


READERS = (
    Reader(
        name="office", summary="the parts of office documents: texts over their runs, links without namespaces",
        suffixes=(".rels", ".fodt", ".fods", ".fodp", ".fodg"),
        types=("application/vnd.openxmlformats-package.relationships+xml",),
        begins=lambda head: _BEGIN.match(head) is not None, within="xml", decode=OfficeDecoder,
    ),
)  # fmt: skip
