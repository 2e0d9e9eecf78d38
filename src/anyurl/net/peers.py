"""Addresses of peers: in which order they are tried, and whether two are the same."""

from __future__ import annotations

import socket
from collections.abc import Sequence


def interleave(addresses: Sequence[str]) -> list[str]:
    """The first address's family first, then by turns (RFC 8305 section 4)."""
    if len(addresses) < 2:
        return list(addresses)
    first = ":" in addresses[0]
    same = [address for address in addresses if (":" in address) == first]
    other = [address for address in addresses if (":" in address) != first]
    mixed: list[str] = []
    for index in range(max(len(same), len(other))):
        mixed += same[index : index + 1] + other[index : index + 1]
    return mixed


def same_address(one: str, other: str) -> bool:
    """Whether two ways of writing an address mean the same."""
    if one == other:
        return True
    if ":" not in one or ":" not in other:
        return False
    return _ipv6_octets(one) == _ipv6_octets(other)


def _ipv6_octets(address: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6, address.partition("%")[0])
