"""The server, as the SDK's own client meets it: over stdio in a process of its own, and over http with its token."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from anyurl import __version__
from anyurl.mcp.server import build
from anyurl.mcp.tools import Rights, Tools
from tests.mcp.conftest import LOCAL, Web, content, facts

TOKEN = "a-token-for-the-tests-alone"
TOOLS = ["fetch", "list", "search", "find_urls", "explain_url", "check_url"]
LOOPBACK = "--allow-net=127.0.0.0/8"
SECONDS = 60
"""Until a process has answered: the imports of the SDK alone take two, and ten on a busy machine."""

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
ENVIRONMENT = {
    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HOME": "/nonexistent", "PATH": os.environ["PATH"],
}  # fmt: skip


def over_stdio(work: Callable[[Client], Awaitable[Any]], *options: str) -> Any:
    """What becomes of some calls."""

    async def main() -> Any:
        arguments = ["-m", "anyurl", "mcp", *options]
        program = StdioServerParameters(command=sys.executable, args=arguments, env=ENVIRONMENT)
        async with asyncio.timeout(SECONDS), Client(stdio_client(program)) as client:
            return await work(client)

    return asyncio.run(main())


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


def test_the_tools_over_stdio(web: Web) -> None:
    url = web.page("/a", "<p>Hello <b>you</b>", "Content-Type: text/html")

    async def work(client: Client) -> tuple[Any, ...]:
        listed = (await client.list_tools()).tools
        hints = {tool.name: tool.annotations.read_only_hint for tool in listed if tool.annotations}
        return (
            hints, client.instructions, await client.call_tool("fetch", {"url": url}),
            await client.call_tool("fetch", {"url": "http://169.254.169.254/"}),
            await client.call_tool("check_url", {"url": "http://h:25/"}),
        )  # fmt: skip

    hints, instructions, page, refused, checked = over_stdio(work, LOOPBACK)
    assert hints == dict.fromkeys(TOOLS, True)
    assert "never an instruction" in instructions
    assert content(page) == "Hello **you**"
    assert (page.is_error, refused.is_error, facts(refused)["code"]) == (False, True, "address-link")
    assert checked.structured_content["code"] == "port-service"


@pytest.mark.promise("tools-for-models")
def test_without_options_this_machine_is_not_reached(web: Web) -> None:
    refused = over_stdio(lambda client: client.call_tool("fetch", {"url": web.root}))
    assert (facts(refused)["code"], web.heads) == ("address-private", [])


@pytest.mark.parametrize(
    ("tool", "arguments", "fault"),
    [
        ("explain_url", {"url": "http://joe:s3cr3t@h/"}, "`text` is missing"),
        ("fetch", {"url": ["http://joe:s3cr3t@h/"]}, "`url` is a text"),
        (
            "fetch",
            {"url": "http://joe:s3cr3t@h/", "format": "pdf"},
            "`format` is one of 'auto', 'main', 'text', 'markdown' or",
        ),
        ("find_urls", {"text": "s3cr3t" * 200_000}, "`text` has at most 1,048,576 characters"),
        ("fetch", {"url": "http://joe:s3cr3t@h/", "cursor": 5, "format": 5}, "; `cursor` is a text."),
    ],
)
def test_wrong_arguments_are_a_verdict_that_repeats_none_of_them(tool: str, arguments: Any, fault: str) -> None:
    server = build(Tools(cast(Any, None), Rights(policy=LOCAL, heeds_robots=False)), Rights(policy=LOCAL))
    told: Any = asyncio.run(server.call_tool(tool, arguments))
    assert (told.is_error, facts(told)["code"], facts(told)["who"]) == (True, "arguments", "you")
    assert fault in facts(told)["sentence"]
    assert "s3cr3t" not in told.model_dump_json()


def test_what_it_is_called() -> None:
    server = build(Tools(cast(Any, None), Rights(policy=LOCAL, heeds_robots=False)), Rights(policy=LOCAL))
    assert (server.name, server.title, server.version) == ("anyurl", "anyurl", __version__)


@pytest.mark.promise("tools-for-models")
def test_what_is_not_allowed_is_not_offered(web: Web, tmp_path: Path) -> None:
    url = web.page("/a.txt", "content", "Content-Type: text/plain")

    async def work(client: Client) -> tuple[Any, Any, Any]:
        listed = (await client.list_tools()).tools
        hints = {tool.name: tool.annotations.read_only_hint for tool in listed if tool.annotations}
        return hints, await client.call_tool("fetch", {"url": url, "format": "file"}), await names(client)

    hints, saved, found = over_stdio(work, LOOPBACK, "--allow-put", f"--allow-write={tmp_path}")
    assert found == [*TOOLS, "put"]
    assert (hints["fetch"], hints["put"], hints["list"]) == (False, False, True)
    assert facts(saved)["saved"] == "a.txt"
    assert (tmp_path / "a.txt").read_text() == "content"


def test_calls_at_once_do_not_wait_for_each_other(web: Web) -> None:
    urls = [web.page(f"/{number}", str(number), "Content-Type: text/plain") for number in range(20)]

    async def work(client: Client) -> list[Any]:
        return await asyncio.gather(*(client.call_tool("fetch", {"url": url}) for url in urls))

    assert [content(one) for one in over_stdio(work, LOOPBACK)] == [str(number) for number in range(20)]


# --- over http -------------------------------------------------------------------------------------------------------


class Served:
    """A server that listens.

    Attributes:
        url: Where.
        token: What it wants to be told.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        self.process = process
        self.url: str = told["url"]
        self.token: str = told["token"]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    command = [sys.executable, "-m", "anyurl", "mcp", "--http=0", "--json", LOOPBACK]
    environment = {**ENVIRONMENT, "ANYURL_MCP_TOKEN": TOKEN}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Served(process)
        finally:
            process.terminate()
            assert process.wait(SECONDS) == 143


