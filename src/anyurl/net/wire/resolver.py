"""Resolver: host names to addresses, in threads that can be abandoned.

Rule: the loop never waits for `getaddrinfo`, which has no timeout: a look-up that hangs keeps its daemon thread, while
another thread takes its place and everything else continues. The threads do not come from an executor, which would join
them at exit.
"""

from __future__ import annotations

import re
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from anyurl.errors import AnyURLError, ConnectError, LocalFileError, URLSyntaxError
from anyurl.errors.reasons import reason_of
from anyurl.url.endpoint import read_endpoint

if TYPE_CHECKING:
    from queue import SimpleQueue

LOOK_UPS_AT_ONCE = 16
"""Most look-ups at once that are not slow: a working name server needs some ten milliseconds for each."""

SLOW_SECONDS = 0.5
"""After this time a look-up no longer counts towards the limit: a name server that works has answered by then."""

MAX_THREADS = 512
"""Most look-ups at once, slow ones included; each name has at most one. This many hang if all names hang: 16 more every
half second, until the system gives each of them up (glibc: twice 5 s for each name server)."""

DESCRIPTORS_FOR_EACH = 4
"""Descriptors of the process for each look-up: glibc opens a socket for each, and connections need some as well."""

CACHE_SECONDS = 30.0
"""How long an answer is cached: Go and Envoy use 5 to 60 s. Connections always use an address that was checked."""

CACHE_ENTRIES = 4096
"""Most names cached at once: a crawler's working set, at some 300 octets each."""

NO_DATA: int = getattr(socket, "EAI_NODATA", socket.EAI_NONAME)
"""The name exists and has no address: an extension of glibc."""

_ANSWERS: dict[int | None, str] = {NO_DATA: "none is known", socket.EAI_NONAME: "the name is not known"}
_SILENCES: dict[int | None, str] = {
    socket.EAI_AGAIN: "the name servers don't answer",
    socket.EAI_FAIL: "the name servers failed",
}
"""Why a look-up gave no address, by the error code of getaddrinfo (RFC 3493 6.1): because it was answered, or not."""

NO_NAME = frozenset((None, *_ANSWERS))
"""Errors of a look-up that found that the name has no address; one without a number is a caller's own answer."""

UNANSWERED = frozenset(_SILENCES)
"""Errors of a look-up that no name server answered: there is no network, or those of the name are down."""

LookUpResult = Sequence[str] | AnyURLError
LookUp = Callable[[str], Sequence[str]]


def look_up(host: str) -> Sequence[str]:
    """All addresses of a host name in the system's order (RFC 6724), without duplicates, with zones if they have any.

    Raises:
        ConnectError: The name has no address, or the name servers did not say.
    """
    try:
        rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise _failed(host, error) from error
    return list(dict.fromkeys(map(_address, (row[4] for row in rows))))


def _failed(host: str, error: Exception) -> ConnectError:
    number: int | None = socket.EAI_FAIL  # of any other error: it says nothing of the name
    why = reason_of(error)
    if isinstance(error, UnicodeError):
        number = socket.EAI_NONAME  # no host can have this name
    elif isinstance(error, socket.gaierror):
        number = error.errno
        why = (_ANSWERS | _SILENCES).get(number, why)
    text = f"The host name {host!r} could not be looked up: {why}."
    if number in _ANSWERS:
        text = f"The host name {host!r} has no address: {why}."
    return ConnectError(text, stage="look-up", errno=number)


def _address(found: tuple[Any, ...]) -> str:
    """The address in a socket address, with its zone: a name may have a link-local address (mDNS)."""
    return f"{found[0]}%{found[3]}" if len(found) == 4 and found[3] else str(found[0])


def literal(host: str) -> str | None:
    """The host if it is a literal address, or None for a name. Dotted decimal or IPv6 only, no legacy forms."""
    try:
        socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
    except OSError:
        return None
    return host


def read_addresses(entries: Iterable[str]) -> dict[tuple[str, int], tuple[str, ...]]:
    """The addresses by host and port that ``HOST:PORT:ADDRESS[,ADDRESS]...`` names, as curl's ``--resolve``.

    Raises:
        ValueError: An entry is malformed.
    """
    table: dict[tuple[str, int], tuple[str, ...]] = {}
    for entry in entries:
        match = _ENTRY.fullmatch(entry)
        try:
            endpoint = read_endpoint(match[1], 0, "host") if match else None
        except URLSyntaxError:
            endpoint = None
        addresses = [literal(address.strip("[]")) for address in match[2].split(",")] if match else []
        if endpoint is None or endpoint.user or not endpoint.port or not all(addresses):
            raise ValueError(f"{entry!r} is not HOST:PORT:ADDRESS; example.org:443:192.0.2.7 would be")

        table[endpoint.host, endpoint.port] = tuple(filter(None, addresses))
    return table


_ENTRY = re.compile(r"([^][:/@]+:\d{1,5}):(.+)")


class Query:
    """A pending look-up of one caller; `close` cancels it.

    Attributes:
        begun: The look-up has begun.
    """

    __slots__ = ("host", "then", "begun", "_began", "_resolver")

    def __init__(
        self, resolver: Resolver, host: str, then: Callable[[LookUpResult], None], began: Callable[[], None]
    ) -> None:
        self.host: str = host
        self.then: Callable[[LookUpResult], None] = then
        self.begun: bool = False
        self._began = began
        self._resolver = resolver

    def begin(self) -> None:
        """Record that the look-up has begun, and tell the caller."""
        self.begun = True
        self._began()

    def close(self) -> None:
        """Cancel it; no callback is called any more. May be called twice."""
        self._resolver.forget(self)


