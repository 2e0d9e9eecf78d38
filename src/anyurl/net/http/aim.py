"""Aim: where a request goes, and whether who answers is who was approved.

Rule: an address is compared in octets. Behind a proxy nobody's address is seen: what is there was judged before.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any, TypeAlias

from anyurl.net.connector import Network, Transport
from anyurl.net.http.owned_socket import OwnedSocket, packed
from anyurl.net.libcurl import HAS_HTTP3, pycurl
from anyurl.net.proxies.table import Proxy

Aim: TypeAlias = tuple[str, str, int, tuple[str, ...], Proxy | None]
"""Scheme, host, port, approved addresses (none of a name that the proxy looks up), and the proxy to go through."""

BEHIND_A_PROXY = "192.0.2.1"
"""What libcurl takes for the address of a place behind a proxy: documentation space (RFC 5737), never connected to."""


def approved_octets(network: Network, addresses: Sequence[str], port: int) -> frozenset[bytes]:
    """Approved addresses in octets; in a smaller world also those that stand for them."""
    found = {packed(address) for address in addresses}
    if network.translate is not None:
        found |= {packed(network.translate((address, port))[0]) for address in addresses}
    return frozenset(found)


def original(network: Network, addresses: Sequence[str], port: int, peer: str) -> str:
    """The approved address that stands behind a peer of a smaller world."""
    change = network.translate
    originals = () if change is None else addresses
    return next((each for each in originals if change and change((each, port))[0] == peer), peer)


def answering(opened: Sequence[OwnedSocket], approved: frozenset[bytes], peer: str) -> str:
    """The address of a socket that was opened for a request, if it is not an approved one; else `peer`."""
    for owned in opened:
        found = owned.peer()
        if found is not None and packed(found) not in approved:
            return found
    return peer


def speak(easy: Any, http3: bool, scheme: str, proxy: Proxy | None, network: Network) -> None:
    """Tell a handle which versions of HTTP may be spoken where it is aimed at.

    QUIC goes through no proxy, which has no datagrams, and into no smaller world, whose sockets are connected already.
    """
    may = http3 and HAS_HTTP3 and scheme == "https" and proxy is None and network.translate is None
    easy.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_3 if may else pycurl.CURL_HTTP_VERSION_2TLS)


def new_socket(network: Network, address: Any, host: str, zone: int) -> OwnedSocket:
    """A socket for an address that was approved, of TCP or of UDP, as libcurl asks for it.

    Args:
        address: What libcurl wants to reach.
        host: The same as a text.

    Raises:
        OSError: There is none.
    """
    # Its type has flags of the system's as well (SOCK_CLOEXEC).
    transport: Transport = "udp" if address.protocol == socket.IPPROTO_UDP else "tcp"
    sock, target = network.socket_to((f"{host}%{zone}" if zone else host, address.addr[1]), transport)
    owned = OwnedSocket(sock)
    if network.translate is not None:
        sock.setblocking(True)
        sock.connect(target)
    return owned


def go_through(easy: Any, proxy: Proxy | None, network: Network) -> None:
    """Prepare a handle for sockets that lead through this proxy: they are connected already."""
    # Of TLS to the proxy nothing can be looked at before such a connection is used again: it is used once.
    easy.setopt(pycurl.FORBID_REUSE, int(proxy is not None and proxy.scheme == "https"))
    if network.translate is not None:  # all of its sockets are
        return
    if proxy is None:
        easy.unsetopt(pycurl.SOCKOPTFUNCTION)
    else:
        easy.setopt(pycurl.SOCKOPTFUNCTION, lambda _fd, _purpose: pycurl.SOCKOPT_ALREADY_CONNECTED)
