"""What a candidate is: a URL in one or more readings, a template, or a URL that was made unusable.

Rule: what is reported is what the text names. A part that is to be filled in makes another URL of what stands around
it, so such a candidate is no URL; nor is one whose writer took care that nobody follows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from anyurl.errors import URLSyntaxError
from anyurl.kernel import rows
from anyurl.text.kinds import DEFANGED, MALFORMED, TEMPLATE, Kinds
from anyurl.url import URL
from anyurl.url.host import parse_ipv4
from anyurl.url.suffixes import registered_domain

BROKEN_OUT = str.maketrans({"[": "%5B", "]": "%5D", "|": "%7C", "{": "%7B", "}": "%7D", "^": "%5E", "`": "%60"})
"""How octets that a URL must encode are encoded where a text has them plain."""
UNSAFE_OUT = BROKEN_OUT | str.maketrans({" ": "%20", "<": "%3C", ">": "%3E", '"': "%22"})
"""The same for what no text can have plain but a reference of a format of its own."""
_UNSAFE = re.compile("[" + re.escape("".join(map(chr, UNSAFE_OUT))) + r"\\]|#[^#]*+#")
_LONE = re.compile(r"%(?![0-9A-Fa-f]{2})")
"""A percent sign that encodes nothing."""
_HEAD = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*+:)?+(?://[^/?#]*+)?+")

_NAMED = (
    "all|apply|batch|compute|count|crossjoin|entity|expand|filter|format|index|it|levels|links|metadata|orderby|ref|root"
    "|schema|search|select|skip|skiptoken|top|value"  # OASIS OData 4.01 part 2
    "|bindable|derived|effect|host|inspect|props|state"  # the runes of Svelte, whose pages are called so
)
"""Names with ``$`` that stand for themselves in a path."""
_VARIABLE = re.compile(
    r"(?<![A-Za-z0-9)])\$(?:[0-9](?![A-Za-z0-9])|[A-Z_][A-Z0-9_]*(?![A-Za-z0-9_])|[a-z][a-z0-9]*[A-Z_]\w*|\([^)]*\))"
    rf"|(?<=/)\$(?!(?:{_NAMED})\b)[a-z]{{2,}}[0-9]*(?![\w(=])"
    r"|(?<==)\$[A-Za-z]\w*+"
    r"|(?<![A-Za-z0-9])X{4,}(?![A-Za-z0-9])"
    r"|@(?:[A-Z][A-Z0-9_]+@|[a-z][a-z0-9_]+@(?![A-Za-z0-9]))"
)
"""A variable ($HOST, $relativePath, /$name, @VERSION@), and what stands for a number (XXXX); elsewhere in a path ``$``
stands for itself."""

_GAP = re.compile(
    r"\{\{?[ ]*[A-Za-z_$*+./?&#;][\w .|:,/*+$?&#;\-]*\}|\{%[^%\n]+%\}"  # {id}, {+path} (RFC 6570), {{ id }}, {% url %}
    r"|<[A-Za-z][\w .:|\-]*>"  # <id>
)
"""What is to be filled in, in a text that is one destination."""

_FORMAT = re.compile(
    r"%[A-Z_][A-Z0-9_]+%"  # %HOST%
    r"|%(?:[0-9]\$|\([^)\s]*\))?[\-+]?(?:0[0-9])?(?:[siuxX]|[df](?![0-9A-Fa-f]))"  # %s, %1$s, %(id)s
)
"""The same in a text that is no URL as it stands, where a percent sign encodes nothing."""

_DEFANGED = re.compile(
    r"(?P<scheme>\A(?i:h(?:xx|tx|xt)p(?=s?[:\[])|fxp(?=s?[:\[])))|\[(?P<mark>://|[:/@])\]|[\[({](?:\.|(?i:dot))[\])}]"
)

FILE_SUFFIXES = frozenset(
    ("cc", "md", "ml", "mm", "mov", "name", "pl", "pm", "ps", "py", "rs", "sc", "sh", "so", "st", "zip")
)
"""Top-level domains that are ends of file names, too, or attributes in programs: two labels alone are no domain."""

_LABELS = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9\-]{2,63}")

_GLUE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+")


def is_unusable(raw: str, kinds: Kinds, context: str) -> bool:
    """Whether what stands in a text is to be filled in (``$HOST``), or was made unusable (``hxxp://``)."""
    if _is_served(kinds, context):
        return False
    if ("$" in raw or "XXXX" in raw or raw.count("@") > 1) and _VARIABLE.search(raw) is not None:
        return True
    return raw[1:3] in ("xx", "XX") and raw[:1] in ("h", "H") and raw[3:4] in ("p", "P")


def is_template(raw: str, kinds: Kinds, context: str) -> bool:
    """Whether a destination has a part that is to be filled in."""
    return _has_gap(raw) and not _is_served(kinds, context)


def _has_gap(raw: str) -> bool:
    return ("{" in raw or "<" in raw) and _GAP.search(raw) is not None


def _is_served(kinds: Kinds, context: str) -> bool:
    """Whether a name is the server's, as it is: ``$RECYCLE.BIN`` and ``{x}`` are some."""
    return kinds.served and context == "html-attribute"


def is_format(raw: str) -> bool:
    """Whether what is no URL as it stands has such a part, in one of the ways of programs, too."""
    return _has_gap(raw) or ("%" in raw and _FORMAT.search(raw) is not None)


def refanged(raw: str) -> str | None:
    """What was made unusable, usable: ``hxxp``, ``[.]``, ``(dot)``, ``[:]//`` and their like; None for all else."""
    made = _DEFANGED.sub(_mended, raw)
    return None if made == raw else made


def _mended(match: re.Match[str]) -> str:
    if match["scheme"]:
        return "ftp" if match["scheme"][0] in "fF" else "http"
    return match["mark"] or "."


def read_gap(raw: str, kind: int, kinds: Kinds, read: Callable[[str], URL] | None) -> tuple[URL | None, str]:
    """What a candidate is that is no URL as it stands: its URL, if it was made unusable, and its kind; "" for nothing
    that was asked for."""
    made = refanged(raw)
    if made is None:
        return None, TEMPLATE if kinds.templates and not kind & rows.DOMAIN else ""
    urls = read_each([made], kind, read) if kinds.defanged else []
    if not urls or (
        kind & rows.DOMAIN and not (is_domain(urls[0], made) or parse_ipv4(urls[0].host or "") is not None)
    ):
        return None, ""
    return urls[0], DEFANGED


def read_link(
    raw: str, reference: str, base: URL | None, read: Callable[[str], URL] | None, kinds: Kinds, context: str
) -> tuple[URL | URLSyntaxError | None, str]:
    """What the destination of a link is, and its kind: a URL, the error of a malformed one, or a template (None).

    The kind is "" where nothing is to be reported.

    Args:
        raw: The destination as it is written.
        reference: What it means, with the escapes of its format undone.
    """
    if is_template(raw, kinds, context):
        return None, TEMPLATE
    try:
        return (base.join(reference) if base is not None else (read or URL)(reference)), "url"
    except ValueError as error:
        if is_format(raw):
            return None, TEMPLATE
        if not (kinds.malformed and isinstance(error, URLSyntaxError)):
            return None, ""
        # without a base a relative reference is not wrong: it can't be resolved
        is_wrong = base is not None or error.diagnostics[0].code not in ("no-scheme", "empty")
        return (error, MALFORMED) if is_wrong else (None, "")


def is_domain(url: URL, raw: str) -> bool:
    """Whether a name without a scheme is a domain that somebody has registered, and neither a file nor an attribute.

    Raises:
        MissingExtraError: publicsuffixlist is not installed.
    """
    host = url.host or ""
    name, _, last = host.rpartition(".")
    written = raw[: len(host)].rpartition(".")
    # "the end.The next": a sentence
    if _LABELS.fullmatch(host) is None or (written[2].istitle() and not written[0].istitle()):
        return False
    if "." not in name and last in FILE_SUFFIXES and raw[len(host) :][:1] not in ("/", "?", ":"):
        return False
    return registered_domain(host, extra="domains", what="Bare domains", listed=True) is not None


def glued_before(data: bytes, start: int) -> int:
    """Letters and digits directly before a name; the first of a name is a letter (RFC 3986 3.1)."""
    first = start
    while first > 0 and start - first < rows.MAX_NAME and data[first - 1] in _GLUE:
        first -= 1
    while first < start and not data[first : first + 1].isalpha():
        first += 1
    return start - first


def _query(text: str) -> int:
    """Where query or fragment begin, or the end."""
    return min((place for mark in "?#" if (place := text.find(mark)) >= 0), default=len(text))


def read_each(readings: list[str], kind: int, read: Callable[[str], URL] | None) -> list[URL]:
    """The readings that are URLs; none if the first is not."""
    urls: list[URL] = []
    for text in readings:
        if kind & rows.EMAIL:
            text = f"mailto:{text}"
        elif kind & (rows.WWW | rows.DOMAIN):
            text = f"http://{text}"
        if kind & rows.SLASHED:
            text = text.replace("\\/", "/")
        if kind & rows.SPACED:
            text = text.replace(" ", "%20").replace("\t", "%09")
        if kind & (rows.UNSAFE | rows.BROKEN) and "%" in text and is_format(text):
            return urls
        if kind & rows.UNSAFE:
            at = _query(text)
            text = text[:at] + _encoded(text[at:], BROKEN_OUT)
        try:
            urls.append(URL(text) if read is None else read(text))
        except ValueError:
            if not urls:
                return urls
    return urls


def encode_unsafe(reference: str, how: dict[int, str] = UNSAFE_OUT) -> str:
    """A reference as a URL must write it: what is unsafe behind its host is encoded (RFC 1738 2.2)."""
    if _UNSAFE.search(reference) is None:
        return reference
    head = _HEAD.match(reference)
    end = head.end() if head else 0
    return reference[:end] + _encoded(reference[end:], how)


def _encoded(text: str, how: dict[int, str]) -> str:
    """What stands behind a host, with what is unsafe encoded: in a fragment a second ``#``, and a lone ``%``, too.

    A browser looks for the fragment both as it stands and decoded (HTML 7.4.6.4), so it finds the same place.
    """
    before, mark, fragment = text.partition("#")
    fragment = _LONE.sub("%25", fragment).replace("#", "%23")
    return (before + mark + fragment).translate(how)
