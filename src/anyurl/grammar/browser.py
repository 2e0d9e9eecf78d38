"""The grammar ``browser``: the WHATWG URL standard, by ada-url.

Rule: ada-url determines the reading of a browser; this file makes a `anyurl.URL` of its result, and reports where it
differs from the text. Browsers repair: they strip, encode, read a backslash as a slash, map hosts. Other grammars do
none of that.
"""

from __future__ import annotations

import re
from typing import Any

from anyurl.errors import Diagnostic, MissingExtraError, Severity, URLSyntaxError, sample
from anyurl.grammar.diagnosis import in_order, without_remedies
from anyurl.grammar.prefixes import find_prefix
from anyurl.url import URL
from anyurl.url.to_ascii import check_text
from anyurl.url.url import placed

STANDARD = "URL Standard"
"""The citation of the WHATWG's document; since its clauses have no numbers, their names follow."""

MAX_LENGTH = 65_536
"""Octets of one URL, as in every grammar of anyurl."""

ATTRIBUTES = (
    "href", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash",
)  # fmt: skip
"""The attributes of a browser's ``URL`` that `replace` can set."""

SPECIAL = frozenset({"ftp", "file", "http", "https", "ws", "wss"})
"""Schemes in which a backslash is a slash, and the host is a domain."""

