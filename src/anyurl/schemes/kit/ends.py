"""Ends: whether content that ends with its connection is complete.

Rule: an end is proved (a length is reached, a mark has come, TLS says close_notify): the content is whole, and nothing
more is awaited. It is contradicted (fewer octets than announced, a missing mark, a reset): the error of the channel, or
`Truncated`. Or nothing proves it: the content counts, and a note says so; archives mark it, and its connection is not
kept (`Note.unproved`). Content that might be either is called neither broken nor whole.
"""

from __future__ import annotations

from anyurl.dialogue import Channel, Note, Receive, Steps
from anyurl.errors import ConnectionLost, TransferTimeout, Truncated

SURPLUS_SECONDS = 0.5
"""Seconds to wait after a mark that ends a reply unless something follows it: a server that sends both sends them
together. A server may leave it to the client to close, so the wait after a mark is never longer."""

UNMARKED = "the server closed the connection without TLS's end mark (close_notify): the content may be incomplete"


def behind_mark(channel: Channel, at_most: int) -> Steps[bytes]:
    """Octets that promptly follow a possible end mark; ``b""`` if none do.

    The end is proved by then, so how the connection ends does not matter any more.
    """
    try:
        more: bytes = yield Receive(channel, at_most, within=SURPLUS_SECONDS)
        return more
    except (ConnectionLost, Truncated):
        return b""
    except TransferTimeout as error:
        if error.clock != "idle":
            raise
        return b""


def tell_end(channel: Channel) -> Steps[None]:
    """Note that nothing proves the end of a channel; for protocols in which nothing else marks it."""
    if channel.unmarked:
        yield from Note(UNMARKED, unproved=True)
