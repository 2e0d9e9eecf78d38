"""What the guard costs under another client: instructions of one small request on a kept connection, by callgrind.

Rule: the same client, server and URL, with the adapter and without. `python bench/adapters.py [CLIENT...]` prints a row
for each, and ends with 1 when a guarded request takes more than 5 % more: 10 % with urllib, which keeps no connections.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from instructions import instructions, servers

AT_MOST = 1.05
WITH_CONNECTION = {"urllib": 1.10}
"""Clients that open a connection for each request: its peer is compared each time."""

CLIENTS: dict[str, tuple[str, str, str]] = {
    # the client: with the guard, without it, and one request
    "httpx": (
        "from anyurl.adapters.httpx import client; web = client(policy)",
        "import httpx; web = httpx.Client(trust_env=False)",
        "web.get(url).content",
    ),
    "httpx async": (
        "from anyurl.adapters.httpx import async_client; web = async_client(policy)",
        "import httpx; web = httpx.AsyncClient(trust_env=False)",
        "(await web.get(url)).content",
    ),
    "httpx2": (
        "from anyurl.adapters.httpx2 import client; web = client(policy)",
        "import httpx2; web = httpx2.Client(trust_env=False)",
        "web.get(url).content",
    ),
    "requests": (
        "from anyurl.adapters.requests import session; web = session(policy)",
        "import requests; web = requests.Session(); web.trust_env = False",
        "web.get(url).content",
    ),
    "urllib3": (
        "from anyurl.adapters.urllib3 import GuardedPoolManager; web = GuardedPoolManager(policy)",
        "import urllib3; web = urllib3.PoolManager()",
        "web.request('GET', url).data",
    ),
    "aiohttp": (
        "from anyurl.adapters.aiohttp import session; web = session(policy)",
        "import aiohttp; web = aiohttp.ClientSession()",
        "await (await web.get(url)).read()",
    ),
    "urllib": (
        "from anyurl.adapters.urllib import opener; web = opener(policy)",
        "import urllib.request; web = urllib.request.build_opener(urllib.request.ProxyHandler({}))",
        "web.open(url).read()",
    ),
}

SCRIPT = """
import asyncio, sys
from anyurl import Policy
policy, url = Policy.untrusted().replace(allow_nets=["127.0.0.1/32"]), sys.argv[1]
async def main():
    {made}
    for _ in range(int(sys.argv[2])):
        assert {request}
    {closed}
asyncio.run(main())
"""


def script(name: str, guarded: bool) -> str:
    """The program that is counted."""
    with_guard, without, request = CLIENTS[name]
    closed = {"httpx async": "await web.aclose()", "aiohttp": "await web.close()"}.get(name, "")
    return SCRIPT.format(made=with_guard if guarded else without, request=request, closed=closed)


def main() -> None:
    """Measure, print, and say by the exit code whether each is within the gate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=", ".join(CLIENTS))
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    few, many = (20, 120) if arguments.quick else (50, 550)
    broken = False
    with tempfile.TemporaryDirectory() as folder, servers(Path(folder)) as urls:
        for name in arguments.clients or CLIENTS:
            each = []
            for guarded in (False, True):
                counts = [instructions(sys.executable, script(name, guarded), urls["http"], n) for n in (few, many)]
                each.append((counts[1] - counts[0]) / (many - few) / 1000)
            share = each[1] / each[0]
            most = WITH_CONNECTION.get(name, AT_MOST)
            broken |= share > most
            row = f"| {name} | {each[0]:.0f} | {each[1]:.0f} | {share - 1:+.1%} | <= {most - 1:.0%} |"
            print(row + ("  BROKEN" if share > most else ""), flush=True)
    sys.exit(broken)


if __name__ == "__main__":
    main()
