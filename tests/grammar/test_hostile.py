"""Texts made to be slow: nothing takes more than linear time, and nothing but errors of the tree comes out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from anyurl.errors import AnyURLError
from anyurl.grammar import GRAMMARS, diagnose, explain, parse, repair

FORMS: dict[str, tuple[str, str]] = {
    "percent signs": ("", "%"),
    "spaces": ("http://h/", " x"),
    "blanks": ("http://h/", "\t "),
    "braces": ("http://h/", "{x}"),
    "ats": ("ftp://", "@"),
    "ats in news": ("news:", "@"),
    "colons": ("http://", ":"),
    "labels": ("http://", "a."),
    "hyphens": ("http://", "-_"),
    "brackets": ("http://", "["),
    "hashes": ("http://h/", "#"),
    "types": ("ftp://h/", ";type="),
    "tabs": ("gopher://h/0", "%09"),
    "line feeds": ("gopher://h/0", "%0A"),
    "fields": ("prospero://h/", ";"),
    "dots": ("news:a", "."),
    "quotation marks": ("mailto:", "%22"),
    "atoms": ("mailto:", "a."),
    "wrappers": ("", "<"),
    "prefixes": ("", "URL:"),
    "backslashes": ("http:", "\\"),
    "line ends": ("http://h/", "\n"),
    "other scripts": ("http://h/", "é "),
    "hosts of other scripts": ("http://", "é"),
    "questions": ("http://h/?", "?/"),
}


def text(name: str, length: int) -> str:
    head, unit = FORMS[name]
    return (head + unit * (length // len(unit) + 1))[:length]


def seconds(call: Callable[[str], Any], given: str) -> float:
    start = time.process_time()
    try:
        call(given)
    except AnyURLError:
        pass
    return time.process_time() - start


CALLS: dict[str, Callable[[str], Any]] = {grammar: lambda t, g=grammar: diagnose(t, g) for grammar in GRAMMARS} | {
    "repair": repair
}  # type: ignore[misc]


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("call", CALLS)
def test_time_is_linear(call: str, name: str) -> None:
    """Eight times the text in not much more than eight times the time; a quadratic step would take sixty-four."""
    small, large = text(name, 500), text(name, 4000)
    seconds(CALLS[call], small)
    before = min(seconds(CALLS[call], small) for _ in range(3))
    # The first that is quick enough says so: a busy machine, or PyPy while it compiles, makes others slow.
    assert any(seconds(CALLS[call], large) < 28 * before + 0.02 for _ in range(10))


@pytest.mark.parametrize("name", FORMS)
def test_nothing_but_errors_of_the_tree_comes_out(name: str) -> None:
    given = text(name, 300)
    explain(given)
    for call in (repair, *(lambda t, g=grammar: parse(t, g) for grammar in GRAMMARS)):  # type: ignore[misc]
        try:
            call(given)
        except AnyURLError:
            pass


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_a_text_beyond_the_limit_is_one_fault(grammar: Any) -> None:
    diagnostics = diagnose("http://h/" + " " * 70_000, grammar)
    assert [one.code for one in diagnostics] == ["too-long"]
