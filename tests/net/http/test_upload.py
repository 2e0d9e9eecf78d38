"""Upload: the caller's source is read outside of libcurl, and its failure belongs to its own request."""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Iterator

import pytest

from anyurl import Client, Policy
from anyurl.errors import AnyURLError, ConnectionLost, LocalFileError, TransferTimeout
from anyurl.net.http.libcurl import pycurl
from anyurl.net.http.upload import Upload
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.scheduler import Scheduler
from tests.net.loop.tasks import task as new_task
from tests.servers import Connection, Server, reply


class Given:
    """A source of pieces; what is an error is raised."""

    def __init__(self, *pieces: bytes | Exception, size: int | None = None) -> None:
        self._pieces = list(pieces)
        self.size = size

    def read(self, _at_most: int, /) -> bytes:
        piece = self._pieces.pop(0) if self._pieces else b""
        if isinstance(piece, Exception):
            raise piece
        return piece


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    scheduler = Scheduler(Policy.open(), handlers)
    yield scheduler
    scheduler.close()


def upload(scheduler: Scheduler, source: Given | None, told: list[AnyURLError | None]) -> Upload:
    return Upload(scheduler, new_task("http://h/", source=source), source, told.append, pycurl.Curl())


def test_libcurl_waits_while_the_source_is_read(scheduler: Scheduler) -> None:
    told: list[AnyURLError | None] = []
    made = upload(scheduler, Given(b"abc"), told)
    assert made.read(2) == pycurl.READFUNC_PAUSE
    assert made.read(2) == pycurl.READFUNC_PAUSE  # it is read once, however often libcurl asks
    scheduler.loop.turn()
    assert [made.read(2), made.read(2)] == [b"ab", b"c"]
    assert made.read(2) == pycurl.READFUNC_PAUSE
    scheduler.loop.turn()
    assert made.read(2) == b""
    assert told == [None, None]


def test_of_a_source_of_known_size_the_next_piece_is_read_ahead(scheduler: Scheduler) -> None:
    told: list[AnyURLError | None] = []
    made = upload(scheduler, Given(b"abc", b"d", b"e", OSError("torn"), size=9), told)
    assert made.read(3) == pycurl.READFUNC_PAUSE
    for piece in (b"abc", b"d", b"e"):
        scheduler.loop.turn()
        assert made.read(3) == piece
    assert told == [None]  # libcurl was paused once
    scheduler.loop.turn()
    assert isinstance(told[1], LocalFileError)


def test_nothing_is_read_after_the_size(scheduler: Scheduler) -> None:
    """libcurl never asks for it, and an error there would take the place of what the server says."""
    told: list[AnyURLError | None] = []
    source = Again([b"abc", b"d", OSError("torn")], size=4)
    made = upload(scheduler, source, told)
    for _ in range(2):
        assert made.read(3) == pycurl.READFUNC_PAUSE
        for piece in (b"abc", b"d"):
            scheduler.loop.turn()
            assert made.read(3) == piece
        scheduler.loop.turn()
        assert made.rewind()  # the octets are counted anew
    assert told == [None, None]


def test_what_is_read_ahead_is_read_again_after_a_rewind(scheduler: Scheduler) -> None:
    made = upload(scheduler, Again([b"abc", b"d"], size=4), [])
    made.read(3)
    scheduler.loop.turn()
    assert made.read(3) == b"abc"  # another piece is asked for
    assert made.rewind()
    assert made.read(3) == pycurl.READFUNC_PAUSE  # and the first one again
    scheduler.loop.turn()
    assert made.read(3) == b"abc"
    scheduler.loop.turn()
    assert made.read(3) == b"d"


@pytest.mark.parametrize(("source", "size"), [(None, 0), (Given(), -1), (Given(size=7), 7)])
def test_how_much_comes_as_libcurl_writes_it(scheduler: Scheduler, source: Given | None, size: int) -> None:
    assert upload(scheduler, source, []).size == size


def test_no_source_is_an_empty_body(scheduler: Scheduler) -> None:
    assert upload(scheduler, None, []).read(10) == b""


def test_what_the_source_raises_is_told_as_ours(scheduler: Scheduler) -> None:
    told: list[AnyURLError | None] = []
    made = upload(scheduler, Given(OSError("torn")), told)
    made.read(1)
    scheduler.loop.turn()
    assert isinstance(told[0], LocalFileError)


