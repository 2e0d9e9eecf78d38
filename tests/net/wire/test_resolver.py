"""Look-ups: names that hang cost the others nothing, clocks begin with the look-up, what nobody wants is forgotten."""

from __future__ import annotations

import errno
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from anyurl import Client, Policy
from anyurl.errors import AnyURLError, ConnectError, RefusedError, TransferTimeout
from anyurl.guard.limits import Limits
from anyurl.net.loop.loop import Loop
from anyurl.net.wire import resolver
from anyurl.net.wire.connector import Network
from anyurl.net.wire.resolver import CACHE_SECONDS, LOOK_UPS_AT_ONCE, LookUpResult, Resolver, look_up, read_addresses
from tests.servers import WAIT_SECONDS, Connection, Server, reply

ADDRESS = "127.0.0.1"


class Names:
    """A look-up that answers at once, but for names that begin with ``hangs``: those answer when they are let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.asked: list[str] = []

    def look_up(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        if host.startswith("hangs"):
            self.let_go.wait(60)
        if host.startswith("nobody"):
            raise ConnectError(f"The host name {host!r} has no address.")
        return [ADDRESS]


@pytest.fixture
def names() -> Iterator[Names]:
    found = Names()
    yield found
    found.let_go.set()


@pytest.fixture(autouse=True)
def slow_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the time, so that the tests take one too."""
    monkeypatch.setattr(resolver, "SLOW_SECONDS", resolver.SLOW_SECONDS / 10)


@pytest.fixture
def loop() -> Iterator[Loop]:
    found = Loop()
    yield found
    found.close()


@pytest.fixture
def resolving(loop: Loop, names: Names) -> Iterator[Resolver]:
    found = Resolver(names.look_up, loop.wake, loop.after)
    loop.on_wake = found.collect
    yield found
    names.let_go.set()
    found.close()


def turn_until(loop: Loop, done: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_SECONDS  # what does not happen never does
    while not done():
        assert time.monotonic() < end, "it did not happen"
        loop.turn(0.1)


@pytest.mark.parametrize(
    ("error", "number"),
    [
        (TimeoutError("no answer"), socket.EAI_FAIL),
        (RuntimeError("down"), socket.EAI_FAIL),
        (OSError(errno.ENOENT, "no file"), socket.EAI_FAIL),  # a number of the system's, and no look-up's
        (UnicodeEncodeError("idna", "h", 0, 1, "label too long"), socket.EAI_NONAME),
        (ConnectError("No.", stage="look-up"), None),  # an answer
    ],
)
def test_a_look_up_of_the_callers_that_fails_says_nothing_of_the_name(
    loop: Loop, error: Exception, number: int | None
) -> None:
    def fails(_host: str) -> Sequence[str]:
        raise error

    answers: list[LookUpResult] = []
    own = Resolver(fails, loop.wake, loop.after)
    loop.on_wake = own.collect
    own.ask("h", answers.append)
    turn_until(loop, lambda: bool(answers))
    assert isinstance(answers[0], ConnectError)
    assert answers[0].errno == number
    own.close()


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (socket.EAI_NONAME, "The host name 'h' has no address: the name is not known."),
        (socket.EAI_AGAIN, "The host name 'h' could not be looked up: the name servers don't answer."),
        (socket.EAI_FAIL, "The host name 'h' could not be looked up: the name servers failed."),
        (socket.EAI_MEMORY, "The host name 'h' could not be looked up: out of memory."),
    ],
)
def test_a_name_that_nobody_was_asked_for_is_not_called_unknown(
    loop: Loop, monkeypatch: pytest.MonkeyPatch, number: int, text: str
) -> None:
    def fails(*_arguments: object, **_named: object) -> object:
        raise socket.gaierror(number, "out of memory")

    monkeypatch.setattr(socket, "getaddrinfo", fails)
    ours = Resolver(resolver.look_up, loop.wake, loop.after)
    own = Resolver(lambda _host: fails(), loop.wake, loop.after)  # type: ignore[arg-type, return-value]
    answers: list[LookUpResult] = []
    for one in (ours, own):
        loop.on_wake = one.collect
        one.ask("h", answers.append)
        turn_until(loop, lambda: bool(answers))
        error = answers.pop()
        assert isinstance(error, ConnectError)
        assert (str(error), error.stage, error.errno) == (text, "look-up", number)
        one.close()


