"""Strong validators: what proves that two answers are octets of the same document (RFC 9110 8.8)."""

from __future__ import annotations

from collections.abc import Mapping
from time import time

from anyurl.schemes.http.fields import parse_date

STRONG_AFTER = 60.0
"""Seconds that a document has to be older than the answer, so that its date is a strong validator. RFC 9110 8.8.2.2
asks for one, and for clocks that agree; RFC 7232 2.2.2, Apache and Chromium ask for sixty."""


def has_strong_validator(etag: str | None, modified: float | None, attributes: Mapping[str, object]) -> bool:
    """Whether a part of a document can be told from a part of what replaced it.

    A weak entity tag may stay when the octets change. A date beside it counts: RFC 9110 13.1.5 wants an entity tag
    alone to be asked for, but there are servers that call every tag weak, and Chromium asks those by the date.

    Args:
        etag: The entity tag.
        modified: When the document was modified, in seconds since the epoch.
        attributes: The fields of the answer; its Date, or else the present (RFC 9110 6.6.1).
    """
    if etag is not None and etag.startswith('"'):
        return True
    if modified is None:
        return False
    date = attributes.get("date")
    answered = parse_date(date) if isinstance(date, str) else time()
    return answered is not None and answered - modified >= STRONG_AFTER
