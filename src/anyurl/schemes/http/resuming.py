"""Checks of a response against the octets that the caller has (RFC 9110 13.1.5, 14.2, 15.3.7).

Rule: pure functions. The status alone proves nothing: a captive portal answers 200, and some servers send a part with
it. Octets are joined only if the answer says which ones it holds, and no field shows another document; they are given
up only for a document that is proven to be another one.
"""

from __future__ import annotations

from anyurl.dates import parse_date
from anyurl.dialogue import Describe, Resume
from anyurl.dialogue.values import Response
from anyurl.errors import PeerText, RemoteProtocolError
from anyurl.schemes.http.fields import ContentRange, content_length, content_range, format_date, is_coded, shown_range
from anyurl.schemes.kit.whole import Whole

REFUSALS_OF_RANGES = frozenset((400, 403, 405, 406, 412, 417, 500, 501, 502, 505))
"""Codes of servers and of the boxes before them that accept the request without Range; it is made once more so."""


def validator(resume: Resume) -> str | None:
    """The validator for If-Range: a strong entity tag, else the date (RFC 9110 13.1.5)."""
    if resume.etag is not None and resume.etag.startswith('"'):
        return resume.etag
    return None if resume.modified is None else format_date(resume.modified)


def is_same(resume: Resume, response: Response) -> bool:
    """Whether no field of the response shows that the document has changed; missing fields are ignored."""
    etag = response.header("etag")
    if etag is not None and resume.etag is not None and etag != resume.etag:
        return False
    modified = parse_date(response.header("last-modified") or "")
    return modified is None or resume.modified is None or modified == int(resume.modified)


def usable_part(resume: Resume, response: Response, *, as_sent: bool) -> ContentRange | str:
    """The range of a part that continues the caller's octets, or the reason why it does not, as a clause.

    Args:
        as_sent: A content coding is the format of the file (see `is_archive`).
    """
    span = content_range(response.header("content-range"))
    if is_coded(response) and not as_sent:
        return "the server sends the rest in a content coding"
    if span is None or span.first is None or span.last is None:
        return f"the server does not say which part it sent: {shown_range(response)}"
    shown = shown_range(response)
    if span.first > resume.start or span.last < resume.start:
        return f"the server sent another part than the one from octet {resume.start:,} on: {shown}"
    length = content_length(response)
    if length != span.last - span.first + 1 and not (length is None and span.first == resume.start):
        sent = "an unknown number of" if length is None else f"{length:,}"
        return f"the server sent {sent} octets as the part {shown}"
    if not is_same(resume, response) or (resume.size is not None and span.size not in (None, resume.size)):
        return "the server sent a part of another document: its size, entity tag or date is another"
    return span


def unproven(resume: Resume, told: Describe, title: str, verdict: Whole) -> RemoteProtocolError:
    """The error for a whole document that must not replace the caller's octets."""
    size = "" if told.size is None else f" of {told.size:,} octets"
    named = f" with the title {PeerText(title)}" if title else ""
    came = f"a document{size} of type {PeerText(told.type)}{named}" if told.type else f"a document{size}{named}"
    proof = (
        f"its entity tag or date is that of the {resume.size:,} octets that were announced before"
        if verdict == "contradicted"
        else "nothing proves that it is a later version of the document"
    )
    return RemoteProtocolError(
        f"Asked for the rest from octet {resume.start:,} on, the server sent {came}; {proof}, so it does not replace "
        "what is there.",
        sample=title,
        stage="reply",
    )
