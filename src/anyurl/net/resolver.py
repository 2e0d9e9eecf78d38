"""Resolver: host names to addresses, in threads that can be abandoned.

Rule: nobody waits for `getaddrinfo`, which has no timeout: a look-up that hangs keeps its daemon thread, and the rest
goes on. Threads are our own and not an executor's, since that one joins them at exit.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from anyurl.errors import AnyURLError, ConnectError

MAX_THREADS = 16
"""Look-ups under way at once: enough that a few hanging ones don't stop the rest; glibc opens a socket for each."""

CACHE_SECONDS = 30.0
"""How long an answer is used again: Go and Envoy use 5 to 60 s. What was checked is what is connected to either way."""

CACHE_ENTRIES = 4096
"""Names remembered at once: a crawler's working set, at some 300 octets each."""

LookUpResult = Sequence[str] | AnyURLError
LookUp = Callable[[str], Sequence[str]]


def look_up(host: str) -> Sequence[str]:
    """All addresses of a host name, as the system orders them (RFC 6724), each once.

    Raises:
        ConnectError: The name has no address.
    """
    try:
        rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConnectError(f"The host name {host!r} has no address: {reason}.", stage="look-up") from error
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


def literal(host: str) -> str | None:
    """The address that a host is written as, or None for a name. Four plain decimals or IPv6, nothing older."""
    try:
        socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
    except OSError:
        return None
    return host


class Resolver:
    """Looks names up for one scheduler.

    Args:
        look_up: What is called in the threads.
        wake: Called in a thread when an answer is waiting for `collect`.
    """

    def __init__(self, look_up: LookUp, wake: Callable[[], None]) -> None:
        self._look_up = look_up
        self._wake = wake
        self._questions: SimpleQueue[str | None] = SimpleQueue()
        self._answers: deque[tuple[str, LookUpResult]] = deque()
        self._waiting: dict[str, list[Callable[[LookUpResult], None]]] = {}
        self._cache: dict[str, tuple[float, LookUpResult]] = {}
        self._threads = 0
        self._busy = 0

    def cached(self, host: str) -> LookUpResult | None:
        """An answer that is still fresh."""
        found = self._cache.get(host)
        if found is None or found[0] < time.monotonic():
            return None
        return found[1]

    def ask(self, host: str, then: Callable[[LookUpResult], None]) -> None:
        """Look `host` up; `then` is called by `collect`, in the scheduler's thread."""
        callbacks = self._waiting.setdefault(host, [])
        callbacks.append(then)
        if len(callbacks) > 1:
            return
        self._busy += 1
        if self._busy > self._threads and self._threads < MAX_THREADS:
            self._threads += 1
            work = _Worker(self._questions, self._answers, self._look_up, self._wake)
            threading.Thread(target=work, name="anyurl look-up", daemon=True).start()
        self._questions.put(host)

    def collect(self) -> None:
        """Hand out the answers that have come."""
        while self._answers:
            host, answer = self._answers.popleft()
            self._busy -= 1
            if not isinstance(answer, AnyURLError):
                if len(self._cache) >= CACHE_ENTRIES:
                    self._cache.clear()
                self._cache[host] = (time.monotonic() + CACHE_SECONDS, answer)
            for then in self._waiting.pop(host, ()):
                then(answer)

    def close(self) -> None:
        """Let the idle threads end; a hanging one ends when its look-up does."""
        for _ in range(self._threads):
            self._questions.put(None)
        self._waiting.clear()


class _Worker:
    """What a look-up thread runs; it holds no reference to the resolver, which may be forgotten meanwhile."""

    def __init__(
        self,
        questions: SimpleQueue[str | None],
        answers: deque[tuple[str, LookUpResult]],
        look_up: LookUp,
        wake: Callable[[], None],
    ) -> None:
        self._questions = questions
        self._answers = answers
        self._look_up = look_up
        self._wake = wake

    def __call__(self) -> None:
        while (host := self._questions.get()) is not None:
            answer: LookUpResult
            try:
                answer = self._look_up(host)
            except AnyURLError as error:
                answer = error
            except Exception as error:  # a look-up that a caller supplied may raise anything
                answer = ConnectError(f"The look-up of {host!r} failed: {error}.", stage="look-up")
            self._answers.append((host, answer))
            self._wake()
