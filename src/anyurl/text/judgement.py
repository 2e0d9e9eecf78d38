"""Classification of candidates: a URL in one or more readings, a template, or a defanged URL.

Rule: only URLs that the text really names are reported. A part to be filled in would change the URL, so a template is
not a URL; nor is one that its writer made unusable on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from anyurl.errors import URLSyntaxError
from anyurl.text.kinds import DEFANGED, MALFORMED, TEMPLATE, Kinds
from anyurl.text.scan import rows
from anyurl.url import URL
from anyurl.url.cut.numbers import MAX_LENGTH
from anyurl.url.host import parse_ipv4
from anyurl.url.suffixes import registered_domain

BROKEN_OUT = str.maketrans({"[": "%5B", "]": "%5D", "|": "%7C", "{": "%7B", "}": "%7D", "^": "%5E", "`": "%60"})
"""The encodings of characters that a URL must encode, but texts have unencoded."""
UNSAFE_OUT = BROKEN_OUT | str.maketrans({" ": "%20", "<": "%3C", ">": "%3E", '"': "%22"})
"""The same, with characters that only references of a format can have unencoded."""
_UNSAFE = re.compile("[" + re.escape("".join(map(chr, UNSAFE_OUT))) + r"\\]|#[^#]*+#")
_ODD_OCTET = re.compile("[\udc80-\udcff]")
"""An octet that is not UTF-8, as `surrogateescape` decodes it."""
_CODED = re.compile(r"\\u00([2-7][0-9A-Fa-f])")
"""A character of ASCII, as a string of JSON may write it."""
_LONE = re.compile(r"%(?![0-9A-Fa-f]{2})")
"""A percent sign without two digits."""
_HEAD = re.compile(r"(?:(?>[A-Za-z][A-Za-z0-9+.\-]*+:))?+(?://[^/?#]*+)?+")

_NAMED = (
    "all|apply|batch|compute|count|crossjoin|entity|expand|filter|format|index|it|levels|links|metadata|orderby|ref|root"
    "|schema|search|select|skip|skiptoken|top|value"  # OASIS OData 4.01 part 2
    "|defs"  # JSON Schema 2020-12, 8.2.4
    "|bindable|derived|effect|host|inspect|props|state"  # the runes of Svelte, which are names of its pages
)
"""Names with ``$`` that are literal in a path."""
_NO_SCHEME = re.compile(r"(?=[\x00-\x7f]*\Z)[A-Za-z0-9+.\-]*+(?:[/?#]|\Z)")
"""The beginning of a reference without a scheme."""

_VARIABLE = re.compile(
    r"(?<![A-Za-z0-9)])\$(?:[0-9](?![A-Za-z0-9])|[A-Z_][A-Z0-9_]*(?![A-Za-z0-9_])|[a-z][a-z0-9]*[A-Z_]\w*|\([^)]*\))"
    rf"|(?<=[/:])\$(?!(?:{_NAMED})\b)[a-z]{{2,}}[0-9]*(?![\w(=])"
    r"|(?<==)\$[A-Za-z]\w*+"
    r"|(?<![A-Za-z0-9])X{4,}(?![A-Za-z0-9])"
    r"|@(?:[A-Z][A-Z0-9_]+@|[a-z][a-z0-9_]+@(?![A-Za-z0-9]))"
)
"""A variable ($HOST, $relativePath, /$name, @VERSION@), or a placeholder of a number (XXXX); elsewhere in a path ``$``
is literal."""

_GAP = re.compile(
    r"\{\{?[ ]*(?:[^\W\d]|[$*+./?&#;])[\w .|:,/*+$?&#;\-]*\}|\{%[^%\n]+%\}"  # {id}, {+path} (RFC 6570), {% url %}
    r"|(?:<|&lt;)[^\W\d_][\w .:|\-]*(?:>|&gt;)"  # <id>, also as HTML and Markdown write it in a destination
)
"""A placeholder, in a text that is one destination."""

_OPENER = re.compile(r"\{(?:\{|%(?![0-9A-Fa-f]{2}))|<%|<\?(?:php|=)|[$#]\{")
"""The beginning of a placeholder: Django, Jinja, Hugo, Jekyll, ERB, PHP."""

_FORMAT = re.compile(
    r"%[A-Z_][A-Z0-9_]+%(?![0-9A-Fa-f]{2})"  # %HOST%, but not the %ZZ% of %75%ZZ%65
    r"|%(?:[0-9]\$|\([^)\s]*\))?[\-+]?(?:0[0-9])?(?:[siuxX]|[df](?![0-9A-Fa-f]))"  # %s, %1$s, %(id)s
)
"""The same in a text that is not a URL, in which a percent sign encodes nothing."""

_DEFANGED = re.compile(
    r"(?P<scheme>\A(?i:h(?:xx|tx|xt)p(?=s?[:\[])|fxp(?=s?[:\[])))|\[(?P<mark>://|[:/@])\]|[\[({](?:\.|(?i:dot))[\])}]"
)

_HALF_DOT = re.compile(r"\\\\?\.|\\\[\.\\\]|\[\.|\.\]")
"""Dots of a host that are written in a way that ends a URL: ``evil\\.com``, ``evil[.com``, ``evil.]com``."""

_DOT = rb"(?:\\\\?\.|\\\[\.\\\]|\[\.\]?|\.\]|[({]\.[)}]|\[(?i:dot)\]|\((?i:dot)\)|\{(?i:dot)\}|\.)"
_REST = re.compile(
    rb"(?=\\\\?\.|\\\[\.|\[\.|\.\])(?:"
    + _DOT
    + rb"[A-Za-z0-9_\-]+)+(?::[0-9]{1,5}(?![0-9]))?(?:[/?#][^\s<>\"'`\x80-\xff]*)?"
)
"""The continuation of a host after such a dot: the rest of the URL."""

_CARRIES_ON = re.compile(
    rb"\\\\?\.|\\\[\.|\.\]\w|[\[({<](?:\.|(?i:dot|at)\b|@)|[ \t]+(?:\.\w|[\[({](?:\.|(?i:dot|at)\b|@)|(?i:dot)[ \t]+\w)"
)
"""The same in ways that leave open where the host ends."""

_WIDE_DOT = re.compile("(?:\u3002|\uff0e|\uff61)[A-Za-z0-9]".encode())
"""A dot of East Asia (UTS 46) within a name; after a URL it ends a sentence."""

_PIECE = re.compile(rb"(?:\\\.|\.\]|\[\.|[\[({](?i:dot|\.|at|@)[\])}]|@)[ \t]*\Z")
"""Text before a name that belongs to it: ``user[at]``, ``evil.]``."""

DEFANGED_REACH = 1024
"""Most octets before or after a candidate that may belong to it."""

FILE_SUFFIXES = frozenset(
    ("cc", "md", "ml", "mm", "mov", "name", "pl", "pm", "ps", "py", "rs", "sc", "sh", "so", "st", "zip")
)
"""Top-level domains that are also file suffixes, or attributes in programs: two labels alone are not a domain."""

_LABELS = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9\-]{2,63}")

_GLUE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+")


def is_unusable(raw: str, kinds: Kinds, context: str) -> bool:
    """Whether a text has a placeholder (``$HOST``), or was made unusable (``hxxp://``)."""
    if _is_served(kinds, context):
        return False
    if ("$" in raw or "XXXX" in raw or raw.count("@") > 1) and _VARIABLE.search(raw) is not None:
        return True
    return raw[:4].lower() in ("hxxp", "fxp:", "fxps")


def is_template(raw: str, kinds: Kinds, context: str) -> bool:
    """Whether a destination has a part to fill in."""
    return _has_gap(raw) and not _is_served(kinds, context)


def _has_gap(raw: str) -> bool:
    return ("{" in raw or "<" in raw or "&lt;" in raw) and _GAP.search(raw) is not None


def is_cut_template(raw: str) -> bool:
    """Whether a reference has the beginning of a template without its end, which its quotation marks have cut off.

    One that begins with a brace is an expression of JSX: ``{require("./a.png").default}``.
    """
    return _OPENER.search(raw) is not None or raw.startswith(("[[", "{"))


def _is_served(kinds: Kinds, context: str) -> bool:
    """Whether names are literal, since a server sent them: ``$RECYCLE.BIN`` and ``{x}`` are valid names."""
    return kinds.served and context == "html-attribute"


def is_format(raw: str) -> bool:
    """Whether a text that is not a URL has such a part, also in the notations of programs."""
    return _has_gap(raw) or ("%" in raw and _FORMAT.search(raw) is not None)


def refanged(raw: str) -> str | None:
    """A defanged URL restored: ``hxxp``, ``[.]``, ``(dot)``, ``[:]//`` and the like; None if it is not defanged."""
    made = _DEFANGED.sub(_mended, raw)
    if made == raw:
        return None
    begin, mark, rest = made.partition("://")
    end = _end_of_authority(rest)
    return begin + mark + _HALF_DOT.sub(".", rest[:end]) + rest[end:]


def _end_of_authority(text: str) -> int:
    """The position of the path, the query or the fragment, or of the end."""
    return min((place for mark in "/?#" if (place := text.find(mark)) >= 0), default=len(text))


def _mended(match: re.Match[str]) -> str:
    if match["scheme"]:
        return "ftp" if match["scheme"][0] in "fF" else "http"
    return match["mark"] or "."


def carried_on(raw: str, kind: int, before: bytes, behind: bytes, is_last: bool) -> int:
    """The number of octets after a defanged URL that belong to it; -1 if the intended host is unclear.

    Attack on a bystander: a list of indicators with ``evil`` for ``hxxp://evil[.com/`` blocks and accuses another host.

    Args:
        before: The text directly before it, as far as it matters.
        behind: The text directly after it.
        is_last: Nothing follows that.
    """
    if kind & rows.DOMAIN and _PIECE.search(before) is not None:
        return -1
    made = refanged(raw)
    if made is None or _has_ended(made):
        return 0
    name = made.partition("://")[2] or made
    rest = _REST.match(behind)
    if rest is not None:
        more = rest[0].rstrip(b".,;:!?)]}")
        # Where more may come, the end of the host has to be there: a shorter path is of the same host.
        is_whole = is_last or rest.end() < len(behind) or re.search(rb"[/?#]", more) is not None
        return len(more) if is_whole and _CARRIES_ON.match(behind, len(more)) is None else -1
    goes_on = _CARRIES_ON.match(behind) is not None or _WIDE_DOT.match(behind) is not None
    return -1 if goes_on or not ("." in name or name.startswith("[") or "[:" in raw) else 0


def is_torn(raw: str, before: bytes, behind: bytes) -> bool:
    """Whether a URL is a piece of a defanged one: its host continues before or after it (see `carried_on`)."""
    if "://" not in raw and _PIECE.search(before) is not None and "@" not in raw:
        return True
    return not _has_ended(raw) and (_CARRIES_ON.match(behind) or _REST.match(behind)) is not None


def _has_ended(raw: str) -> bool:
    """Whether something follows the authority, so that the host is whole."""
    rest = raw.partition("://")[2] or raw
    return _end_of_authority(rest) < len(rest)


def read_gap(raw: str, kind: int, kinds: Kinds, read: Callable[[str], URL] | None) -> tuple[URL | None, str]:
    """Classify a candidate that is not a URL: its URL, if it was defanged, and its kind; "" if it is not to be
    reported."""
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
    raw: str, reference: str, base: URL | None, read: Callable[[str], URL] | None, kinds: Kinds, context: str,
    errors: str,
) -> tuple[URL | URLSyntaxError | None, str]:  # fmt: skip
    """Classify the destination of a link: a URL, the error of a malformed one, or None for a template; and its kind.

    The kind is "" if it is not to be reported.

    Args:
        raw: The destination as written.
        reference: The destination without the escapes of its format.
        errors: The error handler that decoded it.
    """
    if is_template(raw, kinds, context) or (is_cut_template(raw) and not _is_served(kinds, context)):
        return None, TEMPLATE
    if errors == "surrogateescape":
        reference = _encode_octets(reference)
    if base is None and read is None and len(reference) < MAX_LENGTH and _NO_SCHEME.match(reference) is not None:
        return None, TEMPLATE if is_format(raw) else ""  # it can't be resolved, as nearly all that are not URLs
    try:
        return (base.join(reference) if base is not None else (read or URL)(reference)), "url"
    except ValueError as error:
        if is_format(raw):
            return None, TEMPLATE
        if not (kinds.malformed and isinstance(error, URLSyntaxError)):
            return None, ""
        # without a base, a relative reference is not malformed: it can't be resolved
        is_wrong = base is not None or error.diagnostics[0].code not in ("no-scheme", "empty")
        return (error, MALFORMED) if is_wrong else (None, "")


