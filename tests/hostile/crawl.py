"""The user who clicks on everything: ``crawl.py POLICY EDGES SEED LEDGER AUTHORITY CERT CANARY``, under the shim.

Rule: it uses the public interface as a program would: opens what it was told by the user, and follows what it finds
there (`Crawl.follow`), by `Client`, `Client.map` and `AsyncClient`. Writes one JSON object: what came of it.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import resource as system
import signal
import socket
import sys
import time
import traceback
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyurl
from anyurl.errors import AnyURLError, ConnectError
from anyurl.guard.policy import Policy
from anyurl.net.wire.connector import Network
from tests.hostile.graph import NETRC, NEWS_SERVER, PORTS, Edge, Ledger
from tests.hostile.places import Names

CANARY = b"a file that no server may have read"

CONNECT_SECONDS, IDLE_SECONDS, TOTAL_SECONDS = 1.0, 1.0, 4.0
HANG_SECONDS = 30.0
"""After which a call is no longer slow, on a busy machine either: it hangs."""

PATIENCE = 5.0
"""Seconds for what was let go of to be closed."""

MOST_OCTETS = 200_000
MOST_LINKS = 12
FRONTIER = 300
GRAMMARS = ("current", "current", "current", "browser", "rfc1738")
ROOM_MEBIBYTES = 24
"""What memory may grow by between the first quarter and the end."""


class Hang(BaseException):
    """A call did not end."""


class Crawl:
    """One policy's.

    Args:
        policy: ``default``, ``untrusted`` or ``open``.
        edges: Calls, and hops made by themselves, after which it ends.
        seed: Decides on what is followed.
        ledger: Where what the user names is written down.
        authority: The certificate that is believed in.
        cert: The user's own.
        canary: A file of this machine.

    Attributes:
        errors: What calls ended with.
        problems: What must not have been: calls that hang, errors of no tree, files that were read, what was left open.
    """

    def __init__(
        self, policy: str, edges: int, seed: int, ledger: Path, authority: str, cert: str, canary: str
    ) -> None:
        self._source = random.Random(seed)
        first = 4_000_000 + 1_000_000 * ("default", "untrusted", "open").index(policy)
        self._ledger = Ledger(ledger, random.Random(seed + 1), first, canary)
        self._policy = policy
        self._edges = edges
        base = getattr(Policy, policy)()
        limits = base.limits.replace(connect=CONNECT_SECONDS, idle=IDLE_SECONDS, total=TOTAL_SECONDS)
        settings: dict[str, Any] = {
            "network": Network(self._look_up), "ca_file": authority, "news_server": NEWS_SERVER.host,
            "identity": "me@crawl.test", "cert": cert,
        }  # fmt: skip
        self._names = Names()
        socket.getaddrinfo("127.0.0.1", None)  # the shim opens its log, which stays open
        self._opened = _opened()
        self._client = anyurl.Client(base.replace(limits=limits), **settings)
        self._async_client = anyurl.AsyncClient(base.replace(limits=limits), **settings)
        self._runner = asyncio.Runner()
        self._frontier: list[tuple[Any, Any]] = []
        for scheme in ("news", "snews"):
            self._ledger.edge(None, "root", scheme, place=NEWS_SERVER, port=PORTS[scheme])
        self.errors: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.problems: list[str] = []
        self.calls = self.hops = self.read = 0
        self.slowest = 0.0
        self.memory: list[int] = []

    def _look_up(self, name: str) -> list[str]:
        try:
            return self._names.look_up(name)
        except (OSError, ValueError) as error:
            raise ConnectError(f"The host name {name!r} has no address.", stage="look-up") from error

    # --- steps -------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """All of it."""
        signal.signal(signal.SIGALRM, self._hang)
        marks = [self._edges * part // 20 for part in range(1, 21)]
        for scheme in ("ftp", "ftps", "gemini", "http", "https", "telnet"):  # what each crawl has, whatever is drawn
            place = self._ledger.pool.public()
            self._open(self._ledger.edge(None, "root", scheme, place=place, port=PORTS[scheme], login=""))
        while self.calls + self.hops < self._edges:
            self._step()
            while marks and self.calls + self.hops >= marks[0]:
                marks.pop(0)
                gc.collect()
                self.memory.append(_resident())
        self._frontier.clear()
        self._runner.run(self._async_client.close())
        self._runner.close()
        self._client.close()
        gc.collect()
        end = time.monotonic() + PATIENCE
        while (left := _opened() - self._opened) and time.monotonic() < end:
            time.sleep(0.01)
        if left:
            self.problems.append(f"left open: {sorted(left)}")
        grown = (max(self.memory[-5:]) - max(self.memory[:5])) / 2**20
        if grown > ROOM_MEBIBYTES:
            self.problems.append(f"memory grew by {grown:.0f} MiB")

    def _hang(self, *_: object) -> None:
        raise Hang

    def _step(self) -> None:
        started = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, HANG_SECONDS)
        try:
            draw = self._source.random()
            if not self._frontier or draw < 0.1:
                self._open_root()
            elif draw < 0.25:
                self._follow_asynchronously(*self._draw())
            elif draw < 0.35:
                self._follow_several()
            else:
                self._follow(*self._draw())
        except Hang:
            self.problems.append("a call did not end")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.slowest = max(self.slowest, time.monotonic() - started)

    def _draw(self) -> tuple[Any, Any]:
        return self._frontier.pop(self._source.randrange(len(self._frontier)))

    def _guarded(self, error: BaseException, what: object) -> None:
        self.errors[type(error).__name__] += 1
        if not isinstance(error, AnyURLError):
            where = "; ".join(
                f"{each.filename}:{each.lineno}" for each in traceback.extract_tb(error.__traceback__)[-4:]
            )
            self.problems.append(f"{type(error).__name__}: {str(error)[:300]} ({what}; {where})")

    def _open_root(self) -> None:
        """What the user types, now and then with a login, or where the netrc has one."""
        draw = self._source.random()
        if draw < 0.2:
            place, login, _ = self._source.choice(NETRC)
            scheme = self._source.choice(("ftp", "ftps", "http", "https", "nntp"))
            edge = self._ledger.edge(None, "root", scheme, place=place, port=PORTS[scheme], login=login)
        elif draw < 0.6:
            edge = self._ledger.edge(None, "root", place=self._ledger.pool.public())
        else:
            edge = self._ledger.edge(None, "root")
        self._open(edge)

    def _open(self, edge: Edge) -> None:
        text = self._ledger.url(edge)
        self.calls += 1
        try:
            if edge.scheme in ("http", "https") and self._source.random() < 0.3:
                content = edge.content()
                self._count(self._client.put(text, content))
            elif edge.scheme == "gemini" and self._source.random() < 0.5:
                with self._client.list(text) as resource:
                    self._look_at(resource)
            else:
                with self._client.get(text) as resource:
                    self._look_at(resource)
        except Exception as error:
            self._guarded(error, text)

    def _follow(self, found: Any, came_from: Any) -> None:
        self.calls += 1
        draw = self._source.random()
        kind = getattr(found, "kind", None)
        target, named = (found, {}) if draw < 0.7 else (found.url, {"came_from": came_from})
        try:
            if kind == "service" or target_scheme(found) == "telnet":
                with self._client.session(target, **named) as session, suppress(AnyURLError):
                    session.read(0.05)
                return
            if kind == "index" or (kind is None and draw < 0.05):
                resource = self._client.search(target, "words", **named)
            elif (kind == "listing" or target_scheme(found) == "gemini") and draw < 0.5:
                resource = self._client.list(target, **named)
            elif draw < 0.1:
                self._count(self._client.stat(target, **named))
                return
            else:
                resource = self._client.get(target, **named)
            with resource:
                self._look_at(resource)
        except Exception as error:
            self._guarded(error, found.url)

    def _follow_several(self) -> None:
        targets = [self._draw() for _ in range(min(4, len(self._frontier)))]
        self.calls += len(targets)
        for result in self._client.map([found for found, _ in targets]):
            try:
                if result.resource is None:
                    raise result.error or AssertionError("neither a resource nor an error")
                with result.resource as resource:
                    self._look_at(resource)
            except Exception as error:
                self._guarded(error, result.url)

    def _follow_asynchronously(self, found: Any, _came_from: Any) -> None:
        async def follow() -> None:
            async with await self._async_client.get(found) as resource:
                self._count(resource)
                size = 0
                async for piece in resource.iter_bytes():
                    self._read(piece)
                    size += len(piece)
                    if size > MOST_OCTETS:
                        break

        self.calls += 1
        try:
            self._runner.run(follow())
        except Exception as error:
            self._guarded(error, found.url)

    # --- what is found -----------------------------------------------------------------------------------------------

    def _count(self, resource: Any) -> None:
        self.hops += len(resource.history)
        self.kinds[resource.kind] += 1
        self.errors["(none)"] += 1

    def _read(self, data: bytes) -> None:
        self.read += len(data)
        if CANARY in data and self._policy != "open":
            self.problems.append("a file of this machine was read")

    def _look_at(self, resource: Any) -> None:
        self._count(resource)
        found: list[Any] = []
        if resource.kind in ("listing", "index"):
            for entry in resource.entries():
                if entry.url is not None:
                    found.append(entry)
                if len(found) >= 10 * MOST_LINKS:
                    break
        else:
            data = bytearray()
            for piece in resource.iter_bytes():
                data += piece
                if len(data) > MOST_OCTETS:
                    break
            self._read(bytes(data))
            how: dict[str, Any] = {"grammar": self._source.choice(GRAMMARS), "base": resource.base}
            if data.startswith(b"<!doctype"):
                how["format"] = "html"
            found += anyurl.find(bytes(data), came_from=resource, **how)
        self._source.shuffle(found)
        self._frontier += [(each, resource) for each in found[:MOST_LINKS]]
        self._source.shuffle(self._frontier)
        del self._frontier[FRONTIER:]


def target_scheme(found: Any) -> str:
    """Of what an entry or a find leads to."""
    scheme: str = found.url.scheme
    return scheme


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * system.getpagesize()


def _opened() -> set[str]:
    """Sockets, pipes and files that are open."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            found.add(os.readlink(f"/proc/self/fd/{name}"))
    return found


def main(policy: str, edges: str, seed: str, ledger: str, authority: str, cert: str, canary: str) -> None:
    """The program."""
    started = time.monotonic()
    crawl = Crawl(policy, int(edges), int(seed), Path(ledger), authority, cert, canary)
    crawl.run()
    peak = system.getrusage(system.RUSAGE_SELF).ru_maxrss * 1024
    sys.stdout.write(json.dumps({
        "policy": policy, "edges": crawl.calls + crawl.hops, "calls": crawl.calls, "hops": crawl.hops,
        "octets": crawl.read, "seconds": time.monotonic() - started, "slowest": crawl.slowest, "peak": peak,
        "memory": crawl.memory, "errors": crawl.errors, "kinds": crawl.kinds, "problems": crawl.problems,
    }) + "\n")  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
