"""Where an address leads: public, private, link-local, this machine, or nowhere a client should go.

The rule: an address is judged only by the dated table below, not by the operating system or Python's `ipaddress` (which
misses a quarter of the special literals). An address that carries another one (IPv4-mapped, NAT64, 6to4, Teredo ...) is
as restricted as the worst of its forms. An unreadable address is `Scope.NEVER`.

Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 8190), IANA multicast and IPv6 address
space registries, and the cloud providers' manuals for their metadata services.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cache
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton

from anyurl.values import Scope, Struct, Value

TABLE_DATE = "2026-07-18"
"""The day of the IANA registries that the table was last compared with."""


class AddressRange(Value):
    """One row of the table.

    Attributes:
        prefix: In CIDR form.
        scope: Where its addresses lead, an embedded address apart.
        name: As the registry calls it.
        reference: The document that says so.
        embedded: From the number of an IPv6 address to the IPv4 numbers it carries, or None.
    """

    prefix: str
    scope: Scope
    name: str
    reference: str
    embedded: Callable[[int], tuple[int, ...]] | None = None

    @property
    def bits(self) -> int:
        """32 or 128."""
        return 128 if ":" in self.prefix else 32

    @property
    def length(self) -> int:
        """Of the prefix, in bits."""
        return int(self.prefix.partition("/")[2])

    @property
    def first(self) -> int:
        """The first address, as a number."""
        return _number(self.prefix.partition("/")[0])[1]

    @property
    def end(self) -> int:
        """The number after the last address."""
        return self.first + (1 << self.bits - self.length)


def _number(address: str) -> tuple[int, int]:
    """Width in bits and number of an address literal; ValueError or OSError if it is not one."""
    if ":" not in address:
        return 32, int.from_bytes(inet_pton(AF_INET, address), "big")
    # A scope id (fe80::1%eth0) says which link, not which address: getaddrinfo and getpeername write it.
    return 128, int.from_bytes(inet_pton(AF_INET6, address.partition("%")[0]), "big")


def _low(number: int) -> tuple[int, ...]:
    return (number & 0xFFFFFFFF,)


def _six_to_four(number: int) -> tuple[int, ...]:
    return (number >> 80 & 0xFFFFFFFF,)


def _teredo(number: int) -> tuple[int, ...]:
    """Server, and client with every bit turned round (RFC 4380 4)."""
    return number >> 64 & 0xFFFFFFFF, ~number & 0xFFFFFFFF


_PUBLIC, _PRIVATE, _LINK, _LOCAL, _NEVER = Scope

IPV4_ROWS: tuple[AddressRange, ...] = (
    AddressRange("0.0.0.0/0", _PUBLIC, "public", "RFC 791"),
    AddressRange("0.0.0.0/8", _NEVER, '"This network"', "RFC 791 3.2"),
    AddressRange("0.0.0.0/32", _NEVER, '"This host on this network", which reaches this machine', "RFC 1122 3.2.1.3"),
    AddressRange("10.0.0.0/8", _PRIVATE, "Private-Use", "RFC 1918"),
    AddressRange("100.64.0.0/10", _PRIVATE, "Shared Address Space", "RFC 6598"),
    AddressRange("100.100.100.200/32", _LINK, "Alibaba Cloud metadata", "Alibaba Cloud ECS manual"),
    AddressRange("127.0.0.0/8", _LOCAL, "Loopback", "RFC 1122 3.2.1.3"),
    AddressRange("168.63.129.16/32", _LINK, "Azure WireServer, a public address that reaches the host", "Azure manual"),
    AddressRange("169.254.0.0/16", _LINK, "Link Local", "RFC 3927"),
    AddressRange("169.254.169.254/32", _LINK, "cloud metadata", "AWS, Google Cloud, Azure, OpenStack manuals"),
    AddressRange("169.254.170.2/32", _LINK, "Amazon ECS task credentials", "AWS manual"),
    AddressRange("169.254.170.23/32", _LINK, "Amazon EKS pod credentials", "AWS manual"),
    AddressRange("172.16.0.0/12", _PRIVATE, "Private-Use", "RFC 1918"),
    AddressRange("192.0.0.0/24", _PRIVATE, "IETF Protocol Assignments", "RFC 6890 2.1"),
    AddressRange("192.0.0.0/29", _PRIVATE, "IPv4 Service Continuity Prefix", "RFC 7335"),
    AddressRange("192.0.0.8/32", _PRIVATE, "IPv4 dummy address", "RFC 7600"),
    AddressRange("192.0.0.9/32", _PUBLIC, "Port Control Protocol Anycast", "RFC 7723"),
    AddressRange("192.0.0.10/32", _PUBLIC, "Traversal Using Relays around NAT Anycast", "RFC 8155"),
    AddressRange("192.0.0.170/32", _PRIVATE, "NAT64/DNS64 Discovery", "RFC 8880"),
    AddressRange("192.0.0.171/32", _PRIVATE, "NAT64/DNS64 Discovery", "RFC 8880"),
    AddressRange("192.0.0.192/32", _LINK, "Oracle Cloud (Classic) metadata", "Oracle Cloud manual"),
    AddressRange("192.0.2.0/24", _PRIVATE, "Documentation (TEST-NET-1)", "RFC 5737"),
    AddressRange("192.31.196.0/24", _PUBLIC, "AS112-v4", "RFC 7535"),
    AddressRange("192.52.193.0/24", _PUBLIC, "AMT", "RFC 7450"),
    AddressRange("192.88.99.0/24", _PRIVATE, "Deprecated (6to4 Relay Anycast)", "RFC 7526"),
    AddressRange("192.88.99.2/32", _PRIVATE, "6a44-relay anycast address", "RFC 6751"),
    AddressRange("192.168.0.0/16", _PRIVATE, "Private-Use", "RFC 1918"),
    AddressRange("192.175.48.0/24", _PUBLIC, "Direct Delegation AS112 Service", "RFC 7534"),
    AddressRange("198.18.0.0/15", _PRIVATE, "Benchmarking", "RFC 2544"),
    AddressRange("198.51.100.0/24", _PRIVATE, "Documentation (TEST-NET-2)", "RFC 5737"),
    AddressRange("203.0.113.0/24", _PRIVATE, "Documentation (TEST-NET-3)", "RFC 5737"),
    AddressRange("224.0.0.0/4", _NEVER, "Multicast", "RFC 5771"),
    AddressRange("240.0.0.0/4", _NEVER, "Reserved", "RFC 1112 4"),
    AddressRange("255.255.255.255/32", _NEVER, "Limited Broadcast", "RFC 919 7"),
)

IPV6_ROWS: tuple[AddressRange, ...] = (
    # Addresses that are neither global unicast nor named below are unassigned: no host has them.
    AddressRange("::/0", _NEVER, "Reserved by IETF", "RFC 4291 4"),
    AddressRange("::/96", _PRIVATE, "IPv4-Compatible Address, deprecated", "RFC 4291 2.5.5.1", _low),
    AddressRange("::/128", _NEVER, "Unspecified Address, which reaches this machine", "RFC 4291 2.5.2"),
    AddressRange("::1/128", _LOCAL, "Loopback Address", "RFC 4291 2.5.3"),
    AddressRange("::ffff:0:0/96", _PUBLIC, "IPv4-mapped Address", "RFC 4291 2.5.5.2", _low),
    AddressRange("::ffff:0:0:0/96", _PRIVATE, "IPv4-translated Address", "RFC 7915 Appendix A", _low),
    AddressRange("64:ff9b::/96", _PUBLIC, "IPv4-IPv6 Translat.", "RFC 6052 2.1", _low),
    AddressRange("64:ff9b:1::/48", _PRIVATE, "IPv4-IPv6 Translat., local use", "RFC 8215", _low),
    AddressRange("100::/64", _NEVER, "Discard-Only Address Block", "RFC 6666"),
    AddressRange("100:0:0:1::/64", _NEVER, "Dummy IPv6 Prefix", "RFC 9780"),
    AddressRange("2000::/3", _PUBLIC, "public", "RFC 4291 2.5.4"),
    AddressRange("2001::/23", _PRIVATE, "IETF Protocol Assignments", "RFC 2928"),
    AddressRange("2001::/32", _PUBLIC, "TEREDO", "RFC 4380", _teredo),
    AddressRange("2001:1::1/128", _PUBLIC, "Port Control Protocol Anycast", "RFC 7723"),
    AddressRange("2001:1::2/128", _PUBLIC, "Traversal Using Relays around NAT Anycast", "RFC 8155"),
    AddressRange("2001:1::3/128", _PUBLIC, "DNS-SD Service Registration Protocol Anycast", "RFC 9665"),
    AddressRange("2001:2::/48", _PRIVATE, "Benchmarking", "RFC 5180"),
    AddressRange("2001:3::/32", _PUBLIC, "AMT", "RFC 7450"),
    AddressRange("2001:4:112::/48", _PUBLIC, "AS112-v6", "RFC 7535"),
    AddressRange("2001:10::/28", _PRIVATE, "Deprecated (previously ORCHID)", "RFC 4843"),
    # Globally unique identifiers, but "should not appear in the IP destination field" (RFC 7343 1.1, RFC 9374 3.4).
    AddressRange("2001:20::/28", _PRIVATE, "ORCHIDv2", "RFC 7343"),
    AddressRange("2001:30::/28", _PRIVATE, "Drone Remote ID Protocol Entity Tags (DETs) Prefix", "RFC 9374"),
    AddressRange("2001:db8::/32", _PRIVATE, "Documentation", "RFC 3849"),
    AddressRange("2002::/16", _PUBLIC, "6to4", "RFC 3056", _six_to_four),
    AddressRange("2620:4f:8000::/48", _PUBLIC, "Direct Delegation AS112 Service", "RFC 7534"),
    AddressRange("3fff::/20", _PRIVATE, "Documentation", "RFC 9637"),
    AddressRange("5f00::/16", _PRIVATE, "Segment Routing (SRv6) SIDs", "RFC 9602"),
    AddressRange("fc00::/7", _PRIVATE, "Unique-Local", "RFC 4193"),
    AddressRange("fd00:42::42/128", _LINK, "Scaleway metadata", "Scaleway manual"),
    AddressRange("fd00:c1::a9fe:a9fe/128", _LINK, "Oracle Cloud metadata", "Oracle Cloud manual"),
    AddressRange("fd00:ec2::254/128", _LINK, "AWS metadata", "AWS manual"),
    AddressRange("fd00:ec2::23/128", _LINK, "Amazon EKS pod credentials", "AWS manual"),
    AddressRange("fd20:ce::254/128", _LINK, "Google Cloud metadata", "Google Cloud manual"),
    AddressRange("fe80::/10", _LINK, "Link-Local Unicast", "RFC 4291 2.5.6"),
    AddressRange("fec0::/10", _PRIVATE, "Site-Local, deprecated", "RFC 3879"),
    AddressRange("ff00::/8", _NEVER, "Multicast", "RFC 4291 2.7"),
)

_ISATAP_IDS = (0x00005EFE, 0x02005EFE)


@cache
def _intervals(bits: int) -> tuple[list[int], list[AddressRange]]:
    """The table as intervals that don't overlap: their first numbers, and the narrowest row of each."""
    starts: list[int] = []
    owners: list[AddressRange] = []

    def begin(number: int, row: AddressRange) -> None:
        if starts and starts[-1] == number:  # a narrower row, or a neighbour's, that begins where the last one does
            owners[-1] = row
        else:
            starts.append(number)
            owners.append(row)

    around: list[AddressRange] = []  # the rows that hold the current number, the narrowest last
    for row in sorted(IPV4_ROWS if bits == 32 else IPV6_ROWS, key=lambda row: (row.first, row.length)):
        while around and around[-1].end <= row.first:
            begin(around.pop().end, around[-1])
        begin(row.first, row)
        around.append(row)
    return starts, owners  # the rows that are left end where the numbers do


