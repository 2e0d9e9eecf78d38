"""mailto: mailboxes, and the head and body of a message to them (RFC 1738 3.5, RFC 6068).

Rule: a mailto URL designates no data object; it names where mail goes. Commas between addresses, and ``&`` and ``=``
between header fields, delimit only where they are not encoded.
"""

from __future__ import annotations

from collections.abc import Iterable

from anyurl.errors import URLSyntaxError
from anyurl.schemes.scheme import Parts, Scheme, canonical, decode, encode, part_error, refuse_octets
from anyurl.url import URL, syntax

_ADDRESS_SAFE = b"$+!*'@:"
_FIELD_SAFE = b"$!*'(),:@"
"""Without ``+``: many programs read it as a space."""


class MailtoParts(Parts):
    """Addresses and header fields of a message, decoded (RFC 6068 2).

    Attributes:
        addresses: Each an addr-spec of RFC 5322.
        headers: Pairs of a header field's name and value, in order; ``body`` is the text of the message.

    Raises:
        URLSyntaxError: An address or a field's name is empty.
    """

    __slots__ = ("addresses", "headers")
    __match_args__ = ("addresses", "headers")
    addresses: tuple[str, ...]
    headers: tuple[tuple[str, str], ...]

    def __init__(self, addresses: Iterable[str] = (), headers: Iterable[tuple[str, str]] = ()) -> None:
        kept = tuple(canonical(address) for address in addresses)
        fields = tuple((canonical(name), canonical(value)) for name, value in headers)
        if "" in kept:
            raise part_error(",".join(kept), "an address is empty between the commas", "RFC 6068 2", rule="to")
        if any(not name for name, _ in fields):
            raise part_error(
                "=", "a header field of a mailto URL needs a name before the '='", "RFC 6068 2", rule="hfname"
            )
        self._set(kept, fields)

    def url_path(self) -> str:
        """The encoded addresses, and the header fields as a query."""
        to = ",".join(encode(address, _ADDRESS_SAFE) for address in self.addresses)
        fields = "&".join(f"{encode(name, _FIELD_SAFE)}={encode(value, _FIELD_SAFE)}" for name, value in self.headers)
        return f"{to}?{fields}" if fields else to

    @property
    def recipients(self) -> tuple[str, ...]:
        """The addresses together with those of ``to`` fields, which mean the same (RFC 6068 2)."""
        more = [value for name, value in self.headers if name.lower() == "to"]
        return (*self.addresses, *(text.strip() for value in more for text in value.split(",") if text.strip()))


def read(url: URL) -> MailtoParts:
    """Take a mailto URL apart.

    Raises:
        URLSyntaxError: An address is empty, or a header field has no ``=``.
    """
    to, query = url.path, url.query
    return MailtoParts(
        [decode(address) for address in to.split(",")] if to else (),
        [_field(field, url) for field in query.split("&")] if query else (),
    )


def _field(field: str, url: URL) -> tuple[str, str]:
    name, equals, value = field.partition("=")
    if not equals:
        raise _no_equals(field)
    return decode(name), decode(value)


def _no_equals(field: str) -> URLSyntaxError:
    return part_error(
        field, f"the header field {field!r} has no '=': write name=value, joined by '&'", "RFC 6068 2", rule="hfield"
    )


def check(url: URL) -> None:
    """Refuse line ends outside the body: they would begin header fields of their own (RFC 6068 7).

    Raises:
        RefusedError: CR, LF or NUL in an address, in a field's name, or in a value that is not the body's.
    """
    parts = read(url)
    row = syntax.ROWS["mailto"]
    for address in parts.addresses:
        refuse_octets(url, row, address=address)
    for name, value in parts.headers:
        refuse_octets(url, row, header_name=name, header_value=None if name.lower() == "body" else value)


SCHEMES = (
    Scheme(
        "mailto",
        reference="RFC 6068",
        summary="The mailbox of a person or a service; there is no document behind it.",
        read=read,
        description="a mailto URL names mailboxes (RFC 5322 addr-specs), to which mail can be sent; it designates no "
        "data object (RFC 1738 3.5)",
        check=check,
    ),
)
