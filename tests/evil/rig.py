"""The rig that a cell runs in: names, servers and one client; what it did is recorded, and what it left is measured.

Names are answered by the library's own hook (`Network.look_up`), and `socket.getaddrinfo` is patched beside it, so
that a second look-up is seen and counted. Addresses are public ones: the policy is `Policy.untrusted()`, and the
network leads them to the servers on loopback. Whatever is connected to and is not on the list of public mock
addresses fails the cell, and so does a hit on the other host.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import re
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from anyurl import Client, Policy, consent_to_all
from anyurl.dialogue import Entry
from anyurl.errors import AnyURLError, ConnectError, RemoteProtocolError
from anyurl.guard.limits import Limits
from anyurl.guard.ports import SMALLEST_DATA_PORT
from anyurl.net.wire.connector import Network
from anyurl.url import syntax
from tests.clocks import Collector, Slow, delay, is_playing
from tests.evil import children
from tests.evil.outcomes import TIMEOUT, word_of

EVIL, GOOD, OTHER = "evil.test", "good.test", "other.test"
ADDRESSES = {EVIL: "93.184.216.34", GOOD: "151.101.1.69", OTHER: "8.8.4.4"}
"""The names that there are at first. Nobody listens at the address of the third: it is the one to stay away from."""

PRIVATE = "10.0.0.7"
USER, SECRET = "joe", "s3cr3t-pw"
"""A login for URLs; no message, log or trace may show its password."""

QUICK = Limits(connect=0.4, idle=0.3, total=1.0)
"""For cells that must run into a clock."""

PATIENT = Limits(connect=4.0, idle=4.0, total=60.0)
"""For all others: none of these clocks may be what ends them, however busy the machine is."""

GRACE = 1.0
"""Seconds that a transfer may outlive its deadline, and that what it used may take to be gone."""

LEFT = 5.0
"""After so many it is left for good, and not only late."""

CPU_SHARE, CPU_FREE = 0.25, 0.25
"""Of the time that a transfer waits, the part that it may compute; and seconds that are nobody's business."""

