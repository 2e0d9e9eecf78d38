"""Sources of text: a string, octets, a file or a stream of pieces, converted to UTF-8 octets piece by piece.

Rule: nothing is read before it is needed, and no more than a piece is held here.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Protocol, TypeAlias

from anyurl.text.scan.lines import encode
from anyurl.url.charsets import ESCAPE, codec_of, decoder_of

PIECE = 65_536
"""Characters or octets of a piece: it fits the processor's cache, and is below malloc's threshold for mapping."""

LEAST_PIECE = 4096
"""Octets of a piece where URLs are dense: the shortest link has ten, and 400 of them are read in some 10 ms."""

FEW = 64
"""URLs in one piece up to which the next one may be larger."""

BOMS = {
    "utf-8-sig": ((codecs.BOM_UTF8, "utf-8"),),
    "utf-16": ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
    "utf-32": ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")),
}
"""Encodings with a byte order mark, and the encoding of each mark; the first one is the default."""


AUTO = "auto"
"""The encoding that a byte order mark or the text declares, or UTF-8."""

HEAD = 1024
"""Octets that are searched for the encoding and the format; in HTML 4.2.5.4 the declaration is in the first 1,024."""

_DECLARED = re.compile(
    rb"\s*+<\?xml\s[^>]*?encoding\s*=\s*[\"']([\w.:\-]{1,40})[\"']"  # XML 4.3.3
    rb"|(?:.*?<meta\s[^>]*?charset\s*=\s*[\"']?([\w.:\-]{1,40}))"  # HTML 4.2.5
    rb"|(?:[^\n]*+\n)?[^\n]*?(?:^|[#%;/*. \t])[ \t]*+-\*-[^\n]*?coding:[ \t]*+([\w.\-]{1,40})"  # editors, PEP 263
    rb"|(?:.*?\n\"Content-Type:[^\"\n]*?charset=([\w.\-]{1,40}))",  # catalogues of gettext
    re.IGNORECASE | re.DOTALL,
)

_UNMARKED = (
    (b"<\0\0\0", "utf-32-le"), (b"\0\0\0<", "utf-32-be"), (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"),
)  # fmt: skip
"""Beginnings of XML and HTML documents without a mark (XML F.1)."""


def octets_in(text: str, encoding: str) -> int:
    """The number of octets of a text in the encoding that it was decoded from."""
    try:
        return len(text.encode(encoding, "surrogateescape"))
    except UnicodeEncodeError:  # undecodable octets count as a question mark
        return len(text.encode(encoding, "replace"))


class Readable(Protocol):
    """An open file."""

    def read(self, size: int, /) -> str | bytes | None:
        """At most `size` characters or octets; nothing at the end."""


Source: TypeAlias = str | bytes | bytearray | memoryview | Readable | Iterable[str] | Iterable[bytes]


class Octets:
    """A source as UTF-8 octets; iterating reads it.

    Args:
        source: The text.
        encoding: The encoding of octets; AUTO for the one that the source declares.

    Attributes:
        errors: The error handler for octets that are not UTF-8.
        encoding: The encoding of the source if it is not UTF-8, or None.
        skipped: Octets of the byte order mark, which is not text.

    Raises:
        LookupError: Python does not know the encoding.
        TypeError: The source has another type.
    """

    def __init__(self, source: Source, encoding: str) -> None:
        self._name = AUTO if encoding == AUTO else codec_of(encoding)
        self._source = source
        self._raw = _pieces(source)
        self._first: str | bytes = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self.errors: str = "surrogateescape"
        self.encoding: str | None = None
        self.skipped: int = 0

    def begin(self) -> None:
        """Read the first piece, and determine the type and the encoding of the source."""
        self._first = next(self._raw, b"")
        if isinstance(self._first, str):
            self.errors = "surrogatepass"
            return
        if self._name == AUTO:
            self._name = _declared(self.head())
        name = self._skip_bom(self._first) if self._name in BOMS else self._name
        if name in ("utf-8", "ascii"):
            return
        self.encoding = name
        self.errors = "surrogatepass"
        # Units of UTF-16 and UTF-32 can't be escaped octet by octet
        undecodable = "replace" if name.startswith(("utf-16", "utf-32")) else ESCAPE
        self._decoder = decoder_of(name, undecodable)

    def _skip_bom(self, head: bytes) -> str:
        """Remove the byte order mark, which may span pieces; returns its encoding."""
        while len(head) < 4 and (more := next(self._raw, None)) is not None:
            head += more  # type: ignore[operator]
        name = BOMS[self._name][0][1]
        for mark, told in BOMS[self._name]:
            if head.startswith(mark):
                self.skipped, name = len(mark), told
                break
        self._first = head[self.skipped :]
        return name

    def head(self) -> bytes:
        """The first octets, in UTF-8 if the source is a str or declares another encoding."""
        first: Any = self._first
        while len(first) < HEAD and (more := next(self._raw, None)) is not None:
            first += more
        self._first = first
        if isinstance(first, str):
            return first[:HEAD].encode("utf-8", "surrogatepass")
        if self.encoding is None:
            return bytes(first[:HEAD])
        return bytes(first[:HEAD]).decode(self.encoding, "replace").encode("utf-8", "surrogatepass")

    @property
    def is_text(self) -> bool:
        """Whether the source is str."""
        return isinstance(self._first, str)

    @property
    def ascii_text(self) -> str | None:
        """The source where it is a text whose characters are one octet each, else None."""
        whole = self._source
        return whole if type(whole) is str and whole.isascii() else None

    def is_binary(self) -> bool:
        """Whether the first octets are not text; UTF-16 and UTF-32 are already decoded."""
        return not self.is_text and b"\0" in self.head()

    def file(self) -> Any:
        """The original octets as an open file from the beginning; it is seekable if the source is."""
        source: Any = self._source
        if isinstance(source, bytes | bytearray | memoryview):
            return io.BytesIO(source)
        try:
            if source.seekable():
                source.seek(-len(self._first), io.SEEK_CUR)
                if source.tell() == 0:
                    return source
                source.seek(len(self._first), io.SEEK_CUR)
        except (AttributeError, OSError):
            pass
        return OctetPieces(chain((bytes(self._first),), self._raw))  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[bytes]:
        whole = self._source
        if isinstance(whole, str):
            return (encode(whole, at, at + PIECE) for at in range(0, len(whole), PIECE))
        if type(whole) is bytes and self._decoder is None and not self.skipped:
            return iter((whole,))  # it is complete, and does not change
        return self._encoded()

    def _encoded(self) -> Iterator[bytes]:
        """Yield the pieces in UTF-8."""
        piece: str | bytes | None = self._first
        self._first = b""
        while piece is not None:
            if isinstance(piece, str):
                yield encode(piece, 0, len(piece))
            elif self._decoder is not None:
                yield self._decoder.decode(piece).encode("utf-8", "surrogatepass")
            else:
                yield piece
            piece = next(self._raw, None)
        if self._decoder is not None:
            yield self._decoder.decode(b"", True).encode("utf-8", "surrogatepass")


class OctetPieces:
    """Pieces of octets as a file that can be read once."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""

    def seekable(self) -> bool:
        """Never."""
        return False

    def read(self, size: int = -1) -> bytes:
        """At most `size` octets; all that are left if it is negative."""
        if size < 0:
            rest, self._rest = self._rest, b""
            return rest + b"".join(self._pieces)
        while not self._rest:
            try:
                self._rest = next(self._pieces)
            except StopIteration:
                return b""
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


