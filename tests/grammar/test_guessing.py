"""What a person means by a text: a table with reasons, and the rule that no reader of it may go elsewhere."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import anyurl
from anyurl import URL, Guess, URLSyntaxError, guess
from tests.grammar.remedies import guessed_elsewhere, mutated
from tests.rows import each_row

DATA = Path(__file__).parent.parent / "data" / "grammar"
TYPED = [
    json.loads(line)
    for name in ("typed.jsonl", "typed-more.jsonl")
    for line in (DATA / name).read_text("utf-8").splitlines()
]
"""Texts with the URL that is meant and the reason; of those in the first file what other programs make of them, too."""


@pytest.mark.parametrize("row", TYPED, ids=lambda row: f"{row['reason']} {row['text']!a}")
def test_what_people_type(row: dict[str, str | None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/srv/me")
    text, url = row["text"], row["url"]
    assert text is not None
    if url is None:
        with pytest.raises(URLSyntaxError) as caught:
            guess(text)
        assert caught.value.diagnostics
        return
    for name, value in (("CWD", tmp_path), ("PARENT", tmp_path.parent), ("HOME", "/srv/me")):
        url = url.replace(f"{{{name}}}", str(value))
    found = guess(text)
    assert str(found.url) == url
    is_url = row["reason"] is not None and (
        "it is a URL" in row["reason"] or "a URL of a scheme" in row["reason"] or text == url
    )
    assert bool(found.how) != is_url or found.url == _as_url(text)
    assert found.url not in found.alternatives


def _as_url(text: str) -> URL | None:
    try:
        return URL(text)
    except URLSyntaxError:
        return None


@each_row("row", [row for row in TYPED if row["url"] is None], ids=lambda row: ascii(row["text"]))
def test_why_there_is_no_guess_names_a_rule_and_its_clause(row: dict[str, str | None]) -> None:
    text = row["text"] or ""
    with pytest.raises(URLSyntaxError) as caught:
        guess(text)
    for one in caught.value.diagnostics:
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9 -]*", one.rule), one
        assert re.fullmatch(r"(RFC|STD) \d+( [0-9A-Z.]+| section [\d.]+| appendix [A-Z])?.*", one.section), one
        assert (one.severity, 0 <= one.span[0] <= one.span[1] <= len(text)) == ("error", True)


@each_row("before", ["(", "[", "<", '"', "„", "«", "> ", "- "])
def test_what_is_copied_with_it_is_no_part_of_it(before: str) -> None:
    assert str(guess(f"{before}example.com/a").url) == "https://example.com/a"


@each_row(
    ("text", "alternatives"),
    [
        ("example.com", ["http://example.com"]),  # never taken by itself
        ("localhost:8080", ["https://localhost:8080"]),
        ("news.group.name", ["http://news.group.name", "news:news.group.name"]),
        ("comp.lang.python", ["https://comp.lang.python"]),
        ("user@host", ["https://user@host"]),
        ("http://x.org/a,", ["http://x.org/a"]),  # a URL, and yet
        ("https://x.org/?a=1&amp;b=2", ["https://x.org/?a=1&b=2"]),
        ("http://http://x.org/", ["http://x.org/"]),
        ("http://https://x.org/", ["https://x.org/"]),
        ("http://x.org/a b", ["http://x.org/a"]),
        ("host.dom:80", []),
        ("http://x.org/", []),
    ],
)
def test_what_else_could_be_meant(text: str, alternatives: list[str]) -> None:
    assert [str(url) for url in guess(text).alternatives] == alternatives


@pytest.mark.parametrize(
    ("text", "default", "url"),
    [
        ("example.com", "http", "http://example.com"),
        ("localhost:8080", "gopher", "gopher://localhost:8080"),
        ("host.dom:443", "http", "https://host.dom:443"),
        ("https://x.org/", "http", "https://x.org/"),
    ],
)
def test_the_default_is_for_hosts_that_say_nothing(text: str, default: str, url: str) -> None:
    assert str(guess(text, default=default).url) == url


@pytest.mark.parametrize("default", ["mailto", "file", "nonsense", ""])
def test_a_default_has_hosts(default: str) -> None:
    with pytest.raises(ValueError, match="is not a scheme with hosts"):
        guess("example.com", default=default)


def test_what_is_guessed_from_is_text() -> None:
    with pytest.raises(TypeError):
        guess(b"example.com")  # type: ignore[arg-type]


def test_a_guess_is_a_value() -> None:
    assert guess("example.com") == Guess(
        URL("https://example.com"), "a host without a scheme", (URL("http://example.com"),)
    )
    assert anyurl.guess is guess


def test_no_reader_of_a_text_would_go_elsewhere() -> None:
    guessed = 0
    for text in mutated(14, 1500):
        try:
            found = guess(text)
        except URLSyntaxError:
            continue
        if not found.how:
            continue
        guessed += 1
        assert list(guessed_elsewhere(text, found.url)) == []
        assert found.url.password is None, text
    assert guessed > 100


@pytest.mark.parametrize("text", ["a" * 70_000, "a." * 40_000, "<" * 70_000, "http://h/ " * 9_000, "@" * 66_000])
def test_a_long_text_is_refused_in_linear_time(text: str) -> None:
    with pytest.raises(URLSyntaxError):
        guess(text)


def test_a_long_text_within_the_limit_is_read(tmp_path: Path) -> None:
    text = "example.com/" + "a" * 60_000
    assert str(guess(text).url) == f"https://{text}"
    assert str(guess(os.fspath(tmp_path)).url) == f"file://{tmp_path}"


@pytest.mark.parametrize(
    ("text", "blank"),
    [
        ("http://host.dom/<name>", "<name>"),
        ("http://host.dom/{id}/x", "{id}"),
        ("http://host.dom/<b>x</b>", "<b>"),
    ],
)
def test_what_is_to_be_filled_in_is_pointed_at(text: str, blank: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        guess(text)
    (fault,) = caught.value.diagnostics
    assert (fault.code, text[slice(*fault.span)]) == ("template", blank)


@pytest.mark.parametrize("text", ["a@[::1]", "a@[::1]:", "a@[::1]:b]", "a@h:b]", "a@[b:c", "a@b]:c", "a@[::1]:22/x]"])
def test_brackets_behind_a_user_end_no_guess_with_an_error_of_python(text: str) -> None:
    try:
        assert str(guess(text).url)
    except URLSyntaxError as error:
        assert error.diagnostics


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("mailto:a@b.example, c@d.example", "mailto:a@b.example,c@d.example"),
        ("mailto:a@b.example; Joe <c@d.example>?subject=x", "mailto:a@b.example,c@d.example?subject=x"),
        ("mailto:Joe Doe <j@b.example>", "mailto:j@b.example"),
        ("mailto:a@b.example write to me", "mailto:a@b.example"),  # words, and no names
    ],
)
def test_addresses_as_mail_programs_write_them(text: str, url: str) -> None:
    assert str(guess(text).url) == url


def test_an_address_and_a_link_are_two_urls() -> None:
    with pytest.raises(URLSyntaxError):
        guess("mailto:a@b.example, http://c.example/")
