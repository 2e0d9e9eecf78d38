"""The parts of a data URL: media type, parameters, and the octets themselves (RFC 2397 3).

Rule: the first comma ends the media type, and ``;base64`` is only allowed directly before it. The value of a parameter
is percent-encoded if it is not a token; the media type never is. Forms that programs read differently (no comma, a
``;base64`` in the middle, an invalid type) are errors, never guessed at.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable

from anyurl.errors import URLSyntaxError, quoted
from anyurl.errors.reasons import reason_of
from anyurl.schemes.kit.scheme import SAFE, Parts, canonical, decode, encode, once, part_error, text_of
from anyurl.url import URL
from anyurl.url.arguments import check_value, holds_several, named
from anyurl.url.cut import percent_decode, percent_encode

DEFAULT_TYPE = "text/plain"
DEFAULT_PARAMETERS = (("charset", "US-ASCII"),)
"""The type of a URL without a media type (RFC 2397 2)."""

_NAME = r"[A-Za-z0-9][A-Za-z0-9!$&_.+-]{0,126}"
"""RFC 6838 4.2, without the ``#``, which ends a URL, and the ``^``, which none holds unencoded (RFC 1738 2.2)."""

_TYPE = re.compile(f"{_NAME}/{_NAME}")
_ATTRIBUTE = re.compile(r"[A-Za-z0-9!$&'*+._~-]{1,127}")
"""A token (RFC 2045 5.1), of the characters that a URL can hold."""

_VALUE_SAFE = b"!$&'*+"
_CONTENT_SAFE = SAFE + b"/?:@&=;"
_SECTION = "RFC 2397 3"


class DataParts(Parts):
    """The components of a data URL (RFC 2397).

    Attributes:
        type: The media type in lower case, without its parameters.
        parameters: Names in lower case and values, in their order; none is called base64.
        content: The document.
        base64: It is written in base64, else percent-encoded.

    Raises:
        URLSyntaxError: A type, name or value is invalid, or not allowed in a header field.
    """

    type: str
    parameters: tuple[tuple[str, str], ...]
    content: bytes
    base64: bool

    def __init__(
        self,
        content: bytes = b"",
        type: str = DEFAULT_TYPE,
        parameters: Iterable[tuple[str, str]] = DEFAULT_PARAMETERS,
        base64: bool = False,
    ) -> None:
        check_value("content", content, "bytes")
        check_value("type", type, "str")
        check_value("base64", base64, "bool")
        if not holds_several(parameters):
            raise TypeError(f"parameters is a list of pairs of str, not {named(parameters)}")
        if not _TYPE.fullmatch(canonical(type)):
            raise _fault(type, f"{quoted(type)} is not a media type: two names with a '/' between them", "mediatype")
        self._set(
            type=type.lower(),
            parameters=tuple((_attribute(name), _value(value)) for name, value in parameters),
            content=content,
            base64=base64,
        )

    @property
    def charset(self) -> str | None:
        """The value of the first parameter of that name, in lower case."""
        return next((value.lower() for name, value in self.parameters if name == "charset"), None)

    def url_path(self) -> str:
        """The encoded url-path."""
        head = self.type + "".join(f";{name}={encode(value, _VALUE_SAFE)}" for name, value in self.parameters)
        if self.base64:
            return f"{head};base64,{encode_base64(self.content)}"
        return f"{head},{percent_encode(self.content, _CONTENT_SAFE)}"

    def as_dict(self) -> dict[str, object]:
        """The fields by name; the content as text, with surrogates for octets that are not UTF-8."""
        return {**super().as_dict(), "content": text_of(self.content), "size": len(self.content)}


def _fault(text: str, message: str, rule: str) -> URLSyntaxError:
    return part_error(text, message, _SECTION, rule=rule)


def _attribute(name: str) -> str:
    if not _ATTRIBUTE.fullmatch(name) or name.lower() == "base64":
        raise _fault(name, f"{quoted(name)} is not the name of a parameter: a token that is not 'base64'", "parameter")
    return name.lower()


def _value(value: str) -> str:
    # Attack: a line end in a value would begin another field where the type goes into a header.
    if not value or any(not " " <= char <= "~" for char in value):
        raise _fault(value, "the value of a parameter is a text of visible ASCII characters", "parameter")
    return value


@once
def read(url: URL) -> DataParts:
    """Read the parts of a data URL.

    Raises:
        URLSyntaxError: There is no comma; or the media type, a parameter or the base64 is invalid.

    >>> read(URL("data:text/html;charset=utf-8,%3Cb%3Ehi")).content
    b'<b>hi'
    """
    head, comma, rest = url.url_path.partition(",")
    if not comma:
        raise _fault(url.url_path, "a data URL needs a comma between its media type and its data", "dataurl")
    type, *fields = head.split(";")
    base64 = bool(fields) and fields[-1].lower() == "base64"
    parameters = [_parameter(field) for field in (fields[:-1] if base64 else fields)]
    if not type and not parameters:
        parameters = list(DEFAULT_PARAMETERS)
    return DataParts(_content(rest, base64), type or DEFAULT_TYPE, parameters, base64)


def _parameter(field: str) -> tuple[str, str]:
    name, sign, value = field.partition("=")
    if not sign:
        place = "'base64' must be right before the comma" if name.lower() == "base64" else "a parameter is name=value"
        raise _fault(field, f"{quoted(field)} is not a parameter: {place}", "parameter")
    return name, decode(value)


def _content(text: str, base64: bool) -> bytes:
    data = percent_decode(text)
    if not base64:
        return data
    try:
        return decode_base64(data)
    except ValueError as error:
        raise _fault(text, f"the data are not base64: {reason_of(error)}", "data") from None


# --- base64 (RFC 2045 6.8, RFC 4648 4), as browsers decode it (WHATWG Infra 8) ---------------------------------------


_WHITE = b"\t\n\f\r "
_ALPHABET = re.compile(rb"[A-Za-z0-9+/]*\Z")


def decode_base64(text: bytes) -> bytes:
    """Decode base64 text: white space is skipped, and the padding may be missing.

    Attack: RFC 2045 skips unknown characters, so a filter and the program that it protects could read different
    content.

    Raises:
        ValueError: It is not valid base64; the message says why.

    >>> decode_base64(b"aGVs bG8")
    b'hello'
    """
    text = text.translate(None, _WHITE)
    if len(text) % 4 == 0:
        text = text.removesuffix(b"=").removesuffix(b"=")
    if not _ALPHABET.match(text):
        raise ValueError("it contains characters outside its alphabet: A to Z, a to z, 0 to 9, + and /")
    if len(text) % 4 == 1:
        raise ValueError("its length is impossible: it was truncated")
    return binascii.a2b_base64(text + b"=" * (-len(text) % 4))


def encode_base64(data: bytes) -> str:
    """Encode octets, without line ends."""
    return binascii.b2a_base64(data, newline=False).decode("ascii")
