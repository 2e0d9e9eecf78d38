"""CurlEngine: http and https with libcurl, on the scheduler's loop.

Rules. libcurl opens no connection that the connector did not approve: it gets a URL rebuilt from the parsed components
and a label that stands for the approved addresses, and every socket that it opens or reuses is compared with them. It
follows no redirects and uses no proxies by itself. Its callbacks only store data; dialogues are stepped later. Content
codings are decoded here and not by libcurl, which accepts a truncated gzip body.
"""

from __future__ import annotations

import errno
import os
from functools import partial
from time import monotonic
from typing import Any

from anyurl.dialogue import Channel, Request
from anyurl.errors import AnyURLError, LocalProtocolError
from anyurl.errors.reasons import reason_of
from anyurl.net.http.body import Body
from anyurl.net.http.certificates import may_offer, offer
from anyurl.net.http.libcurl import pycurl
from anyurl.net.http.modern_codings import known
from anyurl.net.http.request import Transfer
from anyurl.net.http.request_lines import refuse_line_breaks
from anyurl.net.http.route import Route
from anyurl.net.http.sockets import Sockets
from anyurl.net.http.tunnels import Tunnels
from anyurl.net.loop.loop import READ, WRITE, Timer
from anyurl.net.loop.provenance import provenance
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.loop.stream import PARKED
from anyurl.net.loop.task import Task
from anyurl.net.wire.channel import Connection
from anyurl.net.wire.resolver import LookUpResult, Query
from anyurl.url.syntax import WEB

MAX_CONNECTIONS = 512
"""Most connections that libcurl keeps for reuse, as many as nginx allows. With a lower number than that of the active
connections, libcurl closes some and makes them again."""

_IN = int(pycurl.CSELECT_IN)
_OUT = int(pycurl.CSELECT_OUT)
_SOCKET_TIMEOUT = int(pycurl.SOCKET_TIMEOUT)
_ACTIVESOCKET = int(pycurl.ACTIVESOCKET)
_HTTP_VERSION = int(pycurl.INFO_HTTP_VERSION)
_COULDNT_CONNECT = int(pycurl.E_COULDNT_CONNECT)
_SEND_ERROR = int(pycurl.E_SEND_ERROR)
_FRAMED = (int(pycurl.CURL_HTTP_VERSION_2_0), int(pycurl.CURL_HTTP_VERSION_3))


