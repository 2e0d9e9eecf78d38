"""Tunnels: connections through a proxy, made outside of libcurl for the requests that need one.

Rule: libcurl gets an open connection, and never talks to a proxy itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from anyurl.errors import AnyURLError
from anyurl.values import CONFIGURATION

if TYPE_CHECKING:
    from anyurl.net.http.request import Transfer
    from anyurl.net.loop.scheduler import Scheduler
    from anyurl.net.wire.attempt import ConnectAttempt
    from anyurl.net.wire.channel import Connection
    from anyurl.net.wire.proxies.table import Proxy


class Tunnels:
    """The pending tunnels of one engine.

    Args:
        dug: Called with a transfer and its connection, or an error.
    """

    def __init__(self, scheduler: Scheduler, dug: Callable[[Transfer, Connection | AnyURLError], None]) -> None:
        self._scheduler = scheduler
        self._dug = dug
        self._attempts: dict[Transfer, ConnectAttempt] = {}

    def dig(self, transfer: Transfer) -> None:
        """Make the connection that libcurl needs; the request is then added again."""
        from anyurl.net.wire.attempt import ConnectAttempt
        from anyurl.net.wire.peers import interleave

        scheme, host, port, addresses, proxy = transfer.route
        assert proxy is not None
        transfer.wants_tunnel = False
        attempt = self._attempts[transfer] = ConnectAttempt(
            self._scheduler.connector, (host, port), scheme=scheme, transport="tcp", tls=None, came_from=CONFIGURATION,
            then=partial(self._end, transfer),
        )  # fmt: skip
        places = [(address, port) for address in interleave(addresses)] or [(host, port)]
        self._scheduler.loop.soon(self._start, transfer, attempt, proxy, places)

    def _start(self, transfer: Transfer, attempt: ConnectAttempt, proxy: Proxy, places: list[tuple[str, int]]) -> None:
        if self._attempts.get(transfer) is not attempt:  # the dialogue has ended meanwhile
            return
        try:
            attempt.start_through(proxy, places)
        except AnyURLError as error:
            attempt.close()
            self._end(transfer, error)

    def _end(self, transfer: Transfer, result: Connection | AnyURLError) -> None:
        if self._attempts.pop(transfer, None) is not None:
            self._dug(transfer, result)
        elif not isinstance(result, AnyURLError):
            result.close()

    def give_up(self, transfer: Transfer) -> bool:
        """Cancel the tunnel of a transfer; whether there was one pending."""
        attempt = self._attempts.pop(transfer, None)
        if attempt is None:
            return False
        attempt.close()
        return True

    def wanted_by(self) -> list[Transfer]:
        """The transfers with pending tunnels."""
        return list(self._attempts)