def _declared(head: bytes) -> str:
    """The encoding that a text declares by its byte order mark, or in a declaration that is readable as ASCII."""
    for name in ("utf-8-sig", "utf-32", "utf-16"):  # the mark of UTF-32 begins with that of UTF-16
        if head.startswith(tuple(mark for mark, _ in BOMS[name])):
            return name
    for mark, name in _UNMARKED:
        if head.startswith(mark):
            return name
    match = _DECLARED.match(head)
    if match is not None:
        try:
            name = codec_of(next(each for each in match.groups() if each).decode("ascii"), html=match[2] is not None)
        except LookupError:
            return "utf-8"
        # A declaration in ASCII is never in an encoding of two octets (HTML 13.2.3.2)
        if not name.startswith(("utf-16", "utf-32")):
            return name
    return "utf-8"


class Doses:
    """The pieces of a text, smaller where URLs are dense, since each piece is one step of the caller.

    Otherwise a page of links would block an event loop while 6,000 URLs are read.
    """

    __slots__ = ("_pieces", "_size")

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self._size = LEAST_PIECE

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            at = 0
            while at < len(piece):
                size = self._size
                yield piece[at : at + size]
                at += size

    def weigh(self, found: int) -> None:
        """Report the number of URLs in the last piece."""
        self._size = min(2 * self._size, PIECE) if found < FEW else LEAST_PIECE


def _pieces(source: Source) -> Iterator[str | bytes]:
    """Yield the source in pieces of its own type."""
    if isinstance(source, str):
        return (source[at : at + PIECE] for at in range(0, len(source), PIECE))
    if isinstance(source, bytes | bytearray | memoryview):
        view = memoryview(source).cast("B")
        return (bytes(view[at : at + PIECE]) for at in range(0, len(view), PIECE))
    read: Callable[[int], Any] | None = getattr(source, "read1", None) or getattr(source, "read", None)
    if read is not None:
        return _read(read)
    if isinstance(source, Iterable):
        return _cut(source)
    raise TypeError(f"a text is a str, bytes, an open file or an iterable of pieces, not {type(source).__name__}")


def _read(read: Callable[[int], Any]) -> Iterator[str | bytes]:
    while piece := read(PIECE):
        yield piece


def _cut(pieces: Iterable[Any]) -> Iterator[str | bytes]:
    for piece in pieces:
        yield from _pieces(piece) if isinstance(piece, str | bytes | bytearray | memoryview) else _refuse(piece)


def _refuse(piece: Any) -> Iterator[str | bytes]:
    raise TypeError(f"a piece of a text is str or bytes, not {type(piece).__name__}")
