"""Endpoints in the user's configuration: ``[user@]host[:port]`` of a news or mail server.

Rule: they are parsed by the URL parser (RFC 3986 3.2), so IPv6 addresses need brackets and names are converted by IDNA.
"""

from __future__ import annotations

from anyurl.errors import Diagnostic, URLSyntaxError, quoted
from anyurl.url.url import URL
from anyurl.values import Value

SUBMISSION_PORT = 587
"""The port at which mail servers accept mail from users (RFC 6409 3.1)."""


class Endpoint(Value):
    """A server named by the user.

    Attributes:
        host: Host name or address, without brackets.
        port: The given port, or the default.
        user: The user name, or None.
    """

    host: str
    port: int
    user: str | None = None


def read_endpoint(text: str, port: int, what: str) -> Endpoint:
    """Parse ``host``, ``host:port`` or ``user@host:port``; a user name may contain ``@``: the last one ends it.

    A user name can't contain ``:``, since the rest would be a password; no message shows it.

    Args:
        port: The default.
        what: Its name in messages: ``mail server``.

    Raises:
        URLSyntaxError: It is malformed.

    >>> read_endpoint("me@example.org@mail.example.org", 587, "mail server")
    Endpoint('mail.example.org', 587, 'me@example.org')
    """
    user, at, rest = text.rpartition("@")
    if ":" in user:
        raise _password(f"{user.partition(':')[0]}:***@{rest}", what)
    try:
        if any(char in rest for char in "/?#"):
            raise _error(text, what)
        url = URL(f"smtp://{rest}")
    except URLSyntaxError:
        raise _error(text, what) from None
    if not url.host or (at and not user):
        raise _error(text, what)
    return Endpoint(url.host, port if url.explicit_port is None else url.explicit_port, user or None)


def _error(text: str, what: str) -> URLSyntaxError:
    return _fault(text, f"{quoted(text)} is not a {what}: host, host:port or user@host:port would be")


def _password(text: str, what: str) -> URLSyntaxError:
    return _fault(
        text,
        f"the {what} has a ':' before its '@', and only user@host:port is allowed: a password can't be given there "
        "(put it into netrc, or type it when asked)",
    )


def _fault(text: str, message: str) -> URLSyntaxError:
    diagnostic = Diagnostic("bad-endpoint", "error", (0, len(text)), "authority", "RFC 3986 3.2", message)
    return URLSyntaxError(text, (diagnostic,))
