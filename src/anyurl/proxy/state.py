"""What all connections of one proxy share, and what a request needs of the connection that it came on.

Rule: the state is the event loop's own: nothing waits for a lock.
"""

from __future__ import annotations

from collections import Counter
from secrets import token_hex
from typing import TYPE_CHECKING, Protocol

from anyurl.net.connect import AsyncDialler
from anyurl.proxy.sockets import Stream

if TYPE_CHECKING:
    from anyurl.errors import RefusedError
    from anyurl.guard import Policy
    from anyurl.proxy.journal import Journal
    from anyurl.proxy.roles import Roles
    from anyurl.url import URL


class ProxyState:
    """What all connections share.

    Attributes:
        roles: Who may do what, of connections that begin now.
        journal: Takes the log and the figures.
        name: What the proxy calls itself in Via, so that a request that comes back is known.
        open: Connections of each role.
        ports: Those of the proxy's own listeners.
    """

    def __init__(self, roles: Roles, journal: Journal) -> None:
        self.roles = roles
        self.journal = journal
        self.name = f"anyurl-{token_hex(4)}"
        self.open: Counter[str] = Counter()
        self.ports: set[int] = set()
        self._diallers: dict[int, tuple[Policy, AsyncDialler]] = {}

    def take(self, roles: Roles) -> None:
        """Judge by other roles from now on; what is under way goes on as it was allowed."""
        self.roles = roles
        self.close()

    async def dial(self, host: str, port: int, scheme: str, policy: Policy) -> Stream:
        """A connection that the policy allows. Raises AnyURLError."""
        # By identity, for a role's policy is one object; what was made of it for one request serves that alone.
        known = self._diallers.get(id(policy))
        if known is not None:
            return Stream(await known[1].dial(host, port, scheme=scheme))
        dialler = AsyncDialler(policy)
        if any(policy is one for role in self.roles.roles for one in (role.policy, role.tunnels)):
            self._diallers[id(policy)] = policy, dialler
            return Stream(await dialler.dial(host, port, scheme=scheme))
        try:
            return Stream(await dialler.dial(host, port, scheme=scheme))
        finally:
            dialler.retire()

    def close(self) -> None:
        """Keep no way to connect; what is under way is finished."""
        for _, dialler in self._diallers.values():
            dialler.retire()
        self._diallers.clear()

    def is_own(self, stream: Stream) -> bool:
        """Whether a connection leads to a listener of this proxy. Raises OSError."""
        there, here = stream.ends
        return there[1] in self.ports and (there[0] == here[0] or there[0].startswith("127.") or there[0] == "::1")


class Asker(Protocol):
    """The connection of a client, as those see it who answer its request."""

    @property
    def policy(self) -> Policy:
        """What the client is judged by."""
        ...

    @property
    def client(self) -> Stream:
        """The client's connection."""
        ...

    @property
    def via(self) -> bytes:
        """What this proxy calls itself (RFC 9110 7.6.3)."""
        ...

    def begin_answer(self) -> None:
        """Say that something has been answered: a problem can't be told any more."""
        ...

    def is_reported(self, error: RefusedError) -> bool:
        """Whether a refusal is only told: then what was refused is done."""
        ...

    async def reach(self, host: str, port: int, scheme: str, policy: Policy, url: URL) -> Stream:
        """A connection that the policy allows. Raises AnyURLError."""
        ...
