"""The jar: what is kept, where it goes, and what the hop rule keeps back (RFC 6265bis 5.7 and 5.8)."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyurl import AsyncClient, Client, CookieJar, Policy
from anyurl.client import cookies
from anyurl.dialogue import Entry
from anyurl.errors import LimitError
from anyurl.net.wire.connector import Network
from anyurl.url import URL
from anyurl.values import Provenance
from tests.cli.runner import run
from tests.rows import each_row
from tests.servers import Connection, Part, Server, certificate, reply


class Clock:
    """A time that the test makes."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def sent(jar: CookieJar, url: str, **how: bool) -> str:
    header = jar.header(URL(url), **how)
    return "" if header is None else header.reveal()


def kept(set_at: str, *fields: str) -> CookieJar:
    jar = CookieJar()
    jar.store(URL(set_at), fields)
    return jar


@pytest.mark.promise("cookies")
@each_row(
    ("set_at", "field", "goes", "stays"),
    [
        # host-only and Domain
        ("http://a.shop.example/", "x=1", ["http://a.shop.example/", "http://a.shop.example:81/"],
         ["http://shop.example/", "http://b.a.shop.example/", "http://b.shop.example/"]),
        ("http://a.shop.example/", "x=1; Domain=shop.example",
         ["http://a.shop.example/", "http://shop.example/", "http://b.c.shop.example/"],
         ["http://bigshop.example/", "http://shop.example.org/", "http://example/"]),
        ("http://SHOP.example/", "x=1; Domain=.Shop.Example", ["http://a.shop.EXAMPLE/"], []),
        ("http://a.shop.example/", "x=1; Domain=", ["http://a.shop.example/"], ["http://shop.example/"]),
        ("http://shop.example/", "x=1; Domain=a.shop.example", [], ["http://shop.example/", "http://a.shop.example/"]),
        ("http://shop.example/", "x=1; Domain=other.example", [], ["http://shop.example/", "http://other.example/"]),
        # public suffixes
        ("http://shop.co.uk/", "x=1; Domain=co.uk", [], ["http://shop.co.uk/", "http://bank.co.uk/"]),
        ("http://me.github.io/", "x=1; Domain=github.io", [], ["http://me.github.io/", "http://you.github.io/"]),
        ("http://a.b.example/", "x=1; Domain=example", [], ["http://a.b.example/"]),
        ("http://github.io/", "x=1; Domain=github.io", ["http://github.io/"], ["http://you.github.io/"]),
        ("http://localhost/", "x=1; Domain=localhost", ["http://localhost/"], ["http://a.localhost/"]),
        # addresses have no domains above them
        ("http://127.0.0.1/", "x=1; Domain=127.0.0.1", ["http://127.0.0.1/"], []),
        ("http://127.0.0.1/", "x=1; Domain=0.0.1", [], ["http://127.0.0.1/", "http://9.0.0.1/"]),
        ("http://[::1]/", "x=1", ["http://[::1]:8080/"], ["http://[::2]/"]),
        # paths
        ("http://h.example/a/b", "x=1", ["http://h.example/a", "http://h.example/a/", "http://h.example/a/c?q"],
         ["http://h.example/", "http://h.example/ab", "http://h.example/A"]),
        ("http://h.example/a/b/", "x=1", ["http://h.example/a/b"], ["http://h.example/a/"]),
        ("http://h.example", "x=1", ["http://h.example/a"], []),
        ("http://h.example/a", "x=1; Path=/b", ["http://h.example/b"], ["http://h.example/a", "http://h.example/bb"]),
        ("http://h.example/a/b", "x=1; Path=b", ["http://h.example/a/c"], ["http://h.example/b"]),
        # Secure
        ("https://h.example/", "x=1; Secure", ["https://h.example/"], ["http://h.example/"]),
        ("https://h.example/", "x=1", ["https://h.example/", "http://h.example/"], []),
        ("http://h.example/", "x=1; Secure", [], ["https://h.example/", "http://h.example/"]),
        ("https://h.example/", "x=1; SameSite=None", [], ["https://h.example/"]),
        # prefixes
        ("https://h.example/", "__Secure-x=1; Secure", ["https://h.example/"], []),
        ("https://h.example/", "__sEcUrE-x=1", [], ["https://h.example/"]),
        ("https://h.example/", "__Host-x=1; Secure; Path=/", ["https://h.example/a"], []),
        ("https://h.example/", "__host-x=1; Secure", [], ["https://h.example/"]),
        ("https://h.example/", "__Host-x=1; Path=/", [], ["https://h.example/"]),
        ("https://h.example/", "__Host-x=1; Secure; Path=/; Domain=h.example", [], ["https://h.example/"]),
        ("https://h.example/", "=__Host-x=1; Secure; Path=/", [], ["https://h.example/"]),
        ("https://h.example/", "__Secure-x; Secure", [], ["https://h.example/"]),
    ],
)  # fmt: skip
def test_where_a_cookie_goes(set_at: str, field: str, goes: list[str], stays: list[str]) -> None:
    jar = kept(set_at, field)
    assert [sent(jar, url) for url in goes] == [field.partition(";")[0].removeprefix("=")] * len(goes)
    assert [sent(jar, url) for url in stays] == [""] * len(stays)


