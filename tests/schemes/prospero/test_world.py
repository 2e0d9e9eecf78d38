"""prospero over the real scheduler: the command, and where servers on loopback lead a client to."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from anyurl.access import Client
from anyurl.cli.commands.search import MATCHES
from anyurl.errors import LimitError, RefusedError, TransferError
from anyurl.guard.policy import Policy
from anyurl.schemes.prospero.archie import TYPES
from anyurl.schemes.prospero.wire.ardp_packet import Packet, decode, encode
from anyurl.schemes.prospero.wire.commands import Item, Store, Stored, access, link
from anyurl.schemes.prospero.wire.messages import read_request
from anyurl.testing import SmallNetwork
from anyurl.values import Scope
from anyurl.world import gopher, prospero, tree, wais
from anyurl.world.prospero import ProsperoListener
from tests.cli.runner import run
from tests.clocks import hasty
from tests.evil.datagrams import Datagrams, Exchange

Serve = Callable[[dict[bytes, Item]], ProsperoListener]


@pytest.fixture(scope="module")
def server() -> Iterator[ProsperoListener]:
    running = prospero.start()
    yield running
    running.close()


@pytest.fixture
def client() -> Iterator[Client]:
    with Client() as made:
        yield made


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Servers of one's own, which end with the test."""
    with ExitStack() as stack:

        def start(items: dict[bytes, Item]) -> ProsperoListener:
            running = ProsperoListener(lambda _here: Store(items, (b"/",), {}))
            stack.callback(running.close)
            return running

        yield start


def test_the_command(server: ProsperoListener) -> None:
    url = str(server.urls["prospero"])
    found = run("stat", "--json", url)
    assert (found.exit_code, json.loads(found.stdout)["size"]) == (0, len(tree.tree()["motd.txt"]))
    found = run("search", "--json", "--match", "substring", str(server.url("ARCHIE")), "1738")
    record = json.loads(found.stdout)
    assert record.pop("attributes")["mode"] == "-r--r--r--"
    origin = record.pop("origin")
    assert (origin["who"], origin["scheme"], origin["scope"]) == ("search", "prospero", "local")
    assert record == {
        "name": "rfc1738.txt", "url": "ftp://ftp.example.edu/rfc/rfc1738.txt;type=i", "kind": "document",
        "size": 51_348, "modified": "1994-12-20T00:00:00Z", "title": "rfc1738.txt (ftp.example.edu:/rfc -r--r--r--)",
        "type": "text/plain", "score": None, "grammar": "current",
    }  # fmt: skip
    assert run("search", "--match", "fuzzy", url, "x").exit_code == 2
    found = run("get", str(server.url("/world/nothing")))
    assert (found.exit_code, found.stderr.count("\n")) == (8, 1)


def test_the_command_has_the_sorts_that_archie_has() -> None:
    assert tuple(TYPES) == MATCHES


def test_a_stranger_leads_nowhere_that_he_may_not(server: ProsperoListener) -> None:
    with Client(Policy.untrusted()) as client, pytest.raises(RefusedError):
        client.get(server.urls["prospero"])


# --- where it leads to -----------------------------------------------------------------------------------------------


def at(port: int | None) -> bytes:
    """A server on loopback, as Prospero writes it."""
    return b"127.0.0.1(%d)" % (port or 0)


def forwarding(port: int, hsoname: bytes) -> Item:
    return Item(forwarded=link(b"DIRECTORY", b"", at(port), hsoname))


def test_an_object_of_a_gopher_server(client: Client, serve: Serve) -> None:
    there = gopher.start()
    url = there.urls["gopher"]
    method = access(b"GOPHER", b"0", place=(b"INTERNET-D", at(url.port), b"ASCII", url.parts.selector.encode()))
    try:
        with client.get(serve({b"/x": Item(attributes=[method])}).url("/x")) as resource:
            assert resource.read() == client.get(url).read()
            assert str(resource.url) == str(url)
            assert [hop.reason for hop in resource.history] == ["prospero GOPHER"]
    finally:
        there.close()


