"""The syntax facts of each scheme, as a table: authority, port, query, reserved and forbidden octets.

Rule: this is the only place for these facts; `schemes` reads them here, and a test compares. A row with a `module` is
implemented in ``anyurl/schemes/MODULE/``; others are known by name only. References name today's RFC of the scheme. A
scheme without a row is parsed by the generic syntax (RFC 3986 3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from anyurl.errors import UnsupportedError
from anyurl.url.cut import numbers
from anyurl.url.parts import AnyParts

Authority = Literal["required", "optional", "forbidden"]

RESERVED = ":/?#[]@!$&'()*+,;="
"""Gen-delims and sub-delims (RFC 3986 2.2): all characters to which a generic scheme may give a meaning."""

CR_LF_NUL = b"\r\n\0"
"""The octets that end a line or a string in most protocols."""

CR_LF = b"\r\n"
"""The octets that end a command in most protocols."""


class Row:
    """The syntax facts of one scheme.

    Attributes:
        flags: The facts that the parser asks for, as bits.
        name: In lower case.
        port: The default port, or None.
        reference: Where it is defined: ``RFC 1738 3.2``.
        query: Whether a ``?`` starts a query (otherwise it is part of the path).
        authority: Whether ``//host`` follows the colon.
        userinfo: Whether ``user:password@`` may precede the host.
        explicit_port: Whether ``:port`` may follow the host.
        empty_host: Whether the host after ``//`` may be empty.
        dns: Whether the host is a domain name or an address (without sub-delims, RFC 3986 3.2.2).
        hierarchical: Whether the path is a hierarchy, so that relative references have a meaning.
        dots: Whether ``normalize`` removes dot segments, in the grammars that know them (RFC 3986 5.2.4).
        empty_path: The path that an empty path after a host, or ``/`` alone, means (RFC 3986 6.2.3, RFC 1738 3.4.1).
        reserved: Characters in the path that differ from their encoded form (RFC 1738 2.2).
        query_reserved: The same for the query.
        forbidden: Octets that a decoded component must not contain: the protocol's delimiters.
        confined: Octets that are data here and end a command elsewhere. A URL that holds one, encoded or not, goes to
            the scheme's own port only, or to one that the policy names (`allow_ports`), so that it cannot command
            another service (RFC 1738 section 6). Empty if they are sent encoded, as in http.
        module: The folder in ``anyurl/schemes`` that implements it, or None if it is known by name only.
        at_once: The default number of parallel transfers from one host, if each is a login there; None for as many as
            the host accepts.
    """

    __slots__ = (
        "name", "port", "reference", "query", "authority", "userinfo", "explicit_port", "empty_host", "dns",
        "hierarchical", "dots", "empty_path", "reserved", "query_reserved", "forbidden", "confined", "module",
        "at_once", "flags",
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
        empty_path: str = "/",
        reserved: str = RESERVED,
        query_reserved: str = RESERVED,
        forbidden: bytes = b"",
        confined: bytes = CR_LF,
        module: str | None = None,
        at_once: int | None = None,
    ) -> None:
        self.name: str = name
        self.reference: str = reference
        self.port: int | None = port
        self.query: bool = query
        self.authority: Authority = authority
        self.userinfo: bool = userinfo
        self.explicit_port: bool = explicit_port
        self.empty_host: bool = empty_host
        self.dns: bool = dns
        self.hierarchical: bool = hierarchical
        self.dots: bool = dots
        self.empty_path: str = empty_path
        self.reserved: str = reserved
        self.query_reserved: str = query_reserved
        self.forbidden: bytes = forbidden
        self.confined: bytes = bytes(octet for octet in confined if octet not in forbidden)
        self.module: str | None = module
        self.at_once: int | None = at_once
        self.flags: int = self._flags()

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


FTP_AT_ONCE = 8
"""The parallel transfers of a mirror. FileZilla uses 2 to 10, lftp 1 by default; servers allow 5 to 50 per address."""

NEWS_AT_ONCE = 4
"""Small servers allow 4 to 10 per address; Thunderbird uses 2."""


def _line(name: str, reference: str, port: int, module: str, **facts: Any) -> Row:
    """A scheme of RFC 1738's common Internet syntax (3.1) with a line-based protocol."""
    common = {"query": False, "authority": "required", "reserved": "", "forbidden": CR_LF_NUL}
    return Row(name, reference, port=port, module=module, **{**common, **facts})


def _http(name: str, port: int) -> Row:
    return _line(
        name, "RFC 9110 4.2", port, "http", query=True, reserved="/;?", query_reserved="/;?&=+", forbidden=b"",
        confined=b"", dots=True,
    )  # fmt: skip


