"""The parts of a gemini URL: a path, and the input that a server has requested (the Gemini specification, "Requests").

Rule: only the server interprets the path, which is sent unchanged; the query is the user's input, encoded. There is no
user name: users are identified by certificates.
"""

from __future__ import annotations

from anyurl.schemes.gemini.wire.messages import MAX_URL_BYTES
from anyurl.schemes.kit.scheme import Parts, canonical, decode, encode, octets, once, part_error, split_decode
from anyurl.url import URL
from anyurl.url.cut import percent_encode

_PATH_SAFE = b"!$&'()*+,;=:@/%"
"""RFC 3986 3.3; ``%`` because what is given is encoded already."""

_HEX = frozenset("0123456789abcdefABCDEF")
_SECTION = "RFC 3986 2.1"


class GeminiParts(Parts):
    """The path and input in a gemini URL.

    Attributes:
        path: Encoded, without the ``/`` that separates it from the host; its meaning is up to the server.
        input: The input that the server requested (status 10), decoded, or None.

    Raises:
        URLSyntaxError: A ``%`` in the path is not followed by two hexadecimal digits.
    """

    path: str
    input: str | None

    def __init__(self, path: str = "", input: str | None = None) -> None:
        path = canonical(path)
        for piece in path.split("%")[1:]:
            if len(piece) < 2 or not _HEX.issuperset(piece[:2]):
                message = "a '%' must be followed by two hexadecimal digits; the sign itself is written %25"
                raise part_error(path, message, _SECTION, rule="pct-encoded")
        self._set(
            path=percent_encode(octets(path), _PATH_SAFE),
            input=None if input is None else canonical(input),
        )

    def url_path(self) -> str:
        """The path, and the input after ``?``, with spaces as ``%20``."""
        return self.path if self.input is None else f"{self.path}?{encode(self.input)}"

    @property
    def segments(self) -> tuple[str, ...]:
        """The path cut at its slashes, each segment decoded: ``('a', '')`` for ``a/``."""
        return split_decode(self.path)


def read(url: URL) -> GeminiParts:
    """Read the parts of a gemini URL.

    >>> read(URL("gemini://h.example/find?two%20words"))
    GeminiParts(path='find', input='two words')
    """
    return GeminiParts(url.path.removeprefix("/"), None if url.query is None else decode(url.query))


def request_url(url: URL) -> URL:
    """The URL as sent: without a fragment, and with a path (RFC 3986 6.2.3)."""
    bare = url.without_fragment()
    return bare if bare.path else bare.replace(path="/")


@once
def check(url: URL) -> GeminiParts:
    """Refuse parts that no request can hold.

    Returns:
        The parts of the URL.

    Raises:
        URLSyntaxError: It is longer than a request may be; and as `read`.
    """
    length = len(str(request_url(url)))
    if length > MAX_URL_BYTES:
        message = f"a gemini URL has {MAX_URL_BYTES:,} octets at most, and this one {length:,}"
        raise part_error(url.url_path, message, "Gemini, Requests", rule="absolute-URI")
    return read(url)
