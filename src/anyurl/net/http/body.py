"""Body: the unread part of a response body; content codings are decoded as it is read.

Rule: it holds some 192 KiB; then libcurl is paused. A coding that cannot be decoded is an error only when the body is
read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from anyurl.dialogue.values import Channel
from anyurl.errors import AnyURLError, LocalProtocolError

if TYPE_CHECKING:
    from anyurl.guard.limits import Limits
    from anyurl.net.http.coding import ContentDecoder

SMALL_OCTETS = 4096
"""Pieces that are smaller on average are joined: each costs the layers above more than its copy does. Attack: a server
sends single octets as chunks."""


class Body(Channel):
    """The body of a response, as far as it has arrived.

    Args:
        go_on: Makes libcurl, which pauses while enough is unread, continue.
        give_up: Aborts the transfer.

    Attributes:
        waiter: Called (by the loop, never by libcurl) when more has arrived, or the end.
        codings: The content codings to decode, as the server named them.
        tap: Called with the octets before decoding, or None.
    """

    __slots__ = (
        "go_on", "give_up", "chunks", "buffered", "received", "finished", "error", "codings", "waiter", "paused",
        "limits", "tap", "_decoder",
    )  # fmt: skip

    def __init__(self, go_on: Callable[[], None], give_up: Callable[[], None], limits: Limits) -> None:
        self.peer = self.kept = self.size = self.modified = None
        self.unmarked = False
        self.go_on = go_on
        self.give_up: Callable[[], None] | None = give_up
        self.limits = limits
        self.chunks: list[bytes] = []
        self.buffered: int = 0
        self.received: int = 0
        self.finished: bool = False
        self.error: AnyURLError | None = None
        self.codings: list[str] = []
        self.tap: Callable[[bytes], object] | None = None
        self._decoder: ContentDecoder | None = None
        self.waiter: Callable[[], None] | None = None
        self.paused: bool = False

    @property
    def moved(self) -> int:
        """Octets that have arrived."""
        return self.received

    def receive(self, at_most: int) -> bytes | None:
        """The next (decoded) octets, ``b""`` at the end, None if nothing has arrived yet.

        Raises:
            AnyURLError: The error of the transfer.
        """
        if self.codings:
            return self._next_decoded(self._decoder or self._new_decoder(), at_most)
        chunk = self._next_chunk()
        if chunk is not None:
            if len(chunk) > at_most:
                self._put_back(chunk[at_most:])
                return chunk[:at_most]
            return chunk
        return self._at_end()

    def take_pieces(self, at_most: int) -> list[bytes] | None:
        """Large pieces received so far, unjoined, of at most so many octets; None, taking nothing, if they are better
        joined."""
        chunks = self.chunks
        if self.codings or len(chunks) < 2 or self.buffered < SMALL_OCTETS * len(chunks):
            return None
        count = size = 0
        while count < len(chunks) and size + len(chunks[count]) <= at_most:
            size += len(chunks[count])
            count += 1
        if not count:
            return None
        self.chunks = chunks[count:]
        self.buffered -= size
        return chunks[:count]

    def take_whole(self) -> bytes | None:
        """The whole body, if it has arrived completely in one piece and without a coding; else None, taking nothing."""
        if not self.is_here():
            return None
        self.buffered = 0
        return self.chunks.pop()

    def is_here(self) -> bool:
        """Whether `take_whole` would return it."""
        return self.finished and self.error is None and not self.codings and len(self.chunks) == 1

    def _new_decoder(self) -> ContentDecoder:
        # Made lazily: an error or a redirect must work even if its body has a coding that cannot be decoded.
        from anyurl.net.http.coding import ContentDecoder

        ratio, free = self.limits.decoded_ratio, self.limits.decoded_free
        self._decoder = ContentDecoder(self.codings, max_ratio=ratio, free=free)
        return self._decoder

    def _next_decoded(self, decoder: ContentDecoder, at_most: int) -> bytes | None:
        while True:
            if decoder.has_rest:
                piece = decoder.decode(b"", at_most)
            else:
                chunk = self._next_chunk()
                if chunk is None:
                    end = self._at_end()
                    if end is not None:
                        decoder.finish()
                    return end
                if self.tap is not None:
                    self.tap(chunk)
                piece = decoder.decode(chunk, at_most)
            if piece:
                return piece

    def _next_chunk(self) -> bytes | None:
        if not self.chunks and self.paused and self.give_up is not None:
            # libcurl calls the write callback before `pause` returns: check again.
            self.go_on()
        if not self.chunks:
            return None
        chunk = self.chunks.pop() if len(self.chunks) == 1 else b"".join(self.chunks)
        self.chunks.clear()
        self.buffered = 0
        return chunk

    def _put_back(self, chunk: bytes) -> None:
        self.chunks.insert(0, chunk)
        self.buffered += len(chunk)
        self.buffered = len(chunk)

    def _at_end(self) -> bytes | None:
        if not self.finished:
            if self.give_up is None:
                raise LocalProtocolError("This body was closed before its end.")
            return None
        if self.error is not None:
            raise self.error
        return b""

    def close(self) -> None:
        """Don't read the rest."""
        give_up, self.give_up = self.give_up, None
        self.waiter = None
        self.chunks.clear()
        if give_up is not None:
            give_up()

    def end(self, error: AnyURLError | None) -> None:
        """The transfer has ended; nothing more will arrive."""
        self.finished = True
        self.error = error
        self.give_up = None
