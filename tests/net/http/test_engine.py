"""libcurl on the scheduler: what must not be left over from the request before, and what a server may do to one."""

from __future__ import annotations

import gc
import os
import random
import resource
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from anyurl import Client, Login, Policy
from anyurl.errors import (
    AnyURLError,
    ConnectionLost,
    LimitError,
    LocalFileError,
    LocalProtocolError,
    NotFoundError,
    RefusedError,
    RemoteProtocolError,
    TransferTimeout,
    Truncated,
)
from anyurl.guard.limits import Limits
from anyurl.net.http.engine import CurlEngine
from anyurl.net.http.libcurl import pycurl
from anyurl.net.http.modern_codings import known
from anyurl.net.http.request import Transfer
from anyurl.net.loop.loop import Poller
from anyurl.net.wire.connector import Network, Transport
from tests.clocks import Slow, anew, hasty
from tests.servers import WAIT_SECONDS, Connection, Part, Server, answers, certificate, descriptors, left_open, reply

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def client() -> Iterator[Client]:
    policy = Policy.default()
    with Client(policy.replace(limits=policy.limits.replace(idle=3.0))) as client:
        yield client


def each(answer: Callable[[Connection, bytes], None]) -> Part:
    """A server that answers every request of a connection."""

    def part(connection: Connection) -> None:
        while head := connection.head():
            answer(connection, head)

    return part


def once(data: bytes) -> Part:
    """A server that answers one request of each connection, and closes."""

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(data)

    return part


def upload(connection: Connection, head: bytes) -> bytes:
    lower = head.lower()
    if b"100-continue" in lower:
        connection.send(b"HTTP/1.1 100 Continue\r\n\r\n")
    if b"chunked" not in lower:
        return connection.take(int(lower.partition(b"content-length: ")[2].split(b"\r\n")[0]))
    body = b""
    while size := int(connection.line(), 16):
        body += connection.take(size)
        connection.line()
    connection.line()
    return body


# --- handles are used again ----------------------------------------------------------------------------------------


def test_nothing_is_left_over_from_the_request_before(client: Client) -> None:
    def answer(connection: Connection, head: bytes) -> None:
        body = upload(connection, head) if head.startswith(b"PUT") else b""
        connection.send(reply(b"" if head.startswith(b"HEAD") else head.split(b" ")[0] + body))

    with Server(each(answer)) as server:
        url = f"http://{server.authority}/"
        for _ in range(2):
            assert client.get(url).read() == b"GET"
            assert client.open(url, "put", source=b"x", upload_type="text/x").read() == b"PUTx"
            assert client.stat(url).attributes["status"] == 200
            assert client.open(url, "put", source=iter([b"y"])).read() == b"PUTy"
            assert client.get(url, headers={"Authorization": "Basic dTpw"}).read() == b"GET"
        heads = [head for received in server.received for head in bytes(received).split(b"\r\n\r\n")]
    for head in heads:
        if head.startswith((b"GET", b"HEAD")):
            assert not any(name in head.lower() for name in (b"content-", b"transfer-encoding", b"expect")), head
        if head.startswith((b"PUT", b"HEAD")):
            assert b"Authorization" not in head
    assert sum(b"Content-Type: text/x" in head for head in heads) == 2


def test_each_login_has_connections_of_its_own() -> None:
    """And so has nobody's: a server may remember who a connection belongs to."""
    with Server(each(lambda connection, head: connection.send(reply(b"x")))) as server:
        origin = f"http://{server.authority}"
        with Client() as client:
            options = client._options
            for user, word in (("u", "p"), ("", ""), ("v", "p"), ("", ""), ("u", "q"), ("u", "p"), ("", "")):
                client._options = options.replace(logins={origin: Login.basic(user, word)} if user else None)
                assert client.get(f"{origin}/").read() == b"x"
    for received in server.received:
        logins = {
            head.partition(b"Authorization: ")[2].split(b"\r\n")[0] for head in bytes(received).split(b"\r\n\r\n")[:-1]
        }
        assert len(logins) == 1
    assert len(server.received) == 4


