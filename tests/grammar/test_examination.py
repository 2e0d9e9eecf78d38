"""What is collected of a text: pieces, and diagnostics with their severity, clause and rule."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import Diagnostic, Severity
from anyurl.grammar import bnf
from anyurl.grammar.examination import STRICT, Examination, Piece, encoded, is_hex, with_article
from tests.rows import each_row

DRAFT = "rfc1738-draft07"


def examination(text: str = "http://h/", grammar: str = STRICT) -> Examination:
    return Examination(text, bnf.load(grammar))


@each_row(
    ("scheme", "spoken"),
    [
        ("http", "an http URL"), ("https", "an https URL"), ("ftp", "an ftp URL"), ("ftps", "an ftps URL"),
        ("nntp", "an nntp URL"), ("nntps", "an nntps URL"), ("snews", "an snews URL"), ("sftp", "an sftp URL"),
        ("rtsp", "an rtsp URL"), ("nfs", "an nfs URL"), ("mid", "an mid URL"), ("imap", "an imap URL"),
        ("afs", "an afs URL"), ("opaque", "an opaque URL"), ("e", "an e URL"),
        ("gopher", "a gopher URL"), ("mailto", "a mailto URL"), ("news", "a news URL"), ("telnet", "a telnet URL"),
        ("wais", "a wais URL"), ("file", "a file URL"), ("prospero", "a prospero URL"), ("urn", "a urn URL"),
    ],
)  # fmt: skip
def test_the_article_is_the_spoken_one(scheme: str, spoken: str) -> None:
    assert with_article(scheme) == spoken
    ex = examination()
    assert ex.kind == "a URL"
    ex.scheme = scheme
    assert ex.kind == spoken


def test_pieces_are_kept_in_their_order() -> None:
    ex = examination("http://host:80/")
    assert ex.add("scheme", "scheme", 0, 4) == "http"
    assert ex.add("host", "host", 7, 11) == "host"
    assert ex.add("host", "host", 12, 14) == "80"
    assert ex.pieces == [Piece("scheme", "scheme", 0, 4), Piece("host", "host", 7, 11), Piece("host", "host", 12, 14)]
    assert ex.piece("host") == Piece("host", "host", 7, 11)
    assert ex.piece("port") is None


def test_an_error_is_of_the_clause_of_its_production_or_of_the_one_that_is_named() -> None:
    ex = examination()
    ex.error("a", (1, 2), "port", "m")
    ex.error("b", (1, 2), "hpath", "m", "fix")
    ex.error("c", (1, 2), "hpath", "m", section="2.2")
    ex.error("d", (1, 2), "hpath", "m", section="RFC 822 6.1")
    assert ex.diagnostics == [
        Diagnostic("a", "error", (1, 2), "port", "RFC 1738 3.1", "m"),
        Diagnostic("b", "error", (1, 2), "hpath", "RFC 1738 3.3", "m", "fix"),
        Diagnostic("c", "error", (1, 2), "hpath", "RFC 1738 2.2", "m"),
        Diagnostic("d", "error", (1, 2), "hpath", "RFC 822 6.1", "m"),
    ]


def test_a_warning_and_a_remark_are_what_they_are_called() -> None:
    ex = examination()
    ex.warning("a", (1, 2), "port", "m", "f", section="6")
    ex.remark("b", (3, 4), "url", "n", section="RFC 3986 3.5")
    assert ex.diagnostics == [
        Diagnostic("a", "warning", (1, 2), "port", "RFC 1738 6", "m", "f"),
        Diagnostic("b", "remark", (3, 4), "url", "RFC 3986 3.5", "n"),
    ]
    assert not ex.faulty
    ex.error("c", (0, 1), "port", "m")
    assert ex.faulty


@pytest.mark.parametrize(("grammar", "strict"), [(STRICT, True), (DRAFT, False)])
def test_prose_binds_in_the_rfc_and_advises_in_the_draft(grammar: str, strict: bool) -> None:
    ex = examination(grammar=grammar)
    ex.prose("a", (1, 2), "hostname", "m", "f", section="3.1")
    reference = bnf.load(grammar).reference
    severity: Severity = "error" if strict else "warning"
    assert ex.diagnostics == [Diagnostic("a", severity, (1, 2), "hostname", f"{reference} 3.1", "m", "f")]
    assert (ex.strict, ex.faulty) == (strict, strict)


@pytest.mark.parametrize("grammar", [STRICT, DRAFT])
def test_from_where_the_productions_allow_the_rest_there_are_only_warnings(grammar: str) -> None:
    ex = examination(grammar=grammar)
    ex.error("a", (0, 1), "port", "m")
    ex.only_warn()
    ex.error("b", (0, 1), "port", "m")
    ex.prose("c", (0, 1), "port", "m", section="3.1")
    ex.remark("d", (0, 1), "port", "m", section="3.1")
    assert [one.severity for one in ex.diagnostics] == ["error", "warning", "warning", "remark"]


def test_the_matcher_is_that_of_the_grammar() -> None:
    """The draft's host name is a letter and then anything; the RFC's has labels."""
    assert examination().matcher("port").accepts("80")
    assert not examination().matcher("port").accepts("x")
    assert not examination().matcher("host").accepts("a_b")
    assert examination(grammar=DRAFT).matcher("host").accepts("a_b")


@each_row(
    ("text", "position", "end", "expected"),
    [
        ("%41", 0, 3, True), ("%aF", 0, 3, True), ("x%41", 1, 4, True), ("%41x", 0, 4, True),
        ("%41", 0, 2, False), ("%4", 0, 2, False), ("%", 0, 1, False), ("%4g", 0, 3, False), ("%g4", 0, 3, False),
        ("x41", 0, 3, False), ("%\u0661\u0661", 0, 3, False),
    ],
)  # fmt: skip
def test_an_escape_is_a_percent_sign_and_two_digits(text: str, position: int, end: int, expected: bool) -> None:
    assert examination(text).escapes(position, end) is expected


@each_row("code", range(0x100))
def test_hexadecimal_digits_are_those_of_ascii(code: int) -> None:
    assert is_hex(chr(code)) is (chr(code) in string.hexdigits)


def test_all_of_a_text_are_digits() -> None:
    assert is_hex("09afAF")
    assert not is_hex("09g")
    assert not is_hex("\u0661")


@given(st.text(st.characters(exclude_categories=())))
def test_every_octet_of_a_text_is_encoded(text: str) -> None:
    lone = any(0xD800 <= ord(char) <= 0xDFFF and not 0xDC80 <= ord(char) <= 0xDCFF for char in text)
    found = encoded(text)
    if lone:
        assert found is None
    else:
        assert found is not None
        assert bytes.fromhex(found.replace("%", "")).decode("utf-8", "surrogateescape") == text or max(text) >= "\udc80"
        assert found == found.upper()
        assert found.count("%") * 3 == len(found)


def test_some_encodings() -> None:
    assert encoded("") == ""
    assert encoded("a é\udcff\n") == "%61%20%C3%A9%FF%0A"
    assert encoded("\ud800") is None
    assert encoded("\udc7f") is None
