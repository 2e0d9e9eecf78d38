"""Kernel, diagnosis and oracle agree on every text; the big count is ``python -m tests.grammar.judges 500000``."""

from __future__ import annotations

import os
import sys

import pytest

from tests.grammar import oracle
from tests.grammar.judges import accepts, compare
from tests.grammar.strings import generated, seeds, texts
from tests.rows import each_row

COUNT = int(os.environ.get("ANYURL_ORACLE", "6000"))
"""Texts of each document in one run of the suite; ``ANYURL_ORACLE=500000`` makes it the whole proof."""

SEED = 1738


@pytest.mark.parametrize("name", ["rfc1738", "rfc1738-draft07"])
def test_nobody_disagrees_about_acceptance(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    tally = compare(SEED, COUNT, name)
    with capsys.disabled():
        sys.stdout.write(f"\n{name}: {tally}\n")
    assert tally.disagreements == []
    assert tally.judged == COUNT
    assert COUNT * 0.2 < tally.accepted < COUNT * 0.8, "a stream of which all or nothing is accepted proves little"


def test_every_refusal_has_a_sentence_of_its_own() -> None:
    """The fallback, "this does not have the form of ...", is for what nobody thought of: nothing comes to it."""
    assert compare(SEED + 1, COUNT // 3).unexplained == 0
    assert compare(SEED + 1, COUNT // 3, "rfc1738-draft07").unexplained == 0


def test_what_the_grammar_generates_the_grammar_accepts() -> None:
    """Of the strings that the productions make, the BNF alone, without the prose, refuses none but in gopher.

    There the tabs delimit: a generated selector may hold what only the search behind it may not.
    """
    import random

    chance = random.Random(5)
    strings = [generated(chance, "rfc1738") for _ in range(3000)]
    refused = [
        text
        for text in strings
        if not oracle.fits(
            "rfc1738", f"{name}url" if (name := text.partition(":")[0].lower()) in oracle.DEFINED else "otherurl", text
        )
    ]
    assert refused == []


def test_the_stream_is_the_same_for_one_seed_and_another_for_another() -> None:
    assert list(texts(1, 200)) == list(texts(1, 200))
    assert list(texts(1, 200)) != list(texts(2, 200))
    assert len(seeds()) > 1000


ORACLE = [
    ("http://host.dom/", True, "a plain one"),
    ("http://host.dom/~u", False, "2.2: unsafe"),
    ("http://host.dom:65536/", False, "3.1: a port is a TCP port"),
    ("http://host.dom:0000080/", True, "digits"),
    ("http://256.1.1.1/", False, "3.1: an IP address"),
    (f"http://{'a' * 63}.dom/", True, "RFC 1034 3.5: 63 octets"),
    (f"http://{'a' * 64}.dom/", False, "RFC 1034 3.5: not 64"),
    ("gopher://h/0%0A", False, "3.4.1: no LF in a selector"),
    ("gopher://h/%0A", True, "the type is not the selector"),
    ("gopher://h/0%09a/b", False, "3.4.2: the first tab delimits, and a search has no slash"),
    ("gopher://h/0%09%09a/b%09", True, "3.4.3: behind the second tab everything"),
    ("gopher://h/%09", False, "3.4.1: the type is no delimiter"),
    ("mailto:%22a b%22@c", False, "2.2: a space is unsafe"),
    ("mailto:%22a%20b%22@c", True, "RFC 822: a quoted string"),
    ("URL:http://h/", False, "appendix: a wrapper"),
    ("news:a@b@c", False, "one @"),
    ("#", False, "nothing before the fragment"),
    ("http://h/#\ud800", False, "2.2: half a character is none"),
    ("http://h/#\udc80", True, "an octet behind the URL"),
]


@each_row(("text", "accepted", "reason"), ORACLE, ids=[row[2] for row in ORACLE])
def test_the_oracle_itself(text: str, accepted: bool, reason: str) -> None:
    assert oracle.accepts(text) is accepted
    assert accepts(text) is accepted
