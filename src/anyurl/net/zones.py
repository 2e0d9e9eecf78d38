"""Zones: by which interface of this machine an address is reached that only means something on one link (RFC 4007).

Rule: an address and its zone are one text, ``fe80::1%2``, in which the zone is a number. It comes from the user or the
system's resolver, never from a URL, and leaves this machine in no octet (RFC 9844).
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from typing import TypeAlias

from anyurl.errors import ConnectError
from anyurl.url.host import needs_zone

Target: TypeAlias = tuple[str, int] | tuple[str, int, int, int]
"""What a socket is connected to: an address and a port, and for a zone what IPv6 has beside them."""

_LARGEST = 0xFFFFFFFF
"""The field of a socket's address has 32 bits (RFC 3493 3.3); Python cuts larger numbers off."""


def with_zone(address: str, zone: str | None) -> str:
    """The address with this zone, if it needs one.

    Args:
        zone: The name or the number of an interface, or None.

    Raises:
        ConnectError: There is no such interface.
    """
    if zone is None or "%" in address or not needs_zone(address):
        return address
    try:
        number = _number(zone)
        socket.if_indextoname(number)
    except (OSError, ValueError):
        text = f"There is no interface {zone!r} on this machine, by which {address} was to be reached."
        raise ConnectError(text, stage="connect") from None
    return f"{address}%{number}"


def zone_of(address: str) -> int:
    """The number of its zone; 0 for none, and for one that this machine doesn't have."""
    zone = address.partition("%")[2]
    try:
        return _number(zone) if zone else 0
    except (OSError, ValueError):
        return 0


def _number(zone: str) -> int:
    """Raises OSError or ValueError for none."""
    if not (zone.isascii() and zone.isdigit()):
        return socket.if_nametoindex(zone)
    if len(zone) > 10 or int(zone) > _LARGEST:
        raise ValueError("32 bits hold the number of a zone")
    return int(zone)


def without_zone(address: str) -> str:
    """What others may be told."""
    return address.partition("%")[0]


def of_one_zone(addresses: Iterable[str]) -> tuple[int, list[str]]:
    """For who takes one zone for all addresses: that of the first that has one, and those that are reached with it."""
    told = list(addresses)
    zone = next(filter(None, map(zone_of, told)), 0)
    return zone, [without_zone(each) for each in told if zone_of(each) in (0, zone)]


def target(address: str, port: int) -> Target:
    """What a socket is connected to for an address.

    Raises:
        OSError: It needs a zone, and has none: every system says so in other words, or waits.
    """
    zone = zone_of(address)
    if zone:
        return without_zone(address), port, 0, zone
    if needs_zone(address):
        raise OSError("every link has this address; say by which interface it is reached (--zone NAME)")
    return address, port
