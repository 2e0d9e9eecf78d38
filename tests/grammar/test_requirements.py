"""Where the prose asks for more than the productions, and what section 6 warns of: one sentence of the RFC each."""

from __future__ import annotations

from email import message_from_bytes, policy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import Diagnostic
from anyurl.grammar import bnf, requirements
from anyurl.grammar.examination import Examination
from anyurl.grammar.hosts import RESERVED_PORTS
from anyurl.grammar.requirements import SERVICES, SPECIALS, address_fault
from anyurl.url.cut import percent_encode
from tests.grammar.judges import accepts
from tests.rows import each_row

DRAFT = "rfc1738-draft07"


def of(text: str, scheme: str = "http", grammar: str = "rfc1738") -> Examination:
    ex = Examination(text, bnf.load(grammar))
    ex.scheme = scheme
    return ex


# --- gopher (3.4.1) --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a%0Ab", [((1, 4), "a gopher selector can't contain a line feed")]),
        ("%0a", [((0, 3), "a gopher selector can't contain a line feed")]),
        ("a%0D%0d", [((1, 4), "a gopher selector can't contain a carriage return"),
                     ((4, 7), "a gopher selector can't contain a carriage return")]),
        ("a%00%09%0B%250A", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_selector_has_no_line_ends(text: str, expected: list[object]) -> None:
    """RFC 1738 3.4.1: any octets except 09, 0A and 0D, of which the first delimits."""
    for grammar, severity in (("rfc1738", "error"), (DRAFT, "warning")):
        ex = of(text, "gopher", grammar)
        requirements.examine_selector(ex, 0, len(text))
        assert [(one.span, one.message) for one in ex.diagnostics] == expected
        assert {(one.code, one.severity, one.rule) for one in ex.diagnostics} <= {
            ("selector-octet", severity, "selector")
        }
    ex = of(f"{text}%0A", "gopher")
    requirements.examine_selector(ex, 0, len(text))
    assert len(ex.diagnostics) == len(expected), "only the piece is looked at"


# --- news (3.6) ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "spans"),
    [
        ("comp.infosystems.www.misc", []),
        ("a", []),
        (".a", [(0, 1)]),
        ("a.", [(1, 2)]),
        ("a..b", [(1, 3)]),
        ("..a...b.", [(0, 2), (3, 6), (7, 8)]),
        (".", [(0, 1)]),
    ],
)
def test_the_parts_of_a_group_are_not_empty(name: str, spans: list[tuple[int, int]]) -> None:
    """RFC 1738 3.6: a period-delimited hierarchical name."""
    ex = of(f"news:{name}/", "news")
    requirements.examine_group(ex, 5, 5 + len(name))
    message = "the parts of a newsgroup's name, between its dots, can't be empty"
    assert ex.diagnostics == [
        Diagnostic("group-part", "warning", (start + 5, stop + 5), "group", "RFC 1738 3.6", message)
        for start, stop in spans
    ]


# --- mailto (3.5, RFC 822 6.1) ---------------------------------------------------------------------------------------

ONE = 'an address consists of a name, one "@" and a domain'
COMMA = "a mailto URL has one address: a comma between two is not allowed"
ASCII = "an address must be US-ASCII"
EMPTY = "the name of an address may not be empty"
LABEL = "a label of the domain of an address may not be empty"
QUOTE = "the quoted string is not closed"
LITERAL = "the domain literal is not closed"
PAIR = "a backslash must be followed by a US-ASCII character"


def not_here(what: str) -> str:
    return f"{what} is not allowed here in an address"


