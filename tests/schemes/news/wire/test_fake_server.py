"""The ideal news server: each reply as RFC 3977 says, however the commands are cut."""

from __future__ import annotations

import pytest

from anyurl.schemes.news.wire.fake_server import BODY, HEAD, OVERVIEW, FakeNewsServer
from anyurl.schemes.news.wire.headers import read_date, read_head
from anyurl.schemes.news.wire.lists import GroupListReader, read_capabilities, read_overview
from anyurl.testing import three_ways

REPLIES = [
    (b"CAPABILITIES", b"101 ", True),
    (b"MODE READER", b"200 ", False),
    (b"GROUP a.b", b"211 2 1 2 a.b\r\n", False),
    (b"GROUP", b"500 ", False),
    (b"GROUP a b", b"500 ", False),
    (b"ARTICLE 1", b"220 1 <1@ideal.example>\r\n" + HEAD + b"\r\n" + BODY, True),
    (b"ARTICLE <x@y>", b"220 1 <1@ideal.example>\r\n" + HEAD + b"\r\n" + BODY, True),
    (b"HEAD 1", b"221 1 <1@ideal.example>\r\n" + HEAD, True),
    (b"HDR :bytes 1", b"225 Headers follow\r\n1 200\r\n", True),
    (b"OVER 1-2", b"224 Overview follows\r\n" + OVERVIEW, True),
    (b"LIST ACTIVE *", b"215 Groups follow\r\nideal.group 2 1 y\r\n", True),
    (b"LIST NEWSGROUPS", b"215 Descriptions follow\r\nideal.group\tAn ideal group\r\n", True),
    (b"LIST", b"500 ", False),
    (b"NEWNEWS * 19941201 000000 GMT", b"230 New articles follow\r\n<1@ideal.example>\r\n", True),
    (b"QUIT", b"205 ", False),
    (b"FROBNICATE", b"500 What?\r\n", False),
    (b"", b"500 What?\r\n", False),
]


@pytest.mark.parametrize(("command", "reply", "block"), REPLIES)
def test_each_command_has_its_reply(command: bytes, reply: bytes, block: bool) -> None:
    """RFC 3977 3.2: one line; RFC 3977 3.1.1: a block ends with a lone dot."""
    for pieces in three_ways(command + b"\r\n", b"QU"):
        server = FakeNewsServer()
        assert server.connected(1) == b"200 Ideal news server, posting allowed\r\n"
        said = b"".join(server.received(1, piece) for piece in pieces)
        assert said.startswith(reply)
        assert said.endswith(b"\r\n.\r\n") is block
        assert said.count(b"\r\n.\r\n") == block
        assert block or said.count(b"\r\n") == 1


@pytest.mark.parametrize("article", [b"", b"Subject: x\r\n\r\nbody\r\n", b"a\r\n..\r\nQUIT\r\n.x\r\n"])
def test_an_article_is_taken_to_its_lone_dot(article: bytes) -> None:
    for pieces in three_ways(b"POST\r\n" + article + b".\r\nQUIT\r\n"):
        server = FakeNewsServer()
        server.connected(1)
        said = b"".join(server.received(1, piece) for piece in pieces)
        assert [line[:3] for line in said.splitlines()] == [b"340", b"240", b"205"]


def test_two_commands_at_once_have_two_replies_and_a_new_connection_begins_anew() -> None:
    server = FakeNewsServer()
    assert [line[:3] for line in server.received(1, b"QUIT\r\nMODE READER\r\nPOST\r\nx").splitlines()] == [
        b"205", b"200", b"340",
    ]  # fmt: skip
    server.connected(2)
    assert server.received(2, b"QUIT\r\n") == b"205 Goodbye\r\n"


def test_what_it_has_is_what_readers_of_the_real_thing_understand() -> None:
    def block(command: bytes) -> list[bytes]:
        said = FakeNewsServer().received(1, command + b"\r\n")
        return GroupListReader().feed(said.partition(b"\r\n")[2].removesuffix(b".\r\n"))

    capabilities = read_capabilities(block(b"CAPABILITIES"))
    assert {"READER", "POST", "OVER", "HDR", "NEWNEWS"} <= capabilities.keys()
    assert capabilities["LIST"] == ("ACTIVE", "NEWSGROUPS", "OVERVIEW.FMT")
    fields = read_head(HEAD)
    assert sorted(fields) == ["date", "from", "message-id", "newsgroups", "subject"]  # RFC 5536 3.1, without Path
    assert read_date(fields["date"]) == 786240000.0
    first, second = map(read_overview, block(b"OVER 1-2"))
    assert first is not None
    assert second is not None
    assert [first[1], first[2], first[4]] == [fields[name].decode() for name in ("subject", "from", "message-id")]
    assert second[5] == first[4]  # the second one is the answer to the first
