"""Media types by suffix, for resources whose server or file system names none.

The rule: a small table of ours, so that the answer is the same on every machine (Python's `mimetypes` reads the
system's files, and takes ten milliseconds to do so). No charset is guessed.
"""

from __future__ import annotations

TYPES: dict[str, str] = {
    "7z": "application/x-7z-compressed", "aac": "audio/aac", "atom": "application/atom+xml", "avif": "image/avif",
    "bmp": "image/bmp", "bz2": "application/x-bzip2", "c": "text/x-c", "cc": "text/x-c", "css": "text/css",
    "csv": "text/csv", "diff": "text/x-diff", "eml": "message/rfc822", "epub": "application/epub+zip",
    "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip", "h": "text/x-c", "htm": "text/html",
    "html": "text/html", "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jar": "application/java-archive",
    "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
    "jsonl": "application/jsonl", "log": "text/plain", "m4a": "audio/mp4", "mbox": "application/mbox",
    "md": "text/markdown", "mid": "audio/midi", "mjs": "text/javascript", "mov": "video/quicktime",
    "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpeg",
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
"""Suffixes in lower case; the types as IANA registers them, or as they are in common use (``x-``)."""

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


def suffix_of(type: str) -> str:
    """The suffix, with its dot, by which `guess_type` finds this type; ``""`` where there is no plain one.

    >>> suffix_of("image/png"), suffix_of("text/plain"), suffix_of("image/svg+xml"), suffix_of("x/y")
    ('.png', '.txt', '.svg', '')
    """
    subtype = type.partition("/")[2].partition("+")[0]
    return next((f".{suffix}" for suffix in (subtype, "txt") if TYPES.get(suffix) == type), "")
