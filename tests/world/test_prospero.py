"""The world's Prospero server: what it serves, over sockets alone and through the whole client, and over a bad way."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import pytest

from anyurl import Client, Policy
from anyurl.dialogue import Entry
from anyurl.errors import DeniedError, NotFoundError, ReplyError, UnsupportedError
from anyurl.schemes.prospero.wire.ardp_packet import Packet, decode, encode
from anyurl.schemes.prospero.wire.messages import Complaint, Line, Link, list_request, read_reply, write_message
from anyurl.schemes.prospero.wire.server import Answer
from anyurl.world import prospero, tree
from anyurl.world.listener import HOST
from anyurl.world.prospero import MANY, ProsperoListener, Troubles


@pytest.fixture(scope="module")
def server() -> Iterator[ProsperoListener]:
    with contextlib.closing(prospero.start()) as server:
        yield server


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(Policy.open()) as client:
        yield client


def links(server: ProsperoListener, hsoname: bytes) -> list[Link]:
    """The links of a directory, asked for by a socket alone (a reply of one packet)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(5)
        sock.sendto(encode(Packet(7, 1, 1, 0, payload=list_request(hsoname))), (HOST, server.port))
        packet = decode(sock.recv(65536))
    assert (packet.cid, packet.number) == (7, None)
    return [line for line in read_reply(packet.payload) if isinstance(line, Link)]


def names(client: Client, url: object) -> list[str]:
    with client.list(str(url)) as resource:
        return [entry.name for entry in resource.entries()]


def found(client: Client, server: ProsperoListener, hsoname: str, words: str) -> list[Entry]:
    with client.search(server.url(hsoname), words) as resource:
        return list(resource.entries())


# --- what it serves --------------------------------------------------------------------------------------------------


def test_the_top(server: ProsperoListener) -> None:
    host = b"127.0.0.1(%d)" % server.port
    assert links(server, b"/world")[:2] == [
        Link(b"L", b"FILE", b"index.html", b"INTERNET-D", host, b"ASCII", b"/world/index.html"),
        Link(b"L", b"FILE", b"motd.txt", b"INTERNET-D", host, b"ASCII", b"/world/motd.txt"),
    ]


def test_what_has_moved_is_had_from_there(server: ProsperoListener, client: Client) -> None:
    """As the original does: to who asks for all attributes the pointer is one of them, and nothing is FORWARDED."""
    for verb in (client.get, client.stat):
        resource = verb(server.url("/world/moved"))
        assert (resource.kind, [hop.reason for hop in resource.history]) == ("listing", ["prospero forwarding"])
        resource.close()


def test_every_file_is_carried(server: ProsperoListener, client: Client) -> None:
    for path, data in tree.tree().items():
        hsoname = tree_url(path)
        with client.get(server.url(hsoname)) as resource:
            assert (resource.read(), resource.size, resource.modified) == (data, len(data), tree.MODIFIED)


def tree_url(path: str) -> str:
    encoded = [chr(octet) if octet in tree.SAFE else f"%{octet:02X}" for octet in path.encode()]
    return "/world/" + "".join(encoded).replace("%2F", "/")


def test_a_listing_of_600_links(server: ProsperoListener, client: Client) -> None:
    before = server.received
    assert names(client, server.url("/world/many")) == [f"item-{n:04d}" for n in range(1, MANY + 1)]
    assert server.received - before == 3  # the request, and an acknowledgement of each full window of 16 packets


