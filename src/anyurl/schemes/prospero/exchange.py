"""One request to a Prospero server and its reply: ARDP over UDP, by asks.

Rule: a datagram is accepted if it comes from the server's host and has the number of the connection; its port may
differ (a server that owns port 191 replies from there). The target of a redirect is judged as an endpoint that a peer
has named. Only packets of the connection itself are ever answered.
"""

from __future__ import annotations

from anyurl.dialogue import Channel, Close, Connect, Monotonic, Note, Random, Receive, Send, Steps
from anyurl.errors import (
    ConnectError,
    ConnectionLost,
    LimitError,
    RefusedError,
    RemoteProtocolError,
    TransferError,
    TransferTimeout,
)
from anyurl.schemes.prospero.wire.ardp import MAX_REPLY_BYTES, PATIENCE, Call
from anyurl.schemes.prospero.wire.messages import DEFAULT_PORT
from anyurl.schemes.prospero.wire.text import holds_line_end

MAX_REDIRECTS = 10
"""Servers that one request is sent on to: as many hops as any URL may take."""

WHOLE_DATAGRAM = 65_536
"""Octets to receive: more than UDP can carry, so that a datagram that is too large is noticed."""


class Route:
    """The way to one server: a channel for each of its addresses that was tried.

    Args:
        named_by: The way to the server that named this one, or None for the URL's own.

    Attributes:
        who: Host and port, for messages.
        channel: The one in use.
        place: Host and port.
    """

    __slots__ = ("who", "channel", "place", "_named_by", "_channels", "_tried")

    def __init__(self, host: str, port: int, channel: Channel, named_by: Route | None = None) -> None:
        self.who = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.channel = channel
        self.place = (host, port)
        self._named_by = named_by
        self._channels = [channel]
        self._tried = 1

    def turn_to_next(self, *, lost: bool) -> Steps[bool]:
        """No answer: turn to the next address of the host. False when there is no other.

        Args:
            lost: The one in use is known to be dead; else it is listened to again when its turn comes.
        """
        at = self._channels.index(self.channel)
        if self._tried:
            try:
                there = yield from _connect(*self.place, self._named_by, skip=self._tried)
                self._channels.append(there)
                self._tried += 1
            except (ConnectError, LimitError, RefusedError):
                self._tried = 0  # all of them were
        following = self._channels[(at + 1) % len(self._channels)]
        if lost:
            yield from Close(self._channels.pop(at))
        moved = following is not self.channel
        if moved:
            self.channel = following
        return moved


class Courier:
    """Carries the requests of one dialogue, and keeps the way to each server for the next one.

    Args:
        patience: Seconds without progress before a request is given up (`Options.patience`).
    """

    __slots__ = ("_patience", "_routes", "_cid")

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._routes: dict[tuple[object, ...], Route] = {}
        self._cid = 0

    def ask(
        self,
        host: str,
        port: int,
        request: bytes,
        *,
        named_by: Route | None = None,
        max_bytes: int = MAX_REPLY_BYTES,
    ) -> Steps[PendingReply]:
        """Make ready to send a request; it is sent, again and again where needed, by `PendingReply.receive`.

        Args:
            named_by: The way to the server that named this one, or None for the URL's own.
        """
        if named_by is not None and port != DEFAULT_PORT and holds_line_end(request):
            # Attack: the server of an allowed URL sends its octets on to another service. The policy has judged the
            # URL's own port only (`Row.confined`).
            raise RefusedError(
                f"A name with a line end is sent on to port {DEFAULT_PORT} only: at port {port} of {host} its lines "
                "could command another service (RFC 1738 section 6).",
                code="octets-port",
                subject=str(port),
            )
        route = yield from self.route(host, port, named_by)
        if not self._cid:
            self._cid = int.from_bytes((yield from Random(2)))
        # The number before belongs to another request of the same two ports: the server would answer that one again.
        self._cid = self._cid % 0xFFFF + 1
        now = yield from Monotonic()
        call = Call(self._cid, request, now, who=route.who, patience=self._patience, max_bytes=max_bytes)
        return PendingReply(self, route, call)

    def exchange(self, host: str, port: int, request: bytes, *, max_bytes: int = MAX_REPLY_BYTES) -> Steps[bytes]:
        """The whole reply. Raises as `PendingReply.receive`."""
        reply = yield from self.ask(host, port, request, max_bytes=max_bytes)
        pieces: list[bytes] = []
        while piece := (yield from reply.receive()):
            pieces.append(piece)
        return b"".join(pieces)

    def route(self, host: str, port: int, named_by: Route | None) -> Steps[Route]:
        """The way to a server; the policy judges it when it is new, and anew for each server that names it.

        Attack: a public server names the private one that the user asked, and the way there is open.
        """
        if named_by is not None and named_by.place == (host, port):
            return named_by
        key = (host, port, None if named_by is None else named_by.place)
        route = self._routes.get(key)
        if route is None:
            route = Route(host, port, (yield from _connect(host, port, named_by)), named_by)
            self._routes[key] = route
        return route


