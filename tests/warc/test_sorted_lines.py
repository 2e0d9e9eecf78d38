"""An index that is searched where it stands: what is found is what reading all of it finds."""

from __future__ import annotations

import io
import random

import pytest

from anyurl.warc import sorted_lines
from anyurl.warc.sorted_lines import SortedLines

DRAWN = random.Random("the lines of an index")


def made(lines: list[str]) -> SortedLines:
    return SortedLines(io.BytesIO("".join(f"{line}\n" for line in lines).encode()))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 50, 400])
def test_every_key_and_host_is_found_and_nothing_else(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorted_lines, "MARKED", 7)
    hosts = ["org,example", "org,example,www", "org,example-a", "org,example:8080", "com,h", "com,h,a"]
    keys = [f"{DRAWN.choice(hosts)}){'/x' * DRAWN.randrange(4)}/{DRAWN.randrange(40)}" for _ in range(count)]
    keys += ["file:/a", "file:/b", "no url"] if count > 3 else []
    lines = sorted(f"{key} 20260101 {DRAWN.randrange(10)}{'z' * DRAWN.randrange(90)}" for key in keys)
    index = made(lines)
    assert (index.is_sorted, index.count) == (True, len(set(keys)))
    for key in {*keys, "a", "org,example)/", "zz", "", "com,h)/x/1"}:
        assert [line.rstrip("\n") for line in index.with_key(key)] == [
            line for line in lines if line.startswith(f"{key} ")
        ]
    for skipped in range(len(set(keys)) + 2):
        assert list(index.keys(skipped)) == list(dict.fromkeys(line.split(" ")[0] for line in lines))[skipped:]
    there = {key.partition(")")[0] + ")" for key in keys if ")" in key}
    assert list(index.hosts()) == sorted(there)
    index.close()


def test_one_that_is_not_sorted_is_not_searched() -> None:
    assert not made(["b 2 {}", "a 1 {}"]).is_sorted
    assert not made([f"a 1 {'x' * sorted_lines.LINE_AT_MOST}"]).is_sorted
