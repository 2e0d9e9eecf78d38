"""A service in use on asyncio: what is typed, what is shown, and what is no service."""

from __future__ import annotations

import asyncio

import pytest

from anyurl.access import AsyncClient
from anyurl.client.aio_session import MAX_WAITING, AsyncSession
from anyurl.dialogue import Command, Keys, Terminal
from anyurl.errors import ConnectError, LimitError, UnsupportedError
from tests.servers import Connection, Server


def shell(link: Connection) -> None:
    link.send(b"name: ")
    name = link.line()
    link.send(b"Welcome, " + name + b"\r\n")


async def all_of(session: AsyncSession, got: bytes = b"") -> bytes:
    while (piece := await session.next_piece()) is not None:
        got += piece
    return got


def test_a_service_is_used() -> None:
    async def use(url: str) -> bytes:
        async with AsyncClient() as client:
            session = AsyncSession(await client.get(url))
            got = await session.next_piece() or b""
            while not got.endswith(b"name: "):
                got += await session.next_piece() or b""
            session.give(Terminal("dumb", 90, 20))
            session.give(Keys(b"Ada\r"))
            got = await all_of(session, got)
            session.give(Keys(b"nobody hears this"))
            session.give(Command("break"))
            await session.close()
            await session.close()
            return got

    with Server(shell) as server:
        got = asyncio.run(use(f"telnet://{server.authority}/"))
    assert got.startswith(b"name: ")
    assert got.endswith(b"Welcome, Ada\r\n")


def test_what_is_no_service() -> None:
    async def use() -> None:
        async with AsyncClient() as client, await client.get("mailto:joe@h.example") as resource:
            AsyncSession(resource)

    with pytest.raises(UnsupportedError, match="designates a mailbox, not a service"):
        asyncio.run(use())


def test_a_service_that_is_not_there() -> None:
    async def use(url: str) -> None:
        async with AsyncClient() as client:
            await AsyncSession(await client.get(url)).next_piece()

    with Server(shell) as server:
        url = f"telnet://{server.authority}/"
    with pytest.raises(ConnectError):
        asyncio.run(use(url))


def test_what_is_typed_to_nobody_has_a_limit() -> None:
    async def use(url: str) -> None:
        async with AsyncClient() as client:
            session = AsyncSession(await client.get(url))  # nothing has been connected to
            for _ in range(MAX_WAITING + 1):
                session.give(Keys(b"x"))

    with Server(shell) as server, pytest.raises(LimitError, match="does not accept input"):
        asyncio.run(use(f"telnet://{server.authority}/"))
