"""Checks of a response against the octets that the caller has (RFC 9110 13.1.5, 14.2, 15.3.7).

Rule: pure functions. The status alone proves nothing: a captive portal answers 200, and some servers send a part with
it. Octets are joined only if the answer says which ones it holds, and no field shows another document; they are given
up only for a document that is proven to be another one.
"""

from __future__ import annotations

from typing import Literal

from anyurl.dates import parse_date
from anyurl.dialogue import Describe, Resume
from anyurl.dialogue.values import Response
from anyurl.errors import PeerText, RemoteProtocolError
from anyurl.schemes.http.fields import (
    ContentRange,
    content_length,
    content_range,
    format_date,
    is_coded,
    shown_range,
)  # fmt: skip

REFUSALS_OF_RANGES = frozenset((400, 403, 405, 406, 412, 417, 500, 501, 502, 505))
"""Codes of servers and of the boxes before them that accept the request without Range; it is made once more so."""

WholeDocument = Literal["same", "another", "unproven", "contradicted"]
"""How a whole document relates to the octets that the caller has.

* ``same``: the validators agree, or are missing, and size and media type do not differ; the octets are compared.
* ``another``: the validators prove that it is a later document.
* ``unproven``: nothing is proven, and it looks like another; it may be the page of a portal.
* ``contradicted``: the validators agree, and the length is another: a part that does not say that it is one.
"""


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


def judge_whole(resume: Resume, told: Describe) -> WholeDocument:
    """Judges the octets by the description of a whole document."""
    sized = told.size is not None and resume.size is not None
    ours, theirs = _opaque(resume.etag), _opaque(told.etag)
    if ours is not None and ours == theirs:
        return "contradicted" if sized and told.size != resume.size else "same"
    if told.etag is not None and resume.etag is not None and told.etag[:1] == resume.etag[:1] in ('"', "W"):
        return "another"
    # A page of a portal or of a maintenance server has another type, and no date or an old one.
    if None is not resume.type != told.type:
        return "unproven"
    if told.modified is None or resume.modified is None:
        differs = None not in (ours, theirs) or (sized and told.size != resume.size)
        return "unproven" if differs else "same"
    if told.modified == int(resume.modified):
        return "contradicted" if sized and told.size != resume.size else "same"
    return "another" if told.modified > resume.modified else "unproven"


def _opaque(etag: str | None) -> str | None:
    """The entity tag without its mark of weakness, which servers add when they compress."""
    return None if etag is None else etag.removeprefix("W/")


def unproven(resume: Resume, told: Describe, title: str, verdict: WholeDocument) -> RemoteProtocolError:
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
