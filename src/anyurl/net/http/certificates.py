"""Certificates: whether one names hosts where a name has to stand, in subjectAltName (RFC 9525 2, RFC 5280 4.2.1.6).

Rule: libcurl falls back to the Common Name when there is no name in subjectAltName, and can't be told not to. What it
says of a certificate that it has verified is therefore looked at before anything is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from anyurl.errors import ConnectError
from anyurl.guard import hops
from anyurl.net.libcurl import pycurl
from anyurl.net.task import Task
from anyurl.net.tls import TLSConfig

Report = Sequence[Sequence[tuple[str, str]]]
"""What libcurl tells of a chain: for each certificate, the server's first, names and values."""

_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"

_SUBJECT_ALT_NAME = b"\x55\x1d\x11"  # 2.5.29.17
_OCTETS, _OBJECT, _EXTENSIONS = 0x04, 0x06, 0xA3
_NAMES = frozenset({0x82, 0x87})
"""Tags of dNSName and iPAddress in a GeneralName (RFC 5280 4.2.1.6)."""


def believe(easy: Any, config: TLSConfig) -> None:
    """Tell libcurl, which knows nothing of this machine's, which certificates end a chain."""
    file, folder = config.bundle()
    if file is not None:
        easy.setopt(pycurl.CAINFO, file)
    if folder is not None:
        easy.setopt(pycurl.CAPATH, folder)


def may_offer(config: TLSConfig, task: Task) -> bool:
    """Whether a server that asks for one may have the caller's certificate: it is a credential."""
    return config.cert is not None and hops.may_use_secrets(task.url, task.came_from)


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
        return any(tag in _NAMES for tag, _ in _general_names(a2b_base64(text)))
    except (ValueError, IndexError):
        return False


def _general_names(certificate: bytes) -> Iterator[tuple[int, bytes]]:
    """The names in subjectAltName, each with its tag. Raises ValueError or IndexError for no DER."""
    whole = _inside(certificate)
    signed = _inside(whole)
    for tag, extensions in _elements(signed):
        if tag != _EXTENSIONS:
            continue
        for _, extension in _elements(_inside(extensions)):
            fields = list(_elements(extension))
            if fields[0] == (_OBJECT, _SUBJECT_ALT_NAME) and fields[-1][0] == _OCTETS:
                yield from _elements(_inside(fields[-1][1]))


def _inside(data: bytes) -> bytes:
    """The content of the first element. Raises as `_elements`."""
    for _, content in _elements(data):
        return content
    raise ValueError("an element is empty that holds others")


def _elements(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The elements of DER that stand one behind the other: tag and content. Raises ValueError or IndexError."""
    at = 0
    while at < len(data):
        tag, length = data[at], data[at + 1]
        at += 2
        if length & 0x80:
            count = length & 0x7F
            length = int.from_bytes(data[at : at + count], "big")
            at += count
        if at + length > len(data):
            raise ValueError("an element ends outside of the one that holds it")
        yield tag, data[at : at + length]
        at += length
