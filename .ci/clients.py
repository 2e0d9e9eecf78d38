"""Of an installation with one HTTP client beside it: that client is guarded, and idna is all that it takes.

Run by `.ci/full` with the Python of a new environment, in an empty folder: ``clients.py CLIENT``. Ends with what went
wrong. The server is on this machine: what is refused never reaches it, what a policy opens does.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec

import anyurl

OPENED = anyurl.Policy.default()


class Answers(BaseHTTPRequestHandler):
    """Says yes, and notes it."""

    seen = 0

    def do_GET(self) -> None:
        type(self).seen += 1
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_given: object) -> None:
        pass


def httpx(url: str, policy: anyurl.Policy | None) -> int:
    from anyurl.adapters.httpx import client

    with client(policy) as web:
        return web.get(url).status_code


def httpx2(url: str, policy: anyurl.Policy | None) -> int:
    from anyurl.adapters.httpx2 import client

    with client(policy) as web:
        return web.get(url).status_code


def requests(url: str, policy: anyurl.Policy | None) -> int:
    from anyurl.adapters.requests import session

    with session(policy) as web:
        return web.get(url).status_code


def urllib3(url: str, policy: anyurl.Policy | None) -> int:
    from anyurl.adapters.urllib3 import GuardedPoolManager

    return GuardedPoolManager(policy).request("GET", url).status


def urllib(url: str, policy: anyurl.Policy | None) -> int:
    from anyurl.adapters.urllib import opener

    with opener(policy).open(url) as response:
        return int(response.status)


def aiohttp(url: str, policy: anyurl.Policy | None) -> int:
    from anyurl.adapters.aiohttp import session

    async def main() -> int:
        async with session(policy) as web, web.get(url) as response:
            return int(response.status)

    return asyncio.run(main())


CLIENTS: dict[str, Callable[[str, anyurl.Policy | None], int]] = {
    "aiohttp": aiohttp, "httpx": httpx, "httpx2": httpx2, "requests": requests, "urllib": urllib, "urllib3": urllib3,
}  # fmt: skip


def main(name: str) -> str | None:
    """What is wrong, if anything is."""
    for module in ("ada_url", "click", "pycurl"):
        if find_spec(module) is not None:
            return f"{module} is installed, which no extra has asked for"
    server = HTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    fetch = CLIENTS[name]
    try:
        fetch(url, None)
    except anyurl.RefusedError as error:
        if error.verdict is None or error.verdict.code != "address-private":
            return f"refused for another reason: {error}"
    else:
        return f"{url} was not refused"
    if Answers.seen:
        return "what was refused has reached the server"
    if fetch(url, OPENED) != 200 or Answers.seen != 1:
        return "what the policy opens has not reached the server"
    return None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