DEAD = ("127.0.0.1", 1)
"""Where nobody listens: what has no server here is led to it, and never leaves this machine."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Got:
    """What a transfer came to.

    Attributes:
        word: The outcome.
        error: What it ended with, or None.
        data: The octets that came, before the error too.
        entries: The entries of a listing.
        resource: The resource, once it was described.
        wall, cpu: Seconds, of the clock and of the client's thread.
        delayed: Seconds of them for which that thread could have run, and the machine was busy with others.
    """

    def __init__(self) -> None:
        self.word = ""
        self.error: BaseException | None = None
        self.pieces: list[bytes] = []
        self.size = 0
        self.entries: list[Entry] = []
        self.resource: Any = None
        self.wall = self.cpu = self.delayed = 0.0
        self.other: Any = None

    @property
    def data(self) -> bytes:
        return b"".join(self.pieces)

    @property
    def names(self) -> list[str]:
        return [entry.name for entry in self.entries]

    @property
    def notes(self) -> str:
        return "" if self.resource is None else "; ".join(self.resource.notes)

    def __repr__(self) -> str:
        return f"<{self.word}: {self.size} octets, {len(self.entries)} entries, {self.error!r}, {self.notes!r}>"


class Recorder(Network):
    """The network of a rig: it answers names, leads addresses to servers, and writes down both.

    Attributes:
        names: What each name is answered with: addresses; a list of such answers, one for each look-up; an exception;
            or a function of no arguments that gives any of these (and may hang).
        places: Where an endpoint really is.
        looked_up: The names that were looked up.
        connected: The endpoints that were connected to, as the policy approved them.
        astray: Where connections really end up, whatever was asked for; None for where they should.
    """

    def __init__(self, *, direct: bool = False) -> None:
        super().__init__(self._answer, None if direct else self._translate)
        self.names: dict[str, Any] = {name: [address] for name, address in ADDRESSES.items()}
        self.places: dict[tuple[str, int], tuple[str, int]] = {}
        self.looked_up: list[str] = []
        self.connected: list[tuple[str, int]] = []
        self.astray: tuple[str, int] | None = None

    def _answer(self, host: str) -> Sequence[str]:
        self.looked_up.append(host)
        answer = self.names.get(host)
        if callable(answer):
            answer = answer()
        if isinstance(answer, list) and answer and isinstance(answer[0], list):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if isinstance(answer, Exception):
            raise answer
        if not answer:
            raise ConnectError(f"The host name {host!r} has no address.", stage="look-up")
        return list(answer)

    def socket_to(self, endpoint: tuple[str, int], transport: Any) -> Any:
        self.connected.append(endpoint)
        sock, target = super().socket_to(endpoint, transport)
        return sock, self.astray or target

    def _translate(self, endpoint: tuple[str, int]) -> tuple[str, int]:
        place = self.places.get(endpoint)
        if place is None and endpoint[1] >= SMALLEST_DATA_PORT:
            # Of a server that has listened at another port too, for a data connection.
            place = next(
                ((host, endpoint[1]) for (known, _), (host, _) in self.places.items() if known == endpoint[0]), None
            )
        return place or DEAD


class Rig:
    """One client in a world of its own.

    Args:
        column: What the good transfer is (`cell.Column`).
        limits: The clocks and sizes of its policy.
        policy: Instead of the column's; its limits are replaced.
        direct: Addresses are what they are: nothing is led to another place.
        settings: Of the client.
        allowed: Addresses that may be connected to beside the public mock ones.
    """

    def __init__(
        self, column: Any, limits: Limits = PATIENT, *, policy: Policy | None = None, allowed: Sequence[str] = (),
        direct: bool = False, **settings: Any,
    ) -> None:  # fmt: skip
        self.column = column
        self.limits = limits
        self.policy = (policy or column.policy).replace(limits=limits)
        self.network = Recorder(direct=direct)
        self.settings = settings
        self.client = self._make_client()
        self.servers: list[Any] = []
        self.hidden: list[str] = []
        self.secrets = [SECRET]
        self.log: list[str] = []
        self.results: list[Got] = []
        self._allowed = {*ADDRESSES.values(), *allowed}
        self._stack = contextlib.ExitStack()
        self._collector = Collector()
        self._good: Any = None

    # --- the world -------------------------------------------------------------------------------------------------

    @property
    def port(self) -> int:
        """The default port of the column's scheme."""
        return int(syntax.row(self.column.scheme).port or 0)

    def serve(
        self, *scripts: Any, name: str = EVIL, port: int | None = None, host: str = "127.0.0.1", context: Any = None
    ) -> Any:
        """Start a player, and lead the address of a name (at the scheme's port) to it."""
        player = self._stack.enter_context(self.column.player(*scripts, host=host, context=context))
        self.servers.append(player)
        self.place(player, name, port)
        return player

    def place(self, server: Any, name: str = EVIL, port: int | None = None) -> None:
        """Lead the address of a name to a server."""
        address = self.network.names[name][0] if name in self.network.names else name
        if isinstance(address, list):
            address = address[0]
        self.network.places[address, self.port if port is None else port] = (server.host, server.port)

    def enter(self, context: Any) -> Any:
        """Enter a context that ends with the rig."""
        return self._stack.enter_context(context)

    def good_server(self) -> None:
        """The good server of the column, under its own name."""
        if self._good is None and self.column.good is not None:
            self._good = self._stack.enter_context(self.column.player(self.column.good))
            self.place(self._good, GOOD)

    # --- transfers -------------------------------------------------------------------------------------------------

    def fetch(self, url: str | None = None, verb: str = "get", *, keep: bool = True, **how: Any) -> Got:
        """One transfer, read to its end.

        Args:
            url: A whole URL, or what follows the host of the evil server; None for the column's good path.
            keep: Keep the octets that come (false for streams: only their number is kept).
        """
        got = Got()
        text = self.column.whole(url)
        with self.measured(got):
            try:
                got.resource = self.client.open(text, verb, **how)  # type: ignore[arg-type]
                with got.resource as resource:
                    self._read(resource, got, keep)
            except Exception as error:
                got.error = error
        got.word = word_of(got.error)
        return got

    @contextlib.contextmanager
    def measured(self, got: Got) -> Iterator[None]:
        """Note what is done meanwhile as a transfer, with its seconds."""
        self.results.append(got)
        wall, cpu, delayed, collected = time.monotonic(), time.thread_time(), delay(), self._collector.seconds
        yield
        got.wall, got.delayed = time.monotonic() - wall, delay() - delayed
        got.cpu = time.thread_time() - cpu - (self._collector.seconds - collected)

    @staticmethod
    def _read(resource: Any, got: Got, keep: bool) -> None:
        if resource.kind == "listing":
            for entry in resource.entries():
                got.size += 1
                if keep:
                    got.entries.append(entry)
            return
        for piece in resource.iter_bytes():
            got.size += len(piece)
            if keep:
                got.pieces.append(piece)

    # --- the nine invariants ---------------------------------------------------------------------------------------

    def __enter__(self) -> Rig:
        self._descriptors, self._threads, self._child = _descriptors(), threading.active_count(), _ended_child()
        self._getaddrinfo, self._handler = socket.getaddrinfo, _Listener(self.log)
        gc.callbacks.append(self._collector)
        socket.getaddrinfo = self._patched  # type: ignore[assignment]
        logging.getLogger().addHandler(self._handler)
        return self

    def _patched(self, host: Any, *arguments: Any, **how: Any) -> Any:
        text = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
        if _is_literal(text):
            return self._getaddrinfo(host, *arguments, **how)
        self.hidden.append(text)
        raise socket.gaierror(socket.EAI_NONAME, "the names of a rig are answered by its network")

    def _make_client(self) -> Client:
        return Client(self.policy, network=self.network, ask_consent=consent_to_all, **self.settings)

    def renew(self) -> None:
        """Close the client, which lets its peers end, and go on with another one."""
        self.client.close()
        self.client = self._make_client()

    def __exit__(self, kind: Any, _error: Any, _trace: Any) -> None:
        self.client.close()
        children.kill_all()
        self._stack.close()
        socket.getaddrinfo = self._getaddrinfo
        logging.getLogger().removeHandler(self._handler)
        gc.callbacks.remove(self._collector)
        if kind is None:
            self.check_left()

    def check(self, *, busy: bool = False) -> None:
        """Invariants 1, 2, 6 and 7, on every transfer so far."""
        for got in self.results:
            self._check_seconds(got, busy)
            if got.error is not None:
                assert isinstance(got.error, AnyURLError), "".join(traceback.format_exception(got.error))
                self._check_words(got.error)
            self._check_text(got.notes)
        for line in self.log:
            self._check_text(line)
        self._check_addresses()
        for server in self.servers:
            assert not getattr(server, "complaints", None), server.complaints

    def _check_seconds(self, got: Got, busy: bool) -> None:
        """What was measured; a machine that was slow for a moment breaks it, too, and so it is for `anew` alone."""
        assert is_playing(), "what is measured here would not be played anew: decorate it with `clocks.anew`"
        deadline = self.limits.total or self.limits.connect + self.limits.idle
        seconds = got.wall - got.delayed
        if seconds > deadline + GRACE:
            raise Slow(f"it took {got.wall:.2f} s; the deadline was {deadline:g} s")
        # Beside busy processes a busy loop does not run all of the time; of the time that it was let, it does.
        if not busy and got.cpu > CPU_SHARE * seconds + CPU_FREE:
            raise Slow(f"{got.cpu:.2f} s of {seconds:.2f} s computed")

    def _check_words(self, error: AnyURLError) -> None:
        self._check_text(str(error))
        if isinstance(error, RemoteProtocolError):
            self._check_text(error.sample)
        # A syntax error keeps the text as it was given, for whoever asks for it by name.
        told = {name: value for name, value in error.__dict__.items() if name != "text"}
        shown = "".join(traceback.format_exception(error)) + repr(error) + repr(told)
        for secret in self.secrets:
            assert secret not in shown, f"the password is in {shown}"

    def _check_text(self, text: str) -> None:
        assert not _CONTROLS.search(text), f"a control character in {text!r}"
        for secret in self.secrets:
            assert secret not in text, f"the password is in {text!r}"

    def _check_addresses(self) -> None:
        denied = [endpoint for endpoint in self.network.connected if endpoint[0] not in self._allowed]
        assert not denied, f"connected to {denied}"
        assert not self.hidden, f"looked up behind the network's back: {self.hidden}"

    def check_good(self) -> None:
        """Invariant 8: the same client gets something good, from the same place and from another one."""
        if self.column.good is None:
            return
        self.good_server()
        hosts = [GOOD]
        players = [server for server in self.servers if isinstance(server, self.column.player)]
        if players and self.network.places.get((ADDRESSES[EVIL], self.port)) == (players[0].host, players[0].port):
            players[0].become(self.column.good)
            hosts.append(EVIL)
        for host in hosts:
            for _ in range(3):  # with quick clocks on a busy machine even the best server may be late
                got = self.fetch(self.column.url(host))
                if got.word != TIMEOUT:
                    break
            assert got.data == self.column.content, f"no good transfer from {host} afterwards: {got}"

    def check_left(self) -> None:
        """Invariant 3: what was used is gone within a second: descriptors, threads, children."""
        if not self._gone_within(GRACE):
            gc.collect()
            if not self._gone_within(0.0) and self._gone_within(LEFT - GRACE):
                raise Slow(f"something was left for more than {GRACE:g} s")
            left = _descriptors() - self._descriptors
            assert left <= 0, f"{left} descriptors are left: {_open_files()}"
            assert threading.active_count() <= self._threads, f"threads are left: {threading.enumerate()}"
        child = _ended_child()
        assert child in (None, self._child), f"a child is left: {child}"

    def _gone_within(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while _descriptors() > self._descriptors or threading.active_count() > self._threads:
            if time.monotonic() > until:
                return False
            time.sleep(0.002)
        return True


class _Listener(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _ended_child() -> int | None:
    """The number of a child that has ended and that nobody has waited for; another test may have left one."""
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if ended is None else ended.si_pid


def _open_files() -> list[str]:
    found = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            found.append(os.readlink(f"/proc/self/fd/{number}"))
    return found


def _is_literal(text: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        with contextlib.suppress(OSError, ValueError):
            socket.inet_pton(family, text)
            return True
    return text in ("", "None", "localhost")


Run = Callable[[Rig], Got]
