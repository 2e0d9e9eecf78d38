"""Requests for http URLs: what the server gets, what the client gets, and where one message ends."""

from __future__ import annotations

import asyncio
import socket
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from anyurl import URL
from anyurl.proxy.forward import INTERIM_AT_MOST, forward
from anyurl.proxy.head import RequestHead
from anyurl.proxy.sockets import StreamSocket
from anyurl.proxy.streams import Flow
from tests.proxy.running import running
from tests.servers import WAIT_SECONDS, Connection, Server, answers, reply


def test_the_head_that_the_server_gets_is_made_of_the_url() -> None:
    with Server(answers(reply(b"x"))) as server, running() as proxy:
        url = f"http://127.0.0.1:{server.port}/a%7eb?c"
        fields = ("Connection: X-Near", "X-Near: 1", "Proxy-Authorization: Basic eDp5", "X-Far: 2")
        assert proxy.get(url, *fields)[::2] == (200, b"x")
        assert bytes(server.received[0]) == (
            f"GET /a%7eb?c HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-Far: 2\r\n"
            f"Via: 1.1 {proxy.proxy.state.name}\r\nConnection: close\r\n\r\n"
        ).encode()  # fmt: skip
        (line,) = proxy.wait(1)
        assert line["octets"] == len(reply(b"x"))


def test_who_passed_a_message_on_before_stays_in_front() -> None:
    """RFC 9110 7.6.3: recipients in the order in which they had it, however many fields name them; both ways."""
    with Server(answers(reply(b"x", "Via: 1.1 c", "Via: 1.0 d, 1.1 e"))) as server, running() as proxy:
        _, head, _ = proxy.get(f"http://{server.authority}/", "Via: 1.0 a", "X: 1", "via: 1.1 b (x)")
        mine = f"1.1 {proxy.proxy.state.name}"
    assert f"\r\nVia: 1.0 a, 1.1 b (x), {mine}\r\n".encode() in server.received[0]
    assert bytes(server.received[0]).lower().count(b"\r\nvia:") == 1
    lines = [line.partition(b":") for line in head.split(b"\r\n")]
    assert (
        b", ".join(value.strip() for name, _, value in lines if name == b"Via")
        == f"1.1 c, 1.0 d, 1.1 e, {mine}".encode()
    )


@pytest.mark.parametrize(
    ("url", "method", "target"),
    [("", "GET", "/"), ("?q", "GET", "/?q"), ("", "OPTIONS", "*"), ("?q", "OPTIONS", "/?q"), ("/", "OPTIONS", "/")],
)
def test_the_target(url: str, method: str, target: str) -> None:
    with Server(answers(reply(b""))) as server, running() as proxy:
        proxy.get(f"http://127.0.0.1:{server.port}{url}", method=method)
        assert bytes(server.received[0]).startswith(f"{method} {target} HTTP/1.1\r\n".encode())


@pytest.mark.parametrize(
    "target",
    [
        "/?a[]=1", "/?family=A|B", "/a|b", "/?q={x}", "/?a`b", "/?a^b", '/?a"b', "/100%", "/%zz", "/?100%", "/a[1]/b",
        "/?a=<b>", "/?a=b\\c", "/{id}", "/a%7eb/%2E%2e/c?d=%5B", "/?a=http://10.0.0.1/",
        "/a\\b", "/?@10.0.0.1", "/;a=b,c'd",
    ],
)  # fmt: skip
def test_what_browsers_leave_as_it_is_reaches_the_server_as_it_is(target: str) -> None:
    with Server(answers(reply(b"x"))) as server, running() as proxy:
        assert proxy.get(f"http://127.0.0.1:{server.port}{target}")[0] == 200
        assert bytes(server.received[0]).startswith(f"GET {target} HTTP/1.1\r\n".encode())
        (line,) = proxy.wait(1)
        assert line["decision"] == "allowed"
        URL(line["url"])


@pytest.mark.parametrize(
    "place", ["127.0.0.1|x", "127.0.0.1\\@h", "[]@127.0.0.1", "a{b}", "127.0.0.1%", "a`b", '"', "<h>"]
)
def test_the_authority_is_read_as_strictly_as_ever(place: str) -> None:
    with running() as proxy:
        assert proxy.get(f"http://{place}/?a[]=1")[0] == 400


