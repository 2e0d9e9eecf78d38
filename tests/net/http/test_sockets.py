"""Sockets: what watches libcurl's connections, and what is known of those that it keeps."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from anyurl import Policy
from anyurl.net.http.libcurl import pycurl
from anyurl.net.http.sockets import Sockets, taken
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.loop import READ
from anyurl.net.loop.scheduler import Scheduler


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    scheduler = Scheduler(Policy.open(), handlers)
    yield scheduler
    scheduler.close()


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_a_connection_with_octets_that_nobody_asked_for_is_not_quiet(
    scheduler: Scheduler, pair: tuple[socket.socket, socket.socket]
) -> None:
    ours, theirs = pair
    sockets = Sockets(scheduler, lambda _fd, _events: None)
    sockets.know(4000, ours.fileno())
    assert sockets.is_quiet(4000)
    theirs.send(b"HTTP/1.1 200 OK\r\n")
    assert not sockets.is_quiet(4000)
    sockets.know(4000, -1)  # libcurl did not keep it: the port's next connection is another one
    assert sockets.is_quiet(4000)


def test_what_is_known_of_closed_connections_is_forgotten(
    scheduler: Scheduler, pair: tuple[socket.socket, socket.socket]
) -> None:
    """A descriptor is one connection's: whoever had it before is closed."""
    ours, theirs = pair
    sockets = Sockets(scheduler, lambda _fd, _events: None)
    for port in range(4000, 4100):
        sockets.know(port, ours.fileno())
    assert list(sockets._probes) == [4099]
    sockets.know(4099, theirs.fileno())  # the port's next connection has another descriptor
    sockets.know(5000, ours.fileno())
    assert sorted(sockets._probes) == [4099, 5000]
    ours.send(b"x")
    assert not sockets.is_quiet(4099)


def test_a_connection_that_became_idle_stays_watched_until_it_is_unparked(
    scheduler: Scheduler, pair: tuple[socket.socket, socket.socket]
) -> None:
    ours, theirs = pair
    heard: list[int] = []
    sockets = Sockets(scheduler, lambda fd, _events: heard.append(fd))
    sockets.on_socket(pycurl.POLL_IN, ours.fileno(), None, None)
    sockets.on_socket(pycurl.POLL_REMOVE, ours.fileno(), None, None)
    assert sockets.parked == {ours.fileno()}
    sockets.on_socket(pycurl.POLL_IN, ours.fileno(), None, None)  # used again
    assert sockets.parked == set()
    theirs.send(b"x")
    scheduler.loop.turn()
    assert heard == [ours.fileno()]
    sockets.on_socket(pycurl.POLL_REMOVE, ours.fileno(), None, None)
    sockets.unpark_all()
    assert sockets.parked == set()
    scheduler.loop.turn(0.0)
    assert heard == [ours.fileno()]


def test_what_interrupts_it_is_kept_aside(scheduler: Scheduler) -> None:
    sockets = Sockets(scheduler, lambda _fd, _events: None)
    sockets.on_socket(-5, 0, None, None)  # libcurl has no such number: libcurl would print the error and forget it
    assert isinstance(sockets.interruption, KeyError)


def test_a_connection_that_is_closed_tells_nothing() -> None:
    """libcurl may close the connection that it was about to use again, and ask once more on another one."""
    with socket.socket() as sock:
        descriptor = sock.fileno()
    assert taken(descriptor) is None


def test_a_descriptor_that_somebody_else_watches_by_now_stays_watched(
    scheduler: Scheduler, pair: tuple[socket.socket, socket.socket]
) -> None:
    """libcurl closes a connection without a word, and its number is the next one's that is opened."""
    ours, theirs = pair
    heard: list[int] = []
    sockets = Sockets(scheduler, lambda _fd, _events: None)
    sockets.on_socket(pycurl.POLL_IN, ours.fileno(), None, None)
    sockets.on_socket(pycurl.POLL_REMOVE, ours.fileno(), None, None)
    scheduler.loop.watch(ours.fileno(), READ, heard.append)
    sockets.unpark(ours.fileno())
    sockets.unpark(ours.fileno())  # what is not known is no matter either
    theirs.send(b"x")
    scheduler.loop.turn()
    assert len(heard) == 1
