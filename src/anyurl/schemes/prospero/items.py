"""Prospero links as `Entry`, and attributes as plain values.

Rule: an entry's URL is that of its own access method, and prospero: only if the link leads to an object of a Prospero
server. A link is judged when it is followed, not before; names from a server are for display only, never for paths.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from anyurl.dates import timestamp
from anyurl.dialogue import Entry, Kind
from anyurl.errors import AnyURLError
from anyurl.schemes.ftp.parts import FtpParts
from anyurl.schemes.kit.media import guess_type
from anyurl.schemes.kit.scheme import NO_URL, decoded, text_of
from anyurl.schemes.prospero.exchange import Route
from anyurl.schemes.prospero.methods import Location, Method, kind_of, methods_of, split_host, stands_for
from anyurl.schemes.prospero.wire.messages import DEFAULT_PORT, Attribute, Link
from anyurl.url import URL

UNION = b"U"

_NO_METHOD = "none of its access methods has a URL"

_SIZE = re.compile(rb"([0-9]{1,18})(?: *bytes?)?", re.IGNORECASE)
_TIME = re.compile(rb"([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z?")

_MEDIA = {
    b"DOCUMENT TEXT": "text/plain",
    b"DOCUMENT POSTSCRIPT": "application/postscript",
    b"IMAGE GIF": "image/gif",
    b"IMAGE JPEG": "image/jpeg",
    b"IMAGE TIFF": "image/tiff",
}

_INTERPRETATIONS: dict[bytes, Kind] = {
    b"DIRECTORY": "listing", b"SEARCH": "index", b"PORTAL": "service", b"DOCUMENT": "document", b"IMAGE": "document",
    b"DATA": "document", b"SOUND": "document",
}  # fmt: skip


class FoundLink:
    """A link and its attributes."""

    __slots__ = ("link", "attributes")

    def __init__(self, link: Link, attributes: Sequence[Attribute] = ()) -> None:
        self.link = link
        self.attributes = list(attributes)


class Facts:
    """Facts from some attributes, each once.

    Args:
        attributes: Of one object or link.
        host: The host and port meant by an empty host of an access method.
        hsoname: The name meant by an empty name.
        version: Of the object of that name, or 0.
        external: They are those of an external link.
    """

    __slots__ = ("attributes", "methods", "_urls")

    def __init__(
        self,
        attributes: Sequence[Attribute],
        host: bytes,
        hsoname: bytes,
        version: int = 0,
        *,
        external: bool = False,
    ) -> None:
        self.attributes = attributes
        self.methods: list[Method] = methods_of(attributes, host, hsoname, version, external=external)
        self._urls: list[URL] | None = None

    def first(self, name: bytes) -> tuple[bytes, ...]:
        """The value of the first attribute of that name, or nothing."""
        return next((each.tokens for each in self.attributes if each.name == name and not each.depth), ())

    @property
    def size(self) -> int | None:
        """Octets."""
        found = _SIZE.fullmatch(b" ".join(self.first(b"SIZE")))
        return None if found is None else int(found[1])

    @property
    def modified(self) -> float | None:
        """Seconds since the epoch."""
        return read_time(b"".join(self.first(b"LAST-MODIFIED")))

    @property
    def mode(self) -> str | None:
        """Permissions, as ``ls -l`` shows them."""
        return text_of(b" ".join(self.first(b"UNIX-MODES"))) or None

    @property
    def title(self) -> str | None:
        """A sentence for people."""
        return decoded(b" ".join(self.first(b"TITLE"))) or None

    @property
    def kind(self) -> Kind | None:
        """The kind of the object, if an attribute says it."""
        return _INTERPRETATIONS.get(b"".join(self.first(b"OBJECT-INTERPRETATION")[:1]))

    def media_type(self, name: str) -> str | None:
        """The media type from the server, or else by a name."""
        return _MEDIA.get(b" ".join(self.first(b"OBJECT-INTERPRETATION")[:2])) or guess_type(name)

    def urls(self) -> list[URL]:
        """The URLs of the access methods that have one, best first."""
        if self._urls is None:
            self._urls = [url for method in self.methods if (url := method.url) is not None]
        return self._urls

    def plain(self) -> dict[str, list[list[str]]]:
        """All attributes by name: each has a list of values, a value is a list of texts.

        The name of an attribute of a link that is itself a value has that value's name before it: ``SEE-ALSO/SIZE``.
        """
        out: dict[str, list[list[str]]] = {}
        path: list[str] = []
        for each in self.attributes:
            path = [*path[: each.depth], text_of(each.name)]
            out.setdefault("/".join(path), []).append(_plain_value(each))
        return out


def _plain_value(attribute: Attribute) -> list[str]:
    if isinstance(attribute.value, Link):
        url = url_of(attribute.value, ())
        return [url.masked if url is not None else text_of(attribute.value.hsoname)]
    return [text_of(token) for token in attribute.value]


def read_time(text: bytes) -> float | None:
    """Seconds since the epoch of ``yyyymmddhhmmssZ``, or None."""
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = map(int, found.groups())
    return timestamp(year, month, day, hour, minute, second)


def name_of(hsoname: str) -> str | None:
    """The last piece of an object's name, as a name to propose. Hostile, like every name from elsewhere."""
    return hsoname.rstrip("/").rpartition("/")[2] or None


