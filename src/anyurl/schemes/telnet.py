"""telnet: interactive services (RFC 1738 3.8, RFC 4248).

Rule: a telnet URL designates a service and no document. Its user and password are advice for the person at the
terminal: they are shown, never sent.
"""

from __future__ import annotations

from anyurl.schemes.scheme import Parts, Scheme, decode, part_error, refuse_octets
from anyurl.url import URL, syntax


class TelnetParts(Parts):
    """Nothing: a telnet URL ends with its host and port (RFC 4248 2)."""

    __slots__ = ()

    def url_path(self) -> str:
        """The empty url-path."""
        return ""


def read(url: URL) -> TelnetParts:
    """Take a telnet URL apart.

    Raises:
        URLSyntaxError: Something stands behind the host.
    """
    if url.url_path:
        raise part_error(
            url.url_path,
            "a telnet URL ends with its host: nothing but one '/' may follow",
            "RFC 4248 2",
            rule="telneturl",
        )
    return TelnetParts()


def check(url: URL) -> None:
    """Refuse line ends: they would be typed into the service (RFC 1738 section 6).

    Raises:
        RefusedError: CR, LF or NUL in the url-path or the login.
    """
    refuse_octets(url, syntax.ROWS["telnet"], url_path=decode(url.url_path), user=url.user, password=url.password)


SCHEMES = (
    Scheme(
        "telnet",
        reference="RFC 4248",
        summary="An interactive service, to be used by a person at a terminal.",
        read=read,
        read_only=True,
        check=check,
    ),
)
