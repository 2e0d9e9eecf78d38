"""A web server that says what a test tells it, and tools that ask it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from anyurl.access import AsyncClient
from anyurl.guard.policy import Policy
from anyurl.mcp.tools import Rights, Tools, restricted
from tests.servers import Connection, Server

LOCAL = restricted(Policy.untrusted().replace(allow_nets=["127.0.0.0/8"]))


class Web:
    """Pages by path: status, header lines and body; each request is noted."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[int, tuple[str, ...], bytes]] = {}
        self.heads: list[str] = []
        self.server = Server(self._play)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def asked(self) -> list[str]:
        return [head.split(" ")[1] for head in self.heads]

    def page(self, path: str, body: bytes | str, *headers: str, status: int = 200) -> str:
        self.pages[path] = (status, headers, body.encode() if isinstance(body, str) else body)
        return self.root + path

    def _play(self, link: Connection) -> None:
        head = link.head().decode("latin-1")
        self.heads.append(head)
        status, headers, body = self.pages.get(head.split(" ")[1], (404, (), b"no"))
        lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}", *headers, "Connection: close", "", ""]
        link.send("\r\n".join(lines).encode("latin-1") + body)


@pytest.fixture
def web() -> Iterator[Web]:
    web = Web()
    with web.server:
        yield web


def use(work: Callable[[Tools], Awaitable[Any]], policy: Policy = LOCAL, **rights: Any) -> Any:
    """What becomes of some calls of tools that have these rights."""

    async def main() -> Any:
        given = Rights(policy=policy, **rights)
        async with AsyncClient(given.policy) as client:
            tools = Tools(client, given)
            try:
                return await work(tools)
            finally:
                tools.close()

    return asyncio.run(main())


def facts(result: Any) -> Any:
    return json.loads(result.content[0].text)


def content(result: Any) -> str:
    """What stands between the marks."""
    text: str = result.content[1].text
    return text.partition(">\n")[2].rpartition("\n</untrusted")[0]
