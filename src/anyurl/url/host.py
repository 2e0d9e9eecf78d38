"""Hosts: addresses in brackets, plain IPv4, internationalised names (RFC 3986 3.2.2, RFC 5890, UTS 46).

Rules: addresses are accepted only in the spelling that every parser agrees on (four plain decimals; IPv6 without a
zone). Non-ASCII hosts are converted once, by UTS 46 and IDNA 2008, and must not become a delimiter or an address.
"""

from __future__ import annotations

from functools import lru_cache

from anyurl.url.cut import numbers
from anyurl.url.cut.addresses import format_ipv6, parse_ipv6

_HEX = frozenset("0123456789abcdefABCDEF")
_DIGITS = frozenset("0123456789")
_FUTURE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:")
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

MAX_HOST_CHARACTERS = 1_024
"""The longest host that is passed to IDNA, whose time is not linear: four times a DNS name (RFC 1035 2.3.4)."""


REMEMBERED = 1_024
"""Hosts whose canonical and ASCII forms are remembered: the links of a page share hosts, and a URL needs each twice."""


def parse_port(text: str) -> int | None:
    """The port that decimal digits name, 0 to 65535; None for every other text (RFC 3986 3.2.3).

    Zeros before it count for nothing, however many there are: Python's `int` reads no more than 4,300 digits.

    >>> parse_port("0080"), parse_port("65536"), parse_port("0" * 5000), parse_port("")
    (80, None, 0, None)
    """
    if not text or not _DIGITS.issuperset(text):
        return None
    digits = text.lstrip("0") or "0"
    return int(digits) if len(digits) <= 5 and int(digits) <= numbers.MAX_PORT else None


def parse_ipv4(text: str) -> bytes | None:
    """The four octets of an IPv4 address in plain decimals; None for every other text (RFC 3986 3.2.2).

    >>> parse_ipv4("127.0.0.1"), parse_ipv4("127.0.0.01"), parse_ipv4("127.1")
    (b'\\x7f\\x00\\x00\\x01', None, None)
    """
    groups = text.split(".")
    if len(groups) != 4:
        return None
    octets = []
    for group in groups:
        if not 1 <= len(group) <= 3 or not _DIGITS.issuperset(group) or (group[0] == "0" and group != "0"):
            return None
        octets.append(int(group))
    return bytes(octets) if max(octets) < 256 else None


def needs_zone(address: str) -> bool:
    """Whether an address is IPv6 link-local, and so ambiguous without a zone (RFC 4291 2.5.6).

    Args:
        address: Without brackets, with or without a zone.
    """
    if address[:2].lower() != "fe":
        return False
    octets = parse_ipv6(address.partition("%")[0])
    return octets is not None and octets[0] == 0xFE and octets[1] & 0xC0 == 0x80


def literal_fault(literal: str) -> int:
    """The fault number of a bracketed address; 0 if it is valid (RFC 3986 3.2.2)."""
    text = literal[1:-1]
    address, zone, _ = text.partition("%")
    if parse_ipv6(address) is not None:
        return numbers.FAULT_ZONE if zone else 0  # RFC 6874 zones: parsers disagree about them
    version, dot, rest = text[1:].partition(".")
    if text[:1] in ("v", "V") and version and dot and rest and _HEX.issuperset(version) and _FUTURE.issuperset(rest):
        return 0
    return numbers.FAULT_ADDRESS


@lru_cache(REMEMBERED)
def canonical(host: str) -> str:
    """The canonical spelling of a host: lower case, IPv6 as in RFC 5952.

    Args:
        host: Without brackets.
    """
    if ":" in host:
        octets = parse_ipv6(host)
        if octets is not None:
            return format_ipv6(octets)
    return host.lower()


def bracketed(host: str) -> str | int:
    """A host as written in a URL: an IPv6 address in brackets, a non-ASCII name in its ASCII form.

    Returns:
        The host, or the fault number if the name has no ASCII form.
    """
    if ":" in host and not host.startswith("["):
        return f"[{host}]"
    return host if host.isascii() else to_ascii(host)


@lru_cache(REMEMBERED)
def to_ascii(host: str) -> str | int:
    """The ASCII form of a non-ASCII host: UTS 46 (non-transitional), then IDNA 2008 for each label.

    Attack: the mapping turns the fullwidth solidus and number sign into delimiters, so that
    ``evil.example／.good.example`` would be checked as one host and reached as another, and fullwidth digits into
    addresses. Such results are refused.

    Returns:
        The ASCII form, or the fault number if there is none.
    """
    import idna  # loading its tables takes 25 ms

    if len(host) > MAX_HOST_CHARACTERS:
        return numbers.FAULT_IDNA
    try:
        mapped = idna.uts46_remap(host, std3_rules=False)
        labels = [label if label.isascii() else idna.alabel(label).decode("ascii") for label in mapped.split(".")]
    except (idna.IDNAError, UnicodeError):
        return numbers.FAULT_IDNA
    name = ".".join(labels)
    if not _NAME.issuperset(name):
        return numbers.FAULT_IDNA
    last = name.removesuffix(".").rpartition(".")[2]
    if (last and _DIGITS.issuperset(last)) or (last[:2] == "0x" and _HEX.issuperset(last[2:])):
        return numbers.FAULT_MAPPED_NUMERIC
    return name
