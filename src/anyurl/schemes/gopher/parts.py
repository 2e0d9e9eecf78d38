"""The parts of gopher and gophers URLs: type, selector, search, Gopher+ string (RFC 1738 3.4, RFC 4266).

Rule: the first two encoded tabs of the url-path delimit selector, search and Gopher+ string; no other character is
reserved, not even ``?``. CR and LF are only ever sent as part of an answered electronic form (3.4.9).
"""

from __future__ import annotations

from anyurl.dialogue import Kind
from anyurl.errors import RefusedError, URLSyntaxError, quoted
from anyurl.schemes.gopher.wire.menus import ERROR, INFO
from anyurl.schemes.kit.scheme import SAFE, Parts, canonical, encode, octets, once, part_error, refuse_octets, text_of
from anyurl.url import URL, syntax
from anyurl.url.cut import percent_decode

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
    """The kind of an item of this gopher type (RFC 1738 3.4.2, 3.4.5); None for a line that leads nowhere."""
    return "form" if tag.startswith("?") else _KINDS.get(type, "document")


class GopherParts(Parts):
    """A gopher-path, decoded (RFC 1738 3.4.1 to 3.4.9).

    Attributes:
        type: The gopher type: one character that stands for one octet.
        selector: The selector to send. It often begins with a copy of the type, which is sent, too.
        search: The words to search for, or None.
        gopherplus: The Gopher+ string (``+``, ``!``, ``$``, ``+view language``, an answered form ...), or None.

    Raises:
        URLSyntaxError: The type is not one octet, or a component contains a tab that would delimit it.
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
                type,
                f"the gopher type {quoted(type)} is not one octet other than a tab",
                "RFC 1738 3.4.1",
                rule="gtype",
            )
        if "\t" in selector:
            raise _tab("selector", selector)
        if search is not None and "\t" in search:
            raise _tab("search", search)
        if gopherplus is not None:
            search = search or ""  # RFC 1738 3.4.3: both tabs are needed, the search string may be empty
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
        """The answers of an electronic form; None if the Gopher+ string is anything else (RFC 1738 3.4.9)."""
        text = self.gopherplus
        if text is None or self.search or not (text.startswith(ASK_HEAD) and text.endswith("\r\n" + ASK_END)):
            return None
        body = text[len(ASK_HEAD) : -len(ASK_END)]
        answers = tuple(body.split("\r\n")[:-1])
        # Attack: a lone "." would end the block early, and the rest would be a second request.
        if any(answer == "." or any(char in "\r\n\t\0" for char in answer) for answer in answers):
            return None
        return answers


def _tab(name: str, text: str) -> URLSyntaxError:
    message = f"a tab in the gopher {name} would end it: tabs are allowed only in the Gopher+ string"
    return part_error(text, message, "RFC 1738 3.4.1", rule=name)


def read(url: URL) -> GopherParts:
    """Read the parts of a gopher URL.

    Raises:
        URLSyntaxError: The first octet of the gopher-path is an encoded tab.
    """
    data = percent_decode(url.url_path)
    if not data:
        return GopherParts()
    # URLs can't contain unencoded tabs, so after decoding every tab is an encoded one (RFC 1738 3.4.1).
    fields = [text_of(field) for field in data[1:].split(b"\t", 2)]
    return GopherParts(text_of(data[:1]), *fields)


@once
def check(url: URL) -> GopherParts:
    """Refuse URLs that would send a second line or additional fields to a server (RFC 1738 section 6).

    Returns:
        The parts of the URL.

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
            "(RFC 1738 3.4.9 and section 6).",
            code="octets",
            subject=url.scheme,
        )
    return parts