@pytest.mark.parametrize("octet", [b" ", b"\t", b"\x00", b"\x7f", b"\x80", b"\xc3\xa4", b"\x0b"])
def test_what_ends_a_line_or_is_not_ascii_is_no_target(octet: bytes) -> None:
    with running() as proxy:
        assert proxy.say(b"GET http://127.0.0.1/a" + octet + b"b HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304), ("POST", 304)])
def test_an_answer_without_content_ends_with_its_head(method: str, status: int) -> None:
    """RFC 9112 6.3: whatever length it says."""
    with Server(answers(f"HTTP/1.1 {status} X\r\nContent-Length: 5\r\n\r\n".encode())) as server, running() as proxy:
        got, head, body = proxy.get(f"http://127.0.0.1:{server.port}/", "Content-Length: 0", method=method)
        (line,) = proxy.wait(1)
    assert (got, body, line["decision"]) == (status, b"", "allowed")
    assert b"Content-Length: 5" in head


def taking(length: int, answer: bytes) -> Any:
    def part(connection: Connection) -> None:
        connection.head()
        connection.take(length)
        connection.send(answer)

    return part


@pytest.mark.parametrize(
    ("method", "said", "status", "passed"),
    [
        ("TRACE", "1", 200, b"Max-Forwards: 0\r\n"),
        ("OPTIONS", "10", 200, b"Max-Forwards: 9\r\n"),
        ("OPTIONS", "0", 405, None),
        ("TRACE", "0", 405, None),
        ("GET", "0", 200, b"Max-Forwards: 0\r\n"),  # it says nothing of other methods
    ],
)
def test_a_request_goes_on_as_often_as_it_says(method: str, said: str, status: int, passed: bytes | None) -> None:
    with Server(answers(reply(b"x"))) as server, running() as proxy:
        got = proxy.get(f"http://127.0.0.1:{server.port}/", f"Max-Forwards: {said}", method=method)
    assert got[0] == status
    assert passed is None or passed in server.received[0]


def test_a_body_has_its_length_and_not_an_octet_more() -> None:
    """Attack: what stands behind the body would be the next request to a server that was judged for this one only."""
    with Server(taking(5, reply(b"ok"))) as server, running() as proxy:
        url = f"http://127.0.0.1:{server.port}/"
        sent = f"POST {url} HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloGET http://127.0.0.1/evil HTTP/1.1\r\n\r\n"
        assert proxy.say(sent.encode()).endswith(b"\r\n\r\nok")
        assert bytes(server.received[0]).endswith(b"\r\n\r\nhello")


def test_a_server_need_not_read_a_body_to_answer() -> None:
    """RFC 9110 9.3: the client may still be sending; what it sends no longer counts."""

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(reply(b"too much"))

    with Server(part) as server, running() as proxy:
        answer = proxy.say(f"POST http://{server.authority}/ HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf".encode())
        (line,) = proxy.wait(1)
    assert answer.endswith(b"\r\n\r\ntoo much")
    assert line["decision"] == "allowed"


def test_a_chunked_body_is_written_anew() -> None:
    chunks = b"5;ext=1\r\nhello\r\n0\r\nTrailer: x\r\n\r\nGET /evil HTTP/1.1\r\n\r\n"
    with Server(taking(15, reply(b"ok"))) as server, running() as proxy:
        url = f"http://127.0.0.1:{server.port}/"
        sent = f"POST {url} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + chunks
        assert proxy.say(sent).endswith(b"\r\n\r\nok")
        assert bytes(server.received[0]).endswith(b"\r\n\r\n5\r\nhello\r\n0\r\n\r\n")


@pytest.mark.parametrize("chunks", [b"x\r\n", b"-5\r\nhello", b"5\r\nhelloXX0\r\n\r\n", b"1" * 2_000 + b"\r\n"])
def test_a_body_that_is_not_chunked_as_it_says_ends_the_request(chunks: bytes) -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.drain()

    with Server(part) as server, running() as proxy:
        url = f"http://127.0.0.1:{server.port}/"
        sent = f"POST {url} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + chunks
        assert b" 200 " not in proxy.say(sent)[:20]


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (reply(b"abc"), b"abc"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", b"3\r\nabc\r\n0\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\n\r\nabc", b"3\r\nabc\r\n0\r\n\r\n"),
        (b"HTTP/1.0 200 OK\r\n\r\nabc", b"3\r\nabc\r\n0\r\n\r\n"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            b"3\r\nabc\r\n0\r\n\r\n",
        ),
        (b"HTTP/1.1 204 No Content\r\n\r\nabc", b""),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: keep-alive, X-A\r\nX-A: 1\r\n\r\nabc", b"abc"),
    ],
)
def test_what_the_client_gets(answer: bytes, body: bytes) -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(answer)

    with Server(part) as server, running() as proxy:
        _, head, got = proxy.get(f"http://127.0.0.1:{server.port}/", "Connection: close")
    assert got == body
    assert head.startswith(b"HTTP/1.1 ")  # of this side, whatever the server has
    assert f"\r\nVia: 1.1 {proxy.proxy.state.name}\r\n".encode() in head
    assert (head + b"\r\n").count(b"\r\nConnection: close\r\n") == 1
    assert (b"Transfer-Encoding: chunked" in head) == body.endswith(b"0\r\n\r\n")
    assert not (b"Transfer-Encoding" in head and b"Content-Length" in head)
    assert b"X-A" not in head