class Resolver:
    """Looks names up for one scheduler.

    Names queue for a thread in the order of the requests, and are taken alternately from both ends: a thousand names
    that hang fill one end only.

    Args:
        look_up: The look-up function, called in the threads.
        wake: Called in a thread when an answer is ready for `collect`.
        after: Calls a function after a delay in seconds, in the scheduler's thread.
    """

    def __init__(
        self, look_up: LookUp, wake: Callable[[], None], after: Callable[[float, Callable[[], None]], object]
    ) -> None:
        self._look_up = look_up
        self._wake = wake
        self._after = after
        self._given: SimpleQueue[str | None] | None = None  # made for the first name; literal addresses need no thread
        self._answers: deque[tuple[str, LookUpResult]] = deque()
        self._questions: dict[str, list[Query]] = {}
        self._queue: deque[str] = deque()
        self._running: dict[str, float] = {}
        self._cache: dict[str, tuple[float, LookUpResult]] = {}
        self._most = 0  # not counted yet
        self._threads = 0
        self._turn = False
        self._looks_again = False

    def cached(self, host: str) -> LookUpResult | None:
        """The cached answer, if it has not expired; else None."""
        found = self._cache.get(host)
        if found is None or found[0] < time.monotonic():
            return None
        return found[1]

    def ask(self, host: str, then: Callable[[LookUpResult], None], began: Callable[[], None] = lambda: None) -> Query:
        """Look `host` up.

        Args:
            then: Called with the answer, by `collect`.
            began: Called when the look-up begins, perhaps at once; until then it waits in the queue.
        """
        question = Query(self, host, then, began)
        waiting = self._questions.setdefault(host, [])
        waiting.append(question)
        if host in self._running:
            question.begin()
        elif len(waiting) == 1:
            self._queue.append(host)
            self._begin()
        return question

    def forget(self, question: Query) -> None:
        """Cancel a pending look-up; if it is the only one of its name and has not begun, it never will."""
        waiting = self._questions.get(question.host, [])
        if question in waiting:
            waiting.remove(question)
            if not waiting:
                del self._questions[question.host]
                if question.host not in self._running:
                    self._queue.remove(question.host)

    def collect(self) -> None:
        """Deliver the answers that have arrived."""
        while self._answers:
            host, answer = self._answers.popleft()
            self._running.pop(host, None)
            if self._threads > max(LOOK_UPS_AT_ONCE, len(self._running)):
                self._threads -= 1
                self._names().put(None)
            if not isinstance(answer, AnyURLError):
                if len(self._cache) >= CACHE_ENTRIES:
                    self._cache.clear()
                self._cache[host] = (time.monotonic() + CACHE_SECONDS, answer)
            for question in self._questions.pop(host, ()):
                question.then(answer)
        self._begin()

    def _begin(self) -> None:
        """Begin as many look-ups as the limits allow."""
        if not self._most and self._queue:
            self._most = max(LOOK_UPS_AT_ONCE, min(MAX_THREADS, _descriptors() // DESCRIPTORS_FOR_EACH))
        while self._queue and len(self._running) < self._most:
            now = time.monotonic()
            fresh = [begun for begun in self._running.values() if begun > now - SLOW_SECONDS]
            if len(fresh) >= LOOK_UPS_AT_ONCE:
                if not self._looks_again:
                    self._looks_again = True
                    self._after(max(0.0, min(fresh) + SLOW_SECONDS - now), self._look_again)
                return
            self._turn = not self._turn
            host = self._queue.popleft() if self._turn else self._queue.pop()
            self._running[host] = now
            if len(self._running) > self._threads:
                self._add_thread()
            self._names().put(host)
            for question in list(self._questions[host]):
                question.begin()

    def _add_thread(self) -> None:
        from threading import Thread  # a literal address needs none

        work = _Worker(self._names(), self._answers, self._look_up, self._wake)
        try:
            Thread(target=work, name="anyurl look-up", daemon=True).start()
        except RuntimeError as error:  # no more threads; an existing one will take the name
            if not self._threads:
                raise LocalFileError("This process can't start a thread to look names up in.") from error
        else:
            self._threads += 1

    def _names(self) -> SimpleQueue[str | None]:
        if self._given is None:
            from queue import SimpleQueue

            self._given = SimpleQueue()
        return self._given

    def _look_again(self) -> None:
        self._looks_again = False
        self._begin()

    def close(self) -> None:
        """Let the idle threads end; a hanging one ends with its look-up."""
        for _ in range(self._threads):
            self._names().put(None)
        self._threads = 0
        self._questions.clear()
        self._queue.clear()


def _descriptors() -> int:
    """Most descriptors that this process may open."""
    try:
        import resource
    except ImportError:  # Windows, whose sockets are not descriptors
        return MAX_THREADS * DESCRIPTORS_FOR_EACH
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MAX_THREADS * DESCRIPTORS_FOR_EACH if soft == resource.RLIM_INFINITY else soft


class _Worker:
    """The code of a look-up thread; without a reference to the resolver, which may be garbage-collected meanwhile."""

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
            except Exception as error:  # the caller's own look-up function may raise anything
                answer = _failed(host, error)
            self._answers.append((host, answer))
            self._wake()
