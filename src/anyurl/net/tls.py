"""TLSConfig: which certificates are believed, for our own TLS and for libcurl's alike.

Rule: certificates are always verified; there is no switch that turns it off, only other roots to believe in (RFC
9325).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anyurl.errors import ConnectError, LocalFileError, escape

if TYPE_CHECKING:
    import ssl


class TLSConfig:
    """The certificates that end a chain.

    Args:
        ca_file: A file of PEM certificates to believe in instead of this machine's.
        cert: A PEM file with a certificate of the caller's and its key, for https servers that ask for one.
    """

    __slots__ = ("ca_file", "cert", "_context")

    def __init__(
        self, ca_file: str | os.PathLike[str] | None = None, cert: str | os.PathLike[str] | None = None
    ) -> None:
        self.cert: str | None = None if cert is None else os.fspath(cert)
        self.ca_file: str | None = None if ca_file is None else os.fspath(ca_file)
        self._context: ssl.SSLContext | None = None

    def context(self) -> ssl.SSLContext:
        """The context of our own TLS connections: TLS 1.2 or later, names and chains verified.

        Raises:
            LocalFileError: The file of certificates can't be read, or holds none.
        """
        if self._context is None:
            import ssl

            try:
                context = ssl.create_default_context(cafile=self.ca_file)
            except OSError as error:
                reason = "there is no PEM certificate in it" if isinstance(error, ssl.SSLError) else error.strerror
                raise LocalFileError(f"Can't read certificates from {escape(self.ca_file or '')}: {reason}.") from error
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            context.hostname_checks_common_name = False  # RFC 9525 2: a name stands in subjectAltName or nowhere
            self._context = context
        return self._context

    def bundle(self) -> tuple[str | None, str | None]:
        """The file and the folder of certificates for libcurl, which knows nothing of this machine's.

        Raises:
            LocalFileError: The file of certificates can't be read, or holds none.
        """
        if self.ca_file is not None:
            self.context()  # the same fault in the same words
            return self.ca_file, None
        import ssl

        paths = ssl.get_default_verify_paths()
        return paths.cafile, paths.capath


_NO_TLS = {"wrong version number", "packet length too long", "record layer failure", "unknown protocol"}
"""What OpenSSL calls an answer that is none of TLS."""


def handshake_failed(where: str, reason: str) -> ConnectError:
    """The error for a TLS handshake that did not succeed, whichever library says so.

    Args:
        reason: OpenSSL's, as the module `ssl` has it (WRONG_VERSION_NUMBER) or as libcurl does (error:0A00010B:SSL
            routines::wrong version number).
    """
    words = reason.rpartition("::")[2].replace("_", " ").lower()
    if words in _NO_TLS:
        return ConnectError(f"{where} answered, but not in TLS. Does it speak TLS there?", stage="tls")
    return ConnectError(f"The TLS handshake with {where} failed: {escape(words)}.", stage="tls")
