"""The world's news server, asked by sockets alone: what other clients see of it."""

from __future__ import annotations

import contextlib
import socket
import zlib
from collections.abc import Iterator

import pytest

from anyurl.world import news, tree
from anyurl.world.listener import HOST, SchemeListener


@pytest.fixture
def server() -> Iterator[SchemeListener]:
    with contextlib.closing(news.start()) as server:
        yield server


def ask(server: SchemeListener, *lines: bytes) -> list[bytes]:
    """What is said from the greeting to the good-bye, line by line."""
    with socket.create_connection((HOST, server.port), 10) as sock:
        sock.sendall(b"".join(line + b"\r\n" for line in (*lines, b"QUIT")))
        reply = b""
        while data := sock.recv(65536):
            reply += data
    first, *rest, last = reply.removesuffix(b"\r\n").split(b"\r\n")
    assert first == b"200 anyurl world, posting allowed"
    assert last == b"205 Goodbye"
    return rest


WELCOME = b"<welcome@world.example>"

COMMANDS = [
    ("a mode that it has anyway", [b"MODE READER"], [b"200 anyurl world, posting allowed"]),
    ("a group", [b"GROUP world.notes"], [b"211 2 1 2 world.notes"]),
    ("the numbers of a group", [b"LISTGROUP world.notes", b"STAT"],
     [b"211 2 1 2 world.notes", b"1", b"2", b".", b"223 1 <notes@world.example>"]),
    ("numbers of the selected group", [b"LISTGROUP", b"GROUP world.notes", b"LISTGROUP", b"LISTGROUP world.notes 2-"],
     [b"412 No group is selected", b"211 2 1 2 world.notes", b"211 2 1 2 world.notes", b"1", b"2", b".",
      b"211 2 1 2 world.notes", b"2", b"."]),
    ("numbers of no group, and none", [b"LISTGROUP nope", b"LISTGROUP world.notes 7"],
     [b"411 There is no such group", b"211 2 1 2 world.notes", b"."]),
    ("no group", [b"GROUP nope"], [b"411 There is no such group"]),
    ("verbs in any case", [b"stat " + WELCOME], [b"223 0 " + WELCOME]),
    ("what it does not know", [b"XGTITLE *"], [b"500 What?"]),
    ("too few arguments", [b"GROUP"], [b"501 Not with these arguments"]),
    ("numbers that are none", [b"GROUP world.notes", b"OVER x-y"],
     [b"211 2 1 2 world.notes", b"501 Not with these arguments"]),
    ("an article that is not here", [b"ARTICLE <x@y>"], [b"430 There is no such article"]),
    ("a number without a group", [b"ARTICLE 1"], [b"412 No group is selected"]),
    (
        "the current article moves",
        [b"GROUP world.notes", b"STAT", b"NEXT", b"NEXT", b"LAST", b"LAST"],
        [
            b"211 2 1 2 world.notes", b"223 1 <notes@world.example>", b"223 2 <greetings@world.example>",
            b"421 There is no next article", b"223 1 <notes@world.example>", b"422 There is no previous article",
        ],
    ),
    ("a lone dot in an article is doubled", [b"BODY " + WELCOME],
     [b"222 0 " + WELCOME, b"This is a small world.", b"..", b"It has news.", b"."]),
    ("wildmats", [b"LIST NEWSGROUPS world.*,!*notes"],
     [b"215 Descriptions", b"world.announce\tWhat is new in the world", b"world.pictures\tPictures of waves", b"."]),
    ("what may be posted to", [b"LIST ACTIVE world.a*"], [b"215 Groups", b"world.announce 1 1 n", b"."]),
    ("what is new", [b"NEWNEWS world.* 19941220 003000 GMT"],
     [b"230 New articles", b"<greetings@world.example>", b"."]),
    ("headers of a range", [b"GROUP world.notes", b"HDR subject 1-"],
     [b"211 2 1 2 world.notes", b"225 Fields", b"1 Notes", b"2 Re: =?utf-8?q?Gr=C3=BC=C3=9Fe?=", b"."]),
    ("an overview", [b"GROUP world.notes", b"XOVER 2"],
     [b"211 2 1 2 world.notes", b"224 Overview",
      (b"2\tRe: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\tNobody <nobody@world.example>\tTue, 20 Dec 1994 01:00:00 GMT\t"
       b"<greetings@world.example>\t<notes@world.example>\t396\t4"), b"."]),
    ("an empty range", [b"GROUP world.notes", b"OVER 7-9"],
     [b"211 2 1 2 world.notes", b"423 There are no articles in that range"]),
    ("posting wants a login", [b"POST"], [b"480 Who are you?"]),
    ("a wrong password", [b"AUTHINFO USER guest", b"AUTHINFO PASS x"],
     [b"381 And the password?", b"481 That is not it"]),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "reply"), [row[1:] for row in COMMANDS], ids=[row[0] for row in COMMANDS])
def test_rfc_3977(server: SchemeListener, lines: list[bytes], reply: list[bytes]) -> None:
    assert ask(server, *lines) == reply


LOGIN = (b"AUTHINFO USER " + tree.USER.encode(), b"AUTHINFO PASS " + tree.PASSWORD.encode())


def test_posting(server: SchemeListener) -> None:
    article = [b"From: me@example.org", b"Newsgroups: world.notes, elsewhere", b"Subject: hello", b"", b"..dot", b"."]
    said = ask(server, *LOGIN, b"POST", *article, b"GROUP world.notes", b"BODY 3")
    assert said[1:4] == [b"281 Welcome", b"340 Send it", b"240 <5@world.example>"]
    assert said[4:] == [b"211 3 1 3 world.notes", b"222 3 <5@world.example>", b"..dot", b"."]
    for bad, why in (
        ([b"Subject: x", b"", b"."], b"441 it lacks From, Subject or Message-ID"),
        ([b"From: x", b"Subject: x", b"Newsgroups: nope", b"", b"."], b"441 none of its groups is here"),
        ([b"From: x", b"Subject: x", b"Newsgroups: world.notes", b"Message-ID: " + WELCOME, b"", b"."],
         b"441 it is here already"),
    ):  # fmt: skip
        assert ask(server, *LOGIN, b"POST", *bad)[-1] == why


def test_compression(server: SchemeListener) -> None:
    out, back = zlib.compressobj(wbits=-15), zlib.decompressobj(-15)
    with socket.create_connection((HOST, server.port), 10) as sock:
        sock.sendall(b"COMPRESS DEFLATE\r\n")
        reply = b""
        while reply.count(b"\n") < 2:
            reply += sock.recv(65536)
        assert reply.endswith(b"206 Compressed from here on\r\n")
        sock.sendall(out.compress(b"LIST\r\nQUIT\r\n") + out.flush(zlib.Z_SYNC_FLUSH))
        reply = b""
        while data := sock.recv(65536):
            reply += back.decompress(data)
    assert reply.startswith(b"215 Groups\r\nworld.announce 1 1 n\r\n")
    assert reply.endswith(b".\r\n205 Goodbye\r\n")


def test_the_content_is_the_same_at_every_start() -> None:
    assert news.articles() == news.articles()
    assert [len(articles) for articles in news.Shelf(news.GROUPS, news.articles()).articles.values()] == [1, 2, 1]
