"""The scheduler: what it learns of the errors that transfers end with, and what it makes for it."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from anyurl import URL, Client, Policy
from anyurl.dialogue import Connect, Describe, Dialogue, Emit, Keep, Monotonic, Receive
from anyurl.errors import AnyURLError, TransferTimeout, UnavailableError
from anyurl.guard.limits import Limits
from anyurl.net.loop.connection_limit import ConnectionLimit
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.loop.stream import Stream
from anyurl.url.cut import COMPILED
from tests.net.connecting import echo
from tests.servers import Server, answers, reply, unheard


@pytest.mark.parametrize(
    ("status", "learned"),
    [("200 OK", False), ("404 Not Found", False), ("401 Unauthorized", False), ("503 Service Unavailable", True)],
)
def test_manners_are_made_for_who_refuses_and_for_nobody_else(status: str, learned: bool) -> None:
    with Server(answers(reply(b"x", status=status))) as server, Client(retries=0) as client:
        try:
            client.get(f"http://{server.authority}/").read()
        except AnyURLError as error:
            assert status[:3] != "200", error
        assert (client._scheduler().manners is not None) == learned


def test_who_is_not_there_has_refused() -> None:
    with unheard() as port, Client(retries=0) as client:
        for scheme in ("http", "gopher"):
            with pytest.raises(ConnectionError):
                client.get(f"{scheme}://127.0.0.1:{port}/").read()
        assert client._scheduler().manners is not None


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    scheduler = Scheduler(Policy.open(), handlers)
    yield scheduler
    scheduler.close()


def waiting(server: Server, ended: list[int], **how: Any) -> Callable[[], Dialogue]:
    """A dialogue that waits for what never comes, and says which thread ended it."""

    def dialogue() -> Dialogue:
        try:
            channel = yield from Connect(server.host, server.port)
            yield from Receive(channel, **how)
        finally:
            ended.append(threading.get_ident())
        return None

    return dialogue


@pytest.mark.parametrize("within", [None, 20.0])
def test_octets_that_are_no_content_yet_extend_the_patience_and_no_wait_that_has_a_limit(
    scheduler: Scheduler, within: float | None
) -> None:
    """As a part of a record of TLS does: the socket was ready, and there is nothing to hand on."""
    idle = scheduler.policy.limits.idle
    with Server(echo) as server:
        stream = scheduler.start(Parties(URL("x-test://h/")), waiting(server, [], within=within))
        (task,) = scheduler.clocks.tasks
        while task.connection is None:
            scheduler.loop.turn()
        until, connection = task.timing.waits_until, task.connection
        assert until is not None
        scheduler.loop._away -= 5  # five seconds go by
        scheduler._ready(task, connection, 0)
        assert task.timing.waits_until == until  # a silent peer wins nothing
        connection.received += 10**9
        scheduler._ready(task, connection, 0)
        assert task.connection is connection
        later = until if within is not None else scheduler.loop.now() + idle
        assert task.timing.waits_until == pytest.approx(later, abs=1)
        stream.close()


@pytest.mark.parametrize(
    ("within", "silent", "early"),
    [(0.4, 1.0, True), (0.4, 9.0, True), (0.4, 9.9, False), (20.0, 1.0, False), (None, 1.0, False)],
)
def test_a_timeout_tells_the_wait_of_an_ask_from_the_patience_of_the_policy(
    within: float | None, silent: float, early: bool
) -> None:
    """A trickle that is read for a moment each time has used the patience up."""
    scheduler = Scheduler(Policy.open().replace(limits=Limits(idle=10)), handlers)
    errors: list[TransferTimeout] = []

    def dialogue() -> Dialogue:
        channel = yield from Connect(server.host, server.port)
        for seconds in (5.0, within):
            try:
                yield from Receive(channel, within=seconds)
            except TransferTimeout as error:
                errors.append(error)
        return None

    with Server(echo) as server:
        scheduler.start(Parties(URL("x-test://h/")), dialogue)
        (task,) = scheduler.clocks.tasks
        while task.connection is None:
            scheduler.loop.turn()
        scheduler.loop._away -= silent
        scheduler._over(task, TransferTimeout(""))
        while task.connection is None:
            scheduler.loop.turn()
        scheduler.loop._away -= 100
        while len(errors) < 2:
            scheduler.loop.turn()
    scheduler.close()
    assert errors[1].early == early


def test_a_task_that_is_forgotten_ends_where_it_runs_and_when_it_may(scheduler: Scheduler) -> None:
    """A consumer is collected at any moment: in another thread, while the loop is at work, within its own dialogue."""
    here = threading.get_ident()
    with Server(echo) as server:
        for way in ("at once", "elsewhere", "at work"):
            ended: list[int] = []
            stream = scheduler.start(Parties(URL("x-test://h/")), waiting(server, ended))
            (task,) = scheduler.clocks.tasks
            while task.connection is None:
                scheduler.loop.turn()
            descriptor = task.connection.fd
            assert descriptor in scheduler.loop._callbacks
            if way == "elsewhere":
                thread = threading.Thread(target=stream.abandon)
                thread.start()
                thread.join()
            elif way == "at work":
                scheduler.loop.enter()
                stream.abandon()
                scheduler.loop.leave()
            else:
                stream.abandon()
            assert (ended, stream.done) == (([here], True) if way == "at once" else ([], False)), way
            scheduler.loop.turn(0)
            assert (ended, stream.done) == ([here], True)
            assert descriptor not in scheduler.loop._callbacks  # its number is that of the next socket


def test_a_task_that_is_forgotten_within_its_own_step_ends_after_it(scheduler: Scheduler) -> None:
    steps: list[str] = []

    def dialogue() -> Dialogue:
        steps.append("begun")
        (task,) = scheduler.clocks.tasks
        task.stream.abandon()
        steps.append("forgotten")
        yield from Emit(b"x" * 10**6)
        yield from Emit(b"y")
        return None

    stream = scheduler.start(Parties(URL("x-test://h/")), dialogue)
    scheduler.loop.turn(0)
    assert (steps, stream.done, list(stream.outbox)) == (["begun", "forgotten"], True, [])


@pytest.mark.parametrize("consumer", ["raises", "closes", "shares"])
def test_all_is_closed_once_whatever_a_consumer_does_on_the_way(consumer: str) -> None:
    """It is told of the end of its transfer: it raises an error, or closes the client; or what is shared raises one."""
    limit = ConnectionLimit(10)
    told = []

    def notify() -> None:
        told.append(scheduler.loop.closed)
        if scheduler.loop.closing and consumer == "raises":
            raise ZeroDivisionError
        if scheduler.loop.closing and consumer == "closes":
            scheduler.close()

    class Shared:
        def close(self) -> None:
            raise ZeroDivisionError

    def dialogue() -> Dialogue:
        yield from Emit(b"x" * 10**6)
        yield from Emit(b"y")
        return None

    scheduler = Scheduler(Policy.open(), handlers, connections=limit)
    other = Scheduler(Policy.open(), handlers, connections=limit)
    streams = [scheduler.start(Parties(URL("x-test://h/")), dialogue, notify=notify) for _ in range(3)]
    if consumer == "shares":
        scheduler.shared.append(Shared())
    with pytest.raises(ZeroDivisionError) if consumer != "closes" else nullcontext():
        scheduler.close()
    scheduler.close()
    assert [stream.done for stream in streams] == [True] * 3
    assert (scheduler.loop.closed, limit.schedulers) == (True, 1)
    other.close()
    assert limit.schedulers == 0


class Consumer:
    """As a `Resource` that somebody has forgotten: only the collector finds it."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.itself = self

    def __del__(self) -> None:
        self.stream.abandon()


