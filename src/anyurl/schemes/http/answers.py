"""Interpreting an HTTP response: as a description, a redirect, or an error (RFC 9110 15).

Rule: pure functions of a `Response`. Text from a server is escaped before it is put into an error, and checked before
it is put into a URL.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from time import time
from typing import TYPE_CHECKING

from anyurl.dates import parse_date, retry_after
from anyurl.dialogue import Describe, Follow
from anyurl.dialogue.asks import Told
from anyurl.dialogue.values import Response
from anyurl.errors import (
    Meaning,
    PeerText,
    RemoteProtocolError,
    ReplyError,
    UnavailableError,
    URLSyntaxError,
)
from anyurl.guard import hops
from anyurl.schemes.http.fields import content_length, disposition_name, is_coded, media_type
from anyurl.schemes.kit.meanings import CLASSES
from anyurl.url import URL
from anyurl.url.cut import percent_encode
from anyurl.values import USER

if TYPE_CHECKING:
    import re

ATTRIBUTES = (
    "server", "date", "age", "expires", "cache-control", "vary", "accept-ranges", "allow", "content-disposition",
    "content-encoding", "content-language", "content-location", "link", "location", "retry-after",
)  # fmt: skip
"""The fields that are shown: those that describe the document or the response. Never cookies, logins or challenges."""

_SHOWN = frozenset(ATTRIBUTES)

_FRAMING = frozenset(("content-length", "transfer-encoding"))
"""The fields that determine the length of the content."""

MAX_ATTRIBUTE = 8192
"""The most characters of a field kept as an attribute: more than any server allows for a whole line."""

_ELSEWHERE = "it has moved, and the reply does not say where (no Location)"

REASONS = {
    300: "there are several, and none is named", 301: _ELSEWHERE, 302: _ELSEWHERE, 303: _ELSEWHERE,
    304: "not modified, the answer to a condition that was not set", 305: "it is given out by a proxy only",
    307: _ELSEWHERE, 308: _ELSEWHERE,
    400: "it does not understand the request", 401: "it wants a login", 402: "it requires a payment",
    403: "it does not allow it", 404: "there is no such document", 405: "the document has no such method",
    406: "it has no acceptable representation of it", 407: "the proxy wants a login",
    408: "it waited too long for the request",
    409: "it conflicts with the current state", 410: "the document is gone", 411: "it requires the length in advance",
    412: "a condition does not hold", 413: "it is too large", 414: "the URL is too long",
    415: "it does not take this media type", 416: "the range is not there", 417: "it does not meet the expectation",
    421: "it is not the server for this URL", 422: "it can't process the content", 423: "the document is locked",
    424: "another request that this one depends on has failed", 425: "it does not risk to take a request so early",
    426: "it requires another protocol", 428: "it requires a condition", 429: "too many requests",
    431: "the header fields are too large", 451: "it is withheld for legal reasons", 500: "the server is in trouble",
    501: "the server can't do that", 502: "the server that it forwards to is in trouble",
    503: "the server is not available now", 504: "the server that it forwards to does not answer",
    505: "it does not speak this version of HTTP",
    506: "the choice between its forms leads in a circle", 507: "it has no room left",
    508: "its contents form a loop", 510: "it requires an extension of the request",
    511: "the network requires a login",
}  # fmt: skip
"""Short descriptions of the status codes (RFC 9110 15 and its registry)."""

MEANINGS: dict[int, Meaning] = {
    401: "login", 407: "login", 511: "login",
    403: "denied", 451: "denied",
    404: "not-found", 410: "not-found",
    413: "quota", 507: "quota",
    408: "busy", 423: "busy", 425: "busy", 429: "connections", 500: "busy", 502: "busy", 503: "busy", 504: "busy",
}  # fmt: skip
"""Meanings of the status codes; an unknown code is treated as the first one of its class (RFC 9110 15)."""

NOT_WRITABLE = (405, 501)
"""Codes that in reply to a writing method mean that the document can't be written."""

