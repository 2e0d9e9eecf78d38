"""The matrix of anyurl's own doors: what each carries of its user's, over each relation of two origins."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from anyurl import AsyncClient, Client, Login, Policy, Secret
from anyurl.errors import AnyURLError
from tests.cli.runner import run
from tests.hop.places import BASIC, FOREIGN, SECRET, START, Places, look_up, places
from tests.mcp.conftest import use
from tests.proxy.running import running as proxy_running
from tests.web.running import running as web_running

pytestmark = pytest.mark.promise("hop")


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Places]:
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    folder = tmp_path_factory.getbasetemp() / "authority"
    folder.mkdir(exist_ok=True)
    with places(folder) as world:
        yield world


class Carried:
    """What a client is given, and what its request is."""

    def __init__(self, world: Places, kind: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.world = world
        self.client: dict[str, Any] = {"ca_file": world.authority.ca_file}
        self.request: dict[str, Any] = {}
        self.user = ""
        getattr(self, "_" + kind.replace(" ", "_").replace("-", "_").lower())(folder, patch)

    def _authorization_field(self, *_: Any) -> None:
        self.request["headers"] = {"aUTHORIZATION": BASIC}

    def _cookie_field(self, *_: Any) -> None:
        self.request["headers"] = {"cOOKIE": f"sid={SECRET}"}

    def _api_key_field(self, *_: Any) -> None:
        self.request["headers"] = {"X-aPI-kEY": SECRET, "X-Plain": Secret(SECRET)}

    def _proxy_login_field(self, *_: Any) -> None:
        self.request["headers"] = {"Proxy-aUTHORIZATION": BASIC}

    def _login(self, *_: Any) -> None:
        self._for_start(Login("joe", SECRET))

    def _basic_login(self, *_: Any) -> None:
        self._for_start(Login.basic("joe", SECRET))

    def _bearer(self, *_: Any) -> None:
        self._for_start(Login.bearer(SECRET))

    def _for_start(self, login: Login) -> None:
        scheme, host, port = self.world.own
        self.client["auth"] = {f"{scheme}://{host}:{port}": login}

    def _login_in_the_url(self, *_: Any) -> None:
        self.user = f"joe:{SECRET}@"

    def _asked_login(self, *_: Any) -> None:
        self.user = "joe@"
        self.client["ask_secret"] = lambda host, user, kind: Secret(SECRET) if host == START else None

    def _netrc(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.user = "joe@"
        file = folder / "netrc"
        file.write_text("".join(f"machine {host} login joe password {SECRET}\n" for host in
                                (START, "other.test", "below.start.test")))  # fmt: skip
        file.chmod(0o600)
        patch.setenv("NETRC", str(file))

    def _cookie_of_the_host(self, *_: Any) -> None:
        self.client["cookies"] = True

    def _certificate(self, *_: Any) -> None:
        self.client["cert"] = self.world.authority.client_file

    def _words(self, *_: Any) -> None:
        self.request["query"] = {"words": SECRET}

    @property
    def url(self) -> str:
        return self.world.start.replace("://", f"://{self.user}")


KINDS = {
    "authorization field": (False, ""), "cookie field": (False, ""), "api-key field": (False, ""),
    "proxy login field": (False, ""), "login": (True, ""), "basic login": (True, ""), "bearer": (False, ""),
    "login in the URL": (True, ""), "asked login": (True, ""), "netrc": (True, ""),
    "cookie of the host": (False, f"sid={SECRET}; Path=/"), "certificate": (False, ""), "words": (False, ""),
}  # fmt: skip
"""Whether the servers ask for a login, and what cookie the first one sets."""


def by_client(what: Carried) -> None:
    with Client(Policy.default(), **what.client) as client, client.get(what.url, **what.request) as resource:
        resource.read()


def by_async_client(what: Carried) -> None:
    async def main() -> None:
        async with AsyncClient(Policy.default(), **what.client) as client:
            async with await client.get(what.url, **what.request) as resource:
                await resource.read()

    asyncio.run(main())


def by_map(what: Carried) -> None:
    with Client(Policy.default(), **what.client) as client:
        for result in client.map([what.url, what.url], **what.request):
            if result.resource is not None:
                with suppress(AnyURLError), result.resource as resource:
                    resource.read()


def by_mirror(what: Carried) -> None:
    with Client(Policy.default(), **what.client) as client:
        list(client.mirror(what.url, Path(what.world.authority.ca_file).parent / "mirror"))


def by_web(what: Carried) -> None:
    with web_running(policy=Policy.default(), **what.client) as browser:
        browser.go(what.url)


def by_model(what: Carried) -> None:
    use(lambda tools: tools.fetch(what.url))


DOORS: dict[str, tuple[Callable[[Carried], None], tuple[str, ...]]] = {
    "Client": (by_client, tuple(KINDS)),
    "AsyncClient": (by_async_client, tuple(KINDS)),
    "map": (by_map, tuple(KINDS)),
    "mirror": (by_mirror, ("login", "basic login", "bearer", "login in the URL", "netrc", "cookie of the host",
                           "certificate")),
    "web": (by_web, ("login", "basic login", "bearer", "login in the URL", "netrc", "cookie of the host",
                     "certificate")),
    "mcp": (by_model, ("netrc", "login in the URL")),
}  # fmt: skip
"""Each door, and what it can carry."""

CELLS = [(door, kind) for door, (_, kinds) in DOORS.items() for kind in kinds]


@pytest.mark.parametrize(("door", "kind"), CELLS)
def test_nothing_of_the_users_reaches_another_origin(
    world: Places, door: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks, sets = KINDS[kind]
    told = {}
    for relation in FOREIGN:
        if kind == "certificate" and relation == "TLS to clear":
            continue
        if kind == "cookie of the host" and relation in ("port", "TLS to clear", "clear to TLS"):
            continue  # a cookie is for all ports of its host (RFC 6265bis 8.5)
        world.begin(relation, tls=kind == "certificate", asks=asks, sets=sets)
        what = Carried(world, kind, tmp_path, monkeypatch)
        with suppress(AnyURLError):
            DOORS[door][0](what)
        assert world.heard or (door, relation) == ("mcp", "TLS to clear"), relation  # the model's client trusts no test
        if found := world.told():
            told[relation] = found
        if door != "mcp" and not (asks and door in ("mirror", "web")):
            assert world.reached() == (relation != "TLS to clear"), (relation, [each.head for each in world.heard])
    assert told == {}


GOES_ALONG = ("authorization field", "api-key field", "login", "basic login", "bearer", "login in the URL",
              "asked login", "netrc", "cookie of the host", "certificate")  # fmt: skip


@pytest.mark.parametrize("door", ["Client", "AsyncClient", "map"])
@pytest.mark.parametrize("kind", GOES_ALONG)
def test_at_the_same_origin_it_goes_along(
    world: Places, door: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks, sets = KINDS[kind]
    world.begin("same origin", tls=kind == "certificate", asks=asks, sets=sets)
    what = Carried(world, kind, tmp_path, monkeypatch)
    with suppress(AnyURLError):
        DOORS[door][0](what)
    assert world.arrived()


@pytest.mark.parametrize("relation", FOREIGN)
def test_a_token_of_check_goes_to_its_origin_only(
    world: Places, relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.begin(relation)
    scheme, host, port = world.own
    monkeypatch.setenv("TOKEN_OF_JOE", SECRET)
    monkeypatch.setenv("SSL_CERT_FILE", world.authority.ca_file)
    origin = f"{scheme}://{host}:{port}"
    run("check", "--token", f"{origin}=$TOKEN_OF_JOE", "--ca-file", world.authority.ca_file, world.start)
    assert any(SECRET.encode() in each.head for each in world.heard)
    assert world.told() == []


def test_the_login_for_a_proxy_goes_to_no_origin(world: Places) -> None:
    world.begin("other host")
    with proxy_running() as proxy, socket.create_connection(("127.0.0.1", proxy.port)) as link:
        link.settimeout(10)
        place = world.start.partition("://")[2].partition("/")[0]
        head = (
            f"GET {world.start} HTTP/1.1\r\nHost: {place}\r\npROXY-aUTHORIZATION: {BASIC}\r\nConnection: close\r\n\r\n"
        )
        link.sendall(head.encode())
        while link.recv(65536):
            pass
    assert [each.path for each in world.heard] == ["/start"]
    assert world.heard[0].secrets == []