@pytest.mark.clause("3.11-6")
def test_external_links_have_the_urls_of_their_access_methods(server: ProsperoListener, client: Client) -> None:
    with client.list(server.url("/world/elsewhere")) as resource:
        urls = {entry.name: None if entry.url is None else str(entry.url) for entry in resource.entries()}
    assert urls == {
        "archive.tar": "ftp://ftp.example.org/pub/archive.tar;type=i",
        "readme": "ftp://ftp.example.org:2121/pub/README;type=a",
        "folder": "ftp://ftp.example.org/pub;type=d",
        "private": "ftp://ftp.example.org/%2Fhome/user/report.txt;type=a",
        "about": "gopher://gopher.example.org/00/docs/about.txt",
        "menu": "gopher://gopher.example.org:150/1/Fun%20Stuff",
        "record": "wais://wais.example.org/",
        "library": "telnet://guest@library.example.org/",
        "catalogue": "tn3270://catalogue.example.org/",
        "mounted": "nfs://nfs.example.org/export/ftp/pub/README",
        "cell": None,
        "local": None,
        "either": "ftp://ftp.example.org/pub/x.gif;type=i",
        "vs": None,
    }


def test_unions_moves_and_what_is_closed(server: ProsperoListener, client: Client) -> None:
    pub = names(client, server.url("/world/pub"))
    elsewhere = names(client, server.url("/world/elsewhere"))
    assert names(client, server.url("/world/union")) == ["motd.txt", *pub, *elsewhere]
    with client.list(server.url("/world/moved")) as resource:
        assert [entry.name for entry in resource.entries()] == pub
        assert resource.url == server.url("/world/pub")
    with client.list(server.url("/world/covered")) as resource:
        assert [(entry.name, entry.url) for entry in resource.entries()] == [("motd.txt", None)]
    for verb in (client.get, client.list, client.stat):
        with pytest.raises(DeniedError):
            verb(server.url("/world/closed"))
    with pytest.raises(DeniedError):
        client.get(server.url("/etc/passwd"))
    with pytest.raises(NotFoundError):
        client.get(server.url("/world/nothing"))


SEARCHES = [
    ("ARCHIE", "rfc1738.txt", ["rfc1738.txt"]),  # exactly, unless told otherwise
    ("ARCHIE", "RFC1738.TXT", []),
    ("ARCHIE", "nothing", []),
    ("ARCHIE/MATCH(95,95,95,0,S)", "RFC", ["rfc1738.txt", "rfc1436.txt"]),  # a part, whatever its case
    ("ARCHIE/MATCH(1,1,1,0,S)", "rfc", ["rfc1738.txt"]),  # at most so many
    ("ARCHIE/MATCH(95,95,95,1,S)", "rfc", ["rfc1436.txt"]),  # and not the first
    ("ARCHIE/MATCH(95,1,S)", "rfc", ["rfc1436.txt"]),  # the old form
    ("ARCHIE/MATCH(95,95,95,0,C)", "RFC", []),  # a part, in its case
    ("ARCHIE/MATCH(95,95,95,0,C)", "rfc17", ["rfc1738.txt"]),
    ("ARCHIE/MATCH(95,95,95,0,R)", "^rfc1[0-9]*", ["rfc1738.txt", "rfc1436.txt"]),
    ("ARCHIE/MATCH(95,95,95,0,R)", "(", []),  # no regular expression
    ("ARCHIE/MATCH(95,95,95,0,s)", "prospero", ["prospero", "prospero"]),  # exactly, if that finds anything
    ("ARCHIE/MATCH(95,95,95,0,s)", "prosper", ["prospero.tar.Z", "prospero.tar.Z", "prospero", "prospero"]),
    ("ARCHIE/MATCH(95,95,95,0,K)", "prosper", ["prospero.tar.Z", "prospero"]),  # names instead of files
    ("ARCHIE/HOST", "*.org", ["ftp.example.org"]),  # the hosts that it knows
]


@pytest.mark.parametrize(("hsoname", "words", "expected"), SEARCHES)
def test_archie(server: ProsperoListener, client: Client, hsoname: str, words: str, expected: list[str]) -> None:
    assert [entry.name for entry in found(client, server, hsoname, words)] == expected


