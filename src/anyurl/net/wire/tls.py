"""TLSConfig: which certificates are trusted, by Python's TLS and by libcurl alike.

Rule: certificates are always verified; verification cannot be turned off. Other roots can be configured (RFC 9325), and
servers of some schemes are trusted on first use and then pinned to their first certificate.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from anyurl.dialogue.values import Trust
from anyurl.errors import ConnectError, LocalFileError, escape
from anyurl.errors.reasons import reason_of
from anyurl.guard.verdict import Reader
from anyurl.net.wire.pins import Pins, read_fingerprints
from anyurl.values import Value

if TYPE_CHECKING:
    import ssl


class TLSTerms(Value):
    """The terms of TLS for one connection.

    Attributes:
        trust: How the certificate of the peer is verified.
        certified: A peer that requests a certificate gets the caller's.
    """

    trust: Trust = "authority"
    certified: bool = False


AUTHORITY = TLSTerms()


class TLSConfig:
    """The trusted roots, the certificates trusted on first use, and the caller's own certificate.

    Args:
        ca_file: A file of PEM certificates to trust instead of the system's.
        cert: A PEM file with the caller's certificate and its key, for servers that request one.
        pins: The file of certificates trusted on first use; None for memory only.
        trust: SHA-256 fingerprints of certificates that are trusted in place of earlier ones.
        reader: In whose terms an error names an option.
        http3: Whether https may use QUIC, which has its own TLS (RFC 9001).
    """

    __slots__ = ("ca_file", "cert", "pins", "http3", "_contexts")

    def __init__(
        self,
        ca_file: str | os.PathLike[str] | None = None,
        cert: str | os.PathLike[str] | None = None,
        pins: str | os.PathLike[str] | None = None,
        *,
        http3: bool = False,
        trust: Iterable[str] = (),
        reader: Reader = "arguments",
    ) -> None:
        self.cert: str | None = None if cert is None else os.fspath(cert)
        self.ca_file: str | None = None if ca_file is None else os.fspath(ca_file)
        self.pins: Pins = Pins(pins, read_fingerprints(trust), reader)
        self.http3: bool = http3
        self._contexts: dict[TLSTerms, ssl.SSLContext] = {}

    def context(self, how: TLSTerms = AUTHORITY) -> ssl.SSLContext:
        """The context for connections of Python's TLS: 1.2 or later; name and chain are verified, or left to `judge`.

        Raises:
            LocalFileError: A file of certificates cannot be read, or contains none.
        """
        context = self._contexts.get(how)
        if context is None:
            context = self._contexts[how] = self._new_context(how)
        return context

    def _new_context(self, how: TLSTerms) -> ssl.SSLContext:
        import ssl

        if how.trust == "first-use":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE  # certificates without an authority are judged by their pins
        else:
            try:
                context = ssl.create_default_context(cafile=self.ca_file)
            except OSError as error:
                reason = "there is no PEM certificate in it" if isinstance(error, ssl.SSLError) else reason_of(error)
                raise LocalFileError(f"Can't read certificates from {escape(self.ca_file or '')}: {reason}.") from error
            context.hostname_checks_common_name = False  # RFC 9525 2: only names in subjectAltName count
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        # Some Pythons (Debian 12's 3.11.2) set it by default: a stream that was cut would end like a whole one.
        context.options &= ~getattr(ssl, "OP_IGNORE_UNEXPECTED_EOF", 0)  # OpenSSL 1.1.1 has no such option
        if how.certified and self.cert is not None:
            try:
                context.load_cert_chain(self.cert, password=str)  # or OpenSSL would prompt for the passphrase of a key
            except OSError as error:
                reason = "no certificate with its key" if isinstance(error, ssl.SSLError) else reason_of(error)
                raise LocalFileError(f"Your certificate can't be read from {escape(self.cert)}: {reason}.") from error
        return context

    def judge(self, how: TLSTerms) -> Callable[[str, int, bytes], None] | None:
        """Judges the certificate of a peer by host and port; None if the context verifies it."""
        return self.pins.judge if how.trust == "first-use" else None

    def bundle(self) -> tuple[str | None, str | None]:
        """The file and the folder of certificates for libcurl, which does not know the system's.

        Raises:
            LocalFileError: The file of certificates cannot be read, or contains none.
        """
        if self.ca_file is not None:
            self.context()  # raises the same error for the same fault
            return self.ca_file, None
        import ssl

        paths = ssl.get_default_verify_paths()
        return paths.cafile, paths.capath


_NO_TLS = {"wrong version number", "packet length too long", "record layer failure", "unknown protocol"}
"""OpenSSL's reasons for an answer that is not TLS."""


