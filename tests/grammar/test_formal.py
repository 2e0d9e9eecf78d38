"""Grammars for others: what they accept, derive, make and export, held against judges that read nothing of ours."""

from __future__ import annotations

import os
import re
from itertools import islice
from typing import Any

import pytest

from anyurl import URL
from anyurl.errors import UnsupportedError, URLSyntaxError
from anyurl.grammar import Derivation, FormalGrammar, bnf, formal_grammar, parse
from anyurl.url import syntax
from tests.grammar import oracle
from tests.grammar.strings import each_mistake
from tests.rows import each_row

FORMAL = ("rfc1738", "rfc1738-draft07", "current")
COUNT = int(os.environ.get("ANYURL_FORMAL", "1500"))
"""Texts of each grammar, half of them one octet off; ``ANYURL_FORMAL=334000`` makes a million of the three."""


def texts(grammar: FormalGrammar, count: int, seed: int = 41) -> list[str]:
    """Half of them as the grammar makes them, half one octet off."""
    return [*islice(grammar.generate(seed), count // 2), *islice(grammar.mutate(seed), count - count // 2)]


@pytest.mark.parametrize("name", ["rfc1738", "rfc1738-draft07"])
def test_the_documents_own_text_judges_alike(name: Any) -> None:
    """The oracle reads section 5 of the documents, and the prose as a few checks."""
    grammar = formal_grammar(name)
    for text in texts(grammar, COUNT):
        rule = grammar.rule_of(text.partition(":")[0])
        assert grammar.accepts(text) is oracle.fits(name, rule, text), ascii(text)
        assert grammar.is_url(text) is oracle.accepts(text, name), ascii(text)


def is_url_today(text: str) -> bool:
    try:
        return URL(text) is not None
    except URLSyntaxError:
        return False


def is_explained(text: str) -> bool:
    """What the productions of today can't say: ports, numeric and empty last labels (RFC 3986 7.4 and 7.6)."""
    authority = re.match(r"[^:]*://(?:[^/?#@]*@)?(?P<host>\[[^\]]*\]|[^/?#:]*)(?::(?P<port>[0-9]*))?", text)
    if authority is None:
        return False
    last = authority["host"].removesuffix(".").rpartition(".")[2]
    return (
        int(authority["port"] or 0) > 65535
        or re.fullmatch(r"[0-9]+|0[xX][0-9a-fA-F]*", last) is not None
        or re.search(r"(?:^|\.)\.$", authority["host"]) is not None
    )


def test_today_is_what_the_kernel_takes() -> None:
    """Each text that one of the two takes alone is explained by the prose; the kernel takes none alone."""
    grammar = formal_grammar("current")
    for text in filter(str.isascii, texts(grammar, COUNT)):
        said, taken = grammar.accepts(text), is_url_today(text)
        assert taken is grammar.is_url(text)
        assert said is taken or (said and is_explained(text)), ascii(text)


@each_row(
    "text",
    [
        "http://[1:2:3:4:5:6:7:8]/", "http://[::]/", "http://[1::8]:80/", "http://[::1.2.3.4]/", "http://[v1.x]/",
        "ldap:///x?y", "file:/a", "file://h/a?b", "data:,a?b", "z39.50r://h/d?x", "x-a:b", "mailto:a@b?c=d", "ftp://h/?x",
        "VIEW-SOURCE:http://h/",
    ],
)  # fmt: skip
def test_today_is_what_the_kernel_takes_around_each_form(text: str) -> None:
    grammar = formal_grammar("current")
    assert grammar.accepts(text)
    for one in each_mistake(text):
        assert grammar.accepts(one) is is_url_today(one) or (grammar.accepts(one) and is_explained(one)), one


def test_a_registered_scheme_has_a_production(monkeypatch: pytest.MonkeyPatch) -> None:
    assert formal_grammar("current").rule_of("x-own") == "otherurl"
    monkeypatch.setitem(syntax.ROWS, "x-own", syntax.Row("x-own", "here", authority="forbidden"))
    assert formal_grammar("current").rule_of("X-own") == "x-ownurl"
    assert not formal_grammar("current").accepts("x-own://h/")
    monkeypatch.delitem(syntax.ROWS, "x-own")
    assert formal_grammar("current").accepts("x-own://h/")


@pytest.mark.parametrize("name", FORMAL)
def test_a_derivation_is_a_tree_of_pieces_that_each_production_takes(name: Any) -> None:
    grammar = formal_grammar(name)
    productions = bnf.load(name).productions if name in bnf.NAMES else {}
    for text in texts(grammar, COUNT // 5):
        tree = grammar.derive(text)
        assert (tree is not None) is grammar.accepts(text), ascii(text)
        for piece in tree.walk() if tree is not None else ():
            assert piece.text == text[piece.start : piece.end]
            if name in bnf.NAMES and len(piece.text) > 1:
                folded = piece.text.lower() if piece.production == "scheme" else piece.text
                assert oracle.fits(name, piece.production, folded)
                assert {one.production for one in piece.children} <= named(productions[piece.production].text)
            ends = [piece.start, *(one.end for one in piece.children)]
            assert all(end <= one.start for end, one in zip(ends, piece.children, strict=False))


def named(side: str) -> set[str]:
    return set(re.findall(r"[A-Za-z][\w+-]*", re.sub(r'"[^"]*"', "", side)))


PIECES = [
    ("ftp://u:p@h.dom:21/a//b;type=i", "fsegment", ("a", "", "b")),
    ("ftp://u:p@h.dom:21/a//b;type=i", "password", ("p",)),
    ("gopher://h/7a%09b%09c%09d", "search", ("b",)),
    ("gopher://h/7a%09b%09c%09d", "gopher+_string", ("c%09d",)),
    ("news:a@b@c", "article", ()),
    ("wais://h/d/t/p", "wtype", ("t",)),
    ("x-own://u@h/p", "urlpath", ("p",)),
    ("HTTP://h:8/a?b", "port", ("8",)),
    ("prospero://h/a/b;c=d;e=f", "fieldname", ("c", "e")),
]


@each_row(("text", "production", "pieces"), PIECES)
def test_the_pieces_of_a_url(text: str, production: str, pieces: tuple[str, ...]) -> None:
    tree = formal_grammar("rfc1738").derive(text)
    assert (tree.find(production) if isinstance(tree, Derivation) else ()) == pieces
    if pieces:
        assert parse(text, "rfc1738").grammar == "rfc1738"


@pytest.mark.parametrize("name", FORMAL)
def test_what_is_generated_valid_is_a_url_of_each_scheme(name: Any) -> None:
    grammar = formal_grammar(name)
    for scheme in (*oracle.DEFINED, "otherurl"):
        rule = grammar.rule_of(scheme)
        for text in islice(grammar.generate(1, rule, valid=True), 5):
            assert parse(text, name).scheme == text.partition(":")[0].lower()
            assert scheme == "otherurl" or text.lower().startswith(scheme)


def test_one_seed_makes_the_same_texts_and_another_others() -> None:
    grammar = formal_grammar("rfc1738")
    for make in (grammar.generate, grammar.mutate):
        assert list(islice(make(1), 50)) == list(islice(make(1), 50))
        assert list(islice(make(1), 50)) != list(islice(make(2), 50))


def test_a_mutated_text_is_one_octet_off() -> None:
    grammar = formal_grammar("rfc1738")
    lengths = set()
    for made, text in zip(grammar.mutate(3, "hostport"), range(300), strict=False):
        octets = made.encode("utf-8", "surrogateescape")
        near = {octets[:at] + octets[at + 1 :] for at in range(len(octets))}
        near |= {octets[:at] + bytes((char,)) + octets[at + 1 :] for at in range(len(octets)) for char in HOSTPORT}
        near |= {octets[:at] + bytes((char,)) + octets[at:] for at in range(len(octets) + 1) for char in HOSTPORT}
        assert any(grammar.accepts(one.decode("latin-1"), "hostport") for one in near), (text, made)
        lengths.add(grammar.accepts(made, "hostport"))
    assert lengths == {True, False}


HOSTPORT = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:"


@pytest.mark.parametrize(("name", "count"), [("rfc1738", 250), ("rfc1738-draft07", 250), ("current", 60)])
def test_a_parser_of_abnf_takes_what_the_grammar_takes(name: Any, count: int) -> None:
    """The export, read by the package ``abnf``, which nobody here wrote (RFC 5234)."""
    abnf = pytest.importorskip("abnf")
    grammar = formal_grammar(name)

    class Exported(abnf.Rule):  # type: ignore[misc, name-defined]
        pass

    text = grammar.abnf()
    assert all(len(line) <= 80 for line in text.split("\r\n"))
    Exported.load_grammar(text)
    taken = 0
    for one in filter(str.isascii, texts(grammar, count)):
        rule = grammar.rule_of(one.partition(":")[0])
        try:
            Exported(rule).parse_all(one)
            theirs = True
        except (abnf.ParseError, abnf.GrammarError):
            theirs = False
        assert theirs is grammar.accepts(one, rule), one
        taken += theirs
    assert count * 0.3 < taken < count


def test_the_rules_are_those_of_the_document() -> None:
    grammar = formal_grammar("rfc1738")
    assert (grammar.reference, len(grammar.rules)) == ("RFC 1738", 67)
    (one,) = [rule for rule in grammar.rules if rule.name == "ftptype"]
    assert (one.section, one.text) == ("RFC 1738 3.2.2", '"A" | "I" | "D" | "a" | "i" | "d"')
    assert grammar.stop("http://host_x/") == 11
    assert "a" in grammar.expected("http://host")


def test_what_there_is_not_is_an_error() -> None:
    with pytest.raises(
        UnsupportedError, match=r"no grammar 'browser' here; there are current, rfc1738, rfc1738-draft07"
    ):
        formal_grammar("browser")
    for ask in (FormalGrammar.accepts, FormalGrammar.derive, FormalGrammar.stop):
        with pytest.raises(LookupError, match="has no production 'nothing'"):
            ask(formal_grammar("rfc1738"), "x", "nothing")
    with pytest.raises(ValueError, match="of 10,000 texts of digit none is a URL of rfc1738"):
        next(formal_grammar("rfc1738").generate(1, "digit", valid=True))
