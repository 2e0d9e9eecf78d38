"""The proxy as a daemon under load: restarts lose nothing but what is under way, reloads leave nothing behind."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.commands.test_proxy import proxy
from tests.servers import WAIT_SECONDS, Connection, Server, free_port, reply

ROLES = '[[role]]\nname = "near"\nsources = ["127.0.0.0/8"]\npolicy = "default"\nconnect_ports = [{port}]\n# {number}\n'
CLIENTS, RESTARTS = 6, 3
SLOW = bool(os.environ.get("ANYURL_SLOW"))
RELOADS = 1_000 if SLOW else 30
TUNNELS = 10_000 if SLOW else 500
KILOBYTES_A_TUNNEL = 8.5
BODY = b"0123456789" * 500


class Load:
    """Clients that ask again and again, each on a connection of its own, by http and through tunnels.

    Args:
        port: Of the proxy.
        web: Of the server.

    Attributes:
        seen: How often each outcome was seen.
    """

    def __init__(self, port: int, web: int) -> None:
        self.seen: Counter[str] = Counter()
        self._port = port
        self._web = web
        self._over = threading.Event()
        self._answered = threading.Condition()
        self._threads = [threading.Thread(target=self._run, args=(number % 2,)) for number in range(CLIENTS)]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(WAIT_SECONDS)
            assert not thread.is_alive()

    def wait(self, count: int) -> None:
        """Until so many more requests were answered."""
        with self._answered:
            wanted = self.seen["whole"] + count
            assert self._answered.wait_for(lambda: self.seen["whole"] >= wanted, WAIT_SECONDS), self.seen

    def _run(self, through: bool) -> None:
        while not self._over.is_set():
            outcome = self.ask(through)
            with self._answered:
                self.seen[outcome] += 1
                self._answered.notify_all()

    def ask(self, through: bool) -> str:
        """One request: what becomes of it."""
        answer = b""
        try:
            with socket.create_connection(("127.0.0.1", self._port), WAIT_SECONDS) as sock:
                if through:
                    sock.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n" % self._web)
                    if not (answer := sock.recv(19)):
                        return "nobody was there"
                    sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
                else:
                    sock.sendall(b"GET http://127.0.0.1:%d/ HTTP/1.0\r\n\r\n" % self._web)
                while data := sock.recv(65_536):
                    answer += data
        except OSError:
            if not answer:
                return "nobody was there"
        return "whole" if answer.endswith(b"\r\n\r\n" + BODY) else f"cut off: {answer[:60]!r}"


@contextmanager
def web() -> Iterator[Server]:
    """A server with one page."""

    def play(connection: Connection) -> None:
        if connection.head():
            connection.send(reply(BODY))

    with Server(play) as server:
        yield server


def test_a_restart_under_load_cuts_nothing_off(tmp_path: Path) -> None:
    """What is under way is finished; while nobody listens, clients are refused before they have sent anything."""
    roles, log, port = tmp_path / "roles.toml", tmp_path / "log", free_port()
    with web() as server, Load(port, server.port) as load:
        roles.write_text(ROLES.format(port=server.port, number=0), encoding="utf-8")
        for _ in range(RESTARTS):
            words = ("--listen", f"127.0.0.1:{port}", "--roles", str(roles), "--log", str(log))
            with proxy(*words) as (process, _at):
                load.wait(30)
                process.send_signal(signal.SIGTERM)
                assert process.wait(WAIT_SECONDS) == 0
                assert process.stderr is not None
                assert process.stderr.read() == ""
    assert set(load.seen) <= {"whole", "nobody was there"}
    told = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert {line["decision"] for line in told} == {"allowed"}
    assert len(told) == load.seen["whole"]  # each is logged, and nothing was served that nobody got


def facts(pid: int) -> tuple[int, int, int]:
    """Descriptors, threads and kilobytes in memory of a process."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return len(os.listdir(f"/proc/{pid}/fd")), int(status["Threads"]), int(status["VmRSS"].split()[0])