def test_a_request_that_is_over_hears_no_more_of_its_source(scheduler: Scheduler) -> None:
    """The handle serves the next request by then, which must not end with this one's error."""
    told: list[AnyURLError | None] = []

    class Closing(Given):
        def read(self, _at_most: int, /) -> bytes:
            made.close()
            raise OSError("torn")

    made = upload(scheduler, Closing(), told)
    made.read(1)
    scheduler.loop.turn()
    assert told == []


class Again(Given):
    """A source that can be read again; what is an error is raised then."""

    can_rewind = True

    def __init__(
        self, pieces: list[bytes | Exception], error: Exception | None = None, size: int | None = None
    ) -> None:
        super().__init__(*pieces, size=size)
        self._all, self._error = list(pieces), error

    def rewind(self) -> None:
        if self._error is not None:
            raise self._error
        self._pieces = list(self._all)


def test_what_can_be_sent_again_is_sent_again_from_its_beginning(scheduler: Scheduler) -> None:
    def read(made: Upload) -> bytes:
        got = b""
        while (piece := made.read(2)) != b"":
            if isinstance(piece, bytes):
                got += piece
            else:
                scheduler.loop.turn()
        return got

    made = upload(scheduler, Again([b"abc", b"d"]), [])
    assert (read(made), made.rewind(), read(made), made.rewind()) == (b"abcd", True, b"abcd", True)
    assert upload(scheduler, None, []).rewind()  # nothing is sent
    made.close()
    assert made.rewind()  # the request is over


def test_what_can_t_be_sent_again_is_not(scheduler: Scheduler) -> None:
    once = Again([b"abc"])
    once.can_rewind = False
    assert not upload(scheduler, once, []).rewind()
    assert not upload(scheduler, Again([b"abc"], LocalFileError("It is gone.")), []).rewind()


def test_a_large_upload_is_read_in_large_pieces() -> None:
    """Each piece costs a pause of libcurl and a turn of the loop."""

    class Counting(io.BytesIO):
        reads = 0

        def read(self, size: int | None = -1, /) -> bytes:
            self.reads += 1
            return super().read(size)

    content = bytes(range(256)) * 4096
    source = Counting(content)

    def serve(connection: Connection) -> None:
        head = connection.head()
        assert b"content-length: 1048576" in head.lower()
        assert connection.take(len(content)) == content
        connection.send(reply(status="201 Made"))

    with Server(serve) as server, Client(Policy.open()) as client:
        client.put(f"http://{server.authority}/x", source)
    assert source.reads <= 6


def test_a_content_that_can_t_be_read_again_is_not_sent_on_a_new_connection() -> None:
    """Two kept connections break, one after the other: libcurl repeats on the second one, and we on a new one."""
    asked: list[bytes] = []

    class Torn(io.BytesIO):
        rewound = 0

        def seek(self, offset: int, whence: int = 0, /) -> int:
            self.rewound += bool(asked)
            if self.rewound > 1:
                raise OSError("torn")
            return super().seek(offset, whence)

    def serve(connection: Connection) -> None:
        while head := connection.head():
            if head.startswith(b"PUT"):
                asked.append(connection.take(1000))
                return
            connection.send(reply(b"x" * 500_000))

    with Server(serve) as server, Client(Policy.open()) as client:
        url = f"http://{server.authority}/x"
        for kept in [client.open(url), client.open(url)]:
            assert len(kept.read()) == 500_000
        with pytest.raises(ConnectionLost, match="can't be read once more"):
            client.put(url, Torn(b"x" * 1000))
    assert asked == [b"x" * 1000]


def test_a_source_that_fails_while_the_peer_takes_nothing_is_told_at_once() -> None:
    """It is read ahead: when it fails, libcurl may wait for the peer, and asks for nothing more."""

    class Counting(io.BytesIO):
        reads, bad = 0, 0

        def read(self, size: int | None = -1, /) -> bytes:
            self.reads += 1
            if self.reads == self.bad:
                raise OSError("torn")
            return super().read(size)

    def serve(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        over.wait(20)

    content, over = bytes(20_000_000), threading.Event()
    policy = Policy.open().replace(limits={"idle": 0.3})
    with Server(serve) as server, contextlib.ExitStack() as end:
        end.callback(over.set)
        url = f"http://{server.authority}/x"
        source = Counting(content)
        with Client(policy) as client, pytest.raises(TransferTimeout):
            client.put(url, source)
        last = source.reads
        source = Counting(content)
        source.bad = last
        with Client(policy) as client, pytest.raises(LocalFileError, match="torn"):
            client.put(url, source)