@contextmanager
def collected_again_and_again(consumers: list[Consumer]) -> Iterator[None]:
    """The collector comes after each few steps of what walks over tasks and turns, and finds one consumer each time."""
    steps = count(1)

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        code = frame.f_code
        if Path(code.co_filename).parent.name != "loop" or code.co_name not in WALKS:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and next(steps) % 7 == 0 and consumers:
            consumers.pop()
            gc.collect()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


WALKS = ("learn", "read_of_held", "_look_round", "<listcomp>", "<setcomp>", "<genexpr>")


def unread() -> Dialogue:
    """What its consumer has not read yet."""
    yield from Describe("document")
    return None


def refused() -> Dialogue:
    """What the host refuses."""
    yield from Monotonic()
    raise UnavailableError("Too many connections.", code=421, meaning="connections")


@pytest.mark.parametrize("what", ["the first refusal", "the second refusal", "a full host", "the clocks"])
def test_the_collector_ends_nothing_in_the_midst_of_the_work(what: str) -> None:
    """What is walked over would change on the way: an abandoned transfer gives its turn and its clocks back."""
    scheduler = Scheduler(Policy.open().replace(limits=Limits(total=60)), handlers)
    parties = Parties(URL("gopher://h/"))
    scheduler.start(parties, unread)
    scheduler.loop._away -= 40  # which goes by
    consumers = [Consumer(scheduler.start(parties, unread)) for _ in range(40)]
    streams = [consumer.stream for consumer in consumers]
    if what in ("the second refusal", "a full host"):
        scheduler.start(parties, refused)
        scheduler.loop._away -= 5  # after which others may begin
    with collected_again_and_again(consumers):
        if what == "the clocks":
            scheduler.loop._away -= 30
            scheduler.loop.turn(0)
        else:
            is_full = what == "a full host"
            scheduler.start(parties, unread if is_full else refused, patient=is_full)
    assert len(consumers) < 40 or (COMPILED and what == "the clocks")  # whose steps nothing traces
    scheduler.loop.turn(0)
    assert sum(stream.done for stream in streams) == 40 - len(consumers)
    scheduler.close()