def test_the_longest_path_comes_first_and_of_two_the_older() -> None:
    jar = kept("http://h.example/a/b", "late=1; Path=/a", "long=2; Path=/a/b", "later=3; Path=/a", "short=4; Path=/")
    jar.store(URL("http://h.example/a/b"), ["late=5; Path=/a"])  # keeps its place
    assert sent(jar, "http://h.example/a/b") == "long=2; late=5; later=3; short=4"


def test_the_same_name_elsewhere_is_another_cookie() -> None:
    jar = kept("http://a.h.example/", "x=1", "x=2; Domain=h.example", "x=3; Path=/p")
    assert sent(jar, "http://a.h.example/p") == "x=3; x=1; x=2"


def test_time_ends_them() -> None:
    clock = Clock()
    jar = CookieJar(clock=clock)
    url = URL("http://h.example/")
    jar.store(url, ["a=1; Max-Age=10", "b=2", "c=3; Max-Age=5; Expires=Wed, 09 Jun 2100 10:18:14 GMT"])
    assert sent(jar, str(url)) == "a=1; b=2; c=3"
    clock.now += 5
    assert sent(jar, str(url)) == "a=1; b=2"
    clock.now += 5
    assert (sent(jar, str(url)), len(jar)) == ("b=2", 1)
    jar.store(url, ["b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"])
    assert sent(jar, str(url)) == ""
    jar.store(url, ["d=1; Max-Age=999999999"])
    (cookie,) = jar
    assert cookie.expires == clock.now + cookies.MAX_SECONDS


def test_a_clear_connection_replaces_nothing_of_tls() -> None:
    jar = kept("https://a.h.example/p/q", "x=1; Secure; Domain=h.example; Path=/p")
    jar.store(URL("http://h.example/p/q/r"), ["x=2; Path=/p/q", "x=3; Domain=h.example; Path=/p"])
    jar.store(URL("http://a.h.example/p/q/r"), ["x=4; Path=/p/q"])
    assert sent(jar, "https://a.h.example/p/q/r") == "x=1"
    jar.store(URL("http://h.example/"), ["x=5; Path=/"])  # at a wider path it stands behind
    assert sent(jar, "https://h.example/p") == "x=1; x=5"
    jar.store(URL("https://h.example/"), ["x=6; Domain=h.example; Path=/p"])
    assert sent(jar, "http://h.example/p") == "x=6; x=5"


def test_there_is_room_for_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cookies, "MAX_COOKIES", 200)
    jar = kept("https://h.example/", "safe=1; Secure", *[f"n{number}=x" for number in range(cookies.PER_DOMAIN + 20)])
    assert len(jar) == cookies.PER_DOMAIN
    assert "safe=1" in sent(jar, "https://h.example/")
    assert "n0=x" not in sent(jar, "https://h.example/")
    for number in range(cookies.MAX_COOKIES + 10):
        jar.store(URL(f"http://h{number}.example/"), ["x=1"])
    assert len(jar) == cookies.MAX_COOKIES


def test_what_is_sent_has_an_end() -> None:
    jar = kept("http://h.example/a/b", *[f"n{number}={'x' * 4000}" for number in range(9)], "last=1; Path=/")
    assert len(sent(jar, "http://h.example/a/b")) <= cookies.MAX_SENT
    assert sent(jar, "http://h.example/a/b").endswith("; last=1")