ADDRESSES: list[tuple[bytes, int | None, str]] = [
    (b"user@host", None, ""),
    (b"Alfred.E.Neuman@BBN-TENEXA.ARPA", None, ""),
    (b"a!#$%&'*+-/=?^_`{|}~b@x-y", None, ""),
    (b'"A user"@host.dom', None, ""),
    (b'a."b c".d@host', None, ""),
    (b'""@host', None, ""),
    (b'"a\\"b\\\\"@host', None, ""),
    (b'"a\\\r"@host', None, ""),
    (b'"a\r\n b\r\n\tc"@host', None, ""),
    (b'"[],;:<>()@."@host', None, ""),
    (b"a@[10.0.3.19]", None, ""),
    (b"a@b.[1]", None, ""),
    (b"a@[a\\]b]", None, ""),
    (b"a@[a\r\n b]", None, ""),
    (b"", 0, EMPTY),
    (b"a", 1, ONE),
    (b"a.b", 3, ONE),
    (b"@host", 0, EMPTY),
    (b".a@host", 0, EMPTY),
    (b"a.@host", 2, EMPTY),
    (b"a..b@host", 2, EMPTY),
    (b"a@", 2, LABEL),
    (b"a@.b", 2, LABEL),
    (b"a@b.", 4, LABEL),
    (b"a@b..c", 4, LABEL),
    (b"a@@b", 2, LABEL),
    (b"a@b@c", 3, not_here('"@"')),
    (b"a@b,c@d", 3, COMMA),
    (b"a,b@c", 1, COMMA),
    (b",a@b", 0, COMMA),
    (b"a b@c", 1, not_here("a space")),
    (b"a@b ", 3, not_here("a space")),
    (b"a@ b", 2, not_here("a space")),
    (b"a\x00@b", 1, not_here("the octet 00")),
    (b"a@b\x7f", 3, not_here("the octet 7F")),
    (b"a(b)@c", 1, not_here('"("')),
    (b"<a@b>", 0, not_here('"<"')),
    (b"a@b;c", 3, not_here('";"')),
    (b'a"b"@c', 1, not_here('"""')),
    (b'"a"b@c', 3, not_here('"b"')),
    (b"a[b]@c", 1, not_here('"["')),
    (b"\x80@b", 0, ASCII),
    (b"a\xff@b", 1, ASCII),
    (b"a@b\x80", 3, ASCII),
    (b'"a\x80"@b', 2, ASCII),
    (b"a@[\x80]", 3, ASCII),
    (b'"a', 2, QUOTE),
    (b'"', 1, QUOTE),
    (b'"a\\"@b', 6, QUOTE),
    (b"a@[b", 4, LITERAL),
    (b"a@[b[c]]", 4, not_here('"["')),
    (b"a@[b]c", 5, not_here('"c"')),
    (b'"\\', 1, PAIR),
    (b'"\\\x80"@b', 1, PAIR),
    (b'"a\rb"@c', 2, "a carriage return is allowed in a quoted string only where it folds a line"),
    (b'"a\r\nb"@c', 2, "a carriage return is allowed in a quoted string only where it folds a line"),
    (b'"a\r', 2, "a carriage return is allowed in a quoted string only where it folds a line"),
    (b"a@[\r]", 3, "a carriage return is allowed in a domain literal only where it folds a line"),
]


@each_row(("address", "place", "message"), ADDRESSES, ids=[repr(row[0]) for row in ADDRESSES])
def test_an_address_is_an_addr_spec(address: bytes, place: int | None, message: str) -> None:
    """RFC 1738 3.5: an RFC822 addr-spec; RFC 822 6.1: ``local-part "@" domain``."""
    assert address_fault(address) == (None if place is None else (place, message))


OCTETS = st.lists(st.sampled_from([bytes([octet]) for octet in b'ab.@"\\[] ,\r\n\t\x80']), max_size=9).map(b"".join)


@given(OCTETS)
def test_the_fault_of_an_address_stands_in_it(address: bytes) -> None:
    fault = address_fault(address)
    assert accepts(f"mailto:{percent_encode(address)}") is (fault is None)
    if fault is not None:
        assert 0 <= fault[0] <= len(address)


@given(st.text("abz09+-=", min_size=1, max_size=8), st.text("abz09-", min_size=1, max_size=8).map("x".__add__))
def test_what_the_stdlib_reads_of_a_header_is_an_address(local: str, domain: str) -> None:
    address = f"{local}@{domain}.dom".encode()
    (read,) = message_from_bytes(b"To: " + address + b"\n\n", policy=policy.default)["To"].addresses
    assert read.addr_spec.encode() == address
    assert address_fault(address) is None


def test_the_specials_are_those_of_rfc_822() -> None:
    """RFC 822 3.3."""
    assert set(b'()<>@,;:\\".[]') == SPECIALS


@each_row(
    ("text", "code", "severity", "span", "message"),
    [
        ("mailto:a@b", None, "", None, ""),
        ("mailto:a%40b", None, "", None, ""),
        ("mailto:a%20b@c", "address", "error", (8, 11), f"{not_here('a space')} (RFC 822 6.1)"),
        ("mailto:%61%62,c@d", "address", "error", (13, 14), f"{COMMA} (RFC 822 6.1)"),
        ("mailto:a", "address", "error", (8, 8), f"{ONE} (RFC 822 6.1)"),
        ("mailto:%61", "address", "error", (10, 10), f"{ONE} (RFC 822 6.1)"),
        ("mailto:%C3%A9@b", "address", "error", (7, 10), f"{ASCII} (RFC 822 6.1)"),
        ("mailto:a?b@c?d", "mailto-question", "warning", (8, 9),
         'this "?" is part of the address, not the start of header fields'),
        ("mailto:a@b?subject=x", "mailto-question", "warning", (10, 11),
         'this "?" is part of the address, not the start of header fields'),
        ("mailto:a%3Fb@c", None, "", None, ""),
    ],
)  # fmt: skip
def test_where_an_encoded_address_is_wrong(
    text: str, code: str | None, severity: str, span: tuple[int, int] | None, message: str
) -> None:
    ex = of(text, "mailto")
    requirements.examine_address(ex, 7, len(text))
    found = [(one.code, one.severity, one.span, one.rule, one.section, one.message, one.fix) for one in ex.diagnostics]
    assert found == ([] if code is None else [(code, severity, span, "encoded822addr", "RFC 1738 3.5", message, None)])


def test_the_address_of_the_draft_is_only_advised() -> None:
    ex = of("mailto:a", "mailto", DRAFT)
    requirements.examine_address(ex, 7, 8)
    assert [(one.code, one.severity) for one in ex.diagnostics] == [("address", "warning")]


