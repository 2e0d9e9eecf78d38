"""A document piece by piece: how much is asked for, where it ends, and what becomes of a cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from anyurl.dialogue import Steps
from anyurl.errors import AnyURLError, ConnectionLost, NotFoundError, ReplyError, Truncated
from anyurl.schemes.wais.exchange import WaisSession
from anyurl.schemes.wais.fetch import LINES_AT_ONCE, MAX_SHORT_PIECES, SMALL_PIECE_BYTES, LinePieces, Pieces, is_there
from anyurl.schemes.wais.wire.queries import TermQuery
from anyurl.schemes.wais.wire.records import Diagnosis, SearchResponse, read_answer, search_response, text_record
from anyurl.url import URL
from tests.schemes.steps import Played

HERE = URL("wais://h/db/TEXT/1=x;")
BEYOND = Diagnosis("SF", b"Request out of range")
Answer = Callable[[TermQuery], "SearchResponse | AnyURLError | None"]


def answer(data: bytes | None, *diagnoses: Diagnosis) -> SearchResponse:
    records = [*([] if data is None else [text_record(b"id", data)]), *diagnoses]
    return read_answer(search_response(records, status=0, reference=None))


class Server(WaisSession):
    """A session whose replies are made by a function."""

    def __init__(self, made: Answer) -> None:
        super().__init__(HERE, HERE.parts)
        self.made = made
        self.asked: list[tuple[int, int]] = []
        self.dropped = self.negotiated = 0
        self.agreed: int | None = None

    def fetch(self, query: TermQuery) -> Steps[SearchResponse | None]:
        yield from ()
        self.asked.append((query.start, query.end))
        said = self.made(query)
        if isinstance(said, AnyURLError):
            raise said
        return said

    def negotiate(self) -> Steps[None]:
        yield from ()
        self.negotiated += 1
        self.size = self.agreed

    def drop(self) -> Steps[None]:
        yield from ()
        self.dropped += 1


def holding(data: bytes, at_once: int = 1 << 30) -> Answer:
    def made(query: TermQuery) -> SearchResponse:
        piece = data[query.start : min(query.end, query.start + at_once)]
        beyond = [BEYOND] if query.end > len(data) else []
        return answer(None if query.start > len(data) else piece, *beyond)

    return made


def whole(server: Server, length: int | None, start: int = 0) -> tuple[bytes, AnyURLError | None, Pieces]:
    pieces = Pieces(server, HERE, b"id", b"TEXT", length, start)
    parts: list[bytes] = []

    def steps() -> Steps[None]:
        while piece := (yield from pieces.next()):
            parts.append(piece)

    error = Played(steps()).error
    return b"".join(parts), error, pieces


@pytest.mark.parametrize("size", [0, 1, 9_999, 10_000, 10_001, 25_000])
@pytest.mark.parametrize("told", [True, False])
def test_documents_of_every_length(size: int, told: bool) -> None:
    data = bytes(at % 251 for at in range(size))
    got, error, pieces = whole(Server(holding(data)), size if told else None)
    assert (got, error, pieces.received, pieces.ended, pieces.cut_by) == (data, None, size, True, False)
    assert whole(Server(holding(data)), size if told else None, size // 2)[0] == data[size // 2 :]


def test_the_ranges_that_are_asked_for() -> None:
    server = Server(holding(b"x" * 25_000))
    whole(server, 25_000)
    assert server.asked == [(0, 10_000), (10_000, 20_000), (20_000, 25_000)]
    server = Server(holding(b"x" * 9, at_once=4))
    assert whole(server, 9)[0] == b"x" * 9
    assert server.asked == [(0, 9), (4, 8), (8, 9)]
    assert whole(Server(holding(b"x")), 5, 5)[2].ended


def test_a_length_that_is_too_long_and_pieces_that_get_smaller() -> None:
    got, error, pieces = whole(Server(holding(b"x" * 15_000)), 25_000)
    assert (len(got), error, pieces.cut_by) == (15_000, None, True)
    stops = Server(lambda query: answer(b"x" * 10_000 if query.start == 0 else b""))
    _, error, _ = whole(stops, 25_000)
    assert isinstance(error, Truncated)
    assert str(error).endswith("says 25,000 octets, but only 10,000 arrived.")
    shrinks = Server(lambda query: answer(b"x" * ((query.end - query.start) // 2)))
    _, error, _ = whole(shrinks, 1_000_000)
    assert str(error) == "h sends smaller and smaller pieces."
    assert len(shrinks.asked) == MAX_SHORT_PIECES + 1


@pytest.mark.parametrize(
    ("first", "error"),
    [
        (answer(None, BEYOND), NotFoundError), (answer(None), NotFoundError),
        (answer(None, Diagnosis("S3", b"no")), ReplyError),
    ],
)  # fmt: skip
def test_a_document_that_is_not_there(first: SearchResponse, error: type[AnyURLError]) -> None:
    assert type(whole(Server(lambda query: first), 5)[1]) is error
    assert type(Played(is_there(Server(lambda query: first), HERE, b"id", b"TEXT", 5)).error) is error
    assert Played(is_there(Server(holding(b"x" * 5)), HERE, b"id", b"TEXT", 5)).error is None


def run_of(said: Sequence[AnyURLError | None], length: int) -> tuple[bytes, AnyURLError | None, Server]:
    left = list(said)
    inner = holding(b"x" * length)
    server = Server(lambda query: (left.pop(0) or inner(query)) if left else inner(query))
    got, error, _ = whole(server, length)
    return got, error, server


LOST, CUT = ConnectionLost("lost"), Truncated("cut", received=1)


def test_a_cut_is_gone_on_from_once_for_each_piece() -> None:
    got, error, server = run_of([LOST], 12_000)
    assert (len(got), error, server.dropped) == (12_000, None, 1)
    assert server.asked == [(0, 10_000), (0, 5_000), (5_000, 10_000), (10_000, 12_000)]
    _, error, server = run_of([LOST, LOST], 12_000)
    assert (error, server.asked) == (LOST, [(0, 10_000), (0, 5_000)])
    _, error, server = run_of([LOST], SMALL_PIECE_BYTES)
    assert (error, server.dropped) == (LOST, 0)
    got, error, server = run_of([CUT, None, CUT], 12_000)
    assert (len(got), error, server.dropped) == (12_000, None, 2)
    _, error, _ = run_of([None, CUT, CUT], 12_000)
    assert isinstance(error, Truncated)
    assert str(error) == "h broke off after 10,000 octets of 12,000 of wais://h/db/TEXT/1=x;: cut"


def test_a_piece_that_does_not_fit() -> None:
    fits = holding(b"x" * 12_000)
    server = Server(lambda query: fits(query) if query.end - query.start <= 6_000 else None)
    assert (len(whole(server, 12_000)[0]), server.negotiated) == (12_000, 1)
    assert server.asked[:2] == [(0, 10_000), (0, 5_000)]
    server = Server(lambda query: fits(query) if query.end - query.start <= 6_000 else None)
    server.agreed = 6_000
    whole(server, 12_000)
    assert server.asked[:2] == [(0, 10_000), (0, 5_698)]  # less the id, of 2 octets, and 300
    assert type(whole(Server(lambda query: None), 12_000)[1]) is ReplyError
    long = Server(holding(b"x" * (1 << 20)))
    whole(long, 1 << 20)
    assert long.negotiated >= 1


def lines_of(server: Server, start: int, end: int | None) -> tuple[bytes, AnyURLError | None]:
    pieces = LinePieces(server, HERE, b"id", b"TEXT", (start, end))
    parts: list[bytes] = []

    def steps() -> Steps[None]:
        while piece := (yield from pieces.next()):
            parts.append(piece)

    error = Played(steps()).error
    return b"".join(parts), error


def test_lines() -> None:
    text = [b"%d\n" % at for at in range(250)]

    def made(query: TermQuery) -> SearchResponse:
        assert query.unit == "lines"
        return answer(b"".join(text[query.start : query.end]))

    assert lines_of(Server(made), 0, None) == (b"".join(text), None)
    assert lines_of(Server(made), 3, 5) == (b"3\n4\n", None)
    assert lines_of(Server(made), 5, 5) == (b"", None)
    server = Server(made)
    assert lines_of(server, 100, 300)[0] == b"".join(text[100:])
    assert server.asked == [(100, 100 + LINES_AT_ONCE), (200, 300)]
    server = Server(lambda query: made(query) if query.end - query.start <= 30 else None)
    assert lines_of(server, 0, 40)[0] == b"".join(text[:40])
    assert server.asked[:3] == [(0, 40), (0, 40), (0, 25)]
    assert type(lines_of(Server(lambda query: None), 0, None)[1]) is ReplyError
    assert lines_of(Server(lambda query: answer(None, BEYOND)), 9, None) == (b"", None)
    gone = Diagnosis("SF", b"Missing DocID")
    assert type(lines_of(Server(lambda query: answer(None, gone)), 9, None)[1]) is NotFoundError
