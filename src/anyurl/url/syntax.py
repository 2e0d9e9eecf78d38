"""What the low rooms must know of each scheme, as rows: authority, port, query, reserved and forbidden octets.

Rule: the one place for these facts; `schemes` reads them here and a test compares. A row with a `module` is spoken by
``anyurl/schemes/MODULE.py``; one without is known by name only. References name today's RFC of the scheme. A scheme
that has no row is read by the generic syntax (RFC 3986 3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from anyurl.errors import UnsupportedError
from anyurl.kernel import numbers

Authority = Literal["required", "optional", "forbidden"]

RESERVED = ":/?#[]@!$&'()*+,;="
"""Gen-delims and sub-delims (RFC 3986 2.2): all that a generic scheme may give a meaning."""

CR_LF_NUL = b"\r\n\0"
"""What ends a line or a string of most protocols."""


class Row:
    """The syntax facts of one scheme.

    Attributes:
        name: In lower case.
        port: The default port, or None.
        reference: Where it is defined: ``RFC 1738 3.2``.
        query: A ``?`` starts a query (elsewhere it is a character of the path).
        authority: Whether ``//host`` stands behind the colon.
        userinfo: ``user:password@`` may stand before the host.
        explicit_port: ``:port`` may stand behind the host.
        empty_host: ``//`` may be followed by no host.
        dns: The host is a domain name or an address (never sub-delims, RFC 3986 3.2.2).
        hierarchical: The path is a hierarchy: relative references have a meaning.
        dots: ``normalize`` removes dot segments.
        reserved: Characters that an encoded octet must not be confused with (RFC 1738 2.2), in the path.
        query_reserved: The same for the query.
        forbidden: Octets that must not come out of a component when it is decoded: the protocol's delimiters.
        module: The module in ``anyurl/schemes`` that speaks it, or None: known but not spoken.
    """

    __slots__ = (
        "name", "port", "reference", "query", "authority", "userinfo", "explicit_port", "empty_host", "dns",
        "hierarchical", "dots", "reserved", "query_reserved", "forbidden", "module", "flags",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        reference: str,
        *,
        port: int | None = None,
        query: bool = True,
        authority: Authority = "optional",
        userinfo: bool = True,
        explicit_port: bool = True,
        empty_host: bool = False,
        dns: bool = True,
        hierarchical: bool = True,
        dots: bool = False,
        reserved: str = RESERVED,
        query_reserved: str = RESERVED,
        forbidden: bytes = b"",
        module: str | None = None,
    ) -> None:
        self.name = name
        self.reference = reference
        self.port = port
        self.query = query
        self.authority: Authority = authority
        self.userinfo = userinfo
        self.explicit_port = explicit_port
        self.empty_host = empty_host
        self.dns = dns
        self.hierarchical = hierarchical
        self.dots = dots
        self.reserved = reserved
        self.query_reserved = query_reserved
        self.forbidden = forbidden
        self.module = module
        self.flags = self._flags()

    def _flags(self) -> int:
        return (
            (numbers.NO_AUTHORITY if self.authority == "forbidden" else 0)
            | (numbers.NEED_AUTHORITY if self.authority == "required" else 0)
            | (numbers.NEED_SLASH if self.name == "file" else 0)
            | (0 if self.userinfo else numbers.NO_USERINFO)
            | (0 if self.explicit_port else numbers.NO_PORT)
            | (0 if self.query else numbers.NO_QUERY)
            | (numbers.EMPTY_HOST if self.empty_host else 0)
            | (numbers.DNS_HOST if self.dns else 0)
        )

    def __repr__(self) -> str:
        return f"Row({self.name!r}, {self.reference!r}, port={self.port!r}, module={self.module!r})"


def _spoken() -> tuple[Row, ...]:
    """The schemes of RFC 1738 and their kin over TLS, by today's RFC of each."""

    def line(name: str, reference: str, port: int, **facts: Any) -> Row:
        facts = {"query": False, "authority": "required", "reserved": "", "forbidden": CR_LF_NUL, **facts}
        return Row(name, reference, port=port, **facts)

    def http(name: str, port: int) -> Row:
        return line(
            name, "RFC 9110 4.2", port, query=True, reserved="/;?", query_reserved="/;?&=+", forbidden=b"",
            dots=True, module="http",
        )  # fmt: skip

    return (
        line("ftp", "RFC 1738 3.2", 21, reserved="/;", module="ftp"),
        line("ftps", "RFC 4217", 990, reserved="/;", module="ftp"),
        http("http", 80),
        http("https", 443),
        line("gopher", "RFC 4266", 70, userinfo=False, hierarchical=False, module="gopher"),
        line("gophers", "RFC 4266", 70, userinfo=False, hierarchical=False, module="gopher"),
        Row(
            "mailto", "RFC 6068", authority="forbidden", hierarchical=False, reserved="", query_reserved="&=?",
            forbidden=CR_LF_NUL, module="mailto",
        ),
        Row(
            "news", "RFC 5538", port=119, query=False, userinfo=False, hierarchical=False, reserved="",
            forbidden=CR_LF_NUL, module="news",
        ),
        Row(
            "snews", "RFC 5538", port=563, query=False, userinfo=False, hierarchical=False, reserved="",
            forbidden=CR_LF_NUL, module="news",
        ),
        line("nntp", "RFC 5538", 119, userinfo=False, module="nntp"),
        line("nntps", "RFC 5538", 563, userinfo=False, module="nntp"),
        line("telnet", "RFC 4248", 23, module="telnet"),
        line(
            "wais", "RFC 4156", 210, query=True, userinfo=False, reserved="/?", query_reserved="/?", forbidden=b"",
            module="wais",
        ),
        line("prospero", "RFC 4157", 1525, userinfo=False, reserved=";=", forbidden=b"\0", module="prospero"),
        Row(
            "file", "RFC 8089", query=False, userinfo=False, explicit_port=False, empty_host=True, dots=True,
            reserved="/", forbidden=b"\0/", module="file",
        ),
    )  # fmt: skip


GENERIC = Row("", "RFC 3986 3", empty_host=True, dns=False, dots=True)
"""The row of a name that has none."""

ROWS: dict[str, Row] = {row.name: row for row in _spoken()}
"""All known schemes by name; `anyurl.schemes.registry` adds what is registered."""


def row(name: str) -> Row:
    """The row of a scheme; for a name that has none, a row of the generic syntax.

    Args:
        name: In lower case.
    """
    found = ROWS.get(name)
    return found if found is not None else Row(name, GENERIC.reference, empty_host=True, dns=False, dots=True)


def flags(name: str) -> int:
    """What the kernel's cut must know of a scheme, in any case."""
    found = ROWS.get(name) or ROWS.get(name.lower())
    return GENERIC.flags if found is None else found.flags


Reader = Callable[[Any], Any]
_loader: Callable[[Row], Reader] | None = None


def set_reader_loader(loader: Callable[[Row], Reader]) -> None:
    """Say how the reader of a scheme's parts is found, so that ``url.parts`` need not import the schemes.

    Args:
        loader: From a row to the function that reads a URL's parts; it raises a SchemeError when there is none.
    """
    global _loader
    _loader = loader


def reader(of: Row) -> Reader:
    """The function that reads the parts of a URL of this scheme.

    Raises:
        SchemeError: Nothing here can read them.
    """
    if _loader is None:
        raise UnsupportedError(f"no reader for the parts of {of.name} URLs is loaded; import anyurl", scheme=of.name)
    return _loader(of)
