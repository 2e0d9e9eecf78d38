"""Words that a person wrote for one server, over a redirect: its target is asked as the server wrote it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from contextlib import closing
from urllib.parse import urlencode

import pytest

from anyurl import AnyURLError, AsyncClient, Client, Policy, UnsupportedError, consent_to_all
from anyurl.world.certificate import self_signed, server_context
from tests.cli.runner import run
from tests.mcp.conftest import use
from tests.schemes.gemini.serving import end
from tests.servers import Connection, Server
from tests.web.running import running

pytestmark = pytest.mark.promise("hop")

WORDS = "my own words"
SENT = "my%20own%20words"
CERTIFICATE = self_signed("a test")


class Places:
    """Two Gemini servers: the first asks for words and leads on; what both were asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.leads_to = ""
        context = server_context(*CERTIFICATE)
        self.here = Server(self._part("here"), context=context)
        self.there = Server(self._part("there"), host="127.0.0.2", context=context)
        self.near = Server(self._part("near"), context=context)

    def _part(self, name: str) -> Callable[[Connection], None]:
        def part(link: Connection) -> None:
            path = "/" + link.line().decode("ascii").split("/", 3)[3]
            self.asked.append((name, path))
            link.send(self._answer(name, path).encode())
            end(link)

        return part

    def _answer(self, name: str, path: str) -> str:
        bare, _, query = path.partition("?")
        if bare in ("/ask", "/confirm") and not query:
            return "10 What is it?\r\n"
        if bare == "/ask":
            return f"30 {self.leads_to}\r\n"
        if bare == "/away":
            return f"31 gemini://{self.here.authority}/confirm\r\n"
        return "20 text/gemini\r\n=> /found A link\r\n"


@pytest.fixture(scope="module")
def running_places() -> Iterator[Places]:
    made = Places()
    with made.here, made.there, made.near:
        yield made


@pytest.fixture
def places(running_places: Places) -> Places:
    running_places.asked.clear()
    return running_places


def by_client(url: str) -> None:
    with Client() as client, client.search(url, WORDS) as found:
        contents(list(found.entries()) if found.kind == "listing" else [])


def contents(entries: list[object]) -> None:
    assert len(entries) < 2


def by_async_client(url: str) -> None:
    async def main() -> None:
        async with AsyncClient() as client:
            found = await client.search(url, WORDS)
            async with found:
                contents([entry async for entry in found.entries()] if found.kind == "listing" else [])

    asyncio.run(main())


def by_command(url: str) -> None:
    assert run("search", url, *WORDS.split()).exit_code == 0


def by_web(url: str) -> None:
    """With the table's own links: to sort it must not ask again with the words."""
    with running(policy=Policy.default()) as browser:
        fields = {**browser.go(url).form("view"), "words": WORDS}
        answer = browser.get("view?" + urlencode(fields))
        assert answer.status == 200
        for href in answer.links.values():
            if "sort=" in href:
                browser.get(href)
        assert WORDS not in answer.text.partition("<h1>")[2]


def by_model(url: str) -> None:
    with contextlib.suppress(AssertionError):
        use(lambda tools: tools.search(url, WORDS), Policy.untrusted().replace(allow_nets=["127.0.0.0/8"]))


DOORS = {
    "Client": by_client, "AsyncClient": by_async_client, "search": by_command, "web": by_web, "mcp": by_model
}  # fmt: skip

TARGETS = {
    "other host": ("there", "/landing?2"), "port": ("near", "/landing?2"), "same origin": ("here", "/landing?2"),
    "without a query": ("there", "/landing"), "a question": ("there", "/confirm"),
    "same question": ("here", "/confirm"), "there and back": ("there", "/away"),
}  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("target", TARGETS)
def test_the_target_is_asked_as_the_server_wrote_it(
    places: Places, door: str, target: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))  # the command keeps certificates
    name, path = TARGETS[target]
    server = {"here": places.here, "there": places.there, "near": places.near}[name]
    places.leads_to = f"gemini://{server.authority}{path}"
    DOORS[door](f"gemini://{places.here.authority}/ask")
    first = places.asked.index(("here", f"/ask?{SENT}"))
    led = places.asked[first + 1 :]
    assert led[0] == (name, path)
    assert not any(SENT in asked or "own" in asked for _, asked in led)


