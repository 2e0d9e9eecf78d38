"""Each HTTP client with something of its user's, as the factory of its adapter makes it and with the adapter alone.

Rule: a carrier is made anew for each cell, and gets one URL; what comes of it is an error or nothing.
"""

from __future__ import annotations

import asyncio
import http.cookiejar
import ssl
import urllib.request
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import aiohttp
import requests
import urllib3

from anyurl.adapters import aiohttp as guarded_aiohttp
from anyurl.adapters import requests as guarded_requests
from anyurl.adapters.gate import Gate
from anyurl.adapters.urllib import GuardedHandler, GuardedTLSHandler, opener
from anyurl.adapters.urllib3 import GuardedPoolManager
from tests.adapters.clients import urllib_read
from tests.hop.places import BASIC, POLICY, SECRET, Authority


class Carried:
    """What of the user's a client has.

    Attributes:
        fields: Header fields of the request.
        client_fields: Header fields of all requests of the client.
        basic: A login of the request.
        client_basic: A login of the client.
        digest: A login by Digest of the request.
        client_digest: A login by Digest of the client.
        cookies: Cookies of the client that are for no host.
        request_cookies: Cookies of the request.
        cert: Whether there is a client certificate.
        retry: `Retry.remove_headers_on_redirect`.
        query: Search words.
        content: Posted.
    """

    def __init__(
        self, *, fields: dict[str, str] | None = None, client_fields: dict[str, str] | None = None, basic: bool = False,
        client_basic: bool = False, digest: bool = False, client_digest: bool = False, cookies: bool = False,
        request_cookies: bool = False, cert: bool = False, retry: list[str] | None = None, query: bool = False,
        content: bytes | None = None, certificate_files: bool = False, keeps_cookies: bool = False,
    ) -> None:  # fmt: skip
        self.fields, self.client_fields = fields or {}, client_fields or {}
        self.basic, self.client_basic, self.digest, self.client_digest = basic, client_basic, digest, client_digest
        self.cookies, self.request_cookies = cookies, request_cookies
        self.cert, self.certificate_files, self.keeps_cookies = cert, certificate_files, keeps_cookies
        self.retry, self.query, self.content = retry, query, content
        self.method = "GET" if content is None else "POST"
        self.params = {"words": SECRET} if query else None
        self.authority: Authority

    @property
    def tls(self) -> ssl.SSLContext:
        return self.authority.context(certificate=self.cert)


LOGIN = ("joe", SECRET)
JAR = {"sid": SECRET}

Carrier = Callable[[str, Carried], None]


def _httpx_options(library: Any, what: Carried) -> tuple[dict[str, Any], dict[str, Any]]:
    client: dict[str, Any] = {"headers": what.client_fields, "follow_redirects": True}
    request: dict[str, Any] = {"headers": what.fields, "content": what.content, "params": what.params}
    if what.cookies:
        client["cookies"] = JAR
    if what.request_cookies:
        request["cookies"] = JAR
    for given, basic, digest in (
        (request, what.basic, what.digest), (client, what.client_basic, what.client_digest)
    ):  # fmt: skip
        if basic or digest:
            given["auth"] = LOGIN if basic else library.DigestAuth(*LOGIN)
    return client, request


def httpx_by_factory(name: str, url: str, what: Carried) -> None:
    library, guarded = import_module(name), import_module(f"anyurl.adapters.{name}")
    client, request = _httpx_options(library, what)
    with guarded.client(POLICY, verify=what.tls, **client) as opened:
        opened.request(what.method, url, **request)


def httpx_alone(name: str, url: str, what: Carried) -> None:
    library, guarded = import_module(name), import_module(f"anyurl.adapters.{name}")
    client, request = _httpx_options(library, what)
    with library.Client(transport=guarded.GuardedTransport(POLICY, verify=what.tls), **client) as opened:
        opened.request(what.method, url, **request)


def async_httpx_by_factory(name: str, url: str, what: Carried) -> None:
    library, guarded = import_module(name), import_module(f"anyurl.adapters.{name}")

    async def main() -> None:
        client, request = _httpx_options(library, what)
        async with guarded.async_client(POLICY, verify=what.tls, **client) as opened:
            await opened.request(what.method, url, **request)

    asyncio.run(main())


def async_httpx_alone(name: str, url: str, what: Carried) -> None:
    library, guarded = import_module(name), import_module(f"anyurl.adapters.{name}")

    async def main() -> None:
        client, request = _httpx_options(library, what)
        transport = guarded.AsyncGuardedTransport(POLICY, verify=what.tls)
        async with library.AsyncClient(transport=transport, **client) as opened:
            await opened.request(what.method, url, **request)

    asyncio.run(main())


def _requests_get(opened: requests.Session, url: str, what: Carried) -> None:
    with opened:
        opened.headers.update(what.client_fields)
        opened.verify = what.authority.ca_file
        if what.cert:
            opened.cert = what.authority.client_file
        if what.cookies:
            opened.cookies.update(JAR)
        options: dict[str, Any] = {"headers": what.fields, "data": what.content, "params": what.params}
        if what.request_cookies:
            options["cookies"] = JAR
        if what.basic or what.digest:
            options["auth"] = LOGIN if what.basic else requests.auth.HTTPDigestAuth(*LOGIN)
        if what.client_basic or what.client_digest:
            opened.auth = LOGIN if what.client_basic else requests.auth.HTTPDigestAuth(*LOGIN)
        opened.request(what.method, url, **options)


