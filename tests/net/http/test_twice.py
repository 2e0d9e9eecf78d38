"""Nothing happens twice: a server counts what it was asked, and closes a kept connection when it has read the request.

libcurl alone sends a POST once more when a kept connection ends without an answer: the server saw it twice.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from anyurl import URL, Client
from anyurl.dialogue import Connect, LocalName, Now, Options, Random, Take, Verb
from anyurl.errors import AccessError, ConnectionLost
from anyurl.net.http.libcurl import pycurl
from anyurl.schemes import registry
from tests.servers import Connection, Server, reply


class Counter:
    """What was asked, and how many of the answers are to fail."""

    def __init__(self) -> None:
        self.asked: list[tuple[bytes, bytes]] = []
        self.connections = 0
        self.silent = 0


@contextmanager
def counting() -> Iterator[tuple[str, Counter]]:
    """The first request of each connection is answered; then as many as are to be silent end their connection."""
    counter, lock = Counter(), threading.Lock()

    def part(connection: Connection) -> None:
        with lock:
            counter.connections += 1
        answered = 0
        while head := connection.head():
            lower = head.lower()
            body = b""
            if b"content-length: " in lower:
                body = connection.take(int(lower.partition(b"content-length: ")[2].split(b"\r\n")[0]))
            elif b"chunked" in lower:
                while size := int(connection.line(), 16):
                    body += connection.take(size)
                    connection.line()
                connection.line()
            with lock:
                counter.asked.append((head.partition(b" ")[0], body))
            if answered and counter.silent:
                counter.silent -= 1
                return
            answered += 1
            connection.send(reply(b"done"))

    with Server(part) as server:
        yield f"http://127.0.0.1:{server.port}/pay", counter


@pytest.mark.parametrize("method", ["POST", "PATCH", "PURGE", "LOCK"])
def test_what_may_not_be_repeated_takes_a_connection_of_its_own(method: str) -> None:
    with counting() as (url, counter), Client() as client:
        client.get(url).read()
        counter.silent = 1
        client.request(method, url, content=b"pay=100").read()
        assert counter.asked == [(b"GET", b""), (method.encode(), b"pay=100")]
        assert counter.connections == 2
        client.request(method, url, content=b"pay=100").read()
        assert counter.connections == 3


@pytest.mark.parametrize("method", ["POST", "PATCH", "PURGE"])
def test_it_is_asked_once_even_when_no_answer_comes(method: str) -> None:
    asked = []

    def part(connection: Connection) -> None:
        asked.append(connection.head() + connection.take(3))

    with Server(part) as server, Client() as client:
        with pytest.raises(AccessError):
            client.request(method, f"http://127.0.0.1:{server.port}/", content=b"abc")
    assert len(asked) == 1


def test_others_are_repeated_on_a_new_connection_when_a_kept_one_ends() -> None:
    """The same fault shows itself where it does no harm: the counting server does see two."""
    with counting() as (url, counter), Client() as client:
        client.get(url).read()
        counter.silent = 1
        assert client.get(url).read() == b"done"
        assert [method for method, _ in counter.asked] == [b"GET", b"GET", b"GET"]


def test_a_content_is_repeated_if_it_can_be_read_again() -> None:
    with counting() as (url, counter), Client() as client:
        client.get(url).read()
        counter.silent = 1
        client.put(url, b"x" * 1000)
        assert [body for _, body in counter.asked] == [b"", b"x" * 1000, b"x" * 1000]


def test_a_content_that_can_be_read_only_once_goes_out_once() -> None:
    with counting() as (url, counter), Client() as client:
        client.get(url).read()
        counter.silent = 1
        client.put(url, iter([b"x" * 10, b"y"]))
        assert [body for _, body in counter.asked] == [b"", b"x" * 10 + b"y"]
        assert counter.connections == 2


def test_libcurl_alone_does_it_twice() -> None:
    """The test can fail: this is what the rule is against."""
    with counting() as (url, counter):
        easy = pycurl.Curl()
        easy.setopt(pycurl.URL, url)
        easy.setopt(pycurl.WRITEFUNCTION, lambda _data: None)
        easy.perform()
        counter.silent = 1
        easy.setopt(pycurl.POSTFIELDS, "pay=100")
        easy.perform()
        easy.close()
        assert [method for method, _ in counter.asked] == [b"GET", b"POST", b"POST"]


def test_a_large_content_asks_for_no_leave() -> None:
    """With "Expect: 100-continue" a refusal of it would have the head sent once more."""
    heads = []

    def part(connection: Connection) -> None:
        heads.append(connection.head())
        connection.take(3_000_000)
        connection.send(reply(b"ok"))

    with Server(part) as server, Client() as client:
        assert client.request("POST", f"http://127.0.0.1:{server.port}/", content=b"x" * 3_000_000).read() == b"ok"
    assert b"expect" not in heads[0].lower()


def test_a_lost_answer_is_an_error_and_no_repetition() -> None:
    with counting() as (url, counter), Client() as client:

        def lost(connection: Connection) -> None:
            connection.head()

        with Server(lost) as server:
            with pytest.raises(ConnectionLost):
                client.request("POST", f"http://127.0.0.1:{server.port}/", content=b"")
        assert client.get(url).read() == b"done"
        assert len(counter.asked) == 1


ANSWERS: dict[type, Any] = {Take: b"Subject: x\n\nx\n", Now: 0.0, Random: bytes(16), LocalName: frozenset({"h"})}


@pytest.mark.parametrize("url", ["ftp://h.dom/d/f", "ftps://h.dom/f", "nntp://h.dom/a.group", "news://h.dom/a.group"])
def test_an_append_takes_a_connection_of_its_own_in_every_scheme(url: str) -> None:
    """APPE and a posting happen twice if they are said twice; mail keeps no connection at all."""
    where = URL(url)
    verbs: tuple[tuple[Verb, bool], ...] = (("append", True), ("list", False))
    for verb, fresh in verbs:
        dialogue = registry.verb(where, verb)(where, Options(identity="me@example.org"))
        ask = next(dialogue)
        while not isinstance(ask, Connect):
            ask = dialogue.send(ANSWERS.get(type(ask)))
        assert ask.fresh is fresh


def test_one_put_after_the_other_on_a_kept_connection_has_its_time() -> None:
    """The head that still lies in the buffer is no step back, which would use up the time for the peer."""
    with counting() as (url, counter), Client() as client:
        for size in range(1, 40):
            client.put(url, b"x" * size)
        assert counter.connections == 1
        assert [len(body) for _, body in counter.asked] == list(range(1, 40))
