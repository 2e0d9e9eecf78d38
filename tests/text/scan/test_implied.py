"""Candidates that are not written as URLs: names, addresses of mail, slashes of JSON, what was taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.text.scan import rows
from tests.rows import each_row
from tests.text.scan.scanning import raws, read

ALL = rows.FIND_WWW | rows.FIND_EMAILS | rows.FIND_DOMAINS | rows.FIND_TEMPLATES
DISARMED = rows.DOMAIN | rows.TEMPLATE

FOUND = [
    ("www.h.example/a.", "www.h.example/a", rows.WWW),
    ("www.h.example:80/a", "www.h.example:80/a", rows.WWW),
    ("(www.h.example)", "www.h.example", rows.WWW),
    ("WWW.h.example?a", "WWW.h.example?a", rows.WWW),
    ("xwww.h.example", "xwww.h.example", rows.DOMAIN),
    ("h.example", "h.example", rows.DOMAIN),
    ("h.example.", "h.example", rows.DOMAIN),
    ("h.example/a?b#c,", "h.example/a?b#c", rows.DOMAIN),
    ("h.example:80/x", "h.example:80/x", rows.DOMAIN),
    ("ü.example", "ü.example", rows.DOMAIN),
    ("日本h.example", "h.example", rows.DOMAIN),
    ("evil[.]com", "evil[.]com", DISARMED),
    ("a.b.evil[.]com", "a.b.evil[.]com", DISARMED),
    ("bob@h.example", "bob@h.example", rows.EMAIL),
    ("<bob@h.example>", "bob@h.example", rows.EMAIL),
    ("bob@h.example.", "bob@h.example", rows.EMAIL),
    ("bob@h.example: a", "bob@h.example", rows.EMAIL),
    ("bob@h.example-", "bob@h.example", rows.EMAIL),
    (".a@h.example", "a@h.example", rows.EMAIL),
    ("jürgen@h.example", "jürgen@h.example", rows.EMAIL),
    ("a+b=c@h.example", "a+b=c@h.example", rows.EMAIL),
    ("john.smith@h.example", "john.smith@h.example", rows.EMAIL),
    ("a.b@h.example", "a.b@h.example", rows.EMAIL),  # b is no last label of a name
    ("a.b+c@h.example.", "a.b+c@h.example", rows.EMAIL),
    ("john.1@h.example x", "john.1@h.example", rows.EMAIL),
    ("http[:]//h.example/", "http[:]//h.example/", rows.TEMPLATE),
    ("http[://]h.example/", "http[://]h.example/", rows.TEMPLATE),
    ("http\\://h.example/", "http\\://h.example/", rows.SLASHED),
    ('"http:\\/\\/h.example\\/a"', "http:\\/\\/h.example\\/a", rows.SLASHED),
    ('"http:\\/\\/h\\/a\\u0026b"', "http:\\/\\/h\\/a\\u0026b", rows.SLASHED),
    ('"http:\\/\\/h\\/a\\n"', "http:\\/\\/h\\/a", rows.SLASHED),
]


@each_row(("text", "raw", "kind"), FOUND, ids=[row[0] for row in FOUND])
def test_what_is_found(text: str, raw: str, kind: int) -> None:
    assert read(text, ALL) == [(raw, kind, rows.BARE, None)]


@each_row(
    "text",
    [
        "www.h", "@www.h.example", "www.1.2", "a.1", "1.2.3.4", "h.e", "-h.example", "$h.example", "x/h.example",
        "a.b(c)", "ab.cd(e)", "ab.cd::ef", "a.b://c", "a\u200bb.example", "bob@h", "bob@2x.png", "bob@[1.2.3.4]",
        "git@h.example:path", "bob@h.example@x", "a.@h.example", "/bob@h.example", "http://u:p{w@h.example/",
        "/http:\\/\\/h/", '"http:\\/x"', "[.]com", "xhttp\\://h.example/",
    ],
)  # fmt: skip
def test_what_is_not(text: str) -> None:
    assert raws(text, ALL) == []


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("www.h.example", rows.FIND_WWW), ("bob@h.example", rows.FIND_EMAILS), ("h.example", rows.FIND_DOMAINS),
        ("http[:]//h.example/", rows.FIND_TEMPLATES),
    ],
)  # fmt: skip
def test_a_text_without_a_scheme_is_found_only_on_request(text: str, flag: int) -> None:
    assert raws(text) == []
    assert raws(text, flag) == [text]


LOCAL = st.text("ab1+_-", min_size=1, max_size=5).map("x".__add__).map(lambda word: word.rstrip("-") + "y")


@given(st.lists(LOCAL | st.sampled_from("ab1"), min_size=1, max_size=4), st.sampled_from(["h.example", "a-b.c9.dom"]))
def test_an_address_is_found_whatever_else_is_sought(words: list[str], host: str) -> None:
    """What a local part looks like is no matter of names."""
    address = f"{'.'.join(words)}@{host}"
    assert raws(f"to {address}, or", rows.FIND_EMAILS) == [address]
    assert raws(f"to {address}, or", ALL) == [address]


@given(st.lists(st.text("abz9", min_size=1, max_size=5).map("q".__add__), min_size=1, max_size=3))
def test_a_name_has_dots_and_ends_in_letters(labels: list[str]) -> None:
    name = ".".join([*labels, "example"])
    assert raws(f"at {name}, or", rows.FIND_DOMAINS) == [name]
    assert raws(f"at www.{name}, or", rows.FIND_WWW) == [f"www.{name}"]


def test_a_candidate_at_the_end_of_a_part_waits_for_more() -> None:
    for text in ("www.h.example", "bob@h.example", "h.example", '"http:\\/\\/h'):
        assert read(text, ALL, final=False) == []