def test_a_thousand_names_that_hang_don_t_hold_up_a_hundred_that_don_t(loop: Loop, resolving: Resolver) -> None:
    answers: list[LookUpResult] = []
    for number in range(1000):
        resolving.ask(f"hangs{number}.example", answers.append)
    for number in range(100):
        resolving.ask(f"good{number}.example", answers.append)
    turn_until(loop, lambda: len(answers) == 100)
    assert answers == [[ADDRESS]] * 100


def test_names_that_hang_and_come_first_and_last_don_t_either(loop: Loop, resolving: Resolver) -> None:
    answers: list[LookUpResult] = []
    for number in range(32):
        resolving.ask(f"hangs{number}.example", answers.append)
    resolving.ask("good.example", answers.append)
    for number in range(32, 64):
        resolving.ask(f"hangs{number}.example", answers.append)
    turn_until(loop, lambda: answers == [[ADDRESS]])


def test_threads_are_bounded_and_one_name_has_one(
    loop: Loop, names: Names, resolving: Resolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolver, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(resolving, "_most", LOOK_UPS_AT_ONCE + 4)
    answers: list[LookUpResult] = []
    for number in range(60):
        resolving.ask(f"hangs{number % 30}.example", answers.append)
        loop.turn(0.0)
    turn_until(loop, lambda: len(names.asked) == LOOK_UPS_AT_ONCE + 4)
    assert sum(thread.name == "anyurl look-up" for thread in threading.enumerate()) <= LOOK_UPS_AT_ONCE + 4
    names.let_go.set()
    turn_until(loop, lambda: len(answers) == 60)
    assert sorted(names.asked) == sorted({f"hangs{number}.example" for number in range(30)})


def test_the_newest_and_the_oldest_name_come_by_turns(
    loop: Loop, names: Names, resolving: Resolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever end those that hang stand at, the others come at half the pace."""
    monkeypatch.setattr(resolving, "_most", 1)
    answers: list[LookUpResult] = []
    for name in ("hangs", "a", "b", "c", "d", "e"):
        resolving.ask(name, answers.append)
    names.let_go.set()
    turn_until(loop, lambda: len(answers) == 6)
    assert names.asked == ["hangs", "e", "a", "d", "b", "c"]


def test_threads_that_are_not_needed_any_more_end(loop: Loop, names: Names, resolving: Resolver) -> None:
    answers: list[LookUpResult] = []
    for number in range(3 * LOOK_UPS_AT_ONCE):
        resolving.ask(f"hangs{number}.example", answers.append)
    turn_until(loop, lambda: len(names.asked) == 3 * LOOK_UPS_AT_ONCE)
    names.let_go.set()
    turn_until(loop, lambda: len(answers) == 3 * LOOK_UPS_AT_ONCE)
    assert resolving._threads <= LOOK_UPS_AT_ONCE


def test_what_nobody_waits_for_any_more_is_not_looked_up(
    loop: Loop, names: Names, resolving: Resolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolver, "SLOW_SECONDS", 60.0)
    answers: list[LookUpResult] = []
    for number in range(LOOK_UPS_AT_ONCE):
        resolving.ask(f"hangs{number}.example", answers.append)
    forgotten = [resolving.ask("forgotten.example", answers.append) for _ in range(2)]
    kept = [resolving.ask("kept.example", answers.append) for _ in range(2)]
    forgotten[0].close()
    forgotten[1].close()
    forgotten[1].close()
    kept[0].close()
    monkeypatch.setattr(resolver, "SLOW_SECONDS", 0.0)
    resolving.ask("last.example", answers.append)
    turn_until(loop, lambda: len(answers) == 2)
    assert answers == [[ADDRESS]] * 2
    assert sorted(name for name in names.asked if not name.startswith("hangs")) == ["kept.example", "last.example"]


def test_the_clock_of_a_look_up_begins_with_it(resolving: Resolver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolver, "SLOW_SECONDS", 1.0)
    monkeypatch.setattr(resolver, "SLOW_SECONDS", 60.0)
    began: list[str] = []
    questions = [
        resolving.ask(name, lambda _answer: None, lambda name=name: began.append(name))  # type: ignore[misc]
        for name in [f"hangs{number}.example" for number in range(LOOK_UPS_AT_ONCE + 1)]
    ]
    assert len(began) == LOOK_UPS_AT_ONCE
    assert [question.begun for question in questions] == [True] * LOOK_UPS_AT_ONCE + [False]
    monkeypatch.setattr(resolver, "SLOW_SECONDS", 0.0)
    resolving.ask("last.example", lambda _answer: None)
    assert len(began) == LOOK_UPS_AT_ONCE + 1
    joins = resolving.ask("hangs0.example", lambda _answer: None, lambda: began.append("joined"))
    assert joins.begun
    assert began[-1] == "joined"


@pytest.mark.parametrize("scheme", ["http", "gopher"])
def test_100_of_100_good_urls_beside_64_names_that_hang(scheme: str, names: Names) -> None:
    def part(connection: Connection) -> None:
        if scheme == "gopher":
            connection.line()
            connection.send(b"ok")
            return
        while connection.head():
            connection.send(reply(b"ok"))

    with Server(part) as server:
        network = Network(names.look_up, lambda endpoint: (ADDRESS, server.port))
        policy = Policy.open().replace(limits=Limits(connect=1.5))
        hanging = [f"{scheme}://hangs{number}.example/0x" for number in range(64)]
        good = [f"{scheme}://good{number}.example/0x" for number in range(100)]
        mixed = [url for pair in zip(hanging, good, strict=False) for url in pair] + good[64:]
        with Client(policy=policy, network=network) as client:
            came: list[str] = []
            failed: list[AnyURLError] = []
            for result in client.map(mixed, limit=164):
                if result.resource is None:
                    assert result.error is not None
                    failed.append(result.error)
                else:
                    came.append(str(result.url))
                    assert result.resource.read() == b"ok"
    assert sorted(came) == sorted(good)
    assert {type(error) for error in failed} == {TransferTimeout}
    assert {error.stage for error in failed if isinstance(error, TransferTimeout)} == {"look-up"}
    assert len(failed) == 64


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "fe80::1%1"])
def test_an_address_of_a_link_keeps_its_zone_and_no_other_has_one(address: str) -> None:
    assert list(look_up(address)) == [address]


def test_an_answer_is_kept_for_a_while(loop: Loop, names: Names, resolving: Resolver) -> None:
    answers: list[object] = []
    assert resolving.cached("good.example") is None
    resolving.ask("good.example", answers.append)
    turn_until(loop, lambda: len(answers) == 1)
    assert resolving.cached("good.example") == answers[0]
    until, answer = resolving._cache["good.example"]
    assert 0 < until - time.monotonic() <= CACHE_SECONDS
    resolving._cache["good.example"] = (time.monotonic() - 1, answer)
    assert resolving.cached("good.example") is None


def test_a_name_that_hangs_keeps_no_program_from_ending(resolving: Resolver) -> None:
    before = set(threading.enumerate())
    resolving.ask("hangs.example", int, int)
    made = set(threading.enumerate()) - before
    assert [thread.daemon for thread in made] == [True]


def test_addresses_are_named_as_for_curl() -> None:
    given = ["h.example:443:192.0.2.7", "H.Example:80:[2001:db8::1],192.0.2.8", "b\u00fccher.example:21:::1"]
    assert read_addresses(given) == {
        ("h.example", 443): ("192.0.2.7",),
        ("h.example", 80): ("2001:db8::1", "192.0.2.8"),
        ("xn--bcher-kva.example", 21): ("::1",),
    }


@pytest.mark.parametrize(
    "entry",
    ["", "h", "h:80", "h:80:", "h:x:192.0.2.7", "h:0:192.0.2.7", "h:70000:192.0.2.7", "h:80:other.example",
     "h:80:127.1", "h:80:192.0.2.7,", "u@h:80:192.0.2.7", "*:80:192.0.2.7"],
)  # fmt: skip
def test_an_address_that_is_none_is_an_error(entry: str) -> None:
    with pytest.raises(ValueError, match=r"is not HOST:PORT:ADDRESS; example\.org:443:192.0.2.7 would be"):
        read_addresses([entry])


def test_a_host_with_an_address_of_its_own_is_not_looked_up_and_is_judged() -> None:
    with Server(lambda connection: connection.send(reply(b"hello"))) as server:
        entry, url = f"h.example:{server.port}:{ADDRESS}", f"http://h.example:{server.port}/"
        with Client(resolve=[entry]) as client:
            assert client.get(url).read() == b"hello"
        with Client(Policy.untrusted(), resolve=[entry]) as client, pytest.raises(RefusedError, match="Loopback"):
            client.get(url)


def test_a_network_has_its_own_addresses() -> None:
    with pytest.raises(ValueError, match="a network has its own addresses"):
        Client(network=Network(), resolve=["h:80:127.0.0.1"])
