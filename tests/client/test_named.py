"""Who named a URL, through every verb and client: what follows from it holds in each of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import anyurl
from anyurl import URL, AsyncClient, Client, Policy, find
from anyurl.client.named import named, origin_from
from anyurl.dialogue import Entry
from anyurl.errors import AnyURLError, RefusedError, UnsupportedError, URLSyntaxError
from anyurl.testing import SmallNetwork
from anyurl.values import CONFIGURATION, STRANGER, USER, Provenance, Scope
from anyurl.world import World, tree
from tests.rows import each_row
from tests.servers import WAIT_SECONDS, Connection, Part, Server, certificate, reply

PUBLIC, OTHER = "93.184.216.34", "151.101.1.69"


def says(*replies: bytes) -> Part:
    """A gopher server that gives one reply a connection, the last one again and again."""
    left = list(replies)

    def part(connection: Connection) -> None:
        connection.until(b"\n")
        connection.send(left.pop(0) if len(left) > 1 else left[0])

    return part


def pages(table: dict[str, bytes | str]) -> Part:
    """An http server; a text is where a path leads."""

    def part(connection: Connection) -> None:
        while head := connection.head():
            found = table.get(head.split(b" ")[1].decode(), b"inner")
            lead = [] if isinstance(found, bytes) else [f"Location: {found}"]
            body = found if isinstance(found, bytes) else b""
            connection.send(reply(body, *lead, status="301 Moved" if lead else "200 OK"))

    return part


def moved(line: str) -> bytes:
    """A Gopher+ answer: the item is elsewhere."""
    return f"--1\r\n3 Ada\r\n{line}\r\n.\r\n".encode()


MENU = (
    b"hfile\tURL:file:///etc/hostname\tpublic.test\t70\r\n"
    b"0inner\tx\t127.0.0.1\t7070\r\n"
    b"0inner name\tx\tlocalhost\t7070\r\n"
    b"hinner web\tURL:http://127.0.0.1:8080/\tpublic.test\t70\r\n"
    b"0metadata\tx\t169.254.169.254\t7070\r\n"
    b"0other\tx\tother.test\t70\r\n"
    b".\r\n"
)
LINKS = (
    b'<a href="file:///etc/hostname">1</a> <a href="gopher://127.0.0.1:7070/0x">2</a> '
    b'<a href="gopher://localhost:7070/0x">3</a> <a href="http://127.0.0.1:8080/">4</a> '
    b'<a href="gopher://169.254.169.254:7070/0x">5</a> <a href="gopher://other.test/0x">6</a>'
)
CODES = ["file-hop", "address-hop", "host-local-hop", "address-hop", "address-link-hop", "allowed"]


class Places:
    """A public gopher and web server, another one, and inner ones that nobody may be led to."""

    def __init__(self, network: SmallNetwork, inner: list[Server]) -> None:
        self.network = network
        self.inner = inner


@pytest.fixture
def world() -> Iterator[Places]:
    with (
        Server(says(MENU)) as menu, Server(pages({"/": LINKS})) as web, Server(says(b"other\r\n")) as other,
        Server(says(b"secret\r\n")) as gopher, Server(pages({})) as inner,
    ):  # fmt: skip
        network = SmallNetwork(
            {"public.test": [PUBLIC], "other.test": [OTHER], "localhost": ["127.0.0.1"]},
            {
                (PUBLIC, 70): (menu.host, menu.port), (PUBLIC, 80): (web.host, web.port),
                (OTHER, 70): (other.host, other.port), ("127.0.0.1", 7070): (gopher.host, gopher.port),
                ("127.0.0.1", 8080): (inner.host, inner.port), ("169.254.169.254", 7070): (gopher.host, gopher.port),
            },
        )  # fmt: skip
        yield Places(network, [gopher, inner])


def code(attempt: Callable[[], Any]) -> str:
    try:
        attempt()
    except RefusedError as error:
        assert error.verdict is not None
        return str(error.verdict.code)
    return "allowed"


def code_of(error: AnyURLError | None) -> str:
    def fail() -> None:
        if error is not None:
            raise error

    return code(fail)


# --- what a public menu, a search and a page name --------------------------------------------------------------------


def entries(client: Client, who: str) -> list[Any]:
    """What the public server names, as an entry of a menu, a hit of a search, or a link in a page."""
    if who == "document":
        with client.get("http://public.test/") as page:
            return list(find(page.read(), format="html", came_from=page))
    verb = client.list("gopher://public.test/1/") if who == "listing" else client.search("gopher://public.test/7/", "x")
    return list(verb.entries())


@pytest.mark.promise("provenance")
@pytest.mark.parametrize("who", ["listing", "search", "document"])
@pytest.mark.parametrize("verb", ["get", "list", "stat", "open", "search", "put", "append", "session"])
def test_no_verb_of_a_client_is_led_inward(world: Places, verb: str, who: str) -> None:
    with Client(network=world.network) as client:
        found = entries(client, who)
        assert [entry.origin.who for entry in found] == [who] * len(CODES)
        assert {entry.origin.scope for entry in found} == {Scope.PUBLIC}
        more = {"search": ["words"], "put": [b"x"], "append": [b"x"]}.get(verb, [])
        refused = [code(lambda entry=entry: getattr(client, verb)(entry, *more)) for entry in found[:-1]]
        assert refused == CODES[:-1]
    assert [server.received for server in world.inner] == [[], []]


def test_what_a_public_server_names_elsewhere_is_got(world: Places) -> None:
    with Client(network=world.network) as client:
        for who in ("listing", "search", "document"):
            assert client.get(entries(client, who)[-1]).read() == b"other\n"


def test_a_url_that_the_caller_writes_is_the_callers_own(world: Places) -> None:
    with Client(network=world.network) as client:
        found = entries(client, "listing")
        assert client.get(found[1].url).read() == b"secret\n"
        assert client.get(str(found[3].url)).read() == b"inner"


def test_map_is_led_nowhere_else(world: Places) -> None:
    with Client(network=world.network) as client:
        for who in ("listing", "document"):
            results = {str(result.url.url): result.error for result in client.map(entries(client, who))}
            assert [code_of(error) for error in results.values()].count("allowed") == 1
        told = list(client.map(["gopher://127.0.0.1:7070/0x"], came_from="http://public.test/list.txt"))
        assert [code_of(result.error) for result in told] == ["address-hop"]
    assert [server.received for server in world.inner] == [[], []]


@pytest.mark.promise("provenance")
def test_the_async_client_is_led_nowhere_else(world: Places) -> None:
    async def run() -> None:
        async with AsyncClient(network=world.network) as client:
            resource = await client.list("gopher://public.test/1/")
            found: list[Any] = [entry async for entry in resource.entries()]
            page = await client.get("http://public.test/")
            links: list[Any] = list(find(await page.read(), format="html", came_from=page))
            for each in (found, links):
                codes = []
                for entry in each:
                    try:
                        async with await client.get(entry) as got:
                            await got.read()
                            codes.append("allowed")
                    except RefusedError as error:
                        codes.append(error.verdict.code)
                assert codes == CODES
                mapped = [code_of(result.error) async for result in client.map(each)]
                assert sorted(mapped) == sorted(CODES)
            for verb, more in [("list", []), ("stat", []), ("search", ["w"]), ("put", [b"x"]), ("append", [b"x"])]:
                with pytest.raises(RefusedError, match="may not lead there"):
                    await getattr(client, verb)("gopher://127.0.0.1:7070/0x", *more, came_from=page)

    asyncio.run(run())
    assert [server.received for server in world.inner] == [[], []]


@pytest.mark.promise("provenance")
@pytest.mark.parametrize("verb", ["get", "list", "stat", "open", "search", "put", "append"])
def test_the_plain_functions_are_led_nowhere_else(verb: str) -> None:
    more = {"search": ["words"], "put": [b"x"], "append": [b"x"]}.get(verb, [])
    with Server(says(b"secret")) as server:
        inner = f"gopher://{server.authority}/0x"
        assert code(lambda: getattr(anyurl, verb)(inner, *more, came_from="http://a.example/")) == "address-hop"
        assert server.received == []


def test_what_came_from_this_machine_leads_to_it() -> None:
    with Server(says(b"text\r\n")) as server, Client() as client:
        inner = f"gopher://{server.authority}/0x"
        assert client.get(inner, came_from="http://127.0.0.1:8000/list.txt").read() == b"text\n"
        with client.get(inner) as page:
            assert client.get(inner, came_from=page).read() == b"text\n"


def test_a_folder_names_its_own_files_and_a_file_names_none(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(f'<a href="file://{tmp_path}/b">b</a> http://127.0.0.1:9/')
    (tmp_path / "b").write_text("b")
    with Client() as client:
        listed = list(client.list(f"file://{tmp_path}/").entries())
        assert sorted(client.get(entry).read() for entry in listed)[-1] == b"b"
        with client.get(f"file://{tmp_path}/a.html") as page:
            links = list(find(page.text(), format="html", came_from=page))
        assert [code(lambda link=link: client.get(link)) for link in links] == ["file-hop", "address-hop"]


def test_without_a_word_a_text_is_a_strangers() -> None:
    (found,) = find("see http://127.0.0.1:9/")
    with Client() as client:
        assert code(lambda: client.get(found)) == "address-hop"


# --- what may be passed ----------------------------------------------------------------------------------------------


def entry(url: str | None, origin: Provenance = STRANGER) -> Entry:
    made = Entry("x", None if url is None else URL(url))
    made.origin = origin
    return made


INNER = Provenance("listing", scope=Scope.LOCAL, scheme="http", host="127.0.0.1", port=80)


@each_row(
    ("given", "came_from", "expected"),
    [
        ("http://a.example/", None, USER),
        (URL("http://a.example/"), None, USER),
        (entry("http://a.example/", INNER), None, INNER),
        (entry("http://a.example/", INNER), USER, INNER),
        ("http://a.example/", INNER, INNER),
        ("http://a.example/", CONFIGURATION, USER),
        ("http://a.example/", "https://b.example/",
         Provenance("document", scheme="https", host="b.example", port=443, tls=True)),
        ("http://a.example/", URL("http://127.0.0.1/"),
         Provenance("document", scope=Scope.LOCAL, scheme="http", host="127.0.0.1", port=80)),
        ("http://a.example/", entry("http://127.0.0.1/", INNER),
         Provenance("listing", scope=Scope.LOCAL, scheme="http", host="127.0.0.1", port=80)),
        ("http://a.example/", entry("http://127.0.0.1/"), STRANGER),
        (entry("http://a.example/", INNER), STRANGER, Provenance("document")),
    ],
)  # fmt: skip
def test_who_named_it(given: Any, came_from: Any, expected: Provenance) -> None:
    url, origin = named(given, came_from)
    assert (str(url), origin) == ("http://a.example/", expected)


@pytest.mark.parametrize("given", [None, b"http://a.example/", 7, Path("/x"), ["http://a.example/"]])
def test_what_is_no_url(given: Any) -> None:
    with pytest.raises(TypeError, match="expected a URL, a str, an entry or a found URL, not"):
        named(given)
    with pytest.raises(TypeError, match="came_from must be a resource or a Provenance, not"):
        origin_from(given)


def test_an_entry_without_a_url() -> None:
    with pytest.raises(UnsupportedError, match="This entry can't be opened"):
        named(entry(None))
    with Client() as client:
        (result,) = client.map([entry(None)])
        assert isinstance(result.error, UnsupportedError)
    with pytest.raises(URLSyntaxError):
        named("http://a.example/", "no URL")


# --- logins and passwords behind a hop -------------------------------------------------------------------------------


def ftp(connection: Connection) -> None:
    """A server that takes no login."""
    connection.send(b"220 hello\r\n")
    while line := connection.line():
        connection.send(b"331 password\r\n" if line.startswith(b"USER") else b"530 no\r\n")


@pytest.fixture
def netrc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "netrc"
    path.write_text("machine localhost login alice password sesame\nmachine 127.0.0.1 login alice password sesame\n")
    path.chmod(0o600)
    monkeypatch.setenv("NETRC", str(path))


@pytest.mark.usefixtures("netrc")
@pytest.mark.parametrize("login", ["alice", "alice:x", "alice:"])
def test_a_login_that_a_server_wrote_is_not_sent(login: str) -> None:
    """Attack: an item has moved to a URL with the user's name in it, at a port where the server listens itself."""
    asked: list[str] = []
    with Server(ftp) as there:
        place = f"URL:ftp://{login}@localhost:{there.port}/x"
        with Server(says(moved(f"hNew\t{place}\tlocalhost\t70"))) as here:
            with Client(ask_secret=lambda host, user, _kind: asked.append(user)) as client, pytest.raises(AnyURLError):
                client.get(f"gopher://{here.authority}/0s%09%09+")
        received = bytes(there.received[0])
    assert received.startswith(b"USER anonymous\r\n")
    assert b"sesame" not in received
    assert b"alice" not in received
    assert asked == []


