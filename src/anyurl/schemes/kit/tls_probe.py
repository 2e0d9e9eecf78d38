"""Finding out whether a silent server waits for a TLS handshake.

Rule: the probe uses its own connection, so that a server that is only slow can still greet on the first one.
"""

from __future__ import annotations

from anyurl.dialogue import Channel, Close, Connect, Receive, Send, Steps
from anyurl.errors import AccessError, PolicyError

PROBE_SECONDS = 3.0
"""Seconds of silence before the question: nearly all servers greet sooner."""

ANSWER_SECONDS = 2.0
"""Seconds for the alert: it takes no longer than a round trip."""

_HALF_HELLO = b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"
"""A malformed ClientHello: only a TLS server answers it with an alert (RFC 8446 6)."""

TLS_RECORDS = (b"\x15\x03", b"\x16\x03")
"""The first octets of alerts and handshakes in every version of TLS (RFC 8446 5.1); no reply begins with them."""


def speaks_tls(host: str, port: int) -> Steps[bool]:
    """Whether the server answers half a handshake as TLS servers do."""
    said = b""
    try:
        beside: Channel = yield Connect(host, port, fresh=True)
        yield from Send(beside, _HALF_HELLO)
        said = yield from Receive(beside, within=ANSWER_SECONDS)
        yield from Close(beside)
    except (AccessError, PolicyError):  # then nothing is known; the channel is closed with the dialogue
        pass
    return said[:2] in TLS_RECORDS