class AddressForm(Struct):
    """One of the addresses that an address stands for: itself, or an IPv4 address that it carries.

    Attributes:
        bits: 32 or 128.
        number: The address as a number.
        row: The narrowest row of the table that holds it.
    """

    bits: int
    number: int
    row: AddressRange

    def __str__(self) -> str:
        family = AF_INET if self.bits == 32 else AF_INET6
        return inet_ntop(family, self.number.to_bytes(self.bits // 8, "big"))


def _form4(number: int) -> AddressForm:
    starts, owners = _intervals(32)
    return AddressForm(32, number, owners[bisect_right(starts, number) - 1])


def forms(address: str) -> tuple[AddressForm, ...]:
    """The address itself, then the addresses that it carries; empty when the text is not an address.

    Args:
        address: A literal as `getaddrinfo` and `getpeername` give it: four plain decimals, or IPv6 without brackets,
            optionally followed by a scope id (``%eth0``).
    """
    if not isinstance(address, str):
        raise TypeError(f"an address is a str, not {type(address).__name__}")
    if not address[-1:].isdecimal() and ":" not in address:
        return ()  # a name, told from an address without the cost of an exception
    try:
        bits, number = _number(address)
    except (OSError, ValueError):
        return ()
    if bits == 32:
        return (_form4(number),)
    starts, owners = _intervals(128)
    row = owners[bisect_right(starts, number) - 1]
    carried = () if row.embedded is None else row.embedded(number)
    if number >> 32 & 0xFFFFFFFF in _ISATAP_IDS and row.embedded is not _teredo:
        carried += _low(number)  # a tunnel to the IPv4 address in the interface identifier (RFC 5214 6.1)
    return AddressForm(128, number, row), *(_form4(inner) for inner in carried)


def scope(address: str) -> Scope:
    """The scope of an address; its most restricted form counts, and invalid text is `Scope.NEVER`.

    >>> scope("8.8.8.8").name, scope("::ffff:127.0.0.1").name, scope("64:ff9b::10.0.0.1").name
    ('PUBLIC', 'LOCAL', 'PRIVATE')
    """
    found = forms(address)
    if len(found) == 1:
        return found[0].row.scope
    return max((form.row.scope for form in found), default=Scope.NEVER)


def why(address: str) -> str:
    """Explain the scope of an address in one clause, with the table row that decides it.

    >>> why("10.1.2.3")
    '10.1.2.3 is in 10.0.0.0/8, Private-Use (RFC 1918)'
    >>> why("::ffff:127.0.0.1")
    '::ffff:127.0.0.1 stands for 127.0.0.1, in 127.0.0.0/8, Loopback (RFC 1122 3.2.1.3)'
    """
    found = forms(address)
    if not found:
        return "the text is not an address"
    return describe(found, max(found, key=lambda form: form.row.scope))


def describe(found: tuple[AddressForm, ...], form: AddressForm, name: str = "") -> str:
    """One clause about an address, in view of one of its forms.

    Args:
        found: All forms of the address, itself first.
        form: The one that matters.
        name: The name whose look-up gave the address, if one did.
    """
    row = form.row
    place = "public" if row.name == "public" else f"in {row.prefix}, {row.name} ({row.reference})"
    told = f"is {place}" if form is found[0] else f"stands for {form}, {place}"
    return f"{name} has the address {found[0]}, which {told}" if name else f"{found[0]} {told}"