@pytest.mark.usefixtures("netrc")
@pytest.mark.parametrize("port", ["the same", "another"])
def test_netrc_is_for_the_users_own_url_at_any_port(port: str) -> None:
    with Server(ftp) as server, Server(ftp) as other:
        own = f"ftp://alice@127.0.0.1:{server.port}/x"
        place = own if port == "the same" else f"ftp://alice@127.0.0.1:{other.port}/x"
        with Client() as client:
            for _ in range(2):
                with pytest.raises(AnyURLError):
                    client.get(own)
            with pytest.raises(AnyURLError):
                client.get(place, came_from=Provenance("listing", scope=Scope.LOCAL, scheme="ftp", host="127.0.0.1",
                                                       port=server.port, user="alice", kept=True))  # fmt: skip
        assert all(b"PASS sesame\r\n" in each for each in server.received)
        assert [b"sesame" in each for each in other.received] == ([] if port == "the same" else [False])


def test_the_users_own_login_goes_with_what_the_server_lists() -> None:
    pytest.importorskip("pyftpdlib", reason="the world's FTP server needs pyftpdlib")
    with World(["ftp"]) as there, Client() as client:
        root = str(there.roots["ftp"]).replace("ftp://", f"ftp://{tree.USER}:{tree.PASSWORD}@")
        for item in client.list(root).entries():
            resource = client.get(item)
            assert (resource.url.user, resource.url.password, resource.notes) == (tree.USER, tree.PASSWORD, [])


