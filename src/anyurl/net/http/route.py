"""Route: where a request goes, and whether the peer that answers was approved.

Rule: addresses are compared as octets. Behind a proxy no peer address is visible: the addresses there were judged
before.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any, TypeAlias

from anyurl.files.closing import close_all
from anyurl.net.http.libcurl import HAS_HTTP3, pycurl
from anyurl.net.wire.connector import Network, Transport
from anyurl.net.wire.peers import peer_of
from anyurl.net.wire.proxies.table import Proxy

Route: TypeAlias = tuple[str, str, int, tuple[str, ...], Proxy | None]
"""Scheme, host, port, approved addresses (empty if the proxy looks the name up), and the proxy, if any."""

BEHIND_A_PROXY = "192.0.2.1"
"""A dummy address for libcurl for hosts behind a proxy: documentation space (RFC 5737), never connected to."""


class OwnedSocket:
    """A socket passed to libcurl, which duplicates its descriptor; the original is closed with this object.

    libcurl reports the address that it requested; the address that is compared comes from the socket itself.
    """

    __slots__ = ("_sock",)

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def fileno(self) -> int:
        """The descriptor that libcurl duplicates."""
        return self._sock.fileno()

    def peer(self) -> str | None:
        """The address of the peer, or None while it is not connected."""
        try:
            return str(self._sock.getpeername()[0])
        except OSError:
            return None

    def has_reached_itself(self) -> bool:
        """Whether its peer is the socket itself (`peer_of`)."""
        try:
            peer_of(self._sock)
        except OSError as error:
            return isinstance(error, ConnectionRefusedError)
        return False

    def __del__(self) -> None:
        sock = getattr(self, "_sock", None)  # Ctrl-C may interrupt before it is set
        if sock is not None:
            close_all(sock)


def packed(address: str) -> bytes:
    """An address as octets, so that different spellings compare equal."""
    plain = address.partition("%")[0]
    return socket.inet_pton(socket.AF_INET6 if ":" in plain else socket.AF_INET, plain)


def approved_octets(network: Network, addresses: Sequence[str], port: int) -> frozenset[bytes]:
    """Approved addresses as octets; in a test network also the addresses that they are translated to."""
    found = {packed(address) for address in addresses}
    if network.translate is not None:
        found |= {packed(network.translate((address, port))[0]) for address in addresses}
    return frozenset(found)


def original(network: Network, addresses: Sequence[str], port: int, peer: str) -> str:
    """The approved address that a peer of a test network stands for."""
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
    """Set the versions of HTTP that a handle may use.

    No QUIC through a proxy, which carries no datagrams, or in a test network, whose sockets are connected already.
    """
    may = http3 and HAS_HTTP3 and scheme == "https" and proxy is None and network.translate is None
    easy.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_3 if may else pycurl.CURL_HTTP_VERSION_2TLS)


def new_socket(network: Network, address: Any, host: str, zone: int) -> OwnedSocket:
    """A socket for an approved address, TCP or UDP, as requested by libcurl.

    Args:
        address: The address in libcurl's form.
        host: The same address as text.

    Raises:
        OSError: No socket can be made.
    """
    # Not `socktype`, which also contains system flags (SOCK_CLOEXEC).
    transport: Transport = "udp" if address.protocol == socket.IPPROTO_UDP else "tcp"
    sock, target = network.socket_to((f"{host}%{zone}" if zone else host, address.addr[1]), transport)
    owned = OwnedSocket(sock)
    if network.translate is not None:
        sock.setblocking(True)
        sock.connect(target)
    return owned


def go_through(easy: Any, proxy: Proxy | None, network: Network) -> None:
    """Prepare a handle for sockets through this proxy, which are connected already."""
    # TLS to the proxy hides whether such a connection is quiet, so it is never reused.
    easy.setopt(pycurl.FORBID_REUSE, int(proxy is not None and proxy.scheme == "https"))
    if network.translate is not None:  # all its sockets are connected already
        return
    if proxy is None:
        easy.unsetopt(pycurl.SOCKOPTFUNCTION)
    else:
        easy.setopt(pycurl.SOCKOPTFUNCTION, lambda _fd, _purpose: pycurl.SOCKOPT_ALREADY_CONNECTED)
