"""Ends: whether what came is the whole, for content that ends with its connection.

Rule: an end is proved (a length is reached, a mark has come, TLS says close_notify): the content is whole, and nobody
waits for more. It is contradicted (fewer octets than announced, a missing mark, a reset): the error of the channel, or
`Truncated`. Or nothing proves it: the content counts, and a note says so; archives mark it, and its connection is not
kept (`Note.unproved`). What nobody can know is not called broken, and not called whole.
"""

from __future__ import annotations

from anyurl.dialogue import Channel, Note, Receive, Steps
from anyurl.errors import ConnectionLost, TransferTimeout, Truncated

SURPLUS_SECONDS = 0.5
"""How long more is waited for behind a mark that ends a reply unless something follows it: a server that sends both
sends them together. A server may leave it to the client to close, so no mark is waited behind for longer."""

UNMARKED = "the server closed the connection without TLS's end mark (close_notify): what came may be incomplete"


def behind_mark(channel: Channel, at_most: int) -> Steps[bytes]:
    """What follows a mark that ends a reply unless something follows it; ``b""`` if nothing does, or not at once.

    The end is proved by then, so how the connection ends does not matter any more.
    """
    try:
        return (yield from Receive(channel, at_most, within=SURPLUS_SECONDS))
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
