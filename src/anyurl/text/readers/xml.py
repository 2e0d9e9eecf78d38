"""XML (1.0, fifth edition), and what is written in it: feeds, sitemaps, SVG, the parts of DOCX, ODT and EPUB.

Rule: text and the values of attributes are read, each as a text of its own, with XML's five entities and character
references written out. No other entity is ever expanded: one of HTML that is no letter ends a URL, any other is a gap
in it, which makes it a template. Names of namespaces are no links; comments, instructions and declarations hold none.
"""

from __future__ import annotations

import re
from array import array
from html.entities import html5

from anyurl.kernel import tags
from anyurl.kernel.tags import Tags
from anyurl.text.readers.registry import Reader
from anyurl.text.runs import Runs

MAX_TAG = 131_072
"""Octets of a tag: a longer one is passed over as far as it has come."""

_REFERENCE = re.compile(rb"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6})|([A-Za-z_][\w.\-]{0,62}));")
_LONGEST = 64
_MEANS = {b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"apos": b"'"}
# What is repeated possessively holds nothing possessive: PyPy fails at both.
_TAG = re.compile(rb"<[^\s/>]++(?:[^\"'>]+|\"[^\"]*\"|'[^']*')*+>")
_ATTRIBUTE = re.compile(rb"\s([^\s=\"'/>]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_HOLDS = re.compile(rb"[:@.&]")
"""One of these is in whatever is found: a colon, an address, a domain, or a reference that writes one."""
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<\?xml[\s?]")


class XmlDecoder:
    """Writes text and values of attributes."""

    def __init__(self) -> None:
        rows = array("q", bytes(8 * tags.COLUMNS * tags.MAX_ROWS))
        names = array("q", bytes(16 * tags.MAX_ATTRIBUTES))
        self._rows = memoryview(rows)
        self._tags = Tags(memoryview(rows), memoryview(names), True, False)
        self._until = b""
        self._in_data = False
        self._in_text = False  # what was written last may go on

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Read tags and what stands between them."""
        start = 0
        while start < len(data):
            if self._in_text:
                after = self._text(data, start, final, out)
            elif self._until:
                after = self._pass_over(data, start, final, out)
            else:
                count = self._tags.scan(data, start)
                for row in range(0, 3 * count, 3):
                    first, last = self._rows[row + 1], self._rows[row + 2]
                    if _HOLDS.search(data, first, last) is not None:
                        self._write(data, first, last, out)
                start = self._tags.tell()
                if start == len(data):
                    break
                after = (
                    self._markup(data, start, final, out) if data[start] == 60 else self._text(data, start, final, out)
                )
            if after < 0:
                break
            start = after
        return start

    def _write(self, data: bytes, start: int, stop: int, out: Runs, cut: bool = True) -> None:
        """Write a text of its own, without its references."""
        if data.find(b"&", start, stop) >= 0:
            for match in _REFERENCE.finditer(data, start, stop):
                out.copy(data, start, match.start())
                start = match.end()
                meaning = _meaning(match)
                if meaning:
                    out.put(meaning, match.start(), start)
                else:
                    out.cut(match.start())
        out.copy(data, start, stop)
        if cut:
            out.cut(stop)

    def _text(self, data: bytes, start: int, final: bool, out: Runs) -> int:
        """Write text whose end may not have come."""
        stop = data.find(b"<", start)
        self._in_text = stop < 0
        if stop >= 0:
            self._write(data, start, stop, out)
            return stop
        stop = len(data)
        if not final and (mark := data.rfind(b"&", max(start, stop - _LONGEST))) >= 0:
            stop = mark
        self._write(data, start, stop, out, False)
        return stop if stop > start else -1

    def _pass_over(self, data: bytes, start: int, final: bool, out: Runs) -> int:
        """Go on to the end of what is no text, or of a section that is nothing else."""
        stop = data.find(self._until, start)
        end = stop if stop >= 0 else len(data) if final else max(start, len(data) - len(self._until) + 1)
        if self._in_data:
            out.copy(data, start, end)
        if stop < 0:
            return end if end > start else -1
        if self._in_data:
            out.cut(stop)
        after = stop + len(self._until)
        self._until, self._in_data = b"", False
        return after

    def _markup(self, data: bytes, start: int, final: bool, out: Runs) -> int:
        """Read what begins with < and is no simple tag."""
        if len(data) - start < 9 and not final:  # <![CDATA[ is the longest beginning
            return -1
        out.cut(start)
        second = data[start + 1 : start + 2]
        if second == b"!":
            if data.startswith(b"<![CDATA[", start):
                self._until, self._in_data = b"]]>", True
                return start + 9
            if data.startswith(b"<!--", start):
                self._until = b"-->"
                return start + 4
            declared = re.compile(rb"[\[>]").search(data, start)
            if declared is None and not final and len(data) - start < MAX_TAG:
                return -1
            self._until = b"]>" if declared is not None and declared[0] == b"[" else b">"
            return start + 2
        if second in (b"?", b"/"):
            self._until = b"?>" if second == b"?" else b">"
            return start + 2
        match = _TAG.match(data, start)
        if match is None:
            return len(data) if final or len(data) - start >= MAX_TAG else -1
        for attribute in _ATTRIBUTE.finditer(data, start, match.end()):
            if not attribute[1].startswith(b"xmlns"):
                self._write(data, *attribute.span(attribute.lastindex or 0), out)
        return match.end()


def _meaning(match: re.Match[bytes]) -> bytes:
    """What to write for a reference; nothing where a text ends."""
    if match[1] is not None:
        return _MEANS[match[1]]
    if match[4] is not None:
        char = html5.get(match[4].decode() + ";", "e")
        return b"{" + match[4] + b"}" if char.isalnum() else b""
    code = int(match[2]) if match[2] is not None else int(match[3], 16)
    return chr(code).encode("utf-8", "surrogatepass") if code < 0x110000 else match[0]


READERS = (
    Reader(
        name="xml", summary="XML: feeds, sitemaps, SVG; references written out, sections of text (CDATA) read",
        suffixes=(
            ".xml", ".rss", ".atom", ".svg", ".xsd", ".xsl", ".xslt", ".rdf", ".opml", ".gpx", ".kml", ".rels", ".opf",
            ".ncx", ".plist", ".wsdl", ".docbook", ".xspf", ".metalink",
        ),
        types=("text/xml", "application/xml", "application/rss+xml", "application/atom+xml", "image/svg+xml"),
        begins=lambda head: _BEGIN.match(head) is not None, decode=XmlDecoder,
    ),
)  # fmt: skip
