"""Texts made to be slow: nothing takes more than linear time, and nothing but errors of the tree comes out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from anyurl.errors import AnyURLError
from anyurl.grammar import GRAMMARS, diagnose, explain, parse, repair
from anyurl.url import URL
from tests.rows import each_row

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


@each_row("name", FORMS)
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


PLACES = (
    "http://h:{0}/", "http://{0}/", "http://1.2.3.{0}/", "http://[::{0}]/", "http://[fe80::1%25{0}]/", "//h:{0}/",
    "h:{0}",
    "ftp://h:{0}/a;type={0}", "nntp://h/g/{0}", "wais://h/db?{0}", "wais://h/db/t/{0}/1={0};{0}=x;", "news:{0}@h",
    "prospero://h:{0}/x;version={0}", "prospero://h/x;{0}", "gopher://h:{0}/{0}", "dict://h/d:w:db:{0}", "data:{0},x",
    "data:;{0},x", "data:;{0}=a;base64;base64,x", "mailto:{0}", "mailto:a@b?x={0}", "tel:{0}", "{0}://h/", "{0}",
)  # fmt: skip
LONG = {
    "zeros": "0" * 5000, "digits": "9" * 5000, "letters": "a" * 1500, "escapes": "%41" * 500,
    "another script": "é" * 700,
    "digits of another script": "٣²" * 500, "controls": "\x1b" * 1100, "labels": "a." * 700, "quotes": "'\"" * 600,
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_a_message_is_short_however_long_the_text(name: str) -> None:
    """Python reads no number of more than 4,300 digits, and nobody a message of that length."""
    for place in PLACES:
        given = place.format(LONG[name])
        calls: list[Callable[[], object]] = [lambda g=grammar: parse(given, g) for grammar in GRAMMARS]  # type: ignore[misc] # noqa: B023
        calls += [lambda: URL(given).parts, lambda: repair(given)]  # noqa: B023
        for call in calls:
            try:
                call()
            except AnyURLError as error:
                assert str(error).isprintable()
                assert len(str(error)) < 1000, place
        assert all(len(one.message) < 1000 for grammar in GRAMMARS for one in diagnose(given, grammar)), place
