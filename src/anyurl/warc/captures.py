"""Captures: the URLs in the records of an archive and their quality, for replay and for its index.

Rule: a line protocol's conversation is not shown, since its content is a record of its own, and neither is an answer
that has nothing (1xx, 304). Of several records of one URL the one that shows most is chosen in one place (`rank`).
"""

from __future__ import annotations

from collections.abc import Iterator

from anyurl.warc.scan import ScannedRecord, scan

KINDS = ("response", "revisit", "conversion", "resource")

WEB = ("http://", "https://")

REVISIT = "warc/revisit"
"""The media type of a revisit in an index (CDXJ)."""


class IndexedCapture:
    """The capture in one record.

    Attributes:
        url: The URL, as the record names it.
        date: When it was captured (``2026-01-02T03:04:05Z``).
        kind: The type of the record.
        type: The media type; `REVISIT` for a revisit.
        status: That of http; 200 for all else.
        digest: The digest of the content, or empty.
        start, end: The place of the record.
        id: Its id.
        refers: For a revisit the id, the URL and the date of the record that has the content.
        is_whole: Whether it is not marked as truncated, and not a part (206).
    """

    __slots__ = (
        "url", "date", "kind", "type", "status", "digest", "start", "end", "id", "refers", "is_whole",
    )  # fmt: skip

    def __init__(self, record: ScannedRecord, kind: str, type: str, status: int) -> None:
        fields = record.fields
        self.url = fields["warc-target-uri"].strip("<>")
        self.date = fields.get("warc-date", "")
        self.kind = kind
        self.type = type
        self.status = status
        self.digest = fields.get("warc-payload-digest") or fields.get("warc-block-digest", "")
        self.start, self.end = record.start, record.end
        self.id = fields.get("warc-record-id", "")
        names = ("warc-refers-to", "warc-refers-to-target-uri", "warc-refers-to-date")
        self.refers = tuple(fields.get(name, "").strip("<>" if "uri" in name else "") for name in names)
        self.is_whole = "warc-truncated" not in fields and status != 206

    @property
    def rank(self) -> tuple[bool, bool, str, int]:
        """Of two captures of one URL the one with the higher rank is shown."""
        return self.is_whole, is_sound(self.status), self.date, shows_most(self.kind, self.url)


def shows_most(kind: str, url: str) -> int:
    """Of several records of one URL and time the one with the highest number is shown: an http response, the page of a
    listing, a content. A revisit counts as its original.
    """
    if kind == "response" or (kind == "revisit" and url.startswith(WEB)):
        return 2
    return 1 if kind == "conversion" else 0


def is_sound(status: int) -> bool:
    """Whether this is the server's final response: not a temporary refusal (429, 5xx), nor a request for a login, which
    the next request of the same dialogue sent.
    """
    return status < 500 and status not in (401, 407, 429)


def capture_of(record: ScannedRecord) -> IndexedCapture | None:
    """The capture in a record; None if it shows nothing."""
    kind = record.fields.get("warc-type", "")
    if kind not in KINDS or not record.fields.get("warc-target-uri"):
        return None
    http = record.http_head()
    status = 200 if http is None else http[0]
    if (kind == "response" and (http is None or status < 200)) or status == 304:
        return None
    own = (record.fields if http is None else http[1]).get("content-type", "")
    type = own.partition(";")[0].strip() or "application/octet-stream"
    return IndexedCapture(record, kind, REVISIT if kind == "revisit" else type, status)


def captures(fd: int, start: int, end: int) -> Iterator[IndexedCapture]:
    """Those of an archive. Raises EOFError where it is damaged."""
    for record in scan(fd, start, end):
        found = capture_of(record)
        if found is not None:
            yield found
