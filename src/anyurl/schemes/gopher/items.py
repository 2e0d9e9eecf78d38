"""Gopher items: the media types of gopher types, and menu lines as `Entry`.

Rule: an entry's URL has the scheme of its target: gopher, telnet, tn3270, or that of the URL after ``URL:`` in an ``h``
item. The targets of a menu are judged when they are followed, not before. Names from a menu are for display only, never
for paths.
"""

from __future__ import annotations

import re

from anyurl.dialogue import Entry
from anyurl.errors import AnyURLError, PeerText, UnsupportedError
from anyurl.schemes.gopher.parts import MENU, GopherParts, kind_of
from anyurl.schemes.gopher.wire.menus import ERROR, INFO, MenuItem
from anyurl.schemes.kit.media import guess_type
from anyurl.schemes.kit.scheme import NO_URL, decoded, spaced, text_of
from anyurl.url import URL, syntax
from anyurl.url.masking import mask

TEXT, SEARCH, MIRROR = "0", "7", "+"

MENUS = frozenset({MENU, SEARCH})
"""Types whose items return a menu."""

DOTTED = frozenset({TEXT, "4", "6"})
"""Types whose items are sent as lines of text and end with a lone dot (RFC 1436 3.8)."""

_LINKS = {
    # Some servers write a slash before it, and lynx takes both.
    "h": re.compile(rb"URL:(.*)|/URL:([a-z][a-z0-9+.-]*://.*)", re.IGNORECASE | re.DOTALL),
    "w": re.compile(rb"(?:URL:)?([a-z][a-z0-9+.-]*://.*)", re.IGNORECASE | re.DOTALL),
}
"""The selectors of these types that are URLs; host and port of such an item are ignored."""

_SERVICES = {"2": "cso", "8": "telnet", "T": "tn3270"}
"""Types of sessions in other protocols."""

_MEDIA = {
    TEXT: "text/plain", "4": "application/mac-binhex40", "5": "application/octet-stream", "6": "text/x-uuencode",
    "9": "application/octet-stream", "g": "image/gif", "h": "text/html", "I": "application/octet-stream",
    "M": "message/rfc822", "P": "application/pdf", "d": "application/octet-stream", "p": "image/png",
    "r": "application/rtf", "s": "application/octet-stream", ";": "application/octet-stream",
}  # fmt: skip
"""RFC 1436 3.8 and later practice: a type is general, the selector's suffix is often more specific."""


def media_type(parts: GopherParts) -> str | None:
    """The media type by the gopher type, or by the selector's suffix if the gopher type is too general."""
    if parts.type in MENUS or parts.type in _SERVICES:
        return None
    said = _MEDIA.get(parts.type)
    guessed = guess_type(name_of(parts) or "")
    if said == "text/plain":
        return guessed if guessed is not None and guessed.startswith("text/") else said
    return guessed or said if said in (None, "application/octet-stream") else said


def name_of(parts: GopherParts) -> str | None:
    """The last segment of the selector, as a suggested name. Hostile, like every name from a URL or server."""
    return parts.selector.rstrip("/").rpartition("/")[2] or None


def refuse_service(url: URL, parts: GopherParts, verb: str) -> None:
    """Refuse URLs of interactive sessions, which are not resources of a gopher server.

    Raises:
        UnsupportedError: The type is that of a session; the message gives the URL of the session.
    """
    scheme = _SERVICES.get(parts.type)
    if scheme is None:
        return
    item = MenuItem(
        parts.type, b"", parts.selector.encode("utf-8", "surrogateescape"), (url.host or "").encode(), url.port
    )
    there = None if scheme == "cso" else url_of(item, url)
    hint = "a CSO phone book, which anyurl does not support" if there is None else f"the service {there.masked}"
    raise UnsupportedError(f"{url.masked} designates {hint}: there is nothing to {verb}.", scheme=url.scheme, verb=verb)


class Menu:
    """Makes entries of a menu's items; an item of type ``+`` is a mirror of the item before it.

    Args:
        url: The URL of the menu: items on the same host and port get the same scheme (gophers stays gophers).
    """

    __slots__ = ("_url", "_type")

    def __init__(self, url: URL) -> None:
        self._url = url
        self._type = INFO

    def entry(self, item: MenuItem) -> Entry:
        """The entry of one menu line."""
        attributes = {"gopher_type": item.type}
        if item.type == MIRROR:
            attributes["mirror_of"] = self._type
            item = MenuItem(self._type, item.display, item.selector, item.host, item.port, item.tag)
        elif item.type not in (INFO, ERROR):
            self._type = item.type
        if item.tag:
            attributes["gopher_plus"] = item.tag
        url = None
        if item.type not in (INFO, ERROR):
            try:
                url = _target(item, self._url)
            except _NowhereError as error:
                attributes[NO_URL] = error.why
        return Entry(
            text_of(item.display),
            url,
            kind=kind_of(item.type, item.tag),
            title=decoded(item.display),
            type=_type_of(item),
            attributes=attributes,
        )


def _type_of(item: MenuItem) -> str | None:
    if item.type in (INFO, ERROR):
        return None
    return media_type(GopherParts(item.type, text_of(item.selector.replace(b"\t", b" "))))


class _NowhereError(ValueError):
    """An item has no URL.

    Attributes:
        why: The part that a URL cannot express.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def url_of(item: MenuItem, menu: URL) -> URL | None:
    """The URL that an item leads to; None if it leads nowhere, or if no URL can express it."""
    try:
        return None if item.type in (INFO, ERROR) else _target(item, menu)
    except _NowhereError:
        return None


def _target(item: MenuItem, menu: URL) -> URL:
    """Raises _NowhereError: no URL can express it."""
    link = _LINKS[item.type].fullmatch(item.selector) if item.type in _LINKS else None
    if link is not None:
        return _link((link[1] or link[2] or b"").strip())
    if item.port is None:
        raise _NowhereError("its port is not a number from 0 to 65535")
    if any(octet in item.selector for octet in syntax.row("gopher").forbidden):
        raise _NowhereError("its selector holds a character that would end it")
    if not item.host:  # a menu that was written for this server alone
        item = MenuItem(item.type, item.display, item.selector, (menu.host or "").encode(), menu.port, item.tag)
    try:
        host = item.host.decode("utf-8")
        if item.type in _SERVICES and item.type != "2":
            return _session_url(item, host)
        return _gopher_url(item, host, menu)
    except (AnyURLError, UnicodeDecodeError):
        raise _NowhereError(f"its host {PeerText(item.host)} is not a host name") from None


def _link(text: bytes) -> URL:
    try:
        return URL(spaced(text.decode("utf-8")))
    except (AnyURLError, UnicodeDecodeError):
        raise _NowhereError(f"{PeerText(mask(text_of(text)))} is not a URL") from None


def _session_url(item: MenuItem, host: str) -> URL:
    # RFC 1436 3.8: "if the selector is not empty, it is the login name".
    scheme = _SERVICES[item.type]
    user = text_of(item.selector) or None
    port = None if item.port in (0, syntax.row(scheme).port) else item.port
    return URL.build(scheme=scheme, user=user, host=host, port=port, path="/" if scheme == "telnet" else "")


def _gopher_url(item: MenuItem, host: str, menu: URL) -> URL:
    same = (host.lower(), item.port) == (menu.host, menu.port)
    parts = GopherParts(item.type, text_of(item.selector), None, item.tag or None)
    port = None if item.port in (0, syntax.row("gopher").port) else item.port
    return URL.build(scheme=menu.scheme if same else "gopher", host=host, port=port, parts=parts)
