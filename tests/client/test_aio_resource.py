"""The same file on asyncio: awaited reads, lines, and a seek that transfers only what is read."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable

import pytest

from anyurl import AsyncClient, AsyncResource
from anyurl.errors import LimitError, RemoteProtocolError
from tests.client.test_as_file import WHOLE, parted
from tests.client.test_requests import serving
from tests.servers import reply


def with_resource(url: str, do: Callable[[AsyncResource], Awaitable[None]]) -> None:
    async def main() -> None:
        async with AsyncClient() as client, await client.get(url) as resource:
            await do(resource)

    asyncio.run(main())


def test_every_way_to_read() -> None:
    async def do(resource: AsyncResource) -> None:
        assert await resource.read(3) == WHOLE[:3]
        buffer = bytearray(5)
        assert (await resource.readinto(buffer), bytes(buffer)) == (5, WHOLE[3:8])
        assert resource.tell() == 8
        assert await resource.readline() == WHOLE[8:11]
        assert await resource.readline(2) == WHOLE[11:13]
        some = await resource.read1(10)
        assert WHOLE[13:].startswith(some)
        assert 0 < len(some) <= 10
        at = resource.tell()
        more = await resource.read1()
        assert WHOLE[at:].startswith(more)
        assert more != b""
        at = resource.tell()
        assert await anext(resource) == WHOLE[at : WHOLE.index(b"\n", at) + 1]
        assert len(await resource.readlines(1000)) >= 2
        at = resource.tell()
        assert b"".join([piece async for piece in resource.iter_bytes()]) == WHOLE[at:]
        assert (await resource.read(), await resource.read(1), await resource.readline()) == (b"", b"", b"")
        await resource.close()
        assert resource.closed
        with pytest.raises(ValueError, match="closed"):
            await resource.read(1)

    with serving(parted(WHOLE)) as (url, _):
        with_resource(url, do)


def test_some_of_it_and_then_the_rest() -> None:
    async def do(resource: AsyncResource) -> None:
        assert await resource.read(10) + await resource.read() == WHOLE

    async def too_much(resource: AsyncResource) -> None:
        with pytest.raises(LimitError):
            await resource.read(limit=10)
        assert resource.closed  # nobody wants the rest

    with serving(parted(WHOLE)) as (url, said):
        with_resource(url, do)
        with_resource(url, too_much)
        assert len(said) == 2


def test_seeking_transfers_what_is_read() -> None:
    async def do(resource: AsyncResource) -> None:
        assert await resource.seek(900_000) == 900_000
        assert await resource.seek(-3, io.SEEK_END) == len(WHOLE) - 3
        assert len(said) == 1
        assert await resource.read() == WHOLE[-3:]
        await resource.seek(0)
        assert await resource.read(300) == WHOLE[:300]
        assert await resource.seek(10, io.SEEK_CUR) == 310
        assert await resource.read(2) == WHOLE[310:312]
        await resource.seek(5)
        assert await resource.readline() == WHOLE[5:11]
        await resource.seek(2 * len(WHOLE))
        assert await resource.read(1) == b""

    with serving(parted(WHOLE)) as (url, said):
        with_resource(url, do)


async def joined(resource: AsyncResource) -> bytes:
    return b"".join([piece async for piece in resource.iter_bytes()])


@pytest.mark.parametrize("whole", [AsyncResource.read, joined])
def test_what_is_read_whole_begins_where_it_was_sought(whole: Callable[[AsyncResource], Awaitable[bytes]]) -> None:
    async def do(resource: AsyncResource) -> None:
        assert await whole(resource) == WHOLE
        assert resource.tell() == len(WHOLE)
        await resource.seek(0)
        assert await resource.read(10) == WHOLE[:10]
        await resource.seek(5)
        assert await whole(resource) == WHOLE[5:]
        for there in (0, 99):
            await resource.seek(there, io.SEEK_END)
            assert await whole(resource) == b""

    with serving(parted(WHOLE)) as (url, _):
        with_resource(url, do)


def test_pieces_and_reads_take_turns() -> None:
    async def do(resource: AsyncResource) -> None:
        pieces = resource.iter_bytes()
        first = await anext(pieces)
        between = await resource.read(3)
        assert first + between + b"".join([piece async for piece in pieces]) == WHOLE

    with serving(parted(WHOLE)) as (url, _):
        with_resource(url, do)


def test_where_there_are_no_ranges_nothing_is_sought() -> None:
    async def do(resource: AsyncResource) -> None:
        assert not resource.seekable()
        with pytest.raises(io.UnsupportedOperation):
            await resource.seek(1)

    with serving(lambda *_: reply(b"abc")) as (url, _):
        with_resource(url, do)


def test_a_document_that_changes_is_never_put_together() -> None:
    turn = [0]

    def answer(*_said: object) -> bytes:
        turn[0] += 1
        return reply(WHOLE, f'ETag: "{turn[0]}"', "Accept-Ranges: bytes")

    async def do(resource: AsyncResource) -> None:
        await resource.seek(900_000)
        with pytest.raises(RemoteProtocolError, match="has changed"):
            await resource.read(1)

    with serving(answer) as (url, _):
        with_resource(url, do)