def news(connection: Connection) -> None:
    """A news server that wants a login for everything, and does not know STARTTLS."""
    connection.send(b"200 hello\r\n")
    while line := connection.line().upper():
        if line.startswith(b"CAPABILITIES"):
            connection.send(b"101 these\r\nVERSION 2\r\nREADER\r\nAUTHINFO USER\r\n.\r\n")
        elif line.startswith(b"AUTHINFO"):
            connection.send(b"381 password\r\n" if b"USER" in line else b"281 welcome\r\n")
        elif line.startswith(b"QUIT"):
            connection.send(b"205 bye\r\n")
        else:
            connection.send(b"480 a login first\r\n")


@pytest.mark.usefixtures("netrc")
def test_a_news_server_that_a_menu_names_gets_no_kept_password() -> None:
    """Here the URL names no user: the server's question is enough to make a client look one up."""
    with Server(news) as there, Client() as client:
        own = f"nntp://127.0.0.1:{there.port}/a.group"
        with pytest.raises(AnyURLError):
            client.list(own)
        assert b"AUTHINFO PASS sesame\r\n" in bytes(there.received[0])
        with Server(says(f"hnews\tURL:{own}\tlocalhost\t70\r\n.\r\n".encode())) as menu:
            (item,) = client.list(f"gopher://{menu.authority}/1/").entries()
        with pytest.raises(AnyURLError):
            client.list(item)
        assert b"AUTHINFO" not in bytes(there.received[-1])
        assert len(there.received) == 2


