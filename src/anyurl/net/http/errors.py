"""libcurl's error numbers, translated into the tree of `anyurl.errors`.

Rule: every number maps to an error of the tree; those without a row of their own mean invalid HTTP.
"""

from __future__ import annotations

import errno
import re

from anyurl.dialogue.values import Response
from anyurl.errors import (
    AnyURLError,
    ConnectError,
    ConnectionLost,
    LimitError,
    LocalFileError,
    RemoteProtocolError,
    TransferTimeout,
    Truncated,
)
from anyurl.errors.reasons import reason_of, system_reason
from anyurl.net.http.libcurl import pycurl
from anyurl.net.http.sockets import connecting_to
from anyurl.net.wire.tls import handshake_failed, not_valid

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
_UNMARKED = re.compile("unexpected eof|SSL_ERROR_SYSCALL, errno 0|non-properly terminated", re.IGNORECASE)
"""libcurl's messages for an orderly end of TCP without close_notify: by OpenSSL 3, OpenSSL 1.1.1 and GnuTLS."""
_LONG_HEAD, _CHUNK = "Too large response headers", "chunk"
"""libcurl reports a head that is too long, and a malformed chunk, with the number of a broken connection (56)."""
_MISSING = r"(\d+) bytes (?:missing|remaining)"
_NO_HEAD = "HTTP/0.9"
"""libcurl takes a response without a status line for HTTP/0.9."""

_RULES = (
    (r"content-length", "its Content-Length is not a number of octets, or there are two"),
    (r"transfer-encoding", "its Transfer-Encoding names a coding after `chunked`, which must be the last"),
    (r"chunk|hexadecimal", "the length of a chunk of the body is not a hexadecimal number"),
    (r"nul byte", "a field of its head holds a NUL"),
    (r"colon", "a line of its head or trailer has no colon"),
    (r"status|version", "its first line is not a status line of a supported version of HTTP"),
    (r"encoding", "the body has a coding that was not requested"),
    (r"multiple location", "it redirects to two places at once"),
    (r"header|head\b", "a line of its head is not a field"),
)
"""libcurl's messages, in words; the first match counts."""
_UNREADABLE = "its answer can't be read"

_LIMITS = {_E_TOO_LARGE, pycurl.E_FILESIZE_EXCEEDED}


def translate_curl(code: int, text: str, where: str, received: int | None, number: int = 0) -> AnyURLError:
    """Translate an error number of libcurl into the error tree.

    Args:
        text: libcurl's message: it distinguishes errors with the same number, and is never shown.
        received: Octets of the body that have arrived; None if the head of the response has not.
        number: The system error (`errno`); 0 if there is none.
    """
    # HTTP/3 and TCP are tried in parallel: if both fail, libcurl reports that it could not connect.
    if code in _UNREACHED and not text.startswith("TLS"):
        why = system_reason(number) if number else "no connection was made"
        return ConnectError(f"{connecting_to(where)}: {why}.", errno=number or None)
    if code in _TLS or code in _UNREACHED:
        return handshake_failed(where, text)
    if code == pycurl.E_PEER_FAILED_VERIFICATION:
        return not_valid(where, text)
    if code == pycurl.E_OPERATION_TIMEDOUT:
        return TransferTimeout(f"{connecting_to(where)} took too long.", clock="connect", stage="connect")
    if code in _LIMITS or _LONG_HEAD in text:
        return LimitError(f"The head of the answer of {where} is longer than the limit allows.", limit="header_bytes")
    if code in _BROKEN and _CHUNK not in text:
        why = f" ({system_reason(number)})" if number else ""
        if received is None and number == errno.ECONNREFUSED:  # for a datagram (HTTP/3)
            return ConnectError(f"{connecting_to(where)}: {system_reason(number)}.", errno=number)
        if received is None:
            return ConnectionLost(f"{where} closed the connection before it had answered{why}.")
        missing = re.search(_MISSING, text)
        expected = received + int(missing[1]) if missing else None
        octets = f"{received:,} octets" if expected is None else f"{received:,} of {expected:,} octets"
        return Truncated(f"The body from {where} broke off after {octets}{why}.", received=received, expected=expected)
    if _NO_HEAD in text:
        return RemoteProtocolError(f"{where} sent something that is not an HTTP response. Does it speak HTTP there?")
    why = next((words for pattern, words in _RULES if re.search(pattern, text, re.IGNORECASE)), _UNREADABLE)
    return RemoteProtocolError(f"{where} broke the rules of HTTP: {why}.")


def is_unmarked(code: int, text: str, response: Response) -> bool:
    """Whether a body that ends with its connection (RFC 9112 6.3) was ended without TLS's own end mark."""
    ends_with_connection = (
        response.version.startswith("1")
        and response.header("content-length") is None
        and response.header("transfer-encoding") is None
    )
    return ends_with_connection and code == pycurl.E_RECV_ERROR and _UNMARKED.search(text) is not None


def unreadable(error: Exception) -> LocalFileError:
    """The error for a source of the caller that raised an exception."""
    ours = LocalFileError(f"The data to send can't be read: {reason_of(error)}.")
    ours.__cause__ = error
    return ours