def _news(name: str, port: int) -> Row:
    return Row(
        name, "RFC 5538", port=port, query=False, userinfo=False, hierarchical=False, reserved="",
        forbidden=CR_LF_NUL, module="news", at_once=NEWS_AT_ONCE,
    )  # fmt: skip


_SPOKEN = (
    _line("ftp", "RFC 1738 3.2", 21, "ftp", reserved="/;", at_once=FTP_AT_ONCE),
    _line("ftps", "RFC 4217", 990, "ftp", reserved="/;", at_once=FTP_AT_ONCE),
    _http("http", 80),
    _http("https", 443),
    # RFC 4266 and similar RFCs have no user name for gopher, nntp, wais and prospero, nor has RFC 1738 5.
    _line("gopher", "RFC 4266", 70, "gopher", userinfo=False, empty_path="/1"),
    _line("gophers", "RFC 4266", 70, "gopher", userinfo=False, empty_path="/1"),
    Row(
        "mailto", "RFC 6068", authority="forbidden", hierarchical=False, reserved="", query_reserved="&=?",
        forbidden=CR_LF_NUL, module="mailto",
    ),
    _news("news", 119),
    _news("snews", 563),
    _line("nntp", "RFC 5538", 119, "news", userinfo=False, at_once=NEWS_AT_ONCE),
    _line("nntps", "RFC 5538", 563, "news", userinfo=False, at_once=NEWS_AT_ONCE),
    _line("telnet", "RFC 4248", 23, "telnet", hierarchical=False),
    _line(
        "wais", "RFC 4156", 210, "wais", query=True, userinfo=False, reserved="/?", query_reserved="/?", forbidden=b"",
    ),
    # RFC 1738 3.11: a slash of the hsoname may not be taken for a hierarchy.
    _line(
        "prospero", "RFC 4157", 1525, "prospero", userinfo=False, hierarchical=False, reserved=";=", forbidden=b"\0",
    ),
    Row(
        "file", "RFC 8089", query=False, userinfo=False, explicit_port=False, empty_host=True, dots=True, reserved="/",
        forbidden=b"\0/", module="file",
    ),
    # RFC 2229 2.2: strings contain no control characters.
    _line("dict", "RFC 2229", 2628, "dict", hierarchical=False, reserved=":", forbidden=bytes((*range(32), 127))),
    # The Gemini specification has no user in URLs: users are identified by certificates.
    _line(
        "gemini", "Gemini", 1965, "gemini", query=True, userinfo=False, reserved="/", query_reserved="", dots=True,
        forbidden=b"", confined=b"",
    ),
    # RFC 2397 3: its urlchars are those of RFC 2396, including "?".
    Row("data", "RFC 2397", query=False, authority="forbidden", hierarchical=False, reserved=",;=", module="data"),
)  # fmt: skip

IANA = "IANA URI schemes"

_SERVERS: tuple[tuple[str, str, int | None], ...] = (
    ("afs", "RFC 1738 4", 7000), ("tn3270", "RFC 6270", 23), ("z39.50", "RFC 1738 4", 210),
    ("imap", "RFC 5092", 143), ("imaps", "RFC 8314", 993), ("pop", "RFC 2384", 110), ("acap", "RFC 2244", 674),
    ("rtsp", "RFC 7826", 554), ("rtsps", "RFC 7826", 322), ("tftp", "RFC 3617", 69),
    ("coap", "RFC 7252", 5683), ("coaps", "RFC 7252", 5684), ("snmp", "RFC 4088", 161), ("ipp", "RFC 3510", 631),
    ("ipps", "RFC 7472", 631), ("rsync", "RFC 5781", 873), ("msrp", "RFC 4975", 2855), ("vemmi", "RFC 2122", 575),
    ("ssh", IANA, 22), ("sftp", IANA, 22), ("irc", IANA, 6667), ("ircs", IANA, 6697), ("git", IANA, 9418),
    ("svn", IANA, 3690), ("finger", IANA, 79), ("rlogin", "RFC 1282", 513),
    ("whois", "RFC 3912", 43), ("smb", IANA, 445), ("vnc", "RFC 7869", 5900), ("redis", IANA, 6379),
    ("mqtt", IANA, 1883), ("mms", IANA, 1755), ("smtp", "RFC 5321", 25), ("smtps", "RFC 8314", 465),
)  # fmt: skip
"""Known by name only: schemes with ``//host``, their references and ports."""

