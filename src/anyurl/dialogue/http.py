"""The caller's options of an HTTP request besides its URL, and the header fields of a response (RFC 9110 5 and 9).

Rule: the caller's values are checked when they are accepted, before any connection is made. From then on, a field with
a credential is a `Secret`, so that it is never shown and `anyurl.guard.hops` decides where it is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from anyurl.dialogue.secret import Field, Secret
from anyurl.errors import LocalProtocolError, escape
from anyurl.url.arguments import holds_several, named
from anyurl.values import Value

HeaderFields: TypeAlias = Mapping[str, str | Secret] | Iterable[tuple[str, str | Secret]]
"""Header fields as a caller may pass them; a `Secret` is sent only to the origin that it was meant for."""

_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
"""RFC 9110 5.6.2."""

_CREDENTIAL_WORDS = frozenset({
    "apikey", "auth", "authentication", "authorization", "cookie", "cookie2", "credential", "credentials", "key",
    "passwd", "password", "secret", "session", "sessionid", "signature", "token",
})  # fmt: skip
"""Words in the name of a field that holds a credential: ``Authorization``, ``Cookie``, ``X-Api-Key`` and the like."""

_OURS = {
    "host": "the URL says it", "content-length": "it is counted", "transfer-encoding": "it follows from the content",
    "connection": "connections are anyurl's own business", "keep-alive": "connections are anyurl's own business",
    "proxy-connection": "connections are anyurl's own business", "upgrade": "connections are anyurl's own business",
    "http2-settings": "connections are anyurl's own business", "te": "trailers are not handed out",
    "trailer": "none are sent", "expect": "it is anyurl's own business",
}  # fmt: skip
"""Fields that frame the request, and why a caller cannot set them. Attack: with a second length or host, two parsers
see different requests (request smuggling, RFC 9112 11.2)."""

CONTENT_FIELDS = frozenset({"content-type", "content-encoding", "content-language", "content-location", "digest"})
"""Fields that describe the content of a request, and are dropped together with it."""


def is_credential(name: str) -> bool:
    """Whether a header field of this name holds a credential."""
    return not _CREDENTIAL_WORDS.isdisjoint(name.lower().replace("_", "-").split("-"))


def check_method(method: str) -> str:
    """The method, checked (RFC 9110 9.1).

    Raises:
        LocalProtocolError: It is not a token, or is CONNECT, which only proxies understand.
    """
    if not isinstance(method, str):
        raise TypeError(f"a method is a str, not {type(method).__name__}")
    if not method or not _TOKEN.issuperset(method):
        raise LocalProtocolError(
            f"'{escape(method)}' is not a method: GET, POST or another word without spaces would be."
        )
    if method.upper() == "CONNECT":
        raise LocalProtocolError("CONNECT asks a proxy for a tunnel, not for a resource.")
    return method


CODINGS = frozenset((
    "gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress", "dcb", "dcz", "exi", "aes128gcm",
    "pack200-gzip",
))  # fmt: skip
"""The content codings of the IANA registry. Another name is a server's invention: the content is delivered as sent."""


def check_fields(given: HeaderFields) -> tuple[Field, ...]:
    """The header fields of a caller, checked; a credential becomes a `Secret`.

    Raises:
        LocalProtocolError: A name is not a token or is a field that anyurl sets itself, or a value has control
            characters.
        TypeError: It is neither a mapping nor an iterable of pairs of str.
    """
    from anyurl.url.fields import check_pairs  # rarely needed

    return tuple(_checked(name, value) for name, value in check_pairs("headers", given))


def _checked(name: str, value: object) -> Field:
    if not isinstance(value, str | Secret):
        raise TypeError(f"the value of the {escape(name)} field is a str or a Secret, not {type(value).__name__}")
    if not name or not _TOKEN.issuperset(name):
        raise LocalProtocolError(f"'{escape(name)}' is not the name of a header field (RFC 9110 5.1).")
    reason = _OURS.get(name.lower())
    if reason is not None:
        raise LocalProtocolError(f"The {name} field can't be set: {reason}.")
    text = value.reveal() if isinstance(value, Secret) else value
    # Attack: CR and LF begin another field or request, NUL ends the line for some parsers (RFC 9110 5.5).
    if any((char < " " and char != "\t") or char == "\x7f" for char in text):
        raise LocalProtocolError(f"The value of the {name} field contains a control character, which must not be sent.")
    text = text.strip(" \t")
    return name, Secret(text) if isinstance(value, Secret) or is_credential(name) else text


class HttpOptions(Value):
    """The caller's options of one request; immutable.

    Attributes:
        method: ``GET``, ``POST`` or any other.
        fields: Header fields, in order.
        content: Whether the caller's source is its content.
        check: An error status raises an error.
    """

    method: str = "GET"
    fields: tuple[Field, ...] = ()
    content: bool = False
    check: bool = True

    def has(self, name: str) -> bool:
        """Whether there is a field of that (lower case) name."""
        return any(field[0].lower() == name for field in self.fields)

    @property
    def acts(self) -> bool:
        """Whether it may change something on the server (RFC 9110 9.2.1)."""
        return self.content or self.method not in ("GET", "HEAD", "OPTIONS", "TRACE")

    @property
    def secret_names(self) -> list[str]:
        """The names of the fields that hold a credential."""
        return [name for name, value in self.fields if isinstance(value, Secret)]

    def without_secrets(self) -> HttpOptions:
        """A copy without the fields that hold a credential."""
        kept = tuple(field for field in self.fields if not isinstance(field[1], Secret))
        return HttpOptions(self.method, kept, content=self.content, check=self.check)

    def without_content(self, method: str) -> HttpOptions:
        """A copy with another method and without content."""
        kept = tuple(field for field in self.fields if field[0].lower() not in CONTENT_FIELDS)
        return HttpOptions(method, kept, check=self.check)

    def __repr__(self) -> str:
        return f"HttpOptions({self.method!r}, {[name for name, _ in self.fields]})"


class Headers(Mapping[str, str]):
    """The header fields of a response: case-insensitive names, in the order received.

    ``headers["Content-Type"]`` joins fields of one name with a comma (RFC 9110 5.2); `all` returns each of them.

    Attributes:
        fields: Names and values, as they came.
    """

    __slots__ = ("fields", "__weakref__")

    def __init__(self, fields: Iterable[tuple[str, str]] = ()) -> None:
        """Raises TypeError if `fields` is not a list of pairs."""
        if not holds_several(fields):
            raise TypeError(f"fields is a list of pairs of str, not {named(fields)}")
        self.fields: tuple[tuple[str, str], ...] = tuple(fields)

    def all(self, name: str) -> list[str]:
        """Every field of that name, in order."""
        wanted = name.lower()
        return [value for key, value in self.fields if key.lower() == wanted]

    def __getitem__(self, name: str) -> str:
        found = self.all(name)
        if not found:
            raise KeyError(name)
        return ", ".join(found)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(key.lower() for key, _ in self.fields))

    def __len__(self) -> int:
        return len({key.lower() for key, _ in self.fields})

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self.all(name))

    def __repr__(self) -> str:
        # Names only: a Set-Cookie or a challenge must not appear in a log.
        return f"Headers({', '.join(self)})"
