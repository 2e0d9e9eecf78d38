"""libcurl's error numbers, as the tree of `anyurl.errors` has them.

Rule: every number means something of the tree; what has no row of its own is a broken rule of HTTP.
"""

from __future__ import annotations

from anyurl.errors import (
    AnyURLError,
    ConnectError,
    ConnectionLost,
    LimitError,
    LocalFileError,
    RemoteProtocolError,
    TransferTimeout,
    Truncated,
    escape,
)
from anyurl.net.libcurl import pycurl
from anyurl.net.tls import handshake_failed

_E_HTTP2_STREAM, _E_TOO_LARGE = 92, 100  # pycurl has no names for them
_UNREACHED = {pycurl.E_COULDNT_RESOLVE_HOST, pycurl.E_COULDNT_CONNECT, pycurl.E_INTERFACE_FAILED}
_TLS = {
    pycurl.E_SSL_CONNECT_ERROR, pycurl.E_SSL_CIPHER, pycurl.E_SSL_CACERT_BADFILE, pycurl.E_SSL_ISSUER_ERROR,
    pycurl.E_SSL_INVALIDCERTSTATUS,
}  # fmt: skip
_BROKEN = {
    pycurl.E_SEND_ERROR, pycurl.E_RECV_ERROR, pycurl.E_GOT_NOTHING, pycurl.E_PARTIAL_FILE, pycurl.E_HTTP2,
    _E_HTTP2_STREAM, pycurl.E_SEND_FAIL_REWIND,
}  # fmt: skip
_LONG_HEAD, _CHUNK = "Too large response headers", "chunk"
"""libcurl says with the number of a broken connection (56) that a head is too long, or that a chunk is none."""
_NO_HEAD = "HTTP/0.9"
"""libcurl takes for an answer of HTTP/0.9 what begins with no status line."""

_LIMITS = {_E_TOO_LARGE, pycurl.E_FILESIZE_EXCEEDED}


def translate_curl(code: int, text: str, where: str, received: int | None) -> AnyURLError:
    """The error of the tree that libcurl's number means.

    Args:
        received: Octets of the body that have come; None when the head of the answer has not.
    """
    reason = escape(text) or f"error {code}"
    if code in _UNREACHED:
        words = text.rpartition(": ")[2] or "it failed"  # before them stands the address once more
        return ConnectError(f"Connecting to {where}: {words}.")
    if code in _TLS:
        return handshake_failed(where, reason)
    if code == pycurl.E_PEER_FAILED_VERIFICATION:
        words = reason.removeprefix("SSL certificate problem: ").removeprefix("SSL: ")
        return ConnectError(f"The certificate of {where} is not valid: {words}.", stage="tls")
    if code == pycurl.E_SSL_CERTPROBLEM:  # behind the comma stand OpenSSL's words for it
        return LocalFileError(f"The certificate to show to {where} can't be used: {reason.partition(', OpenSSL')[0]}.")
    if code == pycurl.E_OPERATION_TIMEDOUT:
        return TransferTimeout(f"Connecting to {where} took too long: {reason}.", clock="connect", stage="connect")
    if code in _LIMITS or _LONG_HEAD in text:
        return LimitError(f"The answer of {where} has too long a head: {reason}.", limit="header_bytes")
    if code in _BROKEN and _CHUNK not in text:
        if received is None:
            return ConnectionLost(f"{where} closed the connection before it had answered: {reason}.")
        return Truncated(f"The body from {where} broke off after {received:,} octets: {reason}.", received=received)
    if _NO_HEAD in text:
        return RemoteProtocolError(f"{where} sent something that is no answer of HTTP. Does it speak HTTP there?")
    return RemoteProtocolError(f"{where} broke the rules of HTTP: {reason}.")


def unreadable(error: Exception) -> LocalFileError:
    """The error for a source of the caller's that failed with one of its own."""
    ours = LocalFileError(f"What is to be sent can't be read: {error}.")
    ours.__cause__ = error
    return ours
