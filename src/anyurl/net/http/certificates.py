"""Certificates: whether one names a host in subjectAltName, the only valid place (RFC 9525 2, RFC 5280 4.2.1.6).

Rule: libcurl falls back to the Common Name if subjectAltName has no name, and this cannot be turned off. So its report
of a verified certificate is checked before anything is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anyurl.errors import ConnectError
from anyurl.guard import hops
from anyurl.net.http.libcurl import pycurl
from anyurl.net.loop.provenance import Parties
from anyurl.net.wire.tls import TLSConfig, TLSTerms

Report = Sequence[Sequence[tuple[str, str]]]
"""libcurl's report of a chain: names and values for each certificate, the server's first."""

_SHOWN = TLSTerms("first-use", certified=True)
"""Terms with which nothing but the caller's certificate is read."""

_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"


def believe(easy: Any, config: TLSConfig) -> None:
    """Set the trusted roots of a handle; libcurl does not know the system's."""
    file, folder = config.bundle()
    if file is not None:
        easy.setopt(pycurl.CAINFO, file)
    if folder is not None:
        easy.setopt(pycurl.CAPATH, folder)


def may_offer(config: TLSConfig, parties: Parties) -> bool:
    """Whether a server that requests a certificate may get the caller's: it is a credential.

    Raises:
        LocalFileError: Its file can't be read, or has no certificate with its key: libcurl would not say which.
    """
    if config.cert is None or parties.url.scheme != "https" or not hops.may_use_secrets(parties.url, parties.asked_by):
        return False
    config.context(_SHOWN)
    return True


def offer(easy: Any, config: TLSConfig) -> None:
    """Send the caller's certificate to servers that request one, for the life of the handle: pycurl cannot unset it.

    libcurl never reuses a connection that was made with a different certificate, or none.
    """
    easy.setopt(pycurl.SSLCERT, config.cert)


class Nameless:
    """Connections whose certificate names no host, by local port: libcurl may keep one that was refused."""

    __slots__ = ("_ports",)

    def __init__(self) -> None:
        self._ports: set[int] = set()

    def judge(self, where: str, port: int, new: Report | None) -> ConnectError | None:
        """The error for a connection that is one of them, else None.

        Args:
            where: The server, for the message.
            port: The local port.
            new: libcurl's report of its certificates, if the connection is new.
        """
        if new is not None:
            (self._ports.discard if names_hosts(new) else self._ports.add)(port)
        if port not in self._ports:
            return None
        return ConnectError(
            f"The certificate of {where} names no host; its place is subjectAltName (RFC 9525 2).", stage="tls"
        )


def names_hosts(chain: Report) -> bool:
    """Whether the server's own certificate, the first, has a dNSName or an iPAddress; False if it is malformed."""
    from binascii import a2b_base64

    from anyurl.net.wire import certificates

    pem = next((value for name, value in chain[0] if name == "Cert"), "") if chain else ""
    text = pem.partition(_BEGIN)[2].partition(_END)[0]
    try:
        return certificates.names_hosts(a2b_base64(text))
    except (ValueError, IndexError):
        return False
