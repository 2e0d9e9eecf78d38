"""Conversion of non-ASCII text to the ASCII text of a URL (RFC 3987 3.1, RFC 3986 2.5).

Rules: the host is converted by IDNA, every other character is percent-encoded as UTF-8; ASCII is left unchanged, even
if invalid, for the grammar to judge. Octets that are not UTF-8 are percent-encoded as they are; a surrogate that does
not represent an octet is a fault.
"""

from __future__ import annotations

from anyurl.errors import URLSyntaxError
from anyurl.url import faults, syntax
from anyurl.url.cut import numbers
from anyurl.url.cut.percent import percent_encode
from anyurl.url.host import to_ascii

_ASCII = bytes(range(128))


def enter(given: str | bytes) -> str:
    """The ASCII form of a text or of octets.

    Raises:
        URLSyntaxError: It can't be converted.
    """
    text = as_text(given)
    if text.isascii():
        return text
    if len(text) > numbers.MAX_LENGTH:
        raise faults.error_at(text, numbers.FAULT_TOO_LONG, (numbers.MAX_LENGTH, len(text)))
    for place, char in enumerate(text):
        if "\ud800" <= char <= "\udfff" and (isinstance(given, str) or char < "\udc80"):
            raise faults.error_at(text, numbers.FAULT_SURROGATE, (place, place + 1))
    return "".join(encoded for _, encoded in _pieces(text))


def as_text(given: str | bytes) -> str:
    """Octets decoded as UTF-8, invalid ones as surrogates; a subclass of ``str`` as a plain ``str``."""
    if isinstance(given, str):
        return str.__str__(given)
    check_text(given)
    return given.decode("utf-8", "surrogateescape")


def check_text(given: object) -> None:
    """Raises TypeError unless it is text or octets.

    A URL is neither: its grammar has read it, and another one may find another host in its text.
    """
    if not isinstance(given, str | bytes):
        hint = "; its text is str(url)" if type(given).__name__ == "URL" else ""
        raise TypeError(f"a URL is read from str or bytes, not from {type(given).__name__}{hint}")


def syntax_error(given: str | bytes, entered: str, fault: int) -> URLSyntaxError:
    """The error for a packed fault.

    Args:
        given: The caller's argument.
        entered: Its ASCII form, in which the fault was found.
    """
    number, place = fault >> 32, fault & 0xFFFF_FFFF
    text = as_text(given)
    end = faults.end_of(entered, number, place)
    if text == entered:
        return faults.error_at(text, number, (place, end))
    start = place_before(text, place)[0]
    return faults.error_at(text, number, (start, start if end == place else place_before(text, end - 1)[1]))


def place_before(text: str, place: int) -> tuple[int, int]:
    """The span in the original text that a position in the ASCII form was made from."""
    start = seen = 0
    for piece, encoded in _pieces(text):
        if place < seen + len(encoded):
            if piece == encoded:
                start += place - seen
                return start, start + 1
            if not encoded.startswith(_encode(piece[:1])):  # a host, which is mapped as a whole
                return start, start + len(piece)
            for char in piece:
                seen += len(_encode(char))
                if place < seen:
                    return start, start + 1
                start += 1
        seen += len(encoded)
        start += len(piece)
    return len(text), len(text)


def _encode(text: str) -> str:
    return percent_encode(text.encode("utf-8", "surrogateescape"), _ASCII)


def _pieces(text: str) -> list[tuple[str, str]]:
    """The text and its ASCII form, split around the host."""
    start, end = _host(text)
    host = text[start:end]
    if host.isascii():
        return [(text, _encode(text))]
    mapped = to_ascii(host)
    if isinstance(mapped, int):
        raise faults.error_at(text, mapped, (start, end))
    return [(text[:start], _encode(text[:start])), (host, mapped), (text[end:], _encode(text[end:]))]


def _host(text: str) -> tuple[int, int]:
    """The span of the host in a text that is not encoded yet; empty if there is none."""
    scheme, colon, rest = text.partition(":")
    if not colon or not scheme.isascii() or not rest.startswith("//"):
        return 0, 0
    if syntax.row(scheme.lower()).authority == "forbidden":
        return 0, 0
    start = len(scheme) + 3
    end = min((i for i in (text.find(mark, start) for mark in "/?#") if i >= 0), default=len(text))
    start = text.rfind("@", start, end) + 1 or start
    if text[start : start + 1] == "[":
        return 0, 0
    colon_at = text.find(":", start, end)
    return start, end if colon_at < 0 else colon_at
