"""Session: an interactive service in use, for programs and for a person's terminal (RFC 1738 3.8).

Rule: it has clocks of its own. A service that is silent has done nothing wrong: only who waits for it says for how
long. A wait that was too long ends with an error, and the session goes on.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from anyurl.access.resource import Description, Resource
from anyurl.dialogue import Command, CommandName, Input, Keys, Terminal
from anyurl.errors import ConnectionLost, LimitError, TransferTimeout, UnsupportedError
from anyurl.net.loop import READ
from anyurl.url.taken import check_value, named

if TYPE_CHECKING:
    from anyurl.access.redirect import RedirectChain
    from anyurl.net.scheduler import Scheduler
    from anyurl.net.task import Task

MAX_EXPECT_OCTETS = 64 * 1024
"""Octets that are searched for a pattern: a screen has some 4 KiB, and each piece makes all of it searched anew."""

MAX_UNREAD_OCTETS = 1024 * 1024
"""Octets that may wait to be read while a program only writes: the service's answers to it."""


class Session:
    """A connected session with a service. Created by `Client.session`; used by the thread that created it.

    Attributes:
        resource: What the URL designates, and what it advises.

    >>> session = client.session("telnet://catalogue.example/")     # doctest: +SKIP
    >>> session.expect("command: ", timeout=10)                      # doctest: +SKIP
    >>> session.write("find waves\\n")                               # doctest: +SKIP
    """

    def __init__(self, resource: Resource, scheduler: Scheduler, task: Task) -> None:
        self.resource: Resource = resource
        self._scheduler = scheduler
        self._task = task
        self._unread = bytearray()
        self._descriptor: int | None = None
        task.attended = True

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    # --- programs ----------------------------------------------------------------------------------------------------

    def read(self, timeout: float | None = None) -> bytes:
        """What has come and nobody has read, at least an octet; ``b""`` when the service has ended.

        Args:
            timeout: Seconds to wait for it; the policy's idle limit when None.

        Raises:
            TransferTimeout: Nothing came; the session goes on.
            AnyURLError: The connection broke.
        """
        until = self._until(timeout)
        while not self._unread:
            if not self._gather(until):
                break
        data = bytes(self._unread)
        self._unread.clear()
        return data

    def expect(
        self, pattern: str | bytes | re.Pattern[bytes] | re.Pattern[str], timeout: float | None = None
    ) -> re.Match[bytes]:
        """Wait until something has come; it and what came before it are then read.

        Args:
            pattern: A regular expression, of octets or of text (as UTF-8).
            timeout: Seconds in all; the policy's idle limit when None.

        Raises:
            TransferTimeout: It did not come in time; nothing is lost, and the session goes on.
            ConnectionLost: The service ended before it came; `read` gives what it said.
            LimitError: More than `MAX_EXPECT_OCTETS` came without it.
            AnyURLError: The connection broke.
        """
        sought = _compiled(pattern)
        wanted = repr(sought.pattern.decode("utf-8", "backslashreplace"))
        until = self._until(timeout)
        while True:
            found = sought.search(bytes(self._unread))
            if found is not None:
                del self._unread[: found.end()]
                return found
            if len(self._unread) > MAX_EXPECT_OCTETS:
                raise LimitError(
                    f"The service sent more than {MAX_EXPECT_OCTETS:,} octets without {wanted}: the limit "
                    "allows no more.",
                    limit="MAX_EXPECT_OCTETS",
                )
            if not self._gather(until, wanted):
                raise ConnectionLost(f"The service ended the session before {wanted} came.")

    def write(self, text: str | bytes) -> None:
        r"""Send text; a line's end is ``\n`` (it goes out as CR LF, RFC 854). It is sent when this returns.

        Raises:
            ConnectionLost: The session has ended.
            LimitError: The service answers, and nobody reads it.
            AnyURLError: The connection broke.
        """
        if not isinstance(text, str | bytes | bytearray | memoryview):
            raise TypeError(f"text is a str or bytes, not {named(text)}")
        self._give(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else bytes(text))

    def command(self, name: CommandName) -> None:
        """Send a signal: ``break``, ``interrupt``, ``abort`` or ``are-you-there`` (RFC 854).

        Raises:
            LocalProtocolError: It is none of these; nothing is sent, and the session goes on.
            AnyURLError: As `write`.
        """
        check_value("name", name, "str")
        self._give(Command(name))

    def resize(self, columns: int, rows: int) -> None:
        """The terminal has another size now (RFC 1073)."""
        check_value("columns", columns, "int")
        check_value("rows", rows, "int")
        self._give(Terminal(columns=columns, rows=rows))

    def close(self) -> None:
        """Hang up; may be called twice."""
        self.unwatch()
        self.resource.close()

    @property
    def closed(self) -> bool:
        """Whether the connection has ended, by whomever."""
        return self._task.done

    # --- a person's terminal -----------------------------------------------------------------------------------------

    def watch(self, descriptor: int, ready: Callable[[], None]) -> None:
        """Call `ready` whenever the descriptor can be read, while `next_piece` waits."""
        self._descriptor = descriptor
        self._scheduler.loop.watch(descriptor, READ, lambda _events: ready())

    def unwatch(self) -> None:
        """Don't watch it any more."""
        if self._descriptor is not None and not self._scheduler.loop.closed:
            self._scheduler.loop.unwatch(self._descriptor)
        self._descriptor = None

    def soon(self, callback: Callable[[], None]) -> None:
        """Call it where the session is pumped; may be called from a signal handler."""
        self._scheduler.loop.soon(callback)
        self._scheduler.loop.wake()

    def typed(self, keys: bytes) -> None:
        """A person typed this: it is echoed and edited here where the service does not do it. It never waits."""
        if not self._task.done:
            self._scheduler.give(self._task, Keys(keys))

    def signal(self, given: Command | Terminal) -> None:
        """A signal, or the terminal's new size; it never waits."""
        if not self._task.done:
            self._scheduler.give(self._task, given)

    def next_piece(self) -> bytes | None:
        """The next of what is to be shown, however long that takes; None at the end.

        Raises:
            AnyURLError: The connection broke, after all that came before it was given out.
        """
        piece = self._scheduler.next_piece(self._task)
        return piece if piece is None or isinstance(piece, bytes) else b""

    # --- inside ------------------------------------------------------------------------------------------------------

    def _until(self, timeout: float | None) -> float:
        check_value("timeout", timeout, "float | None")
        return time.monotonic() + (self._scheduler.policy.limits.idle if timeout is None else timeout)

    def _gather(self, until: float, wanted: str = "anything") -> bool:
        """Wait for the next piece, and take it in; False when the service has ended."""
        task, loop = self._task, self._scheduler.loop
        while (piece := task.take()) is None:
            if task.done:
                if task.error is not None:
                    raise task.error
                return False
            self._scheduler.relays.demand(task)
            if task.outbox or self.closed:
                continue
            left = until - time.monotonic()
            if left <= 0:
                raise TransferTimeout(f"{wanted} did not come from {task.url.masked} in time.", clock="idle")
            loop.turn(left)
        if isinstance(piece, bytes):
            self._unread += piece
        return True

    def _give(self, given: Input) -> None:
        """Hand it to the dialogue, and turn until it is on its way."""
        task = self._task
        self._scheduler.relays.demand(task)
        if task.done:
            raise task.error or ConnectionLost(f"The session with {task.url.masked} has ended: nothing can be sent.")
        self._scheduler.give(task, given)
        while not self._has_taken():
            while (piece := task.take()) is not None:
                self._unread += piece if isinstance(piece, bytes) else b""
            if len(self._unread) > MAX_UNREAD_OCTETS:
                raise LimitError(
                    f"The service sent more than {MAX_UNREAD_OCTETS:,} octets that were not read: the limit allows no "
                    "more.",
                    limit="MAX_UNREAD_OCTETS",
                )
            self._scheduler.relays.demand(task)
            if not self._has_taken():
                self._scheduler.loop.turn()
        if task.error is not None:
            raise task.error
        if task.inputs:
            raise ConnectionLost(f"The session with {task.url.masked} ended before that was sent.")

    def _has_taken(self) -> bool:
        """Whether the dialogue has sent what it was given, and waits again (or has ended)."""
        return self._task.done or (self._task.hears and not self._task.inputs)


