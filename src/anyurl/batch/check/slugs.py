"""Slugs: the fragments of a Markdown file, made of its headings, and the ids that it names.

Rule: which program renders a file is unknown, so a fragment is there if GitHub or Python-Markdown (MkDocs) has it. Time
is linear in the length of the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from anyurl.batch.check.anchors import missing_anchors
from anyurl.text.entities import unescape
from anyurl.text.readers.verbatim import MarkdownVerbatim
from anyurl.url.cut import percent_decode

MAX_HEADING = 2000
"""Octets of a heading that are read."""

_HEADING = re.compile(
    rb"^[ ]{0,3}(?:>[ ]?)*(?P<marks>#{1,6})(?:(?>[ \t]+)(?P<atx>[^\n]*))?$"
    rb"|^(?P<setext>[ ]{0,3}[^\s#>|\-=][^\n]*+(?:\n[ ]{0,3}[^\s#>|\-=][^\n]*+){0,3})\n[ ]{0,3}(?>=+|-+)[ \t]*+\r?$"
    rb"|<h[1-6](?=[\s>])[^<>]*+>(?P<html>.{0,1000}?)</h[1-6]>",
    re.MULTILINE | re.DOTALL,
)
_CLOSING = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_ATTRIBUTES = re.compile(r"[ \t]*\{:?[ \t]*(?P<list>[^{}]*)\}[ \t]*$")
_ID = re.compile(rb"\{:?[ \t]*(?:[^{}#\n]*[ \t])?#([^\s{}]+)[^{}\n]*\}")
"""An id in a list of attributes (Python-Markdown attr_list, kramdown, Hugo)."""

_MARKUP = re.compile(
    r"!\[[^\]]*\]\([^)]*\)|\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\](?:\([^)]*\)|\[[^\]]*\])?"
    r"|<(?P<auto>[A-Za-z][\w+.\-]*:[^<>\s]*)>|</?[A-Za-z][^<>]*>|<!--.*?-->|(?P<ticks>`+)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])|(?<![^\W_])_{1,3}(?P<stressed>[^_]+?)_{1,3}(?![^\W_])"
)
_NO_WORD = re.compile(r"[^\w\- ]")


def missing_slugs(data: bytes, fragments: Collection[str]) -> list[str]:
    """The fragments that a Markdown file lacks, in alphabetical order.

    Args:
        fragments: As in URLs, without the ``#``.
    """
    left = missing_anchors(data, fragments)
    if not left:
        return []
    known = set(slugs(data))
    return [each for each in left if percent_decode(each).decode("utf-8", "replace") not in known]


def slugs(data: bytes) -> Iterator[str]:
    """The fragments of the headings, and the ids in lists of attributes."""
    verbatim = MarkdownVerbatim()
    verbatim.read(data, len(data))
    github: Counter[str] = Counter()
    python: Counter[str] = Counter()
    for match in _HEADING.finditer(data):
        raw = match[match.lastgroup or 0] if match.lastgroup != "marks" else b""
        # Of a heading that is all code the marks are not.
        if verbatim.covers(match.start()) and verbatim.covers(match.end() - 1):
            continue
        text = _plain(raw[:MAX_HEADING].decode("utf-8", "replace"))
        slug = github_slug(text)
        yield slug if not github[slug] else f"{slug}-{github[slug]}"
        github[slug] += 1
        slug = python_slug(text)
        yield slug if not python[slug] else f"{slug}_{python[slug]}"
        python[slug] += 1
    for match in _ID.finditer(data):
        yield match[1].decode("utf-8", "replace")


def _plain(heading: str) -> str:
    """The text of a heading without its markup."""
    text = _ATTRIBUTES.sub(lambda match: "" if re.search(r"(?:^|\s)[#.]\S|=", match["list"]) else match[0], heading)
    text = _CLOSING.sub("", text.strip())
    return unescape(_without_markup(text).replace("*", "")).strip()


def _without_markup(text: str, depth: int = 2) -> str:
    """A text without its markup, and without that in the texts of its links; code has none: ``f([a][, b])``."""

    def shown(match: re.Match[str]) -> str:
        inner = next((match[name] for name in ("text", "stressed") if match[name] is not None), None)
        if inner is not None:
            return _without_markup(inner, depth - 1) if depth > 1 else inner
        return next((match[name] for name in ("auto", "code", "escaped") if match[name] is not None), "")

    return _MARKUP.sub(shown, text)


def github_slug(text: str) -> str:
    """GitHub's fragment for a heading: small letters, no marks, each space a hyphen."""
    return _NO_WORD.sub("", text.lower()).replace(" ", "-")


def python_slug(text: str) -> str:
    """Python-Markdown's fragment for it: hyphens and spaces in a row are one hyphen."""
    import unicodedata

    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())
