"""The guard under httpcore: its backends."""

from __future__ import annotations

import asyncio
from typing import Any

import httpcore
import pytest

from anyurl.adapters.gate import Gate
from anyurl.adapters.httpcore import AsyncGuardedBackend, GuardedBackend
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from tests.net.wire.test_connect import Names, names
from tests.servers import Server, answers, reply

__all__ = ["names"]

DEFAULT = Policy.default()


def get(way: str, url: str, policy: Policy | None = None) -> bytes:
    """The content, over a pool with the guarded backend."""
    if way == "sync":
        with httpcore.ConnectionPool(network_backend=GuardedBackend(Gate(policy))) as pool:
            return pool.request("GET", url).content

    async def main() -> bytes:
        async with httpcore.AsyncConnectionPool(network_backend=AsyncGuardedBackend(Gate(policy))) as pool:
            return (await pool.request("GET", url)).content

    return asyncio.run(main())


WAYS = pytest.mark.parametrize("way", ["sync", "async"])


@WAYS
def test_a_pool_alone_is_guarded_by_the_backend(way: str) -> None:
    with pytest.raises(RefusedError):
        get(way, "http://127.0.0.1/")


@WAYS
def test_the_next_address_is_tried(way: str, names: Names) -> None:
    names(h=["127.0.0.2", "127.0.0.1"], **{each: [each] for each in ("127.0.0.1", "127.0.0.2")})
    with Server(answers(reply(b"one"))) as server:
        assert get(way, f"http://h:{server.port}/", DEFAULT) == b"one"


@WAYS
def test_a_name_without_an_address_is_an_error_of_httpcore(way: str, names: Names) -> None:
    names()
    with pytest.raises(httpcore.ConnectError):
        get(way, "http://nobody.test/", DEFAULT)


def test_no_socket_of_this_machine_is_opened() -> None:
    with pytest.raises(RefusedError):
        GuardedBackend(Gate(DEFAULT)).connect_unix_socket("/run/docker.sock")

    async def main() -> None:
        await AsyncGuardedBackend(Gate(DEFAULT)).connect_unix_socket("/run/docker.sock")

    with pytest.raises(RefusedError):
        asyncio.run(main())


def test_httpcore_alone_is_guarded_by_the_backend() -> None:
    with httpcore.ConnectionPool(network_backend=GuardedBackend(Gate())) as pool, pytest.raises(RefusedError):
        pool.request("GET", "http://127.0.0.1/")

    async def main() -> Any:
        async with httpcore.AsyncConnectionPool(network_backend=AsyncGuardedBackend(Gate())) as pool:
            return await pool.request("GET", "http://127.0.0.1/")

    with pytest.raises(RefusedError):
        asyncio.run(main())