# Strings, which `re` compiles and caches on first use: most responses need none of them.
_PASSWORD = r"(?is)((?:^https?:[/\\]*|[/\\]{2})[^/\\?#:[]*:)(?:[^/\\?#]*@|(?!\d*(?:[/\\?#]|$)).*@)"
_SAME_SCHEME = "(?i)https?:(?!//)"
_ENDS_AUTHORITY = frozenset("/\\?#")
_AUTHORITY = r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*"
_UNSAFE = r"""[ "<>\\^`{|}\[\]\udc80-\udcff]|%(?![0-9A-Fa-f]{2})"""
"""Characters that servers and browsers leave as they are in a path or query (RFC 3986 appendix A); `URL.join` encodes
all others."""


def attributes(response: Response, charset: str | None = None) -> dict[str, object]:
    """Status, version and the fields of `ATTRIBUTES`; the values of repeated fields are joined with a comma.

    Args:
        charset: The charset of the content, or None.
    """
    found: dict[str, object] = {"status": response.status, "version": response.version}
    for name, value in response.headers:
        if name in _SHOWN:
            shown = _masked(value) if "@" in value else value
            if name in found:
                shown = f"{found[name]}, {shown}"
            found[name] = shown if len(shown) <= MAX_ATTRIBUTE else shown[:MAX_ATTRIBUTE]
    if charset is not None:
        found["charset"] = charset
    return found


def description(response: Response, *, size: int | None = None, start: int = 0, as_sent: bool = False) -> Describe:
    """The description of the document in a response; its `size` is that of the whole document.

    Args:
        size: The size of the whole document if the response holds only a part of it.
        start: The offset of that part.
        as_sent: The octets are delivered as received, without undoing a content coding.

    Raises:
        RemoteProtocolError: The length is ambiguous or not a number.
    """
    length = _length(response)
    if start == 0:
        size = None if not as_sent and response.may_be_coded and is_coded(response) else length
        if response.status in (204, 205):
            size = 0
    return Describe(
        "document", None, size, None, None, None, start, partial(_attributes, response), response.headers,
        partial(_told, response),
    )  # fmt: skip


def _told(response: Response) -> Told:
    """The further attributes of a description."""
    told = dict(reversed(response.headers))  # reversed: the first field of a name wins
    modified, disposition = told.get("last-modified"), told.get("content-disposition")
    return (
        media_type(told.get("content-type"))[0],
        None if modified is None else parse_date(modified),
        told.get("etag"),
        None if disposition is None else disposition_name(disposition),
    )


def _attributes(response: Response) -> dict[str, object]:
    return attributes(response, media_type(response.header("content-type"))[1])


def _length(response: Response) -> int | None:
    """The Content-Length, with a fast path: nearly always it is one short number that nothing overrides."""
    text: str | None = None
    for field in response.headers:
        if field[0] in _FRAMING:
            if text is not None or field[0] != "content-length":
                return content_length(response)
            text = field[1]
    if text is None:
        return None
    if len(text) > 15 or not (text.isascii() and text.isdigit()):
        return content_length(response)
    return int(text)


class RefusedLogin(Response):
    """A 401 response whose challenge could not be answered, or for which the answer was refused.

    Attributes:
        hint: The reason, or advice for the user, as a clause for the message.
    """

    def __init__(self, response: Response, hint: str, told: Sequence[str] = ()) -> None:
        """Mask the credentials in `told` in the response: a server may repeat them."""
        headers = []
        for name, value in response.headers:
            for text in told if name == "www-authenticate" else ():
                if text:
                    value = value.replace(text, "***")
            headers.append((name, value))
        super().__init__(response.status, response.version, headers, response.body)
        self.hint: str = hint


def target(url: URL) -> str:
    """The request target: path and search part, octet for octet (RFC 9112 3.2.1)."""
    path = url.path or "/"
    return path if url.query is None else f"{path}?{url.query}"


