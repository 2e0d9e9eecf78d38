"""Text that people copy or type around a URL: quotation marks, list marks, the markup of links, wide characters.

Rule: only text that names nothing is removed. The caller decides whether the rest is a URL.
"""

from __future__ import annotations

import re

from anyurl.grammar.prefixes import is_known
from anyurl.url.cut.addresses import parse_ipv6

_INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
BLANKS = f" \t\r\n\v\f\u00a0\u3000{_INVISIBLE}"
"""White space, and invisible characters."""
ENDS = ".,;:!?…、。，；！？"
"""Punctuation after a URL."""

_PAIRS = {
    '"': '"', "'": "'", "`": "`", "<": ">", "(": ")", "[": "]", "{": "}", "“": "”", "„": "“", "‚": "‘", "‘": "’",
    "«": "»", "‹": "›", "「": "」", "『": "』", "《": "》", "【": "】", "（": "）",
}  # fmt: skip
_CLOSERS = {close: start for start, close in _PAIRS.items()}
_WRITTEN_OUT = (("&lt;", "&gt;"), ("&quot;", "&quot;"), ("&#39;", "&#39;"))
"""Pairs of marks, as HTML encodes them."""

_QUOTED = re.compile(r"(?:> ?)+(?=\S)")
_LISTED = re.compile(r"(?:[-*•–—→#|;]|//|[0-9]{1,2}[.)]|[a-z]\)|\[[0-9]{1,3}\]:?)[ \t]+(?=\S)")
_FOLLOWED = re.compile(rf"[{BLANKS}]+[^\w\s\x00-\x7f]+$")
"""An arrow or a picture after a blank."""
LABEL = re.compile(
    r"(?:[^\x00-\x7f]+|(?P<name>[A-Za-z_][\w-]*)[ \t]*[=:][ \t]*[\"']?)(?=(?:https?|ftps?|gopher|gemini|mailto):\S)",
    re.I,
)
"""A label directly before a URL: a picture, ``网址：``, ``BASE_URL=``, ``Website:``."""
_FOLD = re.compile(r"[ \t]*[\r\n][ \t\r\n]*")

_WIDE = re.compile(r"[^/?#]*[：／．]|[Ａ-Ｚａ-ｚ]+[:：]")
_WIDE_NUMBER = re.compile(r"(?:[A-Za-zＡ-Ｚａ-ｚ]+[:：][/／]*)?[^/／:：?#]*[０-９]")
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}

_LINKS = (
    re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?[^)]*\)"),  # Markdown, anywhere
    re.compile(
        r"<[A-Za-z][^<>]*?\s(?:href|src|action|cite|data)\s*=\s*(?:\"([^\"<>\s]+)\"|'([^'<>\s]+)')[^<>]*>", re.I
    ),
    re.compile(r"\A(?:href|src|action|cite|data)\s*=\s*(?:\"([^\"<>\s]+)\"|'([^'<>\s]+)')\Z", re.I),
    re.compile(r"\A\[\[([^\[\]\s]+)\](?:\[[^\[\]]*\])?\]\Z"),  # Org mode
    re.compile(r"\A\[([A-Za-z][A-Za-z0-9+.-]*://[^\s\[\]|]+)[\s|][^\[\]]*\]\Z"),  # wikis
    re.compile(r"\A`[^`<>]*<([^`<>\s]+)>`_{1,2}\Z"),  # reStructuredText
    re.compile(r"\A\\(?:url|href)\{([^{}\s]+)\}(?:\{[^{}]*\})?\Z"),  # LaTeX
    re.compile(r"\Aurl\((?:\"([^\"()\s]+)\"|'([^'()\s]+)'|([^\"'()\s]+))\);?\Z", re.IGNORECASE),  # CSS
)
"""The markup of links, in which only the group of the destination matches."""


def destination(text: str) -> str | None:
    """The destination of the link whose markup a text contains; None if it contains no link, or several."""
    inner = text.strip(BLANKS)
    for pattern in _LINKS:
        found: set[str] = {next(filter(None, match.groups())) for match in pattern.finditer(inner)}
        if len(found) == 1:
            return found.pop().replace("&amp;", "&")
        if found:
            return None
    return None


def narrowed(text: str) -> str:
    """The text with wide characters narrowed, if the delimiters of a scheme or a host are wide.

    A host with wide digits is kept, since programs differ in whether it is an address.
    """
    return text.translate(_NARROW) if _WIDE.match(text) and not _WIDE_NUMBER.match(text) else text


def has_tail(text: str) -> bool:
    """Whether it ends with a non-ASCII character that is not part of a URL: punctuation, a bracket, invisible space."""
    return text[-1:] > "\x7f" and (text[-1] in ENDS or text[-1] in BLANKS or text[-1] in _CLOSERS)


def peeled(text: str) -> tuple[str, bool]:
    """The text without copied surroundings, and whether there were any."""
    before = None
    inner = text
    while inner != before:
        before = inner
        inner = inner.strip(BLANKS)
        for marks in (_QUOTED, _LISTED):
            found = marks.match(inner)
            inner = inner[found.end() :] if found else inner
        label = LABEL.match(inner)
        if label and not is_known((label["name"] or "").lower()):  # view-source:https://host is itself a URL
            inner = inner[label.end() :]
        inner = _FOLLOWED.sub("", inner)
        for start, close in _WRITTEN_OUT:
            if inner.startswith(start) and inner.endswith(close):
                inner = inner[len(start) : -len(close)]
        if len(inner) > 1 and _PAIRS.get(inner[0]) == inner[-1] and not _is_literal(inner):
            # In angle brackets a URL may be broken over lines (RFC 1738 appendix)
            inner = _FOLD.sub("", inner[1:-1]) if inner[0] == "<" else inner[1:-1]
        while inner and (inner[-1] in ENDS or _is_lone(inner)):
            inner = inner[:-1]
        if inner and inner[0] in _PAIRS and _PAIRS[inner[0]] not in inner[1:]:
            inner = inner[1:]
    return inner, inner != text


def _is_lone(text: str) -> bool:
    """Whether it ends with an unmatched bracket or quotation mark."""
    start = _CLOSERS.get(text[-1])
    if start is None:
        return False
    return text.count(start) < text.count(text[-1]) if start != text[-1] else text.count(start) % 2 == 1


def _is_literal(text: str) -> bool:
    return text[0] == "[" and parse_ipv6(text[1:-1]) is not None
