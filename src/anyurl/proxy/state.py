"""The state shared by all connections of a proxy, and the interface of a client connection for its request.

Rule: the state belongs to the event loop, so it needs no locks.
"""

from __future__ import annotations

from collections import Counter
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Protocol

from anyurl.net.wire.open_connection import AsyncDialler
from anyurl.proxy.sockets import StreamSocket

if TYPE_CHECKING:
    from anyurl.errors import RefusedError
    from anyurl.guard import Policy
    from anyurl.proxy.journal import Journal
    from anyurl.proxy.roles import Roles
    from anyurl.url import URL


class ProxyState:
    """The state shared by all connections.

    Attributes:
        roles: The roles for new connections.
        journal: Gets the log and the figures.
        name: The name of the proxy in Via, by which it recognizes a request that comes back.
        open: The number of open connections of each role.
        ports: The ports of the proxy's own listeners.
        stopping: No connection is kept for another request.
    """

    def __init__(self, roles: Roles, journal: Journal) -> None:
        self.roles = roles
        self.journal = journal
        self.name = f"anyurl-{token_hex(4)}"
        self.open: Counter[str] = Counter()
        self.ports: set[int] = set()
        self.stopping = False
        self._diallers: dict[int, tuple[Policy, AsyncDialler]] = {}

    def take(self, roles: Roles) -> None:
        """Use other roles from now on; existing connections keep their permissions."""
        self.roles = roles
        self.close()

    async def dial(self, host: str, port: int, scheme: str, policy: Policy) -> StreamSocket:
        """A connection that the policy allows. Raises AnyURLError."""
        # By identity: a role's policy is one object, while a policy derived for one request is used only once.
        known = self._diallers.get(id(policy))
        if known is not None:
            return StreamSocket(await known[1].dial(host, port, scheme=scheme))
        dialler = AsyncDialler(policy)
        if any(policy is one for role in self.roles.roles for one in (role.policy, role.tunnels)):
            self._diallers[id(policy)] = policy, dialler
            return StreamSocket(await dialler.dial(host, port, scheme=scheme))
        try:
            return StreamSocket(await dialler.dial(host, port, scheme=scheme))
        finally:
            dialler.retire()

    def close(self) -> None:
        """Drop all diallers; existing connections are finished."""
        for _, dialler in self._diallers.values():
            dialler.retire()
        self._diallers.clear()

    def is_own(self, there: tuple[Any, ...], here: tuple[Any, ...]) -> bool:
        """Whether a connection between these addresses leads to a listener of this proxy."""
        return there[1] in self.ports and (there[0] == here[0] or there[0].startswith("127.") or there[0] == "::1")


class Asker(Protocol):
    """The connection of a client, as seen by the code that answers its request."""

    @property
    def policy(self) -> Policy:
        """The policy for the client."""
        ...

    @property
    def client(self) -> StreamSocket:
        """The client's connection."""
        ...

    @property
    def via(self) -> bytes:
        """The name of this proxy in Via (RFC 9110 7.6.3)."""
        ...

    def begin_answer(self) -> None:
        """Note that the response has been started: a problem can't be sent any more."""
        ...

    def may_keep(self) -> bool:
        """Whether the client's connection may carry another request."""
        ...

    def is_reported(self, error: RefusedError) -> bool:
        """Whether a refusal is only logged, and the request is served nevertheless."""
        ...

    async def reach(self, host: str, port: int, scheme: str, policy: Policy, url: URL) -> StreamSocket:
        """A connection that the policy allows. Raises AnyURLError."""
        ...
