"""Parsing of a client's tunnel target and of the token of its role.

Rule: texts in, values out.
"""

from __future__ import annotations

import base64
import binascii
import re

from anyurl.errors import URLSyntaxError
from anyurl.proxy.answers import Problem
from anyurl.url import URL

_AUTHORITY = re.compile(r"\A[^:/?#]*://[^/?#]*")


def tunnel_place(target: str) -> URL:
    """The host and port in the target of a CONNECT (RFC 9112 3.2.3). Raises Problem."""
    try:
        url = URL(f"https://{target}/")
    except URLSyntaxError as error:
        raise Problem(400, "no-url", str(error)) from None
    if (
        url.raw_user is not None
        or url.path != "/"
        or url.explicit_port is None
        or not url.host
        or url.query is not None
        or url.fragment is not None
    ):
        raise Problem(400, "no-url", "A tunnel leads to a host and a port, as in host.dom:443.")
    return url


def origin_form(target: str) -> str:
    """The target that the server gets: every octet after the authority, as the client wrote it (RFC 9112 3.2.1)."""
    rest = _AUTHORITY.sub("", target, count=1).partition("#")[0]
    return rest if rest.startswith("/") else f"/{rest}"


def token_of(shown: bytes) -> bytes | None:
    """The token in a Proxy-Authorization: the password of Basic with any user, or the value of Bearer."""
    scheme, _, rest = shown.partition(b" ")
    if scheme.lower() == b"bearer":
        return rest.strip()
    if scheme.lower() == b"basic":
        try:
            return base64.b64decode(rest.strip(), validate=True).partition(b":")[2]
        except binascii.Error:
            return None
    return None