def settled(pid: int, most: int) -> tuple[int, int, int]:
    """Its facts, when it has noticed that its clients are gone: no more descriptors, or the same for a second."""
    before, steady = facts(pid), 0
    while before[0] > most and steady < 100:
        threading.Event().wait(0.01)
        now = facts(pid)
        before, steady = now, steady + 1 if now[0] == before[0] else 0
    return before


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc here")
def test_reloads_under_load_leave_nothing_behind(tmp_path: Path) -> None:
    """Other roles each time, and another file of the log; ANYURL_SLOW has a thousand."""
    roles, log = tmp_path / "roles.toml", tmp_path / "log"

    def write(number: int) -> None:
        made = tmp_path / "made"
        made.write_text(ROLES.format(port=server.port, number=number), encoding="utf-8")
        made.replace(roles)  # whole: the reload before may be reading

    with web() as server:
        write(0)
        with proxy("--roles", str(roles), "--log", str(log)) as (process, at):
            port = int(at["proxy"].rpartition(":")[2])

            def after(reloads: int, most: int) -> tuple[int, int, int]:
                with Load(port, server.port) as load:
                    for number in range(reloads):
                        write(number)
                        log.rename(tmp_path / "log.1")
                        process.send_signal(signal.SIGHUP)
                        while not log.exists():
                            threading.Event().wait(0.002)
                        load.wait(1)
                assert set(load.seen) <= {"whole"}
                # What the roles that are in force now need for their connections is there.
                assert [load.ask(through) for through in (False, True)] == ["whole", "whole"]
                return settled(process.pid, most)

            idle = after(0, 0)[0]
            first, last = after(RELOADS // 10, idle), after(RELOADS, idle)
            process.send_signal(signal.SIGTERM)
            assert process.wait(WAIT_SECONDS) == 0
            assert process.stderr is not None
            assert process.stderr.read() == ""
    assert (last[0], last[1]) == (first[0], first[1]) == (idle, 1)
    assert last[2] < first[2] * 1.05, (first, last)


@contextmanager
def held(port: int, listener: socket.socket, count: int) -> Iterator[None]:
    """So many tunnels at once that nobody says anything in."""
    socks: list[socket.socket] = []
    asked = b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n" % listener.getsockname()[1]
    try:
        for _ in range(count):
            socks.append(socket.create_connection(("127.0.0.1", port), WAIT_SECONDS))
            socks[-1].sendall(asked)
            socks.append(listener.accept()[0])
            assert socks[-2].recv(100) == b"HTTP/1.1 200 OK\r\n\r\n"
        yield
    finally:
        for sock in socks:
            sock.close()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc here")
def test_idle_tunnels_take_little_and_leave_nothing(tmp_path: Path) -> None:
    """As many as the limit of descriptors allows; ANYURL_SLOW has ten thousand."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = min(2 * TUNNELS + 500, hard)
    count = (most - 500) // 2
    roles = tmp_path / "roles.toml"
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    try:
        with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
            listener.settimeout(WAIT_SECONDS)
            text = ROLES.format(port=listener.getsockname()[1], number=0)
            roles.write_text(f"{text}connections = {count}\nidle = 3600\n", encoding="utf-8")
            with proxy("--roles", str(roles), "--log", str(tmp_path / "log")) as (process, at):
                port = int(at["proxy"].rpartition(":")[2])
                with held(port, listener, 1):
                    pass
                idle = settled(process.pid, 0)
                seen = []
                for _ in range(3):
                    with held(port, listener, count):
                        seen.append(facts(process.pid))
                    assert settled(process.pid, idle[0])[0] == idle[0]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert {each[0] for each in seen} == {idle[0] + 2 * count}
    assert (seen[0][2] - idle[2]) / count <= KILOBYTES_A_TUNNEL
    assert seen[2][2] <= seen[1][2] * 1.05, seen
