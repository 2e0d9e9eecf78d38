"""The parts of wais URLs: a database, a search of it, or one document of it (RFC 1738 3.9, RFC 4156).

Rule: the document-id is opaque octets. RFC 1738 percent-encodes it as a whole; browsers used libwww's form,
``LENGTH/1=value;2=value;...7=%00;``, in which the tagged fields of the id are written one by one. The forms are
distinguished before anything is decoded: in the RFC's form ``=`` is always encoded.
"""

from __future__ import annotations

from anyurl.errors import LimitError, RefusedError, RemoteProtocolError
from anyurl.schemes.kit.scheme import (
    SAFE,
    Parts,
    canonical,
    check_number,
    decode,
    encode,
    octets,
    once,
    part_error,
    text_of,
)
from anyurl.schemes.wais.wire.fields import Fields, read_fields, write_field, write_fields
from anyurl.url import URL
from anyurl.url.cut import percent_decode, percent_encode

MAX_LENGTH_DIGITS = 10
"""The length field of a WAIS message has ten digits: no document is longer."""

MAX_FIELD_TAG = 127
"""Tags of one octet; freeWAIS uses 1 to 7 in a document-id."""

_ID_SAFE = b"$"
"""Beside the unreserved octets: without ``/``, ``=`` and ``;``, so that an opaque id never looks like libwww's form."""

_NAME_SAFE = SAFE + b":@&=;"
"""Characters of a database and of a search that no rule of the form reserves."""

_FIELD_SAFE = b"/$"
"""Characters that libwww leaves unencoded in a field's value, besides ``A-Z a-z 0-9 . - _``."""


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
        check_number(length, "length")
        texts = {"search": search, "wtype": wtype, "wpath": wpath}
        canonicals = {name: None if text is None else canonical(text) for name, text in texts.items()}
        if (wtype is None) is not (wpath is None) or (length is not None and wpath is None):
            raise part_error(
                wtype or wpath or "",
                "a document needs a type and an id: database/type/id",
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
        self._set(database=canonical(database), **canonicals, length=length)

    @property
    def document_id(self) -> bytes | None:
        """The document-id as sent to the server."""
        return None if self.wpath is None else octets(self.wpath)

    @property
    def first_type(self) -> str:
        """The type to ask for: later libwww wrote several, joined by commas, best first."""
        return (self.wtype or "").partition(",")[0]

    def rfc_path(self) -> str:
        """The encoded path and search as RFC 1738 3.9 has them: an id is one opaque piece, and no length is given."""
        if self.wtype is None:
            return self.url_path()
        return f"{encode(self.database, _NAME_SAFE)}/{encode(self.wtype or '', SAFE)}/" + percent_encode(
            self.document_id or b"", _ID_SAFE
        )

    def url_path(self) -> str:
        """The encoded path and search; a document-id of tagged fields is written in libwww's form."""
        path = encode(self.database, _NAME_SAFE)
        if self.search is not None:
            return f"{path}?{encode(self.search, _NAME_SAFE)}"
        document_id = self.document_id
        if self.wtype is None or document_id is None:
            return path
        fields = id_fields(document_id)
        written = _written(fields) if fields else percent_encode(document_id, _ID_SAFE)
        length = "" if self.length is None else f"{self.length}/"
        return f"{path}/{encode(self.wtype, SAFE)}/{length}{written}"


def id_fields(document_id: bytes) -> Fields:
    """The tagged fields of a freeWAIS document-id, or nothing when it is not exactly a run of them.

    Each field is a tag, a length and as many octets; a length of 128 or more takes several octets, seven bits in each,
    all but the last with the high bit set.
    """
    try:
        fields = read_fields(document_id)
    except (RemoteProtocolError, LimitError):
        return ()
    if any(tag > MAX_FIELD_TAG for tag, _ in fields):
        return ()
    return fields if write_fields(fields) == document_id else ()  # a length in more octets than it needs: no way back


def _written(fields: Fields) -> str:
    # libwww encodes the tilde too, as RFC 1738 2.2 asks.
    return "".join(f"{tag}={percent_encode(value, _FIELD_SAFE).replace('~', '%7E')};" for tag, value in fields)


def read(url: URL) -> WaisParts:
    """Read the parts of a wais URL.

    Raises:
        URLSyntaxError: A document without its type or its id, a document with a search, or a broken id.
    """
    path = url.path.removeprefix("/")
    search = None if url.query is None else decode(url.query)
    pieces = path.split("/", 2)
    if len(pieces) == 1:
        return WaisParts(decode(path), search)
    if len(pieces) == 2:
        raise part_error(path, "a document needs a type and an id: database/type/id", "RFC 1738 3.9", rule="waisdoc")
    database, wtype, wpath = pieces
    length, document_id = _read_wpath(wpath)
    return WaisParts(decode(database), search, decode(wtype), text_of(document_id), length)


def _read_wpath(wpath: str) -> tuple[int | None, bytes]:
    """The length, if given, and the document-id; the most specific form is tried first."""
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
        out.append(write_field(int(tag), data))
    return b"".join(out)


@once
def check(url: URL) -> WaisParts:
    """Refuse a database that sends its server elsewhere: ``name@host:port`` asks freeWAIS to search there instead.

    Returns:
        The parts of the URL.

    Raises:
        RefusedError: The name of the database holds ``@``; nothing was sent.
    """
    # Attack: as with PORT and FTP (RFC 1738 section 6), a server reaches places that its client may not.
    parts = read(url)
    if "@" in parts.database:
        raise RefusedError(
            f"The database of {url.masked} holds '@', which would make a WAIS server query another one: it is never "
            "sent.",
            code="octets",
            subject=url.scheme,
        )
    return parts
