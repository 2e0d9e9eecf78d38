"""The parts of prospero URLs: the host-specific object name, and the fields that identify it further (RFC 1738 3.11).

Rule: the name is opaque octets; clients do not interpret its slashes. Unencoded ``;`` separates the name from the
fields, and unencoded ``=`` a field from its value.
"""

from __future__ import annotations

from collections.abc import Iterable

from anyurl.errors import quoted
from anyurl.schemes.kit.scheme import SAFE, Parts, canonical, decode, encode, octets, part_error, refuse_octets
from anyurl.url import URL, syntax
from anyurl.url.fields import check_pairs

VERSION_FIELD = "OBJECT-VERSION"
"""The field whose carrier the protocol has; the RFC names no other."""

MAX_VERSION = 2**31 - 1
"""The largest number that every server can read."""

_NAME_SAFE = SAFE.replace(b"'", b"") + b"/:@&="
_FIELD_SAFE = SAFE.replace(b"'", b"") + b":@&"


class ProsperoParts(Parts):
    """An object's name on its host, and the fields that identify it further (RFC 1738 3.11).

    Attributes:
        hsoname: The host-specific object name; one that begins with ``/`` follows a double slash in the URL.
        fields: Pairs of field name and value, in order.
    """

    hsoname: str
    fields: tuple[tuple[str, str], ...]

    def __init__(self, hsoname: str = "", fields: Iterable[tuple[str, str]] = ()) -> None:
        pairs = tuple((canonical(name), canonical(value)) for name, value in check_pairs("fields", fields))
        self._set(hsoname=canonical(hsoname), fields=pairs)

    def url_path(self) -> str:
        """The encoded name and fields."""
        fields = [f";{encode(name, _FIELD_SAFE)}={encode(value, _FIELD_SAFE)}" for name, value in self.fields]
        return encode(self.hsoname, _NAME_SAFE) + "".join(fields)

    @property
    def version(self) -> int:
        """The version of the object that ``;OBJECT-VERSION=`` selects; 0 for the current one.

        Raises:
            URLSyntaxError: It is not a number.
        """
        for name, value in self.fields:
            if name.upper() == VERSION_FIELD:
                if not (value.isascii() and value.isdigit()) or len(value) > 10 or int(value) > MAX_VERSION:
                    raise part_error(
                        value,
                        f"an object version is a number up to {MAX_VERSION:,}, not {quoted(value)}",
                        "RFC 1738 3.11",
                        rule="fieldvalue",
                    )
                return int(value)
        return 0

    @property
    def selects(self) -> tuple[tuple[bytes, bytes], ...]:
        """The other fields, as they are sent."""
        return tuple((octets(name), octets(value)) for name, value in self.fields if name.upper() != VERSION_FIELD)


def read(url: URL) -> ProsperoParts:
    """Read the parts of a prospero URL.

    Raises:
        URLSyntaxError: A field has no ``=``.
    """
    name, *fields = url.url_path.split(";")
    return ProsperoParts(decode(name), [_field(field) for field in fields])


def _field(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise part_error(
            text, f"the field {quoted(text)} has no '=': write ;name=value", "RFC 1738 3.11", rule="fieldspec"
        )
    return decode(name), decode(value)


def check(url: URL) -> ProsperoParts:
    """Refuse NUL, which ends a string in every Prospero server (RFC 1738 section 6); all else can be quoted.

    Returns:
        The parts of the URL.

    Raises:
        RefusedError: NUL in the url-path.
        URLSyntaxError: A field has no ``=``, or the object version is not a number.
    """
    refuse_octets(url, syntax.ROWS["prospero"], url_path=decode(url.url_path))
    parts = read(url)
    _ = parts.version
    return parts
