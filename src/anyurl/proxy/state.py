"""What all connections of one proxy share, and what a request needs of the connection that it came on.

Rule: the state is the event loop's own: nothing waits for a lock.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from secrets import token_hex
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from anyurl.errors import RefusedError
    from anyurl.guard import Policy
    from anyurl.proxy.journal import Journal
    from anyurl.proxy.roles import Roles

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
"""A connection."""


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

    def is_own(self, writer: asyncio.StreamWriter) -> bool:
        """Whether a connection leads to a listener of this proxy."""
        there, here = writer.get_extra_info("peername"), writer.get_extra_info("sockname")
        return there[1] in self.ports and (there[0] == here[0] or there[0].startswith("127.") or there[0] == "::1")


class Asker(Protocol):
    """The connection of a client, as those see it who answer its request."""

    @property
    def policy(self) -> Policy:
        """What the client is judged by."""
        ...

    @property
    def streams(self) -> Streams:
        """The client's."""
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

    async def reach(self, host: str, port: int, scheme: str, policy: Policy, url: str) -> Streams:
        """A connection that the policy allows. Raises AnyURLError."""
        ...
