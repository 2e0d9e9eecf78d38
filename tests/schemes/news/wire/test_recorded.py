"""What INN really sends, read whole, octet by octet, and with more behind it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anyurl.schemes.news.wire.commands import NewsReplyReader
from anyurl.schemes.news.wire.headers import read_date, read_head
from anyurl.schemes.news.wire.lists import (
    GroupListReader,
    read_active,
    read_capabilities,
    read_description,
    read_header_line,
    read_overview,
    read_selected,
)
from anyurl.testing import three_ways

SESSION = (Path(__file__).parents[3] / "data" / "nntp" / "inn-2.7.1.txt").read_bytes()
MULTI_LINE = frozenset({101, 215, 220, 221, 222, 224, 225, 230})


def read(pieces: Sequence[bytes]) -> list[tuple[int, bytes, bytes]]:
    """Code, words and block of each reply."""
    reader = NewsReplyReader()
    found: list[tuple[int, bytes, bytes]] = []
    for piece in pieces:
        reader.feed(piece)
        while True:
            if block := reader.block():
                code, words, before = found.pop()
                found.append((code, words, before + block))
            if not reader.ended or (reply := reader.next_reply()) is None:
                break
            found.append((reply.code, reply.lines[0], b""))
            if reply.code in MULTI_LINE:
                reader.begin_block(reply)
    return found


def test_the_replies_are_the_same_however_they_are_cut() -> None:
    whole, *others = [read(pieces) for pieces in three_ways(SESSION, b"20")]
    assert [code for code, _, _ in whole] == [
        200, 101, 200, 101, 215, 215, 340, 240, 211, 224, 225, 220, 221, 222, 223, 230, 423, 411, 205,
    ]  # fmt: skip
    for other in others:
        assert other == whole


def test_what_they_mean() -> None:
    replies = read([SESSION])
    blocks = [GroupListReader().feed(block) for _, _, block in replies]
    first, second = read_capabilities(blocks[1]), read_capabilities(blocks[3])
    assert "MODE-READER" in first
    assert "READER" not in first
    assert second["COMPRESS"] == ("DEFLATE",)
    active = [read_active(line) for line in blocks[4]]
    assert [(group.name, group.count, group.status) for group in active if group][:3] == [
        (b"anyurl.test", 0, "y"), (b"anyurl.test.binaries", 0, "y"), (b"anyurl.announce", 0, "m"),
    ]  # fmt: skip
    assert read_description(blocks[5][0]) == (b"anyurl.test", b"Where tests post")
    selected = read_selected(replies[8][1].split())
    assert selected is not None
    assert (selected.count, selected.low, selected.high, selected.name) == (1, 1, 1, b"anyurl.test")
    (overview,) = map(read_overview, blocks[9])
    assert overview is not None
    assert (overview[0], overview[4], overview[6], overview[7]) == ("1", "<1@test.example>", "492", "4")
    assert read_header_line(blocks[10][0]) == (1, b"492")
    article, head, body = (replies[at][2] for at in (11, 12, 13))
    assert article == head + b"\r\n" + body
    assert body == b".\r\n..\r\n.two\r\nEnd\r\n"
    fields = read_head(head)
    assert fields["injection-info"].startswith(b"host.example.org; posting-host=")
    assert read_date(fields["date"]) == read_date(overview[3]) == 1795321250.0
