"""The wait for a server that speaks first (RFC 959 5.4, RFC 3977 5.1, RFC 5321 3.1), which another kind never does.

Rule: who is asked in the wrong protocol waits for us as we wait for it. That is told soon, and with where it was.
"""

from __future__ import annotations

from anyurl.dialogue import Channel, Receive, Steps
from anyurl.errors import ConnectionLost, TransferTimeout, Truncated
from anyurl.url.host import bracketed

GREETING_SECONDS = 30.0
"""Seconds for the first octet of a greeting. A server that looks up our name before it speaks takes up to 30 for three
name servers that don't answer (resolv.conf(5): 5 seconds, 2 attempts each); one that is silent longer waits for us."""


def hear_greeting(channel: Channel, host: str, port: int, protocol: str, patience: float) -> Steps[bytes]:
    """The first octets of a server that speaks first.

    Args:
        protocol: What it should speak, as people call it.
        patience: Seconds that the caller lets any peer be silent.

    Raises:
        TransferTimeout: It said nothing.
        ConnectionLost: The connection broke.
    """
    seconds = min(GREETING_SECONDS, patience)
    try:
        return (yield from Receive(channel, within=seconds))
    except Truncated as error:
        raise ConnectionLost(f"the connection to {host} broke", stage="request") from error
    except TransferTimeout as error:
        silent = error
    if silent.clock != "idle":
        raise silent
    message = f"{bracketed(host)}:{port} sent nothing for {seconds:g} s. Does it speak {protocol} there?"
    raise TransferTimeout(message, stage="login")
