"""Replies and blocks of a news server: whole and in pieces, and what an article's octets become on their way."""

from __future__ import annotations

from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.news.wire.commands import MAX_REPLY_LINE_BYTES, DotStuffer, NewsReplyReader
from fuzz import kit

MULTI_LINE = frozenset({101, 215, 220, 221, 222, 224, 225, 230, 231})


def fuzz(data: bytes) -> None:
    """What a server sends; and the same octets as an article that goes out and comes back."""
    kit.whole_and_in_pieces(data, _read)
    _back(data)


def _read(pieces: list[bytes]) -> tuple[list[Reply], bytes, bool]:
    reader = NewsReplyReader()
    replies: list[Reply] = []
    blocks = b""
    for piece in pieces:
        reader.feed(piece)
        while True:
            blocks += reader.block()
            if not reader.ended or (reply := reader.next_reply()) is None:
                break
            assert 100 <= reply.code <= 599
            assert len(reply.lines[0]) <= MAX_REPLY_LINE_BYTES
            replies.append(reply)
            if reply.code in MULTI_LINE:
                reader.begin_block(reply)
    return replies, blocks, reader.ended


def _back(data: bytes) -> None:
    stuffer = DotStuffer()
    sent, _ = kit.outcome(lambda: stuffer.feed(data) + stuffer.finish())
    if sent is None:
        return
    reader = NewsReplyReader()
    reader.feed(b"220\r\n" + sent)
    reply = reader.next_reply()
    assert reply is not None
    reader.begin_block(reply)
    got = reader.block()
    assert reader.ended
    assert not reader.pending
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    kit.same(
        got, (lines + (b"" if lines.endswith(b"\n") or not lines else b"\n")).replace(b"\n", b"\r\n"), "an article"
    )
