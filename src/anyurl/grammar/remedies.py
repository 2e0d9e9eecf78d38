"""Which remedies are shown: those that were tried, and lead where every reader of the text would go.

Rule: a remedy is applied and read again before anybody sees it. The grammar in force accepts the outcome, and its
scheme, user, host and port are those that all readings of the text agree on (RFC 3986 7.6). Else there is no remedy,
and the sentence names the ambiguity. Attack: in ``http://good.example\\@evil.example/`` an encoded backslash makes a
user name of the host that a person reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from anyurl.errors import Diagnostic
from anyurl.grammar.readers import ReadTarget, read_every_way, scheme_of, target_of, unclear
from anyurl.url import URL

MAX_TRIED = 16
"""Fixes of warnings that are verified individually; more of them are verified together, in linear time."""

SUPPLIED = frozenset({"no-scheme", "scheme-missing", "drive-letter", "host-and-port"})
"""Faults whose remedy is a scheme: the text then means what every reader finds in the text with that scheme."""

_ADVICE = re.compile(r"(?:; |: )[^;:]*%(?:[0-9A-F]{2}|XX).*$", re.DOTALL)
"""A remedy in words, at the end of a sentence: where none is shown, it was not tried either."""


def judge_remedies(
    text: str, diagnostics: Sequence[Diagnostic], read: Callable[[str], URL | None]
) -> tuple[Diagnostic, ...]:
    """The diagnostics of a text, with only those remedies left that may be shown.

    In an invalid URL the fixes of all errors are verified together: one without the others would be refused.

    Args:
        read: The grammar that found them: the URL of a text, or None.
    """
    errors = [one for one in diagnostics if one.severity == "error"]
    if not errors and not any(one.fix is not None for one in diagnostics):
        return tuple(diagnostics)
    readings = read_every_way(text)
    supplied = [one for one in diagnostics if one.code in SUPPLIED and one.fix is not None]
    completed = _applied(text, supplied) if supplied else None

    def tried(remedies: Sequence[Diagnostic]) -> URL | None:
        fixed = _applied(text, remedies)
        return None if fixed is None else read(fixed)

    def holds(remedies: Sequence[Diagnostic]) -> bool:
        url = tried(remedies)
        if url is None:
            return False
        if completed is not None and any(one.code in SUPPLIED for one in remedies):
            # No reader of the unchanged text goes anywhere, or all go there, too
            alike = leads_alike(completed, read_every_way(completed), url)
            return alike and all(reading.target == target_of(url) for reading in readings)
        return leads_alike(text, readings, url)

    complete = all(one.fix is not None for one in errors)
    sound = complete and (not errors or holds(errors))
    others = [one for one in diagnostics if one.severity != "error" and one.fix is not None] if sound else []
    if not holds([*errors, *others]):
        others = [one for one in others if holds([*errors, one])] if len(others) <= MAX_TRIED else []
        if not holds([*errors, *others]):
            others = []
    shown = {id(one) for one in [*(errors if sound else ()), *others]}
    doubt = unclear(readings) if errors else ""
    told = []
    for one in diagnostics:
        if id(one) in shown:
            told.append(one)
            continue
        # A remark cites a requirement of another document, and proposes nothing.
        message = one.message if one.severity == "remark" else _ADVICE.sub("", one.message)
        if one.severity == "error" and doubt:
            message, doubt = f"{message}; {doubt}", ""
        told.append(_changed(one, message))
    return tuple(told)


def leads_alike(text: str, readings: tuple[ReadTarget, ...], url: URL) -> bool:
    """Whether a URL made from a text leads where every reading of the text does."""
    target = target_of(url)
    if not readings:
        return target is None and scheme_of(text) == url.scheme
    return all(reading.target == target for reading in readings)


def _applied(text: str, remedies: Sequence[Diagnostic]) -> str | None:
    """The text with the remedies in their places; None when two of them are for one place."""
    pieces, done = [], 0
    for one in sorted(remedies, key=lambda one: one.span):
        if one.span[0] < done:
            return None
        pieces += [text[done : one.span[0]], one.fix or ""]
        done = one.span[1]
    return "".join([*pieces, text[done:]])


def _changed(one: Diagnostic, message: str) -> Diagnostic:
    return Diagnostic(one.code, one.severity, one.span, one.rule, one.section, message)