# --- section 6 -------------------------------------------------------------------------------------------------------


@each_row(
    ("scheme", "port", "code", "message", "fix"),
    [
        ("http", "80", None, "", ""),
        ("http", "0080", None, "", ""),
        ("http", "", None, "", ""),
        ("http", "x", None, "", ""),
        ("http", "65536", None, "", ""),
        ("ftp", "21", None, "", ""),
        ("http", "0", "port-zero", "nothing listens on port 0", "80"),
        ("http", "25", "port-reserved", ("port 25, where mail (SMTP) listens, is in the reserved space and is not the "
         "port of http (80): beware"), "80"),
        ("gopher", "79", "port-reserved",
         ("port 79, where finger listens, is in the reserved space and is not the port "
         "of gopher (70): beware"), "70"),
        ("http", "1", "port-reserved", "port 1 is in the reserved space and is not the port of http (80): beware",
         "80"),
        ("http", "1023", "port-reserved", "port 1023 is in the reserved space and is not the port of http (80): beware",
         "80"),
        ("http", "1024", "port-other", "port 1024 is not the port of http (80): something else may listen there", "80"),
        ("http", "65535", "port-other", "port 65535 is not the port of http (80): something else may listen there",
         "80"),
    ],
)  # fmt: skip
def test_caution_with_another_port(scheme: str, port: str, code: str | None, message: str, fix: str) -> None:
    """RFC 1738 6: caution with a port other than the scheme's own, especially one within the reserved space."""
    ex = of(f"{scheme}://h:{port}", scheme)
    start = len(ex.text) - len(port)
    ex.add("port", "port", start, len(ex.text))
    requirements.warn_of_port(ex)
    told = Diagnostic(code or "", "warning", (start, len(ex.text)), "port", "RFC 1738 6", message, fix)
    assert ex.diagnostics == ([] if code is None else [told])


@pytest.mark.parametrize("scheme", ["http", "mailto", "x-none"])
def test_no_caution_without_a_port_or_one_of_the_scheme(scheme: str) -> None:
    ex = of("x", scheme)
    requirements.warn_of_port(ex)
    if scheme != "http":
        ex.text = "1025"
        ex.add("port", "port", 0, 4)
        requirements.warn_of_port(ex)
    assert ex.diagnostics == []


def test_services_are_of_the_reserved_space() -> None:
    assert all(0 < port < RESERVED_PORTS for port in SERVICES)
    assert list(SERVICES) == sorted(SERVICES)
    assert RESERVED_PORTS == 1024


def test_a_password_does_not_stay_secret() -> None:
    """RFC 1738 6: clearly unwise."""
    ex = of("ftp://u:pw@h/", "ftp")
    requirements.warn_of_password(ex)
    assert ex.diagnostics == []
    ex.add("password", "password", 8, 10)
    requirements.warn_of_password(ex)
    assert ex.diagnostics == [
        Diagnostic("password", "warning", (8, 10), "password", "RFC 1738 6", requirements.PASSWORD)
    ]
    empty = of("ftp://u:@h/", "ftp")
    empty.add("password", "password", 8, 8)
    requirements.warn_of_password(empty)
    assert empty.diagnostics == []


@pytest.mark.parametrize(
    ("text", "spans", "what"),
    [
        ("a%0Ab", [(1, 4)], "a line feed"),
        ("a%0a", [(1, 4)], "a line feed"),
        ("%0D", [(0, 3)], "a carriage return"),
        ("%0d%0D", [(0, 3), (3, 6)], "a carriage return"),
        ("%00", [(0, 3)], "a NUL"),
        ("%09%01%0B%2500", [], ""),
        ("", [], ""),
    ],
)
def test_delimiters_that_make_one_request_two(text: str, spans: list[tuple[int, int]], what: str) -> None:
    """RFC 1738 6: encoded delimiters for a given protocol should not be contained."""
    ex = of(text, "ftp")
    requirements.warn_of_delimiters(ex, 0, len(text))
    message = f"this encodes {what}, which may end a line or a string in the protocol"
    assert ex.diagnostics == [
        Diagnostic("delimiter", "warning", span, "escape", "RFC 1738 6", message) for span in spans
    ]


def test_a_delimiter_is_told_once_and_a_form_is_made_of_them() -> None:
    """RFC 1738 3.4.9: the +-form block."""
    text = "%0A%0D%09%09+%0D%0A"
    ex = of(text, "gopher")
    ex.error("selector-octet", (0, 3), "selector", "m")
    ex.add("gopher+", "gopher+_string", 12, len(text))
    requirements.warn_of_delimiters(ex, 0, len(text))
    assert [one.span for one in ex.diagnostics if one.code == "delimiter"] == [(3, 6)]
    ex = of("%0A%0A", "ftp")
    requirements.warn_of_delimiters(ex, 3, 6)
    assert [one.span for one in ex.diagnostics] == [(3, 6)], "only that part is looked at"
    requirements.warn_of_delimiters(ex, 0, 3)
    assert [one.span for one in ex.diagnostics] == [(3, 6), (0, 3)]
