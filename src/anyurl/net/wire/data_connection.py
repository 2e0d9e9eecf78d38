"""Data connections: a second connection to the peer of a control connection (RFC 959 3.2).

Rule: it goes to the exact address of the first, which was judged, through the same proxy; the address that answered is
compared here as well.
"""

from __future__ import annotations

from collections.abc import Callable

from anyurl.errors import AnyURLError
from anyurl.errors.log import LOADED, record
from anyurl.files.closing import close_all
from anyurl.net.wire.attempt import ConnectAttempt, answered_by_another
from anyurl.net.wire.channel import Connection
from anyurl.net.wire.connector import Connector
from anyurl.values import Provenance


def connect_data(
    connector: Connector,
    control: Connection,
    port: int,
    scheme: str,
    came_from: Provenance,
    then: Callable[[ConnectAttempt, Connection | AnyURLError], None],
    within: float | None = None,
) -> Connection | ConnectAttempt:
    """The connection if it succeeds at once, as it does on this machine; else an attempt, which calls `then`.

    Raises:
        RefusedError: Another address has answered.
    """
    assert control.peer is not None
    place = control.peer[0], port
    network = connector.network
    begun = None
    if control.proxy is None:
        try:
            begun, actual = network.begin(place)
        except OSError:  # the attempt reports the error
            pass
        else:
            if actual is not None:
                if not network.is_asked(actual, place):
                    close_all(begun)
                    raise answered_by_another(place[0])
                if "logging" in LOADED:
                    record("net", "Connected to %s port %d at %s.", *place, place[0])
                return Connection(begun, place, place)
    attempt = ConnectAttempt(
        connector, place, scheme=scheme, transport="tcp", tls=None, came_from=came_from,
        within=within, then=lambda result: then(attempt, result),
    )  # fmt: skip
    if begun is None:
        attempt.start_beside(control)
    else:
        attempt.go_on(begun)
    return attempt
