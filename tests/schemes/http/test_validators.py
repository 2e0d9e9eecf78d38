"""What proves that two answers are of the same document."""

from __future__ import annotations

from anyurl.schemes.http.validators import STRONG_AFTER, has_strong_validator
from tests.rows import each_row

DATE = {"date": "Sun, 06 Nov 1994 08:49:37 GMT"}
ANSWERED = 784_111_777.0


@each_row(
    ("etag", "modified", "attributes", "strong"),
    [
        ('"x"', None, DATE, True),
        ('"x"', ANSWERED, DATE, True),
        ('W/"x"', None, DATE, False),
        ('W/"x"', ANSWERED, DATE, False),  # Apache, of a file that may still change within this second
        ('W/"x"', ANSWERED - STRONG_AFTER, DATE, True),  # express: every tag is weak, and the date is not
        ("x", None, DATE, False),
        (None, None, DATE, False),
        (None, ANSWERED - STRONG_AFTER, DATE, True),
        (None, ANSWERED - STRONG_AFTER + 1, DATE, False),
        (None, ANSWERED + 1, DATE, False),
        (None, ANSWERED - STRONG_AFTER, {"date": "yesterday"}, False),
        (None, ANSWERED, {}, True),  # a server without a clock sends no Date, and ours counts
        (None, 32_503_680_000.0, {}, False),
    ],
)
def test_what_is_strong(etag: str | None, modified: float | None, attributes: dict[str, object], strong: bool) -> None:
    assert has_strong_validator(etag, modified, attributes) is strong
