"""libcurl's error numbers, as the tree of `anyurl.errors` has them.

Rule: every number means something of the tree; what has no row of its own is a broken rule of HTTP.
"""

from __future__ import annotations

import pycurl

from anyurl.errors import (
    AnyURLError,
    ConnectError,
    ConnectionLost,
    LimitError,
    RemoteProtocolError,
    TransferTimeout,
    Truncated,
)  # fmt: skip

_UNREACHED = {pycurl.E_COULDNT_RESOLVE_HOST, pycurl.E_COULDNT_CONNECT, pycurl.E_INTERFACE_FAILED}
_TLS = {
    pycurl.E_SSL_CONNECT_ERROR, pycurl.E_PEER_FAILED_VERIFICATION, pycurl.E_SSL_CERTPROBLEM, pycurl.E_SSL_CIPHER,
    pycurl.E_SSL_CACERT_BADFILE, pycurl.E_SSL_ISSUER_ERROR, pycurl.E_SSL_INVALIDCERTSTATUS,
}  # fmt: skip
_BROKEN = {pycurl.E_SEND_ERROR, pycurl.E_RECV_ERROR, pycurl.E_GOT_NOTHING}
_E_TOO_LARGE = 100  # pycurl has no name for it
_LIMITS = {_E_TOO_LARGE, pycurl.E_FILESIZE_EXCEEDED}


def translate_curl(code: int, text: str, where: str, received: int) -> AnyURLError:
    """The error of the tree that libcurl's number means."""
    reason = f"{text or 'no words for it'} (libcurl error {code})"
    if code in _UNREACHED:
        return ConnectError(f"Connecting to {where}: {reason}.")
    if code in _TLS:
        return ConnectError(f"TLS with {where} was not agreed: {reason}.", stage="tls")
    if code == pycurl.E_OPERATION_TIMEDOUT:
        return TransferTimeout(f"Connecting to {where} took too long: {reason}.", clock="connect", stage="connect")
    if code == pycurl.E_PARTIAL_FILE or (code in _BROKEN and received):
        return Truncated(f"The body from {where} broke off after {received:,} octets: {reason}.", received=received)
    if code in _BROKEN:
        return ConnectionLost(f"{where} closed the connection before it had answered: {reason}.")
    if code in _LIMITS:
        return LimitError(f"The answer of {where} has too long a head: {reason}.", limit="header")
    return RemoteProtocolError(f"{where} broke the rules of HTTP: {reason}.")
