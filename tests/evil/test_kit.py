"""The kit itself: each invariant is broken on purpose, and the rig must notice. A net with holes catches nothing."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from anyurl.errors import RemoteProtocolError
from tests.clocks import PLAYS, Slow
from tests.evil import cells_gopher
from tests.evil.cell import Cell, run
from tests.evil.cells_gopher import ASKED, COLUMN
from tests.evil.children import HANG, Child, in_child, measured
from tests.evil.datagrams import Datagrams
from tests.evil.local import doing
from tests.evil.outcomes import OK, PROTO, WORDS, word_of
from tests.evil.player import Player, branch, close, expect, half_close, hold, reset, send, send_slow
from tests.evil.rig import QUICK, SECRET, Got, Rig
from tests.evil.terminal import check_harmless


def broken(act: Callable[[Rig], Any]) -> Callable[[Rig], Got]:
    """A good transfer, and something bad beside it."""

    def play(rig: Rig) -> Got:
        rig.serve(COLUMN.good)
        got = rig.fetch()
        act(rig)
        return got

    return play


KEPT: list[Any] = []


def _leak_descriptor(_rig: Rig) -> None:
    KEPT.append(open(os.devnull, "rb"))  # noqa: SIM115


def _leak_thread(_rig: Rig) -> None:
    over = threading.Event()
    KEPT.append(over)
    threading.Thread(target=over.wait, daemon=True).start()


def _leak_child(_rig: Rig) -> None:
    KEPT.append(subprocess.Popen([sys.executable, "-c", ""]))
    os.waitid(os.P_PID, KEPT[-1].pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has taken notice


def _say(text: str) -> Callable[[Rig], None]:
    def act(rig: Rig) -> None:
        rig.results[-1].error = RemoteProtocolError(text)

    return act


def _look_up(_rig: Rig) -> None:
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("behind.test", 80)


def _takes(rig: Rig, wall: float, cpu: float = 0.0) -> None:
    got = rig.results[-1]
    got.wall, got.cpu, got.delayed = wall, cpu, 0.0


def _busy(rig: Rig) -> None:
    _takes(rig, 0.9, 0.9)


def _collect_for(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        gc.collect()


def _late(rig: Rig) -> None:
    _takes(rig, rig.limits.total + 1.5)  # type: ignore[operator]


def _undocumented(rig: Rig) -> None:
    rig.results[-1].error = IndexError("no such thing")


FAULTS: dict[str, tuple[Callable[[Rig], Any], str]] = {
    "too late": (_late, "the deadline was"),
    "a busy loop": (_busy, "computed"),
    "an error outside of the tree": (_undocumented, "IndexError"),
    "a descriptor": (_leak_descriptor, "descriptors are left"),
    "a thread": (_leak_thread, "threads are left"),
    "a child": (_leak_child, "a child is left"),
    "a password": (_say(f"wrong: {SECRET}"), "the password is in"),
    "a control character": (_say("a\x1b[31m"), "a control character in"),
    "a direction mark": (_say("a\u202eb"), "a control character in"),
    "a denied address": (lambda rig: rig.network.connected.append(("10.0.0.7", 70)), "connected to"),
    "a hidden look-up": (_look_up, "behind the network's back"),
    "a poisoned client": (lambda rig: rig.client.__dict__.update(policy=None, _scheduler=None), "NoneType"),
    "a complaint": (lambda rig: rig.servers[0].complaints.append("expected b'x'"), "expected b'x'"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_broken_invariant_is_noticed(name: str) -> None:
    act, told = FAULTS[name]
    cell = Cell("B6", OK, run=broken(act))
    cell.column = COLUMN
    try:
        with pytest.raises((AssertionError, TypeError), match=told):
            run(cell)
    finally:
        while KEPT:
            thing = KEPT.pop()
            getattr(thing, "close", getattr(thing, "set", lambda: None))()
            getattr(thing, "wait", lambda: None)()


# --- clocks ----------------------------------------------------------------------------------------------------------


BUSY = 0.6
"""Seconds that are too many to be computed, whatever the wall clock says."""


def _spins(rig: Rig) -> Got:
    """The client's loop is never let to wait: it has computed that long before the server answers."""
    enough = threading.Event()
    rig.serve([ASKED, lambda link: enough.wait(60) and None, *COLUMN.good[1:]])
    loop, began = rig.client._scheduler().loop, time.thread_time()

    def turn_again() -> None:
        if time.thread_time() - began < BUSY:
            loop.soon(turn_again)
        else:
            enough.set()

    loop.soon(turn_again)
    return rig.fetch()


