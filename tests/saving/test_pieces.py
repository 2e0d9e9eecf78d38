"""The rate of what is saved, and its pieces."""

from __future__ import annotations

import io

import pytest

from anyurl.saving.pieces import RateLimit, copied


def test_a_pace_is_an_average_since_the_first_octet() -> None:
    now = [100.0]
    pace = RateLimit(10, lambda: now[0])
    assert pace.owed(20) == 2.0
    now[0] = 103.0
    assert pace.owed(5) == 0.0
    assert pace.owed(15) == 1.0
    with pytest.raises(ValueError, match="at least one octet"):
        RateLimit(0)


def test_content_is_copied_whole_from_a_file_or_as_it_comes() -> None:
    found: list[bytes] = []
    assert list(copied(b"ab", found.append)) == []
    assert list(copied(io.BytesIO(b"cd"), found.append)) == []
    steps = copied(None, found.append)
    next(steps)
    steps.send(b"ef")
    with pytest.raises(StopIteration):
        steps.send(None)
    assert found == [b"ab", b"cd", b"ef"]
