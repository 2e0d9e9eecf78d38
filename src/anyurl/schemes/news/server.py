"""The server of a news URL, and the login command.

Rule: the URL's own server, or else the one that the user configured (RFC 1738 3.6: a news URL names no location).
"""

from __future__ import annotations

from anyurl.dialogue import Options
from anyurl.errors import RefusedError, UnsupportedError
from anyurl.guard.verdict import option
from anyurl.schemes.kit.scheme import octets
from anyurl.url import URL, syntax
from anyurl.url.endpoint import Endpoint, read_endpoint

_NO_SERVER = "{url} names no server, and no news server is configured: {way} or a URL as news://HOST/... names one."


def server_of(url: URL, options: Options) -> Endpoint:
    """The server to use for a URL.

    Raises:
        UnsupportedError: The URL names no server, and none is configured.
        URLSyntaxError: The configured server is malformed.
    """
    port = syntax.row(url.scheme).port
    assert port is not None  # each of the four schemes has a default port
    configured = options.news_server
    if url.host:
        named = None if configured is None else read_endpoint(configured, port, "news server")
        user = named.user if named is not None and (named.host, named.port) == (url.host, url.port) else None
        return Endpoint(url.host, url.port or port, user)
    if configured is None:
        raise UnsupportedError(
            _NO_SERVER.format(url=url.masked, way=option("news-server", options.reader)), scheme=url.scheme
        )
    return read_endpoint(configured, port, "news server")


def login_line(kind: bytes, text: str) -> bytes:
    """AUTHINFO with a user or a password, which may contain spaces (RFC 4643 3.2).

    Raises:
        RefusedError: It is empty, or contains a line end.
    """
    data = octets(text)
    if any(octet in data for octet in b"\r\n\0") or not data:
        raise RefusedError(
            "The user or the password is empty, or holds CR, LF or NUL, which would end the command.", code="octets"
        )
    return b"AUTHINFO " + kind + b" " + data + b"\r\n"
