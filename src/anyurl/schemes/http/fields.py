"""Parsing the fields of an HTTP response: dates, media types, lengths, ranges, names (RFC 9110, RFC 6266).

Rule: every function accepts any text that a hostile server may send, and returns a value, or None if the text is not
understood, or raises an error of the tree. This module only reads.
"""

from __future__ import annotations

from functools import lru_cache

from anyurl.dates import DAY_NAMES, MONTH_NAMES
from anyurl.dialogue.http import CODINGS
from anyurl.dialogue.values import Response
from anyurl.errors import PeerText, RemoteProtocolError, sample
from anyurl.schemes.kit.media import parameters
from anyurl.url.cut import percent_decode
from anyurl.values import Value

MAX_LENGTH = 2**63 - 1
"""The most octets: the maximum of a signed 64-bit file offset, and the limit of libcurl and the operating system."""

REMEMBERED = 256
"""Types whose parsed result is cached: a server sends the same ones in every response."""

_EPOCH = 719_163
"""The day number of 1 January 1970, counted from 1 January of year 1."""


def format_date(seconds: float) -> str | None:
    """The HTTP date of a time since the epoch; None if its year does not have four digits (RFC 9110 5.6.7)."""
    from datetime import date

    days, rest = divmod(int(seconds), 86400)
    try:
        day = date.fromordinal(days + _EPOCH)
    except (ValueError, OverflowError):
        return None
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    name, month = DAY_NAMES[day.weekday()].title(), MONTH_NAMES[day.month - 1].title()
    return f"{name}, {day.day:02d} {month} {day.year:04d} {clock} GMT"


@lru_cache(REMEMBERED)
def media_type(text: str | None) -> tuple[str | None, str | None]:
    """Media type and charset of a Content-Type field, both in lower case; each is None if missing or malformed."""
    if text is None:
        return None, None
    value, named = parameters(text)
    major, slash, minor = value.partition("/")
    if not (slash and _is_token(major) and _is_token(minor)):
        return None, None
    charset = named.get("charset", "").lower()
    return value.lower(), charset if charset and _is_token(charset) else None


def _is_token(text: str) -> bool:
    """RFC 9110 5.6.2."""
    return text.isascii() and bool(text) and all(char.isalnum() or char in "!#$%&'*+-.^_`|~" for char in text)


def disposition_name(text: str | None) -> str | None:
    """The name that a Content-Disposition field gives, or None. It is hostile, and not safe as a path or file name.

    ``filename*`` is preferred to ``filename`` (RFC 6266 4.3); its charset is UTF-8 or ISO-8859-1 (RFC 8187 3.2.1).
    """
    if text is None:
        return None
    named = parameters(text)[1]
    extended = named.get("filename*")
    if extended is not None:
        charset, quote, rest = extended.partition("'")
        _, second, value = rest.partition("'")
        encoding = {"utf-8": "utf-8", "iso-8859-1": "latin-1"}.get(charset.lower())
        if quote and second and encoding is not None:
            return percent_decode(value).decode(encoding, "surrogateescape")
    return named.get("filename")


def content_length(response: Response) -> int | None:
    """The Content-Length, or None if there is none or a transfer coding overrides it (RFC 9112 6.3).

    Raises:
        RemoteProtocolError: It is not a number, or there are two different ones. Attack (the counterpart of request
            smuggling): one parser reads the end of this response, another one the start of the next.
    """
    fields = response.all("content-length")
    if len(fields) == 1 and (length := _number(fields[0])) is not None and length <= MAX_LENGTH:
        return None if response.header("transfer-encoding") is not None else length
    if not fields:
        return None
    values = {part.strip(" \t") for text in fields for part in text.split(",")}
    text = values.pop()
    if values or not (text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= MAX_LENGTH):
        written = sample(", ".join(sorted({text, *values})).encode("utf-8", "surrogateescape"))
        raise RemoteProtocolError(
            f"The server's Content-Length is not one number of octets (RFC 9110 8.6): {written}",
            sample=written,
            stage="reply",
        )
    return None if response.header("transfer-encoding") is not None else int(text)


def is_coded(response: Response) -> bool:
    """Whether the octets sent have a content coding (RFC 9110 8.4); one that no registry knows is ignored."""
    coding = response.header("content-encoding")
    if coding is None:
        return False
    if coding in CODINGS:  # nearly always
        return True
    return not CODINGS.isdisjoint([name.strip(" \t") for name in coding.lower().split(",")])


