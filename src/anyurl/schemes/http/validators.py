"""Strong validators, which prove that two responses hold octets of the same document (RFC 9110 8.8)."""

from __future__ import annotations

from collections.abc import Mapping
from time import time

from anyurl.dates import parse_date

STRONG_AFTER = 60.0
"""Seconds that a document must be older than the response for its date to be a strong validator. RFC 9110 8.8.2.2
requires one, and synchronized clocks; RFC 7232 2.2.2, Apache and Chromium require sixty."""


def has_strong_validator(etag: str | None, modified: float | None, attributes: Mapping[str, object]) -> bool:
    """Whether the validators can distinguish a document from a later version of it.

    A weak entity tag may stay the same when the octets change; then the date counts. RFC 9110 13.1.5 wants the entity
    tag alone to be used, but some servers mark every tag as weak, and Chromium uses the date with them.

    Args:
        etag: The entity tag.
        modified: When the document was modified, in seconds since the epoch.
        attributes: The fields of the response; its Date is used, or else the current time (RFC 9110 6.6.1).
    """
    if etag is not None and etag.startswith('"'):
        return True
    if modified is None:
        return False
    date = attributes.get("date")
    answered = parse_date(date) if isinstance(date, str) else time()
    return answered is not None and answered - modified >= STRONG_AFTER
