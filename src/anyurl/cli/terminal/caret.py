"""The faults of a text as a URL: the text, and a caret under each fault.

Rule: a password is never shown, not even in a text that is not a URL; control characters are escaped, and the carets
are still under the faults.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from anyurl.cli.terminal.console import MASK, NAME, Console
from anyurl.cli.terminal.palette import BY_SEVERITY
from anyurl.errors import Diagnostic, Severity, URLSyntaxError, escape
from anyurl.url import syntax
from anyurl.url.masking import login_span, mask

_ANY_SECRET = re.compile(r"((?<!/)//[^\s:/?#\[]*:)(?:[^\s/?#]+@|(?!\d*(?:[/?#\s]|$))\S+@)")
_HEAD = re.compile(r"[\W_]*(?:url:)?([a-z][a-z0-9+.-]*):[/\\\s\0-\x20]*", re.IGNORECASE)
_IN_A_PATH = re.compile(r"^([/\\]*[^/\\?#:@]*:).+@", re.DOTALL)
_QUOTED = re.compile(r'[^@]*(?:"|%22)')
_WORD = re.compile(r"\S+")
_SLASHES = re.compile(r"//|\\\\")

CONTEXT = 60
"""Characters of a long text shown on each side of its first fault, if the terminal is wide enough."""

NARROWEST = 20
"""Columns that are used even if the terminal reports fewer."""

SENTENCE = 60
"""The least columns of a sentence below carets, if the terminal has as many, so that it is readable."""


def secret_span(text: str) -> tuple[int, int] | None:
    """The span of a password in a text, URL or not (RFC 1738 3.1: ``//user:password@``), or None.

    An unencoded ``/``, ``?`` or ``#`` in a password ends the authority too early; if the apparent port is then not a
    number, everything up to the last ``@`` counts as the password: better too much than a part of it. If there are
    several passwords, the span covers the text between them as well.
    """
    found = login_span(text)
    start = _authority(text)
    if start is None:
        return found
    end = min((at for at in (text.find(char, start) for char in "/?#") if at >= 0), default=len(text))
    at = text.rfind("@", start, end)
    server = text[max(start, at + 1) : end]
    port = server.partition(":")[2]
    if port and not (port.isascii() and port.isdigit()) and not server.startswith("["):
        at = max(text.rfind("@"), text.rfind("%40"))
    colon = text.find(":", start, max(at, 0))
    if colon < 0 or colon + 1 == at:  # an empty password is not a secret
        return found
    return (colon + 1, at) if found is None else (min(colon + 1, found[0]), max(at, found[1]))


def _authority(text: str) -> int | None:
    """The position of the user or host, whatever the number of slashes before it; None if there is no authority."""
    head = _HEAD.match(text)
    scheme = "" if head is None else head[1].lower()
    if head is not None and syntax.row(scheme).authority == "required":
        return head.end()
    # In a quoted local part a colon belongs to the address (RFC 5321 4.1.2); elsewhere it starts a password.
    if head is not None and scheme == "mailto" and not _QUOTED.match(text, head.end()):
        return head.end()
    slashes = _SLASHES.search(text)
    return None if slashes is None else slashes.end()


def masked(text: str) -> str:
    """The text with its password, if any, replaced by ``***``."""
    span = secret_span(text)
    return text if span is None else text[: span[0]] + MASK + text[span[1] :]


def masked_part(value: str) -> str:
    """A component without the password that it seems to contain, although the grammar sees a path."""
    shown = masked(value)
    return shown if shown != value else _IN_A_PATH.sub(rf"\1{MASK}@", value)


def masked_everywhere(text: str) -> str:
    """A sentence that may quote URLs or similar texts, with the password of each replaced by ``***``."""
    return mask(" " + _WORD.sub(_masked_word, text))[1:]  # so that a first word TO:<bob@host> is not taken for a login


def _masked_word(word: re.Match[str]) -> str:
    # After the last "@" there is no password; before it the search can't backtrack over a text without "@".
    end = word[0].rfind("@") + 1
    return _ANY_SECRET.sub(rf"\1{MASK}@", word[0][:end]) + word[0][end:]


class Torn:
    """Masks the components of a URL without a password, if the text that it was made from seems to contain one.

    Args:
        text: The original text, such as ``URL:ftp://user:password@host/``, or with unencoded delimiters in a password.
        values: The components of the URL.
    """

    __slots__ = ("_hides", "_within")

    def __init__(self, text: str, values: Iterable[object]) -> None:
        self._hides = secret_span(text) is not None
        self._within = any(map(_holds_secret, values))

    def shown(self, value: Any) -> Any:
        """A component, or the parts made from it, with the password masked."""
        if not self._hides:
            return value
        if isinstance(value, str):
            return _without(value, self._within)
        return _without(value, _holds_secret(value))


def _holds_secret(value: object) -> bool:
    if isinstance(value, str):
        return masked_part(value) != value
    if isinstance(value, Mapping):
        return any(map(_holds_secret, value.values()))
    return isinstance(value, list | tuple) and any(map(_holds_secret, value))


def _without(value: Any, within: bool) -> Any:
    """A value without the password; unless some component contains all of it (`within`), each is masked as a whole."""
    if isinstance(value, str):
        return masked_part(value) if within or not value else MASK
    if isinstance(value, Mapping):
        return {key: _without(item, within) for key, item in value.items()}
    return [_without(item, within) for item in value] if isinstance(value, list | tuple) else value


def judged(error: URLSyntaxError) -> tuple[Diagnostic, ...]:
    """The faults of a text, with verified remedies only: none that would lead to another host."""
    from anyurl.grammar import diagnose

    errors = tuple(one for one in diagnose(error.text, "current") if one.severity == "error")
    known = error.diagnostics[0]
    if not any((one.code, one.span) == (known.code, known.span) for one in errors):
        return error.diagnostics  # a fault of another grammar, or of the scheme
    return errors


def complain(console: Console, text: str, diagnostics: Sequence[Diagnostic]) -> None:
    """Report the faults of a text on standard error."""
    columns, indent = console.columns(aside=True), " " * len(f"{NAME}: ")
    first, *carets = point_out(text, diagnostics, None if columns is None else columns - len(indent))
    console.say(first[0])
    for line, severity in carets:
        console.aside(f"{indent}{line}", *BY_SEVERITY[severity])


def point_out(text: str, diagnostics: Sequence[Diagnostic], width: int | None = None) -> list[tuple[str, Severity]]:
    """The text, escaped and masked, and a line with carets for each diagnostic; each line with its severity.

    >>> fault = Diagnostic("space", "error", (8, 9), "uchar", "RFC 1738 2.2", "a space must be encoded: %20")
    >>> print(*(line for line, severity in point_out("http://a b", [fault])), sep="\\n")
    http://a b
            ^ RFC 1738 2.2: a space must be encoded: %20

    Args:
        width: Columns of the terminal: a longer text is cut to a window around the first fault, and a longer sentence
            continues below its carets.
    """
    shown, pointers = point_at(text, diagnostics, width)
    told = zip(pointers, diagnostics, strict=True)
    return [(shown, "remark"), *((line, one.severity) for lines, one in told for line in lines)]


def point_at(text: str, diagnostics: Sequence[Diagnostic], width: int | None) -> tuple[str, list[list[str]]]:
    """The text, and the lines of each diagnostic, as `point_out` shows them."""
    cells = _cells(text)
    first = diagnostics[0].span[0] if diagnostics else 0
    context = CONTEXT if width is None else min(CONTEXT, max(width - 6, NARROWEST) // 2)
    is_short = sum(map(bool, cells)) <= 2 * context  # a masked password takes no room
    start, end = (0, len(text)) if is_short else _window(len(text), first, context)
    before, after = ("..." if start else ""), ("..." if end < len(text) else "")
    pointers: list[list[str]] = []
    above = ""
    for diagnostic in diagnostics:
        left, right = (min(max(at, start), end) for at in diagnostic.span)
        indent = len(before) + _width("".join(cells[start:left]))
        carets = "^" * max(1, _width("".join(cells[left:right])))
        lines = _pointer(indent, carets, escape(f"{diagnostic}{_question(diagnostic, len(text))}"), width)
        pointers.append(lines[1:] if lines[0] == above else lines)  # several faults at one place share the carets
        above = " " * indent + carets
    return before + "".join(cells[start:end]) + after, pointers


def _question(diagnostic: Diagnostic, length: int) -> str:
    """The question whether a certain scheme was meant, for a fault that a scheme would mend; otherwise empty."""
    from anyurl.grammar.remedies import SUPPLIED

    if diagnostic.fix is None or diagnostic.code not in SUPPLIED:
        return ""
    start, end = diagnostic.span
    rest = "..." if end < length else ""
    return f"; was {diagnostic.fix} left out?" if start == end else f"; was {diagnostic.fix}{rest} meant?"


def _pointer(indent: int, carets: str, sentence: str, width: int | None) -> list[str]:
    line = f"{' ' * indent}{carets} {sentence}"
    if width is None or _width(line) <= width:
        return [line]
    from textwrap import wrap

    left = " " * min(indent, max(width - SENTENCE, 0))
    return [
        line[: indent + len(carets)],
        *wrap(sentence, max(width, NARROWEST), initial_indent=left, subsequent_indent=left, break_on_hyphens=False),
    ]


def _cells(text: str) -> list[str]:
    """The shown text of each character, at the same index."""
    cells = [escape(char) for char in text]
    span = secret_span(text)
    if span is not None:
        start, end = span
        cells[start:end] = [""] * (end - start)
        cells[end] = MASK + cells[end]
    return cells


def _window(length: int, place: int, context: int) -> tuple[int, int]:
    start = max(0, min(place - context, length - 2 * context))
    return start, start + 2 * context


def _width(text: str) -> int:
    """The width of a text on a terminal, in columns."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
