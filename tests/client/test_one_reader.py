"""Who may read a resource: one thread or one task, in the process that opened it; and a closed client opens nothing."""

from __future__ import annotations

import asyncio
import os
import select
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from anyurl import AsyncClient, Client, Policy
from anyurl.client.resource import NOTED_BYTES, Description, Whole
from anyurl.dialogue import Describe
from anyurl.errors import LimitError, LocalProtocolError, TransferTimeout
from anyurl.guard.limits import STRANGERS, Limits
from anyurl.net.loop.scheduler import CLOSED_EARLY
from anyurl.url import URL
from tests.servers import WAIT_SECONDS, Connection, Server, reply

SIZE = 300_000


@pytest.fixture
def large(tmp_path: Path) -> str:
    path = tmp_path / "large"
    path.write_bytes(bytes(SIZE))
    return f"file://{path}"


def test_a_second_thread_is_an_error_and_the_first_gets_all(large: str) -> None:
    with Client() as client, client.get(large) as resource:
        pieces = resource.iter_bytes()
        size = len(next(pieces))
        errors: list[Exception] = []

        def read() -> None:
            for action in (resource.read, lambda: next(resource.iter_bytes()), lambda: next(resource.entries())):
                try:
                    action()
                except LocalProtocolError as error:
                    errors.append(error)

        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
        assert [str(error)[:40] for error in errors] == ["Another reader uses this resource alread"] * 3
        assert size + len(resource.read()) == SIZE


def test_after_a_thread_that_has_ended_another_one_reads_on(large: str) -> None:
    """The thread's number may be that of the next one, and its reading is over."""
    with Client() as client, client.get(large) as resource:
        sizes: list[int] = []
        for _ in range(2):
            thread = threading.Thread(target=lambda: sizes.append(len(next(resource.iter_bytes()))))
            thread.start()
            thread.join()
        assert sum(sizes) + len(resource.read()) == SIZE
        assert len(sizes) == 2