@pytest.mark.parametrize(
    ("coding", "chunks", "got"),
    [
        (b"chunked", b"3\r\nabc\r\n1;x\r\nd\r\n0\r\nT: 1\r\n\r\n", b"abcd"),
        (b"CHUNKED\r\nContent-Length: 9", b"0\r\n\r\n", b""),
        (b"gzip, chunked", b"0\r\n\r\n", None),
        (b"gzip\r\nTransfer-Encoding: chunked", b"0\r\n\r\n", None),
    ],
)
def test_who_speaks_http_1_0_gets_no_transfer_coding(coding: bytes, chunks: bytes, got: bytes | None) -> None:
    """RFC 9112 6.1: it knows none, and would take the sizes for content."""
    with Server(answers(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: " + coding + b"\r\n\r\n" + chunks)) as server:
        with running() as proxy:
            head, _, body = proxy.say(f"GET http://{server.authority}/ HTTP/1.0\r\n\r\n".encode()).partition(
                b"\r\n\r\n"
            )
    assert b"Transfer-Encoding" not in head
    if got is None:
        assert head.startswith(b"HTTP/1.1 502 ")
    else:
        assert (body, b"Content-Length" in head) == (got, False)


@pytest.mark.parametrize(
    ("coding", "passes"),
    [
        (b"gzip, chunked", True),
        (b"gzip\r\nTransfer-Encoding: Chunked", True),
        (b"chunked, gzip", False),
        (b"gzip", False),
        (b"xchunked", False),
    ],
)
def test_the_codings_of_an_answer_are_the_clients_business_but_for_the_last_one(coding: bytes, passes: bool) -> None:
    """RFC 9112 6.3: without chunked as the last one nobody knows where it ends."""
    answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: " + coding + b"\r\n\r\n1\r\nx\r\n0\r\n\r\n"
    with Server(answers(answer)) as server, running() as proxy:
        status, head, body = proxy.get(f"http://{server.authority}/")
    assert status == (200 if passes else 502)
    if passes:
        assert b"Transfer-Encoding: " + coding in head
        assert body == b"1\r\nx\r\n0\r\n\r\n"


def test_interim_answers_go_on_to_who_knows_them() -> None:
    answer = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + reply(b"x")
    for minor, count in ((1, 2), (0, 1)):
        with Server(answers(answer)) as server, running() as proxy:
            sent = f"GET http://127.0.0.1:{server.port}/ HTTP/1.{minor}\r\n\r\n".encode()
            assert proxy.say(sent).count(b"HTTP/1.1 ") == count


@pytest.mark.parametrize("minor", [0, 1])
@pytest.mark.parametrize("more", [0, 1])
def test_as_many_interim_answers_as_are_allowed_and_not_one_more(more: int, minor: int) -> None:
    interim = b"HTTP/1.1 103 Early Hints\r\n\r\n" * (INTERIM_AT_MOST + more)
    with Server(answers(interim + reply(b"x"))) as server, running() as proxy:
        got = proxy.say(f"GET http://{server.authority}/ HTTP/1.{minor}\r\n\r\n".encode())
        (line,) = proxy.wait(1)
    assert got.count(b"HTTP/1.1 103 ") <= INTERIM_AT_MOST * minor
    assert got.startswith(b"HTTP/1.1 502 ") == (more > minor)
    assert got.endswith(b"\r\n\r\nx") == (not more)
    assert line["decision"] == ("failed" if more else "allowed")


def test_an_answer_with_other_line_ends_is_not_waited_for() -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\nContent-Length: 1\n\nx")
        connection.wait_for_close()

    with Server(part) as server, running() as proxy:
        assert proxy.get(f"http://{server.authority}/")[0] == 502


@pytest.mark.parametrize("minor", [0, 1])
@pytest.mark.parametrize(
    "answer",
    [
        b"", b"HTTP/1.1 200 OK\r\n", b"nonsense\r\n\r\n", b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: " + b"b" * 70_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\nok",
    ],
)  # fmt: skip
def test_what_is_no_answer_is_one_sentence(answer: bytes, minor: int) -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(answer)

    with Server(part) as server, running() as proxy:
        got = proxy.say(f"GET http://127.0.0.1:{server.port}/ HTTP/1.{minor}\r\n\r\n".encode())
        (line,) = proxy.wait(1)
    assert got.startswith(b"HTTP/1.1 502 ")
    assert line["decision"] == "failed"


@pytest.mark.parametrize("answer", [
    b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
])  # fmt: skip
def test_an_answer_that_breaks_is_not_taken_for_a_whole(answer: bytes) -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(answer)

    with Server(part) as server, running() as proxy:
        _, head, body = proxy.get(f"http://127.0.0.1:{server.port}/")
        (line,) = proxy.wait(1)
    assert line["decision"] == "failed"
    assert len(body) < 10
    assert not body.endswith(b"0\r\n\r\n")
    assert head


@pytest.mark.parametrize("minor", [0, 1])
@pytest.mark.parametrize("field", [b"", b"Content-Length: 9\r\n"])
def test_an_answer_that_is_reset_is_not_taken_for_a_whole(field: bytes, minor: int) -> None:
    """A body that only the end of the connection ends: the client must see how it ended."""
    seen = threading.Event()
    piece = b"half\r\n" if minor and not field else b"half"

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\n" + field + b"\r\nhalf")
        assert seen.wait(WAIT_SECONDS)
        connection.reset()

    with Server(part) as server, running() as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as sock:
            sock.sendall(f"GET http://127.0.0.1:{server.port}/ HTTP/1.{minor}\r\n\r\n".encode())
            got = b""
            while not got.endswith(piece):
                got += sock.recv(65536)
            seen.set()
            with pytest.raises(ConnectionResetError):
                sock.recv(65536)
        (line,) = proxy.wait(1)
    assert (line["decision"], line["code"]) == ("failed", "broken")


def test_a_server_that_resets_before_it_answers_is_told() -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.reset()

    with Server(part) as server, running() as proxy:
        status, _, body = proxy.get(f"http://127.0.0.1:{server.port}/")
        (line,) = proxy.wait(1)
    assert status == 502
    assert line["decision"] == "failed"
    assert b"without a whole answer" in body


@pytest.mark.parametrize("body", [b"no chunk\r\n", b"5\r\nha"], ids=["wrong", "half"])
def test_a_whole_answer_is_one_whatever_comes_of_the_body(body: bytes) -> None:
    """The server need not read the body: where both are over in one turn, the answer counts; and nothing goes on."""
    request = RequestHead("POST", "http://h/", 1, ((b"Transfer-Encoding", b"chunked"),))

    async def main() -> bytes:
        (near, client), (far, server) = socket.socketpair(), socket.socketpair()
        with near, far:
            near.sendall(body)
            far.sendall(reply(b"whole"))
            asker: Any = SimpleNamespace(
                client=StreamSocket(client), policy=None, via=b"1.1 x", begin_answer=lambda: None,
                reach=reach(StreamSocket(server)), may_keep=lambda: False,
            )  # fmt: skip
            async with Flow(5, None) as flow:
                await forward(asker, request, None, URL("http://h/"), flow)
            assert asyncio.all_tasks() == {asyncio.current_task()}
            asker.client.close()
            return b"".join(iter(lambda: near.recv(65_536), b""))

    def reach(server: StreamSocket) -> Any:
        async def reached(*_place: object) -> StreamSocket:
            return server

        return reached

    assert asyncio.run(main()).endswith(b"\r\n\r\nwhole")
