"""The ask of a session, and what goes through it: whatever comes first, of the peer or of the caller (RFC 1738 3.8).

Rule: a dialogue never waits for the one while the other has something to say. What a person types and what a program
writes are two things: only the first is echoed and edited on this side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from anyurl.dialogue.ask import Ask
from anyurl.dialogue.values import RECEIVE_AT_MOST, Channel, Terminal
from anyurl.errors import LocalProtocolError
from anyurl.values import Value

CommandName = Literal["break", "interrupt", "abort", "are-you-there"]


class Keys(Value):
    """Keys that a person typed, as received from the terminal."""

    octets: bytes


class Command(Value):
    """A signal to the service, distinct from any octet of text (RFC 854, control functions).

    Raises:
        LocalProtocolError: There is no signal of that name.
    """

    name: CommandName

    def __post_init__(self) -> None:
        if self.name not in get_args(CommandName):
            named = ", ".join(map(repr, get_args(CommandName)))
            raise LocalProtocolError(f"{self.name!r} is not a signal for a service; the signals are: {named}.")


Input: TypeAlias = "bytes | Keys | Command | Terminal"
"""What a caller gives to a session: octets of a program, keys of a person, a signal, the terminal's new size."""


class Ready(Value):
    """What came first.

    Attributes:
        data: Octets of the peer, ``b""`` at its end; None when it was the caller who had something.
        inputs: What the caller gave, in order.
    """

    data: bytes | None
    inputs: Sequence[Input] = ()


class Wait(Ask[Ready]):
    """Wait for octets from the peer or input from the caller, whichever comes first.

    Silence is no fault where a session is attended (`anyurl.access.session.Session` has clocks of its own); else the
    policy's idle limit holds.

    Args:
        at_most: Octets.
    """

    __slots__ = ("channel", "at_most")

    def __init__(self, channel: Channel, at_most: int = RECEIVE_AT_MOST) -> None:
        self.channel: Channel = channel
        self.at_most: int = at_most
