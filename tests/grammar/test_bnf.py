"""The notation of RFC 1738 section 5, and the two documents that are written in it."""

from __future__ import annotations

import pytest

from anyurl.grammar import bnf
from anyurl.grammar.bnf import Literal, Reference, Repeat, Sequence
from anyurl.grammar.scheme_parts import TAILS
from tests.grammar import oracle
from tests.grammar.oracle import right_sides
from tests.rows import each_row


def shape(expression: bnf.Expression) -> str:
    """The tree as a line, every bracket written out."""
    if isinstance(expression, Literal):
        return repr(expression.text)
    if isinstance(expression, Reference):
        return expression.name
    if isinstance(expression, Repeat):
        return f"{expression.least}-{1 if expression.once else 'n'}({shape(expression.item)})"
    mark = " " if isinstance(expression, Sequence) else " | "
    return f"({mark.join(map(shape, expression.items))})"


NOTATION = [
    ('"a" "b"', "('a' 'b')", "one behind the other"),
    ('"a" | "b" "c"', "('a' | ('b' 'c'))", "the bar binds less than what stands side by side"),
    ('[ "a" ]', "0-1('a')", "brackets alone: optional"),
    ('*[ "a" | "b" ]', "0-n(('a' | 'b'))", "brackets behind a star only group"),
    ('1*[ "a" ]', "1-n('a')", "1*[x] is at least one x"),
    ('1*"a"', "1-n('a')", "a number before the star is the least"),
    ('[ "a" [ "b" ]]', "0-1(('a' 0-1('b')))", "brackets in brackets"),
    ('"x" / "y"', "('x' '/' 'y')", "a bare slash is a literal, as in gopherurl"),
    (
        '""" | <"> | "\\"',
        "('\"' | '\"' | '\\\\')",
        "a quotation mark in both documents' ways, and a backslash as it is",
    ),
    ('";" ; a comment', "';'", "a semicolon in quotes starts no comment"),
    ("a+_b *c-d", "(a+_b 0-n(c-d))", "names hold digits, hyphens, + and _"),
]


@each_row(("text", "tree", "reason"), NOTATION, ids=[row[2] for row in NOTATION])
def test_the_notation(text: str, tree: str, reason: str) -> None:
    others = "".join(f'\n{name} = "x"' for name in ("a+_b", "c-d"))
    grammar = bnf.read("test", f"; section 5\nit = {text}{others}")
    assert shape(grammar.productions["it"].expression) == tree


@each_row(
    ("text", "message"),
    [
        ('it = "a"', "it: no section is given"),
        ("; section 5\nit = other", "it: other is not defined"),
        ("; section 5\nit = *other", "it: other is not defined"),
        ('; section 5\nit = 1*[ "a" | other ]', "it: other is not defined"),
        ('; section 5\nit = "a" *[ "b" [ other ] ]', "it: other is not defined"),
        ('; section 5\nit = [ "a"', "it: the notation is broken at item 3"),
        ('; section 5\nit = "a" ]', "it: the notation is broken at item 2"),
        ("; section 5\nit =", "it: the notation is broken at item 2"),
        ('"a"', "test: 'a' precedes the first production"),
        ("; section 5\nit = {", "line 2: '{'"),
    ],
)
def test_a_file_that_is_not_in_the_notation_says_where(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        bnf.read("test", text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "reference", "count"), [("rfc1738", "RFC 1738", 67), ("rfc1738-draft07", "draft-ietf-uri-url-07", 64)]
)
def test_the_documents_are_whole(name: str, reference: str, count: int) -> None:
    grammar = bnf.load(name)
    assert grammar.reference == reference
    assert len(grammar.productions) == count
    assert {f"{scheme}url" for scheme in TAILS} <= grammar.productions.keys()
    assert [one.name for one in grammar.productions.values() if not one.section[0].isdigit()] == []


@pytest.mark.parametrize("name", bnf.NAMES)
def test_the_productions_are_those_of_the_document(name: str) -> None:
    """Word for word, as section 5 has them: what the oracle reads, too."""
    theirs = {key: " ".join(oracle.TOKEN.findall(side)).replace("* ", "*") for key, side in right_sides(name).items()}
    assert {key: one.text for key, one in bnf.load(name).productions.items()} == theirs


def test_what_the_draft_has_otherwise() -> None:
    """The list of the seed documents' README, read from the data."""
    rfc, draft = (bnf.load(name).productions for name in bnf.NAMES)
    assert sorted(rfc.keys() - draft.keys()) == ["alphadigit", "domainlabel", "toplabel"]
    assert draft.keys() - rfc.keys() == set()
    assert {name: draft[name].text for name in rfc if name in draft and draft[name].text != rfc[name].text} == {
        "hostname": "alpha *uchar",
        "fileurl": '"file://" host [ "/" fpath ]',
        "group": 'alpha *[ alpha | digit | "-" | "." ]',
        "extra": '"!" | "*" | "\'" | "(" | ")" | "," | "="',
        "national": '"{" | "}" | "|" | "\\" | "^" | "~" | "[" | "]"',
        "punctuation": '"<" | ">" | """ | "#"',
        "unreserved": "alpha | digit | safe | extra | national",
    }


def test_a_production_cites_its_section() -> None:
    grammar = bnf.load("rfc1738")
    assert grammar.cite("httpurl") == "RFC 1738 3.3"
    assert grammar.cite("gopher+_string") == "RFC 1738 3.4.3"
    assert bnf.load("rfc1738-draft07").cite("port") == "draft-ietf-uri-url-07 3.1"


def test_a_scheme_has_its_own_production_or_none() -> None:
    grammar = bnf.load("rfc1738")
    assert grammar.scheme_production("ftp") == "ftpurl"
    assert grammar.scheme_production("https") is None
    assert grammar.scheme_production("other") is None


def test_the_characters_of_a_production_leave_out_those_of_an_escape() -> None:
    assert bnf.load("rfc1738").characters("fieldname") - bnf.load("rfc1738").characters("uchar") == set("?:@&")
    assert "%" not in bnf.load("rfc1738").characters("xchar")
    assert "~" in bnf.load("rfc1738-draft07").characters("uchar")
