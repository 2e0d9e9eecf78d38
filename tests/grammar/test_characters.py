"""The characters of a piece: which must be encoded, how a run of them is told, and by which clause (RFC 1738 2.2)."""

from __future__ import annotations

import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import SAMPLE_LIMIT, Diagnostic
from anyurl.grammar import bnf
from anyurl.grammar.characters import UNSAFE, examine_characters, name_of
from anyurl.grammar.examination import Examination
from tests.rows import each_row

WHERE = "the search part of an http URL"


def told(
    text: str, production: str = "hpath", *, grammar: str = "rfc1738", section: str = "", start: int = 0,
    end: int | None = None,
) -> list[Diagnostic]:  # fmt: skip
    ex = Examination(text, bnf.load(grammar))
    more = {"section": section} if section else {}
    examine_characters(ex, production, start, len(text) if end is None else end, WHERE, **more)
    return ex.diagnostics


def test_the_unsafe_characters_are_those_of_the_clause() -> None:
    """RFC 1738 2.2: space, < > and quotation mark, #, %, and those that gateways are known to modify."""
    assert set(" ") | set('<>"') | set("#") | set("%") | set("{}|\\^~[]`") == UNSAFE


@each_row(
    ("char", "name"),
    [
        (" ", "a space"), ("\t", "a tab"), ("\n", "a line feed"), ("\r", "a carriage return"), ("\0", "a NUL"),
        ("\x7f", "a DEL"), ('"', "a quotation mark"), ("\\", "a backslash"), ("\x01", "the control character 0x01"),
        ("\x1b", "the control character 0x1B"), ("\x1f", "the control character 0x1F"), ("!", '"!"'), ("~", '"~"'),
        ("é", '"é"'), ("\u202e", '"\\u202e"'), ("\udcff", '"\\xff"'),
    ],
)  # fmt: skip
def test_the_name_of_a_character(char: str, name: str) -> None:
    assert name_of(char) == name


SAID = [
    (" ", "space", "xchar", "a space must be encoded: %20", "%20"),
    ("   ", "space", "xchar", "a space must be encoded: %20", "%20%20%20"),
    ("\t", "control", "xchar", "a tab must be encoded: %09", "%09"),
    ("\x00", "control", "xchar", "a NUL must be encoded: %00", "%00"),
    ("\x1f", "control", "xchar", "the control character 0x1F must be encoded: %1F", "%1F"),
    ("\x7f\x7f", "control", "xchar", "a DEL must be encoded: %7F", "%7F%7F"),
    ("<", "unsafe", "xchar", '"<" is unsafe and must be encoded: %3C', "%3C"),
    ("~~", "unsafe", "xchar", '"~" is unsafe and must be encoded: %7E', "%7E%7E"),
    ('"', "unsafe", "xchar", "a quotation mark is unsafe and must be encoded: %22", "%22"),
    (
        "\\", "backslash", "xchar",
        'a backslash is unsafe and must be encoded: %5C (browsers read it as "/", other programs do not)', "%5C",
    ),
    ("é", "not-ascii", "xchar", '"é" is not US-ASCII and must be encoded: %C3%A9', "%C3%A9"),
    ("é東", "not-ascii", "xchar", "these characters are not US-ASCII and must be encoded: %C3%A9%E6%9D%B1",
     "%C3%A9%E6%9D%B1"),
    ("\udcff", "not-ascii", "xchar", '"\\xff" is not US-ASCII and must be encoded: %FF', "%FF"),
    ("\ud800", "surrogate", "xchar", "a lone surrogate is not a character and can't be encoded", None),
    ("?", "reserved", "hpath", f'"?" must be encoded in {WHERE}: %3F', "%3F"),
    ("??", "reserved", "hpath", f'"?" must be encoded in {WHERE}: %3F', "%3F%3F"),
]  # fmt: skip


@each_row(("run", "code", "rule", "message", "fix"), SAID, ids=[f"{row[0]!a}" for row in SAID])
def test_a_run_of_what_must_be_encoded_is_one_diagnostic(
    run: str, code: str, rule: str, message: str, fix: str | None
) -> None:
    section = "RFC 1738 3.3" if code == "reserved" else "RFC 1738 2.2"
    assert told(f"a{run}b") == [Diagnostic(code, "error", (1, 1 + len(run)), rule, section, message, fix)]


def test_the_clause_of_a_reserved_character_is_that_of_the_piece() -> None:
    assert [one.section for one in told("?", section="5")] == ["RFC 1738 5"]
    assert [one.section for one in told(" ", section="5")] == ["RFC 1738 2.2"]


