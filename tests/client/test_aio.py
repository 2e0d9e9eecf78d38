"""The same verbs on asyncio: nothing blocks the loop, and cancelling leaks nothing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from anyurl import AsyncClient
from anyurl.errors import ConnectError, NotFoundError, TransferTimeout, Truncated, URLSyntaxError
from anyurl.net.wire.connector import Network
from anyurl.testing import SmallNetwork
from tests.servers import PATIENCE, Connection, Server, answers, descriptors, left_open, reply


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


def silent(connection: Connection) -> None:
    connection.head()
    connection.wait_for_close()


def cut_short(connection: Connection) -> None:
    connection.head()
    connection.send(reply(bytes(1000))[:-1])


def test_get_reads_what_is_there() -> None:
    async def test() -> None:
        async with AsyncClient() as client:
            resource = await client.get(f"http://{server.authority}/")
            assert (resource.size, await resource.text()) == (5, "hello")

    with Server(answers(reply(b"hello"))) as server:
        run(test)


def test_file_and_put_take_the_same_way(tmp_path: object) -> None:
    async def test() -> None:
        async with AsyncClient() as client:
            url = f"file://{tmp_path}/x"
            await client.put(url, b"one")
            await client.append(url, b"two")
            assert await (await client.get(url)).read() == b"onetwo"
            assert (await client.stat(url)).size == 6
            names = [entry.name async for entry in (await client.list(f"file://{tmp_path}/")).entries()]
            assert names == ["x"]

    run(test)


def test_a_slow_server_does_not_stop_the_loop() -> None:
    """It answers only after the loop has done something else, many times."""
    done = threading.Event()

    def part(connection: Connection) -> None:
        connection.head()
        if done.wait(PATIENCE):
            connection.send(reply(b"at last"))

    async def test() -> None:
        async def tick() -> None:
            while not server.received or b"\r\n\r\n" not in server.received[0]:
                await asyncio.sleep(0.001)
            for _ in range(20):
                await asyncio.sleep(0.001)
            done.set()

        beside = asyncio.create_task(tick())
        async with AsyncClient() as client:
            assert await (await client.get(f"http://{server.authority}/")).read() == b"at last"
        await beside

    with Server(part) as server:
        run(test)


@pytest.mark.parametrize("moment", ["opening", "reading"])
def test_cancelling_leaks_nothing(moment: str) -> None:
    async def test() -> None:
        async with AsyncClient() as client:
            assert await (await client.get(f"http://{good.authority}/")).read() == b"good"
            before = descriptors()

            async def transfer() -> None:
                resource = await client.get(f"http://{server.authority}/")
                await resource.read()

            for _ in range(5):
                task = asyncio.create_task(transfer())
                await asyncio.sleep(0.05)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert left_open(before) <= 0
            assert await (await client.get(f"http://{good.authority}/")).read() == b"good"

    def half(connection: Connection) -> None:
        connection.head()
        connection.send(reply(bytes(1000))[:-1])
        connection.wait_for_close()

    part = silent if moment == "opening" else half
    with Server(part) as server, Server(answers(reply(b"good"), reply(b"good"))) as good:
        run(test)


def test_errors_are_the_same() -> None:
    async def test() -> None:
        async with AsyncClient() as client:
            with pytest.raises(URLSyntaxError):
                await client.get("http://h/a b")
            with pytest.raises(NotFoundError):
                await client.get(f"http://{missing.authority}/")
            with pytest.raises(Truncated):
                await (await client.get(f"http://{cut.authority}/")).read()

    with Server(answers(reply(status="404 No"))) as missing, Server(cut_short) as cut:
        run(test)


def test_many_calls_at_once() -> None:
    def part(connection: Connection) -> None:
        while head := connection.head():
            connection.send(reply(head.split(b" ")[1]))

    async def test() -> None:
        async with AsyncClient() as client:

            async def one(i: int) -> bytes:
                return await (await client.get(f"http://{server.authority}/{i}")).read()

            assert await asyncio.gather(*(one(i) for i in range(50))) == [b"/%d" % i for i in range(50)]

    with Server(part) as server:
        run(test)


def test_map_gets_many_and_can_be_left() -> None:
    def part(connection: Connection) -> None:
        while head := connection.head():
            connection.send(reply(head.split(b" ")[1]))

    async def test() -> None:
        async with AsyncClient() as client:
            urls = [f"http://{server.authority}/{i}" for i in range(30)]
            found = [
                await result.resource.read() async for result in client.map(urls, 4) if result.resource is not None
            ]
            assert sorted(found) == sorted(b"/%d" % i for i in range(30))
            results = client.map(urls, 4)
            async for _result in results:
                break
            await results.aclose()  # type: ignore[attr-defined]

    with Server(part) as server:
        run(test)


def test_a_look_up_is_waited_for_elsewhere() -> None:
    async def test() -> None:
        network = SmallNetwork({"a.test": ["127.0.0.1"]}, {("127.0.0.1", server.port): ("127.0.0.1", server.port)})
        async with AsyncClient(network=network) as client:
            resource = await client.get(f"http://a.test:{server.port}/")
            assert await resource.read() == b"by name"
            with pytest.raises(ConnectError, match="no address"):
                await client.get(f"http://b.test:{server.port}/")

    with Server(answers(reply(b"by name"))) as server:
        run(test)


def test_a_client_belongs_to_its_loop() -> None:
    client = AsyncClient()

    async def use() -> None:
        await (await client.get("file:///dev/..")).close()

    asyncio.run(use())
    with pytest.raises(RuntimeError, match="another event loop"):
        asyncio.run(use())


def test_the_others_go_on_while_the_consumer_awaits_something_else() -> None:
    asked: list[bytes] = []

    def part(connection: Connection) -> None:
        while head := connection.head():
            asked.append(head.split(b" ")[1])
            connection.send(reply(b"x"))

    async def test() -> None:
        async with AsyncClient() as client:
            results = client.map([f"http://{server.authority}/0", "http://h/a b"], 2)
            assert (await anext(results)).error is not None
            while not asked:
                await asyncio.sleep(0.01)
            assert asked == [b"/0"]
            await results.aclose()  # type: ignore[attr-defined]

    with Server(part) as server:
        run(test)


def test_others_go_on_beside_a_transfer_that_is_always_ahead(tmp_path: Path) -> None:
    with open(tmp_path / "endless", "wb") as file:
        file.truncate(2**36)

    async def read(client: AsyncClient) -> None:
        async for _ in (await client.get((tmp_path / "endless").as_uri())).iter_bytes():
            pass

    async def test() -> None:
        async with AsyncClient() as client:
            reading = asyncio.ensure_future(read(client))
            await asyncio.sleep(0.01)
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
        async with AsyncClient(timeout=0.2) as client:
            with pytest.raises(TransferTimeout):
                await read(client)

    run(test)


@pytest.mark.parametrize("phase", ["look-up", "connect", "upload"])
def test_cancelling_at_any_moment_leaks_nothing(phase: str) -> None:
    over = threading.Event()

    async def test() -> None:
        network = Network(lambda host: ["127.0.0.1"] * over.wait(5))
        async with AsyncClient(network=network) as client:
            await (await client.get(f"http://{good.authority}/")).read()
            before = descriptors()
            scheme = "https" if phase == "connect" else "http"
            host = "slow.test" if phase == "look-up" else "127.0.0.1"
            url = f"{scheme}://{host}:{server.port}/"
            for _ in range(3):
                call = client.put(url, bytes(5_000_000)) if phase == "upload" else client.get(url)
                task = asyncio.ensure_future(call)
                await asyncio.sleep(0.03)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            over.set()
            assert left_open(before) <= 0
            await (await client.get(f"http://{good.authority}/")).read()

    with Server(silent) as server, Server(answers(reply(b"good"), reply(b"good"))) as good:
        run(test)
