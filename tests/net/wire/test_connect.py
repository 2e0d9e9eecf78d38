"""Connections for other programs: to what was judged and nothing else, and in time."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import anyurl
from anyurl.errors import ConnectError, RefusedError, TransferTimeout
from anyurl.guard.limits import Limits
from anyurl.guard.policy import Policy
from anyurl.net.wire.channel import Connection
from anyurl.net.wire.connect import resolve
from anyurl.net.wire.open_connection import AsyncDialler
from anyurl.net.wire.tls import TLSConfig
from anyurl.values import Provenance, Scope
from tests.net.connecting import echo, unanswered
from tests.servers import Server, certificate, descriptors, left_open, unheard

Names = Callable[..., list[str]]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    """Gives a name its addresses, and notes each look-up of the system."""
    asked: list[str] = []
    known: dict[str, Sequence[str]] = {}

    def getaddrinfo(given: str | bytes, port: Any, *_rest: Any, **_more: Any) -> list[tuple[Any, ...]]:
        host = given.decode("ascii") if isinstance(given, bytes) else given
        asked.append(host)
        if host not in known:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [
            (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port or 0))
            for each in known[host]
        ]

    def give(**given: Sequence[str]) -> list[str]:
        known.update(given)
        return asked

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return give


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(echo) as server:
        yield server


def dial(way: str, host: str, port: int, **how: Any) -> bytes:
    """Connect, say ping and hear it again."""
    how = {"scheme": "http", "policy": Policy.default(), **how}
    if way == "socket":
        with anyurl.connect(host, port, **how) as sock:
            assert sock.gettimeout() is None
            sock.sendall(b"ping")
            return sock.recv(100)

    async def main() -> bytes:
        if way == "dialler":
            return await dial_by_dialler(host, port, **how)
        reader, writer = await anyurl.open_connection(host, port, **how)
        writer.write(b"ping")
        answer = await reader.read(100)
        writer.close()
        await writer.wait_closed()
        return answer

    return asyncio.run(main())


async def dial_by_dialler(host: str, port: int, *, scheme: str, policy: Policy, timeout: float | None = None) -> bytes:
    # It has no clock but the policy's.
    seconds = min(policy.limits.connect, policy.limits.connect if timeout is None else timeout)
    dialler = AsyncDialler(policy.replace(limits=Limits(connect=seconds)))
    try:
        with await dialler.dial(host, port, scheme=scheme) as sock:
            assert sock.gettimeout() == 0
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(sock, b"ping")
            return await loop.sock_recv(sock, 100)
    finally:
        dialler.retire()


EVERY_WAY = pytest.mark.parametrize("way", ["socket", "streams", "dialler"])

WAYS = pytest.mark.parametrize("way", ["socket", "streams"])


@EVERY_WAY
def test_it_connects_to_an_address(way: str, server: Server, names: Names) -> None:
    asked = names()
    assert dial(way, server.host, server.port) == b"ping"
    assert asked == []


@EVERY_WAY
def test_a_name_is_looked_up_once(way: str, server: Server, names: Names) -> None:
    asked = names(h=["127.0.0.1"])
    assert dial(way, "h", server.port) == b"ping"
    assert asked == ["h"]


@EVERY_WAY
def test_the_next_address_is_tried(way: str, server: Server, names: Names) -> None:
    names(h=["127.0.0.2", "127.0.0.1"])
    assert dial(way, "h", server.port) == b"ping"


@pytest.mark.promise("refused-means-unsent")
@WAYS
@pytest.mark.parametrize(
    ("host", "port", "policy", "came_from", "code"),
    [
        ("h", 80, Policy.untrusted(), "user", "address-private"),
        ("mixed", 80, Policy.untrusted(), "user", "address-private"),
        ("127.0.0.1", 80, Policy.untrusted(), "user", "address-private"),
        ("localhost", 80, Policy.untrusted(), "user", "host-local"),
        ("127.1", 80, Policy.default(), "user", "host-unclear"),
        ("h", 6379, Policy.default(), "user", "port-service"),
        ("h", 80, Policy.default(), "redirect", "address-hop"),
        ("h", 80, Policy.default().replace(deny_hosts=["h"]), "user", "host-denied"),
    ],
)
def test_what_is_refused_is_not_connected_to(
    way: str, names: Names, host: str, port: int, policy: Policy, came_from: str, code: str
) -> None:
    names(h=["127.0.0.1"], mixed=["93.184.216.34", "10.0.0.1"])
    origin = anyurl.Provenance("user") if came_from == "user" else Provenance("redirect", scope=Scope.PUBLIC)
    with pytest.raises(RefusedError) as caught:
        dial(way, host, port, policy=policy, came_from=origin)
    assert caught.value.verdict is not None
    assert caught.value.verdict.code == code


@EVERY_WAY
def test_a_name_without_an_address(way: str, names: Names) -> None:
    names()
    with pytest.raises(ConnectError, match="'nobody' has no address"):
        dial(way, "nobody", 80)


@EVERY_WAY
def test_nobody_listens(way: str) -> None:
    with unheard() as port, pytest.raises(ConnectError, match="refused"):
        dial(way, "127.0.0.1", port)


@EVERY_WAY
def test_nobody_answers(way: str) -> None:
    with unanswered() as (host, port), pytest.raises(TransferTimeout, match=r"took longer than 0\.1 seconds"):
        dial(way, host, port, timeout=0.1)


@EVERY_WAY
def test_the_policys_clock_counts_too(way: str) -> None:
    policy = Policy.default().replace(limits=Limits(connect=0.1))
    with unanswered() as (host, port), pytest.raises(TransferTimeout, match=r"took longer than 0\.1 seconds"):
        dial(way, host, port, policy=policy, timeout=60)


@WAYS
def test_a_look_up_that_hangs_is_left_alone(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def hang(*_given: Any, **_more: Any) -> list[Any]:
        over.wait(10)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    try:
        with pytest.raises(TransferTimeout):
            dial(way, "h", 80, timeout=0.1)
        with pytest.raises(TransferTimeout):
            resolve("h", 80, scheme="http", policy=Policy.default(), timeout=0.1)
    finally:
        over.set()


@WAYS
def test_the_callers_own_end(way: str, server: Server) -> None:
    assert dial(way, server.host, server.port, local_address=("127.0.0.3", 0)) == b"ping"
    with pytest.raises(ConnectError):
        dial(way, server.host, server.port, local_address=("192.0.2.1", 0))


def test_the_callers_options_are_set(server: Server) -> None:
    option = (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    how: dict[str, Any] = {"scheme": "http", "policy": Policy.default(), "socket_options": [option]}
    with anyurl.connect(server.host, server.port, **how) as sock:
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) != 0


def test_tls_verifies_the_name_that_was_asked_for(tmp_path: Path, names: Names) -> None:
    names(**{"good.test": ["127.0.0.1"], "bad.test": ["127.0.0.1"]})
    with certificate(tmp_path, "good.test") as (context, authority), Server(echo, context=context) as server:
        tls = TLSConfig(str(authority)).context()
        assert dial("streams", "good.test", server.port, tls=tls) == b"ping"
        assert dial("streams", "bad.test", server.port, tls=tls, server_hostname="good.test") == b"ping"
        with pytest.raises(OSError, match="certificate verify failed"):
            dial("streams", "bad.test", server.port, tls=tls)


def test_resolve_gives_the_judged_addresses(names: Names) -> None:
    names(two=["93.184.216.34", "151.101.1.69"], mixed=["93.184.216.34", "10.0.0.1"])
    how: dict[str, Any] = {"scheme": "http", "policy": Policy.untrusted()}
    assert list(resolve("two", 80, **how)) == ["93.184.216.34", "151.101.1.69"]
    assert list(resolve("8.8.8.8", 80, **how)) == ["8.8.8.8"]
    for host in ("mixed", "127.0.0.1"):
        with pytest.raises(RefusedError):
            resolve(host, 80, **how)


@EVERY_WAY
def test_nothing_is_left(way: str, names: Names, server: Server) -> None:
    names(h=["127.0.0.1"], mixed=["93.184.216.34", "10.0.0.1"])
    dial(way, "h", server.port)
    before = descriptors()
    for host in ("h", "mixed", "nobody", "127.0.0.1"):
        try:
            dial(way, host, server.port, policy=Policy.untrusted() if host == "mixed" else Policy.default())
        except anyurl.AnyURLError:
            pass
    assert left_open(before) <= 0


async def connect_and_cancel(host: str, port: int) -> None:
    task = asyncio.ensure_future(anyurl.open_connection(host, port, scheme="http", policy=Policy.default()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_one_that_is_cancelled_leaves_nothing() -> None:
    with unanswered() as (host, port):
        before = descriptors()
        asyncio.run(connect_and_cancel(host, port))
        assert left_open(before) <= 0


def test_a_dialler_whose_caller_is_cancelled_leaves_nothing(server: Server) -> None:
    """Before it begins, while it connects, and when it is connected and nobody has heard."""

    async def main(host: str, port: int, turns: int) -> None:
        dialler = AsyncDialler(Policy.default())
        task = asyncio.ensure_future(dialler.dial(host, port, scheme="http"))
        for _ in range(turns):
            await asyncio.sleep(0)
        if not task.cancel():
            task.result().close()
        dialler.retire()
        await asyncio.wait([task])

    with unanswered() as (host, port):
        before = descriptors()
        for turns in range(6):
            asyncio.run(main(host, port, turns))
            asyncio.run(main("127.0.0.1", server.port, turns))
        assert left_open(before) <= 0


def test_a_dialler_asks_once_and_connects_to_what_it_judged(names: Names, server: Server) -> None:
    """Rebinding: a name whose next answer is private is still what it was judged as, or it is judged anew."""
    policy = Policy.default().replace(deny_nets=["127.0.0.2"])
    asked = names(h=["127.0.0.1"])

    async def main() -> None:
        dialler = AsyncDialler(policy)
        (await dialler.dial("h", server.port, scheme="http")).close()
        names(h=["127.0.0.2"])
        with await dialler.dial("h", server.port, scheme="http") as sock:
            assert sock.getpeername()[0] == "127.0.0.1"
        assert asked == ["h"]
        with pytest.raises(RefusedError):
            await dialler.dial("127.0.0.2", server.port, scheme="http")
        dialler.retire()
        fresh = AsyncDialler(policy)
        with pytest.raises(RefusedError):
            await fresh.dial("h", server.port, scheme="http")
        fresh.retire()

    asyncio.run(main())


def test_a_dialler_that_is_retired_finishes_what_is_under_way(server: Server) -> None:
    async def main() -> None:
        dialler = AsyncDialler(Policy.default())
        task = asyncio.ensure_future(dialler.dial("127.0.0.1", server.port, scheme="http"))
        await asyncio.sleep(0)
        dialler.retire()
        (await task).close()

    before = descriptors()
    asyncio.run(main())
    assert left_open(before) <= 0


class Handed:
    """An attempt that ends as it is told to."""

    def __init__(self, begin: Callable[[], object]) -> None:
        self.start, self.closed = begin, False

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("order", ["made, then cancelled", "cancelled, then made", "refused, then cancelled"])
def test_a_connection_that_nobody_takes_any_more_is_closed(order: str) -> None:
    """Also where both happen in one turn of the event loop: nobody else has the connection."""
    near, far = socket.socketpair()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        dialler = AsyncDialler(Policy.open())
        made: list[Handed] = []

        def attempt(_endpoint: object, _scheme: str, _origin: object, then: Callable[[object], None]) -> Handed:
            result = ConnectError("No.") if order.startswith("refused") else Connection(near, ("h", 1), ("h", 1))
            steps = [lambda: then(result), dialling.cancel]
            if order.startswith("cancelled"):
                steps.reverse()
            made.append(Handed(lambda: [loop.call_soon(step) for step in steps]))
            return made[0]

        dialler._dialler.attempt = attempt  # type: ignore[assignment,method-assign]
        dialling = asyncio.create_task(dialler.dial("h", 1, scheme="http"))
        with pytest.raises(asyncio.CancelledError):
            await dialling
        assert made[0].closed
        dialler.retire()

    with near, far:
        asyncio.run(main())
        assert (near.fileno() == -1) == (not order.startswith("refused"))
