"""Where an edge may lead: addresses of every class, and names for them; and of which class an address is.

Rule: this is the judge's own list, written beside the pools that addresses are drawn from; nothing here is the guard's.
Every address that can be is drawn once only, so that a connection to it says which edge led there.
"""

from __future__ import annotations

import ipaddress
import random

PUBLIC, PRIVATE, LINK, LOCAL, NEVER = range(5)
"""From the most to the least public; what is NEVER is no host."""

CLASSES = ("public", "private", "link", "local", "never")

_NETS = [
    (ipaddress.ip_network(net), which)
    for which, nets in (
        (PUBLIC, "93.0.0.0/8 2606:2800::/32"),
        (PRIVATE, "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 198.51.100.0/24 fd00::/8"),
        (LINK, "169.254.0.0/16 fe80::/10 168.63.129.16/32 100.100.100.200/32 fd00:ec2::254/128"),
        (LOCAL, "127.0.0.0/8 ::1/128"),
        (NEVER, "0.0.0.0/8 224.0.0.0/4 240.0.0.0/4 ::/128 ff00::/8"),
    )
    for net in nets.split()
]
_CARRIERS = [
    (ipaddress.ip_network(net), shift) for net, shift in (("::ffff:0:0/96", 0), ("64:ff9b::/96", 0), ("2002::/16", 80))
]
"""What carries an IPv4 address, and how far from its end."""