_TLS = (
    (r"alert protocol version|unsupported protocol|no protocols available|version too low", "no version suits both"),
    (r"handshake failure|no shared cipher|insufficient security", "nothing suits both to encrypt with"),
    (r"certificate required|peer did not return a certificate", "it requires a client certificate"),
    (r"unknown ca|bad certificate|certificate (?:expired|revoked|unknown)", "it does not take your certificate"),
    (r"unrecognized name", "it does not know that host name"),
    (r"no application protocol", "it speaks another protocol"),
    (r"dh key too small|ee key too small|md too weak|legacy sigalg", "its keys are too weak"),
    (r"unexpected eof|eof occurred|cut off", "it closed the connection"),
    (r"internal error", "the server has a fault"),
)
"""OpenSSL's reasons, and alerts of RFC 8446 6.2, in words; the first match counts."""

_CERTIFICATE = (
    (r"self.signed certificate in certificate chain", "its issuer is self-signed and not trusted by this machine"),
    (r"self.signed certificate", "it is self-signed"),
    (r"unable to (?:get|verify)", "its issuer is not trusted by this machine"),
    (r"has expired", "it has expired"),
    (r"not yet valid", "it is not valid yet"),
    (r"mismatch|subject name", "it is that of another host"),
    (r"revoked", "it was revoked"),
    (r"too weak|too small", "its key or its signature is too weak"),
    (r"purpose", "it is not meant for a server"),
    (r"nameless", "it names no host"),
)
"""Faults of a certificate, by the messages of OpenSSL (X509_verify_cert_error_string) and libcurl."""


def _in_words(table: tuple[tuple[str, str], ...], said: str, otherwise: str) -> str:
    import re

    return next((words for pattern, words in table if re.search(pattern, said, re.IGNORECASE)), otherwise)


def not_valid(where: str, said: str, name: str | None = None) -> ConnectError:
    """The error for an invalid certificate, from either library.

    Args:
        said: The message of OpenSSL or libcurl.
        name: The name that it should be valid for, if it is not the host.
    """
    for_name = "" if name is None or where.startswith(name) else f" for {name}"
    reason = _in_words(_CERTIFICATE, said, "its verification failed")
    return ConnectError(f"The certificate of {where} is not valid{for_name}: {reason}.", stage="tls")


def close_half_made(error: Exception) -> None:
    """Close the half-made SSLSocket after `wrap_socket` failed.

    It has already taken over the descriptor and leaves it open, and does not report that the peer has reset it.
    """
    import ssl

    step = error.__traceback__
    while step is not None:
        made = step.tb_frame.f_locals.get("self")
        if isinstance(made, ssl.SSLSocket):
            made.close()
        step = step.tb_next


def handshake_failed(where: str, reason: str) -> ConnectError:
    """The error for a failed TLS handshake, from either library.

    Args:
        reason: OpenSSL's reason, in the form of `ssl` (WRONG_VERSION_NUMBER) or of libcurl (error:0A00010B:SSL
            routines::wrong version number).
    """
    words = reason.rpartition("::")[2].replace("_", " ").lower()
    if words in _NO_TLS:
        return ConnectError(f"{where} answered, but not in TLS. Does it speak TLS there?", stage="tls")
    return ConnectError(f"TLS with {where} could not be started: {tls_reason(words)}.", stage="tls")


def tls_reason(said: str) -> str:
    """OpenSSL's reason for ending a connection, as the end of a sentence."""
    return _in_words(_TLS, said.replace("_", " "), "the two sides did not agree")
