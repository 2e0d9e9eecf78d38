"""The common part of Internet schemes: which of it each scheme has, and what is wrong with it (RFC 1738 3.1)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import Diagnostic
from anyurl.grammar import bnf
from anyurl.grammar.examination import Examination
from anyurl.grammar.hosts import (
    MAX_HOST,
    MAX_LABEL,
    examine_authority,
    examine_host,
    has_login,
    has_port,
    may_be_empty,
    may_end,
)
from tests.rows import each_row

DRAFT = "rfc1738-draft07"
WITH_HOST = ("file", "ftp", "gopher", "http", "nntp", "prospero", "telnet", "wais")


def of(text: str, scheme: str = "http", grammar: str = "rfc1738") -> Examination:
    ex = Examination(text, bnf.load(grammar))
    ex.scheme = scheme
    return ex


def host(text: str, grammar: str = "rfc1738") -> list[Diagnostic]:
    ex = of(text, grammar=grammar)
    examine_host(ex, 0, len(text))
    return ex.diagnostics


def told(text: str, scheme: str = "http") -> list[tuple[str, tuple[int, int], str, str]]:
    """Code, span, clause and rule of what is said of the authority that is the text, and of what follows it."""
    ex = of(text, scheme)
    examine_authority(ex, 0, len(text))
    return [(one.code, one.span, one.section, one.rule) for one in ex.diagnostics]


# --- what the productions of each scheme have (RFC 1738 5) ------------------------------------------------------------


@each_row("grammar", ["rfc1738", DRAFT])
@each_row("scheme", WITH_HOST)
def test_what_a_scheme_has_is_what_its_production_says(scheme: str, grammar: str) -> None:
    ex = of("", scheme, grammar)
    assert has_login(ex) is (scheme in ("ftp", "telnet"))
    assert has_port(ex) is (scheme != "file")
    assert may_be_empty(ex) is (scheme == "file")
    assert may_end(ex) is (scheme in ("ftp", "http", "gopher", "telnet") or (scheme, grammar) == ("file", DRAFT))


# --- a login ---------------------------------------------------------------------------------------------------------


@each_row(
    ("text", "scheme", "pieces", "rest"),
    [
        ("host.dom/a", "http", [("host", "host.dom")], "/a"),
        ("host.dom", "http", [("host", "host.dom")], ""),
        ("host.dom:80/a", "http", [("host", "host.dom"), ("port", "80")], "/a"),
        ("u:p@h.dom:21/a", "ftp", [("user", "u"), ("password", "p"), ("host", "h.dom"), ("port", "21")], "/a"),
        ("u@h.dom", "ftp", [("user", "u"), ("host", "h.dom")], ""),
        ("@h.dom", "ftp", [("user", ""), ("host", "h.dom")], ""),
        ("u:@h.dom", "ftp", [("user", "u"), ("password", ""), ("host", "h.dom")], ""),
        ("u:p:q@h.dom", "ftp", [("user", "u"), ("password", "p:q"), ("host", "h.dom")], ""),
        ("a@b@h.dom", "ftp", [("user", "a@b"), ("host", "h.dom")], ""),
        ("u?v@h.dom", "ftp", [("user", "u?v"), ("host", "h.dom")], ""),
        ("h.dom;type=a", "ftp", [("host", "h.dom")], ";type=a"),
        ("h.dom/a@b", "ftp", [("host", "h.dom")], "/a@b"),
        ("h.dom?a@b", "http", [("host", "h.dom")], "?a@b"),
        ("u@h.dom/", "http", [("userinfo", "u"), ("host", "h.dom")], "/"),
        ("[::1]:80/", "http", [("host", "[::1]"), ("port", "80")], "/"),
        ("[::1", "http", [("host", "["), ("port", ":1")], ""),
    ],
)
def test_an_authority_is_taken_apart(text: str, scheme: str, pieces: list[tuple[str, str]], rest: str) -> None:
    ex = of(text, scheme)
    stop = examine_authority(ex, 0, len(text))
    assert [(piece.name, text[piece.start : piece.end]) for piece in ex.pieces] == pieces
    assert text[stop:] == rest


def test_only_the_authority_is_looked_at() -> None:
    ex = of("http://h.dom:x/")
    assert examine_authority(ex, 7, 12) == 12
    assert ex.diagnostics == []


def test_a_login_where_there_is_none() -> None:
    """RFC 1738 3.3: "No user name or password is allowed.\""""
    ex = of("u:p@host.dom/")
    examine_authority(ex, 0, len(ex.text))
    assert ex.diagnostics == [
        Diagnostic(
            "userinfo", "error", (0, 4), "httpurl", "RFC 1738 3.3", "an http URL can't have a user name or password", ""
        )
    ]


