"""ARDP: one request and its reply over datagrams that may be lost, duplicated and reordered (the client's side).

Rule: pure. Time is an argument, in seconds of any monotonic clock; received octets go to `feed`, octets to send come
from `due`. Packets that are invalid or of another connection are ignored and never answered. Only progress renews the
timeout: the next piece of the reply, or the first acknowledgement of a piece of the request. Recovery is the client's
job: a server repeats only what is requested again.
"""

from __future__ import annotations

from anyurl.errors import (
    AccessError,
    LimitError,
    LocalProtocolError,
    RemoteProtocolError,
    ReplyError,
    TransferTimeout,
    Truncated,
    sample,
)
from anyurl.schemes.prospero.wire.ardp_packet import (
    BAD_VERSION,
    CANCEL,
    PLEASE_ACKNOWLEDGE,
    REDIRECT,
    REDIRECT_REMEMBERED,
    REFUSED,
    RESET,
    SEQUENCED_CONTROL,
    Packet,
    decode,
    encode,
    split_message,
)

FIRST_REPEAT = 1.0
"""Seconds until the first retransmission, as RFC 8085 3.1.1 recommends for a path without measurements."""

LONGEST_REPEAT = 4.0
"""Seconds up to which the interval doubles; the original client began with this interval, and doubled it further."""

PATIENCE = 60.0
"""Seconds without progress before giving up: the original client's 4 + 8 + 16 + 32."""

LONGEST_WAIT = 900.0
"""Seconds that a server may ask the client to wait between two steps of progress: as much as archie servers ask for."""

MAX_DATAGRAM = 32 * 1024
"""Octets of a datagram that are accepted: 26 times the largest of any known server, half of the largest in UDP."""

MAX_AHEAD = 256
"""Packets after a missing one that are kept: the largest window of the original server; its default is 16."""

MAX_REPLY_BYTES = 32 * 1024 * 1024
"""Octets of one reply: the limit of every listing of this scheme; 600 links take 50 KB."""

MAX_REQUEST_PACKETS = 64
"""Packets of one request: 80,000 octets, more than the longest URL."""