def test_a_child_process_forgets_nothing_of_its_parent(scheduler: Scheduler) -> None:
    ended: list[int] = []
    with Server(echo) as server:
        stream = scheduler.start(Parties(URL("x-test://h/")), waiting(server, ended))
        scheduler.process += 1
        stream.abandon()
        stream.close()
        assert (ended, stream.done) == ([], False)
        scheduler.process = os.getpid()
        stream.close()
        assert (ended, stream.done) == ([threading.get_ident()], True)


def test_a_task_that_ends_while_its_clock_stands_still_tells_the_time_that_is_left() -> None:
    """A retry goes on with it: it would else have no end at all."""
    scheduler = Scheduler(Policy.open().replace(limits=Limits(total=60.0)), handlers)
    with Server(echo) as server:
        stream = scheduler.start(Parties(URL("x-test://h/")), waiting(server, []))
        (task,) = scheduler.clocks.tasks
        scheduler.clocks.hold(task)  # as while it waits for its turn at a host
        scheduler.end(task, TransferTimeout("It was too slow.", clock="idle"))
        assert stream.deadline is not None
        assert 0.0 < stream.deadline - scheduler.loop.now() <= 60.0
        scheduler.close()


def test_way_that_one_of_several_connections_made_is_told(scheduler: Scheduler) -> None:
    """An idle connection of another session took the place: the transfer is tried again, whoever allows no retry."""
    with Server(echo) as server:
        parties = Parties(URL(f"gopher://{server.authority}/"))

        def keeps() -> Dialogue:
            yield from Keep((yield from Connect(server.host, server.port, session="one")), "one")
            return None

        def is_refused() -> Dialogue:
            for _ in range(2):
                yield from Connect(server.host, server.port, session="another")
            raise UnavailableError("Too many connections.", code=421)

        first = scheduler.start(parties, keeps)
        while not first.done:
            scheduler.loop.turn()
        second = scheduler.start(parties, is_refused)
        while not second.done:
            scheduler.loop.turn()
        assert isinstance(second.error, UnavailableError)
        assert second.way_made
