"""Interpreting WAIS replies: types as media types, hits as `Entry`, diagnostics as errors of the tree.

Rule: the URL of a hit returns its document-id octet for octet; a hit of type URL leads to the URL in its headline.
Headlines are for display only, never for paths; a URL that a server names is judged when it is followed.
"""

from __future__ import annotations

import calendar
from collections.abc import Sequence

from anyurl.dialogue import Entry, Kind
from anyurl.errors import AnyURLError, Meaning, PeerText, RemoteProtocolError, ReplyError, sample
from anyurl.schemes.kit import scheme
from anyurl.schemes.kit.meanings import CLASSES
from anyurl.schemes.kit.media import guess_type
from anyurl.schemes.kit.scheme import NO_URL, text_of
from anyurl.schemes.wais.parts import MAX_LENGTH_DIGITS, WaisParts, id_fields
from anyurl.schemes.wais.wire import records
from anyurl.schemes.wais.wire.records import Diagnosis, Hit
from anyurl.schemes.wais.wire.source import SourceDescription
from anyurl.url import URL, syntax

TEXT, SOURCE, LINK = "TEXT", "WSRC", "URL"
"""Types that mean more than a format: the default, a source description, a URL."""

SOURCE_TYPE = "application/x-wais-source"
INFO = "INFO"
"""The directory of a server's own databases; a URL that names no database means it."""

_MEDIA = {
    TEXT: "text/plain", "HTML": "text/html", "WSRC": SOURCE_TYPE, "GIF": "image/gif", "PS": "application/postscript",
    "TIFF": "image/tiff", "PICT": "image/x-pict", "DVI": "application/x-dvi", "JPEG": "image/jpeg",
    "MPEG": "video/mpeg", "URL": "text/uri-list", "MIME": "message/rfc822", "MAIL": "message/rfc822",
    "TEXT-FTP": "text/plain", "FTP": "application/octet-stream", "FTP-DIR": "application/octet-stream",
}  # fmt: skip
"""Types are upper-case words that each indexer chose; these are in use."""


def media_type(wtype: str) -> str:
    """The media type of a WAIS type; application/octet-stream if the type is unknown."""
    known = _MEDIA.get(wtype.upper())
    return known or guess_type(f"x.{wtype}") or "application/octet-stream"


def wanted_type(types: Sequence[str], view: str) -> str | None:
    """The type that a view names, by itself or by its media type; None when it names none.

    Args:
        types: The known types of the document; only its hit named the others.
    """
    for name in (*types, *_MEDIA):
        if view.upper() == name.upper() or view.lower() == media_type(name):
            return name
    return view.upper() if view.isascii() and view.replace("-", "").isalpha() else None


def trimmed(data: bytes) -> str:
    """A server's words for people, trimmed."""
    return scheme.decoded(data.strip(b" \t\r\n\0"))


def read_date(date: bytes | None) -> float | None:
    """The seconds since the epoch of ``930302`` or ``19930302``; None for ``0`` and for an invalid day."""
    digits = (date or b"").strip()
    if len(digits) not in (6, 8) or not digits.isdigit():
        return None
    year = int(digits[:-4])
    if len(digits) == 6:
        year += 1900 if year >= 70 else 2000
    month, day = int(digits[-4:-2]), int(digits[-2:])
    if not (year >= 1 and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]):
        return None
    return float(calendar.timegm((year, month, day, 0, 0, 0)))


# --- hits ----------------------------------------------------------------------------------------------------------


def types_of(hit: Hit) -> tuple[str, ...]:
    """The types of a hit, best first; a text where the server names none. Raises as `Hit.types`."""
    return tuple([text_of(type) for type in hit.types if type]) or (TEXT,)


