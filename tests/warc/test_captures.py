"""What records show of URLs, and which of them is shown."""

from __future__ import annotations

from anyurl.warc.captures import REVISIT, ScannedRecord, capture_of
from tests.rows import each_row

HEAD = b"HTTP/1.1 %d x\r\nContent-Type: text/html; charset=utf-8\r\n\r\nbody"


def record(kind: str, content: bytes = b"", **fields: str) -> ScannedRecord:
    named = {f"warc-{name.replace('_', '-')}": value for name, value in fields.items()}
    return ScannedRecord(5, 9, {"warc-type": kind, "warc-target-uri": "http://h/", **named}, content)


@each_row(
    ("given", "expected"),
    [
        (record("response", HEAD % 200), ("text/html", 200, True)),
        (record("response", HEAD % 206), ("text/html", 206, False)),
        (record("response", HEAD % 200, truncated="length"), ("text/html", 200, False)),
        (record("response", HEAD % 304), None),
        (record("response", HEAD % 100), None),
        (record("response", b"220 ftp\r\n"), None),  # a conversation, whose content is a record of its own
        (record("revisit", HEAD % 200), (REVISIT, 200, True)),
        (record("resource"), ("application/octet-stream", 200, True)),
        (record("metadata"), None),
        (record("warcinfo"), None),
    ],
)
def test_what_a_record_shows(given: ScannedRecord, expected: tuple[str, int, bool] | None) -> None:
    found = capture_of(given)
    assert (None if found is None else (found.type, found.status, found.is_whole)) == expected


def test_the_one_that_is_shown_has_the_highest_rank() -> None:
    worst_first = [
        record("response", HEAD % 503, truncated="time", date="2026-01-09"), record("resource", truncated="time"),
        record("response", HEAD % 429, date="2026-01-08"), record("response", HEAD % 401, date="2026-01-09"),
        record("resource", date="2026-01-01"), record("conversion", date="2026-01-01"),
        record("response", HEAD % 404, date="2026-01-02"), record("response", HEAD % 200, date="2026-01-03"),
    ]  # fmt: skip
    ranks = [found.rank for each in worst_first if (found := capture_of(each)) is not None]
    assert ranks == sorted(ranks)
    assert len(ranks) == len(worst_first)
