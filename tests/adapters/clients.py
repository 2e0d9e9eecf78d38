"""The clients, each in two ways: as the factory of its adapter makes it, and with the adapter in a client of one's own.

Rule: a client is made anew for each call, gets one URL after the other, and answers with the statuses and bodies.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from anyurl.guard.policy import Policy

Got = list[tuple[int, bytes]]


class How:
    """What is asked of a client beside the URLs.

    Attributes:
        policy: None is that of the adapter.
        tls: Which certificates are believed.
        ca_file: The same as a file.
        headers: Of each request.
        proxy: A proxy that the program itself asks for.
        other: Another way that the program itself opens beside the guarded one.
        retries: Further attempts to connect.
        http2: Where the client speaks it.
        content: Is posted, where there is one.
    """

    def __init__(
        self, policy: Policy | None = None, *, tls: ssl.SSLContext | None = None, ca_file: str | None = None,
        headers: dict[str, str] | None = None, proxy: str | None = None, other: bool = False, retries: int = 0,
        http2: bool = False, content: bytes | None = None,
    ) -> None:  # fmt: skip
        self.policy = policy
        self.tls = tls or ssl.create_default_context()
        self.ca_file = ca_file
        self.headers = headers or {}
        self.proxy = proxy
        self.other = other
        self.retries = retries
        self.http2 = http2
        self.content = content
        self.method = "GET" if content is None else "POST"


Fetch = Callable[[Sequence[str], How], Got]


def httpx_options(how: How, module: Any, kind: str) -> dict[str, Any]:
    options: dict[str, Any] = {"follow_redirects": True}
    if how.proxy:
        options["proxy"] = how.proxy
    if how.other:
        options["mounts"] = {"http://": getattr(module, kind)()}
    return options


def _httpx(name: str) -> tuple[Any, Any]:
    """httpx or httpx2, and its adapter."""
    return import_module(name), import_module(f"anyurl.adapters.{name}")


def _transport_options(how: How) -> dict[str, Any]:
    return {"verify": how.tls, "http2": how.http2, "retries": how.retries}


def httpx_by_factory(name: str, urls: Sequence[str], how: How) -> Got:
    library, guarded = _httpx(name)
    options = httpx_options(how, library, "HTTPTransport")
    return httpx_get(guarded.client(how.policy, **_transport_options(how), **options), urls, how)


def httpx_by_hand(name: str, urls: Sequence[str], how: How) -> Got:
    library, guarded = _httpx(name)
    transport = guarded.GuardedTransport(how.policy, **_transport_options(how))
    return httpx_get(library.Client(transport=transport, **httpx_options(how, library, "HTTPTransport")), urls, how)


def httpx_get(opened: Any, urls: Sequence[str], how: How) -> Got:
    with opened:
        responses = [opened.request(how.method, url, headers=how.headers, content=how.content) for url in urls]
        return [(response.status_code, response.content) for response in responses]


async def async_httpx_get(opened: Any, urls: Sequence[str], how: How) -> Got:
    async with opened:
        responses = [await opened.request(how.method, url, headers=how.headers, content=how.content) for url in urls]
        return [(response.status_code, response.content) for response in responses]


def async_httpx_by_factory(name: str, urls: Sequence[str], how: How) -> Got:
    library, guarded = _httpx(name)

    async def main() -> Got:
        options = httpx_options(how, library, "AsyncHTTPTransport")
        opened = guarded.async_client(how.policy, **_transport_options(how), **options)
        return await async_httpx_get(opened, urls, how)

    return asyncio.run(main())


def async_httpx_by_hand(name: str, urls: Sequence[str], how: How) -> Got:
    library, guarded = _httpx(name)

    async def main() -> Got:
        transport = guarded.AsyncGuardedTransport(how.policy, **_transport_options(how))
        options = httpx_options(how, library, "AsyncHTTPTransport")
        return await async_httpx_get(library.AsyncClient(transport=transport, **options), urls, how)

    return asyncio.run(main())


def requests_get(opened: Any, urls: Sequence[str], how: How) -> Got:
    from requests.adapters import HTTPAdapter

    if how.other:
        opened.mount("http://127.0.0.2", HTTPAdapter())
    proxies = {"http": how.proxy, "https": how.proxy} if how.proxy else None
    with opened:
        options = {"headers": how.headers, "proxies": proxies, "verify": how.ca_file or True, "data": how.content}
        responses = [opened.request(how.method, url, **options) for url in urls]
        return [(response.status_code, response.content) for response in responses]


def requests_by_factory(urls: Sequence[str], how: How) -> Got:
    from anyurl.adapters.requests import GuardedAdapter, session

    opened = session(how.policy)
    if how.retries:
        opened.mount("http://", GuardedAdapter(how.policy, max_retries=how.retries))
    return requests_get(opened, urls, how)


def requests_by_hand(urls: Sequence[str], how: How) -> Got:
    import requests

    from anyurl.adapters.requests import GuardedAdapter

    opened = requests.Session()
    for prefix in ("http://", "https://"):
        opened.mount(prefix, GuardedAdapter(how.policy, max_retries=how.retries))
    return requests_get(opened, urls, how)


def urllib3_get(urls: Sequence[str], how: How) -> Got:
    import urllib3

    from anyurl.adapters.urllib3 import GuardedPoolManager

    with GuardedPoolManager(how.policy, ssl_context=how.tls) as pools:
        opened: urllib3.PoolManager = pools
        if how.proxy:
            opened = urllib3.ProxyManager(how.proxy)
        if how.other:
            opened = urllib3.PoolManager()
        retries = urllib3.Retry(total=10, connect=how.retries)
        responses = [
            opened.request(how.method, url, headers=how.headers, retries=retries, body=how.content) for url in urls
        ]
        return [(response.status, response.data) for response in responses]


async def aiohttp_get(opened: Any, urls: Sequence[str], how: How) -> Got:
    found = []
    async with opened:
        for url in urls:
            options = {"ssl": how.tls, "headers": how.headers, "proxy": how.proxy, "data": how.content}
            async with opened.request(how.method, url, **options) as response:
                found.append((response.status, await response.read()))
    return found


def aiohttp_by_factory(urls: Sequence[str], how: How) -> Got:
    import aiohttp

    from anyurl.adapters.aiohttp import session

    async def main() -> Got:
        options = {"connector": aiohttp.TCPConnector()} if how.other else {}
        return await aiohttp_get(session(how.policy, **options), urls, how)

    return asyncio.run(main())


def aiohttp_by_hand(urls: Sequence[str], how: How) -> Got:
    import aiohttp

    from anyurl.adapters.aiohttp import GuardedConnector

    async def main() -> Got:
        connector = aiohttp.TCPConnector() if how.other else GuardedConnector(how.policy)
        return await aiohttp_get(aiohttp.ClientSession(connector=connector), urls, how)

    return asyncio.run(main())


def urllib_read(opened: Any, request: Any) -> tuple[int, bytes]:
    """The status and body that an opener of urllib gets."""
    import urllib.error

    try:
        with opened.open(request) as response:
            return int(response.status), bytes(response.read())
    except urllib.error.HTTPError as error:
        error.close()  # since 3.14 Python warns of one that nobody closes
        raise


def urllib_get(opened: Any, urls: Sequence[str], how: How) -> Got:
    import urllib.request

    if how.proxy:
        opened.add_handler(urllib.request.ProxyHandler({"http": how.proxy, "https": how.proxy}))
    return [urllib_read(opened, urllib.request.Request(url, how.content, headers=how.headers)) for url in urls]


def urllib_by_factory(urls: Sequence[str], how: How) -> Got:
    import urllib.request

    from anyurl.adapters.urllib import opener

    opened = opener(how.policy, context=how.tls)
    if how.other:
        opened.add_handler(urllib.request.HTTPHandler())
    return urllib_get(opened, urls, how)


def urllib_by_hand(urls: Sequence[str], how: How) -> Got:
    import urllib.request

    from anyurl.adapters.gate import Gate
    from anyurl.adapters.urllib import GuardedHandler, GuardedTLSHandler

    gate = Gate(how.policy)
    handlers = [urllib.request.HTTPHandler()] if how.other else [GuardedHandler(gate), GuardedTLSHandler(gate, how.tls)]
    return urllib_get(urllib.request.build_opener(*handlers), urls, how)


FACTORIES: dict[str, Fetch] = {
    "httpx": partial(httpx_by_factory, "httpx"), "httpx, async": partial(async_httpx_by_factory, "httpx"),
    "httpx2": partial(httpx_by_factory, "httpx2"), "httpx2, async": partial(async_httpx_by_factory, "httpx2"),
    "requests": requests_by_factory,
    "urllib3": urllib3_get, "aiohttp": aiohttp_by_factory, "urllib": urllib_by_factory,
}  # fmt: skip
"""By the names of the columns of docs/guard-your-client.md."""

BY_HAND: dict[str, Fetch] = {
    "httpx": partial(httpx_by_hand, "httpx"), "httpx, async": partial(async_httpx_by_hand, "httpx"),
    "httpx2": partial(httpx_by_hand, "httpx2"), "httpx2, async": partial(async_httpx_by_hand, "httpx2"),
    "requests": requests_by_hand,
    "urllib3": urllib3_get, "aiohttp": aiohttp_by_hand, "urllib": urllib_by_hand,
}  # fmt: skip
"""The same with the adapter alone."""
