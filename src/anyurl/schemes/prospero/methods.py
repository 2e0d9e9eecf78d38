"""Access methods: the other URLs of a Prospero object (RFC 1738 3.11; Prospero's ACCESS-METHOD).

Rule: an empty token means that of the link, or of the requested object. A method that no URL can express, or that would
access this machine (LOCAL, AFS), has no URL: a directory server can never name a local file of its client.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from anyurl.dialogue import Kind
from anyurl.errors import AnyURLError
from anyurl.schemes.ftp.parts import FtpParts
from anyurl.schemes.gopher.parts import MENU, GopherParts
from anyurl.schemes.gopher.parts import kind_of as kind_of_type
from anyurl.schemes.kit.scheme import encode, text_of
from anyurl.schemes.prospero.exchange import Route
from anyurl.schemes.prospero.parts import VERSION_FIELD, ProsperoParts
from anyurl.schemes.prospero.wire.messages import Attribute
from anyurl.url import URL, syntax

ACCESS_METHOD = b"ACCESS-METHOD"
CONTENTS = b"PROSPERO-CONTENTS"
"""The octets come in the protocol itself."""

WITH_ACCOUNT = b"FTP"
"""Needs an account there; AFTP is anonymous."""

_HOST = re.compile(rb"([^()]*)(?:\(([0-9]{1,5})\))?")
_ACCOUNT = re.compile(r'account name "([^"]*)"')
_TYPECODES = {b"BINARY": "i", b"TEXT": "a", b"DIRECTORY": "d"}
_GOPHER_TYPES = {b"TEXT": "0", b"BINARY": "9"}
_GATEWAY = re.compile(rb"(GOPHER|WAIS)-GW/([^/]*)/([^/]*)/(.*)", re.DOTALL)
_WAIS_SAFE = b"$"
_PATH_SAFE = b"$+!*(),/:@&="


class Location:
    """Where a Prospero object is.

    Attributes:
        host: Lower case.
        port: Port number.
        hsoname: The host-specific object name.
        version: Of the object, or 0.
        selects: Further fields that identify it.
        named_by: The way to the server that named it, or None for the URL's own.
    """

    __slots__ = ("host", "port", "hsoname", "version", "selects", "named_by")

    def __init__(
        self,
        host: str,
        port: int,
        hsoname: bytes,
        version: int = 0,
        selects: Sequence[tuple[bytes, bytes]] = (),
        named_by: Route | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self.hsoname = hsoname
        self.version = version
        self.selects = tuple(selects)
        self.named_by = named_by

    def url(self) -> URL:
        """The prospero URL.

        Raises:
            AnyURLError: The host, port or version cannot be expressed in a URL.
        """
        fields = [(VERSION_FIELD, str(self.version))] if self.version else []
        parts = ProsperoParts(text_of(self.hsoname), [*fields, *((text_of(n), text_of(v)) for n, v in self.selects)])
        _ = parts.version  # a server may count in other numbers
        return _build("prospero", self.host, self.port, parts=parts)

    @property
    def key(self) -> tuple[object, ...]:
        """The key that equal places share."""
        return (self.host, self.port, self.hsoname, self.version, self.selects)


def split_host(host: bytes) -> tuple[str, int | None]:
    """``host(port)`` taken apart; the host in lower case.

    Raises:
        UnicodeDecodeError: It is not ASCII.
    """
    found = _HOST.fullmatch(host)
    if found is None:
        return host.decode("ascii").lower(), None
    return found[1].decode("ascii").lower(), None if found[2] is None else int(found[2])


class Method:
    """One access method of an object.

    Attributes:
        name: ``AFTP``, ``GOPHER``, ``TELNET`` ...
        tokens: All of its tokens, unchanged.
        host: Its host, with ``(port)`` if given.
        hsoname: Its name there.
        version: Of the object there, or 0.
        more: Further arguments of the method: a transfer mode, a gopher type, a sentence for the user.
    """

    __slots__ = ("name", "tokens", "host", "hsoname", "version", "more")

    def __init__(self, tokens: Sequence[bytes], host: bytes, hsoname: bytes, version: int = 0) -> None:
        self.tokens = tuple(tokens)
        self.name = tokens[0]
        self.host = tokens[2] or host
        self.hsoname = tokens[4] or hsoname
        self.version = 0 if tokens[4] else version  # an object of another name has versions of its own
        self.more = tuple(tokens[5:])

    @property
    def url(self) -> URL | None:
        """The URL that it is, or None where there is none."""
        write = _WRITERS.get(self.name)
        if write is None:
            return None
        try:
            url = write(self)
        except (AnyURLError, UnicodeDecodeError):
            return None
        return None if url is None or _holds_delimiters(url, self) else url

    @property
    def spoken(self) -> bool:
        """Whether anyurl can follow it."""
        url = self.url
        return url is not None and syntax.row(url.scheme).module is not None


def methods_of(
    attributes: Sequence[Attribute], host: bytes, hsoname: bytes, version: int = 0, *, external: bool = False
) -> list[Method]:
    """The access methods among some attributes, in the server's order of preference, those with an account last.

    Args:
        host: The host and port meant by an empty host.
        hsoname: The name meant by an empty name.
        version: Of the object of that name, or 0.
        external: They are those of an external link, whose port is that of the access method; else it is Prospero's.
    """
    bare = host if external else host.partition(b"(")[0]
    found = [
        Method(each.tokens, host if each.tokens[0] == CONTENTS else bare, hsoname, version)
        for each in attributes
        if each.name == ACCESS_METHOD and not each.depth and len(each.tokens) >= 5
    ]
    # The original clients also prefer methods that need no password.
    return sorted(found, key=lambda method: method.name == WITH_ACCOUNT)


def kind_of(url: URL) -> Kind | None:
    """The kind of object that an access method's URL designates, as far as the URL itself tells."""
    if url.scheme == "ftp":
        return "listing" if url.url_path.endswith(";type=d") else "document"
    if url.scheme in ("telnet", "tn3270"):
        return "service"
    if url.scheme == "gopher":
        return kind_of_type(url.url_path[:1] or MENU)
    return "index" if url.scheme == "wais" and url.url_path.count("/") < 2 else "document"


