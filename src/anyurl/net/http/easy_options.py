"""The options of every libcurl handle, set once.

Rule: nothing here depends on a request. Everything that libcurl would do by itself (redirects, netrc, proxies, codings)
is off.
"""

from __future__ import annotations

from anyurl.net.http.libcurl import pycurl

BUFFER_OCTETS = 96 * 1024
"""The size of libcurl's receive buffer, and of the unread part of a body that pauses it; one more read may be held in
addition. From malloc's mmap threshold (128 KiB) each piece would cause new page faults."""

NEVER_MS = 24 * 60 * 60 * 1000
"""libcurl's connect timeout: it would run while the consumer is away, so the scheduler's own clock is used instead."""

EASY_OPTIONS: tuple[tuple[int, object], ...] = (
    (pycurl.NOSIGNAL, 1),
    (pycurl.FOLLOWLOCATION, 0),
    (pycurl.NETRC, pycurl.NETRC_IGNORED),
    (pycurl.PROXY, ""),
    (pycurl.NOPROXY, ""),
    (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
    (pycurl.REDIR_PROTOCOLS, 0),
    (pycurl.HTTP_CONTENT_DECODING, 0),
    (pycurl.SSL_VERIFYPEER, 1),
    (pycurl.SSL_VERIFYHOST, 2),
    (pycurl.SSLVERSION, pycurl.SSLVERSION_TLSv1_2),
    (pycurl.BUFFERSIZE, BUFFER_OCTETS),
    (pycurl.TCP_NODELAY, 1),
    # HTTP/2 over TLS only: without TLS one must know beforehand that a server supports it.
    (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS),
    (pycurl.OPT_CERTINFO, 1),
    # A resumed session has no certificate to check.
    (pycurl.SSL_SESSIONID_CACHE, 0),
    (pycurl.PATH_AS_IS, 1),
    (pycurl.CONNECTTIMEOUT_MS, NEVER_MS),
)
