"""Replies, blocks, commands and the way out of articles (RFC 3977 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from anyurl.errors import LimitError, LocalProtocolError, RemoteProtocolError
from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.news.wire.commands import (
    MAX_COMMAND_BYTES,
    MAX_REPLY_LINE_BYTES,
    DotStuffer,
    NewsReplyReader,
    encode_command,
    message_id,
)
from anyurl.testing import ProtocolContract, three_ways
from tests.rows import each_row


def read_replies(pieces: Sequence[bytes]) -> list[Reply]:
    reader = NewsReplyReader()
    replies = []
    for piece in pieces:
        reader.feed(piece)
        while (reply := reader.next_reply()) is not None:
            replies.append(reply)
    return replies


def read_block(pieces: Sequence[bytes]) -> tuple[bytes, bool]:
    """The block behind the first reply, and whether it has ended."""
    reader = NewsReplyReader()
    reply = None
    out = b""
    for piece in pieces:
        reader.feed(piece)
        if reply is None and (reply := reader.next_reply()) is not None:
            reader.begin_block(reply)
        if reply is not None:
            out += reader.block()
    return out, reader.ended


class TestReplies(ProtocolContract):
    cases = (
        (b"200 hello\r\n", b"20"),
        (b"200\r\n", b""),
        (b"200 \r\n480 who?\r\n", b"4"),
        (b"199 only informs\r\n200 answers\n", b""),
    )

    def read(self, pieces: Sequence[bytes]) -> Any:
        return read_replies(pieces)


BLOCKS = [
    (b"a\r\nb\r\n.\r\n", b"a\r\nb\r\n", "lines"),
    (b".\r\n", b"", "nothing"),
    (b"\r\n.\r\n", b"\r\n", "an empty line"),
    (b"..\r\n...\r\n..a\r\n.\r\n", b".\r\n..\r\n.a\r\n", "one dot less at the beginning of a line"),
    (b"a..b\r\na.\r\n.\r\n", b"a..b\r\na.\r\n", "and nowhere else"),
    (b".a\r\n.\r\n", b".a\r\n", "a dot that was not doubled is no end, and stays"),
    (b"a\n.\nb\r\n.\r\n", b"a\n.\nb\r\n", "where lines end with CR LF, a bare LF ends none"),
    (b"a\n.\r\nb\r\n.\r\n", b"a\n.\r\nb\r\n", "nor does it begin one"),
    (b"a\r\r\n.\r\n", b"a\r\r\n", "a CR too many"),
    (b"\xff\0\r\n.\r\n", b"\xff\0\r\n", "octets are octets"),
]


@each_row(("data", "block"), [row[:2] for row in BLOCKS], ids=[row[2] for row in BLOCKS])
def test_blocks(data: bytes, block: bytes) -> None:
    for pieces in three_ways(b"220 x\r\n" + data, b"999 surplus"):
        assert read_block(pieces) == (block, True)
    for pieces in three_ways(b"220 x\r\n" + data[:-3]):
        assert read_block(pieces)[1] is False


@pytest.mark.parametrize(
    ("data", "block"),
    [
        (b"a\nb\n.\n", b"a\nb\n"),  # a server that ends its lines with LF alone
        (b"..a\n.\n", b".a\n"),
        (b"a\r\n.\r\n", b"a\r\n"),  # or that only greets so
        (b"a\n.\n", b"a\n"),
    ],
)
def test_blocks_of_servers_with_bare_line_feeds(data: bytes, block: bytes) -> None:
    for pieces in three_ways(b"220 x\n" + data):
        assert read_block(pieces) == (block, True)


def test_an_article_can_not_speak_as_the_server() -> None:
    """Attack: an article that holds LF, dot, LF and a reply would answer the next command."""
    reader = NewsReplyReader()
    reader.feed(b"220 1 <a@b>\r\nSubject: x\r\n\r\na\n.\n220 2 <forged@b>\r\nb\r\n.\r\n")
    reply = reader.next_reply()
    assert reply is not None
    reader.begin_block(reply)
    assert b"forged" in reader.block()
    assert (reader.ended, reader.pending, reader.next_reply()) == (True, False, None)


def test_what_stands_behind_a_block_stays_as_it_is() -> None:
    """Found by fuzzing: with bare line feeds the next block lost its CRs, or not, as the pieces were cut."""
    session = b"220 a\nx\n.\n220 b\r\ny\r\n.\r\n"
    for pieces in three_ways(session):
        reader, out = NewsReplyReader(), b""
        for piece in pieces:
            reader.feed(piece)
            for _ in range(3):
                out += reader.block()
                if reader.ended and (reply := reader.next_reply()) is not None:
                    reader.begin_block(reply)
        assert out == b"x\ny\r\n"


def test_what_stands_behind_a_block_is_kept_apart() -> None:
    reader = NewsReplyReader()
    reader.feed(b"220\r\na\r\n.\r\n223 next\r\n")
    reply = reader.next_reply()
    assert reply is not None
    reader.begin_block(reply)
    assert (reader.block(), reader.ended, reader.pending) == (b"a\r\n", True, 10)
    assert reader.next_reply() == Reply(223, (b"next",))


def test_a_block_in_many_pieces_takes_linear_time() -> None:
    reader = NewsReplyReader()
    reader.feed(b"220\r\n")
    reply = reader.next_reply()
    assert reply is not None
    reader.begin_block(reply)
    size = 0
    for _ in range(20_000):
        reader.feed(b"\r\n.x"[: 1 + size % 4])
        size += len(reader.block())
    assert not reader.ended


BAD = [
    (b"hello\r\n", RemoteProtocolError, "begins with a number from 100 to 599: “hello"),
    (b"99 x\r\n", RemoteProtocolError, "begins with a number"),
    (b"777 x\r\n", RemoteProtocolError, "begins with a number"),
    (b"2000 x\r\n", RemoteProtocolError, "begins with a number"),
    (b"\r\n", RemoteProtocolError, "begins with a number"),
    ("²00 x\r\n".encode(), RemoteProtocolError, "begins with a number"),
    (b"220-SMTP\r\n", RemoteProtocolError, "begins with a number"),
    (b"200 a\0b\r\n", RemoteProtocolError, "holds NUL"),
    (b"200 a\rb\r\n", RemoteProtocolError, "holds a CR without LF"),
    (b"200 " + b"x" * MAX_REPLY_LINE_BYTES + b"\r\n", LimitError, "longer than 2,048 octets"),
    (b"x" * (MAX_REPLY_LINE_BYTES + 1), LimitError, "longer than 2,048 octets"),
    (b"150 wait\r\n" * 6, LimitError, "More than 5 preliminary replies"),
]


@each_row(("data", "error", "message"), BAD)
def test_what_is_no_reply(data: bytes, error: type[Exception], message: str) -> None:
    for pieces in three_ways(data):
        with pytest.raises(error, match=message):
            read_replies(pieces)


def test_a_reply_shows_itself_escaped_and_short() -> None:
    assert str(Reply(480, (b"who\x1b[2J?\xff",))) == "“480 who\\x1b[2J?\\xff”"
    assert Reply(480, (b"x" * 2000,)).said == "480 " + "x" * 196 + "..."
    assert Reply(211, (b"1 2 3 a.b",)).arguments == [b"1", b"2", b"3", b"a.b"]
    assert Reply(211).kind == 2


def test_commands() -> None:
    assert encode_command("GROUP", b"a.b") == b"GROUP a.b\r\n"
    assert encode_command("QUIT") == b"QUIT\r\n"
    assert encode_command("ARTICLE", message_id(b"x@y")) == b"ARTICLE <x@y>\r\n"


@pytest.mark.parametrize("argument", [b"a\r\nPOST", b"a\nb", b"a b", b"a\tb", b"a\0", b"", b"\x7f"])
def test_what_never_goes_into_a_command(argument: bytes) -> None:
    with pytest.raises(LocalProtocolError, match="An argument of GROUP is empty, or holds"):
        encode_command("GROUP", argument)


def test_a_command_has_its_length() -> None:
    fits = MAX_COMMAND_BYTES - len("GROUP \r\n")
    assert len(encode_command("GROUP", b"x" * fits)) == MAX_COMMAND_BYTES
    with pytest.raises(LocalProtocolError, match="would have 513 octets"):
        encode_command("GROUP", b"x" * (fits + 1))


@pytest.mark.parametrize("identifier", [b"a>@b", b"<a@b", b"x" * 245 + b"@abc"])
def test_what_is_no_message_identifier(identifier: bytes) -> None:
    with pytest.raises(LocalProtocolError, match=r"The message-id has|A message-id can't contain"):
        message_id(identifier)


STUFFED = [
    (b"", b"\x2e\r\n"),
    (b"a", b"a\r\n.\r\n"),
    (b"a\nb\n", b"a\r\nb\r\n.\r\n"),
    (b".\n..\n.a", b"..\r\n...\r\n..a\r\n.\r\n"),
    (b"a\r\n.\r\nb\r\n", b"a\r\n..\r\nb\r\n.\r\n"),
    (b"a\r.b\rc", b"a\r\n..b\r\nc\r\n.\r\n"),  # a lone CR ends a line for some servers: it does for all
    (b"a\r\n\n\rb", b"a\r\n\r\n\r\nb\r\n.\r\n"),
]


@pytest.mark.parametrize(("article", "sent"), STUFFED)
def test_an_article_on_its_way_out(article: bytes, sent: bytes) -> None:
    for pieces in three_ways(article):
        stuffer = DotStuffer()
        assert b"".join(map(stuffer.feed, pieces)) + stuffer.finish() == sent


def test_what_went_out_comes_in_as_it_was() -> None:
    article = b".a\r\n\r\n..\r\nb.\r\n"
    stuffer = DotStuffer()
    assert read_block([b"220\r\n", stuffer.feed(article) + stuffer.finish()]) == (article, True)


def test_an_article_holds_no_nul() -> None:
    with pytest.raises(LocalProtocolError, match="NUL"):
        DotStuffer().feed(b"a\0")
