"""Many transfers from hosts in trouble, on a clock of their own: what is under way is checked at each request.

Rule: never more than `limit` in all and `per_host` at one host; `delay` between two requests to one host, whatever they
are; no request before a host's Retry-After is over; no more than its backlog holds to a host that answers one after the
other; and a URL that was never requested is deferred, and says why.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from email.utils import formatdate
from typing import Any

import pytest

from anyurl import AsyncClient, Client
from anyurl.batch.check.outcome import Finding, finding_of
from anyurl.batch.check.rests import StoredRests
from anyurl.batch.check.state import CheckState
from anyurl.client.mapper import Result
from anyurl.dialogue import Request, Response
from anyurl.errors import ConnectError, ConnectionLost
from anyurl.net.loop import loop as loops
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.loop.stream import PARKED
from anyurl.net.loop.task import Task
from anyurl.values import Scope
from tests.servers import PATIENCE, Connection, Server, reply

KINDS = (
    "ok", "slow", "capped", "resting", "alternates", "resets", "refuses", "hangs", "worn", "no-head", "moves",
    "moves-on", "flaky",
)  # fmt: skip
BACKLOG = 7
"""Requests that a server with `listen(5)` holds on Linux: the one that it answers, and one more than it said."""

RESTS = (None, 0, 1, 5, 20, 100, 300, 301, 3600, 10**8)
BENT = ("", "soon", "-5", "1.5", "5, 7", "Tomorrow, 1 Jan")
"""What no Retry-After is."""


class Clock:
    """A clock that jumps to where something happens."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


class Poller:
    """A selector that finds nothing ready, and whose waits take no time."""

    def __init__(self, clock: Clock, real: Any) -> None:
        self._clock = clock
        self.register, self.modify, self.unregister = real.register, real.modify, real.unregister
        self.fileno, self.close = real.fileno, real.close

    def poll(self, wait: float) -> list[tuple[int, int]]:
        self._clock.time += wait
        return []


class Open:
    """A request under way, counted until it is answered or given up."""

    def __init__(self, ended: Callable[[], None]) -> None:
        self._ended: Callable[[], None] | None = ended

    def close(self) -> None:
        if self._ended is not None:
            self._ended()
            self._ended = None


class Simulation:
    """Hosts that answer as their kind does, in place of libcurl.

    Attributes:
        running: Requests under way at each host.
        requested: How often each URL was requested.
        faults: What was broken; an assertion among the requests would be one more failed transfer.
    """

    def __init__(self, seed: int, clock: Clock, limit: int, per_host: int | None, delay: float) -> None:
        self.running: Counter[str] = Counter()
        self.requested: Counter[str] = Counter()
        self.faults: list[str] = []
        self.scheduler: Scheduler
        self._random = random.Random(seed)
        self._clock, self._limit, self._per_host, self._delay = clock, limit, per_host, delay
        self._begun_at: dict[str, float] = {}
        self._rests_until: dict[str, float] = {}
        self._busy_until: dict[str, float] = {}
        self._answered: Counter[str] = Counter()

    def urls(self, count: int, kinds: Sequence[str] = (*KINDS, "small")) -> list[str]:
        """URLs of these kinds of hosts: sometimes in any order, sometimes one host after the other."""
        hosts = [f"{self._random.choice(kinds)}{number}.test" for number in range(self._random.randint(1, 8))]
        urls = [f"http://{self._random.choice(hosts)}/{number}" for number in range(count)]
        return sorted(urls) if self._random.random() < 0.4 else urls

    def request(self, task: Task, ask: Request) -> Any:
        host = ask.url.host or ""
        now = self._clock()
        self.requested[ask.target.split("/")[1]] += 1
        self.running[host] += 1
        if self.running.total() > self._limit:
            self.faults.append(f"{self.running.total()} at once")
        if self._per_host is not None and self.running[host] > self._per_host:
            self.faults.append(f"{self.running[host]} at once at {host}")
        if now < self._begun_at.get(host, 0.0) + self._delay - 1e-6:
            self.faults.append(f"{ask.method} {now - self._begun_at[host]:.3f} s after the last one at {host}")
        if now < self._rests_until.get(host, 0.0) - 1e-6:
            self.faults.append(f"{ask.method} {self._rests_until[host] - now:.3f} s before the rest of {host} is over")
        if host.startswith("small") and self.running[host] > BACKLOG:
            self.faults.append(f"{self.running[host]} at once at {host}, which holds {BACKLOG}")
        self._begun_at[host] = now
        opened = Open(lambda: self._end(host))
        task.hold(opened)
        after, answer = self._answer(host, host.split(".")[0].rstrip("0123456789"), ask)
        if after is None:
            self.scheduler.clocks.awaits_peer(task)
        else:
            self.scheduler.loop.after(after, lambda: self._reply(task, host, opened, answer))
        return PARKED

    def _end(self, host: str) -> None:
        self.running[host] -= 1

    def _reply(self, task: Task, host: str, opened: Open, answer: Any) -> None:
        if task.stream.done:
            return
        opened.close()
        task.release(opened)
        if isinstance(answer, Exception):
            self.scheduler.resume(task, None, answer)  # type: ignore[arg-type]
            return
        task.parties.meet(host, Scope.PUBLIC)  # each has an address of its own
        if answer.rest is not None:
            self._rests_until[host] = max(self._rests_until.get(host, 0.0), self._clock() + answer.rest)
        self.scheduler.resume(task, answer, None)

    def _answer(self, host: str, kind: str, ask: Request) -> tuple[float | None, Any]:
        draw, number = self._random, int(ask.target.split("/")[1])
        if kind == "flaky":
            kind = draw.choice(KINDS[:-1])
        after = draw.uniform(0.001, 20.0 if kind == "slow" else 0.3)
        if kind == "small":
            self._busy_until[host] = max(self._clock(), self._busy_until.get(host, 0.0)) + 0.1
            return self._busy_until[host] - self._clock(), self._response(200)
        if (kind == "hangs" and number % 3 == 0) or (kind == "worn" and self._answered[host] > 10):
            return None, None
        self._answered[host] += 1
        if kind == "resets" and draw.random() < 0.9:
            return after, ConnectionLost(f"{host} closed the connection before it had answered.")
        if kind == "refuses":
            return after, ConnectError(f"{host} refused the connection.")
        if kind == "capped" and self.running[host] > 2:
            return after, self._response(draw.choice((429, 503)), draw.choice((None, 1, 5)))
        if kind == "resting" or (kind == "alternates" and self._answered[host] % 2):
            return after, self._response(draw.choice((429, 503)), draw.choice(RESTS))
        if kind == "no-head" and ask.method == "HEAD":
            return after, self._response(405)
        if kind.startswith("moves") and ask.target.count("/") < 4:
            there = host if kind == "moves" else f"ok{draw.randint(0, 2)}.test"
            return after, self._response(302, None, ("location", f"http://{there}{ask.target}/x"))
        return after, self._response(200)

    def _response(self, status: int, rest: int | None = None, *fields: tuple[str, str]) -> Response:
        headers = [("content-length", "0"), *fields]
        if rest is None:
            headers += self._random.choice(([], [("retry-after", self._random.choice(BENT))]))
        elif self._random.random() < 0.5:
            headers.append(("retry-after", str(rest)))
        else:
            headers += [("date", formatdate(0, usegmt=True)), ("retry-after", formatdate(rest, usegmt=True))]
        return Answer(status, "1.1", headers, Body(), rest)  # type: ignore[arg-type]