# --- TLS, sessions, what is sent -------------------------------------------------------------------------------------


def test_gophers_leads_to_no_gopher(tmp_path: Path) -> None:
    def part(connection: Connection) -> None:
        connection.until(b"\n")
        connection.send(moved(f"0New\tn\t127.0.0.1\t{plain.port}"))
        connection.sock = connection.sock.unwrap()  # type: ignore[attr-defined]

    with (
        certificate(tmp_path, "127.0.0.1") as (context, authority),
        Server(says(b"clear\r\n")) as plain,
        Server(part, context=context) as server,
    ):
        url = f"gophers://{server.authority}/0s%09%09+"
        with Client(ca_file=authority) as client:
            assert code(lambda: client.get(url)) == "clear-hop"
            (result,) = client.map([url])
            assert code_of(result.error) == "clear-hop"
            assert not plain.received
        with Client(Policy.default().replace(allow_inward=True), ca_file=authority) as client:
            assert code(lambda: client.get(url)) == "clear-hop"
        with Client(Policy.default().replace(allow_downgrade=True), ca_file=authority) as client:
            assert client.get(url).read() == b"clear\n"


@pytest.mark.promise("provenance")
def test_a_document_never_becomes_a_session(tmp_path: Path) -> None:
    def telnet(connection: Connection) -> None:
        connection.send(b"login: ")
        connection.wait_for_close()

    with Server(telnet) as there:
        with Server(says(moved(f"8New\tguest\t127.0.0.1\t{there.port}"))) as here, Client(Policy.open()) as client:
            url = f"gopher://{here.authority}/0s%09%09+"
            assert code(lambda: client.get(url)) == code(lambda: client.session(url)) == "service-hop"
        with Server(says(f"8here\tguest\t127.0.0.1\t{there.port}\r\n.\r\n".encode())) as menu, Client() as client:
            (item,) = client.list(f"gopher://{menu.authority}/1/").entries()
            with client.session(item) as session:  # this was asked for
                assert session.expect("login: ", timeout=WAIT_SECONDS)
    assert len(there.received) == 1