@pytest.mark.parametrize(
    ("said", "same", "safe", "elsewhere", "post"),
    [("Strict", True, True, False, False), ("Lax", True, True, True, False), (None, True, True, True, False),
     ("None; Secure", True, True, True, True)],
)  # fmt: skip
def test_same_site(said: str | None, same: bool, safe: bool, elsewhere: bool, post: bool) -> None:
    jar = kept("https://h.example/", "x=1" if said is None else f"x=1; SameSite={said}")
    url = "https://h.example/"
    assert bool(sent(jar, url)) is same
    assert bool(sent(jar, url, safe=False)) is safe
    assert bool(sent(jar, url, same_site=False)) is elsewhere
    assert bool(sent(jar, url, same_site=False, safe=False)) is post


# --- of a client ---------------------------------------------------------------------------------------------------


class Site:
    """A server that sets a cookie, one that shows what came, and one that leads on."""

    def __init__(self) -> None:
        self.leads: dict[str, str] = {}
        self.heard: list[tuple[str, str]] = []

    def part(self, connection: Connection) -> None:
        while head := connection.head().decode():
            method, path = head.split(" ")[:2]
            fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
            if size := int(fields.get("Content-Length", "0")):
                connection.take(size)
            cookie = fields.get("Cookie", "")
            self.heard.append((f"{fields['Host'].partition(':')[0]}{path}", cookie))
            lead = [f"Location: {self.leads[path]}"] if path in self.leads else []
            if path.startswith("/set"):
                lead += ["Set-Cookie: x=s3cr3t", "Set-Cookie: strict=s3cr3t; SameSite=Strict; Path=/"]
            body = b"" if method == "HEAD" else cookie.encode()
            connection.send(reply(body, *lead, status="302 Go" if path in self.leads else "200 OK"))


@pytest.fixture
def site() -> Iterator[tuple[Site, str]]:
    site = Site()
    with Server(site.part) as server:
        yield site, f":{server.port}"


def client_of(**more: Any) -> Client:
    return Client(Policy.open(), network=Network(lambda host: ["127.0.0.1"]), **more)


@pytest.mark.promise("cookies")
def test_without_being_asked_no_cookie_is_kept(site: tuple[Site, str]) -> None:
    _, port = site
    with client_of() as client:
        client.get(f"http://h.example{port}/set").read()
        assert client.get(f"http://h.example{port}/").read() == b""


def test_every_verb_and_both_clients(site: tuple[Site, str]) -> None:
    there, port = site
    url = f"http://h.example{port}/"
    both = "x=s3cr3t; strict=s3cr3t"
    jar = CookieJar()
    with client_of(cookies=jar) as client:
        client.get(f"{url}set").read()
        assert client.get(url).read() == both.encode()
        client.stat(url)
        client.put(url, b"x")
        client.request("POST", url, content=b"x").read()
        for result in client.map([url, url]):
            assert result.resource is not None
            assert result.resource.read() == both.encode()
        assert client.get(f"http://other.example{port}/").read() == b""
        assert client.get(url, headers={"Cookie": "mine=1"}).read() == b"mine=1"

    async def again() -> bytes:
        async with AsyncClient(Policy.open(), network=Network(lambda host: ["127.0.0.1"]), cookies=jar) as client:
            return await (await client.get(url)).read()

    assert asyncio.run(again()) == both.encode()
    assert [cookie for _, cookie in there.heard[1:7]] == [both] * 6
    assert len(jar) == 2
    jar.clear()
    assert (len(jar), list(jar)) == (0, [])


def test_a_client_has_a_jar_of_its_own(site: tuple[Site, str]) -> None:
    _, port = site
    with client_of(cookies=True) as one, client_of(cookies=True) as other:
        one.get(f"http://h.example{port}/set").read()
        assert one.get(f"http://h.example{port}/").read()
        assert other.get(f"http://h.example{port}/").read() == b""


@pytest.mark.promise("cookies")
def test_a_login_leads_away_and_back(site: tuple[Site, str]) -> None:
    """The user's own URL is led to another site and back: both have their cookies, but those that are strict."""
    there, port = site
    there.leads = {
        "/set": f"http://login.example{port}/set2", "/set2": f"http://h.example{port}/back", "/back": "/end",
    }  # fmt: skip
    with client_of(cookies=True) as client:
        client.get(f"http://login.example{port}/set3").read()
        assert client.get(f"http://h.example{port}/set").read() == b"x=s3cr3t; strict=s3cr3t"
    assert there.heard[1:] == [
        ("h.example/set", ""), ("login.example/set2", "x=s3cr3t"), ("h.example/back", "x=s3cr3t"),
        ("h.example/end", "x=s3cr3t; strict=s3cr3t"),
    ]  # fmt: skip