def test_a_password_needs_a_user() -> None:
    """RFC 1738 3.1: the password follows the user name."""
    ex = of(":p@host.dom/", "ftp")
    examine_authority(ex, 0, len(ex.text))
    assert ex.diagnostics == [
        Diagnostic(
            "password-without-user", "warning", (0, 2), "login", "RFC 1738 3.1",
            "the user name before the password is empty; a password can't be given without a user name",
        )
    ]  # fmt: skip
    for text in ("@host.dom/", "u:@host.dom/"):
        assert told(text, "ftp") == [], "an empty user or password is one (RFC 1738 3.1)"


@pytest.mark.parametrize("char", ":@/")
def test_what_delimits_is_encoded_in_a_login(char: str) -> None:
    """RFC 1738 3.1: within the user and password field, any ":", "@" or "/" must be encoded."""
    code = f"%{ord(char):02X}"
    assert told(f"a{code}b:c{code}d@host.dom/", "ftp") == []
    assert told(f"u:c{char}d@host.dom/", "ftp") != []


def test_characters_of_a_login_are_told() -> None:
    assert told("a b:c d@h.dom", "ftp") == [
        ("space", (1, 2), "RFC 1738 2.2", "xchar"),
        ("password-character", (5, 6), "RFC 1738 2.2", "password"),
    ]


# --- a port ----------------------------------------------------------------------------------------------------------


@each_row(
    ("text", "code", "span", "section"),
    [
        ("h.dom:0", None, None, ""), ("h.dom:1", None, None, ""), ("h.dom:65535", None, None, ""),
        ("h.dom:0080", None, None, ""),
        ("h.dom:", "port-empty", (5, 6), "RFC 1738 3.1"),
        ("h.dom:65536", "port-large", (6, 11), "RFC 1738 3.1"),
        ("h.dom:65561", "port-large", (6, 11), "RFC 1738 3.1"),
        ("h.dom:" + "9" * 5000, "port-large", (6, 5006), "RFC 1738 3.1"),
        ("h.dom:x", "port-digits", (6, 7), "RFC 1738 3.1"),
        ("h.dom:-1", "port-digits", (6, 8), "RFC 1738 3.1"),
        ("h.dom:8 ", "port-digits", (6, 8), "RFC 1738 3.1"),
        ("h.dom:\u0661", "port-digits", (6, 7), "RFC 1738 3.1"),
        ("h.dom:80:80", "port-digits", (6, 11), "RFC 1738 3.1"),
    ],
    ids=lambda value: str(value)[:20].encode("ascii", "backslashreplace").decode(),
)  # fmt: skip
def test_a_port(text: str, code: str | None, span: tuple[int, int] | None, section: str) -> None:
    assert told(text) == ([] if code is None else [(code, span, section, "port")])


def test_the_words_about_a_port() -> None:
    found = []
    for text, scheme in (("h.dom:", "http"), ("h.dom:x", "http"), ("h.dom:65536", "http"), ("h.dom:80", "file")):
        ex = of(text, scheme)
        examine_authority(ex, 0, len(text))
        found += [(one.message, one.fix) for one in ex.diagnostics]
    assert found == [
        ('a port needs at least one digit; leave out the ":" where there is no port', ""),
        ("a port must be a decimal number", None),
        ("a port is a TCP port, at most 65535", None),
        ("a file URL can't have a port", ""),
    ]


@given(st.integers(0, 200_000))
def test_a_port_is_one_of_tcp(number: int) -> None:
    assert (told(f"h.dom:{number}") == []) is (number < 2**16)


def test_a_port_where_there_is_none() -> None:
    assert told("h.dom:80/", "file") == [("port-forbidden", (5, 8), "RFC 1738 3.10", "fileurl")]


# --- an empty host, and what stands behind one ------------------------------------------------------------------------


@each_row("scheme", WITH_HOST)
def test_only_a_file_has_an_empty_host(scheme: str) -> None:
    """RFC 1738 3.10: the host may be the empty string, for this machine."""
    assert told("/a", scheme) == ([] if scheme == "file" else [("host-empty", (0, 0), "RFC 1738 3.1", "host")])
    ex = of("/a", scheme)
    examine_authority(ex, 0, 2)
    assert [one.message for one in ex.diagnostics] == [f"the host of {ex.kind} can't be empty"] * (scheme != "file")