_STRIPPED = "".join(map(chr, range(0x21)))
_LOOSE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):([/\\]*)([^/\\?#]*)")

_PORT = re.compile(r":[0-9]*$")


def _ada() -> Any:
    try:
        import ada_url
    except ImportError:
        raise MissingExtraError(
            "The grammar browser needs ada-url: in a clone of anyurl, pip install '.[browser]'.",
            extra="browser",
        ) from None
    return ada_url


def parse(text: str | bytes, base: URL | str | None = None) -> URL:
    """Parse a text as a browser does.

    Args:
        base: The base of relative references.

    Raises:
        URLSyntaxError: A browser rejects the text, or it is longer than `MAX_LENGTH`.
    """
    entered = _scalar_values(text)
    record = _record(entered, base)
    if record is None:
        raise _refused(entered)
    return _placed(record)


def replace(url: URL, **changes: str) -> URL:
    """Set attributes of a URL in sequence, as a script in a browser does.

    As there, an invalid value leaves the attribute unchanged.

    Args:
        changes: Values by the names of `ATTRIBUTES`.

    Raises:
        URLSyntaxError: ``href`` is set to an invalid URL.
        TypeError: The attribute is unknown.
    """
    record = _record(str(url), None)
    if record is None:
        raise _refused(str(url))
    for name, value in changes.items():
        if name not in ATTRIBUTES:
            raise TypeError(f"{name!r} is not an attribute of a browser's URL; there are {', '.join(ATTRIBUTES)}")
        entered = _scalar_values(value)
        try:
            setattr(record, name, entered)
        except ValueError:
            if name == "href":
                raise _refused(entered) from None
    return _placed(record)


def _scalar_values(text: str | bytes) -> str:
    """The text as a browser's interface converts it: lone surrogates and invalid octets become U+FFFD."""
    check_text(text)
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _record(text: str, base: URL | str | None) -> Any:
    """The result of ada-url, or None if it rejects the text."""
    if len(text) > MAX_LENGTH:
        return None
    try:
        return _ada().URL(text) if base is None else _ada().URL(text, _scalar_values(str(base)))
    except ValueError:
        return None


def _placed(record: Any) -> URL:
    """The result as a URL, with the offsets of its components."""
    text: str = record.href
    scheme_end = len(record.protocol) - 1
    user_end = host_start = host_end = path_start = scheme_end + 1
    port = -1
    if text.startswith("//", scheme_end + 1):
        user_end = host_start = scheme_end + 3
        if record.username or record.password:
            user_end += len(record.username)
            host_start = user_end + (1 + len(record.password) if record.password else 0) + 1
        host_end = path_start = host_start + len(record.hostname)
        if record.port:
            port = int(record.port)
            path_start += 1 + len(record.port)
    query_start = path_start + len(record.pathname)
    if path_start == scheme_end + 1 and text.startswith("/.//", path_start) and record.pathname.startswith("//"):
        query_start += 2  # "/." precedes a path that begins with two slashes, which would otherwise be an authority
    fragment_start = text.find("#", query_start)
    fragment_start = len(text) if fragment_start < 0 else fragment_start
    at = (scheme_end, user_end, host_start, host_end, port, path_start, query_start, fragment_start)
    return placed(text, at, "browser")


def diagnose_browser(text: str) -> tuple[Diagnostic, ...]:
    """Why a browser rejects a text, or where the URL that it reads differs from the text."""
    text = _scalar_values(text)
    record = _record(text, None)
    return tuple(in_order(_differences(text, record))) if record is not None else (_refusal(text),)


def _refused(text: str) -> URLSyntaxError:
    return URLSyntaxError(text, without_remedies([_refusal(text)]))


def _fault(code: str, span: tuple[int, int], clause: str, message: str, fix: str | None = None) -> Diagnostic:
    return Diagnostic(code, "error", span, clause, f"{STANDARD} {clause}", message, fix)


def _refusal(text: str) -> Diagnostic:
    """The fault for which a browser rejects a text, found by trying the text with pieces removed."""
    if len(text) > MAX_LENGTH:
        message = f"a URL has at most {MAX_LENGTH:,} characters"
        return _fault("too-long", (MAX_LENGTH, len(text)), "URL parsing", message)
    cut = _LOOSE.match(text.lstrip(_STRIPPED))
    if cut is None:
        message = "a browser needs a scheme, or a base to resolve a relative reference against"
        prefix = find_prefix(text)
        return _fault("scheme-missing", (0, 0), "URL parsing", message, None if prefix is None else prefix.text)
    shift = len(text) - len(text.lstrip(_STRIPPED))
    start, end = cut.start(3) + shift, cut.end(3) + shift
    host_start = text.rfind("@", start, end) + 1 or start
    bracket = text.rfind("]", host_start, end)
    colon = text.rfind(":", max(host_start, bracket), end)
    host_end = end if colon < 0 else colon
    if host_start == host_end:
        return _fault("host-empty", (host_start, host_start), "host parsing", "the host may not be empty")
    if colon >= 0 and _record(text[:colon] + text[end:], None) is not None:
        message = "a port is a decimal number of at most 65535"
        return _fault("port", (colon + 1, end), "port state", message)
    message = "a browser finds no valid host here"
    if text[host_start] == "[":
        message = "this is not an IPv6 address"
    elif text[host_start:host_end].rstrip(".").rpartition(".")[2][:1].isdigit():
        message = "this ends in a number but is not an IPv4 address"
    return _fault("host", (host_start, host_end), "host parsing", message)


def _differences(text: str, record: Any) -> list[Diagnostic]:
    """The changes that a browser makes to the text."""
    found: list[Diagnostic] = []

    def warn(code: str, span: tuple[int, int], clause: str, message: str, fix: str | None = None) -> None:
        severity: Severity = "remark" if code == "host-ascii" else "warning"
        found.append(Diagnostic(code, severity, span, clause, f"{STANDARD} {clause}", message, fix))

    start, end = len(text) - len(text.lstrip(_STRIPPED)), len(text.rstrip(_STRIPPED))
    for span in ((0, start), (end, len(text))):
        if span[0] < span[1]:
            warn("stripped", span, "URL parsing", "a browser strips spaces and control characters around a URL", "")
    for run in re.finditer(r"[\t\n\r]+", text[start:end]):
        span = (start + run.start(), start + run.end())
        warn("removed", span, "URL parsing", "a browser removes tabs and line ends from a URL", "")
    cut = _LOOSE.match(text, start)
    if cut is None:
        return found
    special = cut[1].lower() in SPECIAL
    path_end = min(place for place in (text.find("?", start), text.find("#", start), end) if place >= 0)
    if special:
        for run in re.finditer(r"\\+", text[start:path_end]):
            span = (start + run.start(), start + run.end())
            warn("backslash", span, "path state", 'a browser reads a backslash as "/"', "/" * (span[1] - span[0]))
        if cut[1].lower() != "file" and len(cut[2]) != 2:
            message = f'a browser reads this as "//" with the host {sample(record.hostname.encode())}'
            warn("slashes", (cut.end(1) + 1, cut.end(2)), "special authority slashes state", message, "//")
    if text.startswith("//", cut.end(1) + 1) or special:
        host_start = cut.start(3) + cut[3].rfind("@") + 1
        host = _PORT.sub("", text[host_start : cut.end(3)]).lower()
        if record.hostname and host != record.hostname:
            span = (host_start, host_start + len(host))
            message = f"a browser reads the host {sample(record.hostname.encode())} here"
            warn("host-read" if host.isascii() else "host-ascii", span, "host parsing", message, record.hostname)
    return found


def read_host(text: str) -> str | None:
    """The host that a browser reads in a text, without brackets; None if it rejects the text."""
    record = _record(_scalar_values(text), None)
    if record is None:
        return None
    host: str = record.hostname
    return host[1:-1] if host.startswith("[") else host
