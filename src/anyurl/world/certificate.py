"""A self-signed certificate, for servers of the world that are trusted on first use.

Rule: the same secret makes the same certificate on every machine and at every start, so that a client that has trusted
the world once still trusts it. The world's certificate protects nothing: its servers are on loopback, and anyone can
make it. The certificate of the user's own folder has a secret seed.
"""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256

from anyurl.errors import MissingExtraError

BEGIN, END = datetime(1994, 12, 20, tzinfo=UTC), datetime(2094, 12, 20, tzinfo=UTC)


def self_signed(
    secret: str, begin: datetime = BEGIN, end: datetime = END, *, address: str = "127.0.0.1"
) -> tuple[bytes, bytes]:
    """A certificate for localhost and an address that is signed with its own key, and the key, both as PEM.

    Args:
        secret: The seed of the key.

    Raises:
        MissingExtraError: The extra `world` is not installed.
    """
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError as error:
        raise MissingExtraError(
            "A server with TLS needs cryptography: in a clone of anyurl, pip install '.[world]'.",
            extra="world",
        ) from error
    import ipaddress

    key = Ed25519PrivateKey.from_private_bytes(sha256(secret.encode()).digest())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    place = x509.IPAddress(ipaddress.ip_address(address))
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, begin, end)
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost"), place]), critical=False)
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return builder.sign(key, None).public_bytes(pem), key.private_bytes(pem, form, serialization.NoEncryption())


def server_context(certificate: bytes, key: bytes) -> ssl.SSLContext:
    """The TLS context of a server with this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.TemporaryDirectory() as folder:  # the library reads it only from a file
        path = os.path.join(folder, "certificate.pem")
        with open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(certificate + key)
        context.load_cert_chain(path)
    return context


@contextlib.contextmanager
def over_tls(connection: socket.socket, context: ssl.SSLContext) -> Iterator[ssl.SSLSocket]:
    """The connection over TLS. Raises ssl.SSLError, as for a client that does not trust the certificate."""
    with context.wrap_socket(connection.dup(), server_side=True) as secured:
        yield secured
        secured.unwrap()
