"""Fields of a certificate (RFC 5280 4.1): its validity, whether it names hosts, its fingerprint.

Rule: only what the standard library does not report for an unverified certificate. A malformed certificate raises
ValueError or IndexError; nothing is verified here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256

_SUBJECT_ALT_NAME = b"\x55\x1d\x11"  # 2.5.29.17
_OCTETS, _OBJECT, _SEQUENCE, _VERSION, _EXTENSIONS = 0x04, 0x06, 0x30, 0xA0, 0xA3
_NAMES = frozenset({0x82, 0x87})
"""Tags of dNSName and iPAddress in a GeneralName (RFC 5280 4.2.1.6)."""

_UTC_TIME, _GENERALIZED_TIME = 0x17, 0x18


def fingerprint(certificate: bytes) -> str:
    """The SHA-256 of a certificate (DER), as in ``openssl x509 -fingerprint -sha256``: 64 hexadecimal digits."""
    return sha256(certificate).hexdigest()


def validity(certificate: bytes) -> tuple[float, float]:
    """Begin and end of the validity of a certificate (DER), in epoch seconds. Raises ValueError or IndexError."""
    fields = [field for field in _elements(_inside(_inside(certificate))) if field[0] != _VERSION]
    tag, content = fields[3]  # after serial number, algorithm and issuer (RFC 5280 4.1)
    begin, end = _elements(content)
    if tag != _SEQUENCE:
        raise ValueError("its validity is missing")
    return _seconds(*begin), _seconds(*end)


def _seconds(tag: int, content: bytes) -> float:
    """Parse a time (RFC 5280 4.1.2.5). Raises ValueError if it is malformed."""
    text = content.decode("ascii")
    if tag == _UTC_TIME:
        text = ("19" if text[:2] >= "50" else "20") + text
    elif tag != _GENERALIZED_TIME:
        raise ValueError("a time of its validity is missing")
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC).timestamp()


def names_hosts(certificate: bytes) -> bool:
    """Whether a certificate (DER) has a dNSName or an iPAddress. Raises ValueError or IndexError."""
    return any(tag in _NAMES for tag, _ in _general_names(certificate))


def _general_names(certificate: bytes) -> Iterator[tuple[int, bytes]]:
    """The names in subjectAltName, each with its tag. Raises ValueError or IndexError for malformed DER."""
    for tag, extensions in _elements(_inside(_inside(certificate))):
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
    """The consecutive elements of DER data: tag and content. Raises ValueError or IndexError."""
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
