"""The address table against the registries' own text, and addresses in disguise."""

from __future__ import annotations

import csv
import re
import socket
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.guard.addresses import IPV4_ROWS, IPV6_ROWS, TABLE_DATE, AddressRange, Scope, forms, scope, why
from tests.rows import each_row

DATA = Path(__file__).parents[1] / "data" / "net"

# The registry says that these are (or may be) globally reachable; we are stricter or decide by the embedded address.
OTHERWISE = {
    "::ffff:0:0/96": ("False", Scope.PUBLIC, "an IPv4-mapped address is the IPv4 address that it carries"),
    "2001::/32": ("N/A", Scope.PUBLIC, "a Teredo address is judged by the two addresses that it carries"),
    "2002::/16": ("N/A", Scope.PUBLIC, "a 6to4 address is judged by the address that it carries"),
    "2001:20::/28": ("True", Scope.PRIVATE, "an ORCHID is an identifier, no address to connect to (RFC 7343 1.1)"),
    "2001:30::/28": ("True", Scope.PRIVATE, "a DET is an identifier, no address to connect to (RFC 9374 3.4)"),
}


def registry(version: int) -> list[tuple[str, str, str]]:
    """Block, name, and whether it is globally reachable, of each row."""
    rows = []
    with (DATA / f"iana-ipv{version}-special-registry-1.csv").open(newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            reachable = re.sub(r" \[\d+\]", "", row["Globally Reachable"])
            rows += [(block, row["Name"], reachable) for block in re.findall(r"[0-9a-f:.]+/\d+", row["Address Block"])]
    return rows


@pytest.mark.parametrize(("version", "rows"), [(4, IPV4_ROWS), (6, IPV6_ROWS)])
def test_every_row_of_the_registry_is_in_the_table_and_judged_as_it_says(
    version: int, rows: tuple[AddressRange, ...]
) -> None:
    table = {row.prefix: row for row in rows}
    wrong = {}
    for block, name, reachable in registry(version):
        row = table.get(block)
        if row is None or not row.name.startswith(name):
            wrong[block] = f"is missing, or is not called {name}"
        elif block in OTHERWISE:
            assert (reachable, row.scope) == OTHERWISE[block][:2]
        elif (row.scope == Scope.PUBLIC) != (reachable == "True"):
            wrong[block] = f"is {row.scope.name}, the registry says {reachable!r}"
    assert wrong == {}


def test_the_table_is_dated_and_each_prefix_stands_once() -> None:
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", TABLE_DATE)
    prefixes = [row.prefix for row in IPV4_ROWS + IPV6_ROWS]
    assert len(prefixes) == len(set(prefixes))


SCOPES = [
    ("8.8.8.8", Scope.PUBLIC, "an ordinary address"),
    ("2606:4700:4700::1111", Scope.PUBLIC, "an ordinary address"),
    ("9.255.255.255", Scope.PUBLIC, "below 10/8"),
    ("11.0.0.0", Scope.PUBLIC, "above 10/8"),
    ("172.15.255.255", Scope.PUBLIC, "below 172.16/12"),
    ("172.32.0.0", Scope.PUBLIC, "above 172.16/12"),
    ("100.63.255.255", Scope.PUBLIC, "below 100.64/10"),
    ("100.128.0.0", Scope.PUBLIC, "above 100.64/10"),
    ("223.255.255.255", Scope.PUBLIC, "below multicast"),
    ("192.0.0.9", Scope.PUBLIC, "a public hole in a private block"),
    ("192.0.0.11", Scope.PRIVATE, "beside the hole"),
    ("10.0.0.0", Scope.PRIVATE, "first of 10/8"),
    ("10.255.255.255", Scope.PRIVATE, "last of 10/8"),
    ("172.16.0.0", Scope.PRIVATE, "first of 172.16/12"),
    ("172.31.255.255", Scope.PRIVATE, "last of 172.16/12"),
    ("192.168.0.1", Scope.PRIVATE, "a router"),
    ("100.64.0.1", Scope.PRIVATE, "shared: ipaddress.is_private is False"),
    ("198.19.255.255", Scope.PRIVATE, "last of benchmarking"),
    ("192.88.99.1", Scope.PRIVATE, "6to4 relay, deprecated"),
    ("203.0.113.7", Scope.PRIVATE, "documentation"),
    ("fc00::1", Scope.PRIVATE, "unique local"),
    ("fdff:ffff::1", Scope.PRIVATE, "unique local"),
    ("fec0::1", Scope.PRIVATE, "site-local, deprecated"),
    ("2001:db8::1", Scope.PRIVATE, "documentation"),
    ("3fff:fff::1", Scope.PRIVATE, "the newer documentation prefix"),
    ("2001:2::1", Scope.PRIVATE, "benchmarking"),
    ("2001:20::1", Scope.PRIVATE, "ORCHIDv2"),
    ("5f00::1", Scope.PRIVATE, "SRv6 SIDs"),
    ("169.254.0.1", Scope.LINK, "link-local"),
    ("169.254.169.254", Scope.LINK, "metadata of most clouds"),
    ("100.100.100.200", Scope.LINK, "Alibaba's metadata, in shared space"),
    ("168.63.129.16", Scope.LINK, "Azure's WireServer, in public space"),
    ("192.0.0.192", Scope.LINK, "Oracle's metadata, in IETF space"),
    ("fd00:ec2::254", Scope.LINK, "AWS metadata"),
    ("fd20:ce::254", Scope.LINK, "Google's metadata"),
    ("fe80::1", Scope.LINK, "link-local"),
    ("fe80::1%eth0", Scope.LINK, "as getpeername writes it"),
    ("febf:ffff::1", Scope.LINK, "last of link-local"),
    ("127.0.0.1", Scope.LOCAL, "loopback"),
    ("127.255.255.254", Scope.LOCAL, "last of loopback"),
    ("::1", Scope.LOCAL, "loopback"),
    ("0:0:0:0:0:0:0:1", Scope.LOCAL, "loopback written out"),
    ("0.0.0.0", Scope.NEVER, "reaches loopback on Linux"),
    ("0.1.2.3", Scope.NEVER, "this network"),
    ("224.0.0.1", Scope.NEVER, "multicast"),
    ("239.255.255.250", Scope.NEVER, "SSDP"),
    ("240.0.0.1", Scope.NEVER, "reserved"),
    ("255.255.255.255", Scope.NEVER, "broadcast"),
    ("::", Scope.NEVER, "reaches loopback on Linux"),
    ("ff02::1", Scope.NEVER, "multicast"),
    ("ff0e::1", Scope.NEVER, "global multicast"),
    ("100::1", Scope.NEVER, "discarded"),
    ("1::1", Scope.NEVER, "outside 2000::/3"),
    ("4000::1", Scope.NEVER, "outside 2000::/3"),
    # Addresses that carry others.
    ("::ffff:8.8.8.8", Scope.PUBLIC, "mapped, public"),
    ("::ffff:127.0.0.1", Scope.LOCAL, "mapped loopback"),
    ("::FFFF:7F00:1", Scope.LOCAL, "mapped loopback in capitals"),
    ("::ffff:169.254.169.254", Scope.LINK, "mapped metadata"),
    ("::ffff:0.0.0.0", Scope.NEVER, "mapped any"),
    ("::127.0.0.1", Scope.LOCAL, "compatible loopback"),
    ("::8.8.8.8", Scope.PRIVATE, "compatible: deprecated, nobody routes it"),
    ("::ffff:0:127.0.0.1", Scope.LOCAL, "translated loopback"),
    ("64:ff9b::8.8.8.8", Scope.PUBLIC, "NAT64 of a public address"),
    ("64:ff9b::10.0.0.1", Scope.PRIVATE, "NAT64 private: ipaddress.is_global is True"),
    ("64:ff9b::7f00:1", Scope.LOCAL, "NAT64 loopback"),
    ("64:ff9b:1::8.8.8.8", Scope.PRIVATE, "local-use NAT64"),
    ("64:ff9b:1::127.0.0.1", Scope.LOCAL, "local-use NAT64 of loopback"),
    ("2002:808:808::1", Scope.PUBLIC, "6to4, public"),
    ("2002:7f00:1::", Scope.LOCAL, "6to4 loopback"),
    ("2002:a9fe:a9fe::", Scope.LINK, "6to4 metadata"),
    ("2001:0:7f00:1::f7f7:f7f7", Scope.LOCAL, "Teredo, the server is loopback"),
    ("2001::1", Scope.NEVER, "Teredo, the server is 0.0.0.0"),
    ("2001:0:4136:e378:8000:63bf:80ff:fffe", Scope.LOCAL, "Teredo, the client is loopback, inverted"),
    ("2001:0:4136:e378:8000:63bf:f7f7:f7f7", Scope.PUBLIC, "Teredo between public addresses"),
    ("2606:4700::5efe:7f00:1", Scope.LOCAL, "ISATAP loopback on a public prefix"),
    ("2606:4700::200:5efe:10.0.0.1", Scope.PRIVATE, "ISATAP private, universal bit set"),
    ("fe80::5efe:8.8.8.8", Scope.LINK, "ISATAP on the link"),
    ("2002:808:808::5efe:10.0.0.1", Scope.PRIVATE, "ISATAP private inside a public 6to4 site"),
    ("2002:808:808::200:5efe:7f00:1", Scope.LOCAL, "the same, universal bit set"),
    ("2002:7f00:1::5efe:8.8.8.8", Scope.LOCAL, "ISATAP public inside a 6to4 site of loopback"),
    # What is no address is refused, not guessed at.
    ("", Scope.NEVER, "nothing"),
    ("127.1", Scope.NEVER, "inet_aton's short form"),
    ("0x7f.0.0.1", Scope.NEVER, "inet_aton's hexadecimal form"),
    ("127.0.0.01", Scope.NEVER, "octal or decimal?"),
    ("2130706433", Scope.NEVER, "one number"),
    ("256.0.0.1", Scope.NEVER, "too large an octet"),
    ("8.8.8.8%eth0", Scope.NEVER, "IPv4 has no scope ids"),
    ("[::1]", Scope.NEVER, "brackets belong to the URL"),
    ("::1%", Scope.LOCAL, "an empty scope id changes nothing"),
    ("1::2::3", Scope.NEVER, "two gaps"),
    ("::ffff:0177.0.0.1", Scope.NEVER, "octal inside"),
    ("８.8.8.8", Scope.NEVER, "a full-width digit"),
    ("8.8.8.8\0", Scope.NEVER, "NUL"),
    ("8.8.8.8 ", Scope.NEVER, "space"),
    ("localhost", Scope.NEVER, "a name"),
    ("::" + "1" * 5000, Scope.NEVER, "long"),
]


@each_row(("address", "expected", "reason"), SCOPES, ids=[f"{a[:40]!r} {r}" for a, _, r in SCOPES])
def test_scope(address: str, expected: Scope, reason: str) -> None:
    assert scope(address) == expected


WHY = [
    ("10.1.2.3", "10.1.2.3 is in 10.0.0.0/8, Private-Use (RFC 1918)"),
    ("8.8.8.8", "8.8.8.8 is public"),
    ("::ffff:127.0.0.1", "::ffff:127.0.0.1 stands for 127.0.0.1, in 127.0.0.0/8, Loopback (RFC 1122 3.2.1.3)"),
    ("64:ff9b::a00:1", "64:ff9b::a00:1 stands for 10.0.0.1, in 10.0.0.0/8, Private-Use (RFC 1918)"),
    ("2002:808:808::", "2002:808:808:: is in 2002::/16, 6to4 (RFC 3056)"),
    ("2002:a00:1::", "2002:a00:1:: stands for 10.0.0.1, in 10.0.0.0/8, Private-Use (RFC 1918)"),
    ("1::1", "1::1 is in ::/0, Reserved by IETF (RFC 4291 4)"),
    ("127.1", "the text is not an address"),
]  # fmt: skip


@each_row(("address", "expected"), WHY)
def test_why_names_the_row_that_decides(address: str, expected: str) -> None:
    assert why(address) == expected


@given(st.integers(0, 2**32 - 1))
def test_the_narrowest_row_decides_for_ipv4(number: int) -> None:
    address = str(IPv4Address(number))
    expected = max(
        (row for row in IPV4_ROWS if number >> 32 - row.length == row.first >> 32 - row.length),
        key=lambda row: row.length,
    )
    assert forms(address)[0].row is expected


@given(st.one_of(st.integers(0, 2**128 - 1), st.sampled_from(IPV6_ROWS).map(lambda row: row.first)), st.integers(-1, 1))
def test_the_narrowest_row_decides_for_ipv6(number: int, step: int) -> None:
    number = (number + step) % 2**128
    address = str(IPv6Address(number))
    expected = max(
        (row for row in IPV6_ROWS if number >> 128 - row.length == row.first >> 128 - row.length),
        key=lambda row: row.length,
    )
    assert forms(address)[0].row is expected


def test_each_row_decides_from_its_first_address_to_its_last_and_no_further() -> None:
    for rows, bits, made in ((IPV4_ROWS, 32, IPv4Address), (IPV6_ROWS, 128, IPv6Address)):
        for number in {at for row in rows for at in (row.first - 1, row.first, row.end - 1, row.end)}:
            if 0 <= number < 1 << bits:
                narrowest = max((row for row in rows if row.first <= number < row.end), key=lambda row: row.length)
                assert forms(str(made(number)))[0].row is narrowest


@given(st.integers(2, 2**32 - 1))  # ::0.0.0.0 and ::0.0.0.1 are addresses of their own
def test_no_disguise_makes_an_address_more_public(number: int) -> None:
    plain = IPv4Address(number)
    disguises = (
        f"::ffff:{plain}", f"::{plain}", f"::ffff:0:{plain}", f"64:ff9b::{plain}", f"64:ff9b:1::{plain}",
        str(IPv6Address(0x2002 << 112 | number << 80)), str(IPv6Address(0x20010000 << 96 | number << 64)),
        str(IPv6Address(0x20010000 << 96 | 0x08080808 << 64 | (number ^ 0xFFFFFFFF))), f"2606:4700::5efe:{plain}",
    )  # fmt: skip
    least = scope(str(plain))
    assert [address for address in disguises if scope(address) < least] == []


@given(st.text(max_size=50))
def test_any_text_has_a_scope(text: str) -> None:
    assert scope(text) in Scope
    assert why(text)


def test_what_getaddrinfo_gives_is_understood() -> None:
    answers = {str(row[4][0]) for row in socket.getaddrinfo("localhost", 80, type=socket.SOCK_STREAM)}
    assert {scope(answer) for answer in answers} == {Scope.LOCAL}