def test_an_object_of_an_ftp_server(client: Client, serve: Serve) -> None:
    pytest.importorskip("pyftpdlib", reason="the world's ftp server is an extra")
    from anyurl.world import ftp

    there = ftp.start()
    method = access(b"AFTP", b"BINARY", place=(b"INTERNET-D", at(there.urls["ftp"].port), b"ASCII", b"/motd.txt"))
    try:
        with client.get(serve({b"/x": Item(attributes=[method])}).url("/x")) as resource:
            assert resource.read() == tree.tree()["motd.txt"]
            assert (resource.url.scheme, resource.history[0].reason) == ("ftp", "prospero AFTP")
    finally:
        there.close()


def test_a_wais_server(client: Client, serve: Serve) -> None:
    there = wais.start()
    method = access(b"WAIS", place=(b"INTERNET-D", at(there.urls["wais"].port), b"ASCII", b"WAIS/OBJECT/x"))
    try:
        with client.get(serve({b"/x": Item(attributes=[method])}).url("/x")) as resource:
            assert (resource.url.scheme, resource.history[0].reason) == ("wais", "prospero WAIS")
    finally:
        there.close()


def test_an_access_method_is_judged_like_any_foreign_url(client: Client, serve: Serve) -> None:
    """The port of another service is refused, whoever names it (RFC 1738 section 6)."""
    method = access(b"GOPHER", b"0", place=(b"INTERNET-D", b"127.0.0.1(25)", b"ASCII", b"HELO"))
    with pytest.raises(RefusedError, match="port 25"):
        client.get(serve({b"/x": Item(attributes=[method])}).url("/x"))


def test_two_servers_that_forward_to_each_other_end(client: Client, serve: Serve) -> None:
    items: dict[bytes, Item] = {}
    one = serve(items)
    two = serve({b"/b": forwarding(one.port, b"/a")})
    items[b"/a"] = forwarding(two.port, b"/b")
    with pytest.raises(LimitError, match="leads back to itself: it would never end"):
        client.get(one.url("/a"))


def test_a_server_that_forwards_for_ever_ends(client: Client, serve: Serve) -> None:
    items: dict[bytes, Item] = {}
    server = serve(items)
    items.update({b"/%d" % n: forwarding(server.port, b"/%d" % (n + 1)) for n in range(40)})
    with pytest.raises(LimitError, match="redirected more than 10 times"):
        client.get(server.url("/0"))


def test_a_union_goes_on_at_another_server(client: Client, serve: Serve) -> None:
    far = serve({b"/far": Item([Stored(link(b"FILE", b"b", b"far.example", b"/b"))])})
    parts = [
        Stored(link(b"FILE", b"a", b"127.0.0.1", b"/a")),
        Stored(link(b"DIRECTORY", b"u", at(far.port), b"/far", type=b"U")),
    ]
    with client.list(serve({b"/near": Item(parts)}).url("/near")) as resource:
        assert [entry.name for entry in resource.entries()] == ["a", "b"]


def test_a_path_goes_on_at_another_server(client: Client, serve: Serve) -> None:
    far = serve({b"/far": Item([Stored(link(b"FILE", b"b", b"far.example", b"/b"))])})
    near = serve({b"/near": Item([Stored(link(b"DIRECTORY", b"d", at(far.port), b"/far"))])})
    with client.search(near.url("/near"), "d/b") as resource:
        assert [str(entry.url) for entry in resource.entries()] == ["prospero://far.example//b"]


# --- who named a server ----------------------------------------------------------------------------------------------

PRIVATE, PUBLIC, OTHER = "10.0.0.7", "93.184.216.34", "10.0.0.8"


def union(name: str, host: str) -> str:
    """A LINK line: a directory of that server belongs to this one."""
    return f"LINK  U DIRECTORY {name} INTERNET-D {host} ASCII {name} 0\n"


def ordinary(name: str, host: str) -> str:
    """A LINK line."""
    return f"LINK  L FILE {name} INTERNET-D {host} ASCII {name} 0\n"


