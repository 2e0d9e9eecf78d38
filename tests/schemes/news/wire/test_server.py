"""The news server, with the articles of an ideal one: each reply as RFC 3977 says, however the commands are cut."""

from __future__ import annotations

import zlib

import pytest

from anyurl.schemes.news.wire import server as news_server
from anyurl.schemes.news.wire.headers import read_date, read_head
from anyurl.schemes.news.wire.lists import GroupListReader, read_capabilities, read_overview
from anyurl.schemes.news.wire.server import INFLATED_AT_ONCE, IdealShelf, NewsServer, Shelf
from anyurl.testing import three_ways
from tests.rows import each_row

HEAD = (
    b"From: Nobody <nobody@ideal.example>\r\nNewsgroups: ideal.group\r\nSubject: An ideal article\r\n"
    b"Date: Thu, 01 Dec 1994 00:01:00 GMT\r\nMessage-ID: <1@ideal.example>\r\n"
)
BODY = b"It has two lines,\r\nand a dot.\r\n"

REPLIES = [
    (b"CAPABILITIES", b"101 ", True),
    (b"MODE READER", b"200 ", False),
    (b"GROUP a.b", b"211 2 1 2 a.b\r\n", False),
    (b"GROUP", b"501 ", False),
    (b"GROUP a b", b"501 ", False),
    (b"ARTICLE <x@y>", b"220 0 <1@ideal.example>\r\n" + HEAD + b"\r\n" + BODY, True),
    (b"HEAD <x@y>", b"221 0 <1@ideal.example>\r\n" + HEAD, True),
    (b"LIST ACTIVE *", b"215 Groups\r\na.b 2 1 y\r\n", True),
    (b"LIST NEWSGROUPS", b"215 Descriptions\r\na.b\tAn ideal group\r\n", True),
    (b"NEWNEWS * 19941201 000000 GMT", b"230 New articles\r\n<1@ideal.example>\r\n<2@ideal.example>\r\n", True),
    (b"DATE", b"111 19941201000000\r\n", False),
    (b"QUIT", b"205 ", False),
    (b"FROBNICATE", b"500 What?\r\n", False),
    (b"", b"500 What?\r\n", False),
]


def server() -> NewsServer:
    """An ideal one."""
    return NewsServer(IdealShelf("a.b"), lambda: 786_240_000.0)


@each_row(("command", "reply", "block"), REPLIES)
def test_each_command_has_its_reply(command: bytes, reply: bytes, block: bool) -> None:
    """RFC 3977 3.2: one line; RFC 3977 3.1.1: a block ends with a lone dot."""
    there = server()
    for link, pieces in enumerate(three_ways(command + b"\r\n", b"QU")):
        assert there.connected(link) == b"200 Ideal news server, posting allowed\r\n"
        said = b"".join(there.received(link, piece) for piece in pieces)
        assert said.startswith(reply)
        assert said.endswith(b"\r\n.\r\n") is block
        assert said.count(b"\r\n.\r\n") == block
        assert block or said.count(b"\r\n") == 1


@pytest.mark.parametrize("article", [b"", b"Subject: x\r\n\r\nbody\r\n", b"a\r\n..\r\nQUIT\r\n.x\r\n"])
def test_an_article_is_taken_to_its_lone_dot(article: bytes) -> None:
    there = server()
    for link, pieces in enumerate(three_ways(b"POST\r\n" + article + b".\r\nQUIT\r\n")):
        there.connected(link)
        said = b"".join(there.received(link, piece) for piece in pieces)
        assert [line[:3] for line in said.splitlines()] == [b"340", b"240", b"205"]


