"""Session: an interactive service in use, for programs and for a person's terminal (RFC 1738 3.8).

Rule: a session has its own time limits. Silence of the service is not an error: only a call that waits sets a timeout.
If it expires, the call raises an error and the session continues.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from anyurl.client.resource import Description, Resource
from anyurl.dialogue import Command, CommandName, Input, Keys, Terminal
from anyurl.errors import ConnectionLost, LimitError, TransferTimeout, UnsupportedError
from anyurl.net.loop.loop import READ
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.loop.stream import Stream
from anyurl.url.arguments import check_value, named
from anyurl.values import shown

if TYPE_CHECKING:
    from anyurl.client.redirect import RedirectChain

MAX_EXPECT_OCTETS = 64 * 1024
"""Octets that are searched for a pattern: a screen has some 4 KiB, and each new piece restarts the search."""

MAX_UNREAD_OCTETS = 1024 * 1024
"""Octets of output that may wait unread while a program only writes."""


class Session:
    """A connected session with a service. Created by `Client.session`; used by the thread that created it.

    Attributes:
        resource: The resource, with the login that its URL advises.

    >>> session = client.session("telnet://catalogue.example/")     # doctest: +SKIP
    >>> session.expect("command: ", timeout=10)                      # doctest: +SKIP
    >>> session.write("find waves\\n")                               # doctest: +SKIP
    """

    def __repr__(self) -> str:
        return shown(self, "resource.url")

    def __init__(self, resource: Resource, scheduler: Scheduler, stream: Stream) -> None:
        self.resource: Resource = resource
        self._scheduler = scheduler
        self._stream = stream
        self._unread = bytearray()
        self._descriptor: int | None = None
        stream.attended = True

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    # --- programs ----------------------------------------------------------------------------------------------------

    def read(self, timeout: float | None = None) -> bytes:
        """Read the unread output, at least one octet; ``b""`` when the service has ended.

        Args:
            timeout: Seconds to wait; None means the policy's idle limit.

        Raises:
            TransferTimeout: Nothing arrived; the session continues.
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
        """Wait for a pattern; consumes the output up to its end.

        Args:
            pattern: A regular expression, bytes or str (as UTF-8).
            timeout: Seconds in total; None means the policy's idle limit.

        Raises:
            TransferTimeout: It did not arrive in time; nothing is lost, and the session continues.
            ConnectionLost: The service ended before; `read` returns its output.
            LimitError: More than `MAX_EXPECT_OCTETS` arrived without it.
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
        r"""Send text; a line ends with ``\n`` (sent as CR LF, RFC 854). It has been sent when this returns.

        Raises:
            ConnectionLost: The session has ended.
            LimitError: Too much output of the service is unread.
            AnyURLError: The connection broke.
        """
        if not isinstance(text, str | bytes | bytearray | memoryview):
            raise TypeError(f"text is a str or bytes, not {named(text)}")
        self._give(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else bytes(text))

    def command(self, name: CommandName) -> None:
        """Send a signal: ``break``, ``interrupt``, ``abort`` or ``are-you-there`` (RFC 854).

        Raises:
            LocalProtocolError: Another name; nothing is sent, and the session continues.
            AnyURLError: As `write`.
        """
        check_value("name", name, "str")
        self._give(Command(name))

    def resize(self, columns: int, rows: int) -> None:
        """Tell the service the new size of the terminal (RFC 1073)."""
        check_value("columns", columns, "int")
        check_value("rows", rows, "int")
        self._give(Terminal(columns=columns, rows=rows))

    def close(self) -> None:
        """Hang up; may be called twice."""
        self.unwatch()
        self.resource.close()

    @property
    def closed(self) -> bool:
        """Whether the connection has ended, on either side."""
        return self._stream.done

    # --- a person's terminal -----------------------------------------------------------------------------------------

    def watch(self, descriptor: int, ready: Callable[[], None]) -> None:
        """Call `ready` whenever the descriptor is readable while `next_piece` waits."""
        self._descriptor = descriptor
        self._scheduler.loop.watch(descriptor, READ, lambda _events: ready())

    def unwatch(self) -> None:
        """Stop watching it."""
        if self._descriptor is not None and not self._scheduler.loop.closed:
            self._scheduler.loop.unwatch(self._descriptor)
        self._descriptor = None

    def soon(self, callback: Callable[[], None]) -> None:
        """Schedule a callback in the thread that runs the session; may be called from a signal handler."""
        self._scheduler.loop.soon(callback)
        self._scheduler.loop.wake()

    def typed(self, keys: bytes) -> None:
        """Handle typed keys, with local echo and editing if the service does not provide them. It never blocks."""
        if not self._stream.done:
            self._stream.give(Keys(keys))

    def signal(self, given: Command | Terminal) -> None:
        """Send a signal, or the terminal's new size; it never blocks."""
        if not self._stream.done:
            self._stream.give(given)

    def next_piece(self) -> bytes | None:
        """The next octets to show, with no time limit; None at the end.

        Raises:
            AnyURLError: The connection broke; all earlier octets have been returned.
        """
        piece = self._stream.pull()
        return piece if piece is None or isinstance(piece, bytes) else b""

    # --- inside ------------------------------------------------------------------------------------------------------

    def _until(self, timeout: float | None) -> float:
        check_value("timeout", timeout, "float | None")
        return time.monotonic() + (self._scheduler.policy.limits.idle if timeout is None else timeout)

    def _gather(self, until: float, wanted: str = "") -> bool:
        """Wait for the next piece, and store it; False when the service has ended."""
        stream, loop = self._stream, self._scheduler.loop
        while (piece := stream.take()) is None:
            if stream.done:
                if stream.error is not None:
                    raise stream.error
                return False
            stream.demand()
            if stream.outbox or self.closed:
                continue
            left = until - time.monotonic()
            if left <= 0:
                said = f"{wanted} did not arrive" if wanted else "Nothing arrived"
                raise TransferTimeout(f"{said} from {self.resource.url.masked} in time.", clock="idle")
            loop.turn(left)
        if isinstance(piece, bytes):
            self._unread += piece
        return True

    def _give(self, given: Input) -> None:
        """Pass input to the dialogue, and run it until the input has been sent."""
        stream, url = self._stream, self.resource.url
        stream.demand()
        if stream.done:
            raise stream.error or ConnectionLost(f"The session with {url.masked} has ended: nothing can be sent.")
        stream.give(given)
        while not self._has_taken():
            while (piece := stream.take()) is not None:
                self._unread += piece if isinstance(piece, bytes) else b""
            if len(self._unread) > MAX_UNREAD_OCTETS:
                raise LimitError(
                    f"The service sent more than {MAX_UNREAD_OCTETS:,} octets that were not read: the limit allows no "
                    "more.",
                    limit="MAX_UNREAD_OCTETS",
                )
            stream.demand()
            if not self._has_taken():
                self._scheduler.loop.turn()
        if stream.error is not None:
            raise stream.error
        if stream.inputs:
            raise ConnectionLost(f"The session with {url.masked} ended before that was sent.")

    def _has_taken(self) -> bool:
        """Whether the dialogue has sent its input and waits again (or has ended)."""
        return self._stream.done or (self._stream.hears and not self._stream.inputs)


def begin(scheduler: Scheduler, chain: RedirectChain) -> Session:
    """Connect to the service that a redirect chain leads to.

    Raises:
        UnsupportedError: The resource is not a service.
        AnyURLError: The connection failed.
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
    stream = chain.stream
    resource = Resource(scheduler, chain)
    check_service(resource)
    session = Session(resource, scheduler, stream)
    stream.demand()
    while not stream.hears and not stream.done and not stream.outbox:
        scheduler.loop.turn()
    if stream.error is not None and not stream.outbox:
        raise stream.error
    return session


def check_service(resource: Description) -> None:
    """Raise UnsupportedError if the resource is not a service."""
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