def begin(scheduler: Scheduler, chain: RedirectChain) -> Session:
    """Connect to the service that a redirect chain leads to.

    Raises:
        UnsupportedError: It leads to something else.
        AnyURLError: It could not be connected to.
    """
    try:
        return _begin(scheduler, chain)
    except BaseException:
        chain.drop()
        raise


def _begin(scheduler: Scheduler, chain: RedirectChain) -> Session:
    while not chain.arrived():
        scheduler.loop.turn()
    chain.check()
    task = chain.task
    resource = Resource(scheduler, task, chain.history)
    check_service(resource)
    session = Session(resource, scheduler, task)
    scheduler.relays.demand(task)
    while not task.hears and not task.done and not task.outbox:
        scheduler.loop.turn()
    if task.error is not None and not task.outbox:
        raise task.error
    return session


def check_service(resource: Description) -> None:
    """Raise UnsupportedError for what is no service."""
    if resource.kind != "service":
        raise UnsupportedError(
            f"{resource.url.masked} designates a {resource.kind}, not a service to have a session with: use get.",
            scheme=resource.url.scheme,
            verb="session",
        )


def _compiled(pattern: str | bytes | re.Pattern[bytes] | re.Pattern[str]) -> re.Pattern[bytes]:
    flags = 0
    if not isinstance(pattern, str | bytes | re.Pattern):
        raise TypeError(f"pattern is a str, bytes or a compiled pattern, not {named(pattern)}")
    if isinstance(pattern, re.Pattern):
        flags, pattern = pattern.flags & ~re.UNICODE, pattern.pattern
    return re.compile(pattern.encode("utf-8", "surrogateescape") if isinstance(pattern, str) else pattern, flags)
