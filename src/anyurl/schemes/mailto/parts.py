"""The parts of mailto URLs: addresses, and the header fields of a message to them (RFC 6068 2, RFC 1738 3.5).

Rule: ``&`` and ``=`` between header fields delimit only if they are not encoded. One reader reads the addresses of the
path and of ``to`` fields, as mail programs write them: with names, semicolons, spaces, commas too many. Every address
must be a valid addr-spec; which header fields are allowed is decided when a message is made.
"""

from __future__ import annotations

from collections.abc import Iterable

from anyurl.errors import LocalProtocolError, PeerText, sample
from anyurl.schemes.kit.scheme import Parts, canonical, decode, encode, part_error, refuse_octets, several
from anyurl.schemes.mailto.wire.address import read_address, reason, split_list
from anyurl.url import URL, syntax
from anyurl.url.fields import check_pairs

_ADDRESS_SAFE = b"$+!*'@:"
_FIELD_SAFE = b"$!*'(),:@"
"""Without ``+``: many programs read it as a space."""


class MailtoParts(Parts):
    """Addresses and header fields of a message, decoded (RFC 6068 2).

    Attributes:
        addresses: Each an addr-spec of RFC 5322, its local part and domain as they were written.
        headers: Pairs of a header field's name and value, in order; ``body`` is the text of the message.

    Raises:
        URLSyntaxError: An address is invalid, or a field's name is empty.
    """

    addresses: tuple[str, ...]
    headers: tuple[tuple[str, str], ...]

    def __init__(self, addresses: Iterable[str] = (), headers: Iterable[tuple[str, str]] = ()) -> None:
        kept = tuple(canonical(address) for address in several(addresses, "addresses"))
        fields = tuple((canonical(name), canonical(value)) for name, value in check_pairs("header fields", headers))
        if "" in kept:
            raise part_error(",".join(kept), "an address is empty between the commas", "RFC 6068 2", rule="to")
        for address in kept:
            try:
                if "&" in read_address(address).domain:
                    raise LocalProtocolError(
                        f"The domain of {PeerText(address)} has an '&': the first header field follows a '?'."
                    )
            except LocalProtocolError as error:
                raise part_error(address, reason(error), "RFC 6068 2", rule="addr-spec", code="bad-address") from None
        if any(not name for name, _ in fields):
            raise part_error(
                "=", "a header field of a mailto URL needs a name before the '='", "RFC 6068 2", rule="hfname"
            )
        self._set(addresses=kept, headers=fields)

    def url_path(self) -> str:
        """The encoded addresses, and the header fields as a query."""
        to = ",".join(encode(address, _ADDRESS_SAFE) for address in self.addresses)
        fields = "&".join(f"{encode(name, _FIELD_SAFE)}={encode(value, _FIELD_SAFE)}" for name, value in self.headers)
        return f"{to}?{fields}" if fields else to

    @property
    def recipients(self) -> tuple[str, ...]:
        """The addresses together with those of ``to`` fields, which mean the same (RFC 6068 2)."""
        more = [value for name, value in self.headers if name.lower() == "to"]
        return (*self.addresses, *(text for value in more for text in split_list(value)))


def read(url: URL) -> MailtoParts:
    """Read the parts of a mailto URL.

    Raises:
        URLSyntaxError: An address is invalid, or a header field has no name before its ``=``.
    """
    return MailtoParts(split_list(decode(url.path)), _fields(url))


def _fields(url: URL) -> list[tuple[str, str]]:
    pairs = (field.partition("=") for field in (url.query or "").split("&"))
    return [(decode(name), decode(value)) for name, equals, value in pairs if equals]


def remarks(url: URL) -> list[str]:
    """Meaningless parts of the URL that are left out, a sentence each."""
    found: list[str] = []
    if "<" in decode(url.path):
        found.append("names next to the addresses are left out: they are only a claim of the author of the URL")
    for field in (url.query or "").split("&"):
        if field and "=" not in field:
            shown = sample(decode(field).encode("utf-8", "surrogateescape"))
            found.append(f"{shown} is left out: it is not a header field (name=value, joined by '&')")
    return found


def check(url: URL) -> MailtoParts:
    """Refuse line ends outside the body: they would begin header fields of their own (RFC 6068 7).

    Returns:
        The parts of the URL.

    Raises:
        URLSyntaxError: As `read`.
        RefusedError: CR, LF or NUL in an address, in a field's name, or in a value that is not the body's.
    """
    row = syntax.ROWS["mailto"]
    refuse_octets(url, row, address=decode(url.path))
    for field in (url.query or "").split("&"):
        name, _, value = map(decode, field.partition("="))
        refuse_octets(url, row, header_name=name, header_value=None if name.lower() == "body" else value)
    return read(url)
