"""A login that a server asks for on the way of a redirection: what is asked again is still what the redirection named.

Attack: a public page leads to itself, asks for a login by Digest, closes the connection, and then has another address:
the client asks again by itself, and what its user may reach the redirection may not. In a network namespace, for
nothing else has a public address that is ours.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SCRIPT = """
import asyncio, socket, sys

from anyurl.guard.policy import Policy
from tests.servers import Connection, Server, reply

PUBLIC, NEAR = "93.184.216.34", "127.0.0.1"
answers = {"name.example": [PUBLIC, PUBLIC, sys.argv[2]]}


def getaddrinfo(host, port, *rest, **more):
    host = host.decode() if isinstance(host, bytes) else host
    known = answers.get(host, [host])
    address = known.pop(0) if len(known) > 1 else known[0]
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port or 0))]


socket.getaddrinfo = getaddrinfo


asked = []


def play(link: Connection) -> None:
    head = link.head()
    asked.append(link.sock.getsockname()[0])
    if asked[-1] == NEAR:
        link.send(reply(b"secret"))
    elif b"/start " in head:
        where = f"Location: http://name.example:{server.port}/x"
        link.send(reply(b"", where, "Connection: close", status="302 Found"))
    elif b"Digest " in head:
        link.send(reply(b"let in"))
    else:
        ask = 'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"'
        link.send(reply(b"", ask, "Connection: close", status="401 Unauthorized"))


def by_requests(url: str) -> str:
    import requests
    from anyurl.adapters.requests import session

    return session(Policy.default()).get(url, auth=requests.auth.HTTPDigestAuth("joe", "s3cr3t")).text


def by_aiohttp(url: str) -> str:
    import aiohttp
    from anyurl.adapters.aiohttp import GuardedClientSession, GuardedConnector, _watched_by

    async def login(request, handler):  # aiohttp's own gives a redirection no login
        response = await handler(request)
        if response.status == 401:
            request.headers["Authorization"] = "Digest mine"
            response = await handler(request)
        return response

    async def main() -> str:
        # As `session` makes it, but that a name is looked up each time: aiohttp remembers it for ten seconds.
        connector = GuardedConnector(Policy.default(), use_dns_cache=False)
        options = {"response_class": _watched_by(connector.calls), "middlewares": (login,)}
        inner = aiohttp.ClientSession(connector=connector, **options)
        async with GuardedClientSession(inner, connector.gate) as opened, opened.get(url) as response:
            return await response.text()

    return asyncio.run(main())


with Server(play, host="0.0.0.0") as server:
    try:
        print(globals()["by_" + sys.argv[1]](f"http://name.example:{server.port}/start"))
    except Exception as error:
        print(type(error).__name__, error)
    print("reached" if NEAR in asked else "not reached")
"""


@pytest.mark.needs("namespace")
@pytest.mark.parametrize("client", ["requests", "aiohttp"])
@pytest.mark.parametrize("second", ["127.0.0.1", "93.184.216.34"])
def test_what_is_asked_again_with_a_login_is_judged_as_it_was(client: str, second: str) -> None:
    prepare = 'ip link set lo up && ip addr add 93.184.216.34/32 dev lo && exec "$@"'
    words = ["unshare", "-rn", "sh", "-c", prepare, "sh", sys.executable, "-c", SCRIPT, client, second]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    told = done.stdout.splitlines()
    assert done.stderr == ""
    if second == "127.0.0.1":
        assert "RefusedError" in told[0]
        assert told[1] == "not reached"
    else:
        assert told == ["let in", "not reached"]