# --- links -----------------------------------------------------------------------------------------------------------


def place_of(link: Link, named_by: Route | None = None) -> Location | None:
    """Where the object of a Prospero link is, or None when the link leads elsewhere.

    Args:
        named_by: The way to the server whose link it is.
    """
    if link.target in (b"EXTERNAL", b"SYMBOLIC", b"NULL"):
        return None
    try:
        host, port = split_host(link.host)
    except UnicodeDecodeError:
        return None
    return Location(host, port or DEFAULT_PORT or 0, link.hsoname, link.version, (), named_by) if host else None


def url_of(link: Link, urls: Sequence[URL]) -> URL | None:
    """The target of a link, or None where no URL can express it (a virtual system's path, an unreadable link).

    Args:
        urls: Of its access methods.
    """
    if link.target == b"EXTERNAL":
        return urls[0] if urls else None
    place = place_of(link)
    try:
        return None if place is None else place.url()
    except AnyURLError:
        return None


def entry(found: FoundLink, *, of_match: bool = False) -> Entry:
    """One line of a listing.

    Args:
        of_match: It is a hit of an archie search: its directories are shown as those of the FTP server.
    """
    link = found.link
    facts = Facts(found.attributes, link.host, link.hsoname, link.version, external=link.target == b"EXTERNAL")
    name = text_of(link.name)
    url = url_of(link, facts.urls())
    image = None if link.target == b"EXTERNAL" else stands_for(link.hsoname)
    if of_match and image is not None and image.scheme == "ftp":
        url, image = image, url
    kind = _kind(link, url, facts)
    return Entry(
        name,
        url,
        kind=kind,
        size=facts.size,
        modified=facts.modified,
        title=facts.title or (_where(decoded(link.name), url, facts) if of_match else _readable(link.name)),
        type=facts.media_type(name) if kind == "document" else None,
        attributes=_attributes(link, facts, image) | ({NO_URL: _NO_METHOD} if url is None else {}),
    )


def _kind(link: Link, url: URL | None, facts: Facts) -> Kind | None:
    if link.target == b"EXTERNAL":
        return facts.kind if url is None else kind_of(url)
    if link.target == b"FILE":
        return "document"
    if link.target in (b"DIRECTORY", b"DIRECTORY+FILE"):
        return "index" if facts.kind == "index" else "listing"
    return facts.kind


def _readable(name: bytes) -> str | None:
    """A name that is not UTF-8 as people can read it; None for one that is readable unchanged."""
    text = decoded(name)
    return None if text == text_of(name) else text


def _where(name: str, url: URL | None, facts: Facts) -> str | None:
    """One line about a hit, as the archie client printed it: the name, the host and folder, the mode."""
    if url is None or url.scheme != "ftp":
        return None
    folder = "/".join(("", *FtpParts.of(url).directories)) or "/"
    return f"{name} ({url.host}:{folder}" + (f" {facts.mode})" if facts.mode else ")")


def _attributes(link: Link, facts: Facts, image: URL | None) -> dict[str, object]:
    out: dict[str, object] = {
        "target": text_of(link.target),
        "link_type": text_of(link.type),
        "host": text_of(link.host),
        "hsoname": text_of(link.hsoname),
    }
    given = {
        "version": link.version or None,
        "expires": None if link.expires is None else text_of(link.expires),
        "mode": facts.mode,
        "stands_for": None if image is None else image.masked,
        "urls": [url.masked for url in facts.urls()],
        "attributes": facts.plain(),
    }
    return out | {name: value for name, value in given.items() if value}
