"""A whole document that comes where the rest of one was asked for: is it the one whose first octets the caller has?

Rule: a pure function, for schemes and for files alike. A missing fact proves nothing.
"""

from __future__ import annotations

from typing import Literal

from anyurl.dialogue import Describe, Resume

Whole = Literal["same", "another", "unproven", "contradicted"]
"""How a whole document relates to the octets that the caller has.

* ``same``: the validators agree, or are missing, and size and media type do not differ; the octets are compared.
* ``another``: the validators prove that it is a later document.
* ``unproven``: nothing is proven, and it looks like another; it may be the page of a portal.
* ``contradicted``: the validators agree, and the length is another: a part that does not say that it is one.
"""


def judge_whole(resume: Resume, told: Describe) -> Whole:
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
    if int(told.modified) == int(resume.modified):  # http has no fractions of a second
        return "contradicted" if sized and told.size != resume.size else "same"
    return "another" if told.modified > resume.modified else "unproven"


def _opaque(etag: str | None) -> str | None:
    """The entity tag without its mark of weakness, which servers add when they compress."""
    return None if etag is None else etag.removeprefix("W/")
