"""Sizes for people."""

from __future__ import annotations

from anyurl.client.sizes import human_size
from tests.rows import each_row


@each_row(
    ("octets", "text"),
    [(None, ""), (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (15679, "15.7 kB"), (99_949, "99.9 kB"),
     (99_950, "100 kB"), (123_456, "123 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"), (1_500_000, "1.5 MB"),
     (7_000_000_000, "7.0 GB"), (5 * 10**15, "5,000.0 TB")],
)  # fmt: skip
def test_a_size_for_people(octets: int | None, text: str) -> None:
    assert human_size(octets) == text