def requests_by_factory(url: str, what: Carried) -> None:
    _requests_get(guarded_requests.session(POLICY), url, what)


def requests_alone(url: str, what: Carried) -> None:
    opened = requests.Session()
    for prefix in ("http://", "https://"):
        opened.mount(prefix, guarded_requests.GuardedAdapter(POLICY))
    _requests_get(opened, url, what)


def urllib3_request(url: str, what: Carried) -> None:
    options: dict[str, Any] = {"ssl_context": what.tls}
    if what.certificate_files:
        options = {"ca_certs": what.authority.ca_file, "cert_file": what.authority.client_file}
    with GuardedPoolManager(POLICY, headers=what.client_fields or None, **options) as pools:
        given: dict[str, Any] = {"headers": what.fields} if what.fields else {}
        if what.retry is not None:
            given["retries"] = urllib3.Retry(10, remove_headers_on_redirect=what.retry)
        pools.request(what.method, url, body=what.content, fields=what.params, **given)


def _aiohttp_options(what: Carried) -> tuple[dict[str, Any], dict[str, Any]]:
    client: dict[str, Any] = {"headers": what.client_fields}
    request: dict[str, Any] = {"headers": what.fields, "ssl": what.tls, "data": what.content, "params": what.params}
    for given, cookies, basic, digest in (
        (client, what.cookies, what.client_basic, what.client_digest),
        (request, what.request_cookies, what.basic, what.digest),
    ):
        if cookies:
            given["cookies"] = JAR
        if basic:
            given["auth"] = aiohttp.BasicAuth(*LOGIN)
        if digest:
            given["middlewares"] = (aiohttp.DigestAuthMiddleware(*LOGIN), answers_every_challenge)
    return client, request


async def answers_every_challenge(request: aiohttp.ClientRequest, handler: Any) -> Any:
    """A middleware as programs write them."""
    response = await handler(request)
    if response.status == 401:
        request.headers["Authorization"] = BASIC
        response = await handler(request)
    return response


def aiohttp_by_factory(url: str, what: Carried) -> None:
    async def main() -> None:
        client, request = _aiohttp_options(what)
        async with guarded_aiohttp.session(POLICY, **client) as opened:
            async with opened.request(what.method, url, **request) as response:
                await response.read()

    asyncio.run(main())


def aiohttp_alone(url: str, what: Carried) -> None:
    async def main() -> None:
        client, request = _aiohttp_options(what)
        async with aiohttp.ClientSession(connector=guarded_aiohttp.GuardedConnector(POLICY), **client) as opened:
            async with opened.request(what.method, url, **request) as response:
                await response.read()

    asyncio.run(main())


def _urllib_open(opened: urllib.request.OpenerDirector, url: str, what: Carried) -> None:
    opened.addheaders = list(what.client_fields.items())
    if what.cookies:
        jar = http.cookiejar.CookieJar()
        jar.set_cookie(requests.cookies.create_cookie("sid", SECRET))
        opened.add_handler(urllib.request.HTTPCookieProcessor(jar))
    elif what.keeps_cookies:
        opened.add_handler(urllib.request.HTTPCookieProcessor())
    if what.client_basic:
        opened.add_handler(urllib.request.HTTPBasicAuthHandler(Everywhere()))
    if what.client_digest:
        opened.add_handler(urllib.request.HTTPDigestAuthHandler(Everywhere()))
    words = f"?words={SECRET}" if what.query else ""
    urllib_read(opened, urllib.request.Request(url + words, what.content, headers=what.fields))


class Everywhere(urllib.request.HTTPPasswordMgr):
    """Knows a password for whoever asks."""

    def find_user_password(self, realm: str, authuri: str) -> tuple[str | None, str | None]:
        return LOGIN


def urllib_by_factory(url: str, what: Carried) -> None:
    _urllib_open(opener(POLICY, context=what.tls), url, what)


def urllib_alone(url: str, what: Carried) -> None:
    gate = Gate(POLICY)
    _urllib_open(urllib.request.build_opener(GuardedHandler(gate), GuardedTLSHandler(gate, what.tls)), url, what)


FACTORIES: dict[str, Carrier] = {
    "httpx": partial(httpx_by_factory, "httpx"), "httpx, async": partial(async_httpx_by_factory, "httpx"),
    "httpx2": partial(httpx_by_factory, "httpx2"), "httpx2, async": partial(async_httpx_by_factory, "httpx2"),
    "requests": requests_by_factory,
    "urllib3": urllib3_request, "aiohttp": aiohttp_by_factory, "urllib": urllib_by_factory,
}  # fmt: skip
ALONE: dict[str, Carrier] = {
    "httpx": partial(httpx_alone, "httpx"), "httpx, async": partial(async_httpx_alone, "httpx"),
    "httpx2": partial(httpx_alone, "httpx2"), "httpx2, async": partial(async_httpx_alone, "httpx2"),
    "requests": requests_alone,
    "urllib3": urllib3_request, "aiohttp": aiohttp_alone, "urllib": urllib_alone,
}  # fmt: skip
