"""Requests and reply lines (the Gemini specification, "Requests" and "Responses").

Rule: a request is the URL and CR LF, and nothing in a URL can end the line. A reply begins with a line of two digits, a
space and a text whose meaning depends on them; anything else is not a reply.
"""

from __future__ import annotations

from anyurl.errors import LocalProtocolError, PeerText, RemoteProtocolError, sample
from anyurl.schemes.kit.media import parameters
from anyurl.values import Struct

MAX_URL_BYTES = 1024
"""Octets of a URL in a request; its CR LF is not counted."""

MAX_LINE_BYTES = 2 + 1 + 1024
"""Octets of a reply's line without its end: two digits, a space, and 1,024 of the rest (version 0.16, 3.1). Later ones
say nothing of it."""

USUAL_TYPE = "text/gemini; charset=utf-8"
"""The type of a document whose server does not name it."""


class ResponseHeader(Struct):
    """The line that a reply begins with.

    Attributes:
        status: Two digits; the first one is the kind of reply.
        meta: The text after them: a media type, a prompt, a URL, seconds, or a sentence.
    """

    status: int
    meta: str

    @property
    def said(self) -> PeerText:
        """The whole line, for a message."""
        return PeerText(f"{self.status} {self.meta}".rstrip())

    def __str__(self) -> str:
        return str(self.said)


def encode_request(url: bytes) -> bytes:
    """The request for a URL.

    Raises:
        LocalProtocolError: It is too long, or holds a line end.
    """
    if len(url) > MAX_URL_BYTES:
        text = f"The request would have {len(url):,} octets: the protocol allows a URL of {MAX_URL_BYTES:,}."
        raise LocalProtocolError(text)
    if any(octet <= 32 or octet >= 127 for octet in url):
        raise LocalProtocolError(f"A request must be a URL: {sample(url)}")
    return url + b"\r\n"


def read_reply(line: bytes) -> ResponseHeader:
    """The first line of a reply, without its end.

    Raises:
        RemoteProtocolError: It does not begin with two digits and a space.
    """
    code, space, meta = line[:2], line[2:3], line[3:]
    if not (len(code) == 2 and code.isdigit() and b"10" <= code <= b"69" and space in (b"", b" ", b"\t")):
        raise RemoteProtocolError(
            f"A reply begins with two digits, from 10 to 69, and a space: {sample(line)}", sample=sample(line)
        )
    return ResponseHeader(int(code), meta.decode("utf-8", "replace").strip())


def read_media_type(meta: str) -> tuple[str, dict[str, str]]:
    """A media type in lower case, and its parameters by their names in lower case (RFC 2045 5.1).

    >>> read_media_type('text/gemini; lang=de; charset="UTF-8"')
    ('text/gemini', {'lang': 'de', 'charset': 'UTF-8'})
    """
    type, found = parameters(meta or USUAL_TYPE)
    return type.lower() or USUAL_TYPE.partition(";")[0], found
