"""Work: whatever block is repeated in whatever place, four times as many cost a reader at most 4.5 times as much."""

from __future__ import annotations

from fuzz.readers import READERS, check_growth

_NAMES = sorted(READERS)
_OCTETS = 800


def fuzz(data: bytes) -> None:
    """One octet chooses the reader, two say where the block begins and ends in what follows."""
    if len(data) < 4:
        return
    name, begin, length, text = _NAMES[data[0] % len(_NAMES)], data[1], 1 + data[2] % 64, data[3:1024]
    before, block, behind = text[:begin], text[begin : begin + length], text[begin + length :]
    if block:
        check_growth(name, READERS[name][1], lambda count: before + block * count + behind, _OCTETS // len(block) + 1)