def test_a_client_that_spins_is_noticed() -> None:
    """Each time, however busy the machine is."""
    played: list[Got] = []
    cell = Cell("B6", OK, run=lambda rig: played.append(_spins(rig)) or played[-1], limits={"idle": 60.0})
    cell.column = COLUMN
    with pytest.raises(Slow, match="computed"):
        run(cell)
    assert [got.word for got in played] == [OK] * PLAYS


@pytest.mark.parametrize("act", [_busy, _late])
@pytest.mark.parametrize("moments", range(1, PLAYS))
def test_a_slow_moment_is_none_of_the_clients(act: Callable[[Rig], None], moments: int) -> None:
    """What only a clock has told is played anew; the next play passes."""
    played: list[Rig] = []

    def slow_at_first(rig: Rig) -> None:
        played.append(rig)
        if len(played) <= moments:
            act(rig)

    cell = Cell("B6", OK, run=broken(slow_at_first))
    cell.column = COLUMN
    assert run(cell).word == OK
    assert len({id(rig) for rig in played}) == moments + 1


def test_what_is_gone_late_is_played_anew() -> None:
    """A server's thread that got no processor is no leak: those stay."""
    played: list[Rig] = []

    def lingers(rig: Rig) -> None:
        played.append(rig)
        if len(played) == 1:
            over, gone_within = threading.Event(), rig._gone_within
            threading.Thread(target=over.wait, daemon=True).start()

            def watched(seconds: float) -> bool:
                gone = gone_within(seconds)
                if not seconds:  # it has been waited for in vain, and was no garbage
                    over.set()
                return gone

            rig._gone_within = watched  # type: ignore[method-assign]

    cell = Cell("B6", OK, run=broken(lingers), good=False)
    cell.column = COLUMN
    assert run(cell).word == OK
    assert len(played) == 2


def test_what_no_clock_has_told_is_not_played_anew() -> None:
    played: list[Rig] = []
    cell = Cell("B6", OK, run=broken(lambda rig: played.append(rig) or _undocumented(rig)))
    cell.column = COLUMN
    with pytest.raises(AssertionError, match="IndexError"):
        run(cell)
    assert len(played) == 1


def test_what_is_measured_in_a_child_is_played_anew() -> None:
    def busy(rig: Rig) -> None:
        def task() -> None:
            _busy(rig)
            rig.check()

        in_child(task)

    played: list[Rig] = []
    cell = Cell("B6", OK, run=broken(lambda rig: played.append(rig) or (busy(rig) if len(played) == 1 else None)))
    cell.column = COLUMN
    assert run(cell).word == OK
    assert len(played) == 2


def test_a_collection_of_garbage_is_none_of_the_clients() -> None:
    """However a transfer is measured: by the rig, or around what a cell does by itself."""

    def collects(rig: Rig) -> Got:
        rig.serve(COLUMN.good)
        return doing(rig, lambda _: _collect_for(BUSY))

    cell = Cell("B6", OK, run=collects, good=False)
    cell.column = COLUMN
    run(cell)


def test_a_check_that_would_not_be_played_anew_is_refused() -> None:
    with Rig(COLUMN) as rig:
        rig.serve(COLUMN.good)
        rig.fetch()
        with pytest.raises(AssertionError, match="decorate it"):
            rig.check()


def test_another_word_is_noticed() -> None:
    cell = Cell("B6", OK, [ASKED, reset()])
    cell.column = COLUMN
    with pytest.raises(AssertionError, match="LOST instead of OK"):
        run(cell)


def test_what_does_not_hold_is_noticed() -> None:
    cell = Cell("B6", OK, COLUMN.good, holds=lambda got: got.data == b"something else")
    cell.column = COLUMN
    with pytest.raises(AssertionError, match="does not hold"):
        run(cell)


def test_a_word_that_the_matrix_does_not_have_is_noticed() -> None:
    cell = Cell("B6", PROTO, COLUMN.good)
    cell.column = COLUMN
    with pytest.raises(AssertionError, match="the matrix allows"):
        run(cell)


def test_every_end_has_a_word() -> None:
    assert word_of(None) == OK
    assert word_of(IndexError()) not in WORDS
    assert cells_gopher.COLUMN.cells


# --- children --------------------------------------------------------------------------------------------------------


def test_what_hangs_is_killed() -> None:
    began = time.monotonic()
    assert in_child(lambda: time.sleep(60), seconds=0.2) == HANG
    assert time.monotonic() - began < 5


