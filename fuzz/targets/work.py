"""Work: whatever block is repeated in whatever place, four times as many cost a reader at most 4.5 times as much."""

from __future__ import annotations

import zlib

from fuzz.readers import OCTETS, READERS, SLOW, check_growth

_NAMES = sorted(READERS)


def fuzz(data: bytes) -> None:
    """The first line names the reader, two octets say where the block begins and ends in what follows.

    A name that no reader has chooses one, too. By its number, a seed would be another's with each reader that is added.
    """
    line, _, rest = data.partition(b"\n")
    if len(rest) < 3:
        return
    name = line.decode("latin-1")
    if name not in READERS:
        name = _NAMES[zlib.crc32(line) % len(_NAMES)]
    begin, length, text = rest[0], 1 + rest[1] % 64, rest[2:1024]
    before, block, behind = text[:begin], text[begin : begin + length], text[begin + length :]
    if block:
        count = max(2, SLOW.get(name, OCTETS) // len(block))
        check_growth(name, READERS[name][1], lambda count: before + block * count + behind, count)