def test_an_abandoned_request_spoils_no_later_one(client: Client) -> None:
    def answer(connection: Connection, head: bytes) -> None:
        if b"/big" in head:
            connection.send(reply(bytes(3_000_000)))
        else:
            connection.send(reply(head.split(b" ")[1]))

    with Server(each(answer)) as server:
        before = 0
        for number in range(10):
            with client.get(f"http://{server.authority}/big") as resource:
                if number % 2:
                    next(resource.iter_bytes())
            assert client.get(f"http://{server.authority}/{number}").read() == b"/%d" % number
            before = before or descriptors()
        assert left_open(before) <= 0


def test_a_header_that_is_not_ascii_is_sent_as_it_came(client: Client) -> None:
    with Server(answers(reply(status="201 Created"))) as server:
        client.put(f"http://{server.authority}/", b"", type="text/plain; name=ü\udcff")
    assert "Content-Type: text/plain; name=ü".encode() + b"\xff\r\n" in server.received[0]


@pytest.mark.parametrize("type", ["text/x\r\nX: 1", "\ud800"])
def test_a_header_that_can_not_be_sent(client: Client, type: str) -> None:
    with Server(answers(reply())) as server:
        with pytest.raises(LocalProtocolError):
            client.put(f"http://{server.authority}/", b"", type=type)
        assert client.get(f"http://{server.authority}/").read() == b""


def test_every_address_of_a_name_is_tried(client: Client) -> None:
    with (
        Server(answers(reply(b"x"))) as server,
        Client(network=Network(lambda host: ["::1", "127.0.0.2", "127.0.0.1"])) as other,
    ):
        assert other.get(f"http://three.test:{server.port}/").read() == b"x"


def test_an_ipv6_literal(client: Client) -> None:
    with Server(answers(reply(b"x"), reply(b"y")), host="::1") as server:
        assert client.get(f"http://{server.authority}/").read() == b"x"
        assert f"Host: {server.authority}\r\n".encode() in server.received[0]
    with Server(answers(reply(b"y")), host="::1") as server:
        assert client.get(f"http://u:p@{server.authority}/").read() == b"y"


# --- answers -------------------------------------------------------------------------------------------------------

