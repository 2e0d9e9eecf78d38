"""Parsing Link fields, the relations of a response to other resources (RFC 8288 3, appendix B).

Rule: a field is parsed by appendix B.2, which is tolerant; parsing a field stops where it is malformed. Relations and
parameters are kept as written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anyurl.url.cut import percent_decode
from anyurl.values import Value

MAX_LINKS = 500
"""Links of one response: real ones have a dozen, but a head has room for some thousands."""

MAX_PARAMETERS = 32
"""Parameters of one link."""

_ONCE = frozenset({"rel", "media", "title", "title*", "type", "anchor"})
"""Parameters of which only the first counts (RFC 8288 3)."""

_SPACES = " \t"


class LinkValue(Value):
    """One link as written.

    Attributes:
        target: The URI reference.
        parameters: Names in lower case and unquoted values, in order.
    """

    target: str
    parameters: tuple[tuple[str, str], ...]

    @property
    def relations(self) -> tuple[str, ...]:
        """The relation types: registered ones in lower case, others as written."""
        words = self.first("rel").split()
        return tuple(word if ":" in word else word.lower() for word in words)

    def first(self, name: str) -> str:
        """The value of the first parameter of that name; empty if there is none."""
        return next((value for key, value in self.parameters if key == name), "")

    @property
    def title(self) -> str | None:
        """The title; ``title*`` is decoded, and its language dropped (RFC 8187)."""
        charset, quote, rest = self.first("title*").partition("'")
        _, second, value = rest.partition("'")
        encoding = {"utf-8": "utf-8", "iso-8859-1": "latin-1"}.get(charset.lower())
        if quote and second and encoding is not None:
            return percent_decode(value).decode(encoding, "replace")
        return self.first("title") or None


def read_links(fields: Sequence[str]) -> list[LinkValue]:
    """The links of all Link fields of a response."""
    found: list[LinkValue] = []
    for text in fields:
        for link in _links(text):
            if len(found) == MAX_LINKS:
                return found
            found.append(link)
    return found


def _links(text: str) -> Iterator[LinkValue]:
    at = 0
    while True:
        while at < len(text) and text[at] in " \t,":
            at += 1
        if at == len(text) or text[at] != "<":
            return
        end = text.find(">", at)
        if end < 0:
            return
        target = text[at + 1 : end].strip(_SPACES)
        at, parameters = _parameters(text, end + 1)
        yield LinkValue(target, parameters)
        while at < len(text) and text[at] != ",":
            at += 1


def _parameters(text: str, at: int) -> tuple[int, tuple[tuple[str, str], ...]]:
    """The position after the parameters that begin at `at`, and the parameters (RFC 8288 B.3)."""
    found: list[tuple[str, str]] = []
    while True:
        at = _skip(text, at, _SPACES)
        if at == len(text) or text[at] != ";":
            return at, tuple(found)
        start = at = _skip(text, at + 1, _SPACES)
        while at < len(text) and text[at] not in " \t=;,":
            at += 1
        name, value = text[start:at].lower(), ""
        at = _skip(text, at, _SPACES)
        if at < len(text) and text[at] == "=":
            at = _skip(text, at + 1, _SPACES)
            at, value = _quoted(text, at) if text[at : at + 1] == '"' else _bare(text, at)
        known = name in _ONCE and any(key == name for key, _ in found)
        if name and not known and len(found) < MAX_PARAMETERS:
            found.append((name, value))


def _skip(text: str, at: int, chars: str) -> int:
    while at < len(text) and text[at] in chars:
        at += 1
    return at


def _bare(text: str, at: int) -> tuple[int, str]:
    start = at
    while at < len(text) and text[at] not in ";,":
        at += 1
    return at, text[start:at].rstrip(_SPACES)


def _quoted(text: str, at: int) -> tuple[int, str]:
    """The position after a quoted-string, and its content; an unclosed one extends to the end of the field."""
    out: list[str] = []
    at += 1
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
        out.append(text[at])
        at += 1
    return min(at + 1, len(text)), "".join(out)