def test_an_index_that_has_moved_at_its_server_gets_the_words() -> None:
    """Gopher+ and Prospero say that the same thing is elsewhere now: no redirect names what is to be requested."""
    asked: list[bytes] = []

    def index(link: Connection) -> None:
        asked.append(link.line())
        if len(asked) == 1:
            link.send(f"--1\r\n3 Ada\r\n7Moved\t/index\t{server.host}\t{server.port}\r\n.\r\n".encode())
        else:
            link.send(b"0Found\t/found\th.example\t70\r\n.\r\n")

    with Server(index) as server, Client(Policy.default().replace(allow_ports=[server.port])) as client:
        with closing(client.search(f"gopher://{server.authority}/7/old%09%09+", WORDS)) as found:
            assert [entry.name for entry in found.entries()] == ["Found"]
    assert WORDS.encode() in asked[1]


def test_an_index_that_has_moved_to_another_server_is_named_and_gets_no_words() -> None:
    heard: list[bytes] = []

    with Server(lambda link: heard.append(link.line())) as there:

        def gone(link: Connection) -> None:
            link.line()
            link.send(f"--1\r\n3 Ada\r\n7Moved\t/index\t{there.host}\t{there.port}\r\n.\r\n".encode())

        with Server(gone) as here, Client(Policy.default().replace(allow_ports=[there.port, here.port])) as client:
            with pytest.raises(UnsupportedError) as caught:
                client.search(f"gopher://{here.authority}/7/index%09%09+", WORDS)
    assert not heard
    moved = f"gopher://{there.authority}/7/index"
    assert moved in str(caught.value)
    assert caught.value.__notes__ == [f"The index has moved to {moved}: another server, which did not get the words."]


GOPHER: dict[str, tuple[str, dict[str, object]]] = {
    "search": ("7/index", {"verb": "search", "words": WORDS}),
    "search of a Gopher+ index": ("7/index%09%09+", {"verb": "search", "words": WORDS}),
    "words in the URL": (f"7/index%09{SENT}", {}),
    "answers": ("0/form%09%09?", {"answers": (WORDS,)}),
    "an answered form": (f"0/form%09%09+%091%0D%0A+-1%0D%0A{SENT}%0D%0A.%0D%0A", {}),
}
"""What a person wrote for one Gopher server, and how."""

FORM = b"+-1\r\n+INFO: 0Form\t/form\th\t70\t?\r\n+ASK:\r\n Ask: Name?\r\n.\r\n"


@pytest.mark.parametrize("client", ["Client", "AsyncClient"])
@pytest.mark.parametrize("way", GOPHER)
@pytest.mark.parametrize("leads", ["a link of the web page", "a menu", "the server has moved, says its reply"])
def test_what_was_written_for_a_gopher_server_goes_to_no_other(way: str, client: str, leads: str) -> None:
    """A gopher menu is listed and not followed; a Gopher+ item that has moved is asked for as its server names it."""
    heard: list[bytes] = []
    asked: list[bytes] = []

    def there(link: Connection) -> None:
        line = link.line()
        heard.append(line)
        link.send(FORM if b"\t!" in line else b"+-1\r\nhere\r\n.\r\n")

    with Server(there, host="127.0.0.2") as other:
        place = f"{other.host}\t{other.port}"

        def here(link: Connection) -> None:
            line = link.line()
            asked.append(line)
            if b"\t!" in line:
                link.send(FORM)
            elif leads == "a menu":
                link.send(f"0Elsewhere\t/found\t{place}\r\n.\r\n".encode())
            elif leads == "a link of the web page":
                link.send(f"hElsewhere\tURL:http://{other.authority}/\t{place}\r\n.\r\n".encode())
            else:
                kind = path[0]  # what has moved is of the type that was asked for
                link.send(f"--1\r\n3 Ada\r\n{kind}Moved\t/found\t{place}\r\n.\r\n".encode())

        path, options = GOPHER[way]
        with Server(here) as server:
            policy = Policy.default().replace(allow_ports=[server.port, other.port])
            url = f"gopher://{server.authority}/{path}"
            with contextlib.suppress(AnyURLError):
                opened(client, policy, url, options)
    assert asked
    assert not any(b"own" in line for line in heard)


def opened(client: str, policy: Policy, url: str, options: dict[str, object]) -> None:
    if client == "Client":
        with Client(policy, ask_consent=consent_to_all) as made, made.open(url, **options) as resource:  # type: ignore[arg-type]
            list(resource.entries()) if resource.kind == "listing" else resource.read()
        return

    async def main() -> None:
        async with AsyncClient(policy, ask_consent=consent_to_all) as made, await made.open(url, **options) as resource:  # type: ignore[arg-type]
            if resource.kind == "listing":
                assert [entry async for entry in resource.entries()]
            else:
                await resource.read()

    asyncio.run(main())