def is_domain(url: URL, raw: str) -> bool:
    """Whether a name without a scheme is a registered domain, and not the name of a file or an attribute.

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
    """The number of letters and digits directly before a name, which begins with a letter (RFC 3986 3.1)."""
    first = start
    while first > 0 and start - first < rows.MAX_NAME and data[first - 1] in _GLUE:
        first -= 1
    while first < start and not data[first : first + 1].isalpha():
        first += 1
    return start - first


def read_each(readings: list[str], kind: int, read: Callable[[str], URL] | None) -> list[URL]:
    """The readings that are URLs; none if the first is not."""
    urls: list[URL] = []
    for text in readings:
        if kind & rows.EMAIL:
            text = f"mailto:{text.replace('#', '%23')}"  # RFC 6068 2
        elif kind & (rows.WWW | rows.DOMAIN):
            text = f"http://{text}"
        if kind & rows.SLASHED:
            text = _CODED.sub(lambda match: chr(int(match[1], 16)), text.replace("\\/", "/").replace("\\:", ":", 1))
        if not kind & rows.EMAIL:
            text = _encode_octets(text)
        if kind & rows.SPACED:
            text = text.replace(" ", "%20").replace("\t", "%09")
        if kind & (rows.UNSAFE | rows.BROKEN) and "%" in text and is_format(text):
            break
        if kind & rows.UNSAFE:
            head = _HEAD.match(text)
            at = head.end() if head else 0
            text = text[:at] + _encoded(text[at:], BROKEN_OUT)
        try:
            urls.append(URL(text) if read is None else read(text))
        except ValueError:
            if not urls:
                break
    return urls


def _encode_octets(reference: str) -> str:
    """Encode the octets that are not UTF-8, of a page without an encoding: the server gets them as written."""
    if _ODD_OCTET.search(reference) is None:
        return reference
    return _ODD_OCTET.sub(lambda match: f"%{ord(match[0]) - 0xDC00:02X}", reference)


def encode_unsafe(reference: str, how: dict[int, str] = UNSAFE_OUT) -> str:
    """Encode the unsafe characters after the host of a reference (RFC 1738 2.2)."""
    if _UNSAFE.search(reference) is None:
        return reference
    head = _HEAD.match(reference)
    end = head.end() if head else 0
    return reference[:end] + _encoded(reference[end:], how)


def _encoded(text: str, how: dict[int, str]) -> str:
    """Encode the unsafe characters after a host; in a fragment also a second ``#``, and a ``%`` without digits.

    A browser looks up the fragment both as written and decoded (HTML 7.4.6.4), so it finds the same place.
    """
    before, mark, fragment = text.partition("#")
    fragment = _LONE.sub("%25", fragment).replace("#", "%23")
    return (before + mark + fragment).translate(how)
