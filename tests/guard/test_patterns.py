"""Entries of a policy's lists: what is exactly valid is read in one form, all else is an error with its words."""

from __future__ import annotations

import ipaddress
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.guard import patterns
from anyurl.guard.addresses import forms
from anyurl.guard.patterns import NetworkEntry, match, narrowest, read_nets, read_pattern, read_patterns, read_places
from tests.rows import each_row

NETWORKS = [
    ("10.0.0.0/8", "10.0.0.0/8", "a network"),
    (" 10.0.0.0/8\n", "10.0.0.0/8", "as a file has it"),
    ("10.0.0.42", "10.0.0.42/32", "one address"),
    ("0.0.0.0/0", "0.0.0.0/0", "all of them"),
    ("10.0.0.42/32", "10.0.0.42/32", "the longest"),
    ("fd00::/8", "fd00::/8", "a network"),
    ("FD00:0::1", "fd00::1/128", "one address"),
    ("::/0", "::/0", "all of them"),
    # as dual-stack servers log them (RFC 4291 2.5.5.2)
    ("::ffff:10.0.0.0/104", "10.0.0.0/8", "mapped"),
    ("::ffff:10.0.0.42", "10.0.0.42/32", "one mapped address"),
    ("::ffff:0:0/96", "0.0.0.0/0", "all mapped addresses"),
    ("::fffe:0:0/95", "::fffe:0:0/95", "those and others"),
]


@each_row(("text", "canonical", "why"), NETWORKS, ids=[row[0] for row in NETWORKS])
def test_a_network(text: str, canonical: str, why: str) -> None:
    assert NetworkEntry(text).text == canonical, why


@each_row(
    "text",
    [
        "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "fd00::/129", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/ 8",
        "10.0.0.0/\u0668", "10.0.0.0/8/8", "10.0.0/8", "10/8", "010.0.0.0/8", "0x0a000000/8", "example.org", "*",
        "[::1]", "fe80::1%eth0", "fe80::%eth0/64", "http://10.0.0.1", "10.0.0.1:80",
    ],
)  # fmt: skip
def test_what_is_no_network(text: str) -> None:
    said = f"{text!r} is not a network: 10.0.0.0/8, 10.0.0.42 or fd00::/8 would be"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        NetworkEntry(text)


@pytest.mark.parametrize("text", ["host.internal:8443", "http://host.internal/", "*.internal"])
def test_what_is_neither_a_network_nor_a_host(text: str) -> None:
    said = f"{text!r} is not a network or a host: 10.0.0.0/8, 10.0.0.42, fd00::/8 or host.internal would be"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        read_nets("allow_nets", [text])


@pytest.mark.parametrize(
    ("text", "size"), [("10.0.0.1/8", 8), ("10.0.0.1/31", 31), ("fd00::1/8", 8), ("::ffff:10.0.0.1/104", 104)]
)
def test_bits_behind_the_prefix_are_an_error(text: str, size: int) -> None:
    said = f"{text!r} is not a network: it has bits set after its first {size}"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        NetworkEntry(text)


@given(st.integers(0, 2**32 - 1), st.integers(0, 32), st.integers(0, 2**32 - 1))
def test_an_ipv4_network_holds_what_the_stdlib_says(number: int, length: int, other: int) -> None:
    network = ipaddress.IPv4Network((number, length), strict=False)
    near = ipaddress.IPv4Address((int(network.network_address) + other % 4 - 2) % 2**32)
    entry = NetworkEntry(str(network))
    assert entry.text == str(network)
    for address in (ipaddress.IPv4Address(other), ipaddress.IPv4Address(number), near):
        assert entry.holds(forms(str(address))[0]) is (address in network)
    assert not entry.holds(forms("::1")[0])


@given(st.integers(0, 2**128 - 1), st.integers(0, 95), st.integers(0, 2**128 - 1))
def test_an_ipv6_network_holds_what_the_stdlib_says(number: int, length: int, other: int) -> None:
    network = ipaddress.IPv6Network((number, length), strict=False)
    entry = NetworkEntry(str(network))
    for address in (ipaddress.IPv6Address(other), ipaddress.IPv6Address(number)):
        assert entry.holds(forms(str(address))[0]) is (address in network)


def test_a_network_that_is_mapped_holds_the_ipv4_addresses() -> None:
    entry = NetworkEntry("::ffff:10.0.0.0/104")
    assert entry.holds(forms("10.1.2.3")[0])
    assert not entry.holds(forms("11.0.0.0")[0])
    assert any(entry.holds(form) for form in forms("::ffff:10.1.2.3"))


def test_the_narrowest_entry() -> None:
    nets = tuple(map(NetworkEntry, ("10.0.0.0/8", "10.1.0.0/16", "0.0.0.0/0", "fd00::/8")))
    assert narrowest(nets, forms("10.1.2.3")[0]) == 16
    assert narrowest(nets, forms("10.2.2.3")[0]) == 8
    assert narrowest(nets, forms("9.2.2.3")[0]) == 0
    assert narrowest(nets, forms("fd00::1")[0]) == 8
    assert narrowest(nets, forms("::1")[0]) == -1
    assert narrowest((), forms("::1")[0]) == -1