def response_error(url: URL, response: Response, *, writing: bool = False) -> ReplyError:
    """The error for an unsuccessful response.

    Args:
        writing: The request was to write the document.
    """
    status = response.status
    known = status if status in REASONS else status // 100 * 100
    reason = REASONS.get(known, "it does not fit the request")
    message = f"The server answered {status} for {url.masked}: {reason}"
    location, challenge = response.header("location"), response.header("www-authenticate")
    if location is not None and location.strip(" \t") and 300 <= status < 400:
        reason = f"it is to be sent to {_shown(location)}"
        message = f"The server answered {status} for {url.masked}: {reason}; nothing is sent there unless you name it"
    elif status == 401:
        asked = f" ({_shown(challenge)})" if challenge and challenge.strip() else ""
        hint = response.hint if isinstance(response, RefusedLogin) else "it does not accept the content"
        message += f"{asked}; {hint}"
    elif writing and status == 409:
        message += ", or the collection for it does not exist"  # RFC 4918 9.7.1
    meaning = "read-only" if writing and status in NOT_WRITABLE else MEANINGS.get(known, "other")
    kind = CLASSES[meaning]
    wished = None
    if issubclass(kind, UnavailableError):
        wished = retry_after(response.header("retry-after") or "", response.header("date"), time())
    if wished:
        message += f"; it may be requested again in {wished:,.0f} s at the earliest"
    error = kind(f"{message}.", code=status, text=reason, meaning=meaning)
    if isinstance(error, UnavailableError):
        error.retry_after = wished
    return error


def _shown(text: str) -> PeerText:
    return PeerText(_masked(text))


def _masked(text: str) -> str:
    """A Location with its password masked: a server may repeat the one that it was sent."""
    import re

    # No password follows the last "@"; cutting there also keeps the pattern from backtracking over text without one.
    end = text.rfind("@") + 1
    return re.sub(_PASSWORD, r"\1***@", text[:end]) + text[end:]


def redirection(url: URL, response: Response) -> tuple[Follow, str | None]:
    """The target of a redirect, and a note if a part of it was dropped.

    Raises:
        ReplyError: There is no Location.
        RemoteProtocolError: The Location is not a valid URL.
    """
    location = response.header("location")
    if location is None or not location.strip(" \t"):
        raise response_error(url, response)
    aim, note = hops.without_login(aim_of(url, location.strip(" \t")), hops.named_by(url, "redirect", None, USER))
    if url.raw_user is not None and aim.origin == url.origin:  # the login of this URL stays within its origin
        aim = aim.replace(user=url.user, password=url.password)
    if aim.fragment is None and url.fragment is not None:
        aim = aim.replace(fragment=url.fragment)  # RFC 9110 10.2.2
    cookie = response.header("set-cookie") is not None
    return Follow(aim, str(response.status), permanent=response.status in (301, 308), cookie=cookie), note


def aim_of(url: URL, location: str) -> URL:
    """The URL that a Location leads to. Raises RemoteProtocolError if it is invalid or ambiguous."""
    import re

    # Browsers read a backslash as a slash, others as a character; `http:/host` is a path to browsers and a host to
    # curl. Attack: a filter and the client would see different hosts.
    if not any(char <= "\x1f" or char in "\\\x7f" for char in location) and not re.match(_SAME_SCHEME, location):
        try:
            aim = url.join(encoded(location))
        except URLSyntaxError:
            pass
        else:
            ours = (aim.raw_user, aim.raw_password) == (url.raw_user, url.raw_password)
            if ours or _ENDS_AUTHORITY.isdisjoint((aim.user or "") + (aim.password or "")):
                return aim
    shown = _shown(location)
    raise RemoteProtocolError(f"{url.masked} redirects to text that is not a URL: {shown}", sample=shown, stage="reply")


def encoded(text: str) -> str:
    """A reference in which characters after the authority are percent-encoded, as its author should have done.

    Delimiters are left alone, and the authority is: nothing of it can lead to another host.
    """
    import re

    authority = re.match(_AUTHORITY, text)
    end = authority.end() if authority is not None else 0
    return text[:end] + re.sub(_UNSAFE, _encode, text[end:])


def _encode(unsafe: re.Match[str]) -> str:
    return percent_encode(unsafe[0].encode("utf-8", "surrogateescape"))