GOOD = [
    ("closed at the end", HEAD + b"\r\nabc", b"abc"),
    ("HTTP/1.0", b"HTTP/1.0 200 OK\r\n\r\nabc", b"abc"),
    ("bare LF", b"HTTP/1.1 200 OK\nContent-Length: 3\n\nabc", b"abc"),
    ("the same length twice", HEAD + b"Content-Length: 3, 3\r\n\r\nabc", b"abc"),
    ("chunks win over a length", HEAD + b"Content-Length: 9\r\n" + CHUNKED[17:] + b"3\r\nabc\r\n0\r\n\r\n", b"abc"),
    ("trailer", CHUNKED + b"3\r\nabc\r\n0\r\nX: 1\r\n\r\n", b"abc"),
    ("trailer of nothing", CHUNKED + b"0\r\nX: 1\r\n\r\n", b""),
    ("more than announced", reply(b"abc") + b"more", b"abc"),
    ("204", b"HTTP/1.1 204 No\r\n\r\n", b""),
    ("204 that lies", b"HTTP/1.1 204 No\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\n", b""),
    ("interim answers", b"HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\nHTTP/1.1 100 C\r\n\r\n" + reply(b"abc"), b"abc"),
    ("a coding of nothing", reply(b"", "Content-Encoding: gzip"), b""),
    ("a coding nobody knows", reply(b"abc", "Content-Encoding: x-zork"), b"abc"),
]
BAD = [
    ("two lengths", HEAD + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", RemoteProtocolError),
    ("a length below zero", HEAD + b"Content-Length: -3\r\n\r\nabc", RemoteProtocolError),
    ("a length beyond 2^63", HEAD + b"Content-Length: 99999999999999999999\r\n\r\nabc", RemoteProtocolError),
    ("less than announced", reply(b"abc")[:-1], Truncated),
    ("nothing of what was announced", reply(b"abc")[:-3], Truncated),
    ("chunks without an end", CHUNKED + b"3\r\nabc\r\n", Truncated),
    ("no chunks at all", CHUNKED, Truncated),
    ("a chunk that is none", CHUNKED + b"zz\r\nabc\r\n0\r\n\r\n", RemoteProtocolError),
    ("a chunk beyond 2^63", CHUNKED + b"fffffffffffffffff\r\nabc", RemoteProtocolError),
    ("a head that is cut", HEAD + b"X: 1\r\n", ConnectionLost),
    ("HTTP/0.9", b"<html>", RemoteProtocolError),
    ("another version", b"HTTP/9.9 200 OK\r\n\r\n", RemoteProtocolError),
    ("NUL", HEAD + b"X: a\0b\r\n\r\n", RemoteProtocolError),
    ("a bare CR", HEAD + b"X: a\rb\r\n\r\n", RemoteProtocolError),
    ("many headers", HEAD + b"X: 1\r\n" * 1500 + b"\r\n", LimitError),
    ("a long header", HEAD + b"X: " + b"x" * 270_000 + b"\r\n\r\n", LimitError),
    ("interim answers without an end", b"HTTP/1.1 100 C\r\n\r\n" * 20_000, LimitError),
    ("no, and cut short", b"HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\n", NotFoundError),
    ("no, in a coding nobody knows", reply(b"abc", "Content-Encoding: x-zork", status="404 No"), NotFoundError),
]


@pytest.mark.parametrize(("data", "body"), [row[1:] for row in GOOD], ids=[row[0] for row in GOOD])
def test_a_good_answer_is_read(client: Client, data: bytes, body: bytes) -> None:
    with Server(once(data)) as server:
        assert client.get(f"http://{server.authority}/").read() == body
        (result,) = client.map([f"http://{server.authority}/"])
        assert result.resource is not None
        assert result.resource.read() == body


def test_what_is_no_answer_of_http_is_told_without_the_name_of_an_old_version(client: Client) -> None:
    with Server(once(b"220 mail ready\r\n")) as server, pytest.raises(RemoteProtocolError) as caught:
        client.get(f"http://{server.authority}/").read()
    assert (
        str(caught.value)
        == f"{server.authority} sent something that is not an HTTP response. Does it speak HTTP there?"
    )


@pytest.mark.parametrize(("data", "error"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_bad_answer_is_an_error_of_its_kind(client: Client, data: bytes, error: type[AnyURLError]) -> None:
    with Server(once(data)) as server:
        with pytest.raises(error):
            client.get(f"http://{server.authority}/").read()
        (result,) = client.map([f"http://{server.authority}/"])
        if result.resource is None:
            assert isinstance(result.error, error)
        else:
            with pytest.raises(error):
                result.resource.read()


def test_a_head_in_a_coding_is_described(client: Client) -> None:
    with Server(once(HEAD + b"Content-Encoding: br\r\nContent-Length: 5\r\n\r\n")) as server:
        assert client.stat(f"http://{server.authority}/").attributes["content-encoding"] == "br"


def test_octets_that_have_come_already_are_handed_over(client: Client) -> None:
    page = "".join(f"<a href=x{number}>{' ' * 1_000}" for number in range(200)).encode()  # several pieces
    with Server(each(lambda connection, _: connection.send(reply(page, "Content-Type: text/html")))) as server:
        entries = list(client.list(f"http://{server.authority}/").entries())
    assert [entry.name for entry in entries] == [f"x{number}" for number in range(200)]


@pytest.mark.promise("limits")
def test_an_endless_body_stops_at_its_limit() -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(HEAD + b"\r\n")
        while True:
            connection.send(bytes(10_000))

    with Server(part) as server, Client(max_bytes=300_000) as client:
        with pytest.raises(LimitError):
            client.get(f"http://{server.authority}/").read()


# --- clocks --------------------------------------------------------------------------------------------------------


def short(**limits: float) -> Policy:
    policy = Policy.default()
    return policy.replace(limits=policy.limits.replace(**limits))


@hasty
def test_what_the_consumer_takes_is_no_fault_of_the_peer() -> None:
    come = threading.Event()

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(b"12")[:-1])
        come.wait(5)
        connection.send(b"2")

    with Server(part) as server, Client(short(idle=0.2)) as client:
        resource = client.get(f"http://{server.authority}/")
        pieces = resource.iter_bytes()
        assert next(pieces) == b"1"
        resource._stream.demand()  # it waits for its peer now
        come.set()
        time.sleep(0.3)
        assert list(pieces) == [b"2"]


@hasty
def test_a_slow_consumer_of_many_finds_none_of_them_late() -> None:
    with (
        Server(each(lambda connection, head: connection.send(reply(b"x")))) as server,
        Client(short(idle=0.2, connect=0.2)) as client,
    ):
        for result in client.map((f"http://127.0.0.{number}:{server.port}/" for number in (1, 1, 1)), 2):
            time.sleep(0.3)
            if result.error is not None:
                raise result.error


def test_a_look_up_that_hangs() -> None:
    over = threading.Event()
    network = Network(lambda host: ["127.0.0.1"] * over.wait(5))
    with Client(short(connect=0.1), network=network) as client, pytest.raises(TransferTimeout) as caught:
        client.get("http://slow.test:4000/")
    assert (caught.value.clock, caught.value.stage) == ("connect", "look-up")
    over.set()


def test_tls_that_is_never_agreed() -> None:
    with (
        Server(lambda connection: connection.wait_for_close()) as server,
        Client(short(connect=0.2)) as client,
        pytest.raises(TransferTimeout) as caught,
    ):
        client.get(f"https://{server.authority}/")
    assert (caught.value.clock, caught.value.stage) == ("connect", "connect")


# --- uploads -------------------------------------------------------------------------------------------------------


def test_what_is_got_can_be_put(client: Client) -> None:
    """The source is another resource of the same client: it is read outside of libcurl, and turns the loop itself."""

    def answer(connection: Connection, head: bytes) -> None:
        if head.startswith(b"PUT"):
            body = upload(connection, head)
            connection.send(reply(b"%d" % len(body)))
        else:
            connection.send(reply(bytes(1_000_000)))

    with Server(each(answer)) as server:
        url = f"http://{server.authority}/"
        with client.open(url, "put", source=client.get(url).iter_bytes()) as resource:
            assert resource.read() == b"1000000"


def test_an_upload_that_is_refused_before_its_end(client: Client) -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(b"no", status="403 No"))
        connection.wait_for_close()

    with Server(part) as server, pytest.raises(AnyURLError) as caught:
        client.put(f"http://{server.authority}/", bytes(900_000))
    assert getattr(caught.value, "code", None) == 403


def test_a_server_that_knows_no_100_continue_gets_the_content_all_the_same(client: Client) -> None:
    """RFC 9110 10.1.1: nobody waits for it for ever; libcurl waits a second, which only its timer ends."""
    content = bytes(2_000_000)  # below a million it does not ask

    def part(connection: Connection) -> None:
        head = connection.head()
        assert b"\r\nexpect: 100-continue\r\n" in head.lower()
        connection.send(reply(b"%d" % len(connection.take(len(content)))))

    with Server(part) as server:
        url = f"http://{server.authority}/"
        assert client.open(url, "put", source=content).read() == b"2000000"


UPLOADS = 5_000 if os.environ.get("ANYURL_SLOW") else 100
"""Some two of a thousand meet the moment between what libcurl reads and what it sends; ANYURL_SLOW has them all."""


def test_an_upload_whose_kept_connection_is_closed_meanwhile_is_sent_again(client: Client) -> None:
    """libcurl itself repeats what fails on a kept connection while it reads, but not while it sends."""
    content = bytes(300_000)

    def part(connection: Connection) -> None:
        if head := connection.head():
            connection.take(len(content))
            moved = head.startswith(b"PUT /here ")
            connection.send(reply(b"", "Location: /there", status="307 Moved") if moved else reply(b"there"))
            time.sleep(random.random() / 500)

    with Server(part) as server:
        for _ in range(UPLOADS):
            assert client.open(f"http://{server.authority}/here", "put", source=content).read() == b"there"


def test_a_source_that_breaks_ends_its_upload_only(client: Client) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"x"
        raise ZeroDivisionError("in the source")

    def part(connection: Connection) -> None:
        head = connection.head()
        if head.startswith(b"PUT"):
            connection.send(b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.wait_for_close()
        connection.send(reply(b"good"))

    with Server(part) as server:
        assert client.get(f"http://{server.authority}/").read() == b"good"
        before = descriptors()
        with pytest.raises(LocalFileError, match="in the source") as caught:
            client.put(f"http://{server.authority}/", pieces())
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        assert left_open(before) <= 0
        assert client.get(f"http://{server.authority}/").read() == b"good"


@hasty
def test_a_slow_source_is_no_fault_of_the_peer() -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(3):
            time.sleep(0.15)
            yield b"x"

    def answer(connection: Connection, head: bytes) -> None:
        connection.send(reply(upload(connection, head)))

    with Server(each(answer)) as server, Client(short(idle=0.2)) as client:
        assert client.open(f"http://{server.authority}/", "put", source=pieces()).read() == b"xxx"


# --- what nobody asked for -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_answer_that_nobody_asked_for_answers_nothing(scheme: str, tmp_path: Path) -> None:
    """HTTP/1.1 says of no answer whose it is: a connection on which something has come is not used again."""
    go_on, sent = threading.Event(), threading.Event()

    def part(connection: Connection) -> None:
        while head := connection.head():
            connection.send(reply(head.split()[1]))
            if b"/1" in head:
                go_on.wait(5)
                connection.send(reply(b"unasked"))
                sent.set()

    with (
        certificate(tmp_path, "127.0.0.1") as (context, authority),
        Server(part, context=context if scheme == "https" else None) as server,
        Client(ca_file=authority) as client,
    ):
        url = f"{scheme}://{server.authority}"

        found = []
        for result in client.map([f"{url}/1", f"{url}/2"], limit=1):
            assert result.error is None
            assert result.resource is not None
            found.append(result.resource.read())
            go_on.set()
            assert sent.wait(WAIT_SECONDS)
    assert found == [b"/1", b"/2"]
    assert len(server.received) == 2


UNASKED = [
    ("an answer", reply(b"unasked")),
    ("one without a body", reply(b"", status="204 No Content")),
    ("an empty one", reply(b"")),
    ("an interim one", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    ("half a head", b"HTTP/1.1 200 OK\r\nX: y\r\n"),
]

CONTENT = bytes(range(256)) * 400

ASKED: dict[str, Callable[[Client, str], bytes]] = {
    "map": lambda client, url: b"".join(each.resource.read() for each in client.map([url]) if each.resource),
    "open": lambda client, url: client.open(url).read(),
    "head": lambda client, url: client.stat(url).headers["x-path"].encode(),
    "put": lambda client, url: client.put(url, CONTENT).headers["x-path"].encode(),
}


CORKED_SECONDS = 0.2
"""What is corked is sent after this time (tcp(7))."""


def _together(unasked: bytes, lasted: list[float]) -> Part:
    """A server that sends `unasked` behind its first answer, in the same segment of TCP; it tells how long it took."""

    def part(connection: Connection) -> None:
        while head := connection.head():
            path = head.split()[1]
            body = b"" if head.startswith(b"HEAD") else path
            if head.startswith(b"PUT") and connection.take(len(CONTENT)) != CONTENT:
                return
            answer = reply(body, f"X-Path: {path.decode()}")
            if path == b"/1":
                connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
                began = time.monotonic()
                connection.send(answer)
                connection.send(unasked)
                lasted.append(time.monotonic() - began)
                connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
            else:
                connection.send(answer)

    return part


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system does not tell what was taken")
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("unasked", [row[1] for row in UNASKED], ids=[row[0] for row in UNASKED])
@anew
def test_what_came_with_the_answer_before_answers_nothing(asked: str, unasked: bytes, tmp_path: Path) -> None:
    """TLS is read ahead: it has left the socket by then, and waits where nobody can look."""
    ask = ASKED[asked]
    lasted: list[float] = []
    with (
        certificate(tmp_path, "127.0.0.1") as (context, authority),
        Server(_together(unasked, lasted), context=context) as server,
        Client(ca_file=authority) as client,
    ):
        url = f"https://{server.authority}"
        found = [ask(client, f"{url}/1")]
        if not lasted or lasted[0] > CORKED_SECONDS / 2:
            raise Slow
        assert [*found, *(ask(client, f"{url}/{number}") for number in (2, 3))] == [b"/1", b"/2", b"/3"]
        assert len(server.received) == 2
        assert [ask(client, f"{url}/{number}") for number in (4, 5)] == [b"/4", b"/5"]
        assert len(server.received) == 2  # an honest connection is used again


# --- silence -------------------------------------------------------------------------------------------------------


def _stops(data: bytes) -> Part:
    """A server that says so much, and then neither reads nor speaks."""

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(data)
        hang_up = select.poll()
        hang_up.register(connection.sock, select.POLLRDHUP)
        hang_up.poll(5000)

    return part


@pytest.mark.parametrize(
    ("part", "verb"),
    [
        (_stops(b"HTTP/1.1 100 Continue\r\n\r\n"), "put"),  # what is to be sent is never taken
        (_stops(b"HTTP/1.1 100 Continue\r\n\r\n"), "get"),  # an interim answer is none
        (_stops(b""), "get"),
        (_stops(b""), "put"),
        (_stops(HEAD + b"Content-Le"), "get"),
        (_stops(HEAD + b"Content-Length: 10\r\n\r\n12345"), "get"),
        (_stops(CHUNKED + b"5\r\n12345\r\n"), "get"),
    ],
)
def test_a_server_that_stops_runs_out_of_time(part: Part, verb: str) -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield bytes(100_000)

    with Server(part) as server, Client(short(idle=0.2, total=8)) as client:
        with pytest.raises(TransferTimeout) as caught:
            client.open(f"http://{server.authority}/", verb, source=endless() if verb == "put" else None).read()
        assert caught.value.clock == "idle"


@pytest.mark.promise("refused-means-unsent")
@pytest.mark.kernel("pure")  # compiled, nobody but the engine aims a transfer
def test_libcurl_opens_no_socket_to_an_address_that_was_not_approved(client: Client) -> None:
    """Whatever libcurl makes of a URL, its names or its memory: it has to ask for the socket."""
    with Server(once(reply(b"inner"))) as server:
        engine = CurlEngine(client._scheduler())
        transfer = Transfer(engine.sockets, engine.act_soon, engine.abandon)
        transfer._take_route(("http", "127.0.0.1", server.port, ("192.0.2.1",), None))
        with pytest.raises(pycurl.error):
            transfer.easy.perform()
        assert isinstance(transfer._kept_error, RefusedError)
        transfer.easy.close()
        assert server.received == []


# --- letting go at any moment --------------------------------------------------------------------------------------


def test_garbage_found_by_another_thread_is_let_go_by_its_own(client: Client) -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(bytes(1_000_000))[:50_000])
        connection.wait_for_close()

    with Server(part) as server, Server(each(lambda connection, head: connection.send(reply(b"x")))) as other:
        assert client.get(f"http://{other.authority}/").read() == b"x"
        before = descriptors()
        held = [client.get(f"http://{server.authority}/")]
        thread = threading.Thread(target=held.clear)
        thread.start()
        thread.join()
        assert client.get(f"http://{other.authority}/").read() == b"x"
        gc.collect()
        assert left_open(before) <= 0


def test_a_child_process_leaves_its_parents_connections_alone(tmp_path: Path) -> None:
    """Its own copy of a resource is closed, and freed: neither may end TLS, or the parent's wait for the socket."""
    network = Network(lambda host: ["127.0.0.1"])
    with (
        certificate(tmp_path, "good.test") as (context, path),
        Server(each(lambda connection, head: connection.send(reply(bytes(500_000)))), context=context) as server,
        Client(network=network, ca_file=path) as client,
    ):
        url = f"https://good.test:{server.port}/"
        resource = client.get(url)
        pieces = resource.iter_bytes()
        size = len(next(pieces))
        child = os.fork()
        if child == 0:
            status = 1
            try:
                del pieces
                resource.close()
                client.close()
                del resource
                gc.collect()
                with Client(network=network, ca_file=path) as own:
                    status = int(len(own.get(url).read()) != 500_000)
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert size + sum(map(len, pieces)) == 500_000


def test_a_client_can_be_closed_by_another_thread() -> None:
    caught: list[BaseException] = []
    asked = threading.Event()

    def part(connection: Connection) -> None:
        connection.head()
        asked.set()
        connection.wait_for_close()

    with Server(part) as server, Client() as client:

        def transfer() -> None:
            try:
                client.get(f"http://{server.authority}/")
            except AnyURLError as error:
                caught.append(error)

        thread = threading.Thread(target=transfer)
        thread.start()
        assert asked.wait(WAIT_SECONDS)
        client.close()
        thread.join(WAIT_SECONDS)
        assert not thread.is_alive()
    assert isinstance(caught[0], ConnectionLost)


def test_what_codings_can_be_undone_is_known_before_descriptors_run_out(client: Client) -> None:
    """They are looked for on the disk, and an error of the system's came out in place of an answer."""
    known.cache_clear()
    CurlEngine(client._scheduler()).close()
    assert known.cache_info().currsize == 1


class LastDescriptor(Network):
    """A network whose first socket has the last descriptor that there is."""

    limited = False

    def socket_to(self, endpoint: tuple[str, int], transport: Transport) -> tuple[socket.socket, Any]:
        sock, target = super().socket_to(endpoint, transport)
        if not self.limited:
            self.limited = True
            next_one = os.dup(sock.fileno())
            os.close(next_one)
            resource.setrlimit(resource.RLIMIT_NOFILE, (next_one, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        return sock, target


def test_a_socket_for_which_pycurl_finds_no_second_descriptor_is_an_error_that_says_so() -> None:
    """It duplicates each socket for libcurl, which is then told only that there is none."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Server(answers(reply(b"x"))) as server, Client(Policy.open(), network=LastDescriptor()) as client:
        url = f"http://{server.authority}/"
        try:
            with pytest.raises(LocalFileError, match="open any more connections"):
                client.get(url)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        assert client.get(url).read() == b"x"


class Interrupting(Limits):
    """Limits that Ctrl-C finds being read: `read_head` does so inside of libcurl's callbacks."""

    pressed = True

    def __getattribute__(self, name: str) -> Any:
        if name == "header_bytes" and not Interrupting.pressed:
            Interrupting.pressed = True
            signal.raise_signal(signal.SIGINT)
        return super().__getattribute__(name)


class InterruptedNetwork(Network):
    """A network that Ctrl-C finds making a socket: libcurl asks for one inside of a callback."""

    pressed = False

    def socket_to(self, endpoint: tuple[str, int], transport: Transport) -> tuple[socket.socket, tuple[str, int]]:
        if not self.pressed:
            self.pressed = True
            signal.raise_signal(signal.SIGINT)
        return super().socket_to(endpoint, transport)


class InterruptedPoller(Poller):
    """A poller that Ctrl-C finds being told of a socket: libcurl names one inside of a callback."""

    pressed = False

    def register(self, fd: int, events: int) -> None:
        if not self.pressed:
            self.pressed = True
            signal.raise_signal(signal.SIGINT)
        super().register(fd, events)


def opened(client: Client, url: str) -> bytes:
    return client.open(url).read()


def mapped(client: Client, url: str) -> bytes:
    (result,) = client.map([url])
    assert result.resource is not None
    return result.resource.read()


@pytest.fixture
def interruptible() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("read", [opened, mapped])  # one hears of the head line by line, the other with the body
@pytest.mark.parametrize("found", ["head", "socket", "poller"])
def test_an_interruption_inside_of_libcurl_comes_out(read: Callable[[Client, str], bytes], found: str) -> None:
    """libcurl would print it, and go on or say that something is wrong inside of it."""
    network = InterruptedNetwork()
    network.pressed = found != "socket"
    with (
        Server(each(lambda connection, _: connection.send(reply(b"good")))) as server,
        Client(Policy.default().replace(limits=Interrupting()), network=network) as client,
    ):
        if found == "poller":
            loop = client._scheduler().loop
            loop._poller.close()
            loop._poller = InterruptedPoller()
        Interrupting.pressed = found != "head"
        url = f"http://{server.authority}/"
        with pytest.raises(KeyboardInterrupt):
            read(client, url)
        assert not client._scheduler().clocks.tasks
        assert read(client, url) == b"good"


@pytest.mark.parametrize("beside", [0, 1])
def test_the_head_is_handed_out_before_the_body_comes(client: Client, beside: int) -> None:
    """Alone a request is looked at whenever something has come; beside another one it is told of each line."""
    with Server(each(slowly_or_good)) as server:
        others = [client.open(f"http://{server.authority}/slow") for _ in range(beside)]
        with client.open(f"http://{server.authority}/slow") as resource:
            assert (resource.size, resource.complete) == (4, False)
            assert client.open(f"http://{server.authority}/").read() == b"good"
        for other in others:
            other.close()


def slowly_or_good(connection: Connection, head: bytes) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" if b"/slow" in head else reply(b"good"))


@pytest.mark.kernel("pure")  # compiled, Ctrl-C is not heard between two lines of ours
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("callback", ["_on_open", "on_socket", "_on_ready_to_ask", "_on_header"])
def test_an_interruption_between_two_lines_of_a_callback_comes_out(callback: str, client: Client) -> None:
    found: list[str] = []

    def interrupt(frame: FrameType, event: str, _argument: object) -> None:
        # A function that the callback calls: the callback itself has hardly begun.
        caller = frame.f_back
        if event == "call" and caller is not None and caller.f_code.co_name == callback and not found:
            found.append(callback)
            signal.raise_signal(signal.SIGINT)

    with Server(each(slowly_or_good)) as server, client.open(f"http://{server.authority}/slow"):
        # Lines of a head are told one by one where a request is not alone.
        sys.setprofile(interrupt)
        try:
            with pytest.raises(KeyboardInterrupt):
                opened(client, f"http://{server.authority}/")
        finally:
            sys.setprofile(None)
        assert found == [callback]
        assert opened(client, f"http://{server.authority}/") == b"good"
