"""Media types: their parameters, as servers write them, and guesses by suffix if the server names no type.

Rule: the table is part of anyurl, so that the result is the same on every machine (Python's `mimetypes` reads the
system's files, which takes ten milliseconds). No charset is guessed.
"""

from __future__ import annotations

MAX_PARAMETERS = 32
"""Parameters of one field: real fields have two or three, and reading each one copies the rest of the field."""

PAGES = {"text/html": "html", "application/xhtml+xml": "html", "text/gemini": "gemtext"}
"""The media types of pages, and their formats (`anyurl.text.formats`)."""

TYPES: dict[str, str] = {
    "7z": "application/x-7z-compressed", "aac": "audio/aac", "atom": "application/atom+xml", "avif": "image/avif",
    "bmp": "image/bmp", "bz2": "application/x-bzip2", "c": "text/x-c", "cc": "text/x-c", "css": "text/css",
    "csv": "text/csv", "diff": "text/x-diff", "eml": "message/rfc822", "epub": "application/epub+zip",
    "flac": "audio/flac", "gif": "image/gif", "gmi": "text/gemini", "gz": "application/gzip", "h": "text/x-c",
    "htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon", "ics": "text/calendar",
    "jar": "application/java-archive", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
    "json": "application/json", "jsonl": "application/jsonl", "log": "text/plain", "m4a": "audio/mp4",
    "mbox": "application/mbox", "md": "text/markdown", "mid": "audio/midi",
    "mjs": "text/javascript", "mov": "video/quicktime", "mp3": "audio/mpeg",
    "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpeg",
    "odt": "application/vnd.oasis.opendocument.text", "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg",
    "otf": "font/otf", "parquet": "application/vnd.apache.parquet", "patch": "text/x-diff", "pdf": "application/pdf",
    "png": "image/png", "ps": "application/postscript", "py": "text/x-python", "rfc": "text/plain",
    "rss": "application/rss+xml", "rst": "text/x-rst", "rtf": "application/rtf", "sgml": "text/sgml",
    "sh": "application/x-sh", "svg": "image/svg+xml", "tar": "application/x-tar", "tex": "text/x-tex",
    "text": "text/plain", "tif": "image/tiff", "tiff": "image/tiff", "toml": "application/toml",
    "tsv": "text/tab-separated-values", "ttf": "font/ttf", "txt": "text/plain", "uri": "text/uri-list",
    "warc": "application/warc", "wav": "audio/x-wav", "webm": "video/webm", "webp": "image/webp",
    "woff": "font/woff", "woff2": "font/woff2", "xhtml": "application/xhtml+xml", "xml": "application/xml",
    "xz": "application/x-xz", "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip",
    "zst": "application/zstd",
}  # fmt: skip
"""Media types by suffix in lower case: as registered by IANA, or as commonly used (``x-``)."""

_PLAIN = frozenset({"changelog", "copying", "install", "license", "makefile", "motd", "news", "readme", "todo"})


def guess_type(name: str) -> str | None:
    """The media type that a name suggests, or None.

    >>> guess_type("paper.PDF"), guess_type("README"), guess_type("core")
    ('application/pdf', 'text/plain', None)
    """
    stem, dot, suffix = name.lower().rpartition(".")
    if not dot or not stem:  # ".profile" has no suffix
        return "text/plain" if name.lower() in _PLAIN else None
    return TYPES.get(suffix)


_BINARY = (
    b"\x1f\x8b", b"\x1f\x9d", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf", b"PK\x03\x04", b"Rar!\x1a",
    b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"%PDF-", b"OggS", b"fLaC", b"ID3", b"RIFF", b"II*\0", b"MM\0*", b"\x7fELF",
)  # fmt: skip
"""The first octets of compressed files, pictures, sounds and programs."""


def is_binary(head: bytes) -> bool:
    """Whether octets that begin so are binary: they hold NUL, or begin like a well-known binary format.

    >>> is_binary(b"Hello"), is_binary(b"a\\0"), is_binary(b"\\x89PNG\\r")
    (False, True, True)
    """
    return b"\0" in head or head.startswith(_BINARY)


def suffix_of(type: str) -> str:
    """The suffix, with its dot, for which `guess_type` returns this type; ``""`` if there is no obvious one.

    >>> suffix_of("image/png"), suffix_of("text/plain"), suffix_of("image/svg+xml"), suffix_of("x/y")
    ('.png', '.txt', '.svg', '')
    """
    subtype = type.partition("/")[2].partition("+")[0]
    return next((f".{suffix}" for suffix in (subtype, "txt") if TYPES.get(suffix) == type), "")


def parameters(text: str) -> tuple[str, dict[str, str]]:
    """The value and the parameters, by lower case name, of a field such as ``value; name=token; name="quoted"``.

    Of parameters with the same name the first one counts (RFC 6266 4.3 leaves it open; a filter on the way has most
    likely checked the first).
    """
    value, _, rest = text.partition(";")
    found: dict[str, str] = {}
    for _ in range(MAX_PARAMETERS):
        name, equals, rest = rest.partition("=")
        if not equals:
            break
        # Skip parameters without a value: they end with a ';' before this '='.
        name = name.rpartition(";")[2].strip().lower()
        rest = rest.lstrip(" \t")
        if rest.startswith('"'):
            written, rest = _quoted(rest)
            rest = rest.partition(";")[2]
        else:
            written, _, rest = rest.partition(";")
            written = written.strip(" \t")
        if name:
            found.setdefault(name, written)
    return value.strip(" \t"), found


def _quoted(text: str) -> tuple[str, str]:
    """The content of the quoted-string at the start of the text, and the rest of the text (RFC 9110 5.6.4)."""
    out: list[str] = []
    at = 1
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
        out.append(text[at])
        at += 1
    return "".join(out), text[at + 1 :]
