"""The objects that ``--json`` writes: one function for each kind, with exactly the keys of its table.

Rule: an unknown value is null; a password is ``***``; times are ISO 8601 in UTC; octets that are not UTF-8 are written
as the surrogates U+DC80 to U+DCFF.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anyurl.cli.terminal.console import MASK
from anyurl.errors import AnyURLError, Diagnostic, RefusedError, ReplyError, UnknownSchemeError, URLSyntaxError, escape

if TYPE_CHECKING:
    from anyurl.access import Resource
    from anyurl.dialogue import Entry
    from anyurl.url import URL

DIAGNOSTIC = ("code", "severity", "start", "end", "rule", "section", "message", "fix")
PARSE = (
    "text", "valid", "scheme", "user", "password", "host", "port", "explicit_port", "path", "query", "fragment",
    "parts", "diagnostics",
)  # fmt: skip
RESOURCE = ("url", "kind", "type", "size", "modified", "charset", "etag", "attributes", "history", "saved")
ENTRY = ("name", "url", "kind", "size", "modified", "title", "type", "score", "attributes", "origin", "grammar")
ERROR = ("error", "message", "url", "stage", "code", "fix")
_TORN = ("user", "path", "query", "fragment")
REGISTRATION = ("scheme", "status", "template", "reference", "updated")
SCHEME = ("scheme", "reference", "summary", "verbs", "port", "gateway", "program")
PLUGIN = ("plugin", "package", "version", "entry", "scheme")


def diagnostic_record(diagnostic: Diagnostic, secret: tuple[int, int] | None = None) -> dict[str, Any]:
    """One fault of a text.

    Args:
        secret: The span of a hidden password; fixes within it are omitted.
    """
    start, end = diagnostic.span
    fix = None if secret is not None and start < secret[1] and end > secret[0] else diagnostic.fix
    values = (
        diagnostic.code, diagnostic.severity, start, end, diagnostic.rule, diagnostic.section, diagnostic.message, fix,
    )  # fmt: skip
    return dict(zip(DIAGNOSTIC, values, strict=True))


def parse_record(
    text: str, url: URL | None, parts: Any, diagnostics: Sequence[Diagnostic], *, reveal: bool
) -> dict[str, Any]:
    """One parsed text; `url` is None if it is not a URL, and `parts` is None if they are invalid for its scheme."""
    from anyurl.cli.terminal import caret

    record: dict[str, Any] = dict.fromkeys(PARSE)
    record["text"] = text if reveal else caret.masked(text)
    record["valid"] = url is not None and not any(diagnostic.severity == "error" for diagnostic in diagnostics)
    secret = None if reveal else caret.secret_span(text)
    record["diagnostics"] = [diagnostic_record(diagnostic, secret) for diagnostic in diagnostics]
    if url is not None:
        for name in PARSE[2:-2]:
            record[name] = getattr(url, name)
        if url.password and not reveal:
            record["password"] = MASK
        record["parts"] = plain(parts)
        if url.password is None and not reveal:
            torn = caret.Torn(text, (record[name] for name in _TORN))
            record.update({name: torn.shown(record[name]) for name in (*_TORN, "parts")})
    return record


def resource_record(resource: Resource, saved: str | None, size: int | None = None) -> dict[str, Any]:
    """One resource.

    Args:
        saved: The file that it was saved to, or None.
        size: Octets received, for a resource that did not announce its size.
    """
    values = (
        resource.url.masked,
        resource.kind,
        resource.content_type,
        size if resource.size is None else resource.size,
        timestamp(resource.modified),
        resource.charset,
        resource.etag,
        plain(resource.attributes),
        plain(resource.history),
        saved,
    )
    return dict(zip(RESOURCE, values, strict=True))


def entry_record(entry: Entry) -> dict[str, Any]:
    """One entry of a listing, or one search result."""
    values = (
        entry.name,
        entry.url.masked if entry.url is not None else None,
        entry.kind,
        entry.size,
        timestamp(entry.modified),
        entry.title,
        entry.type,
        entry.score,
        plain(entry.attributes),
        entry.origin.as_dict(),
        None if entry.url is None else entry.url.grammar,
    )
    return dict(zip(ENTRY, values, strict=True))


def error_record(error: Exception, subject: str | None) -> dict[str, Any]:
    """One error.

    Its ``code`` is the server's number (550, 404) or the policy's reason (``port-service``), or null.

    Args:
        subject: The masked URL of the command, if the error itself has none.
    """
    from anyurl.cli.terminal import caret

    url: str | None = getattr(error, "url", None) or subject
    if isinstance(error, URLSyntaxError):
        url, error = error.text, URLSyntaxError(error.text, caret.judged(error))
    if url is not None:
        url = caret.masked_everywhere(caret.masked(url))
    code: int | str | None = None
    if isinstance(error, ReplyError):
        code = error.code or None
    elif isinstance(error, RefusedError):
        code = error.verdict.code
    message = (
        caret.masked_everywhere(escape(str(error))) if isinstance(error, AnyURLError) else "a fault of anyurl itself"
    )
    values = (type(error).__name__, message, url, getattr(error, "stage", None), code, _meant(error))
    return dict(zip(ERROR, values, strict=True))


def _meant(error: Exception) -> str | None:
    """The URL that was perhaps meant, if the scheme is missing or unknown, with its password masked; otherwise None."""
    from anyurl.cli.terminal import caret

    if isinstance(error, UnknownSchemeError):
        return None if error.fix is None else caret.masked(error.fix)
    if not isinstance(error, URLSyntaxError) or caret.secret_span(error.text) is not None:
        return None
    from anyurl.grammar import guess

    try:
        meant = guess(error.text)
    except URLSyntaxError:
        return None
    return caret.masked_everywhere(meant.url.masked)


def timestamp(seconds: float | None) -> str | None:
    """A time in ISO 8601 in UTC; None if it is unknown or out of range."""
    if seconds is None:
        return None
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (OverflowError, ValueError, OSError):  # a server may send any number
        return None


def plain(value: Any) -> Any:
    """A value as JSON types; passwords in URLs are masked, and other types become objects of their slots, or text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if hasattr(value, "as_dict"):
        return plain(value.as_dict())
    if hasattr(value, "masked"):
        return value.masked
    return _slots(value)


def _slots(value: Any) -> Any:
    names = [name for name in getattr(value, "__slots__", ()) if not name.startswith("_")]
    return {name: plain(getattr(value, name)) for name in names} if names else str(value)