def test_memory_is_measured() -> None:
    value, growth = measured(lambda: len(bytes(range(256)) * 400_000))
    assert value == 102_400_000
    assert growth > 90_000_000
    assert measured(lambda: None)[1] < 20_000_000


def test_what_a_child_raises_is_raised() -> None:
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        in_child(lambda: 1 / 0)


def test_a_child_that_is_killed_has_nothing_to_say() -> None:
    child = Child(lambda: time.sleep(60))
    child.signal(signal.SIGKILL)
    assert child.result() is None
    assert child.status == -signal.SIGKILL


def test_a_child_leaves_its_parents_garbage_alone() -> None:
    """A Ctrl-C that meets a finalizer is lost, whoever's it is."""
    ended: list[int] = []

    class Garbage:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            ended.append(os.getpid())

    def collect() -> list[int]:
        gc.collect()
        return ended

    gc.disable()
    try:
        Garbage()
        assert in_child(collect) == []
        assert len(collect()) == 1
    finally:
        gc.enable()


def test_limits_hold() -> None:
    def write() -> str:
        try:
            with open(os.path.join("/tmp", f"anyurl-evil-{os.getpid()}"), "wb") as file:
                os.unlink(file.name)
                file.write(b"more than two octets")
        except OSError as error:
            return error.strerror
        return ""

    assert in_child(write, FSIZE=2) == "File too large"


# --- players ---------------------------------------------------------------------------------------------------------


def talk(*steps: Any, says: bytes = b"") -> tuple[bytes, Player]:
    """What a plain client hears of a script."""
    with Player(list(steps)) as player:
        with socket.create_connection((player.host, player.port), timeout=5) as sock:
            sock.sendall(says)
            heard = b""
            try:
                while data := sock.recv(1000):
                    heard += data
            except ConnectionResetError:
                heard += b"<reset>"
    return heard, player


def test_steps() -> None:
    assert talk(expect(rb"^hello"), send(b"a"), send_slow(b"bc", 0.001), says=b"hello\r\n")[0] == b"abc"
    assert talk(expect(), send(b"a"), reset(), says=b"hello\r\n")[0] in (b"a<reset>", b"<reset>")
    assert talk(send(b"a"), half_close(), hold(0.1))[0] == b"a"
    assert talk(send(b"a"), close(), send(b"b"))[0] == b"a"
    assert talk(branch({b"ONE": send(b"1"), b"TWO": close()}, send(b"?")), says=b"one\r\nx\r\ntwo\r\n")[0] == b"1?"


def test_an_unexpected_line_is_a_complaint() -> None:
    assert talk(expect(rb"^hello"), says=b"HELO\r\n")[1].complaints == ["expected b'^hello', got b'HELO\\r\\n'"]


def test_what_comes_is_kept() -> None:
    assert [bytes(each) for each in talk(expect(), says=b"a\0\xff\r\n")[1].received] == [b"a\0\xff\r\n"]


def test_scripts_go_on_with_the_last() -> None:
    with Player(send(b"1"), send(b"2")) as player:
        heard = []
        for _ in range(3):
            with socket.create_connection((player.host, player.port), timeout=5) as sock:
                heard.append(sock.recv(10))
        player.become(send(b"3"))
        with socket.create_connection((player.host, player.port), timeout=5) as sock:
            heard.append(sock.recv(10))
    assert heard == [b"1", b"2", b"2", b"3"]


def test_datagrams() -> None:
    with Datagrams(
        lambda exchange: exchange.send(exchange.data.upper()),
        lambda exchange: exchange.send_from_another_host(b"spoofed"),
    ) as server, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:  # fmt: skip
        sock.settimeout(5)
        sock.sendto(b"a", (server.host, server.port))
        assert sock.recvfrom(10) == (b"A", (server.host, server.port))
        sock.sendto(b"b", (server.host, server.port))
        assert sock.recvfrom(10)[1][0] == "127.0.0.2"
    assert server.received == [b"a", b"b"]


@pytest.mark.parametrize("octets", [b"\x1b[31m", b"\x07", b"\x7f", b"\xc2\x9b", "\u202e".encode(), b"a\rb"])
def test_what_a_terminal_would_obey_is_noticed(octets: bytes) -> None:
    with pytest.raises(AssertionError, match="reached the terminal"):
        check_harmless(b"text" + octets)
    assert check_harmless(b"\x1b[1mbold\x1b[0m\ttext\r\n") == "bold\ttext\n"


def test_quick_clocks_are_quick() -> None:
    assert max(QUICK.connect, QUICK.idle, QUICK.total or 9) <= 1.0
