"""Ends: whether what came is the whole, for content that ends with its connection.

Rule: an end is proved (a length is reached, a mark has come, TLS says close_notify): the content is whole, and nobody
waits for more. It is contradicted (fewer octets than announced, a missing mark, a reset): the error of the channel, or
`Truncated`. Or nothing proves it: the content counts, and a note says so; archives mark it, and its connection is not
kept (`Note.unproved`). What nobody can know is not called broken, and not called whole.
"""

from __future__ import annotations

from anyurl.dialogue import Channel, Note, Steps

UNMARKED = "the server closed the connection without TLS's end mark (close_notify): what came may be incomplete"


def tell_end(channel: Channel) -> Steps[None]:
    """Note that nothing proves the end of a channel; for protocols in which nothing else marks it."""
    if channel.unmarked:
        yield from Note(UNMARKED, unproved=True)