def test_answers_go_where_they_were_asked_for() -> None:
    form = b"+-1\r\n+ASK:\r\n Ask: Name\r\n.\r\n"
    with Server(says(form)) as there:
        place = moved(f"0New\tn\t127.0.0.1\t{there.port}")
        with Server(says(form, place)) as here:
            policy = Policy.default().replace(allow_ports=(here.port, there.port))
            with Client(policy, ask_consent=anyurl.consent_to_all) as client:
                url = f"gopher://{here.authority}/0s%09%09?"
                assert code(lambda: client.get(url, answers=["Ada"])) == "content-hop"
        assert not there.received


# --- notes -----------------------------------------------------------------------------------------------------------


def test_what_was_dropped_is_told_at_the_end_of_the_way() -> None:
    """The note of the first hop is a note of the last resource."""
    with Server(pages({"/1": "/2", "/2": "/3", "/3": b"here"})) as web:
        place = f"URL:http://alice:pw@{web.authority}/1"
        with Server(says(moved(f"hNew\t{place}\tlocalhost\t70"))) as here, Client() as client:
            url = f"gopher://{here.authority}/0s%09%09+"
            resource = client.get(url)
            assert (resource.read(), len(resource.history)) == (b"here", 3)
            dropped = (
                f"The user and password in http://{web.authority}/1, which the server at gopher://127.0.0.1 wrote, "
                "were dropped: only yours are sent."
            )
            assert resource.notes == [dropped]
            (result,) = client.map([url])
            assert result.resource is not None
            assert result.resource.notes == [dropped]
        assert all(b"Authorization" not in bytes(received) for received in web.received)


def test_notes_come_in_order() -> None:
    table: dict[str, bytes | str] = {"/2": b"x"}
    with Server(pages(table)) as web, Client() as client:
        table["/1"] = f"http://w:q@localhost:{web.port}/2"
        own = entry(f"http://u:p@{web.authority}/1", Provenance("listing", scope=Scope.LOCAL))
        first, second = client.get(own).notes
        assert (f"http://{web.authority}/1" in first, f"http://localhost:{web.port}/2" in second) == (True, True)
