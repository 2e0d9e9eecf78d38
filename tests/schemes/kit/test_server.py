"""A server without I/O: what a conversation reads does not depend on the pieces, and it ends when its client goes."""

from __future__ import annotations

import pytest

from anyurl.schemes.kit.server import ANSWERS_AT_ONCE, OCTETS_AT_ONCE, Conversation, ServedClient, WireServer
from anyurl.testing import three_ways


class Echo(WireServer):
    """Says what it reads before each mark, in brackets, and at the end whether its client has gone."""

    def serve(self, client: ServedClient) -> Conversation[None]:
        client.send(b"hello ")
        while (found := (yield from client.until(b"//", 4))) is not None:
            client.send(b"[%d:%b]" % (client.link, found))
        client.send(b"gone" if client.gone else b"too much")


@pytest.mark.parametrize(
    ("sent", "said"),
    [(b"ab//", b"[%d:ab]"), (b"//a/b//", b"[%d:][%d:a/b]"), (b"abcd//abcde//", b"[%d:abcd]too much"), (b"a/", b"")],
)
def test_what_is_read_does_not_depend_on_the_pieces(sent: bytes, said: bytes) -> None:
    server = Echo()
    for link, pieces in enumerate(three_ways(sent), 7):
        assert server.connected(link) == b"hello "
        wanted = said.replace(b"%d", b"%d" % link)
        assert b"".join(server.received(link, piece) for piece in pieces) == wanted
        assert server.is_open(link) == (not wanted.endswith(b"too much"))
        assert server.received(link, b"") == (b"gone" if not wanted.endswith(b"too much") else b"")
        assert not server.is_open(link)


def test_octets_without_a_mark_are_not_collected_for_ever() -> None:
    server = Echo()
    server.connected(1)
    assert (server.received(1, b"abcd/"), server.received(1, b"e"), server.is_open(1)) == (b"", b"too much", False)
    assert server.received(1, b"more") == b""


def test_connections_do_not_mix() -> None:
    server = Echo()
    server.connected(1)
    server.connected(2)
    assert server.received(1, b"a/") + server.received(2, b"b//") + server.received(1, b"/") == b"[2:b][1:a]"


class Generous(WireServer):
    """Answers each octet with as many as asked for; it counts the answers."""

    def __init__(self, octets: int) -> None:
        super().__init__()
        self.answers = 0
        self._octets = octets

    def serve(self, client: ServedClient) -> Conversation[None]:
        while (yield from client.until(b"\n", 1)) is not None:
            self.answers += 1
            client.send(b"x" * self._octets)


@pytest.mark.parametrize(("octets", "at_once"), [(OCTETS_AT_ONCE // 4, 4), (1, ANSWERS_AT_ONCE)])
def test_of_many_commands_at_once_no_more_are_answered_than_can_be_sent(octets: int, at_once: int) -> None:
    """A few octets may ask for a thousand times as many, which their client need not read."""
    server = Generous(octets)
    server.begin(1)
    assert (server.step(1), server.step(1)) == (b"", None)
    server.feed(1, b"\n" * 10_000)
    assert server.answers == 0
    for turn in range(1, 4):
        answer = server.step(1)
        assert answer is not None
        assert (len(answer), server.answers) == (octets * at_once, turn * at_once)
    server.drop(1)
    assert (server.step(1), server.is_open(1), server.answers) == (None, False, 3 * at_once)
    server.drop(1)  # it may have closed by itself


def test_all_that_is_said_can_be_had_at_once() -> None:
    server = Generous(1000)
    server.connected(1)
    assert len(server.received(1, b"\n" * 1000)) == 1_000_000
    assert server.is_open(1)
