"""Pool: idle connections that a finished dialogue kept for the next one of the same session.

Rule: a connection is reused only for the same endpoint, proxy, TLS, session and login, by the scheduler (and so the
policy) that made it, and only if its peer has sent nothing meanwhile: unsolicited octets would be taken for the reply
to the next request.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from time import monotonic

from anyurl.dialogue import Secret
from anyurl.errors import AnyURLError
from anyurl.net.wire.channel import Connection
from anyurl.net.wire.proxies.table import Proxy
from anyurl.net.wire.tls import TLSTerms

MAX_IDLE = 32
"""Most connections kept at once: curl keeps 4 times the handles in use; servers count idle ones against a client."""

IDLE_SECONDS = 60.0
"""How long one is kept: NAT tables and FTP servers drop idle connections after one to five minutes."""

Key = tuple[object, ...]


class Pool:
    """The kept connections of one scheduler."""

    def __init__(self) -> None:
        self._connections: OrderedDict[int, tuple[Connection, Key, float]] = OrderedDict()
        self._salt = os.urandom(16)

    def key(
        self,
        host: str,
        port: int,
        tls: TLSTerms | None,
        session: str,
        secret: Secret | None,
        kept: bool,
        proxy: Proxy | None,
    ) -> Key:
        """The key that interchangeable connections share; it contains only a salted digest of the password.

        Args:
            kept: Whether the user's stored passwords may be sent on it. Attack: a stranger's link would use a
                connection on which the user is logged in.
            proxy: The proxy of the connection, if any.
        """
        through = None if proxy is None else proxy.key
        return host, port, tls, session, kept, None if secret is None else self._digest(secret), through

    def _digest(self, secret: Secret) -> bytes:
        from hashlib import blake2b

        return blake2b(secret.reveal().encode("utf-8", "surrogatepass"), key=self._salt, digest_size=16).digest()

    def put(self, connection: Connection, key: Key) -> None:
        """Keep a connection; if the pool is full, the one idle longest is closed."""
        self._expire()
        self._connections[id(connection)] = (connection, key, monotonic() + IDLE_SECONDS)
        if len(self._connections) > MAX_IDLE:
            _, (oldest, _, _) = self._connections.popitem(last=False)
            _end(oldest)

    def take(self, key: Key) -> Connection | None:
        """The most recently kept connection with this key whose peer has stayed quiet."""
        self._expire()
        for identity, (connection, its_key, _until) in reversed(self._connections.items()):
            if its_key == key:
                del self._connections[identity]
                if connection.is_quiet():
                    return connection
                connection.close()
                return self.take(key)
        return None

    def _expire(self) -> None:
        now = monotonic()
        while self._connections:
            identity, (connection, _, until) = next(iter(self._connections.items()))
            if until > now:
                return
            del self._connections[identity]
            _end(connection)

    def make_way(self, host: str, key: Key) -> bool:
        """Close the connections of other sessions to a host, which count towards its limit; whether there were any."""
        others = [each for each in self._connections.values() if each[1][0] == host and each[1] != key]
        for connection, _, _ in others:
            del self._connections[id(connection)]
            _end(connection)
        return bool(others)

    def close(self) -> None:
        """Close them all."""
        for connection, _, _ in self._connections.values():
            _end(connection)
        self._connections.clear()


def _end(connection: Connection) -> None:
    """Close it, after the goodbye of its protocol if the peer is still there: a courtesy that is never waited for."""
    if connection.goodbye and connection.is_quiet():
        try:
            connection.send(connection.goodbye)
        except AnyURLError:  # the peer has closed meanwhile
            pass
    connection.close()