@pytest.mark.promise("cookies")
def test_nobody_elses_link_acts_with_the_cookies_of_the_user(site: tuple[Site, str]) -> None:
    there, port = site
    bank = f"http://bank.example{port}"
    there.leads = {"/evil": f"{bank}/pay", "/bounce": f"{bank}/pay"}
    stranger = Provenance("document", scheme="http", host="evil.example", port=int(port[1:]))
    with client_of(cookies=True) as client:
        client.get(f"{bank}/set").read()
        link = Entry("x", URL(f"{bank}/pay"))
        for url in (f"{bank}/pay", f"http://evil.example{port}/evil", f"{bank}/bounce"):
            resource = client.get(url, came_from=stranger)
            assert resource.read() == b""
            assert any(f"The cookies for {bank} were not sent" in note for note in resource.notes)
        assert client.get(link).read() == b""
        assert [cookie for _, cookie in there.heard[1:]] == [""] * len(there.heard[1:])
        # What they set is not kept either: it would be the user's from then on.
        client.get(f"http://evil.example{port}/set4", came_from=stranger).read()
        assert client.get(f"http://evil.example{port}/").read() == b""
        # A link of the place itself, which the user has named, is the site's own.
        page = client.get(f"{bank}/page")
        assert client.get(f"{bank}/pay", came_from=page).read() == b"x=s3cr3t; strict=s3cr3t"


def test_who_is_led_to_himself_with_a_cookie_is_answered_otherwise() -> None:
    def part(connection: Connection) -> None:
        while head := connection.head():
            if b"Cookie: seen=1" in head:
                connection.send(reply(b"welcome"))
            else:
                connection.send(reply(b"again", "Location: /", "Set-Cookie: seen=1", status="302 Found"))

    with Server(part) as server, client_of(cookies=True) as client:
        assert client.get(f"http://127.0.0.1:{server.port}/").read() == b"welcome"


def test_who_leads_to_himself_for_ever_is_left() -> None:
    def part(connection: Connection) -> None:
        while connection.head():
            connection.send(reply(b"again", "Location: /", "Set-Cookie: seen=1", status="302 Found"))

    with (
        Server(part) as server,
        client_of(cookies=True) as client,
        pytest.raises(LimitError, match="redirected more than"),
    ):
        client.get(f"http://127.0.0.1:{server.port}/")


@pytest.mark.promise("cookies")
def test_no_value_is_in_any_output(site: tuple[Site, str]) -> None:
    there, port = site
    there.leads = {"/set": "/set2"}
    lines: list[str] = []
    with client_of(cookies=True, trace=lines.append) as client:
        resource = client.get(f"http://h.example{port}/set")
        resource.read()
        shown = [*lines, repr(resource), repr(resource.headers), json.dumps(dict(resource.attributes), default=repr)]
        shown += [repr(client._options.jar), *map(repr, client._options.jar), *resource.notes]
    assert "> Cookie: ***" in lines
    assert "s3cr3t" not in "\n".join(shown)


def test_the_command_keeps_them_while_it_runs(site: tuple[Site, str]) -> None:
    there, port = site
    there.leads = {"/set": "/end"}
    done = run("get", f"http://127.0.0.1{port}/set", "--cookies", "-v")
    assert done.stdout == "x=s3cr3t; strict=s3cr3t"
    assert "s3cr3t" not in done.stderr
    assert run("get", f"http://127.0.0.1{port}/set").stdout == ""


def test_over_tls_they_are_secure(tmp_path: Path) -> None:
    def part(connection: Connection) -> None:
        while head := connection.head():
            cookie = head.decode().partition("Cookie: ")[2].partition("\r\n")[0]
            connection.send(reply(cookie.encode(), "Set-Cookie: __Host-id=1; Secure; Path=/"))

    clear: Part = lambda connection: connection.send(reply(connection.head()))  # noqa: E731
    with certificate(tmp_path, "h.example") as (context, ca), Server(part, context=context) as server:
        with Server(clear) as plain, client_of(cookies=True, ca_file=ca) as client:
            client.get(f"https://h.example:{server.port}/").read()
            assert client.get(f"https://h.example:{server.port}/").read() == b"__Host-id=1"
            assert b"__Host-id" not in client.get(f"http://h.example:{plain.port}/").read()


def test_threads_share_a_jar() -> None:
    jar = CookieJar()

    def use(number: int) -> None:
        for count in range(100):
            jar.store(URL(f"http://h{number}.example/"), [f"x={count}"])
            assert sent(jar, f"http://h{number}.example/") == f"x={count}"
            list(jar)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(jar) == 4
