"""The parts of gopher and gophers URLs: type, selector, search, Gopher+ string (RFC 1738 3.4, RFC 4266).

Rule: the first two encoded tabs of the url-path delimit selector, search and Gopher+ string; nothing else in it is
reserved, ``?`` included. CR and LF go to a server in one form only, the answered electronic form of 3.4.9.
"""

from __future__ import annotations

from anyurl.dialogue import Kind
from anyurl.errors import RefusedError, URLSyntaxError
from anyurl.kernel import percent_decode
from anyurl.schemes.gopher.wire.menus import ERROR, INFO
from anyurl.schemes.kit.scheme import SAFE, Parts, canonical, encode, octets, once, part_error, refuse_octets, text_of
from anyurl.url import URL, syntax

MENU = "1"
"""The type of an empty gopher-path (RFC 1738 3.4.1)."""

ASK_HEAD = "+\t1\r\n+-1\r\n"
ASK_END = ".\r\n"

_KINDS: dict[str, Kind | None] = {
    MENU: "listing", "7": "index", "2": "service", "8": "service", "T": "service", INFO: None, ERROR: None,
}  # fmt: skip

_SAFE = SAFE + b"/?:@&=;"
_SEARCH_SAFE = SAFE + b":@&=;"


def kind_of(type: str, tag: str = "") -> Kind | None:
    """What an item of this gopher type designates (RFC 1738 3.4.2, 3.4.5); None for a line that leads nowhere."""
    return "form" if tag.startswith("?") else _KINDS.get(type, "document")


class GopherParts(Parts):
    """A gopher-path, decoded (RFC 1738 3.4.1 to 3.4.9).

    Attributes:
        type: The gopher type: one character that stands for one octet.
        selector: What is sent to the server. It often begins with a copy of the type; that one is sent too.
        search: The words to search for, or None.
        gopherplus: The Gopher+ string (``+``, ``!``, ``$``, ``+view language``, an answered form ...), or None.

    Raises:
        URLSyntaxError: The type is not one octet, or a tab stands where it would delimit.
    """

    type: str
    selector: str
    search: str | None
    gopherplus: str | None

    def __init__(
        self, type: str = MENU, selector: str = "", search: str | None = None, gopherplus: str | None = None
    ) -> None:
        type, selector = canonical(type), canonical(selector)
        search = None if search is None else canonical(search)
        if type == "\t" or (len(octets(type)) if not type.isascii() else len(type)) != 1:
            raise part_error(
                type, f"the gopher type {type!r} is not one octet other than a tab", "RFC 1738 3.4.1", rule="gtype"
            )
        if "\t" in selector:
            raise _tab("selector", selector)
        if search is not None and "\t" in search:
            raise _tab("search", search)
        if gopherplus is not None:
            search = search or ""  # RFC 1738 3.4.3: both encoded tabs are written, the search string may be empty
        self._set(
            type=type,
            selector=selector,
            search=search,
            gopherplus=None if gopherplus is None else canonical(gopherplus),
        )

    def url_path(self) -> str:
        """The encoded gopher-path."""
        path = encode(self.type, _SAFE) + encode(self.selector, _SAFE)
        if self.search is not None:
            path += "%09" + encode(self.search, _SEARCH_SAFE)
        if self.gopherplus is not None:
            path += "%09" + encode(self.gopherplus, _SAFE)
        return path

    @property
    def answers(self) -> tuple[str, ...] | None:
        """The answers of an electronic form, or None when the Gopher+ string is not exactly that (RFC 1738 3.4.9)."""
        text = self.gopherplus
        if text is None or self.search or not (text.startswith(ASK_HEAD) and text.endswith("\r\n" + ASK_END)):
            return None
        body = text[len(ASK_HEAD) : -len(ASK_END)]
        answers = tuple(body.split("\r\n")[:-1])
        # A lone "." would end the block early, and what follows would be a second request.
        if any(answer == "." or any(char in "\r\n\t\0" for char in answer) for answer in answers):
            return None
        return answers


def _tab(name: str, text: str) -> URLSyntaxError:
    message = f"a tab in the gopher {name} would end it: tabs may stand in the Gopher+ string only"
    return part_error(text, message, "RFC 1738 3.4.1", rule=name)


def read(url: URL) -> GopherParts:
    """Take a gopher URL apart.

    Raises:
        URLSyntaxError: The first octet of the gopher-path is an encoded tab.
    """
    data = percent_decode(url.url_path)
    if not data:
        return GopherParts()
    # A tab can't stand unencoded in a URL, so decoding first cuts where the encoded tabs are (RFC 1738 3.4.1).
    fields = [text_of(field) for field in data[1:].split(b"\t", 2)]
    return GopherParts(text_of(data[:1]), *fields)


@once
def check(url: URL) -> GopherParts:
    """Refuse what would write a second line, or more fields, to a server (RFC 1738 section 6).

    Returns:
        The parts that were looked at.

    Raises:
        URLSyntaxError: As `read`.
        RefusedError: CR, LF or NUL anywhere but in an answered form, or a tab beyond the two separators.
    """
    parts = read(url)
    row = syntax.row(url.scheme)
    refuse_octets(url, row, type=parts.type, selector=parts.selector, search=parts.search)
    if parts.answers is not None:
        return parts
    refuse_octets(url, row, gopher_string=parts.gopherplus)
    if parts.gopherplus is not None and "\t" in parts.gopherplus:
        raise RefusedError(
            f"The Gopher+ string of {url.masked} holds a third tab (%09) and is not an answered form: it is never sent "
            "(RFC 1738 3.4.9 and section 6)."
        )
    return parts
