"""Each fault: what it is called, where it is found; and that no message gives a password away."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable

import pytest

from anyurl.errors import URLSyntaxError
from anyurl.url import URL, syntax
from anyurl.url.cut import numbers
from anyurl.url.faults import FAULTS
from tests.rows import each_row

LONG = "http://h/" + "x" * 65_528

CASES: list[tuple[str | bytes, str, tuple[int, int]]] = [
    # text, code, span
    ("", "empty", (0, 0)),
    (LONG, "too-long", (65_536, 65_537)),
    ("é" + LONG, "too-long", (65_536, 65_538)),
    ("1http://h/", "scheme-start", (0, 1)),
    ("+a:b", "scheme-start", (0, 1)),
    ("ht_tp://h/", "scheme-character", (2, 3)),
    ("a;b:c", "scheme-character", (1, 2)),
    ("www.example.org/x", "no-scheme", (0, 0)),
    ("ftp.example.org", "no-scheme", (0, 0)),
    ("//h/x", "no-scheme", (0, 0)),
    ("/x", "no-scheme", (0, 0)),
    ("?x", "no-scheme", (0, 0)),
    ("#x", "no-scheme", (0, 0)),
    (":x", "no-scheme", (0, 0)),
    ("me@example.org", "no-scheme", (0, 0)),
    ("http", "no-scheme", (0, 0)),
    (" http://h/", "space", (0, 1)),
    ("ht tp://h/", "space", (2, 3)),
    ("http://h/a b", "space", (10, 11)),
    ("http://h h/", "space", (8, 9)),
    ("http://h/\n", "control", (9, 10)),
    ("http://h/\x00", "control", (9, 10)),
    ("http://h\t/", "control", (8, 9)),
    ("http://h/\x7f", "control", (9, 10)),
    ("java\nscript:x", "control", (4, 5)),
    ("http:\\\\h", "no-authority", (5, 5)),
    ("http://h\\@evil/", "backslash", (8, 9)),
    ("http://h/a\\b", "backslash", (10, 11)),
    ("\\x", "backslash", (0, 1)),
    ("http://h/{x}", "character", (9, 10)),
    ('http://h/"', "character", (9, 10)),
    ("http://h/<x>", "character", (9, 10)),
    ("http://h/a^b", "character", (10, 11)),
    ("http://h/a`b", "character", (10, 11)),
    ("http://h/a|b", "character", (10, 11)),
    ("http://h|h/", "character", (8, 9)),
    ("http://h/[x]", "bracket", (9, 10)),
    ("http://h?x]", "bracket", (10, 11)),
    ("http://a[::1]/", "bracket", (8, 9)),
    ("http://[::1]@h/", "bracket", (7, 8)),
    ("http://h/%", "percent", (9, 10)),
    ("http://h/%z", "percent", (9, 10)),
    ("http://h/%aZ", "percent", (9, 11)),
    ("http://h/?%u0041", "percent", (10, 11)),
    ("http://u%:p@h/", "percent", (8, 9)),
    ("http://h/#a#b", "second-hash", (11, 12)),
    ("http:h", "no-authority", (5, 5)),
    ("http:/h", "no-authority", (5, 5)),
    ("http:", "no-authority", (5, 5)),
    ("ftp:x", "no-authority", (4, 4)),
    ("gopher:", "no-authority", (7, 7)),
    ("nntp:g", "no-authority", (5, 5)),
    ("telnet:h", "no-authority", (7, 7)),
    ("wais:x", "no-authority", (5, 5)),
    ("prospero:x", "no-authority", (9, 9)),
    ("mailto://a@b", "authority", (7, 10)),
    ("urn://x/", "authority", (4, 7)),
    ("file:x", "relative-path", (5, 5)),
    ("file:", "relative-path", (5, 5)),
    ("http://a@b@c/", "two-at", (8, 9)),
    ("gopher://u@h/", "userinfo", (9, 10)),
    ("gopher://u:p@h/", "userinfo", (9, 12)),
    ("nntp://u@h/g", "userinfo", (7, 8)),
    ("wais://u@h/", "userinfo", (7, 8)),
    ("prospero://u@h/", "userinfo", (11, 12)),
    ("file://u@h/", "userinfo", (7, 8)),
    ("http:///x", "empty-host", (7, 7)),
    ("http://", "empty-host", (7, 7)),
    ("http://?x", "empty-host", (7, 7)),
    ("http://u@/", "empty-host", (9, 9)),
    ("http://:80/", "empty-host", (7, 7)),
    ("foo://u@/", "empty-host", (8, 8)),
    ("foo://:1/", "empty-host", (6, 6)),
    ("http://h%41/", "host-percent", (8, 11)),
    ("ws://h%41/", "host-percent", (6, 9)),
    ("http://127.0.0.1%00.org/", "host-percent", (16, 19)),
    ("http://a,b/", "host-character", (8, 9)),
    ("http://a&b=c/", "host-character", (8, 9)),
    ("http://::1/", "host-colons", (7, 10)),
    ("http://h:1:2/", "host-colons", (7, 12)),
    ("http://./", "empty-label", (7, 8)),
    ("http://a../", "empty-label", (9, 10)),
    ("http://127.1/", "numeric-host", (7, 12)),
    ("http://1.2.3/", "numeric-host", (7, 12)),
    ("http://2130706433/", "numeric-host", (7, 17)),
    ("http://0x7f000001/", "numeric-host", (7, 17)),
    ("http://0X7F.1/", "numeric-host", (7, 13)),
    ("http://0x/", "numeric-host", (7, 9)),
    ("http://127.0.0.01/", "numeric-host", (7, 17)),
    ("http://0177.0.0.1/", "numeric-host", (7, 17)),
    ("http://127.0.0.1./", "numeric-host", (7, 17)),
    ("http://127.0.0.256/", "numeric-host", (7, 18)),
    ("http://1.2.3.4.5/", "numeric-host", (7, 16)),
    ("http://example.1/", "numeric-host", (7, 16)),
    ("foo://127.1/", "numeric-host", (6, 11)),
    ("http://[::1", "open-bracket", (7, 11)),
    ("http://[::1/]", "open-bracket", (7, 11)),
    ("http://[::1]x/", "after-bracket", (12, 13)),
    ("http://[::1]80/", "after-bracket", (12, 14)),
    ("file://h:80/", "port", (8, 11)),
    ("http://h:x/", "port-not-digits", (9, 10)),
    ("http://h:8x/", "port-not-digits", (9, 11)),
    ("http://h:-1/", "port-not-digits", (9, 11)),
    ("http://h:+80/", "port-not-digits", (9, 12)),
    ("http://h:99999/", "port-too-large", (9, 14)),
    ("http://h:65536/", "port-too-large", (9, 14)),
    ("http://h:65561/", "port-too-large", (9, 14)),
    ("http://h:18446744073709551696/", "port-too-large", (9, 29)),
    ("http://h:4294967376/", "port-too-large", (9, 19)),
    ("ftp://h?x", "question-mark", (7, 7)),
    ("gopher://h?x", "question-mark", (10, 10)),
    (b"http://h/\xff\x00", "control", (10, 11)),
    ("http://[]/", "address", (7, 9)),
    ("http://[1]/", "address", (7, 10)),
    ("http://[127.0.0.1]/", "address", (7, 18)),
    ("http://[1:2:3:4:5:6:7:8:9]/", "address", (7, 26)),
    ("http://[v1.]/", "address", (7, 12)),
    ("http://[::1%25eth0]/", "zone", (7, 19)),
    ("http://[fe80::1%eth0]/", "zone", (7, 21)),
    ("http://h/\ud800", "surrogate", (9, 10)),
    ("http://h/\udc80", "surrogate", (9, 10)),
    ("http://é:x/", "port-not-digits", (9, 10)),
    ("http://é/ü ö", "space", (10, 11)),
    ("é:x", "no-scheme", (0, 0)),
    ("http://é%41/", "idna", (7, 11)),
    ("http://☃.net/", "idna", (7, 12)),
    ("http://evil.example／.good.example/", "idna", (7, 33)),
    ("http://a／b/", "idna", (7, 10)),
    ("http://a＃b/", "idna", (7, 10)),
    ("http://a：80/", "idna", (7, 11)),
    (b"http://h\xff/", "idna", (7, 9)),
    ("http://１２７.0.0.1/", "mapped-number", (7, 16)),
    ("http://127。0。0。1/", "mapped-number", (7, 16)),
    ("http://０x7f.1/", "mapped-number", (7, 13)),
    ("http://①/", "mapped-number", (7, 8)),
    ("http://\u00ad/", "empty-host", (8, 8)),
]


def _as_text(text: str | bytes) -> str:
    return text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text


@each_row(("text", "code", "span"), CASES, ids=lambda value: ascii(value)[:60])
def test_a_fault_has_its_code_and_its_place_and_no_untried_remedy(
    text: str | bytes, code: str, span: tuple[int, int]
) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL(text)
    error = caught.value
    (diagnostic,) = error.diagnostics
    assert (diagnostic.code, diagnostic.span, diagnostic.fix) == (code, span, None)
    assert error.text == _as_text(text)
    assert str(error) == f"{diagnostic.message} ({diagnostic.section}, at character {span[0] + 1})"


def test_every_fault_of_the_kernel_has_a_row_and_a_case() -> None:
    all_numbers = {value for name, value in vars(numbers).items() if name.startswith("FAULT_")}
    assert all_numbers == FAULTS.keys()
    codes = {row[0] for row in FAULTS.values()}
    assert len(codes) == len(FAULTS)
    # Octets beyond ASCII are encoded at the door, so the kernel never sees one of a URL's.
    assert codes - {code for _, code, _ in CASES} == {"not-ascii"}


@each_row("row", FAULTS.values(), ids=lambda row: row[0])
def test_a_row_is_a_code_a_rule_a_clause_and_a_sentence(row: tuple[str, str, str, str, str]) -> None:
    code, _, rule, section, message = row
    assert re.fullmatch(r"[a-z-]+", code)
    assert re.fullmatch(r"[A-Za-z-]+[46]?[A-Za-z]*", rule)
    assert re.fullmatch(r"RFC [0-9]{4}( [0-9]+(\.[0-9]+)*)", section)
    assert not message.endswith(".")
    assert message[0].islower() or message.startswith("URLs")


@each_row(
    "text",
    [
        "http://u:hunter2 x@h/", "http://u:hunter2\x00@h/", "http://u:hunter2@h:99999/", "http://u:hunter2@h:x/",
        "http://u:hunter2/x@h/", "http://u:hunter2@h@h/", "http://u:hunter2@/", "http:/u:hunter2@h/",
        "//u:hunter2@h/", "gopher://u:hunter2@h/", "http://u:hunter2@127.1/", "http://u:hunter2@[::1/",
        "http://u:hunter2@h/ x", "http://u:hunter2%@h/", "http://u:hunter2@h%41/", "http://u:hunter2?@h/ ",
        "http://u:hunter2é@☃/", "http://u:hunter2#@h", "http://u:hunter2\\@h/", "file://u:hunter2@h/",
    ],
)  # fmt: skip
def test_no_message_gives_a_password_away(text: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL(text)
    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in repr(caught.value)


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("gemini://u@h/", "Gemini"), ("mailto://a@b", "RFC 6068"), ("data://x/,", "RFC 2397"),
        ("ssh:x", "RFC 1738 3.1"),
        ("http:x", "RFC 9110 4.2"), ("file://h:1/x", "RFC 8089 2"), ("prospero://u@h/x", "RFC 4157"),
    ],
)  # fmt: skip
def test_what_a_scheme_does_not_allow_is_cited_from_its_own_document(text: str, section: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL(text)
    assert caught.value.diagnostics[0].section == section


def test_a_scheme_of_a_plug_in_is_cited_from_its_own_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(syntax.ROWS, "x-own", syntax.Row("x-own", "Our Manual 7", explicit_port=False))
    with pytest.raises(URLSyntaxError) as caught:
        URL("x-own://h:1/")
    assert caught.value.diagnostics[0].section == "Our Manual 7"


def test_an_error_survives_pickling() -> None:
    with pytest.raises(URLSyntaxError) as caught:
        URL("http://h/a b")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.text, again.diagnostics) == (str(caught.value), "http://h/a b", caught.value.diagnostics)


@pytest.mark.parametrize("other", [None, 3, 3.5, bytearray(b"http://h/"), ["http://h/"]])
def test_what_is_no_text_is_a_type_error(other: object) -> None:
    with pytest.raises(TypeError, match="a URL is read from str or bytes, not from"):
        URL(other)  # type: ignore[arg-type]


@each_row(
    ("act", "text", "fault"),
    [
        (lambda: URL("http://h/a") / "a/../b", "a/../b", ("child-place", (0, 6), "URI", "RFC 3986 3.3")),
        (lambda: URL("http://h/a") / "a\x01", "a\x01", ("child-control", (0, 2), "URI", "RFC 3986 3.3")),
        (lambda: URL("http://h/a") / "\x7fab", "\x7fab", ("child-control", (0, 3), "URI", "RFC 3986 3.3")),
        (lambda: URL("urn:x:y").join("zz"), "zz", ("no-hierarchy", (0, 2), "relative-ref", "RFC 3986 1.2.3")),
        (lambda: URL("ftp://h").join("//h:1:2"), "ftp://h:1:2", ("host-colons", (6, 11), "host", "RFC 3986 3.2.2")),
        (lambda: URL.build(scheme="ftp", port=1), "ftp:", ("build-no-host", (0, 0), "URI", "RFC 3986 3")),
        (
            lambda: URL.build(scheme="ftp", host="h", password="p"),
            "ftp:",
            ("build-no-user", (0, 0), "URI", "RFC 3986 3"),
        ),
        (
            lambda: URL.build(scheme="ftp", host="h", path="/a", parts=URL("ftp://h/x").parts),
            "ftp:",
            ("build-parts", (0, 0), "URI", "RFC 3986 3"),
        ),
        (
            lambda: URL("ftp://h/a;type=x").parts,
            "ftp://h/a;type=x",
            ("bad-typecode", (15, 16), "ftptype", "RFC 1738 3.2.2"),
        ),
    ],
)
def test_what_can_not_be_done_is_a_fault_of_the_text_with_its_place_and_rule(
    act: Callable[[], object], text: str, fault: tuple[str, tuple[int, int], str, str]
) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        act()
    (found,) = caught.value.diagnostics
    assert caught.value.text == text
    assert (found.code, found.span, found.rule, found.section) == fault
    assert found.severity == "error"