class Call:
    """One request and its reply.

    Args:
        cid: The connection's number, 1 to 65535; not guessable, and not used before between the same two ports.
        request: The message.
        now: Seconds.
        who: The server, for error messages.
        patience: Seconds without progress before giving up.
        max_bytes: Octets of the reply that are accepted.

    Attributes:
        done: The whole reply has arrived.
        heard: A packet of this connection has arrived.
        sent: Transmissions of the request so far.
        moved: The endpoint that the server redirects the request to: connect there, and `begin_again`.
        queue: Place in the server's queue and seconds until the reply, as last reported; each may be None.

    Raises:
        LocalProtocolError: The request is too long.
    """

    __slots__ = (
        "cid", "done", "heard", "sent", "moved", "queue", "_who", "_patience", "_max_bytes", "_pieces", "_peer_has",
        "_peer_had", "_parts", "_ready", "_held", "_handed_out",
        "_through", "_total", "_octets", "_owes", "_interval", "_repeat_at",
        "_give_up_at", "_waits", "_wait_ends", "_sample",
    )  # fmt: skip

    def __init__(
        self,
        cid: int,
        request: bytes,
        now: float,
        *,
        who: str = "the server",
        patience: float = PATIENCE,
        max_bytes: int = MAX_REPLY_BYTES,
    ) -> None:
        self._pieces = split_message(request)
        if len(self._pieces) > MAX_REQUEST_PACKETS:
            raise LocalProtocolError(
                f"A request of {len(request):,} octets does not fit into {MAX_REQUEST_PACKETS} packets."
            )
        self.cid = cid
        self.done = False
        self.queue: tuple[int | None, int | None] | None = None
        self._who = who
        self._patience = patience
        self._max_bytes = max_bytes
        self._octets = 0
        self._sample = b""
        self.begin_again(now)

    def begin_again(self, now: float) -> None:
        """Start the request again, at the endpoint of a redirection or at another address."""
        self.heard = False
        self.moved: tuple[str, int] | None = None
        self._peer_has = self._peer_had = 0
        self._parts: dict[int, bytes] = {}
        self._ready: list[bytes] = []
        self._held: list[bytes] | None = None
        self._handed_out = False
        self._through = 0
        self._total = 0
        self._owes = False
        self.sent = 0
        self._interval = FIRST_REPEAT
        self._repeat_at = now
        self._give_up_at = now + self._patience
        self._waits = False
        self._wait_ends = now + LONGEST_WAIT

    # --- out -------------------------------------------------------------------------------------------------------

    @property
    def next_at(self) -> float:
        """The time at which to call `due` again if nothing arrives before."""
        return min(self._repeat_at, self._give_up_at)

    def due(self, now: float) -> list[bytes]:
        """The datagrams to send now.

        Raises:
            TransferTimeout: The server did not answer in time.
            Truncated: The reply began, and then stopped for too long.
            RemoteProtocolError: Nothing that arrived was ARDP.
        """
        datagrams: list[bytes] = []
        if not self.done and now >= self._give_up_at:
            raise self._too_late()
        if not self.done and now >= self._repeat_at:
            datagrams = self._request() or [self._acknowledgement()]
            self._owes = False
            self.sent += 1
            self._repeat_at = now + self._interval
            self._interval = min(2 * self._interval, LONGEST_REPEAT)
        elif self._owes:
            datagrams = [self._acknowledgement()]
            self._owes = False
        return datagrams

    def cut(self) -> Truncated | None:
        """The error for a server that has disappeared; None if nothing of its reply has arrived."""
        if not self._octets and not self._parts:
            return None
        of_all = f" of {self._total}" if self._total else ""
        return Truncated(
            f"{self._who} disappeared after packet {self._through}{of_all} of its reply.", received=self._octets
        )

    def cancellation(self) -> bytes:
        """The datagram that cancels the request; the server does not answer it."""
        return encode(Packet(self.cid, 0, 0, 0, 0, 0, CANCEL))

    def _request(self) -> list[bytes]:
        """The packets of the request that the server has not acknowledged."""
        total = len(self._pieces)
        return [
            encode(Packet(self.cid, number, total, self._through, payload=self._pieces[number - 1]))
            for number in range(self._peer_has + 1, total + 1)
        ]

    def _acknowledgement(self) -> bytes:
        return encode(Packet(self.cid, 0, 0, self._through))

    def _too_late(self) -> AccessError:
        if self._sample and not self.heard:
            return self._stranger()
        if self._octets or self._parts:
            of_all = f" of {self._total}" if self._total else ""
            return Truncated(
                f"{self._who} fell silent after packet {self._through}{of_all} of its reply: "
                f"{self._patience:g} seconds passed without another packet.",
                received=self._octets,
            )
        asked = "once" if self.sent == 1 else f"{self.sent} times"
        return TransferTimeout(
            f"{self._who} did not answer within {self._patience:g} seconds, asked {asked}.", clock="idle"
        )

    # --- in --------------------------------------------------------------------------------------------------------

    def feed(self, datagram: bytes, now: float) -> None:
        """Process a datagram from the server's address.

        Raises:
            ReplyError: The server refuses the connection.
            RemoteProtocolError: Its packets contradict each other; or the peer does not speak ARDP version 0.
            LimitError: The reply is larger than allowed.
        """
        if not datagram or self.done or len(datagram) > MAX_DATAGRAM:
            return
        try:
            packet = decode(datagram)
        except RemoteProtocolError:
            # Attack: a forged sender address suffices to send this, without the connection number: it must not end the
            # call.
            self._sample = datagram
            return
        if packet.cid != self.cid:
            return
        if packet.payload and self._is_echo(packet):
            self._sample = datagram
            return
        self.heard = True
        self._read_clocks(packet, now)
        if packet.option is not None:
            self._obey(packet)
        if self.moved is None:
            self._store(packet, now)

    def _is_echo(self, packet: Packet) -> bool:
        """Whether it is a packet of the request: a service that echoes its input (RFC 862) answers nothing."""
        number = packet.number or 0
        return 0 < number <= len(self._pieces) and packet.payload == self._pieces[number - 1]

    def take(self) -> bytes:
        """The new octets of the reply, in order; ``b""`` if there are none."""
        data = b"".join(self._ready)
        self._handed_out = self._handed_out or bool(self._ready)
        self._ready.clear()
        return data

    def _stranger(self) -> RemoteProtocolError:
        return RemoteProtocolError(
            f"{self._who} does not speak ARDP version 0, the packets of Prospero: {sample(self._sample[:40])}",
            sample=sample(self._sample),
        )

    def _read_clocks(self, packet: Packet, now: float) -> None:
        """Process the acknowledgement of a packet, and the time that the server asks the client to wait."""
        through = packet.received_through
        if through is not None and through <= len(self._pieces):
            if packet.option == RESET:
                self._peer_has = through
            elif through > self._peer_has:
                self._peer_has = through
                if through > self._peer_had and not self._waits:  # wait 0 ends a wait; so does the reply
                    self._go_on(now)
                self._peer_had = max(self._peer_had, through)
        if packet.wait:
            self._waits = True
            self._repeat_at = now + max(LONGEST_REPEAT, packet.wait)
            self._interval = FIRST_REPEAT
            self._give_up_at = min(now + packet.wait, self._wait_ends) + self._patience
        elif packet.wait == 0 and self._waits:
            self._waits = False
            self._repeat_at = now + FIRST_REPEAT
            self._interval = FIRST_REPEAT
            self._give_up_at = min(now, self._wait_ends) + self._patience

    def _go_on(self, now: float) -> None:
        """Restart the clocks after progress."""
        self._interval = FIRST_REPEAT
        self._repeat_at = now + FIRST_REPEAT
        self._give_up_at = now + self._patience
        self._waits = False
        self._wait_ends = now + LONGEST_WAIT

    def _obey(self, packet: Packet) -> None:
        if packet.option == REFUSED:
            raise ReplyError(f"{self._who} refuses the connection.", text="refused")
        if packet.option == BAD_VERSION:
            spoken = ", ".join(map(str, packet.rest)) or "none"
            raise RemoteProtocolError(f"{self._who} does not accept ARDP version 0; it speaks: {spoken}.")
        if packet.option in (REDIRECT, REDIRECT_REMEMBERED) and packet.endpoint is not None:
            if self._through or self._parts:
                raise RemoteProtocolError(f"{self._who} redirects in the middle of its reply.")
            self.moved = packet.endpoint
        if packet.queue is not None:
            self.queue = packet.queue

    def _store(self, packet: Packet, now: float) -> None:
        """Store a packet's piece of the reply if it is new, and release the pieces that are now in order."""
        number = 1 if packet.number is None else packet.number
        self._learn_total(packet, number)
        self.done = 0 < self._through == self._total  # all pieces may arrive before the server says how many there are
        if self.done:
            self._decide()
        if packet.flags is not None and packet.flags & PLEASE_ACKNOWLEDGE:
            self._owes = True
        if not self._through < number <= self._through + MAX_AHEAD or number in self._parts:
            return
        control = packet.flags is not None and packet.flags & SEQUENCED_CONTROL
        piece = b"" if control else packet.payload
        self._octets += len(piece)
        if self._octets > self._max_bytes:
            raise LimitError(
                f"{self._who} sends more than {self._max_bytes:,} octets in one reply: the limit allows no more.",
                limit="MAX_REPLY_BYTES",
            )
        self._parts[number] = piece
        if number == self._through + 1:
            if piece:
                self._go_on(now)
            while (piece_or_none := self._parts.pop(self._through + 1, None)) is not None:
                self._through += 1
                self._keep(piece_or_none)
            self.done = self._through == self._total
        if self.done:
            self._decide()

    def _keep(self, piece: bytes) -> None:
        """Release a piece without the NUL that servers of the releases 5.0 to 5.2 append to each one.

        The octets of a file may also end in NUL: a reply whose first piece does so is held back until its last piece,
        which ends with a line feed or a NUL.
        """
        if self._held is not None:
            self._held.append(piece)
        elif piece.endswith(b"\0") and not (self._ready or self._handed_out):
            self._held = [piece]
        else:
            self._ready.append(piece)

    def _decide(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            last = next(piece for piece in reversed(held) if piece)
            self._ready += [piece.removesuffix(b"\0") for piece in held] if last.endswith(b"\0") else held

    def _learn_total(self, packet: Packet, number: int) -> None:
        total = 1 if packet.number is None else packet.total or 0
        if total and (number or not self._total):
            if self._total not in (0, total):
                raise RemoteProtocolError(
                    f"{self._who} announces a reply of {total} packets, after one of {self._total}."
                )
            self._total = total
        highest = max(self._through, number, *self._parts) if self._parts else max(self._through, number)
        if self._total and highest > self._total:
            raise RemoteProtocolError(f"{self._who} sends packet {highest} of a reply of {self._total} packets.")
