"""Addresses and names: one spelling for each, and none that two readers take for two hosts."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl import URL, Policy, URLSyntaxError, diagnose
from anyurl.url.cut import numbers
from anyurl.url.cut.addresses import format_ipv6, parse_ipv6
from anyurl.url.host import (
    bracketed,
    canonical,
    literal_fault,
    parse_ipv4,
    parse_port,
    to_ascii,
)
from anyurl.url.syntax import ROWS
from tests.rows import each_row


@each_row(
    ("text", "port"),
    [
        ("0", 0), ("80", 80), ("65535", 65535), ("65536", None), ("100000", None), ("0080", 80), ("0000800000", None),
        ("0" * 5000, 0), ("0" * 5000 + "65535", 65535), ("9" * 5000, None), ("", None), ("-1", None), ("+1", None),
        (" 1", None), ("1_0", None), ("\u00b2", None), ("\u0663", None), ("0x50", None),
    ],
)  # fmt: skip
def test_a_port_is_decimal_and_has_sixteen_bits(text: str, port: int | None) -> None:
    assert parse_port(text) == port


@each_row(
    "text",
    [
        "",
        "1",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.",
        ".1.2.3",
        "1..2.3",
        "256.1.1.1",
        "1.1.1.999",
        "01.1.1.1",
        "1.1.1.00",
        "1.1.1.1 ",
        " 1.1.1.1",
        "1.1.1.0x1",
        "1.1.1.a",
        "１.1.1.1",
        "1.1.1.1.",
        "-1.1.1.1",
        "+1.1.1.1",
        "1_0.1.1.1",
    ],
)
def test_other_spellings_are_no_ipv4_addresses(text: str) -> None:
    assert parse_ipv4(text) is None


@given(st.ip_addresses(v=4))
def test_ipv4_addresses_are_four_plain_decimals(address: ipaddress.IPv4Address) -> None:
    assert parse_ipv4(str(address)) == address.packed


GOOD = [
    ("::", "::"),
    ("::1", "::1"),
    ("1::", "1::"),
    ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
    ("1::8", "1::8"),
    ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
    ("1:0:0:4::8", "1:0:0:4::8"),
    ("2001:0DB8:0:0:0:0:0:1", "2001:db8::1"),
    ("::ffff:1.2.3.4", "::ffff:102:304"),
    ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
    ("0:0:1:0:0:0:1:0", "0:0:1::1:0"),
    ("1:0:0:2:0:0:3:4", "1::2:0:0:3:4"),
    ("::1.2.3.4", "::102:304"),
    ("0:1:0:1:0:1:0:1", "0:1:0:1:0:1:0:1"),
]
"""RFC 4291 2.2 and RFC 5952 4: an address and its one canonical text."""


@each_row(("text", "written"), GOOD, ids=lambda text: text)
def test_ipv6_addresses_have_one_canonical_text(text: str, written: str) -> None:
    octets = parse_ipv6(text)
    assert octets is not None
    assert (octets, format_ipv6(octets)) == (ipaddress.IPv6Address(text).packed, written)
    assert (literal_fault(f"[{text}]"), canonical(text.upper())) == (0, written)


@each_row(
    "text",
    [
        "",
        ":",
        ":::",
        "1",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1::2::3",
        ":1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:",
        "::1:",
        "12345::",
        "g::",
        "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8",
        "1.2.3.4",
        "::1.2.3",
        "::1.2.3.4.5",
        "::01.2.3.4",
        "1.2.3.4::",
        "::1.2.3.4:5",
        "1:2:3:4:5:6:7:1.2.3.4",
        "::1%eth0",
        "::1/64",
        " ::1",
        "::１",
        "::-1",
        "::+1",
        "::0x1",
    ],
)
def test_other_spellings_are_no_ipv6_addresses(text: str) -> None:
    assert parse_ipv6(text) is None
    assert literal_fault(f"[{text}]") in (numbers.FAULT_ADDRESS, numbers.FAULT_ZONE)


@given(st.ip_addresses(v=6))
def test_ipv6_addresses_survive(address: ipaddress.IPv6Address) -> None:
    assert parse_ipv6(str(address)) == parse_ipv6(address.exploded) == address.packed
    assert parse_ipv6(format_ipv6(address.packed)) == address.packed
    assert len(format_ipv6(address.packed)) <= len(address.compressed)


@given(st.text("0123456789abcf:.%", max_size=20))
def test_whatever_is_an_ipv6_address_is_one_for_python_too(text: str) -> None:
    octets = parse_ipv6(text)
    if octets is not None:
        assert octets == ipaddress.IPv6Address(text).packed


@each_row(
    ("literal", "fault"),
    [
        ("[v1.x]", 0),
        ("[V1F.a:b!$&'()*+,;=~_-.]", 0),
        ("[v.x]", numbers.FAULT_ADDRESS),
        ("[v1.]", numbers.FAULT_ADDRESS),
        ("[v1]", numbers.FAULT_ADDRESS),
        ("[vg.x]", numbers.FAULT_ADDRESS),
        ("[v1.x/]", numbers.FAULT_ADDRESS),
        ("[fe80::1%25en0]", numbers.FAULT_ZONE),
        ("[::1%]", numbers.FAULT_ZONE),
        ("[x%y]", numbers.FAULT_ADDRESS),
    ],
)
def test_a_later_version_s_address_is_syntax_and_a_zone_is_refused(literal: str, fault: int) -> None:
    assert literal_fault(literal) == fault


@each_row(
    ("host", "result"),
    [
        ("bücher.example", "xn--bcher-kva.example"),
        ("BÜCHER.Example", "xn--bcher-kva.example"),
        ("faß.de", "xn--fa-hia.de"),  # non-transitional: not fass.de
        ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ("a_b.é", "a_b.xn--9ca"),
        ("é..x.", "xn--9ca..x."),
        ("\u00adx", "x"),
        ("☃.net", numbers.FAULT_IDNA),
        ("a\u200d.com", numbers.FAULT_IDNA),
        ("é b", numbers.FAULT_IDNA),
        ("é@b", numbers.FAULT_IDNA),
        ("a／b", numbers.FAULT_IDNA),
        ("a？b", numbers.FAULT_IDNA),
        ("a＠b", numbers.FAULT_IDNA),
        ("a：b", numbers.FAULT_IDNA),
        ("a＼b", numbers.FAULT_IDNA),
        ("a％41", numbers.FAULT_IDNA),
        ("é" * 64, numbers.FAULT_IDNA),
        ("é" * 1025, numbers.FAULT_IDNA),
        ("１", numbers.FAULT_MAPPED_NUMERIC),
        ("é.１", numbers.FAULT_MAPPED_NUMERIC),
        ("é.1.", numbers.FAULT_MAPPED_NUMERIC),
        ("é.0x1F", numbers.FAULT_MAPPED_NUMERIC),
        ("é.0x", numbers.FAULT_MAPPED_NUMERIC),
        ("１.2.3.4", numbers.FAULT_MAPPED_NUMERIC),
    ],
)
def test_a_name_that_is_not_ascii_is_mapped_or_refused(host: str, result: str | int) -> None:
    assert to_ascii(host) == result


@pytest.mark.parametrize(
    ("host", "written"),
    [
        ("h", "h"),
        ("::1", "[::1]"),
        ("[::1]", "[::1]"),
        ("[v1.x]", "[v1.x]"),
        ("é", "xn--9ca"),
        ("☃", numbers.FAULT_IDNA),
    ],
)
def test_an_address_with_a_colon_gets_its_brackets(host: str, written: str | int) -> None:
    assert bracketed(host) == written


class TestEncodedHosts:
    """RFC 3986 3.2.2: a registered name may hold escapes, such as the path of a socket."""

    @pytest.mark.parametrize("text", [
        "postgresql://%2Fvar%2Frun/db", "postgres://u:p@%2fvar%2frun:5432/db?x=1", "http+unix://%2Ftmp%2FA/v1/info",
        "mongodb://%2Ftmp%2Fmongodb-27017.sock/db", "x://%E4%BA%BA/",
    ])  # fmt: skip
    def test_a_scheme_that_is_only_parsed_has_them(self, text: str) -> None:
        url = URL(text)
        assert str(url) == text
        assert url.host == (url.raw_host or "").lower()
        assert "%" in str(url.raw_host)
        assert not [found for found in diagnose(text, "current") if found.severity == "error"]
        assert url.replace(path="/x").raw_host == url.raw_host
        normal = url.normalize()
        assert normal.host == url.host
        assert normal.normalize() == normal
        assert url.is_equivalent(URL(text.replace("%2f", "%2F")))

    @pytest.mark.parametrize("text", ["x://%2/", "x://%zz/", "x://a%", "x://%2F%/"])
    def test_an_escape_has_two_hexadecimal_digits(self, text: str) -> None:
        with pytest.raises(URLSyntaxError, match="two hexadecimal digits"):
            URL(text)

    @each_row("name", [row.name for row in ROWS.values() if row.dns and row.authority != "forbidden"])
    def test_a_host_that_is_a_domain_name_has_none(self, name: str) -> None:
        with pytest.raises(URLSyntaxError, match="a host can't contain '%'"):
            URL(f"{name}://%2Ftmp/")

    @each_row("policy", [Policy.open(), Policy.default(), Policy.untrusted()])
    @each_row("host", ["%2Ftmp", "%31%32%37.x", "127%2E0%2E0%2E1", "a%00b"])
    def test_the_guard_allows_none(self, policy: Policy, host: str) -> None:
        verdict = policy.replace(allow_schemes=["x"]).check(URL(f"x://{host}/"))
        assert (verdict.allowed, verdict.code) == (False, "host-unclear")