class Answer(Response):
    """A response that knows the seconds of rest that it asks for, however they are written."""

    def __init__(self, status: int, version: str, headers: list[tuple[str, str]], body: Any, rest: int | None) -> None:
        super().__init__(status, version, headers, body)
        self.rest = rest


class Body:
    """An empty body."""

    unmarked = False

    def receive(self, at_most: int) -> bytes:
        return b""

    def take_whole(self) -> bytes:
        return b""

    def close(self) -> None:
        pass


def attach(simulation: Simulation, scheduler: Scheduler, clock: Clock) -> None:
    simulation.scheduler = scheduler
    scheduler._handlers[Request].__self__._engine = Engine(simulation)  # type: ignore[attr-defined]
    scheduler.loop._poller = Poller(clock, scheduler.loop._poller)  # type: ignore[assignment]


class Engine:
    """As `CurlEngine` for the handlers."""

    def __init__(self, simulation: Simulation) -> None:
        self.request = simulation.request

    def close(self) -> None:
        pass


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(loops, "monotonic", made)
    return made


@pytest.mark.kernel("pure")  # the clock of what is compiled can't be replaced
@pytest.mark.parametrize("seed", range(60))
def test_the_limits_hold_whatever_the_hosts_do(clock: Clock, seed: int) -> None:
    draw = random.Random(seed)
    limit, per_host = draw.choice((1, 2, 5, 16, 64)), draw.choice((None, None, 1, 2, 4))
    delay, retries = draw.choice((0.0, 0.0, 0.5, 40.0)), draw.choice((0, 0, 3))
    simulation = Simulation(seed, clock, limit, per_host, delay)
    urls = simulation.urls(draw.choice((30, 200)) if delay < 1 else 20)
    found: dict[str, Finding] = {}
    with Client(timeout=draw.choice((5, 30)), per_host=per_host, delay=delay, retries=retries) as client:
        scheduler = client._scheduler()
        attach(simulation, scheduler, clock)
        for result in client.map(urls, limit, verb="stat"):
            assert result.url not in found
            found[str(result.url)] = finding_of(result)
        assert scheduler.manners is None or (scheduler.manners.waiting, scheduler.clocks.tasks) == (0, set())
    assert not simulation.faults
    assert set(found) == set(urls)
    assert simulation.running.total() == 0
    for url, finding in found.items():
        if not simulation.requested[url.rpartition("/")[2]]:
            assert finding.outcome == "deferred", (url, finding)
            assert finding.message


