"""An open directory: listed in small steps, sorted, and no further than the limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl.errors import LimitError
from anyurl.files.filesystem import open_listing
from anyurl.files.folder import FACTS_AT_ONCE, NAMES_AT_ONCE


def test_a_large_directory_is_listed_in_small_steps(tmp_path: Path) -> None:
    """No step reads, sorts or looks at more than a few names, and all come sorted in the end."""
    names = [f"{number * 7919 % 5003:04}" for number in range(5003)]
    for name in names:
        (tmp_path / name).touch()
    channel = open_listing(str(tmp_path), 5003)
    steps = []
    while (facts := channel.advance()) is None or facts:
        steps.append(facts)
    channel.close()
    assert steps[:2] == [None, None]  # 2,000 names each, and the third step is the first with facts
    assert [fact.name for facts in steps[2:] for fact in facts] == sorted(names)
    assert {len(facts) for facts in steps[2:-1]} == {FACTS_AT_ONCE}


def test_names_beyond_the_limit_are_not_read(tmp_path: Path) -> None:
    for number in range(2 * NAMES_AT_ONCE + 1):
        (tmp_path / f"{number}").touch()
    channel = open_listing(str(tmp_path), NAMES_AT_ONCE)
    assert channel.advance() is None
    with pytest.raises(LimitError, match="more than 2,000 entries"):
        channel.advance()
    channel.close()