def class_of(address: str) -> int:
    """The class of an address; that of the IPv4 address in it, for one that carries one.

    Raises:
        LookupError: No edge leads there.
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    for net, shift in _CARRIERS:
        if found in net:
            return class_of(str(ipaddress.IPv4Address(int(found) >> shift & 0xFFFFFFFF)))
    classes = [(net.prefixlen, which) for net, which in _NETS if found in net]
    if not classes:
        raise LookupError(address)
    return max(classes)[1]


class Place:
    """A host as it stands in a URL, and every address that it may turn out to have."""

    __slots__ = ("host", "addresses")

    def __init__(self, host: str, *addresses: str) -> None:
        self.host = host
        self.addresses = addresses


DOMAIN = "crawl.test"


def name_for(*addresses: str, flips: bool = False) -> str:
    """A name that says its own addresses; one that flips has the first when it is asked for first, then the others."""
    packed = "-".join(ipaddress.ip_address(each).packed.hex() for each in addresses)
    return f"{'f' if flips else 'x'}{packed}.{DOMAIN}"


class Names:
    """The look-up of this network: what `anyurl.net.wire.connector.Network` takes."""

    def __init__(self) -> None:
        self._asked: set[str] = set()

    def look_up(self, name: str) -> list[str]:
        """All addresses of a name. Raises OSError when it has none."""
        label, _, domain = name.lower().removesuffix(".").partition(".")
        if name.lower().removesuffix(".").rpartition(".")[2] == "localhost":
            return ["127.0.0.1", "::1"]
        if domain != DOMAIN:
            raise OSError(f"{name} does not exist")
        addresses = [str(ipaddress.ip_address(bytes.fromhex(each))) for each in label[1:].split("-")]
        if label[0] != "f":
            return addresses
        again = label in self._asked
        self._asked.add(label)
        return addresses[1:] if again else addresses[:1]


class Pool:
    """Draws places. Args: the seed decides on the sorts of them, and the count that follows on the addresses."""

    def __init__(self, source: random.Random, first: int = 1) -> None:
        self._source = source
        self._next = first

    def address(self, which: int, *, six: bool = False) -> str:
        """An address that was not drawn before, of a class that has many."""
        self._next += 1
        number = self._next
        if six and which in (PUBLIC, PRIVATE):
            return str(ipaddress.IPv6Address((0x26062800 << 96 if which == PUBLIC else 0xFD12 << 112) + number))
        base = {PUBLIC: 93, PRIVATE: 10, LOCAL: 127}.get(which)
        if base is not None:
            return str(ipaddress.IPv4Address((base << 24) + 256 + number))
        if which == LINK:
            return str(ipaddress.IPv4Address((169 << 24) + (254 << 16) + 256 + number % 60_000))
        return self._source.choice(("0.0.0.0", "224.0.0.1", "255.255.255.255", "240.0.0.1"))

    def public(self) -> Place:
        """By a name that a certificate can be for."""
        address = self.address(PUBLIC, six=self._source.random() < 0.1)
        return Place(name_for(address), address)

    def any(self) -> Place:
        """Of any sort."""
        draw = self._source.random()
        if draw < 0.5:
            return self.public()
        if draw < 0.56:
            address = self.address(PUBLIC)
            return Place(address, address)
        make = self._source.choice(_SORTS)
        return make(self)

    def _literal(self, which: int) -> Place:
        address = self.address(which)
        return Place(address, address)

    def _named(self, which: int) -> Place:
        address = self.address(which)
        return Place(name_for(address), address)

    def _six(self, which: int) -> Place:
        address = self.address(which, six=True)
        return Place(f"[{address}]", address)

    def _mixed(self) -> Place:
        """What a good and a bad address have in common is the name."""
        addresses = [self.address(PUBLIC), self.address(self._source.choice((PRIVATE, LOCAL, LINK)))]
        self._source.shuffle(addresses)
        return Place(name_for(*addresses), *addresses)

    def _flipping(self) -> Place:
        """Public when it is looked up first, and not when it is looked up again (rebinding)."""
        addresses = self.address(PUBLIC), self.address(self._source.choice((PRIVATE, LOCAL, LINK)))
        return Place(name_for(*addresses, flips=True), *addresses)

    def _carrying(self) -> Place:
        inner = ipaddress.IPv4Address(self.address(self._source.choice((PRIVATE, LOCAL, LINK))))
        address = ipaddress.IPv6Address(self._source.choice((
            (0xFFFF << 32) + int(inner), (0x64FF9B << 96) + int(inner), (0x2002 << 112) + (int(inner) << 80),
        )))  # fmt: skip
        return Place(f"[{address}]", str(address))

    def _disguised(self) -> Place:
        """Loopback or metadata as other programs read it; no reader of RFC 3986 takes it for an address."""
        host, address = self._source.choice((
            ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0177.0.0.1", "127.0.0.1"),
            ("2852039166", "169.254.169.254"), ("127.0.0.1.", "127.0.0.1"), ("0", "0.0.0.0"),
        ))  # fmt: skip
        return Place(host, address)

    def _fixed(self) -> Place:
        host, *addresses = self._source.choice((
            ("localhost", "127.0.0.1", "::1"), ("LOCALHOST.", "127.0.0.1", "::1"), ("127.0.0.1", "127.0.0.1"),
            ("[::1]", "::1"), ("a.localhost", "127.0.0.1", "::1"),
            ("169.254.169.254", "169.254.169.254"), ("[fd00:ec2::254]", "fd00:ec2::254"),
            ("168.63.129.16", "168.63.129.16"), ("100.100.100.200", "100.100.100.200"), ("[::]", "::"),
            ("198.51.100.7", "198.51.100.7"), ("192.168.0.1", "192.168.0.1"), ("172.16.0.1", "172.16.0.1"),
        ))  # fmt: skip
        return Place(host, *addresses)


_SORTS = (
    *(lambda pool, which=which: pool._literal(which) for which in (PRIVATE, PRIVATE, LINK, LOCAL, NEVER)),
    *(lambda pool, which=which: pool._named(which) for which in (PRIVATE, PRIVATE, LINK, LOCAL, NEVER)),
    *(lambda pool, which=which: pool._six(which) for which in (PUBLIC, PRIVATE)),
    Pool._mixed, Pool._mixed, Pool._flipping, Pool._flipping, Pool._carrying, Pool._disguised, Pool._fixed, Pool._fixed,
)  # fmt: skip
