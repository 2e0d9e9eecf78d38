"""What is said of a text: the code, the place, the rule, the section, the sentence and the fix, to the letter."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import anyurl.grammar
from anyurl.errors import UnsupportedError, URLSyntaxError
from anyurl.grammar import GRAMMARS, diagnose, parse
from tests.grammar.strings import texts
from tests.rows import each_row

DATA = Path(__file__).parent.parent / "data" / "grammar" / "diagnoses.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]

ELSEWHERE = {
    "form": "the last resort: test_oracle.py proves that nothing comes to it",
    "host": "in rfc1738 the last resort, too; in browser it is in the rows",
}
"""Codes of the diagnosis that need not stand in the rows."""


def whole(text: Any) -> str:
    if isinstance(text, str):
        return text
    head, char, count = text
    return str(head) + char * count


@each_row(
    "row",
    ROWS,
    ids=lambda row: (
        f"{row['grammar']} {row['reason']} {row['text']!r}"[:120].encode("ascii", "backslashreplace").decode()
    ),
)
def test_what_is_said(row: dict[str, Any]) -> None:
    said = [
        [one.code, one.severity, *one.span, one.rule, one.section, one.message, one.fix]
        for one in diagnose(whole(row["text"]), row["grammar"])
    ]
    assert said == row["diagnostics"]


def codes_in_the_source() -> set[str]:
    """The first argument of every call that tells something."""
    found = set()
    for path in Path(anyurl.grammar.__file__).parent.glob("*.py"):
        if path.stem in ("repairs", "errors"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in ("error", "prose", "warning", "remark", "warn", "_fault", "Diagnostic"):
                    found.add(node.args[0].value)
    return found


def test_every_code_stands_in_a_row() -> None:
    told = {diagnostic[0] for row in ROWS for diagnostic in row["diagnostics"]}
    assert codes_in_the_source() - told - ELSEWHERE.keys() == set()
    assert len(codes_in_the_source()) > 50


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_a_text_has_an_error_exactly_when_it_is_not_parsed(grammar: Any) -> None:
    different = []
    for text in texts(6, 1500):
        diagnostics = diagnose(text, grammar)
        try:
            parse(text, grammar)
            accepted = True
        except URLSyntaxError as error:
            accepted = False
            assert error.diagnostics[0].severity == "error"
        faulty = any(one.severity == "error" for one in diagnostics)
        if accepted is faulty:
            different.append(text)
    assert different == []


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_every_diagnostic_lies_in_the_text_and_in_order(grammar: Any) -> None:
    for text in texts(7, 1500):
        diagnostics = diagnose(text, grammar)
        for one in diagnostics:
            assert 0 <= one.span[0] <= one.span[1] <= len(text), (text, one)
            assert one.message
            assert one.message[-1] != "." or one.message.endswith("...")
            assert one.section.startswith(("RFC ", "draft-", "URL Standard", "UTS 39", "Gemini"))
        assert [one.span[0] for one in diagnostics] == sorted(one.span[0] for one in diagnostics)


def repaired(text: str, grammar: Any) -> tuple[str, bool]:
    """The text with the fix of every error in its place; whether every error had one."""
    errors = [one for one in diagnose(text, grammar) if one.severity == "error"]
    for one in reversed(errors):
        if one.fix is not None:
            text = text[: one.span[0]] + one.fix + text[one.span[1] :]
    return text, all(one.fix is not None for one in errors)


@pytest.mark.parametrize("grammar", ["rfc1738", "rfc1738-draft07", "current"])
def test_fixes_are_right(grammar: Any) -> None:
    """Where every fault has a fix, putting all of them in leads to a URL, in a few steps at most.

    A fix may bring to light what stood behind the fault: a scheme that was missing has rules of its own.
    """
    left, count = [], 0
    for text in texts(8, 2500):
        once, complete = repaired(text, grammar)
        if not complete or once == text:
            continue
        count += 1
        for _ in range(4):
            once, complete = repaired(once, grammar)
        if complete and any(one.severity == "error" for one in diagnose(once, grammar)):
            left.append((text, once))
    assert left == []
    assert count > 100


def test_a_password_is_not_repeated() -> None:
    """Not in a sentence and not in a fix, whatever is wrong with it."""
    secret = "s~c r\\e%t|é"
    for form in ("ftp://u:{}@host.dom/a b", "http://u:{}@host.dom/", "telnet://u:{}@", "foo://u:{}@h/"):
        for one in diagnose(form.format(secret), "rfc1738"):
            if one.span[0] < form.index("{}") + len(secret):
                for piece in ("s~c", "r\\e", "t|"):
                    assert piece not in one.message
                    assert piece not in (one.fix or "")


def test_octets_are_read_as_utf_8_and_others_as_themselves() -> None:
    assert diagnose(b"http://host.dom/\xc3\xa9", "rfc1738")[0].fix == "%C3%A9"
    assert diagnose(b"http://host.dom/\xff", "rfc1738")[0].fix == "%FF"
    assert [one.code for one in diagnose(b"http://host.dom/\xff", "current")] == ["changed"]
    assert [one.code for one in diagnose(b"http://host.dom/\xff \xfe", "current")] == ["space"]
    assert [one.code for one in diagnose("http://host.dom/\udcff", "current")] == ["surrogate"]
    assert diagnose(b"http://host.dom/\xff", "browser") == ()


def test_there_are_four_grammars() -> None:
    assert GRAMMARS == ("current", "rfc1738", "rfc1738-draft07", "browser")
    for call in (diagnose, parse):
        with pytest.raises(UnsupportedError, match=r"There is no grammar 'rfc2396' here; there are current, rfc1738"):
            call("http://h/", "rfc2396")  # type: ignore[arg-type]
