"""prospero: objects of the Prospero Directory Service (RFC 1738 3.11, RFC 4157).

Rule: the host-specific object name is opaque octets; its slashes mean nothing to a client. ``;`` separates the name
from fields and ``=`` a field from its value, where they are not encoded.
"""

from __future__ import annotations

from collections.abc import Iterable

from anyurl.schemes.scheme import SAFE, Parts, Scheme, canonical, decode, encode, part_error, refuse_octets
from anyurl.url import URL, syntax

_NAME_SAFE = SAFE + b"/:@&="
_FIELD_SAFE = SAFE + b":@&"


class ProsperoParts(Parts):
    """An object's name on its host, and the fields that identify it further (RFC 1738 3.11).

    Attributes:
        hsoname: The host-specific object name; one that begins with ``/`` follows a double slash in the URL.
        fields: Pairs of field name and value, in order.
    """

    __slots__ = ("hsoname", "fields")
    __match_args__ = ("hsoname", "fields")
    hsoname: str
    fields: tuple[tuple[str, str], ...]

    def __init__(self, hsoname: str = "", fields: Iterable[tuple[str, str]] = ()) -> None:
        self._set(canonical(hsoname), tuple((canonical(name), canonical(value)) for name, value in fields))

    def url_path(self) -> str:
        """The encoded name and fields."""
        fields = [f";{encode(name, _FIELD_SAFE)}={encode(value, _FIELD_SAFE)}" for name, value in self.fields]
        return encode(self.hsoname, _NAME_SAFE) + "".join(fields)


def read(url: URL) -> ProsperoParts:
    """Take a prospero URL apart.

    Raises:
        URLSyntaxError: A field has no ``=``.
    """
    name, *fields = url.url_path.split(";")
    return ProsperoParts(decode(name), [_field(field) for field in fields])


def _field(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise part_error(text, f"the field {text!r} has no '=': write ;name=value", "RFC 1738 3.11", rule="fieldspec")
    return decode(name), decode(value)


def check(url: URL) -> None:
    """Refuse NUL, which ends a string in every Prospero server (RFC 1738 section 6); all else can be quoted.

    Raises:
        RefusedError: NUL in the url-path.
    """
    refuse_octets(url, syntax.ROWS["prospero"], url_path=decode(url.url_path))


SCHEMES = (
    Scheme(
        "prospero",
        reference="RFC 4157",
        summary="An object that a Prospero directory server knows: a directory, or where a file can be had.",
        read=read,
        read_only=True,
        check=check,
    ),
)
