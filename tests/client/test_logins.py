"""The logins of a client: each for its origin, under the hop rule, its secret read when it is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyurl import AsyncClient, Client, Login, Policy, Secret, SecretFile, SecretVariable
from anyurl.client.logins import login_for, read_logins
from anyurl.client.secrets import MAX_SECRET_BYTES
from anyurl.dialogue import Entry
from anyurl.errors import AuthRequiredError, LocalFileError, URLSyntaxError
from anyurl.url import URL
from anyurl.values import CONFIGURATION, USER, Provenance
from tests.rows import each_row
from tests.servers import Connection, Part, Server, reply

TOKEN = b"Authorization: Bearer t0ken\r\n"


def leading(places: dict[str, str]) -> Part:
    def part(connection: Connection) -> None:
        while head := connection.head():
            to = places.get(head.split(b" ")[1].decode())
            lead = [] if to is None else [f"Location: {to}"]
            connection.send(reply(b"x", *lead, status="200 OK" if to is None else "302 Go"))

    return part


@pytest.fixture
def server() -> Iterator[Server]:
    places: dict[str, str] = {"/here": "/there"}
    with Server(leading({})) as other:
        places["/away"] = f"http://{other.authority}/x"
        places["/name"] = "http://localhost:1/x"
        with Server(leading(places)) as server:
            server.other = other  # type: ignore[attr-defined]
            yield server


def client_of(server: Server, **more: Any) -> Client:
    return Client(auth={f"http://{server.authority}": Login.bearer("t0ken")}, **more)


def heard(server: Server) -> list[bool]:
    """Of each request whether it came with the token."""
    heads = b"".join(server.received).split(b"\r\n\r\n")[:-1]
    return [TOKEN in head + b"\r\n" for head in heads]


@pytest.mark.promise("logins")
def test_a_login_goes_to_its_origin_and_to_no_other(server: Server) -> None:
    other: Server = server.other  # type: ignore[attr-defined]
    with client_of(server) as client:
        for path in ("", "here", "away"):
            client.get(f"http://{server.authority}/{path}").read()
        client.get(f"http://{other.authority}/").read()
    assert heard(server) == [True] * 4
    assert heard(other) == [False, False]


def test_every_client_and_verb(server: Server) -> None:
    url, auth = f"http://{server.authority}/", {f"http://{server.authority}/": Login.bearer("t0ken")}

    async def run() -> None:
        async with AsyncClient(auth=auth) as client:
            await (await client.get(url)).read()
            async for result in client.map([url]):
                assert result.error is None

    asyncio.run(run())
    with Client(auth=auth) as client:
        client.stat(url)
        client.put(url, b"")
        assert all(result.error is None for result in client.map([url, url], 2))
    assert len(heard(server)) == 6
    assert all(heard(server))


@pytest.mark.promise("logins")
@pytest.mark.parametrize("how", ["came_from", "entry", "document"])
def test_where_a_stranger_leads_no_login_goes(server: Server, how: str) -> None:
    """Attack: a page leads a program to its own API, with its own token."""
    url = f"http://{server.authority}/"
    stranger = Provenance("document", scope=None, scheme="gopher", host="127.0.0.1", port=70)
    entry = Entry("x", URL(url))
    entry.origin = stranger
    ways: dict[str, dict[str, Any]] = {
        "came_from": {"url": url, "came_from": "http://127.0.0.1/links.txt"},
        "entry": {"url": entry}, "document": {"url": url, "came_from": stranger},
    }  # fmt: skip
    with client_of(server, policy=Policy.open()) as client:
        resource = client.get(**ways[how])
        assert resource.read() == b"x"
        note = f"The login for http://{server.authority} was not sent: only your own URLs get it"
        assert [each.partition(",")[0] for each in resource.notes] == [note]
        client.get(url).read()
    assert heard(server) == [False, True]


@pytest.mark.promise("logins")
def test_a_hop_from_elsewhere_brings_no_login(server: Server) -> None:
    places = {"/": f"http://{server.authority}/"}
    with Server(leading(places)) as first, client_of(server) as client:
        client.get(f"http://{first.authority}/").read()
    assert heard(server) == [False]


ORIGINS = ["http://h.test", "http://h.test:81", "https://h.test", "http://i.test"]


@pytest.mark.parametrize("origin", ORIGINS)
def test_each_input_of_an_origin_alone_makes_another(origin: str) -> None:
    logins = read_logins({origin: Login("u", "p")})
    assert logins is not None
    found = [login_for(logins, URL(f"{each}/x"), USER)[0] is not None for each in ORIGINS]
    assert found == [each == origin for each in ORIGINS]
    assert login_for(logins, URL(origin.upper().replace("HTTP", "http") + "/"), CONFIGURATION)[0] == Login("u", "p")


@each_row(
    ("given", "error"),
    [
        ({"h.test:80": Login("u", "p")}, ValueError),
        ({"ftp://h.test": Login("u", "p")}, ValueError),
        ({"http://h.test/path": Login("u", "p")}, ValueError),
        ({"http://u:secret@h.test": Login("u", "p")}, ValueError),
        ({"http://h.test?x": Login("u", "p")}, ValueError),
        ({"http://h test": Login("u", "p")}, URLSyntaxError),
        ({"http://h.test": ("u", "p")}, TypeError),
        ([("http://h.test", Login("u", "p"))], TypeError),
    ],
)
def test_what_is_no_login_of_an_origin(given: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        Client(auth=given)
    assert "secret" not in str(caught.value)


class TestSecretsElsewhere:
    def test_a_file_is_read_each_time(self, server: Server, tmp_path: Path) -> None:
        path = tmp_path / "token"
        with Client(auth={f"http://{server.authority}": Login.bearer(SecretFile(path))}) as client:
            for text in ("one", "  two\n", "three\r\n"):
                path.write_text(text)
                client.get(f"http://{server.authority}/").read()
        said = [line for line in b"".join(server.received).split(b"\r\n") if line.startswith(b"Authorization")]
        assert said == [b"Authorization: Bearer one", b"Authorization: Bearer two", b"Authorization: Bearer three"]

    def test_a_variable(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MY_TOKEN", "t0ken")
        assert SecretVariable("MY_TOKEN").reveal() == "t0ken"
        assert SecretVariable("MY_TOKEN") == SecretVariable("MY_TOKEN") != SecretVariable("OTHER")
        with pytest.raises(LocalFileError, match="Reading the variable OTHER: it is empty"):
            SecretVariable("OTHER").reveal()

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (None, "no such file"),
            (b"\n", "it is empty"),
            (b"one\ntwo\n", "more than one line"),
            (b"a\x00b", "control character"),
            (b"x" * (MAX_SECRET_BYTES + 1), "more than 65,536 octets"),
        ],
    )
    def test_what_is_no_secret_is_an_error_before_anything_is_sent(
        self, server: Server, tmp_path: Path, content: bytes | None, message: str
    ) -> None:
        path = tmp_path / "token"
        if content is not None:
            path.write_bytes(content)
        with Client(auth={f"http://{server.authority}": Login.bearer(SecretFile(path))}) as client:
            with pytest.raises(LocalFileError, match=message):
                client.get(f"http://{server.authority}/")
        assert server.received == []

    def test_none_is_shown(self, tmp_path: Path) -> None:
        (tmp_path / "token").write_text("t0ken")
        kept = SecretFile(tmp_path / "token")
        assert kept == SecretFile(str(tmp_path / "token")) != Secret("")
        assert len({kept, SecretFile(tmp_path / "token")}) == 1
        for shown in (repr(kept), repr(Login.bearer(kept)), repr(Login.bearer(kept).revealed())):
            assert "t0ken" not in shown


def test_a_person_is_asked_for_the_password_of_a_login(server: Server) -> None:
    asked = []

    def ask(host: str, user: str, kind: str) -> Secret:
        asked.append((host, user, kind))
        return Secret("p")

    with Client(auth={f"http://{server.authority}": Login.basic("u")}, ask_secret=ask) as client:
        client.get(f"http://{server.authority}/").read()
    assert asked == [("127.0.0.1", "u", "http password")]
    assert b"Authorization: Basic dTpw\r\n" in server.received[0]


def test_nobody_is_asked_for_a_login_that_no_url_and_no_caller_names() -> None:
    def wants(connection: Connection) -> None:
        while connection.head():
            connection.send(reply(b"", 'WWW-Authenticate: Digest realm="x", nonce="y"', status="401 Who?"))

    def ask(host: str, user: str, kind: str) -> Secret:
        raise AssertionError("nobody should be asked")

    with Server(wants) as server, Client(ask_secret=ask) as client:
        with pytest.raises(AuthRequiredError, match="write the user into the URL"):
            client.get(f"http://{server.authority}/")
