"""The listener: it serves on loopback, and leaves nothing behind."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from anyurl.schemes.kit.server import Conversation, ServedClient, WireServer
from anyurl.world import listener
from anyurl.world.listener import Listener, SchemeListener


def echo(connection: socket.socket) -> None:
    while data := connection.recv(100):
        connection.sendall(data)


def echo_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("world echo")]


def test_each_connection_is_served_at_the_same_time() -> None:
    server = Listener(echo, "echo")
    with socket.create_connection((listener.HOST, server.port)) as one:
        with socket.create_connection((listener.HOST, server.port)) as two:
            two.sendall(b"two")
            assert two.recv(10) == b"two"
            one.sendall(b"one")
            assert one.recv(10) == b"one"
    server.close()


def test_close_ends_idle_connections_threads_and_descriptors() -> None:
    before = len(os.listdir("/proc/self/fd"))
    server = Listener(echo, "echo")
    clients = [socket.create_connection((listener.HOST, server.port)) for _ in range(5)]
    for client in clients:
        client.sendall(b"?")
        assert client.recv(1) == b"?"
    server.close()
    server.close()  # twice is once
    assert echo_threads() == []
    for client in clients:
        assert client.recv(1) == b""
        client.close()
    assert len(os.listdir("/proc/self/fd")) <= before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((listener.HOST, server.port))


def test_one_connection_too_many_is_closed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "MAX_CONNECTIONS", 1)
    server = Listener(echo, "echo")
    with socket.create_connection((listener.HOST, server.port)) as one:
        one.sendall(b"?")
        assert one.recv(1) == b"?"
        with socket.create_connection((listener.HOST, server.port)) as two:
            assert two.recv(1) == b""
    server.close()


def test_a_reset_ends_only_its_own_connection() -> None:
    server = Listener(echo, "echo")
    rude = socket.create_connection((listener.HOST, server.port))
    rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    rude.close()
    with socket.create_connection((listener.HOST, server.port)) as polite:
        polite.sendall(b"?")
        assert polite.recv(1) == b"?"
    server.close()


def test_the_last_answer_arrives_though_not_all_was_read() -> None:
    def say(connection: socket.socket) -> None:
        connection.recv(1)
        connection.sendall(b"enough")

    server = Listener(say, "terse")
    for _ in range(50):
        with socket.create_connection((listener.HOST, server.port)) as client:
            client.sendall(b"x" * 100_000)
            client.shutdown(socket.SHUT_WR)
            assert client.makefile("rb").read() == b"enough"
    server.close()


def test_a_client_that_goes_on_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "LINGER_SECONDS", 0.05)
    server = Listener(lambda connection: connection.sendall(b"enough"), "terse")

    def go_on() -> None:
        until = time.monotonic() + 10
        while time.monotonic() < until:
            client.sendall(b"x" * 1_000_000)

    with socket.create_connection((listener.HOST, server.port)) as client, pytest.raises(ConnectionError):
        go_on()
    server.close()


def test_close_waits_for_threads_that_are_ending() -> None:
    for _ in range(100):
        server = Listener(echo, "echo")
        with socket.create_connection((listener.HOST, server.port)) as client:
            client.shutdown(socket.SHUT_WR)
            assert client.recv(1) == b""
        server.close()
        assert echo_threads() == []


class Counting(WireServer):
    """Says how often it was called, then repeats lines until one is ``bye``; it remembers who has gone."""

    def __init__(self) -> None:
        super().__init__()
        self.gone: list[int] = []

    def serve(self, client: ServedClient) -> Conversation[None]:
        client.send(b"%d\n" % client.link)
        while (line := (yield from client.until(b"\n", 100))) not in (None, b"bye"):
            client.send((line or b"") + b"\n")
        self.gone += [client.link] if client.gone else []


def test_a_server_of_a_scheme_is_spoken_to_by_several_until_it_closes_or_they_go() -> None:
    server = Counting()
    with closing(SchemeListener(lambda port: server, "echo", 0, "x://{}/", {"x": "x://{}/y"})) as there:
        assert (str(there.root), str(there.urls["x"])) == (f"x://127.0.0.1:{there.port}/", f"{there.root}y")
        with (
            socket.create_connection((listener.HOST, there.port)) as one,
            socket.create_connection((listener.HOST, there.port)) as two,
        ):
            first, second = (peer.makefile("rb") for peer in (one, two))
            assert {first.readline(), second.readline()} == {b"1\n", b"2\n"}
            two.sendall(b"a\nb")
            one.sendall(b"c\nbye\nd\n")
            assert (first.read(), second.readline()) == (b"c\n", b"a\n")
            assert server.gone == []
            two.shutdown(socket.SHUT_WR)
            assert second.read() == b""
    assert len(server.gone) == 1
    assert echo_threads() == []


def test_a_silent_client_is_closed_and_a_handshake_has_the_same_limit() -> None:
    limits = []

    @contextmanager
    def wrap(connection: socket.socket) -> Iterator[socket.socket]:
        limits.append(connection.gettimeout())
        yield connection

    with (
        closing(SchemeListener(lambda port: Counting(), "echo", 0, "x://{}/", {}, idle=0.05, wrap=wrap)) as there,
        socket.create_connection((listener.HOST, there.port)) as silent,
    ):
        assert silent.makefile("rb").read() == b"1\n"
    assert limits == [0.05]


class Generous(WireServer):
    """Answers each line with a megabyte, after a moment."""

    def serve(self, client: ServedClient) -> Conversation[None]:
        while (yield from client.until(b"\n", 100)) is not None:
            time.sleep(0.001)
            client.send(b"x" * 1_000_000)


def test_who_asks_for_much_and_reads_nothing_neither_keeps_others_waiting_nor_the_server_from_closing() -> None:
    there = SchemeListener(lambda port: Generous(), "echo", 0, "x://{}/", {})
    with (
        socket.create_connection((listener.HOST, there.port)) as greedy,
        socket.create_connection((listener.HOST, there.port), timeout=5) as modest,
    ):
        greedy.sendall(b"\n" * 30_000)  # half a minute's work, and 30 gigabytes
        begun = time.monotonic()
        for _ in range(3):
            modest.sendall(b"\n")
            assert len(modest.makefile("rb").read(1_000_000)) == 1_000_000
        assert time.monotonic() - begun < 5
        there.close()
        assert echo_threads() == []
