"""What only the caller can answer, and an answer that is awaited; consent itself is in `client/test_consent.py`."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import anyurl
from anyurl import URL, AsyncClient, Client, Policy
from anyurl.dialogue import AskSecret, Dialogue, Secret
from anyurl.errors import RefusedError, TransferTimeout
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.prompts import NOT_KEPT
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.scheduler import Scheduler
from anyurl.values import STRANGER, USER, Provenance
from tests.client.test_consent import ACTS, FILLED, QUESTIONS, server, settings
from tests.servers import Connection, Server

__all__ = ["server"]


@pytest.mark.parametrize("answer", [True, False, None, "no", 1, asyncio.CancelledError()], ids=repr)
@pytest.mark.parametrize("act", ACTS)
def test_the_asynchronous_client_awaits_the_answer(server: Server, act: str, answer: Any) -> None:
    """And only True is a yes."""
    heard: list[str] = []

    async def ask(question: str) -> Any:
        heard.append(question)
        await asyncio.sleep(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def test() -> None:
        async with AsyncClient(**settings(server), ask_consent=ask) as client:
            with pytest.raises((TypeError, anyurl.errors.AnyURLError)) as caught:
                await ACTS[act](client, server)
            assert isinstance(caught.value, TypeError) == (answer == "no" or type(answer) is int)
            assert isinstance(caught.value, RefusedError) == (
                answer in (False, None) or isinstance(answer, BaseException)
            )

    asyncio.run(test())
    assert QUESTIONS[act] in heard[0]
    assert bool(server.received) == (answer is True)


def test_the_clock_goes_on_when_they_have_answered() -> None:
    async def ask(question: str) -> bool:
        await asyncio.sleep(0)
        return True

    async def test(server: Server) -> None:
        async with AsyncClient(**settings(server), ask_consent=ask, timeout=0.3) as client:
            with pytest.raises(TransferTimeout):
                await asyncio.wait_for(ACTS["a form"](client, server), 5)

    with Server(Connection.wait_for_close) as silent:
        asyncio.run(test(silent))


def test_a_person_takes_their_time(server: Server) -> None:
    """The clock of the whole transfer stands still, and the event loop does not."""

    async def ask(question: str) -> bool:
        await asyncio.sleep(0.5)
        return True

    async def test() -> None:
        async with AsyncClient(**settings(server), ask_consent=ask, timeout=0.4) as client:
            beside = asyncio.create_task(asyncio.sleep(0.1))
            with pytest.raises(anyurl.errors.AnyURLError):
                await ACTS["mail"](client, server)
            assert beside.done()

    asyncio.run(test())
    assert server.received


def test_a_map_awaits_the_answer(server: Server) -> None:
    async def yes(question: str) -> bool:
        await asyncio.sleep(0)
        return True

    async def test() -> None:
        async with AsyncClient(**settings(server), ask_consent=yes) as client:
            (result,) = [one async for one in client.map([f"gopher://{server.authority}/{FILLED}"])]
            assert not isinstance(result.error, RefusedError)

    asyncio.run(test())
    assert server.received


@pytest.mark.parametrize("end", ["cancel", "close"])
def test_who_asks_in_vain_is_told_so(server: Server, end: str) -> None:
    """A call that is cancelled, or whose client is closed, wants no answer any more."""
    left: list[str] = []

    async def test() -> None:
        asked = asyncio.Event()

        async def ask(question: str) -> bool:
            asked.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                left.append(question)
                raise
            return True

        client = AsyncClient(**settings(server), ask_consent=ask)
        call = asyncio.create_task(ACTS["mail"](client, server))
        await asked.wait()
        if end == "cancel":
            call.cancel()
        else:
            await client.close()
        with pytest.raises((asyncio.CancelledError, anyurl.errors.ConnectionLost)):
            await call
        await asyncio.sleep(0)
        await client.close()

    asyncio.run(test())
    assert len(left) == 1
    assert not server.received


def test_what_the_function_raises_comes_out(server: Server) -> None:
    async def ask(question: str) -> bool:
        raise LookupError(question)

    async def test() -> None:
        async with AsyncClient(**settings(server), ask_consent=ask) as client:
            with pytest.raises(LookupError, match="you@example"):
                await ACTS["mail"](client, server)

    asyncio.run(test())
    assert not server.received


def test_a_secret_is_awaited_too() -> None:
    """And one that is none is told, whoever asks."""

    def login(connection: Connection) -> None:
        connection.send(b"220 ready\r\n")
        while line := connection.line():
            connection.send({b"USER": b"331 more\r\n", b"PASS": b"530 no\r\n"}.get(line[:4], b"500 what\r\n"))

    async def find(host: str, user: str, kind: str) -> Secret:
        await asyncio.sleep(0)
        return Secret("a-word")

    async def test() -> None:
        async with AsyncClient(Policy.open(), ask_secret=find) as client:
            with pytest.raises(anyurl.errors.AnyURLError):
                await client.get(f"ftp://me@{server.authority}/x")

    with Server(login) as server:
        asyncio.run(test())
        assert b"PASS a-word\r\n" in bytes(server.received[0])
        with Client(Policy.open(), ask_secret=find) as client, pytest.raises(TypeError, match="Secret or None"):
            client.get(f"ftp://me@{server.authority}/x")


@pytest.mark.parametrize(
    ("named_by", "netrc", "asked", "kept", "noted"),
    [
        (USER, True, True, True, False),
        (STRANGER, True, True, False, True),  # a password of theirs: the person wonders why it was not used
        (STRANGER, True, False, False, False),  # nobody wanted a stored one
        (STRANGER, False, True, False, False),  # nor would the person's own URLs have got one
        (USER, True, False, False, False),
    ],
)
def test_a_stored_password_is_for_urls_of_the_user_and_who_gets_none_is_told(
    named_by: Provenance, netrc: bool, asked: bool, kept: bool, noted: bool
) -> None:
    heard: list[tuple[Any, ...]] = []
    host = "h" if named_by is USER else "h\x1b"

    def dialogue() -> Dialogue:
        yield from AskSecret(host, "joe", "ftp password", by_person=False, kept=asked)
        return None

    def ask_secret(*given: Any) -> None:
        heard.append(given)

    scheduler = Scheduler(Policy.open().replace(netrc=netrc), handlers)
    task = scheduler.start(Parties(URL("ftp://h/"), named_by), dialogue, ask_secret=ask_secret, eager=True)
    scheduler.close()
    assert task.error is None
    assert heard == [(host, "joe", "ftp password", kept, False)]
    assert task.notes == [NOT_KEPT.format(host="h\\x1b")] * noted