def _connect(host: str, port: int, named_by: Route | None, *, skip: int = 0) -> Connect:
    return Connect(host, port, transport="udp", skip=skip, named_by=None if named_by is None else named_by.channel)


class PendingReply:
    """The reply of the server, piece by piece and in order.

    Attributes:
        route: The way to the server that answers.
    """

    __slots__ = ("_courier", "route", "_call", "_now", "_hops", "_told")

    def __init__(self, courier: Courier, route: Route, call: Call) -> None:
        self._courier = courier
        self.route = route
        self._call = call
        self._now: float | None = None
        self._hops = 0
        self._told = False

    def receive(self) -> Steps[bytes]:
        """The next octets of the reply; ``b""`` at its end.

        Raises:
            TransferTimeout: No answer.
            Truncated: The reply broke off.
            ConnectionLost: Nothing listens there.
            ReplyError: The server refuses the connection.
            RemoteProtocolError: Its packets are wrong.
            LimitError: The reply is too large, or too many servers redirect.
            RefusedError: The policy refuses the server that it redirects to.
        """
        call = self._call
        while True:
            yield from self._send()
            piece = call.take()
            if piece or call.done:
                return piece
            try:
                call.feed((yield from self._listen()), (yield from self._look_at_clock()))
            except (LimitError, RemoteProtocolError):
                yield from self._cancel()
                raise
            if call.moved is not None:
                yield from self._follow(*call.moved)
            elif call.queue is not None:
                yield from self._tell(*call.queue)

    def _look_at_clock(self) -> Steps[float]:
        self._now = yield from Monotonic()
        return self._now

    def _send(self) -> Steps[None]:
        """Whatever is due."""
        call = self._call
        now = self._now
        if now is None:
            now = yield from self._look_at_clock()
        silent = call.sent and not call.heard and now >= call.next_at
        try:
            datagrams = call.due(now)
        except (TransferError, RemoteProtocolError):
            yield from self._cancel()
            raise
        if silent:
            yield from self.route.turn_to_next(lost=False)
        for datagram in datagrams:
            try:
                yield from Send(self.route.channel, datagram)
            except ConnectionLost:
                yield from self._lost()
                return

    def _cancel(self) -> Steps[None]:
        """Cancel the request at the server; errors are ignored."""
        try:
            yield from Send(self.route.channel, self._call.cancellation())
        except TransferError:
            pass

    def _listen(self) -> Steps[bytes]:
        """The next datagram; ``b""`` when it is time to do something else."""
        now = self._now or 0.0
        try:
            return (yield from Receive(self.route.channel, WHOLE_DATAGRAM, within=max(0.0, self._call.next_at - now)))
        except TransferTimeout:
            return b""
        except ConnectionLost:
            yield from self._lost()
            return b""

    def _lost(self) -> Steps[None]:
        """Nothing listens at this address (ICMP says so): try the next, or give up."""
        cut = self._call.cut()
        if cut is not None:
            raise cut
        if self._call.heard or not (yield from self.route.turn_to_next(lost=True)):
            raise ConnectionLost(f"{self.route.who} accepts no requests: its port is closed.", stage="connect")
        self._call.begin_again((yield from self._look_at_clock()))

    def _follow(self, host: str, port: int) -> Steps[None]:
        """The server wants another one to answer: a peer has named it, so that the policy judges it as such."""
        self._hops += 1
        if self._hops > MAX_REDIRECTS:
            raise LimitError(
                f"More than {MAX_REDIRECTS} servers redirected the request: the limit allows no more.",
                limit="MAX_REDIRECTS",
            )
        self.route = yield from self._courier.route(host, port, self.route)
        self._call.begin_again((yield from self._look_at_clock()))

    def _tell(self, place: int | None, seconds: int | None) -> Steps[None]:
        """Tell the user once why it takes so long."""
        if self._told:
            return
        self._told = True
        says = [f"place {place} in its queue"] * (place is not None) + [f"{seconds:,} seconds to go"] * (
            seconds is not None
        )
        yield from Note(f"{self.route.who} asks to wait: {', '.join(says) or 'it is busy'}")


def exchange(
    host: str, port: int, request: bytes, *, patience: float = PATIENCE, max_bytes: int = MAX_REPLY_BYTES
) -> Steps[bytes]:
    """One request and its whole reply, where no second request goes the same way. Raises as `PendingReply.receive`."""
    return (yield from Courier(patience).exchange(host, port, request, max_bytes=max_bytes))