NO_CODINGS = frozenset(("", "identity", "none", "binary", "utf-8", "utf8", "8bit", "7bit", "aws-chunked"))
"""Values of Content-Encoding that name no coding: a charset, the encoding of mail, or the framing of an upload."""


def odd_codings(response: Response) -> str | None:
    """The remark on content codings that no registry knows, or None."""
    text = ",".join(response.all("content-encoding")).lower()
    odd = [name for part in text.split(",") if (name := part.strip(" \t")) not in CODINGS | NO_CODINGS]
    return f"the content coding {PeerText(odd[0])} is unknown: the content is as it was sent" if odd else None


ARCHIVES = frozenset((
    "gz", "tgz", "z", "bz2", "tbz", "xz", "txz", "zst", "lz", "lzma", "br", "zip", "7z", "rar", "jar", "deb", "rpm",
    "whl", "apk", "svgz",
))  # fmt: skip
"""Suffixes of compressed files: if a server names a content coding for them, it means the format of the file."""

_LONGEST = 1 + max(map(len, ARCHIVES))
"""Characters of the longest such suffix with its dot."""


def is_archive(path: str) -> bool:
    """Whether the octets are the file itself, even if the server names a coding (``Content-Encoding: x-gzip``)."""
    if "%" in path:
        path = percent_decode(path).decode("latin-1")
    dot = path.rfind(".")
    return dot >= 0 and len(path) - dot <= _LONGEST and path[dot + 1 :].lower() in ARCHIVES


_PACKED = frozenset(
    f"application/{name}" for kind in (
        "gzip", "tgz", "tar", "gtar", "compressed", "compressed-tar", "gunzip", "bzip2", "bzip", "xz", "lzma", "zip",
        "zstd", "7z-compressed", "rpm", "java-archive", "xz-compressed-tar", "bzip-compressed-tar",
    ) for name in (kind, f"x-{kind}")
) | {"application/vnd.debian.binary-package"}  # fmt: skip
"""Media types of compressed files and of tar, which is compressed by a coding where it is called so."""

_TAR = frozenset({"application/tar", "application/x-tar", "application/gtar", "application/x-gtar"})


def is_packed(path: str, response: Response) -> bool:
    """As `is_archive`, by the type and the name that the server gives the content as well."""
    if is_archive(path):
        return True
    if not response.may_be_coded:
        return False
    name = disposition_name(response.header("content-disposition"))
    if name is not None and is_archive(name):
        return True
    kind = media_type(response.header("content-type"))[0]
    # A request for x.tar wants the tar: there the coding is one (Apache's MultiViews send x.tar.gz for it).
    return kind in _PACKED and not (kind in _TAR and (name or path).lower().endswith(".tar"))


class ContentRange(Value):
    """A Content-Range field (RFC 9110 14.4).

    Attributes:
        first: The offset of the first octet of the part, or None for an unsatisfied range (``bytes */1000``).
        last: The offset of its last octet, or None.
        size: Octets of the whole document, or None if the server does not know (``*``).
    """

    first: int | None
    last: int | None
    size: int | None


_RANGE = r"(?i)[ \t]*(?:bytes(?::[ \t]*|=|[ \t]+))?(?:(\d{1,19})-(\d{1,19})|\*)/(?:(\d{1,19})|\*)[ \t]*\Z"
"""RFC 9110 14.4; also ``bytes=``, ``bytes:`` and no unit at all, which some servers write. A string: `re` caches it."""


def content_range(text: str | None) -> ContentRange | None:
    """The Content-Range in octets, or None if it is missing or not understood."""
    import re

    found = re.match(_RANGE, text, re.ASCII) if text is not None else None
    if found is None:
        return None
    size = None if found[3] is None else int(found[3])
    if found[1] is None:
        return ContentRange(None, None, size)
    first, last = int(found[1]), int(found[2])
    if size is not None and last == size:  # the octet after the last one, as some servers count
        last -= 1
    return None if last < first or (size is not None and last >= size) else ContentRange(first, last, size)


def shown_range(response: Response) -> PeerText | str:
    """The Content-Range as a message shows it."""
    text = response.header("content-range")
    return "no Content-Range" if text is None else sample(text.encode("utf-8", "surrogateescape"))


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 19 else None