def test_who_may_post_is_asked_for_the_login_that_there_is() -> None:
    there = NewsServer(Shelf({"a": ("y", "A group")}, ()), login=("guest", "welcome"))
    there.connected(1)
    said = there.received(
        1, b"POST\r\nAUTHINFO USER guest\r\nAUTHINFO PASS x\r\nPOST\r\nAUTHINFO PASS welcome\r\nPOST\r\n"
    )
    assert [line[:3] for line in said.splitlines()] == [b"480", b"381", b"481", b"480", b"281", b"340"]
    said = there.received(1, b"Newsgroups: a\r\nFrom: b\r\nSubject: c\r\n\r\nd\r\n.\r\nGROUP a\r\n")
    assert said == b"240 <1@ideal.example>\r\n211 1 1 1 a\r\n"


def test_it_has_every_number_but_says_two() -> None:
    there = server()
    there.connected(1)
    said = there.received(1, b"GROUP a.b\r\nSTAT 2\r\nSTAT 12\r\nHDR :lines 12\r\nOVER 1-\r\n").split(b"\r\n")
    assert said[:4] == [b"211 2 1 2 a.b", b"223 2 <2@ideal.example>", b"223 12 <1@ideal.example>", b"225 Fields"]
    assert (said[4], len(said)) == (b"12 2", 11)


def test_what_it_has_is_what_readers_of_the_real_thing_understand() -> None:
    def block(command: bytes) -> list[bytes]:
        there = server()
        there.connected(1)
        there.received(1, b"GROUP a.b\r\n")
        said = there.received(1, command + b"\r\n")
        return GroupListReader().feed(said.partition(b"\r\n")[2].removesuffix(b".\r\n"))

    capabilities = read_capabilities(block(b"CAPABILITIES"))
    assert {"READER", "POST", "OVER", "HDR", "NEWNEWS"} <= capabilities.keys()
    assert capabilities["LIST"] == ("ACTIVE", "NEWSGROUPS", "OVERVIEW.FMT")
    fields = read_head(HEAD)
    assert sorted(fields) == ["date", "from", "message-id", "newsgroups", "subject"]  # RFC 5536 3.1, without Path
    assert read_date(fields["date"]) == 786240060.0
    first, second = map(read_overview, block(b"OVER 1-2"))
    assert first is not None
    assert second is not None
    assert [first[1], first[2], first[4]] == [fields[name].decode() for name in ("subject", "from", "message-id")]
    assert second[4] == "<2@ideal.example>"


def test_an_article_of_empty_lines_alone_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what follows of it is no command."""
    monkeypatch.setattr(news_server, "MAX_ARTICLE", 1000)
    there = server()
    there.connected(1)
    assert there.received(1, b"POST\r\n").startswith(b"340")
    assert there.received(1, b"\n" * 500) == b""
    assert there.is_open(1)
    assert there.received(1, b"\n" * 2) == b""
    assert not there.is_open(1)


def test_compressed_commands_are_inflated_and_answered_a_part_at_a_time() -> None:
    """Sixty octets that become forty thousand commands; all of them are answered."""
    there = server()
    there.connected(1)
    there.received(1, b"COMPRESS DEFLATE\r\n")
    times = INFLATED_AT_ONCE + 5000  # more than is inflated at once
    deflate = zlib.compressobj(wbits=-15)
    there.feed(1, deflate.compress(b"\n" * times) + deflate.flush(zlib.Z_SYNC_FLUSH))
    parts = []
    while (part := there.step(1)) is not None:
        parts.append(part)
    inflate = zlib.decompressobj(-15)
    said = [inflate.decompress(part) for part in parts]
    assert b"".join(said) == b"500 What?\r\n" * times
    assert max(map(len, said)) < 10_000


@pytest.mark.parametrize("sent", [b"\xff" * 9, zlib.compress(b"DATE\r\n", wbits=-15)], ids=["none", "its end"])
def test_what_can_not_be_inflated_ends_the_connection(sent: bytes) -> None:
    there = server()
    there.connected(1)
    there.received(1, b"COMPRESS DEFLATE\r\n")
    said = zlib.decompressobj(-15).decompress(there.received(1, sent))
    assert said == (b"" if sent.startswith(b"\xff") else b"111 19941201000000\r\n")
    assert not there.is_open(1)