def test_archie_says_where_how_large_and_when(server: ProsperoListener, client: Client) -> None:
    (hit,) = found(client, server, "ARCHIE", "rfc1738.txt")
    assert str(hit.url) == "ftp://ftp.example.edu/rfc/rfc1738.txt;type=i"
    assert (hit.size, hit.modified) == (51348, 787_881_600.0)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("ftp.example.com", ["pub"]),
        ("ftp.example.org/pub", ["prospero"]),
        ("ftp.example.com/pub", ["prospero"]),
        ("ftp.example.com/pub/prospero", ["prospero", "README"]),
    ],
)
def test_archie_has_an_image_of_each_directory(
    server: ProsperoListener, client: Client, place: str, expected: list[str]
) -> None:
    assert names(client, server.url(f"ARCHIE/HOST/{place}")) == expected


def test_a_path_goes_on_where_a_directory_has_moved(server: ProsperoListener, client: Client) -> None:
    assert [entry.name for entry in found(client, server, "/world", "moved/notes.txt")] == ["notes.txt"]


@pytest.mark.parametrize("name", ["docs/x", "(^no.*)", "no*"])
def test_a_name_in_a_directory(server: ProsperoListener, client: Client, name: str) -> None:
    expected = [] if "/" in name else ["notes.txt"]
    assert [entry.name for entry in found(client, server, "/world/pub", name)] == expected


# --- troubles and other answers --------------------------------------------------------------------------------------


def test_a_bad_way(client: Client) -> None:
    """Lost, doubled and reordered datagrams, with real clocks: repeats come after a second."""
    troubles = Troubles(lost=0.1, doubled=0.3, held=0.3, delay=0.001, hold=0.02, seed=4)
    with contextlib.closing(ProsperoListener(troubles=troubles)) as server:
        assert len(names(client, server.url("/world/many"))) == MANY


def planned(answer: Answer) -> ProsperoListener:
    answers = [answer]
    return ProsperoListener(plan=lambda _request: answers.pop() if answers else None)


def test_a_refusal(client: Client) -> None:
    with contextlib.closing(planned(Answer(refused=True))) as server:
        with pytest.raises(ReplyError, match="refuses the connection"):
            client.get(server.root)
        assert names(client, server.root)[0] == "index.html"


def test_a_redirection(client: Client, server: ProsperoListener) -> None:
    with contextlib.closing(planned(Answer(redirect=(HOST, server.port)))) as first:
        assert names(client, first.root)[0] == "index.html"


def test_a_wait(client: Client) -> None:
    text = write_message([Line(b"NONE-FOUND")])
    with contextlib.closing(planned(Answer(text, wait=5, queue=(3, 60)))) as server:
        with client.list(server.root) as resource:
            assert list(resource.entries()) == []
            assert "place 3 in its queue" in " ".join(resource.notes)


def test_silence_is_answered_when_it_is_asked_again_under_another_number(client: Client) -> None:
    with contextlib.closing(planned(Answer(silent=True))) as server:
        impatient = Client(Policy.open().replace(limits=Policy.open().limits.replace(idle=0.1)))
        with impatient, pytest.raises(TimeoutError):
            impatient.get(server.root)
        assert names(client, server.root)


def test_it_may_be_closed_twice() -> None:
    server = prospero.start()
    server.close()
    server.close()


def test_what_it_does_not_understand(server: ProsperoListener) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(5)
        for noise in (b"", b"\xff" * 100, b"\x09", b"VERSION 5\n"):
            sock.sendto(noise, (HOST, server.port))
        sock.sendto(encode(Packet(9, payload=b"LIST 'without an end")), (HOST, server.port))
        (line,) = read_reply(decode(sock.recv(65536)).payload)
    assert isinstance(line, Complaint)
    assert line.word == b"ERROR"


def test_a_gateway_that_is_not_here(server: ProsperoListener, client: Client) -> None:
    with pytest.raises((DeniedError, UnsupportedError)):
        client.list(server.url("GOPHER-GW/gopher.example.org(70)/1/"))