class CurlEngine:
    """libcurl's multi interface on one scheduler's loop. Raises OSError if there are no descriptors for it."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.loop = scheduler.loop
        self.sockets = Sockets(scheduler, self._on_event)
        try:
            self.multi: Any = pycurl.CurlMulti()
        except pycurl.error as error:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE)) from error
        known()  # its imports need descriptors, which may be exhausted later
        # Attribute look-up of a pycurl method costs a third of its call.
        self._socket_action, self._add_handle = self.multi.socket_action, self.multi.add_handle
        self._remove_handle = self.multi.remove_handle
        self.multi.setopt(pycurl.M_SOCKETFUNCTION, self.sockets.on_socket)
        self.multi.setopt(pycurl.M_MAXCONNECTS, scheduler.connections.most_idle(MAX_CONNECTIONS))
        # One HTTP/2 stream per connection: libcurl lets the server send 20 MB on each, read or not. Its limit of speed
        # would bound that, but streams that share a connection hang with it (8.23: data stays in the socket, and no
        # timer is set). Alone on its connection, unread data stays in the system's buffers, as with HTTP/1.1.
        self.multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_NOTHING)
        self._idle: list[Transfer] = []
        self._certified: list[Transfer] = []
        self._cert = scheduler.tls_config.cert
        self._running: dict[Any, Transfer] = {}
        self._tunnels = Tunnels(scheduler, self._dug)
        self._timer: Timer | None = None
        self._due = False
        self._collecting = False
        self._busy = False  # libcurl is running, and must not be called again by its own callbacks
        self._left = 0
        self._alone: Transfer | None = None
        self._connect_limit = scheduler.policy.limits.connect

    # --- calls of the scheduler --------------------------------------------------------------------------------------

    def request(self, task: Task, ask: Request) -> Any:
        """Begin a request; the task is resumed with the `Response` when its head is complete."""
        refuse_line_breaks(ask)
        url = ask.url
        # The place caches the approval of the task's own URL, not of others that a scheme may request.
        place = task.place if url is task.parties.url else None
        if place is not None and place.route and place.until > monotonic():
            self._begin(task, ask, place.route)
            return PARKED
        scheme, host, port = url.scheme, url.host, url.port
        if scheme not in WEB or not host or port is None:
            raise LocalProtocolError(
                f"An HTTP request needs an http or https URL with a host, which {url.masked} is not."
            )
        connector = self.scheduler.connector
        came_from = provenance(task.parties, host, port, self.scheduler.configured)
        if connector.proxies is not None:
            proxy = connector.unseen(scheme, host, port, came_from)
            if proxy is not None:
                self._begin(task, ask, (scheme, host, port, (), proxy))
                return PARKED
        known = connector.known(scheme, host, port, came_from)
        if known is not None:
            route = self._route(scheme, host, port, known[1])
            if place is not None:
                place.route, place.until = route, known[0]
            self._begin(task, ask, route)
            return PARKED
        then = partial(self._approved, task, ask, scheme, host, port)
        answer = connector.approve(scheme, host, port, came_from, then, partial(self._looking_up, task))
        if isinstance(answer, Query):
            task.hold(answer)
            if not answer.begun:
                self.scheduler.clocks.awaits_peer(task, self.scheduler.policy.limits.idle, "queue")
        else:
            self._begin(task, ask, self._route(scheme, host, port, tuple(answer)))
        return PARKED

    def _route(self, scheme: str, host: str, port: int, addresses: tuple[str, ...]) -> Route:
        connector = self.scheduler.connector
        proxy = None if connector.proxies is None else connector.proxy_for(scheme, host, port, addresses)
        return scheme, host, port, addresses, proxy

    def _looking_up(self, task: Task) -> None:
        self.scheduler.clocks.awaits_peer(task, self._connect_limit, "look-up")

    def _approved(self, task: Task, ask: Request, scheme: str, host: str, port: int, answer: LookUpResult) -> None:
        if task.stream.done:
            return
        for question in [each for each in task.open if isinstance(each, Query)]:
            task.release(question)
        if isinstance(answer, AnyURLError):
            self.scheduler.resume(task, None, answer)
            return
        try:
            self._begin(task, ask, self._route(scheme, host, port, tuple(answer)))
        except AnyURLError as error:
            self.scheduler.resume(task, None, error)

    def _begin(self, task: Task, ask: Request, route: Route) -> None:
        idle = self._idle if self._cert is None else self._idle_for(task)
        transfer = idle.pop() if idle else Transfer(self.sockets, self.act_soon, self.abandon)
        if idle is self._certified and not transfer.certified:
            transfer.certified = True
            offer(transfer.easy, self.scheduler.tls_config)
        try:
            transfer.begin(task, ask, route, not self._running)
        except (pycurl.error, UnicodeError) as error:
            raise LocalProtocolError(f"This request can't be written: {reason_of(error)}.") from error
        if not self._running and not task.eager:
            self._alone = transfer
        self._running[transfer.easy] = transfer
        task.hold(transfer.body)
        # One clock for look-up and connection: the time that the look-up took is subtracted.
        until, seconds = task.timing.waits_until, self._connect_limit
        left = seconds if until is None else max(0.0, until - self.loop.now())
        self.scheduler.clocks.awaits_peer(task, left, "connect")
        self._add(transfer)
        if self._busy or len(self._running) > 1:
            self.act_soon()
            return
        self._act(_SOCKET_TIMEOUT, 0)
        if not self._left:
            self._collect_soon()
        elif self.sockets.timed:
            self._set_timer()

    def _idle_for(self, task: Task) -> list[Transfer]:
        """The idle handles for a task: handles that send the caller's certificate are kept apart from the others."""
        return self._certified if may_offer(self.scheduler.tls_config, task.parties) else self._idle

    def _add(self, transfer: Transfer) -> None:
        """Give a transfer to libcurl, which begins it when it acts."""
        busy, self._busy = self._busy, True
        try:
            self._add_handle(transfer.easy)
        finally:
            self._busy = busy
            if self.sockets.interruption is not None:
                self._interrupt()

    def _interrupt(self) -> None:
        """Raise the exception that libcurl would have swallowed."""
        interruption, self.sockets.interruption = self.sockets.interruption, None
        if interruption is not None:
            raise interruption

    def receive(self, task: Task, channel: Channel, at_most: int, within: float | None) -> Any:
        """The next octets of a body, or PARKED until some arrive."""
        body = self._body(channel)
        piece = body.receive(at_most)
        if piece is not None:
            return piece
        body.waiter = partial(self._received, task, body, at_most)
        self.scheduler.clocks.awaits_peer(task, within, "idle", body)
        return PARKED

    def _received(self, task: Task, body: Body, at_most: int) -> None:
        if task.stream.done:
            return
        try:
            piece = body.receive(at_most)
        except AnyURLError as error:
            self.scheduler.resume(task, None, error)
            return
        if piece is None:
            body.waiter = partial(self._received, task, body, at_most)
        else:
            self.scheduler.resume(task, piece, None)

    def _body(self, channel: Channel) -> Body:
        if isinstance(channel, Body):
            return channel
        raise LocalProtocolError("This channel gives no octets.")

    # --- callbacks of libcurl ----------------------------------------------------------------------------------------

    def _on_event(self, fd: int, events: int) -> None:
        if fd in self.sockets.parked:
            self.sockets.unpark(fd)
            return
        # A mask of 0, for a hang-up, makes libcurl check the socket itself.
        mask = 0
        if events & READ:
            mask = _IN
        if events & WRITE:
            mask |= _OUT
        if not self._collecting:  # queued first: a dialogue then sees a complete body as complete
            self._collect_soon()
        self._act(fd, mask)

    def _collect_soon(self) -> None:
        # After all events of this turn: asking libcurl which transfers have ended costs as much as a small ask.
        if not self._collecting:
            self._collecting = True
            self.loop.soon(self._collect)

    def _act(self, fd: int, mask: int) -> None:
        self._busy = True
        try:
            self._left = self._socket_action(fd, mask)[1]
        finally:
            self._busy = False
        if self.sockets.interruption is not None:
            self._interrupt()
        if self._alone is not None:
            self._alone.notice_head()

    def act_soon(self) -> None:
        """Let libcurl work on its transfers in the next turn."""
        if not self._due:
            self._due = True
            self.loop.soon(self._on_due)

    def _set_timer(self) -> None:
        # Queried once in a turn; a callback would come several times for each request. A timer that fires too early is
        # harmless, and cheaper than one that is moved with each request.
        milliseconds = self.multi.timeout()
        if milliseconds == 0:
            self.act_soon()
        elif milliseconds > 0:
            seconds = milliseconds / 1000
            if self._timer is None or self._timer.when > self.loop.now() + seconds:
                if self._timer is not None:
                    self._timer.cancel()
                self._timer = self.loop.after(seconds, self._ring)

    def _ring(self) -> None:
        self._timer = None
        self._on_due()

    def _on_due(self) -> None:
        self._due = False
        self._act(_SOCKET_TIMEOUT, 0)
        self._collect()

    def _collect(self) -> None:
        """Collect the transfers that have ended, and resume their tasks."""
        self._collecting = False
        if self.loop.closed:
            return
        # libcurl reported how many still run: if that is all of them, none has ended.
        while self._left < len(self._running):
            left, succeeded, failed = self.multi.info_read()
            for easy in succeeded:
                self._ended(easy, 0, "")
            for easy, code, text in failed:
                self._ended(easy, code, text)
            if not left:
                break
        if self.sockets.timed:
            self._set_timer()

    def _ended(self, easy: Any, code: int, text: str) -> None:
        transfer = self._running[easy]
        connected = transfer.new_port != 0
        if connected:
            # HTTP/2 and 3 are not checked: they send unsolicited frames (settings, pings), and each frame names its
            # stream.
            is_framed = easy.getinfo(_HTTP_VERSION) in _FRAMED
            self.sockets.know(transfer.new_port, -1 if is_framed else easy.getinfo(_ACTIVESOCKET))
            transfer.new_port = 0
        self._remove_handle(easy)
        if transfer.wants_tunnel:
            del self._running[easy]
            self._tunnels.dig(transfer)
            return
        # libcurl itself repeats a request whose kept connection failed while it read, but not while it sent.
        may_repeat = transfer.stale or (code == _SEND_ERROR and not connected and transfer.may_repeat)
        if may_repeat and transfer.begin_again():
            self._add(transfer)
            self.act_soon()
            return
        del self._running[easy]
        if code == _COULDNT_CONNECT:
            transfer.notice_exhaustion()
        transfer.ended(code, text)
        self._rest(transfer)

    def _dug(self, transfer: Transfer, result: Connection | AnyURLError) -> None:
        if isinstance(result, AnyURLError):
            transfer.fail(result)
            self._rest(transfer)
            return
        transfer.tunnel = result
        self._running[transfer.easy] = transfer
        self._add(transfer)
        self.act_soon()

    def abandon(self, transfer: Transfer) -> None:
        """Drop the request of a dialogue that has ended."""
        if self._tunnels.give_up(transfer):
            self._rest(transfer)
            return
        self._left = 0  # it was among those that libcurl counted: check again
        if self._running.pop(transfer.easy, None) is not None:
            try:
                self._remove_handle(transfer.easy)
            except pycurl.error:  # at interpreter exit the multi handle may be gone first
                return
            self._rest(transfer)

    def _rest(self, transfer: Transfer) -> None:
        transfer.forget()
        if transfer is self._alone:
            self._alone = None
        (self._certified if transfer.certified else self._idle).append(transfer)

    def close(self) -> None:
        """Close the multi handle, then the others: garbage collection might do it in the wrong order."""
        for transfer in [*self._running.values(), *self._tunnels.wanted_by()]:
            self.abandon(transfer)
        self.sockets.unpark_all()
        self.multi.close()
        for idle in (self._idle, self._certified):
            for transfer in idle:
                transfer.easy.close()
            idle.clear()
        if self._timer is not None:
            self._timer.cancel()