def test_a_second_task_is_an_error_and_the_first_gets_all() -> None:
    begun = threading.Event()

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(bytes(SIZE))[: -SIZE // 2])
        begun.wait(10)
        connection.send(bytes(SIZE - SIZE // 2))

    async def both(url: str) -> None:
        async with AsyncClient(Policy.open()) as client:
            resource = await client.get(url)
            first = asyncio.create_task(resource.read())
            await asyncio.sleep(0)
            for action in (resource.read(), anext(resource.iter_bytes()), anext(resource.entries())):
                with pytest.raises(LocalProtocolError, match="Another reader uses this resource"):
                    await action
            begun.set()
            assert len(await first) == SIZE
            assert await resource.read() == b""  # the first is done

    with Server(part) as server:
        asyncio.run(both(f"http://{server.authority}/"))


def half(begun: threading.Event) -> Callable[[Connection], None]:
    """Half of a reply, and the rest when it is told."""

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(bytes(SIZE))[: -SIZE // 2])
        begun.wait(10)

    return part


def test_what_is_closed_while_somebody_reads_it_does_not_pass_for_whole() -> None:
    begun = threading.Event()
    ends: list[object] = []
    with Server(half(begun)) as server, Client(Policy.open()) as client:
        resource = client.get(f"http://{server.authority}/")
        reading = threading.Event()

        def read() -> None:
            try:
                pieces = resource.iter_bytes()
                next(pieces)
                reading.set()
                ends.append(len(b"".join(pieces)))
            except LocalProtocolError as error:
                ends.append(str(error))

        thread = threading.Thread(target=read)
        thread.start()
        assert reading.wait(WAIT_SECONDS)
        resource.close()
        begun.set()
        thread.join()
        assert ends == [CLOSED_EARLY]
        assert not resource.complete
        with pytest.raises(LocalProtocolError, match="closed before all of it arrived"):
            resource.iter_bytes().__next__()


def test_what_has_come_and_was_not_read_is_gone_when_it_is_closed(tmp_path: Path) -> None:
    (tmp_path / "small").write_bytes(b"all of it")
    with Client() as client:
        resource = client.get(f"file://{tmp_path}/small")
        resource.close()
        for read in (resource.read, lambda: list(resource.iter_bytes())):
            with pytest.raises(LocalProtocolError, match="closed before all of it arrived"):
                read()
        read_all = client.get(f"file://{tmp_path}/small")
        assert read_all.read() == b"all of it"
        read_all.close()
        assert read_all.read() == b""
        assert read_all.complete


def test_a_task_that_reads_what_another_one_closes_does_not_take_it_for_whole() -> None:
    begun = threading.Event()

    async def both(url: str) -> None:
        async with AsyncClient(Policy.open()) as client:
            resource = await client.get(url)
            reader = asyncio.create_task(resource.read())
            await asyncio.sleep(0)
            await resource.close()
            for reading in (reader, resource.read()):
                with pytest.raises(LocalProtocolError, match="closed before all of it arrived"):
                    await reading

            resource = await client.get(url)
            reader = asyncio.create_task(resource.read())
            await asyncio.sleep(0)
            reader.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reader
            with pytest.raises(LocalProtocolError, match="closed before all of it arrived"):
                await resource.read()
        begun.set()

    with Server(half(begun)) as server:
        asyncio.run(both(f"http://{server.authority}/"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no child processes of this kind")
def test_a_child_process_gets_an_error_and_its_parent_all(large: str) -> None:
    with Client() as client, client.get(large) as resource:
        child = os.fork()
        if not child:
            try:
                resource.read()
            except LocalProtocolError as error:
                os._exit(7 if "a child of it" in str(error) else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert len(resource.read()) == SIZE


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no child processes of this kind")
def test_a_child_that_goes_on_with_the_event_loop_takes_nothing_of_its_parents() -> None:
    sent = threading.Event()

    def in_two(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfirst")
        sent.wait(20)
        connection.send(b"last")

    async def use(url: str) -> None:
        client = AsyncClient()
        resource = await client.get(url)
        assert await resource.read(5) == b"first"
        driver = client._driver
        assert driver is not None
        sent.set()
        assert select.select([driver.scheduler.loop.fileno()], [], [], 20)[0]  # "last" is here, and nobody has read it
        child = os.fork()
        if not child:
            code = 1
            try:
                driver.turn()
                with pytest.raises(RuntimeError, match="a child of it"):
                    await client.get(url)
                await client.close()
                code = 7
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert vars(driver.loop)["_selector"].select(5)  # the system still watches: the child has removed nothing
        assert await resource.read() == b"last"
        await client.close()

    with Server(in_two) as server:
        asyncio.run(use(f"http://{server.authority}/"))


def test_a_closed_client_opens_nothing(large: str) -> None:
    client = Client()
    with client:
        assert len(client.get(large).read()) == SIZE
    for action in (lambda: client.get(large), lambda: list(client.map([large])), lambda: client.stat(large)):
        with pytest.raises(RuntimeError, match="This client is closed"):
            action()

    async def use() -> None:
        client = AsyncClient()
        async with client:
            assert len(await (await client.get(large)).read()) == SIZE
        with pytest.raises(RuntimeError, match="This client is closed"):
            await client.get(large)

    asyncio.run(use())


def test_read_stops_where_the_policy_says_and_pieces_go_on(large: str) -> None:
    policy = Policy.default().replace(limits=Limits(max_read=SIZE - 1))
    with Client(policy) as client:
        with pytest.raises(LimitError, match="iter_bytes") as caught:
            client.get(large).read()
        assert caught.value.limit == "max_read"
        assert sum(map(len, client.get(large).iter_bytes())) == SIZE
        assert len(client.get(large).read(SIZE)) == SIZE  # the caller's own word goes first


def _description() -> Description:
    return Description(URL("http://h/"), Describe("document"), (), [])


def test_the_whole_is_in_memory_once_and_where_nothing_bounds_it_that_is_told() -> None:
    about = _description()
    piece = bytes(1 << 16)
    count = NOTED_BYTES // len(piece) + 1
    tracemalloc.start()
    try:
        whole = Whole(about, None, None)
        for _ in range(count):
            whole.add(piece)
        data = whole.octets()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(data) == count * len(piece)
    assert peak < 1.4 * len(data)
    assert ["no limit is set" in note for note in about.notes] == [True]


def test_a_drip_is_silence_to_who_follows_strangers_urls() -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(bytes(1000))[:-1000])
        for _ in range(100):
            connection.send(b"x")
            if over.wait(0.04):  # 25 octets a second
                return

    over = threading.Event()
    limits = STRANGERS.replace(idle=0.5)
    with Server(part) as server, Client(Policy.open().replace(limits=limits)) as client:
        with pytest.raises(TransferTimeout) as caught:
            client.get(f"http://{server.authority}/").read()
        over.set()
    assert caught.value.clock == "idle"