def directories(replies: dict[str, str]) -> Callable[[Exchange], None]:
    """A server that lists these directories."""

    def answer(asked: Exchange) -> None:
        packet = decode(asked.data)
        name = next(line.tokens[1] for line in read_request(packet.payload) if line.word == b"DIRECTORY")
        assert isinstance(name, bytes)
        asked.send(encode(Packet(packet.cid, payload=replies[name.decode()].encode())))

    return answer


def town(stack: ExitStack, servers: dict[str, dict[str, str]]) -> tuple[Client, dict[str, Datagrams]]:
    """A client under the policy of a person, and servers at these addresses."""
    running = {host: stack.enter_context(Datagrams(directories(replies))) for host, replies in servers.items()}
    network = SmallNetwork({}, {(host, 1525): (each.host, each.port) for host, each in running.items()})
    return stack.enter_context(Client(network=network)), running


def test_a_public_part_of_a_union_does_not_lead_back_to_the_private_server() -> None:
    """Attack: the way to the user's own server is open, and a stranger names what stands there."""
    servers = {
        PRIVATE: {"top": union("out", PUBLIC) + ordinary("mine", PRIVATE), "secret": ordinary("key", PRIVATE)},
        PUBLIC: {"out": union("secret", PRIVATE) + ordinary("theirs", PUBLIC)},
    }
    with ExitStack() as stack:
        client, running = town(stack, servers)
        listing = client.list(f"prospero://{PRIVATE}/top")
        entries = list(listing.entries())
    assert [entry.name for entry in entries] == ["secret", "theirs", "mine"]  # the link itself, and not what it holds
    assert any("a part of the union is left out" in note for note in listing.notes)
    assert len(running[PRIVATE].received) == 1
    # Some of it is the public server's word, and no one says which.
    assert {entry.origin.scope for entry in entries} == {Scope.PUBLIC}


def test_a_private_server_names_private_servers_whoever_else_was_asked() -> None:
    servers = {
        PRIVATE: {"top": union("out", PUBLIC) + union("next", OTHER)},
        PUBLIC: {"out": ordinary("theirs", PUBLIC)},
        OTHER: {"next": ordinary("near", OTHER)},
    }
    with ExitStack() as stack:
        client, _running = town(stack, servers)
        entries = list(client.list(f"prospero://{PRIVATE}/top").entries())
    assert [entry.name for entry in entries] == ["theirs", "near"]
    assert {entry.origin.scope for entry in entries} == {Scope.PUBLIC}


def test_a_server_names_its_own_directories() -> None:
    servers = {PRIVATE: {"top": union("next", PRIVATE), "next": ordinary("near", PRIVATE)}}
    with ExitStack() as stack:
        client, running = town(stack, servers)
        (entry,) = client.list(f"prospero://{PRIVATE}/top").entries()
    assert (entry.name, entry.origin.scope) == ("near", Scope.PRIVATE)
    assert len(set(running[PRIVATE].clients)) == 1


@hasty
def test_the_links_that_came_are_shown_when_the_server_dies() -> None:
    """What came, and then why that is not all."""
    first = b"LINK  L FILE one INTERNET-D h ASCII /one 0\nLINK  L FILE two INTERNET-D h ASCII /two 0\nLINK  L FI"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as dying:
        dying.bind(("127.0.0.1", 0))
        dying.settimeout(10)

        def answer() -> None:
            data, client = dying.recvfrom(65536)
            dying.sendto(encode(Packet(decode(data).cid, 1, 3, payload=first)), client)

        thread = threading.Thread(target=answer)
        thread.start()
        impatient = Policy.open().replace(limits=Policy.open().limits.replace(idle=0.2))
        with Client(impatient) as client:
            entries = client.list(f"prospero://127.0.0.1:{dying.getsockname()[1]}//d").entries()
            assert [next(entries).name for _ in range(2)] == ["one", "two"]
            with pytest.raises(TransferError, match="after packet 1 of 3"):
                next(entries)
        thread.join()