def test_runs_of_different_characters_are_told_apart() -> None:
    assert [(one.code, one.span) for one in told("<>é\udcff ü")] == [
        ("unsafe", (0, 1)), ("unsafe", (1, 2)), ("not-ascii", (2, 4)), ("space", (4, 5)), ("not-ascii", (5, 6)),
    ]  # fmt: skip


def test_only_the_piece_is_looked_at() -> None:
    assert told(" a ", start=1, end=2) == []
    assert told(" a ", start=1, end=1) == []
    assert [one.span for one in told("<<<<", start=1, end=3)] == [(1, 3)]
    assert [one.span for one in told("%41", end=2)] == [(0, 2)], "an escape ends in its piece"


@each_row(
    ("text", "span", "fix"),
    [
        ("%", (0, 1), "%25"),
        ("%%41", (0, 1), "%25"),
        ("%4", (0, 2), "%254"),
        ("%4/", (0, 2), "%254"),
        ("%zz", (0, 3), "%25zz"),
        ("%4g", (0, 3), "%254g"),
        ("%g4", (0, 3), "%25g4"),
        ("%gif", (0, 3), "%25gi"),
        ("%é", (0, 1), "%25"),
        ("%\u0661\u0662", (0, 1), "%25"),
    ],
)
def test_a_percent_sign_that_is_no_escape(text: str, span: tuple[int, int], fix: str) -> None:
    """RFC 1738 2.2: "%" and two hexadecimal digits."""
    first = told(text)[0]
    message = 'two hexadecimal digits must follow "%"; write a literal "%" as %25'
    assert first == Diagnostic("escape", "error", span, "escape", "RFC 1738 2.2", message, fix)


@pytest.mark.parametrize("escape", ["%00", "%41", "%7e", "%Ff", "%99"])
def test_an_escape_is_none_of_its_characters(escape: str) -> None:
    assert told(f"{escape}{escape}", "search") == []


def test_a_password_is_not_repeated() -> None:
    """Neither by the sentence nor by the fix."""
    message = "a character of the password must be encoded"
    assert told("a b%zé", "password") == [
        Diagnostic("password-character", "error", (1, 2), "password", "RFC 1738 2.2", message),
        Diagnostic(
            "escape", "error", (3, 5), "escape", "RFC 1738 2.2",
            'two hexadecimal digits must follow "%"; write a literal "%" as %25',
        ),
        Diagnostic("password-character", "error", (5, 6), "password", "RFC 1738 2.2", message),
    ]  # fmt: skip


def test_a_long_run_is_cut_in_the_sentence_and_not_in_the_fix() -> None:
    (one,) = told("é" * 34)
    assert one.message.endswith(f"must be encoded: {('%C3%A9' * 34)[:SAMPLE_LIMIT]}...")
    assert one.fix == "%C3%A9" * 34
    (one,) = told("é" * 33)
    assert one.message.endswith(f"must be encoded: {'%C3%A9' * 33}")


def test_what_the_draft_allows_is_only_advised() -> None:
    """Its productions have the national characters; RFC 1738 2.2 calls them unsafe."""
    assert told("a~~b", grammar="rfc1738-draft07") == [
        Diagnostic(
            "unsafe", "warning", (1, 3), "national", f"{bnf.load('rfc1738-draft07').reference} 2.2",
            '"~" is unsafe and should be encoded: %7E', "%7E%7E",
        )
    ]  # fmt: skip
    assert [one.severity for one in told("a~b")] == ["error"]


PRODUCTIONS = ["hpath", "search", "user", "password", "fpath", "selector", "article", "fieldname", "xchar", "database"]


@given(st.sampled_from(PRODUCTIONS), st.text(st.characters(max_codepoint=0x200), max_size=12))
def test_a_piece_is_without_error_where_its_characters_are_those_of_the_production(production: str, text: str) -> None:
    """Read naively: escapes are taken out, and what is left is held against the production, character by character."""
    left = text
    for place in reversed(range(len(text) - 2)):
        if text[place] == "%" and set(text[place + 1 : place + 3]) <= set(string.hexdigits):
            left = left[:place] + left[place + 3 :]
    allowed = bnf.load("rfc1738").characters(production)
    faults = told(text, production)
    assert (not faults) is (set(left) <= allowed)
    assert all(one.severity == "error" for one in faults)
    spans = [one.span for one in faults]
    assert spans == sorted(spans)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
    mended, last = "", 0
    for one in faults:
        mended += text[last : one.span[0]] + (one.fix if one.fix is not None else "a" * (production != "search"))
        last = one.span[1]
    assert told(mended + text[last:], production) == [], "with its fixes there is nothing to tell"
