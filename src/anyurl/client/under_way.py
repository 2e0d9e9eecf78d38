"""UnderWay: the content received so far by a running transfer, for progress displays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from anyurl.url import URL
from anyurl.values import Value

if TYPE_CHECKING:
    from anyurl.client.client import Client
    from anyurl.net.loop.loop import Timer


class UnderWay(Value):
    """One transfer.

    Attributes:
        number: Distinguishes it from the others under way.
        url: Its URL.
        octets: Octets of the content that have come.
        size: The octets of all of it, or None.
    """

    number: int
    url: URL
    octets: int
    size: int | None


def under_way(client: Client) -> list[UnderWay]:
    """The transfers of a client that have begun and are not over."""
    found = []
    for scheduler in list(client._schedulers):
        for stream in scheduler.streams():
            described, octets = stream.described, stream.emitted
            if octets or described is not None:
                size = None if described is None else described.size
                found.append(UnderWay(id(stream), stream.parties.url, octets, size))
    return found


def every(client: Client, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
    """Call something regularly while the client transfers in this thread; returns a function that ends that."""
    loop = client._scheduler().loop
    timers: list[Timer] = []

    def again() -> None:
        timers[:] = [loop.after(seconds, again)]
        loop.call_out(call)

    timers.append(loop.after(seconds, again))

    def stop() -> None:
        for timer in timers:
            timer.cancel()

    return stop
