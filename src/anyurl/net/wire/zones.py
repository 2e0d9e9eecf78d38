"""Zones: the interface of this machine through which a link-local address is reached (RFC 4007).

Rule: an address and its zone are one text, ``fe80::1%2``, in which the zone is a number. The zone comes from the user
or the system's resolver, never from a URL, and is never sent (RFC 9844).
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from typing import TypeAlias

from anyurl.errors import ConnectError
from anyurl.url.host import needs_zone

Target: TypeAlias = tuple[str, int] | tuple[str, int, int, int]
"""The address that a socket connects to: address and port, and with a zone also flow info and scope id."""

_LARGEST = 0xFFFFFFFF
"""The field of a socket address has 32 bits (RFC 3493 3.3); Python truncates larger numbers."""


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
        text = f"{address} can't be reached: this machine has no interface {zone!r}."
        raise ConnectError(text, stage="connect") from None
    return f"{address}%{number}"


def zone_of(address: str) -> int:
    """The number of the zone of an address; 0 if it has no zone or one that this machine lacks."""
    zone = address.partition("%")[2]
    try:
        return _number(zone) if zone else 0
    except (OSError, ValueError):
        return 0


def _number(zone: str) -> int:
    """The number of a zone. Raises OSError or ValueError if there is no such zone."""
    if not (zone.isascii() and zone.isdigit()):
        return socket.if_nametoindex(zone)
    if len(zone) > 10 or int(zone) > _LARGEST:
        raise ValueError("32 bits hold the number of a zone")
    return int(zone)


def without_zone(address: str) -> str:
    """The address without its zone, as it may be sent."""
    return address.partition("%")[0]


def of_one_zone(addresses: Iterable[str]) -> tuple[int, list[str]]:
    """For a library with one zone for all addresses: the first zone found, and the addresses that it fits."""
    told = list(addresses)
    zone = next(filter(None, map(zone_of, told)), 0)
    return zone, [without_zone(each) for each in told if zone_of(each) in (0, zone)]


def target(address: str, port: int) -> Target:
    """The socket address to connect to for an address.

    Raises:
        OSError: It lacks a required zone: systems report that differently, or hang.
    """
    zone = zone_of(address)
    if zone:
        return without_zone(address), port, 0, zone
    if needs_zone(address):
        raise OSError("this address exists on every link; its zone is the name of the interface that reaches it")
    return address, port
