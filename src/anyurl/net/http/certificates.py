"""Certificates: whether one names hosts where a name has to stand, in subjectAltName (RFC 9525 2, RFC 5280 4.2.1.6).

Rule: libcurl falls back to the Common Name when there is no name in subjectAltName, and can't be told not to. What it
says of a certificate that it has verified is therefore looked at before anything is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anyurl.errors import ConnectError
from anyurl.guard import hops
from anyurl.net import certificates
from anyurl.net.libcurl import pycurl
from anyurl.net.task import Task
from anyurl.net.tls import TLSConfig

Report = Sequence[Sequence[tuple[str, str]]]
"""What libcurl tells of a chain: for each certificate, the server's first, names and values."""

_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"


def believe(easy: Any, config: TLSConfig) -> None:
    """Tell libcurl, which knows nothing of this machine's, which certificates end a chain."""
    file, folder = config.bundle()
    if file is not None:
        easy.setopt(pycurl.CAINFO, file)
    if folder is not None:
        easy.setopt(pycurl.CAPATH, folder)


def may_offer(config: TLSConfig, task: Task) -> bool:
    """Whether a server that asks for one may have the caller's certificate: it is a credential."""
    return config.cert is not None and hops.may_use_secrets(task.url, task.asked_by)


def offer(easy: Any, config: TLSConfig) -> None:
    """Let servers that ask have the caller's certificate, for as long as the handle lives: pycurl can't take it back.

    libcurl takes no connection that was made with another certificate, or none.
    """
    easy.setopt(pycurl.SSLCERT, config.cert)


class Nameless:
    """Connections whose certificate names no host, by our port: libcurl may keep one that we did not want."""

    __slots__ = ("_ports",)

    def __init__(self) -> None:
        self._ports: set[int] = set()

    def judge(self, where: str, port: int, new: Report | None) -> ConnectError | None:
        """The error for a connection that is one of them.

        Args:
            where: It leads, for the message.
            port: Ours.
            new: What libcurl says of its certificates, when it has just been made.
        """
        if new is not None:
            (self._ports.discard if names_hosts(new) else self._ports.add)(port)
        if port not in self._ports:
            return None
        return ConnectError(
            f"The certificate of {where} names no host: subjectAltName is where one stands (RFC 9525 2).", stage="tls"
        )


def names_hosts(chain: Report) -> bool:
    """Whether the server's own certificate, the first, has a dNSName or an iPAddress; False for what is not read."""
    from binascii import a2b_base64  # only where there is TLS

    pem = next((value for name, value in chain[0] if name == "Cert"), "") if chain else ""
    text = pem.partition(_BEGIN)[2].partition(_END)[0]
    try:
        return certificates.names_hosts(a2b_base64(text))
    except (ValueError, IndexError):
        return False