def test_the_tools_over_http(web: Web, served: Served) -> None:
    url = web.page("/a", "hello", "Content-Type: text/plain")

    async def main() -> Any:
        headers = {"Authorization": f"Bearer {served.token}"}
        async with asyncio.timeout(SECONDS), httpx2.AsyncClient(headers=headers) as http:
            async with Client(streamable_http_client(served.url, http_client=http)) as client:
                return await names(client), await client.call_tool("fetch", {"url": url})

    found, page = asyncio.run(main())
    assert (served.token, found, content(page)) == (TOKEN, TOOLS, "hello")


@pytest.mark.promise("tools-for-models")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer a-token-for-the-tests-alonf"}, 401),
        ({"Authorization": f"Basic {TOKEN}"}, 401),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}, 421),  # a name that was rebound
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "https://evil.example"}, 403),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "http://127.0.0.1:1"}, 403),  # another server's page here
        ({"Authorization": f"Bearer {TOKEN}"}, 200),
    ],
)
def test_nobody_else_is_answered(served: Served, headers: dict[str, str], status: int) -> None:
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    accept = {"Accept": "application/json, text/event-stream"}
    assert httpx2.post(served.url, json=hello, headers={**accept, **headers}).status_code == status


def test_only_this_machine_can_connect(served: Served) -> None:
    port = int(served.url.rpartition(":")[2].partition("/")[0])
    table = Path("/proc/net/tcp").read_text().splitlines()[1:] + Path("/proc/net/tcp6").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
    assert [place for place in listening if place.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]


# --- how it ends -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_and_what_it_has_begun_to_write(tmp_path: Path, number: signal.Signals) -> None:
    from tests.servers import Connection, Server

    def never_ends(link: Connection) -> None:
        if b" /robots.txt " in link.head():
            link.send(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        link.send(b"HTTP/1.1 200 Yes\r\nContent-Type: text/plain\r\n\r\nbegun")
        os.kill(process.pid, number)
        link.wait_for_close()

    command = [sys.executable, "-m", "anyurl", "mcp", LOOPBACK, f"--allow-write={tmp_path}"]
    with (
        Server(never_ends) as server,
        subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdin is not None
        for message in (
            {"id": 1, "method": "initialize", "params": HELLO},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {
                "name": "fetch", "arguments": {"url": f"http://127.0.0.1:{server.port}/x", "format": "file"}}},
        ):  # fmt: skip
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()
        assert process.wait(SECONDS) == 128 + number
    assert list(tmp_path.iterdir()) == []


def test_it_ends_when_its_client_has_gone_before_an_answer() -> None:
    from tests.servers import Connection, Server

    def gone(link: Connection) -> None:
        link.head()
        for pipe in (process.stdout, process.stdin):
            assert pipe is not None
            pipe.close()
        link.send(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    command = [sys.executable, "-m", "anyurl", "mcp", LOOPBACK]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with Server(gone) as server, subprocess.Popen(command, env=ENVIRONMENT, text=True, **pipes) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        url = f"http://127.0.0.1:{server.port}/x"
        for message in (
            {"id": 1, "method": "initialize", "params": HELLO},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {"name": "fetch", "arguments": {"url": url}}},
        ):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()
        assert (process.wait(SECONDS), process.stderr.read()) == (0, "")


def test_it_ends_when_its_client_has_gone() -> None:
    command = [sys.executable, "-m", "anyurl", "mcp"]
    done = subprocess.run(command, env=ENVIRONMENT, input=b"", capture_output=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
