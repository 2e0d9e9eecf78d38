"""The outcome of an http dialogue: the document, a redirect, or an error (RFC 9110 15).

Rule: redirects are followed by the rules of `anyurl.guard.hops`. Content, and requests that change something, are sent
only to the origin that the caller named.
"""

from __future__ import annotations

from anyurl.dialogue import Describe, Follow, Note, Relay, Response, Steps
from anyurl.dialogue.http import HttpOptions
from anyurl.errors import RemoteProtocolError, Truncated
from anyurl.guard.hops import SAFE_METHODS, method_after
from anyurl.schemes.http.answers import description, redirection, response_error
from anyurl.schemes.http.fields import content_length, content_range, odd_codings, shown_range
from anyurl.schemes.kit.ends import tell_end
from anyurl.url import URL

REDIRECTIONS = frozenset((300, 301, 302, 303, 307, 308))


def follow(url: URL, response: Response) -> Steps[Follow]:
    """Follow a redirect. Raises as `redirection`."""
    leads, note = redirection(url, response)
    if note is not None:
        yield from Note(note)
    return leads


def relay(response: Response, expected: int | None, *, at_most: int | None = None, before: int = 0) -> Steps[None]:
    """Deliver the body, `at_most` so many octets. Raises Truncated if less arrives than was announced.

    Args:
        before: Octets of the document that the caller has.
    """
    remark = odd_codings(response) if response.may_be_coded else None
    if remark is not None:
        yield from Note(remark)
    try:
        received: int = yield Relay(response.body, at_most)
    except Truncated as error:
        if error.expected is None:
            error.expected = expected
        raise
    check_all_came(received, expected, before)
    if response.body.unmarked:
        yield from tell_end(response.body)


def check_all_came(received: int, expected: int | None, before: int = 0) -> None:
    """Raise Truncated if less arrived than was announced, after the octets that were there before."""
    if expected is not None and received < expected:
        raise Truncated(
            f"The document broke off after {before + received:,} of {before + expected:,} octets.",
            received=received,
            expected=expected,
        )


def check_whole(response: Response) -> None:
    """Accept a part (206) that is the whole document; other parts were not requested.

    Raises:
        RemoteProtocolError: It is not the whole.
    """
    if response.status != 206:
        return
    span = content_range(response.header("content-range"))
    whole = span is not None and span.first == 0 and span.last is not None and span.size == span.last + 1
    if span is not None and whole and content_length(response) in (None, span.size):
        return
    raise RemoteProtocolError(
        "The server sent a part (206) in reply to a request for the whole document.", stage="reply"
    )


def settle(url: URL, response: Response, http: HttpOptions) -> Steps[Follow | None]:
    """Handle the response to a request that the caller composed (`HttpOptions`).

    Raises:
        ReplyError: The response is an error, or redirects an upload to another origin, if the caller wants that.
        RemoteProtocolError: The response is a part that was not requested, or a redirect to an invalid URL.
        Truncated: The document is incomplete.
    """
    status = response.status
    seen_elsewhere = status == 303 and http.method == "PUT"  # done; Location leads to a report (RFC 9110 15.4.4)
    if status in REDIRECTIONS and response.header("location") is not None and not seen_elsewhere:
        leads, note = _allowed_redirection(url, response, method_after(http.method, status))
        if note is not None:
            yield from Note(note)
        if leads is not None:
            return leads
    unchanged = status == 304 and (http.has("if-none-match") or http.has("if-modified-since"))
    if http.check and not (200 <= status < 300 or unchanged or seen_elsewhere):
        raise response_error(url, response, writing=http.acts)
    described = _description(response, http)
    yield from described
    if http.method != "HEAD" and status not in (204, 205, 304):
        yield from relay(response, content_length(response) if status == 206 else described.size)
    return None


def _allowed_redirection(url: URL, response: Response, method: str) -> tuple[Follow | None, str | None]:
    """The target of a redirect, if this method may follow it. Raises RemoteProtocolError as `redirection`."""
    try:
        leads, note = redirection(url, response)
    except RemoteProtocolError:
        if method in SAFE_METHODS:
            raise
        return None, None
    may = method in SAFE_METHODS or leads.url.origin == url.origin
    return (leads, note) if may else (None, None)


def _description(response: Response, http: HttpOptions) -> Describe:
    """The description of the content. Raises RemoteProtocolError for a part that was not requested or is malformed."""
    if response.status == 304:
        described = description(response)
        described.size = 0
        return described
    if response.status != 206:
        return description(response)
    if not http.has("range"):
        check_whole(response)
        return description(response)
    span = content_range(response.header("content-range"))
    if span is not None and span.first is not None:
        return description(response, size=span.size, start=span.first)
    if (response.header("content-type") or "").lower().startswith("multipart/byteranges"):
        return description(response)  # several ranges are sent as one multipart document (RFC 9110 14.6)
    raise RemoteProtocolError(
        f"The server does not say which part it sent (RFC 9110 14.4): {shown_range(response)}.",
        sample=response.header("content-range") or "",
        stage="reply",
    )
