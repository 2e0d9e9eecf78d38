"""Redirections: each hop is judged anew, and nothing goes where its owner did not send it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import AsyncClient, Client, Policy
from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    LimitError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    UnsupportedError,
)
from anyurl.net.wire.connector import Network
from anyurl.testing import SmallNetwork
from tests.cli.runner import run
from tests.servers import Connection, Part, Server, certificate, reply

PUBLIC, OTHER, PRIVATE = "93.184.216.34", "151.101.1.69", "10.0.0.7"


def leading(places: dict[str, str], *, login: bool = False) -> Part:
    """A server that leads from each of these paths to a place, and answers the path at all others.

    Args:
        login: It wants one first.
    """

    def part(connection: Connection) -> None:
        while head := connection.head():
            path = head.split(b" ")[1].decode()
            if login and b"Authorization" not in head:
                connection.send(reply(b"", 'WWW-Authenticate: Basic realm="x"', status="401 Who?"))
            elif path in places:
                connection.send(reply(b"moved", f"Location: {places[path]}", status="301 Moved"))
            else:
                connection.send(reply(path.encode()))

    return part


@pytest.fixture
def client() -> Iterator[Client]:
    with Client() as client:
        yield client


def test_hops_are_followed_and_told(client: Client) -> None:
    with Server(leading({"/1": "/2", "/2": "3?x=%7e", "/3?x=%7e": "/a%2Fb"})) as server:
        resource = client.get(f"http://{server.authority}/1#part")
        assert resource.read() == b"/a%2Fb"
        assert [hop.url.path for hop in resource.history] == ["/1", "/2", "/3"]
        assert all(hop.permanent and hop.reason == "301" for hop in resource.history)
        assert resource.url.path == "/a%2Fb"


def test_the_clock_of_the_whole_does_not_begin_anew_with_a_hop() -> None:
    """Or ten hops would make half an hour of the five minutes of `Policy.untrusted`."""
    asked: list[float] = []

    def part(connection: Connection) -> None:
        while head := connection.head():
            asked.append(time.monotonic())
            if b" /2 " in head:
                connection.send(reply(b"x"))
            else:
                connection.send(reply(b"", "Location: /2", status="302 Found"))

    policy = Policy.default()
    with Server(part) as server, Client(policy.replace(limits=policy.limits.replace(total=100.0))) as client:
        for eager in (False, True):
            url = f"http://{server.authority}/1"
            resource = next(client.map([url])).resource if eager else client.open(url)
            assert resource is not None
            resource.close()
            deadline = resource._stream.deadline
            assert deadline is not None
            assert deadline < asked[-2] + 100.0  # it was set before the first request was sent
            assert len(resource.history) == 1


@pytest.mark.parametrize(
    ("places", "limit"),
    [
        ({"/": "/"}, "redirects"),
        ({"/": "/1", "/1": "/2", "/2": "/"}, "redirects"),
        ({"/" + "x" * number: "/" + "x" * (number + 1) for number in range(30)}, "redirects"),
    ],
    ids=["to itself", "in a circle", "for ever"],
)
def test_hops_have_an_end(client: Client, places: dict[str, str], limit: str) -> None:
    with Server(leading(places)) as server:
        with pytest.raises(LimitError) as caught:
            client.get(f"http://{server.authority}/")
        assert caught.value.limit == limit
        (result,) = client.map([f"http://{server.authority}/"])
        assert isinstance(result.error, LimitError)
        assert sum(bytes(received).count(b"GET") for received in server.received) <= 2 * 11


def test_a_server_that_wants_its_cookie_back_is_no_circle(client: Client) -> None:
    """It would answer the second time to who keeps cookies: that is what is said."""

    def part(connection: Connection) -> None:
        while connection.head():
            connection.send(reply(b"again", "Location: /", "Set-Cookie: seen=1", status="302 Found"))

    with Server(part) as server, pytest.raises(LimitError, match="requires a cookie, and cookies are off"):
        client.get(f"http://{server.authority}/")


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other"])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_form_that_leads_back_to_itself_gives_its_answer(client: Client, status: str, asynchronous: bool) -> None:
    """Post/Redirect/Get to the same URL, the pattern of web forms: the second request is another one."""
    asked: list[bytes] = []

    def part(connection: Connection) -> None:
        while head := connection.head():
            asked.append(head.split(b" ")[0])
            if asked[-1] == b"GET":
                connection.send(reply(b"thanks"))
            else:
                connection.take(3)
                connection.send(reply(b"", "Location: /form", status=status))

    async def post() -> bytes:
        async with AsyncClient() as there:
            return await (await there.request("POST", f"http://{server.authority}/form", form={"a": "b"})).read()

    with Server(part) as server:
        if asynchronous:
            assert asyncio.run(post()) == b"thanks"
        else:
            assert client.request("POST", f"http://{server.authority}/form", form={"a": "b"}).read() == b"thanks"
    assert asked == [b"POST", b"GET"]


@pytest.mark.parametrize(("times", "way"), [(1, ["/x"]), (1, ["/x", "/y"])])
def test_a_url_may_come_twice_and_no_oftener(client: Client, times: int, way: list[str]) -> None:
    asked: list[str] = []

    def part(connection: Connection) -> None:
        while head := connection.head():
            asked.append(head.split(b" ")[1].decode())
            if len(asked) > times * len(way) and stops:
                connection.send(reply(b"at last"))
            else:
                connection.send(reply(b"", f"Location: {way[len(asked) % len(way)]}", status="302 Found"))

    with Server(part) as server:
        stops = True
        assert client.get(f"http://{server.authority}/x").read() == b"at last"
        stops = False
        asked.clear()
        with pytest.raises(LimitError, match="/x was requested 2 times, and is redirected to itself again"):
            client.get(f"http://{server.authority}/x")
    assert asked.count("/x") == 2


@pytest.mark.parametrize("limit", [0, 1, 10])
def test_so_many_hops_and_no_more(limit: int) -> None:
    policy = Policy.default()
    policy = policy.replace(limits=policy.limits.replace(redirects=limit))
    places = {f"/{number}": f"/{number - 1}" for number in range(1, limit + 2)}
    with Server(leading(places)) as server, Client(policy) as client:
        assert client.get(f"http://{server.authority}/{limit}").read() == b"/0"
        with pytest.raises(LimitError):
            client.get(f"http://{server.authority}/{limit + 1}")
        asked = [bytes(received).count(b"GET") for received in server.received]
    assert sum(asked) == (limit + 1) + (limit + 1)  # the last of the second journey was not asked for


def test_what_the_user_may_reach_vouches_for_nobody_elses_hop() -> None:
    """The inner host was approved a moment ago, for the user: a public server that leads there gets nothing of it."""
    with Server(leading({})) as inner, Server(leading({"/": "http://inner.test:4000/secret"})) as outer:
        network = SmallNetwork(
            {"inner.test": [PRIVATE], "outer.test": [PUBLIC]},
            {(PRIVATE, 4000): (inner.host, inner.port), (PUBLIC, 80): (outer.host, outer.port)},
        )
        with Client(network=network) as client:
            assert client.get("http://inner.test:4000/own").read() == b"/own"
            with pytest.raises(RefusedError):
                client.get("http://outer.test/")
            (result,) = client.map(["http://outer.test/"])
            assert isinstance(result.error, RefusedError)
        assert [bytes(received).count(b"GET") for received in inner.received] == [1]


@pytest.mark.parametrize(
    ("place", "error"),
    [
        ("file:///etc/passwd", RefusedError),
        ("ftp://127.0.0.1/x", RefusedError),
        ("gopher://127.0.0.1/", RefusedError),
        ("mailto:me@example.org", RefusedError),
        ("data:text/plain,x", (RefusedError, RemoteProtocolError)),
        ("http://127.0.0.1:25/", RefusedError),
        ("http://h/%zz\\..", RemoteProtocolError),
        ("http://[", RemoteProtocolError),
        ("", ReplyError),
    ],
)
def test_places_that_nobody_is_led_to(client: Client, place: str, error: type[AnyURLError]) -> None:
    with Server(leading({"/": place})) as server, pytest.raises(error):
        client.get(f"http://{server.authority}/")


def test_who_led_a_request_to_another_scheme_is_told(client: Client) -> None:
    with Server(leading({"/": "gopher://h/"})) as server, pytest.raises(UnsupportedError) as caught:
        client.request("GET", f"http://{server.authority}/", headers=[("X", "y")])
    assert str(caught.value).startswith("gopher://h/, to which the server at http://127.0.0.1 leads, is not an HTTP")


@pytest.mark.parametrize("how", ["address", "name", "mapped"])
def test_a_public_server_leads_to_no_private_one(how: str) -> None:
    place = {"address": PRIVATE, "name": "inside.test", "mapped": f"[::ffff:{PRIVATE}]"}[how]
    with Server(leading({"/": f"http://{place}/secret"})) as server:
        network = SmallNetwork(
            {"public.test": [PUBLIC], "inside.test": [PRIVATE]}, {(PUBLIC, 80): (server.host, server.port)}
        )
        with Client(Policy.default(), network=network) as client:
            with pytest.raises(RefusedError):
                client.get("http://public.test/")
            (result,) = client.map(["http://public.test/"])
            assert isinstance(result.error, RefusedError)
    assert set(network.connected) == {(PUBLIC, 80)}


def test_a_public_server_leads_to_another(client: Client) -> None:
    with Server(leading({"/": "http://other.test/x"})) as one, Server(leading({})) as two:
        network = SmallNetwork(
            {"public.test": [PUBLIC], "other.test": [OTHER]},
            {(PUBLIC, 80): (one.host, one.port), (OTHER, 80): (two.host, two.port)},
        )
        with Client(Policy.untrusted(), network=network) as other:
            assert other.get("http://public.test/").read() == b"/x"


def test_https_leads_to_no_http(tmp_path: Path) -> None:
    network = Network(lambda host: ["127.0.0.1"])
    with (
        certificate(tmp_path, "good.test") as (context, path),
        Server(leading({})) as plain,
        Server(leading({"/": f"http://good.test:{plain.port}/"}), context=context) as server,
        Client(network=network, ca_file=path) as client,
    ):
        with pytest.raises(RefusedError, match=r"was reached over TLS and may not lead to http://good\.test:"):
            client.get(f"https://good.test:{server.port}/")
        assert not plain.received


def test_a_login_stays_in_its_origin(client: Client) -> None:
    with Server(leading({})) as other:
        places = {"/": "/here", "/away": f"http://{other.authority}/x", "/back": f"http://w:q@{other.authority}/y"}
        with Server(leading(places, login=True)) as server:
            for path in ("", "away", "back"):
                client.get(f"http://u:p@{server.authority}/{path}").read()
            assert b"".join(server.received).count(b"Authorization: Basic dTpw\r\n") == 4
        assert all(b"Authorization" not in received for received in other.received)


def test_nothing_is_put_where_a_server_points_to(client: Client) -> None:
    def part(connection: Connection) -> None:
        head = connection.head()
        connection.take(int(head.partition(b"Content-Length: ")[2].split(b"\r\n")[0]))
        connection.send(reply(b"", f"Location: http://{other.authority}/", status="307 There"))

    with Server(leading({})) as other, Server(part) as server:
        with pytest.raises(ReplyError):
            client.put(f"http://{server.authority}/", b"secret")
        assert not other.received


async def _error_of(url: str) -> AnyURLError:
    async with AsyncClient() as client:
        with pytest.raises(AnyURLError) as caught:
            await client.get(url)
    return caught.value


def test_what_a_hop_dropped_is_told_with_an_error_too(client: Client) -> None:
    """It may be what is missed now: a login that the server wrote itself."""

    def part(connection: Connection) -> None:
        while head := connection.head():
            if b"GET /1 " in head:
                to = f"Location: http://mallory:pw@{server.authority}/2"
                connection.send(reply(b"", to, status="302 Found"))
            elif b"GET /2 " in head:
                connection.send(reply(b"", "Location: /3", status="302 Found"))
            else:
                connection.send(reply(b"", 'WWW-Authenticate: Basic realm="x"', status="401 Who?"))

    with Server(part) as server:
        url = f"http://{server.authority}/1"
        dropped = (
            f"The user and password in http://{server.authority}/2, which the server at http://127.0.0.1 wrote, were "
        )
        with pytest.raises(AuthRequiredError) as caught:
            client.get(url)
        (result,) = client.map([url])
        for error in (caught.value, result.error, asyncio.run(_error_of(url))):
            assert isinstance(error, AuthRequiredError)
            assert error.__notes__ == [f"{dropped}dropped: only yours are sent."]
        told = run("get", url)
        assert f"note: {dropped}" in told.stderr
        assert "mallory" not in told.stderr
