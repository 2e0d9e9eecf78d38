"""The entries of a policy's lists: networks and host patterns, and which matching entry is the most specific.

Rule: an entry that is not exactly valid is an error when the policy is made; it is never silently ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from anyurl.errors import URLSyntaxError
from anyurl.guard.addresses import AddressForm, forms
from anyurl.guard.ambiguity import is_unclear
from anyurl.url import URL

_NOT_IN_A_NAME = frozenset(map(chr, (*range(0x21), 0x7F))) | frozenset('"#%*/:<>?@[\\]^`{|}')
"""Characters that no host name has: a pattern with one of them was meant as a URL or ``host:port``."""


LOCAL_NAMES = ("localhost", "localhost6", "localhost.localdomain", "ip6-localhost", "ip6-loopback")
"""Names of this machine in RFC 6761 6.3 (the first, and all below it) and in the hosts files of common systems."""

_NOT_LETTERS = dict.fromkeys(map(ord, "+-."))
"""Characters that a scheme name may contain besides letters and digits (RFC 3986 3.1)."""


_MAPPED = 0xFFFF
"""The first 96 bits of an IPv4-mapped address (RFC 4291 2.5.5.2)."""


class NetworkEntry:
    """One entry of a list of networks.

    A network of IPv4-mapped addresses (``::ffff:10.0.0.0/104``, as dual-stack servers log them) is that of the IPv4
    addresses: an address is judged in all its forms, and an IPv4 address has no mapped one.
    """

    __slots__ = ("bits", "prefix", "length", "text")

    def __init__(self, text: str, would_be: str = "a network: 10.0.0.0/8, 10.0.0.42 or fd00::/8") -> None:
        address, slash, length = text.strip().partition("/")
        found = forms(address) if "%" not in address else ()
        if not found or (slash and not (length.isascii() and length.isdecimal() and int(length) <= found[0].bits)):
            raise ValueError(f"{text!r} is not {would_be} would be")
        form, first = found[0], 0
        size = int(length) if slash else form.bits
        if form.bits == 128 and form.number >> 32 == _MAPPED and size >= 96:
            form, first = found[1], 96
        self.bits: int = form.bits
        self.length: int = size - first
        self.prefix: int = form.number >> form.bits - self.length
        if self.prefix << form.bits - self.length != form.number:
            raise ValueError(f"{text!r} is not a network: it has bits set after its first {size}")
        self.text: str = f"{form}/{self.length}"

    def holds(self, form: AddressForm) -> bool:
        """Whether the address is one of this network's."""
        return form.bits == self.bits and form.number >> form.bits - self.length == self.prefix


def narrowest(nets: tuple[NetworkEntry, ...], form: AddressForm) -> int:
    """The length of the narrowest entry that holds the address, or -1."""
    return max((net.length for net in nets if net.holds(form)), default=-1)


def read_nets(name: str, value: str | Iterable[str]) -> tuple[tuple[NetworkEntry, ...], frozenset[str]]:
    """The networks and the host names of the list of that name, which may hold both.

    Raises:
        ValueError: One of them is neither, or a name of this machine.
    """
    nets, names = [], set()
    for text in texts(name, value):
        host = _name_in(text)
        if host is None:
            nets.append(NetworkEntry(text, "a network or a host: 10.0.0.0/8, 10.0.0.42, fd00::/8 or host.internal"))
        else:
            names.add(host)
    return tuple(nets), frozenset(names)


def _name_in(text: str) -> str | None:
    """The host name that an entry is, as a URL would have it; None if it can only be a network."""
    shown = text.strip()
    if not _NOT_IN_A_NAME.isdisjoint(shown) or forms(shown):
        return None
    try:
        host = canonical_name(URL(f"http://{shown}/").host or "")
    except URLSyntaxError:
        return None
    if is_unclear(host, ()):
        return None
    if is_this_machine(host):
        raise ValueError(f"{text!r} is this machine by definition: 127.0.0.1 would be a network, and ::1")
    return host


def canonical_name(host: str) -> str:
    """A host for comparison: in lower case, and without the root's dot."""
    return host.lower().removesuffix(".")