_NAMES = (
    ("mid", "RFC 2392"), ("cid", "RFC 2392"), ("mailserver", "RFC 6196"), ("urn", "RFC 8141"),
    ("tel", "RFC 3966"), ("sms", "RFC 5724"), ("geo", "RFC 5870"), ("sip", "RFC 3261"), ("sips", "RFC 3261"),
    ("tag", "RFC 4151"), ("about", "RFC 6694"), ("im", "RFC 3860"), ("pres", "RFC 3859"), ("dns", "RFC 4501"),
)  # fmt: skip
"""Known by name only: schemes whose RFC defines no hierarchy; all except dns also have no ``//``."""

_OTHERS = (
    ("doi", IANA), ("magnet", IANA), ("view-source", IANA), ("javascript", IANA), ("blob", "W3C FileAPI 8"),
    ("xmpp", "RFC 5122"), ("ni", "RFC 6920"), ("info", "RFC 4452"), ("pkcs11", "RFC 7512"), ("stun", "RFC 7064"),
    ("turn", "RFC 7065"), ("bitcoin", IANA), ("steam", IANA), ("jar", IANA), ("chrome", IANA),
)  # fmt: skip
"""Known by name only: schemes that are parsed by the generic syntax."""


def _known() -> tuple[Row, ...]:
    """Schemes that are known by name, so that messages can be specific (RFC 1738 4, the IANA registry)."""
    return (
        # RFC 1738 4 reserves the names afs and z39.50 without defining their syntax: the generic one is used.
        *(Row(name, reference, port=port, authority="optional" if reference == "RFC 1738 4" else "required")
          for name, reference, port in _SERVERS),
        # RFC 2224 1 and RFC 2056 have no user name in URLs.
        *(Row(name, reference, port=port, authority="required", userinfo=False)
          for name, reference, port in (("nfs", "RFC 2224", 2049), ("z39.50r", "RFC 2056", 210),
                                        ("z39.50s", "RFC 2056", 210))),
        *(Row(name, "RFC 6455 3", port=port, authority="required", userinfo=False, dots=True,
              confined=b"")
          for name, port in (("ws", 80), ("wss", 443))),
        # RFC 4516 2: without a host, the client chooses the server.
        *(Row(name, "RFC 4516", port=port, authority="required", userinfo=False, empty_host=True)
          for name, port in (("ldap", 389), ("ldaps", 636))),
        *(Row(name, reference, authority="optional" if name == "dns" else "forbidden", hierarchical=False)
          for name, reference in _NAMES),
        *(Row(name, reference, empty_host=True, dns=False, hierarchical=False) for name, reference in _OTHERS),
    )  # fmt: skip


GENERIC = Row("", "RFC 3986 3", empty_host=True, dns=False, dots=True)
"""The row for schemes without one."""

ROWS: dict[str, Row] = {row.name: row for row in (*_SPOKEN, *_known())}
"""All known schemes by name; `anyurl.schemes.registry` adds registered ones."""


def family(module: str) -> tuple[str, ...]:
    """The schemes that one folder in ``anyurl/schemes`` implements."""
    return tuple(row.name for row in _SPOKEN if row.module == module)


WEB = family("http")
FTP = family("ftp")
GOPHER = family("gopher")
NEWS = family("news")


def row(name: str) -> Row:
    """The row of a scheme; for one without a row, a row of the generic syntax.

    Args:
        name: In lower case.
    """
    found = ROWS.get(name)
    return found if found is not None else Row(name, GENERIC.reference, empty_host=True, dns=False, dots=True)


Reader: TypeAlias = Callable[[Any], AnyParts]
AnyURL: TypeAlias = Any
"""A `URL`, whose module imports this one."""

_loader: Callable[[Row], Reader] | None = None
_checker: Callable[[AnyURL], None] | None = None


def set_reader_loader(loader: Callable[[Row], Reader]) -> None:
    """Set the function that finds the reader of a scheme's parts, so that ``url.parts`` need not import the schemes.

    Args:
        loader: Returns the function that reads a URL's parts, for a row; raises SchemeError if there is none.
    """
    global _loader
    _loader = loader


def set_checker(checker: Callable[[AnyURL], None]) -> None:
    """Set the function that holds a URL against its scheme, as the verbs do, so that `check` need not import it."""
    global _checker
    _checker = checker


def check(url: AnyURL) -> None:
    """Refuse a URL that no verb of its scheme would take; a scheme without a reader takes any.

    Raises:
        URLSyntaxError: Its path is invalid for its scheme.
        RefusedError: Its decoded components hold octets that the protocol can't carry.
    """
    if _checker is not None:
        _checker(url)


def reader(of: Row) -> Reader:
    """The function that reads the parts of a URL of this scheme.

    Raises:
        SchemeError: There is no reader for this scheme.
    """
    if _loader is None:
        raise UnsupportedError(f"No reader for the parts of {of.name} URLs is loaded; import anyurl.", scheme=of.name)
    return _loader(of)
