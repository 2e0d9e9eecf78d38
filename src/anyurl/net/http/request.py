"""Transfer: one libcurl easy handle with its callbacks.

Rule: a callback stores the data and returns. Errors in it are stored too, since libcurl would print an exception and
turn it into a number; when the transfer ends, the stored error takes precedence over libcurl's.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from anyurl.dialogue import Request
from anyurl.errors import AnyURLError, ConnectionLost, RefusedError
from anyurl.errors.log import LOADED, record
from anyurl.guard.addresses import scope
from anyurl.guard.hops import IDEMPOTENT_METHODS
from anyurl.net.http.body import Body
from anyurl.net.http.certificates import believe
from anyurl.net.http.easy_options import BUFFER_OCTETS, EASY_OPTIONS
from anyurl.net.http.errors import is_unmarked, translate_curl
from anyurl.net.http.head import is_blank, is_interim, is_whole, read_head
from anyurl.net.http.libcurl import pycurl
from anyurl.net.http.request_lines import header_lines
from anyurl.net.http.route import (
    BEHIND_A_PROXY,
    OwnedSocket,
    Route,
    answering,
    approved_octets,
    go_through,
    new_socket,
    original,
    packed,
    speak,
)
from anyurl.net.http.sockets import Sockets, connecting_to
from anyurl.net.loop.task import Task
from anyurl.net.wire.channel import Connection, translate
from anyurl.net.wire.peers import connection_refused
from anyurl.net.wire.proxies.table import Proxy
from anyurl.net.wire.resolver import literal
from anyurl.net.wire.zones import of_one_zone
from anyurl.values import Scope

if TYPE_CHECKING:
    from anyurl.net.http.upload import Upload

_REQUEST_TARGET = int(pycurl.REQUEST_TARGET)
_PREREQ_OK, _PREREQ_ABORT = int(pycurl.PREREQFUNC_OK), int(pycurl.PREREQFUNC_ABORT)
_WRITE_PAUSE, _PAUSE_RECEIVING = int(pycurl.WRITEFUNC_PAUSE), int(pycurl.PAUSE_RECV)
_SEEK_OK, _SEEK_NOT = int(pycurl.SEEKFUNC_OK), int(pycurl.SEEKFUNC_CANTSEEK)


class Transfer:
    """One easy handle, used for one request after another.

    Args:
        act_soon: Lets libcurl continue in the next turn.
        abandon: Aborts a transfer whose body is not wanted.

    Attributes:
        new_port: The local port of the connection made for this request; 0 if one was reused.
        stale: The kept connection could not be reused.
        route: Where the request goes.
        wants_tunnel: libcurl needs a new connection through a proxy, which does not exist yet.
        certified: The handle sends the caller's certificate to servers that request one.
        tunnel: The connection through the proxy, until libcurl takes it.
    """

    def __init__(self, sockets: Sockets, act_soon: Callable[[], None], abandon: Callable[[Transfer], None]) -> None:
        self.sockets = sockets
        self.scheduler = sockets.scheduler
        self._act_soon = act_soon
        self._go_on = self.go_on
        self._give_up = partial(abandon, self)
        self._limits = sockets.scheduler.policy.limits
        self.easy = easy = pycurl.Curl()
        self._setopt = easy.setopt  # the look-up of a pycurl method costs as much as a small option
        self.body = Body(self._go_on, self._give_up, self._limits)
        self.task: Task | None = None
        self.lines: list[bytes] = []
        self._answered = self._is_literal = self._secured = self._fresh = self._sent = False
        self._kept_error: AnyURLError | None = None
        self.route: Route = ("", "", 0, (), None)
        self.wants_tunnel = self.certified = self.stale = False
        self._asked: tuple[int, int] | None = None
        self.tunnel: Connection | None = None
        self._proxy: Proxy | None = None
        self._listed: list[str] = []
        self._zone = self.new_port = 0
        self._approved: frozenset[bytes] = frozenset()
        self._peer = self._where = ""
        self._method = "GET"
        self._opened: list[OwnedSocket] = []
        self._scope: Scope | None = None
        self._upload: Upload | None = None
        self._plain: bool | None = None
        self._pinned: tuple[str, str] | None = None
        self._blind: bool | None = None
        self._eager = self._timed = False
        self._decode = True
        self._target = ""
        for option, value in (
            *EASY_OPTIONS,
            (pycurl.WRITEFUNCTION, self._on_write),
            (pycurl.READFUNCTION, self._on_read),
            (pycurl.SEEKFUNCTION, self._on_rewind),
            (pycurl.OPENSOCKETFUNCTION, self._on_open),
            (pycurl.PREREQFUNCTION, self._on_ready_to_ask),
        ):
            easy.setopt(option, value)
        if self.scheduler.network.translate is not None:
            easy.setopt(pycurl.SOCKOPTFUNCTION, lambda _fd, _purpose: pycurl.SOCKOPT_ALREADY_CONNECTED)

    # --- before ----------------------------------------------------------------------------------------------------

    def begin(self, task: Task, ask: Request, route: Route, alone: bool) -> None:
        """Set the handle up for one request to one of the approved addresses.

        Args:
            alone: No other request is under way, so that `notice_head` is called after each event.
        """
        self.task = task
        self.body = Body(self._go_on, self._give_up, self._limits)
        self._answered = self._sent = False
        self._kept_error = None
        self._decode = ask.decode
        if route is not self.route:
            if route != self.route:
                self._take_route(route)
            self.route = route
        setopt = self._setopt
        # One Python call for each header line is a tenth of a small request. Eager tasks do not need them: the first
        # octet of the body, or its end, also shows that the head is complete. libcurl limits the head to 300 KiB. A
        # request that is alone is checked after each event.
        self._eager = task.eager
        blind = (alone or task.eager) and route[0] != "https"
        if blind is not self._blind:
            self._blind = blind
            setopt(pycurl.HEADERFUNCTION, self.lines.append if blind else self._on_header)
        if ask.target != self._target:
            self._target = ""  # until libcurl has accepted it
            setopt(_REQUEST_TARGET, ask.target)
            self._target = ask.target
        self._watch_timers(True)
        if not self._is_literal or self._pinned is not None or self._proxy is not None or ask.authorization is not None:
            self._pin(ask)
        if ask.upload or ask.method != "GET" or self._method != "GET":
            self._set_method(task, ask)
        if ask.headers or ask.upload or ask.authorization is not None or ask.decode is not self._plain:
            self._set_headers(ask)
        if route[0] == "https" and not self._secured:
            believe(self.easy, self.scheduler.tls_config)
            self._secured = True  # afterwards: if it fails, the handle must not be used with other roots

    def _watch_timers(self, wanted: bool) -> None:
        """Set whether libcurl may have a timer for this request, which must then be queried (`Sockets.timed`)."""
        if wanted is not self._timed:
            self._timed = wanted
            self.sockets.timed += 1 if wanted else -1

    def _take_route(self, route: Route) -> None:
        """Change the origin, its addresses, or the proxy."""
        scheme, host, port, addresses, proxy = route
        if proxy is not self._proxy:
            self._proxy = proxy
            go_through(self.easy, proxy, self.scheduler.network)
        self._approved = approved_octets(self.scheduler.network, addresses, port)
        self._peer = ""
        self._is_literal = literal(host) is not None
        zone, self._listed = of_one_zone(addresses)
        if zone != self._zone:
            self._zone = zone
            self.easy.setopt(pycurl.ADDRESS_SCOPE, zone)
        self._where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        speak(self.easy, self.scheduler.tls_config.http3, scheme, proxy, self.scheduler.network)
        self.easy.setopt(pycurl.URL, f"{scheme}://{self._where}/")

    def _set_headers(self, ask: Request) -> None:
        self._plain = None if ask.headers or ask.upload or ask.authorization is not None else ask.decode
        lines = header_lines(ask, self.scheduler.user_agent)
        if ask.upload and self._fresh:
            # libcurl would wait for 100 Continue before the content, and send the head again after a 417.
            lines.append("Expect:")
        self.easy.setopt(pycurl.HTTPHEADER, lines)

    def _pin(self, ask: Request) -> None:
        """Pin libcurl to the approved addresses, on connections that only requests with these and this login share."""
        proxy = self._proxy
        if self._is_literal and ask.authorization is None and proxy is None:
            if self._pinned is not None:
                self._pinned = None
                # An empty list would change nothing, and leave the request on the connection of the last login.
                self.easy.unsetopt(pycurl.CONNECT_TO)
                self.easy.unsetopt(pycurl.RESOLVE)
            return
        addresses, port = self.route[3], self.route[2]
        # RESOLVE alone would let a later request reuse a connection to another address.
        login = None if ask.authorization is None else ask.authorization.login
        label = self.sockets.labels.label(addresses, login, proxy)
        if (self._where, label) != self._pinned:
            self._pinned = (self._where, label)
            self.easy.setopt(pycurl.CONNECT_TO, [f"{self._where}:{label}:{port}"])
        # Each time: libcurl drops the entry after a minute, and would then look the label up.
        listed = ",".join(self._listed) if proxy is None else BEHIND_A_PROXY
        self.easy.setopt(pycurl.RESOLVE, [f"+{label}:{port}:{listed}"])

    def _set_method(self, task: Task, ask: Request) -> None:
        from anyurl.net.http.upload import Upload, set_method

        easy = self.easy
        self._method = "" if ask.upload else ask.method
        source = task.source if ask.upload else None
        if ask.method not in IDEMPOTENT_METHODS or not (source is None or source.can_rewind):
            # Attack: a server closes a kept connection after it has read the request; libcurl would send a POST again.
            self._fresh = True
            easy.setopt(pycurl.FRESH_CONNECT, 1)
        if ask.upload:
            self._upload = Upload(self.scheduler, task, source, self._go_on_with_upload, self.easy)
        set_method(easy, ask.method, self._upload)

    # --- callbacks -------------------------------------------------------------------------------------------------

    def _on_open(self, _purpose: int, address: Any) -> Any:
        try:
            self.sockets.unpark_all()
            if self._proxy is not None:
                return self._take_tunnel()
            named = address.addr[0]
            host = named.decode("ascii", "replace") if isinstance(named, bytes) else named
            if packed(host) not in self._approved:
                self._kept_error = RefusedError(f"A connection to {host} was not approved.", code="peer", subject=host)
                return pycurl.SOCKET_BAD
            owned = new_socket(self.scheduler.network, address, host, self._zone)
            self._opened.append(owned)
            return owned
        except OSError as error:
            self._kept_error = self._not_opened(error)
        except BaseException as error:  # Ctrl-C finds us anywhere
            self.sockets.interruption = error
        return pycurl.SOCKET_BAD

    def _not_opened(self, error: OSError) -> AnyURLError:
        """The error of a transfer whose socket could not be opened."""
        return translate(error, connecting_to(self._where), stage="connect")

    def _take_tunnel(self) -> Any:
        tunnel, self.tunnel = self.tunnel, None
        if tunnel is None:
            self.wants_tunnel = True
            return pycurl.SOCKET_BAD
        self._opened.append(owned := OwnedSocket(tunnel.sock))
        return owned

    def _on_ready_to_ask(self, peer: str, local: str, peer_port: int, local_port: int) -> int:
        try:
            if peer_port == local_port and peer == local and self._opened:  # as in `peers.peer_of`
                self._kept_error = self._not_opened(connection_refused())
                return _PREREQ_ABORT
            return _PREREQ_OK if self._may_ask(peer, local_port) else _PREREQ_ABORT
        except BaseException as error:  # Ctrl-C finds us anywhere
            self.sockets.interruption = error
            return _PREREQ_ABORT

    def _may_ask(self, peer: str, local_port: int) -> bool:
        # Called for every request, on new and on reused connections.
        if self.route[0] == "https":
            told = self.easy.getinfo(pycurl.INFO_CERTINFO) if self._opened else None
            refused = self.sockets.nameless.judge(self._where, local_port, told)
            if refused is not None:
                self._kept_error = refused
                return False
        if self._opened:
            # libcurl reports the address that it requested; only the socket knows the real peer.
            opened, self._opened = self._opened, []
            peer = peer if self._proxy is not None else answering(opened, self._approved, peer)
            self.new_port = local_port
            if "logging" in LOADED:  # not now: a log handler must not run inside a libcurl callback
                self.scheduler.loop.soon(record, "net", "Connected to %s at %s.", self._where, peer)
        elif not self._fresh and (self._sent or not self.sockets.is_quiet(local_port)):
            # libcurl would try five kept connections in a row; a request is repeated only once (RFC 9112 9.3.1), unless
            # nothing was sent.
            self.stale = True
            return False
        elif self.route[0] == "https":
            self._asked = self.sockets.ask(local_port)
        if self._proxy is not None:  # its addresses were judged before; the most public one counts
            self._peer, self._scope = "", min((scope(each) for each in self.route[3]), default=None)
        elif peer != self._peer and packed(peer) not in self._approved:
            self._kept_error = RefusedError(
                f"The connection leads to {peer}, which was not approved: nothing was sent.", code="peer", subject=peer
            )
            return False
        elif peer != self._peer:
            self._peer, self._scope = peer, scope(original(self.scheduler.network, self.route[3], self.route[2], peer))
        self._kept_error = None  # an error of an address that was tried before
        self._sent = True
        if self.task is not None:
            if self.task.budget is not None and not self.task.budget.take():
                self._kept_error = ConnectionLost(f"{self._where} closed the connection without an answer.")
                return False
            self.task.parties.ask(self._peer or None, self._scope)
            outgoing = None if self._upload is None else self._upload.outgoing
            self.scheduler.clocks.awaits_peer(self.task, None, "idle", outgoing)
        if self._upload is None and self.route[0] != "https":  # an upload may wait for 100, TLS for its own records
            self._watch_timers(False)
        return True

    def _on_header(self, line: bytes) -> int | None:
        try:
            if (asked := self._asked) is not None:
                self._asked = None
                if self.sockets.is_early(asked):
                    self.stale = True
                    return -1
            self.lines.append(line)
            if not (self._eager or self._answered) and len(line) < 3 and is_blank(line) and not is_interim(self.lines):
                self._answer()
        except BaseException as error:  # Ctrl-C finds us anywhere
            self.sockets.interruption = error
            return -1
        return None

    def notice_head(self) -> None:
        """Pass the head to the dialogue if it is complete and the body has not begun."""
        if not self._answered and self.lines and is_blank(self.lines[-1]) and not is_interim(self.lines):
            self._answer()

    def _on_write(self, data: bytes) -> int | None:
        try:
            if not self._answered:
                self._answer()
            body = self.body
            if body.buffered >= BUFFER_OCTETS and self._is_enough():
                return _WRITE_PAUSE
            body.chunks.append(data)
            size = len(data)
            body.buffered += size
            body.received += size
            if body.waiter is not None:
                self._wake()
        except BaseException as error:  # Ctrl-C finds us anywhere
            self.sockets.interruption = error
            return -1
        return None

    def _is_enough(self) -> bool:
        """Pause libcurl; returns whether it must also keep the octets already read, which it copies.

        It need not over HTTP/1, where that is no more than its receive buffer holds.
        """
        body, was_paused = self.body, self.body.paused
        body.paused = True
        if not (self.lines and self.lines[0].startswith(b"HTTP/1")):
            return True
        if not was_paused:
            self.easy.pause(_PAUSE_RECEIVING)  # and resume an upload, which pauses itself again
        return body.buffered >= 3 * BUFFER_OCTETS

    def go_on(self) -> None:
        """Let libcurl continue after a pause."""
        self.body.paused = False
        try:
            self.easy.pause(pycurl.PAUSE_CONT)
        except pycurl.error:  # it runs callbacks before it returns; an error there ends the transfer
            pass
        self._act_soon()

    def _on_read(self, at_most: int) -> bytes | int:
        if self._kept_error is not None or self._upload is None:
            return int(pycurl.READFUNC_ABORT)
        return self._upload.read(at_most)

    def _on_rewind(self, offset: int, _origin: int) -> int:
        try:
            return _SEEK_OK if offset == 0 and self._upload is not None and self._upload.rewind() else _SEEK_NOT
        except BaseException as error:  # Ctrl-C finds us anywhere
            self.sockets.interruption = error
            return _SEEK_NOT

    def _go_on_with_upload(self, error: AnyURLError | None) -> None:
        self._kept_error = error or self._kept_error
        self.go_on()

    # --- after -----------------------------------------------------------------------------------------------------

    def _answer(self) -> None:
        """The head is complete: pass it to the dialogue in the next turn."""
        self._answered = True
        task = self.task
        assert task is not None
        task.timing.answered()  # it has arrived, even if the idle clock runs out in this turn
        try:
            response = read_head(self.lines, self.body, self._limits)
            if self._decode and response.may_be_coded and response.header("content-encoding") is not None:
                self.body.codings = ",".join(response.all("content-encoding")).split(",")
            if self._peer:
                self.body.peer = (self._peer, self.route[2])
        except AnyURLError as error:
            self.scheduler.loop.soon(self.scheduler.resume, task, None, error)
            return
        self.scheduler.loop.soon(self.scheduler.resume, task, response, None)

    def _wake(self) -> None:
        if (waiter := self.body.waiter) is not None:
            self.body.waiter = None
            if self.task is not None:
                self.task.timing.answered()
            self.scheduler.loop.soon(waiter)

    @property
    def may_repeat(self) -> bool:
        """Whether it may be sent again (RFC 9112 9.3.1): idempotent, not repeated yet, and nothing was answered."""
        return not self._fresh and not self.lines and self._kept_error is None

    def begin_again(self) -> bool:
        """Retry a request that got no response on a new connection, since the kept one was stale; False if it can't."""
        if self._upload is not None and not self._upload.rewind():
            lost = f"{self._where} closed the connection without an answer, and the content can't be read once more."
            self._kept_error = ConnectionLost(lost)
            return False
        self.stale, self._fresh, self._kept_error = False, True, None
        self._watch_timers(True)
        self.easy.setopt(pycurl.FRESH_CONNECT, 1)
        return True

    def notice_exhaustion(self) -> None:
        """Detect that pycurl ran out of descriptors to duplicate a socket, which it does not report."""
        opened, self._opened = self._opened, []
        # A socket with a peer was taken; of several (with HTTP/3), libcurl reports only the error of TLS.
        lost = self._kept_error is None and not any(owned.peer() for owned in opened)
        if opened and lost and not self.easy.getinfo(pycurl.OS_ERRNO):
            self._kept_error = self._not_opened(OSError(errno.EMFILE, os.strerror(errno.EMFILE)))

    def ended(self, code: int, text: str) -> None:
        """libcurl has finished this request."""
        body, task = self.body, self.task
        body.end(None)
        if not self._answered and is_whole(self.lines):  # libcurl accepts a truncated head
            self._answer()
        if code and [each for each in self._opened if each.has_reached_itself()]:  # TLS failed with its own beginning
            self._kept_error = self._not_opened(connection_refused())
        if code and self._kept_error is not None:
            body.error = self._kept_error
        elif code:
            received, number = body.received if self._answered else None, self.easy.getinfo(pycurl.OS_ERRNO)
            try:
                if received is not None and is_unmarked(code, text, read_head(self.lines, body, self._limits)):
                    body.unmarked = True
                else:
                    body.error = translate_curl(code, text, self._where, received, number)
            except AnyURLError as lack:
                body.error = lack
        assert task is not None
        if self._answered:
            if body.waiter is not None:
                self._wake()
        else:
            self._answered = True
            how = "before the head of its answer was complete" if self.lines else "without an answer"
            error = body.error or ConnectionLost(f"{self._where} closed the connection {how}.")
            self.scheduler.loop.soon(self.scheduler.resume, task, None, error)

    def fail(self, error: AnyURLError) -> None:
        """End the request with an error: no connection could be made."""
        self._kept_error = error
        self.ended(int(pycurl.E_COULDNT_CONNECT), "")

    def forget(self) -> None:
        """Drop the state of the request; the handle is free for the next one."""
        if self.tunnel is not None:
            self.tunnel.close()
            self.tunnel = None
        self.wants_tunnel = self.stale = False
        self.task, self._kept_error, self.new_port = None, None, 0
        if self._timed:
            self._watch_timers(False)
        if self._fresh:
            self._fresh = False
            self.easy.setopt(pycurl.FRESH_CONNECT, 0)
        if self._opened:
            self._opened.clear()
        self.lines.clear()
        if self._upload is not None:
            self._upload.close()
            self._upload = None