# --- the URL of each method ------------------------------------------------------------------------------------------


def _build(scheme: str, host: str, port: int | None, **rest: object) -> URL:
    at = None if port in (None, 0, syntax.row(scheme).port) else port
    return URL.build(scheme=scheme, host=host, port=at, **rest)  # type: ignore[arg-type]


def _holds_delimiters(url: URL, method: Method) -> bool:
    return any(octet in method.hsoname for octet in syntax.row(url.scheme).forbidden if octet != ord("/"))


def _first(method: Method) -> bytes:
    return method.more[0] if method.more else b""


def _ftp(method: Method) -> URL | None:
    host, port = split_host(method.host)
    directories = text_of(method.hsoname).removeprefix("/").split("/")
    if method.name == WITH_ACCOUNT and method.hsoname.startswith(b"/"):
        directories[0] = "/" + directories[0]  # RFC 1738 3.2.2: %2F, for a login does not begin at the root
    name = directories.pop()
    return _build("ftp", host, port, parts=FtpParts(directories, name, _TYPECODES.get(_first(method))))


def _http(method: Method) -> URL | None:
    host, port = split_host(method.host)
    path = encode(text_of(method.hsoname.removeprefix(b"/")), _PATH_SAFE)
    return _build("http", host, port, path=f"/{path}")


def _gopher(method: Method) -> URL | None:
    host, port = split_host(method.host)
    said = _first(method)
    kind = said if len(said) == 1 else method.hsoname[:1]
    type = _GOPHER_TYPES.get(said, text_of(kind) or MENU)
    return _build("gopher", host, port, parts=GopherParts(type, text_of(method.hsoname)))


def _wais(method: Method) -> URL | None:
    gateway = stands_for(method.hsoname)
    if gateway is not None:
        return gateway
    # The record locator names neither a database nor a type: only the server is known.
    host, port = split_host(method.host)
    return _build("wais", host, port, path="/")


def _session(method: Method) -> URL | None:
    host, port = split_host(method.host)
    found = _ACCOUNT.search(text_of(_first(method)))
    return _build(method.name.decode("ascii").lower(), host, port, user=found[1] if found else None, path="/")


def _nfs(method: Method) -> URL | None:
    host, port = split_host(method.host)
    path = _first(method).strip(b"/") + b"/" + method.hsoname.lstrip(b"/")
    return _build("nfs", host, port, path="/" + encode(text_of(path), _PATH_SAFE))


def _prospero(method: Method) -> URL | None:
    host, port = split_host(method.host)
    return Location(host, port or syntax.row("prospero").port or 0, method.hsoname, method.version).url()


_WRITERS: dict[bytes, Callable[[Method], URL | None]] = {
    b"AFTP": _ftp,
    b"FTP": _ftp,
    b"GOPHER": _gopher,
    b"WAIS": _wais,
    b"TELNET": _session,
    b"TN3270": _session,
    b"NFS": _nfs,
    b"HTTP": _http,
    CONTENTS: _prospero,
}


# --- names that gateways make ----------------------------------------------------------------------------------------


def is_computed(hsoname: bytes) -> bool:
    """Whether a directory of that name is made by a database or gateway: asking it for attributes is slow, or fails."""
    return hsoname == b"ARCHIE" or hsoname.startswith((b"ARCHIE/", b"GOPHER-GW/", b"WAIS-GW/"))


def stands_for(hsoname: bytes) -> URL | None:
    """The original that a gateway's object mirrors: a gopher item, a WAIS database, an FTP directory."""
    try:
        if hsoname.startswith(b"ARCHIE/HOST/"):
            site, _, path = hsoname.removeprefix(b"ARCHIE/HOST/").partition(b"/")
            *directories, name = text_of(path).split("/")
            return _build("ftp", site.decode("ascii").lower(), None, parts=FtpParts(directories, name, "d"))
        found = _GATEWAY.fullmatch(hsoname)
        if found is None:
            return None
        gateway, at, type, rest = found.groups()
        host, port = split_host(at)
        if gateway == b"GOPHER":
            return _build("gopher", host, port, parts=GopherParts(text_of(type), text_of(rest)))
        return _build("wais", host, port, **_wais_path(type, rest))
    except (AnyURLError, UnicodeDecodeError):
        return None


def _wais_path(type: bytes, rest: bytes) -> dict[str, str]:
    database, _, name = (text_of(piece) for piece in rest.partition(b"/"))
    if type != b"QUERY":
        return {"path": f"/{encode(database)}/{encode(text_of(type))}/{encode(name, _WAIS_SAFE)}"}
    return {"path": f"/{encode(database)}", **({"query": encode(name)} if name else {})}
