"""The matrix of the adapters: what each client has of its user's, over each relation of two origins.

By the factory nothing reaches another origin. With the adapter alone a cell of the table in docs/guard-your-client.md
says what the wire shows.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.table import CLIENTS, OF_A_HOP, cell
from tests.hop.carriers import ALONE, FACTORIES, Carried, Carrier
from tests.hop.places import BASIC, FOREIGN, SECRET, Places, look_up, places

pytestmark = [
    pytest.mark.promise("hop"),
    pytest.mark.filterwarnings("ignore:.*:DeprecationWarning"),  # of aiohttp and httpx: what works is tried
]

CARRIED: dict[str, list[dict[str, Any]]] = {
    "an `Authorization` field": [
        {"fields": {"aUTHORIZATION": BASIC}},
        {"client_fields": {"Authorization": BASIC}},
        {"fields": {"Authorization": BASIC}, "retry": ["X-Other"]},
        {"client_fields": {"authorization": BASIC}, "retry": []},
    ],
    "a login given as `auth=`": [{"basic": True}, {"client_basic": True}],
    "an answer to a Digest challenge": [{"digest": True}, {"client_digest": True}],
    "a `Cookie` field": [
        {"fields": {"cOOKIE": f"sid={SECRET}"}},
        {"client_fields": {"Cookie": f"sid={SECRET}"}},
        {"fields": {"Cookie": f"sid={SECRET}"}, "retry": ["X-Other"]},
    ],
    "a cookie that is for no host": [{"cookies": True}, {"request_cookies": True}],
    "a cookie of one host": [{"keeps_cookies": True}],
    "a `Proxy-Authorization` field": [
        {"fields": {"pROXY-Authorization": BASIC}}, {"fields": {"Proxy-Authorization": BASIC}, "retry": []}
    ],
    "a field such as `X-Api-Key`": [{"fields": {"X-aPI-Key": SECRET}}, {"client_fields": {"X-Auth-Token": SECRET}}],
    "the words of `params=`": [{"query": True}],
    "a client certificate": [{"cert": True}, {"cert": True, "certificate_files": True}],
}  # fmt: skip
"""The rows of the table, and the ways in which a client has it."""

NONE = {
    "a login given as `auth=`": ("urllib3",), "an answer to a Digest challenge": ("urllib3",),
    "a cookie that is for no host": ("urllib3",), "a cookie of one host": ("urllib3",),
}  # fmt: skip
"""What a client does not know."""

_WITH_OPTIONS = ("httpx", "httpx, async", "httpx2", "httpx2, async", "requests", "aiohttp")

ONLY = {
    "basic": _WITH_OPTIONS, "digest": _WITH_OPTIONS, "request_cookies": _WITH_OPTIONS,
    "certificate_files": ("urllib3",), "retry": ("urllib3",),
}  # fmt: skip
"""Options that only some clients have."""

AT_STANDARD_PORTS = {("an `Authorization` field", "requests"), ("a login given as `auth=`", "requests")}
"""What a client alone takes from http to https, where both are at their own ports: no port 0 shows that."""

SET = f"sid={SECRET}; Path=/"
GOES_ALONG = ("port", "TLS to clear", "clear to TLS")
"""Relations that are none to a cookie of a host (RFC 6265 8.5)."""


EVERY = 1 if os.environ.get("ANYURL_SLOW") else 3
"""Which cells of a factory are tried: ANYURL_SLOW has them all. Each client, and each kind, begins at another one."""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what a client alone would read."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    folder = tmp_path_factory.getbasetemp() / "authority"
    folder.mkdir(exist_ok=True)
    with places(folder) as world:
        yield world
        gc.collect()  # frames of errors hold connections


@pytest.fixture
def world(running: Places, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return running


def ways(kind: str, client: str) -> list[dict[str, Any]]:
    """How a client may have it."""
    if client in NONE.get(kind, ()):
        return []
    return [way for way in CARRIED[kind] if all(client in ONLY.get(name, CLIENTS) for name in way)]


def try_cell(world: Places, carrier: Carrier, relation: str, way: dict[str, Any]) -> None:
    """One cell: the client arrives where it is led to, or it gets an error."""
    what = Carried(**way)
    what.authority = world.authority
    asks = not way.keys().isdisjoint({"digest", "client_digest", "basic", "client_basic"})
    world.begin(relation, tls=what.cert, asks=asks, sets=SET if what.keeps_cookies else "")
    try:
        carrier(world.start, what)
    except Exception:  # what the wire shows counts
        pass


def cells(kind: str, client: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The ways of a client, each with the relations in which it must leave everything behind."""
    for way in ways(kind, client):
        left_out = ("TLS to clear",) if "cert" in way else GOES_ALONG if "keeps_cookies" in way else ()
        yield from ((way, relation) for relation in FOREIGN if relation not in left_out)


def told(world: Places, carrier: Carrier, way: dict[str, Any], relation: str) -> list[str]:
    """What another origin hears in one cell."""
    try_cell(world, carrier, relation, way)
    assert world.heard, (way, relation)
    if relation != "TLS to clear":
        assert world.reached(), (way, relation)
    return world.told()


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("kind", CARRIED)
def test_by_the_factory_nothing_reaches_another_origin(world: Places, kind: str, client: str) -> None:
    begin = [*CARRIED].index(kind) + [*CLIENTS].index(client)
    for way, relation in [*cells(kind, client)][begin % EVERY :: EVERY]:
        assert told(world, FACTORIES[client], way, relation) == [], (way, relation)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("kind", CARRIED)
def test_the_adapter_alone_leaves_behind_what_the_page_says(world: Places, kind: str, client: str) -> None:
    if not ways(kind, client):
        assert cell(kind, client) == "none"
        return
    leaks = (each for each in cells(kind, client) if told(world, ALONE[client], *each))
    found = next(leaks, None)  # one is enough
    is_closed = found is None and (kind, client) not in AT_STANDARD_PORTS
    assert {False: "by the factory", True: "closed"}[is_closed] == cell(kind, client), found


STAY_HERE = ("a `Cookie` field", "a `Proxy-Authorization` field", "the words of `params=`")
"""What no redirect takes along: clients write it for one request."""


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("kind", [kind for kind in CARRIED if kind not in STAY_HERE])
def test_at_the_same_origin_it_goes_along(world: Places, kind: str, client: str) -> None:
    """The other half: nothing is taken from who has a right to it."""
    for way in ways(kind, client):
        if "request_cookies" in way:
            continue
        try_cell(world, FACTORIES[client], "same origin", way)
        assert world.arrived(), (way, [each.head for each in world.heard])


@pytest.mark.parametrize("client", [client for client in CLIENTS if client != "urllib3"])
@pytest.mark.parametrize("relation", [relation for relation in GOES_ALONG if relation != "TLS to clear"])
def test_a_cookie_of_a_host_is_for_all_its_ports(world: Places, client: str, relation: str) -> None:
    try_cell(world, FACTORIES[client], relation, {"keeps_cookies": True})
    assert world.arrived()


def test_at_the_standard_ports_of_http_and_https(tmp_path: Path) -> None:
    """httpx and requests take an upgrade to TLS for the same place."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.hop.standard_ports", str(tmp_path)], cwd=Path(__file__).parents[2],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if done.returncode == 3:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["factory"] == []
    assert {tuple(each) for each in found["alone"]} >= AT_STANDARD_PORTS
    assert all(cell(kind, client) == "by the factory" for kind, client in found["alone"])


def test_the_page_has_each_row() -> None:
    assert list(CARRIED) == list(OF_A_HOP)