@pytest.mark.kernel("pure")
@pytest.mark.parametrize("seed", range(20))
def test_what_hosts_wish_outlives_clients_that_end_at_any_moment(clock: Clock, seed: int) -> None:
    draw = random.Random(seed)
    simulation = Simulation(seed, clock, 16, None, 0.0)
    left = dict.fromkeys(simulation.urls(100, ("resting", "alternates", "capped", "moves-on", "flaky")))
    state = CheckState(None, "w", resume=False, now=clock())
    while left:
        with Client(timeout=30, retries=draw.choice((0, 3)), rests=StoredRests(state, clock)) as client:
            attach(simulation, client._scheduler(), clock)
            for result in itertools.islice(client.map(list(left), 16, verb="stat"), draw.randint(1, 20)):
                del left[str(result.url)]
        clock.time += draw.choice((0.0, 1.0, 50.0))
    assert not simulation.faults
    state.close()


@pytest.mark.kernel("pure")
@pytest.mark.parametrize("seed", range(20))
def test_a_small_server_is_asked_for_no_more_than_it_holds(clock: Clock, seed: int) -> None:
    simulation = Simulation(seed, clock, 64, None, 0.0)
    urls = simulation.urls(300, ("small", "ok"))
    with Client() as client:
        attach(simulation, client._scheduler(), clock)
        assert all(result.error is None for result in client.map(urls, 64, verb="stat"))
    assert not simulation.faults


class Witness:
    """Real servers that count what is under way: one wants rest, two are well, one answers no HEAD.

    Attributes:
        peak: The most requests at once, in all and at each server.
        begun: When each request began, at each server.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now: Counter[str] = Counter()
        self.peak: Counter[str] = Counter()
        self.begun: dict[str, list[float]] = {}

    def server(self, name: str, *answer: str, status: str = "200 OK", head: str = "200 OK") -> Server:
        def play(connection: Connection) -> None:
            while request := connection.head():
                with self._lock:
                    self.begun.setdefault(name, []).append(time.monotonic())
                    for each in (name, "all"):
                        self._now[each] += 1
                        self.peak[each] = max(self.peak[each], self._now[each])
                time.sleep(0.02)
                with self._lock:
                    self._now.subtract((name, "all"))
                connection.send(reply(b"", *answer, status=head if request.startswith(b"HEAD") else status))

        return Server(play)


@pytest.mark.parametrize("way", ["Client", "AsyncClient"])
def test_real_servers_see_no_more_at_once_than_was_allowed(way: str) -> None:
    """Also while one of them wants rest, when what waited for it has timed out, and when its rest is over."""
    witness = Witness()
    with (
        witness.server("resting", "Retry-After: 1", status="429 No", head="429 No") as resting,
        witness.server("one") as one,
        witness.server("two", head="405 No") as two,
    ):
        wells = [f"http://{each.authority}/{number}" for number in range(60) for each in (one, two)]
        urls = [*(f"http://{resting.authority}/{number}" for number in range(60)), *wells]
        outcomes = Counter(finding_of(result).outcome for result in mapped(way, urls, 8, per_host=3, timeout=2))
    assert witness.peak["all"] <= 8
    assert max(witness.peak[name] for name in ("resting", "one", "two")) <= 3
    assert outcomes == {"ok": 120, "deferred": 60}


@pytest.mark.parametrize("way", ["Client", "AsyncClient"])
def test_a_get_after_a_head_that_is_not_answered_keeps_the_delay(way: str) -> None:
    witness, delay = Witness(), 0.1
    with witness.server("no-head", head="405 No") as server:
        urls = [f"http://{server.authority}/{number}" for number in range(5)]
        assert all(result.error is None for result in mapped(way, urls, 4, delay=delay))
    begun = witness.begun["no-head"]
    assert len(begun) == 10
    assert min(b - a for a, b in itertools.pairwise(begun)) > 0.8 * delay


@pytest.mark.parametrize("way", ["Client", "AsyncClient"])
def test_a_server_with_a_short_backlog_loses_no_connection(way: str) -> None:
    """It accepts one connection after the other, as Python's own servers do; a lost one is repeated after 1, 3, 7 s."""
    with socket.create_server(("127.0.0.1", 0), backlog=5) as listener:

        def play() -> None:
            with contextlib.suppress(OSError):  # closed
                while True:
                    accepted = listener.accept()[0]
                    with accepted:
                        time.sleep(0.01)
                        Connection(accepted, bytearray()).head()
                        accepted.sendall(reply(b"", "Connection: close"))

        thread = threading.Thread(target=play, daemon=True)
        thread.start()
        urls = [f"http://127.0.0.1:{listener.getsockname()[1]}/{number}" for number in range(64)]
        errors = [result.error for result in mapped(way, urls, 64, timeout=6)]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE)
    assert errors == [None] * 64


def mapped(way: str, urls: list[str], limit: int, **settings: Any) -> list[Result[Any]]:
    if way == "Client":
        with Client(**settings) as client:
            return list(client.map(urls, limit, verb="stat"))

    async def all_of_them() -> list[Result[Any]]:
        async with AsyncClient(**settings) as client:
            return [result async for result in client.map(urls, limit, verb="stat")]

    return asyncio.run(all_of_them())
