"""A body as it arrives: what is handed out, what is held, and how it ends."""

from __future__ import annotations

import gzip
import random

import pytest

from anyurl.errors import ConnectionLost, LocalProtocolError, Truncated
from anyurl.guard.limits import Limits
from anyurl.net.http.body import SMALL_OCTETS, Body


class Rig:
    """A body, and what it asked of libcurl."""

    def __init__(self, *later: bytes) -> None:
        self.said: list[str] = []
        self.later = list(later)
        self.body = Body(self.go_on, lambda: self.said.append("give up"), Limits())

    def go_on(self) -> None:
        self.said.append("go on")
        self.body.paused = False
        for piece in self.later:
            self.came(piece)
        self.later.clear()

    def came(self, piece: bytes) -> None:
        self.body.chunks.append(piece)
        self.body.buffered += len(piece)
        self.body.received += len(piece)


@pytest.mark.parametrize("coding", ["", "gzip"])
def test_what_came_is_handed_out_once_in_its_order(coding: str) -> None:
    chance = random.Random(coding)
    content = bytes(chance.randrange(256) for _ in range(20_000))
    octets = gzip.compress(content, mtime=0) if coding else content
    rig, got, tapped = Rig(), b"", b""
    body = rig.body
    body.codings = [coding] if coding else []

    def tap(piece: bytes) -> None:
        nonlocal tapped
        tapped += piece

    body.tap = tap if coding else None
    while octets or not body.finished:
        if octets and chance.random() < 0.6:
            size = chance.randrange(1, 900)
            rig.came(octets[:size])
            octets = octets[size:]
        elif not octets:
            body.end(None)
        piece = body.receive(chance.randrange(1, 700)) if chance.random() < 0.7 else b""
        got += piece or b""
        assert body.buffered == sum(map(len, body.chunks))
        assert body.moved == body.received
    while piece := body.receive(700):
        got += piece
    assert piece == b""
    assert got == content
    assert not coding or gzip.decompress(tapped) == content
    assert body.receive(9) == b""  # at its end it stays
    assert rig.said == []


def test_several_large_pieces_are_handed_out_as_they_are() -> None:
    rig = Rig()
    for pieces in ([], [bytes(SMALL_OCTETS)], [bytes(SMALL_OCTETS), bytes(SMALL_OCTETS - 1)]):
        for piece in pieces:
            rig.came(piece)
        assert rig.body.take_pieces(10 * SMALL_OCTETS) is None
        assert rig.body.buffered == sum(map(len, pieces))
        while rig.body.receive(1 << 20):
            pass
    rig.came(bytes(SMALL_OCTETS))
    rig.came(bytes(SMALL_OCTETS))
    rig.body.codings = ["gzip"]
    assert rig.body.take_pieces(10 * SMALL_OCTETS) is None
    rig.body.codings = []
    assert rig.body.take_pieces(10 * SMALL_OCTETS) == [bytes(SMALL_OCTETS)] * 2
    assert (rig.body.chunks, rig.body.buffered) == ([], 0)


def test_pieces_are_handed_out_up_to_as_many_octets_as_are_wanted() -> None:
    rig = Rig()
    for _ in range(5):
        rig.came(bytes(SMALL_OCTETS))
    assert rig.body.take_pieces(SMALL_OCTETS - 1) is None
    assert rig.body.take_pieces(3 * SMALL_OCTETS - 1) == [bytes(SMALL_OCTETS)] * 2
    assert rig.body.buffered == 3 * SMALL_OCTETS
    assert rig.body.receive(9) == bytes(9)
    assert rig.body.buffered == 3 * SMALL_OCTETS - 9  # what is put back counts: it decides when libcurl pauses


@pytest.mark.parametrize(
    ("reason", "pieces", "ended", "error", "coding", "whole"),
    [
        ("all is here", [b"abc"], True, None, "", b"abc"),
        ("more may come", [b"abc"], False, None, "", None),
        ("it has failed", [b"abc"], True, Truncated("x."), "", None),
        ("it is coded", [b"abc"], True, None, "gzip", None),
        ("it is in two", [b"a", b"bc"], True, None, "", None),
        ("nothing came", [], True, None, "", None),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_the_whole_is_there_in_one_or_not(
    reason: str, pieces: list[bytes], ended: bool, error: Truncated | None, coding: str, whole: bytes | None
) -> None:
    rig = Rig()
    for piece in pieces:
        rig.came(piece)
    rig.body.codings = [coding] if coding else []
    if ended:
        rig.body.end(error)
    assert rig.body.is_here() == (whole is not None)
    assert rig.body.take_whole() == whole
    assert rig.body.buffered == (0 if whole else 3 if pieces else 0)


def test_libcurl_goes_on_where_all_was_read_and_not_before() -> None:
    rig = Rig(b"more")
    rig.came(b"some")
    rig.body.paused = True
    assert (rig.body.receive(9), rig.said) == (b"some", [])
    assert (rig.body.receive(9), rig.said) == (b"more", ["go on"])  # what came at once is there at once
    assert (rig.body.receive(9), rig.said) == (None, ["go on"])


def test_after_its_end_nobody_is_told_to_go_on() -> None:
    rig = Rig(b"more")
    rig.body.paused = True
    rig.body.end(ConnectionLost("Lost."))
    with pytest.raises(ConnectionLost):
        rig.body.receive(9)
    assert rig.said == []


def test_what_broke_off_is_handed_out_before_the_error() -> None:
    rig = Rig()
    rig.came(b"abc")
    rig.body.end(Truncated("x."))
    assert rig.body.receive(2) == b"ab"
    assert rig.body.receive(2) == b"c"
    for _ in range(2):
        with pytest.raises(Truncated):
            rig.body.receive(2)


def test_coded_octets_that_break_off_are_an_error() -> None:
    rig = Rig()
    rig.body.codings = ["gzip"]
    rig.came(gzip.compress(b"abc")[:-3])
    rig.body.end(None)
    assert rig.body.receive(9) == b"abc"
    with pytest.raises(Truncated):
        rig.body.receive(9)


def test_one_that_is_closed_is_given_up_once_and_is_not_whole() -> None:
    rig = Rig()
    rig.came(b"abc")
    rig.body.waiter = lambda: None
    rig.body.close()
    rig.body.close()
    assert rig.said == ["give up"]
    assert rig.body.waiter is None
    with pytest.raises(LocalProtocolError, match="closed before its end"):
        rig.body.receive(9)
    ended = Rig()
    ended.body.end(None)
    ended.body.close()
    assert ended.said == []