def test_a_port_needs_a_host_even_there() -> None:
    assert [row[0] for row in told(":80/", "file")] == ["host-empty", "port-forbidden"]


@pytest.mark.parametrize(
    ("text", "scheme", "expected"),
    [
        ("h.dom?a", "http", [("slash-missing", (5, 5), "RFC 1738 3.3", "httpurl")]),
        ("h.dom;type=a", "ftp", [("slash-missing", (5, 5), "RFC 1738 3.2.2", "ftpurl")]),
        ("h.dom/?a", "http", []),
        ("h.dom", "http", []),
        ("h.dom?a", "telnet", []),  # told as what may not follow
    ],
)
def test_a_slash_stands_behind_the_host(text: str, scheme: str, expected: list[object]) -> None:
    """RFC 1738 3.1: the "/" between the host and the url-path is not part of the url-path."""
    assert told(text, scheme) == expected
    ex = of(text, scheme)
    examine_authority(ex, 0, len(text))
    mark = text[5:6]
    assert [(one.message, one.fix) for one in ex.diagnostics] == [
        (f'a "/" must stand between the host and a "{mark}"', "/")
    ] * len(expected)


# --- names and numbers -----------------------------------------------------------------------------------------------


LABEL = "a" * MAX_LABEL

NAMES = [
    ("host.dom", []),
    ("a", []),
    ("a-b.c9", []),
    ("9a.dom", []),
    ("3com.com", []),  # RFC 1123 2.1: a first digit
    ("-a.dom", [("host-hyphen", (0, 1), "domainlabel", None)]),
    ("a-.dom", [("host-hyphen", (1, 2), "domainlabel", None)]),
    ("-.dom", [("host-hyphen", (0, 1), "domainlabel", None)]),
    ("--.dom", [("host-hyphen", (0, 1), "domainlabel", None), ("host-hyphen", (1, 2), "domainlabel", None)]),
    ("dom.-a", [("host-hyphen", (4, 5), "toplabel", None)]),
    ("dom.9a", [("host-digit", (4, 5), "toplabel", None)]),
    ("9a", [("host-digit", (0, 1), "toplabel", None)]),
    (".dom", [("host-label", (0, 1), "domainlabel", "")]),
    ("a..dom", [("host-label", (2, 3), "domainlabel", None)]),
    ("dom.", [("host-dot", (3, 4), "hostname", "")]),
    ("a_b.dom", [("host-character", (1, 2), "hostname", None)]),
    ("a__b!.dom", [("host-character", (1, 3), "hostname", None), ("host-character", (4, 5), "hostname", None)]),
    ("a%41.dom", [("host-escape", (1, 2), "hostname", None)]),
    ("bücher.dom", [("host-not-ascii", (1, 2), "hostname", None)]),
    ("[::1]", [("host-bracket", (0, 5), "host", None)]),
    (f"{LABEL}.dom", []),
    (f"{LABEL}a.dom", [("host-label-long", (0, 64), "domainlabel", None)]),
    (f"a.{LABEL}a", [("host-label-long", (2, 66), "toplabel", None)]),
    (".".join([LABEL] * 3 + ["a" * 63]), []),
    (".".join([LABEL] * 3 + ["a", "a" * 61]), []),
    (".".join([LABEL] * 3 + ["a", "a" * 62]), [("host-long", (0, 256), "hostname", None)]),
    # numbers
    ("1.2.3.4", []),
    ("0.0.0.0", []),
    ("255.255.255.255", []),
    ("256.0.0.0", [("host-number-large", (0, 3), "hostnumber", None)]),
    ("1.2.3.0256", [("host-number-large", (6, 10), "hostnumber", None)]),
    ("1.1000.3.4", [("host-number-large", (2, 6), "hostnumber", None)]),
    ("1.2.3." + "9" * 5000, [("host-number-large", (6, 5006), "hostnumber", None)]),
    (
        "010.0.0.00",
        [("host-number-zero", (0, 3), "hostnumber", None), ("host-number-zero", (8, 10), "hostnumber", None)],
    ),
    ("1.2.3", [("host-number", (0, 5), "hostnumber", None)]),
    ("1", [("host-number", (0, 1), "hostnumber", None)]),
    ("1.2.3.4.5", [("host-number", (0, 9), "hostnumber", None)]),
    ("1..2.3", [("host-number", (0, 6), "hostnumber", None)]),
    (".", [("host-number", (0, 1), "hostnumber", None)]),
]