def entry(hit: Hit, url: URL, database: str, form: str) -> Entry:
    """A hit as an entry. Raises RemoteProtocolError: its headline holds NUL, or its types are broken.

    Args:
        url: Where it was found: host and port of its document's URL.
        database: In which database; the one of its document's URL.
        form: ``libwww`` or ``rfc``.
    """
    if b"\0" in hit.headline.rstrip(b"\0"):
        # Old peers stop there, and would show another headline than we do.
        raise RemoteProtocolError("A headline of a WAIS hit holds NUL.", sample=sample(hit.headline))
    types = types_of(hit)
    first = types[0]
    urls = [document_url(url, database, name, hit, form, first=name == first) for name in types]
    there = urls[0]
    if first == LINK:
        there = _link(hit.headline)
    attributes: dict[str, object] = {"wais_type": first}
    if there is None:
        attributes[NO_URL] = "its headline is not a URL" if first == LINK else "its document-id cannot be part of a URL"
    if hit.lines is not None:
        attributes["lines"] = hit.lines
    if hit.date and hit.date != b"0" and read_date(hit.date) is None:
        attributes["date"] = text_of(hit.date)
    if hit.city:
        attributes["city"] = trimmed(hit.city)
    if len(types) > 1:
        attributes["alternatives"] = [
            {"wais_type": name, "type": media_type(name), "url": None if other is None else str(other)}
            for name, other in zip(types, urls, strict=True)
        ]
    kind: Kind | None = None if first == LINK else "document"
    type = None if first == LINK else media_type(first)
    return Entry(
        text_of(hit.headline.strip(b" \t\r\n\0")), there, kind=kind, size=hit.length or None,
        modified=read_date(hit.date), title=trimmed(hit.headline), type=type,
        score=None if hit.score is None else float(hit.score), attributes=attributes,
    )  # fmt: skip


def document_url(url: URL, database: str, wtype: str, hit: Hit, form: str, *, first: bool = True) -> URL | None:
    """The URL of a hit in one of its types; None if no URL can express it.

    Args:
        first: It is the first type, which the length is of.
    """
    try:
        length = hit.length if first and (hit.length or 0) < 10**MAX_LENGTH_DIGITS else None
        parts = WaisParts(database, None, wtype, text_of(hit.document_id), length or None)
        if form == "rfc" or not id_fields(hit.document_id):  # libwww's form has fields and nothing else
            return url.replace(path=f"/{parts.rfc_path()}", query=None)
        return url.replace(parts=parts)
    except AnyURLError:
        return None


def _link(headline: bytes) -> URL | None:
    try:
        return URL(headline.strip(b" \t\r\n\0").decode("utf-8"))
    except (AnyURLError, UnicodeDecodeError):
        return None


def source_url(source: SourceDescription) -> URL | None:
    """The database that a source description describes; None where it names none that can be a URL."""
    if source.host is None or not source.database:
        return None
    try:
        host = source.host.decode("ascii")
        port = None if source.port in (None, 0, syntax.row("wais").port) else source.port
        return URL.build(scheme="wais", host=host, port=port, parts=WaisParts(text_of(source.database)))
    except (AnyURLError, UnicodeDecodeError):
        return None


def source_facts(source: SourceDescription) -> dict[str, object]:
    """The facts of a source description, for people and as JSON values."""
    facts: dict[str, object] = {}
    for key in ("description", "maintainer", "cost", "cost-unit", "configuration", "update-time"):
        value = source.text(key)
        if value:
            facts[key.replace("-", "_")] = trimmed(value.removeprefix(b":"))
    if keywords := source.words("keyword-list"):
        facts["keywords"] = [trimmed(word) for word in keywords]
    return facts


# --- errors --------------------------------------------------------------------------------------------------------


_REFUSALS: dict[str, Meaning] = {
    records.NOT_AUTHORIZED: "denied",
    records.ACCESS_FAILURE: "denied",
    "T3": "login",
    "T4": "login",
}


def diagnostic_error(url: URL, diagnosis: Diagnosis) -> ReplyError:
    """The error for a diagnostic that comes without anything else."""
    said, code = PeerText(trimmed(diagnosis.said)), PeerText(diagnosis.code)
    meaning = records.MEANINGS.get(diagnosis.code, "unknown to anyurl")
    message = f"{url.host} does not answer {url.masked}: {said} (WAIS diagnostic {code}: {meaning})."
    missing = diagnosis.code == records.OUT_OF_RANGE or b"not available" in diagnosis.text.lower()
    refusal = _REFUSALS.get(diagnosis.code, "not-found" if missing else "other")
    return CLASSES[refusal](message, text=f"{code.text} {said.text}", meaning=refusal)


def note_of(url: URL, diagnosis: Diagnosis) -> str:
    """The note for a diagnostic that accompanies hits or text."""
    return f"{url.host} remarks: {PeerText(trimmed(diagnosis.said))} (WAIS diagnostic {PeerText(diagnosis.code)})"


def wrong_document(url: URL) -> RemoteProtocolError:
    """The error for a text of another document than the requested one."""
    return RemoteProtocolError(f"{url.host} sent a piece of another document than the requested one.")
