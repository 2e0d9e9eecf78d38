"""wais: databases, searches and documents of Wide Area Information Servers (RFC 1738 3.9, RFC 4156).

Rule: the document-id is opaque octets. RFC 1738 writes it percent-encoded as a whole; what browsers exchanged is
libwww's form, ``LENGTH/1=value;2=value;...7=%00;``, in which the id's tagged fields are written one by one. Both are
told apart on the text as it is written, before anything is decoded: in the RFC's form ``=`` is always encoded.
"""

from __future__ import annotations

from anyurl.kernel import percent_decode, percent_encode
from anyurl.schemes.scheme import SAFE, Parts, Scheme, canonical, decode, encode, octets, part_error, text_of
from anyurl.url import URL

MAX_LENGTH_DIGITS = 10
"""The length field of a WAIS message has ten digits: no document is longer."""

MAX_FIELD_TAG = 127
"""Tags of one octet; freeWAIS uses 1 to 7 in a document-id."""

_ID_SAFE = b"$"
"""Beside the unreserved octets: without ``/``, ``=`` and ``;``, so that an opaque id never looks like libwww's form."""

_FIELD_SAFE = b"/$"
"""What libwww leaves as it is in a field's value, beside ``A-Z a-z 0-9 . - _``."""


class WaisParts(Parts):
    """A database, a search of it, or one document of it, decoded (RFC 1738 3.9).

    Attributes:
        database: The name of the database.
        search: The words to search for, or None. ``+`` and space both separate words.
        wtype: The WAIS type of the document (``TEXT``, ``GIF``; several joined by ``,``), or None.
        wpath: The document-id: opaque octets, those that are not UTF-8 as surrogates; None where `wtype` is.
        length: Octets of the document, where the URL tells them (libwww's form), or None.

    Raises:
        URLSyntaxError: A search and a document at once, or a document without its type or its id.
    """

    __slots__ = ("database", "search", "wtype", "wpath", "length")
    __match_args__ = ("database", "search", "wtype", "wpath", "length")
    database: str
    search: str | None
    wtype: str | None
    wpath: str | None
    length: int | None

    def __init__(
        self,
        database: str = "",
        search: str | None = None,
        wtype: str | None = None,
        wpath: str | None = None,
        length: int | None = None,
    ) -> None:
        if (wtype is None) is not (wpath is None) or (length is not None and wpath is None):
            raise part_error(
                wtype or wpath or "",
                "a document has a type and an id: database/type/id",
                "RFC 1738 3.9",
                rule="waisdoc",
            )
        if search is not None and wtype is not None:
            raise part_error(
                search, "a WAIS URL names a search or a document, not both", "RFC 1738 3.9", rule="waisurl"
            )
        if length is not None and not 0 <= length < 10**MAX_LENGTH_DIGITS:
            raise part_error(
                str(length),
                f"the length of a document has 1 to {MAX_LENGTH_DIGITS} digits",
                "RFC 1738 3.9",
                rule="wpath",
            )
        texts = (database, search, wtype, wpath)
        self._set(*(None if text is None else canonical(text) for text in texts), length)

    @property
    def document_id(self) -> bytes | None:
        """The document-id as it is sent to the server."""
        return None if self.wpath is None else octets(self.wpath)

    def url_path(self) -> str:
        """The encoded path and search; a document-id of tagged fields is written in libwww's form."""
        path = encode(self.database, SAFE + b":@&=;")
        if self.search is not None:
            return f"{path}?{encode(self.search, SAFE + b':@&=;')}"
        document_id = self.document_id
        if self.wtype is None or document_id is None:
            return path
        fields = id_fields(document_id)
        written = _write_fields(fields) if fields else percent_encode(document_id, _ID_SAFE)
        length = "" if self.length is None else f"{self.length}/"
        return f"{path}/{encode(self.wtype, SAFE)}/{length}{written}"


def id_fields(document_id: bytes) -> tuple[tuple[int, bytes], ...]:
    """The tagged fields of a freeWAIS document-id, or nothing when it is not exactly a run of them.

    Each field is a tag, a length and as many octets; a length of 128 or more takes several octets, seven bits in each,
    all but the last with the high bit set.
    """
    fields: list[tuple[int, bytes]] = []
    at, end = 0, len(document_id)
    while at < end:
        tag = document_id[at]
        at, length = _read_vint(document_id, at + 1)
        if tag > MAX_FIELD_TAG or length < 0 or at + length > end:
            return ()
        fields.append((tag, document_id[at : at + length]))
        at += length
    joined = b"".join(bytes((tag,)) + _vint(len(value)) + value for tag, value in fields)
    return tuple(fields) if joined == document_id else ()  # a length in more octets than it needs would not come back


def _read_vint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for index in range(at, min(at + 4, len(data))):  # four octets count 256 MiB, more than any URL has
        value = value << 7 | data[index] & 0x7F
        if data[index] < 0x80:
            return index + 1, value
    return at, -1


def _vint(value: int) -> bytes:
    out = [value & 0x7F]
    while value := value >> 7:
        out.append(0x80 | value & 0x7F)
    return bytes(reversed(out))


def _write_fields(fields: tuple[tuple[int, bytes], ...]) -> str:
    # libwww encodes the tilde too, as RFC 1738 2.2 asks.
    return "".join(f"{tag}={percent_encode(value, _FIELD_SAFE).replace('~', '%7E')};" for tag, value in fields)


def read(url: URL) -> WaisParts:
    """Take a wais URL apart.

    Raises:
        URLSyntaxError: A document without its type or its id, a document with a search, or a broken id.
    """
    path = url.path.removeprefix("/")
    search = None if url.query is None else decode(url.query)
    pieces = path.split("/", 2)
    if len(pieces) == 1:
        return WaisParts(decode(path), search)
    if len(pieces) == 2:
        raise part_error(path, "a document has a type and an id: database/type/id", "RFC 1738 3.9", rule="waisdoc")
    database, wtype, wpath = pieces
    length, document_id = _read_wpath(wpath)
    return WaisParts(decode(database), search, decode(wtype), text_of(document_id), length)


def _read_wpath(wpath: str) -> tuple[int | None, bytes]:
    """The length, if it is told, and the document-id; the most specific form is tried first."""
    length: int | None = None
    head, slash, rest = wpath.partition("/")
    if slash and head.isascii() and head.isdigit() and len(head) <= MAX_LENGTH_DIGITS:
        length, wpath = int(head), rest
    tag, equals, _ = wpath.partition("=")
    if equals and tag.isascii() and tag.isdigit():
        return length, _read_fields(wpath)
    return length, percent_decode(wpath)


def _read_fields(text: str) -> bytes:
    out: list[bytes] = []
    for field in text.removesuffix(";").split(";"):  # libwww demands the last ';', other writers forgot it
        tag, equals, value = field.partition("=")
        if not (equals and tag.isascii() and tag.isdigit() and len(tag) <= 3 and int(tag) <= MAX_FIELD_TAG):
            raise part_error(
                field,
                f"a field of the document-id is TAG=value with a tag up to {MAX_FIELD_TAG}",
                "RFC 1738 3.9",
                rule="wpath",
            )
        data = percent_decode(value)
        out.append(bytes((int(tag),)) + _vint(len(data)) + data)
    return b"".join(out)


SCHEMES = (
    Scheme(
        "wais",
        reference="RFC 4156",
        summary="A WAIS database, a search of it, or one document of it.",
        read=read,
        read_only=True,
    ),
)