@each_row(("text", "expected"), NAMES, ids=[f"{row[0][:24]!a} {len(row[0])}" for row in NAMES])
def test_a_host(text: str, expected: list[tuple[str, tuple[int, int], str, str | None]]) -> None:
    """RFC 1738 3.1: a name of RFC 1034 3.5 and RFC 1123 2.1, or four decimal groups."""
    found = host(text)
    assert [(one.code, one.span, one.rule, one.fix) for one in found] == expected
    assert {one.section for one in found} <= {"RFC 1738 3.1"}
    for one in found:
        assert (one.severity == "warning") is (one.code == "host-number-zero")


@each_row(
    ("text", "message"),
    [
        ("[::1]", "RFC 1738 has no addresses in brackets; RFC 2732 added them for IPv6"),
        ("1.2.3", "an IP address has four groups of digits, this one has 3; a host name can't end in a number"),
        ("1..2", "an IP address has four groups of digits, this one has 2; a host name can't end in a number"),
        ("256.0.0.0", "a group of an IP address is at most 255"),
        ("01.0.0.0", "this group is decimal here, but octal to some programs: leave out its leading zeros"),
        ("dom.", "a host name can't end in a dot"),
        ("a..dom", "a label of a host name can't be empty"),
        ("-a", "a label of a host name can't start with a hyphen"),
        ("a-", "a label of a host name can't end with a hyphen"),
        ("9a", "the last label of a host name can't start with a digit: that distinguishes names from addresses"),
        (f"{LABEL}a", "a label of a host name has at most 63 characters (RFC 1034 3.5)"),
        ("a.".join([LABEL] * 5), "a label of a host name has at most 63 characters (RFC 1034 3.5)"),
        (".".join([LABEL] * 4) + ".a", "a host name has at most 255 characters"),
        ("ü", "a host name consists of US-ASCII letters, digits and hyphens; write names in other scripts as xn--..."),
        ("a%41", "a host name can't be percent-encoded"),
        ("a_b", '"_" is not allowed in a host name'),
        ("a b", "a space is not allowed in a host name"),
    ],
)
def test_the_words_about_a_host(text: str, message: str) -> None:
    assert host(text)[0].message == message


@given(st.lists(st.text("ab-9", min_size=1, max_size=4), min_size=1, max_size=4))
def test_a_host_is_without_error_where_it_is_one_of_the_productions(labels: list[str]) -> None:
    """RFC 1738 5, as a regular expression: letters, digits and inner hyphens, the last label begins with a letter."""
    text = ".".join(labels)
    name = re.fullmatch(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z]([a-z0-9-]*[a-z0-9])?", text)
    number = re.fullmatch(r"\d+\.\d+\.\d+\.\d+", text)
    errors = [one for one in host(text) if one.severity == "error" and not one.code.endswith("-large")]
    assert (not errors) is bool(name or number)


@given(st.lists(st.integers(0, 999), min_size=4, max_size=4))
def test_an_address_has_four_octets(groups: list[int]) -> None:
    found = host(".".join(map(str, groups)))
    assert [one.code for one in found] == ["host-number-large"] * sum(group > 255 for group in groups)


@each_row(
    ("text", "codes"),
    [
        ("host.dom", []),
        ("a_b", [("host-form", "warning", "hostname")]),
        ("a..b", [("host-form", "warning", "hostname")]),
        ("a-", [("host-form", "warning", "hostname")]),
        ("a.-b", [("host-form", "warning", "hostname")]),
        ("a%41", [("host-form", "warning", "hostname")]),
        ("9a", [("host-digit", "error", "hostname")]),
        ("a b", [("space", "error", "xchar")]),
        ("1.2.3.4", []),
        ("256.2.3.4", [("host-number-large", "warning", "hostnumber")]),
        ("[::1]", [("host-bracket", "error", "host")]),
    ],
)
def test_the_draft_has_a_letter_and_then_anything(text: str, codes: list[tuple[str, str, str]]) -> None:
    assert [(one.code, one.severity, one.rule) for one in host(text, DRAFT)] == codes


def test_the_limits_are_those_of_the_rfcs() -> None:
    assert (MAX_LABEL, MAX_HOST) == (63, 255)