@each_row(
    ("text", "pattern"),
    [
        ("host.example.org", "host.example.org"),
        (" HOST.Example.org. ", "host.example.org"),
        ("*.example.org", "*.example.org"),
        ("*.EXAMPLE.org.", "*.example.org"),
        ("*", "*"),
        (" * ", "*"),
        ("localhost", "localhost"),
        ("_dmarc.example.org", "_dmarc.example.org"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
    ],
)
def test_a_host_pattern(text: str, pattern: str) -> None:
    assert read_pattern(text) == pattern
    assert read_pattern(pattern) == pattern


@each_row(
    "text",
    [
        "", ".", "*.", "**", "*.*", "*.*.org", "a.*", "a*.org", "a..b", ".a", "a..", "http://a", "a:80", "a/b", "u@a",
        "a b", "a\tb", "a\x00b", "a\x7fb", "bücher.example", "a?b", "a#b", "a%b", "a|b", "{a}", "<a>", '"a"', "a\\b",
        "a^b", "a`b",
    ],
)  # fmt: skip
def test_what_is_no_host_pattern(text: str) -> None:
    said = f"{text!r} is not a host pattern: host.example.org, *.example.org (A-labels) or * would be"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        read_pattern(text)


@pytest.mark.parametrize("text", ["10.0.0.1", "::1", "[::1]", "*.10.0.0.1", " 127.0.0.1. "])
def test_an_address_is_no_host_pattern(text: str) -> None:
    said = f"{text!r} is an address, not a host pattern: addresses belong in a list of networks"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        read_pattern(text)


def test_lists_of_patterns_are_sorted_and_have_each_once() -> None:
    assert read_patterns("deny_hosts", ["b.org", "*", "A.org.", "a.org"]) == ("*", "a.org", "b.org")
    assert read_patterns("deny_hosts", "a.org") == ("a.org",)
    assert read_patterns("deny_hosts", iter(())) == ()
    assert read_places("allow_proxies", ["P.org", " [0:0::1] ", "10.0.0.1", "::1"]) == ("10.0.0.1", "::1", "p.org")
    with pytest.raises(ValueError, match="is not a host pattern"):
        read_places("allow_proxies", ["p.org:3128"])


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("example.org", (1_000, "example.org")),
        ("www.example.org", (13, "*.example.org")),
        ("a.lab.example.org", (17, "*.lab.example.org")),
        ("lab.example.org", (13, "*.example.org")),
        ("badexample.org", (1, "*")),
        ("", (1, "*")),
    ],
)
def test_the_most_specific_pattern_matches(host: str, found: tuple[int, str]) -> None:
    listed = ("*", "*.example.org", "*.lab.example.org", "example.org")
    assert match(listed, host) == found
    assert match(listed[::-1], host) == found


def test_no_pattern_matches() -> None:
    assert match((), "a.org") == (-1, "")
    assert match(("*.b.org", "b.org"), "a.org") == (-1, "")


@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=4))
def test_a_suffix_matches_what_is_below_it(labels: list[str]) -> None:
    host = ".".join(labels)
    matches = labels[-2:] == ["a", "b"] and len(labels) > 2
    assert match(("*.a.b",), host) == ((5, "*.a.b") if matches else (-1, ""))


@pytest.mark.parametrize(
    ("value", "kind"),
    [(1, "int"), (None, "NoneType"), (b"x", "bytes"), (bytearray(b"x"), "bytearray"), ({"x": 1}, "dict")],
)
def test_what_is_no_list(value: Any, kind: str) -> None:
    for read in (patterns.texts, patterns.read_patterns, patterns.read_places, patterns.read_schemes,
                 patterns.read_ports):  # fmt: skip
        with pytest.raises(TypeError, match=f"^mine is a list, not {kind}$"):
            read("mine", value)


def test_a_bare_string_is_one_entry() -> None:
    assert patterns.texts("mine", "ab") == ("ab",)
    assert patterns.texts("mine", ["ab", "c"]) == ("ab", "c")
    with pytest.raises(TypeError, match=r"^the entries of mine are str, not bytes$"):
        patterns.texts("mine", [b"ab"])  # type: ignore[list-item]


def test_ports() -> None:
    assert patterns.read_ports("mine", [65_535, 1, 80, 80]) == (1, 80, 65_535)
    assert patterns.read_ports("mine", range(0)) == ()
    for port in (0, -1, 65_536):
        with pytest.raises(ValueError, match=f"^mine holds {port}: ports are 1 to 65535$"):
            patterns.read_ports("mine", [port])
    for entry, kind in ((True, "bool"), ("80", "str"), (80.0, "float")):
        with pytest.raises(TypeError, match=f"^the entries of mine are int, not {kind}$"):
            patterns.read_ports("mine", [entry])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"^mine is a list, not str$"):
        patterns.read_ports("mine", "80")  # type: ignore[arg-type]


def test_schemes() -> None:
    """RFC 3986 3.1: a letter, then letters, digits, ``+``, ``-`` and ``.``."""
    assert patterns.read_schemes("mine", [" HTTP ", "ftp", "http", "z39.50r", "a+b-c", "x"]) == (
        "a+b-c", "ftp", "http", "x", "z39.50r",
    )  # fmt: skip
    assert patterns.read_schemes("mine", "ftp") == ("ftp",)
    for name in ("", "1a", "+a", "a_b", "a:", "é", "aé", "http://"):
        with pytest.raises(ValueError, match=f"^{re.escape(repr(name))} is not a scheme: ftp or http would be$"):
            patterns.read_schemes("mine", [name])


def test_switches() -> None:
    patterns.check_switches({"files": True, "allow_private": False})
    for value, kind in (("no", "str"), (0, "int"), (1, "int"), (None, "NoneType")):
        with pytest.raises(TypeError, match=f"^files is True or False, not {kind}$"):
            patterns.check_switches({"fine": True, "files": value})
