"""What every handle of libcurl is told once, whatever it is used for.

Rule: nothing here hangs on a request. What libcurl would do by itself (redirections, netrc, proxies, codings) is off.
"""

from __future__ import annotations

from anyurl.net.libcurl import pycurl

BUFFER_OCTETS = 96 * 1024
"""libcurl's receive buffer, and what a body holds that was not read: a read is a piece, and libcurl has to keep nothing
of it that found no room. At malloc's mapping threshold (128 KiB) each piece would be faulted in anew."""

NEVER_MS = 24 * 60 * 60 * 1000
"""libcurl's connect clock: it would go on while the consumer is away, so the scheduler's own is the one that counts."""

FIXED: tuple[tuple[int, object], ...] = (
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
    # HTTP/2 by TLS only: in clear it would have to be known beforehand that a server has it.
    (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS),
    (pycurl.OPT_CERTINFO, 1),
    # A resumed session shows no certificate to look at.
    (pycurl.SSL_SESSIONID_CACHE, 0),
    (pycurl.PATH_AS_IS, 1),
    (pycurl.CONNECTTIMEOUT_MS, NEVER_MS),
)