def is_this_machine(name: str) -> bool:
    """Whether a name means this machine by definition."""
    return name in LOCAL_NAMES or name.endswith(".localhost")


def read_pattern(text: str) -> str:
    """A host pattern in its canonical form: ``host.example.org``, ``*.example.org`` or ``*``.

    Raises:
        ValueError: It is not one of these, or it is an address.
    """
    pattern = text.strip().lower()
    if pattern != "*":
        pattern = pattern.removesuffix(".")
        name = pattern.removeprefix("*.")
        if forms(name.strip("[]")):
            raise ValueError(f"{text!r} is an address, not a host pattern: addresses belong in a list of networks")
        if not name.isascii() or not _NOT_IN_A_NAME.isdisjoint(name) or "" in name.split("."):
            raise ValueError(
                f"{text!r} is not a host pattern: host.example.org, *.example.org (A-labels) or * would be"
            )
    return pattern


def read_patterns(name: str, value: str | Iterable[str]) -> tuple[str, ...]:
    """The host patterns of the list of that name, each as `read_pattern` gives it."""
    return tuple(sorted({read_pattern(text) for text in texts(name, value)}))


def read_places(name: str, value: str | Iterable[str]) -> tuple[str, ...]:
    """Host patterns and addresses of the list of that name, each in its canonical form.

    Raises:
        ValueError: One of them is neither.
    """
    found = set()
    for text in texts(name, value):
        address = forms(text.strip().strip("[]"))
        found.add(str(address[0]) if address else read_pattern(text))
    return tuple(sorted(found))


def match(patterns: tuple[str, ...], host: str) -> tuple[int, str]:
    """How specific the best matching pattern is (an exact name beats any suffix), and the pattern; (-1, "") if none."""
    best = (-1, "")
    for pattern in patterns:
        if pattern == host:
            return 1_000, pattern
        if (pattern == "*" or (pattern.startswith("*.") and host.endswith(pattern[1:]))) and len(pattern) > best[0]:
            best = (len(pattern), pattern)
    return best


def texts(name: str, value: str | Iterable[str]) -> tuple[str, ...]:
    """The entries of the list of that name; a bare string is one entry, not its letters."""
    entries = (value,) if isinstance(value, str) else _listed(name, value)
    for entry in entries:
        if not isinstance(entry, str):
            raise TypeError(f"the entries of {name} are str, not {type(entry).__name__}")
    return entries


def read_ports(name: str, value: Iterable[int]) -> tuple[int, ...]:
    """The ports of the list of that name, in their order.

    Raises:
        ValueError: One of them is invalid.
    """
    ports = _listed(name, value)
    for port in ports:
        if not isinstance(port, int) or isinstance(port, bool):
            raise TypeError(f"the entries of {name} are int, not {type(port).__name__}")
        if not 0 < port <= 65_535:
            raise ValueError(f"{name} holds {port}: ports are 1 to 65535")
    return tuple(sorted(set(ports)))


def read_schemes(argument: str, names: str | Iterable[str]) -> tuple[str, ...]:
    """The schemes of the list of that name, in lower case.

    Raises:
        ValueError: One of them is invalid.
    """
    found = {name.strip().lower() for name in texts(argument, names)}
    if wrong := [name for name in found if not _is_scheme(name)]:
        raise ValueError(f"{wrong[0]!r} is not a scheme: ftp or http would be")
    return tuple(sorted(found))


def _is_scheme(name: str) -> bool:
    rest = name.translate(_NOT_LETTERS)
    return name[:1].isalpha() and name.isascii() and (not rest or rest.isalnum())


def check_switches(switches: Mapping[str, object]) -> None:
    """Raise TypeError for a switch that is not a bool. Attack: ``files="no"`` from a file would count as on."""
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name} is True or False, not {type(value).__name__}")


def _listed(name: str, value: object) -> tuple[Any, ...]:
    if isinstance(value, str | bytes | bytearray | memoryview | Mapping) or not isinstance(value, Iterable):
        raise TypeError(f"{name} is a list, not {type(value).__name__}")
    return tuple(value)
