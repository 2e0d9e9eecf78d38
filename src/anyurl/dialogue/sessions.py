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

CommandName = Literal["break", "interrupt", "abort", "are-you-there"]


class Keys:
    """What a person typed, as the terminal gave it."""

    __slots__ = ("octets",)

    def __init__(self, octets: bytes) -> None:
        self.octets: bytes = octets


class Command:
    """A signal for the service that no octet of a text can be mistaken for (RFC 854, control functions).

    Raises:
        LocalProtocolError: There is no signal of that name.
    """

    __slots__ = ("name",)

    def __init__(self, name: CommandName) -> None:
        if name not in get_args(CommandName):
            named = ", ".join(map(repr, get_args(CommandName)))
            raise LocalProtocolError(f"{name!r} is no signal that a service can be sent; these are: {named}")
        self.name: CommandName = name


Input: TypeAlias = "bytes | Keys | Command | Terminal"
"""What a caller gives to a session: octets of a program, keys of a person, a signal, the terminal's new size."""


class Ready:
    """What came first.

    Attributes:
        data: Octets of the peer, ``b""`` at its end; None when it was the caller who had something.
        inputs: What the caller gave, in order.
    """

    __slots__ = ("data", "inputs")

    def __init__(self, data: bytes | None, inputs: Sequence[Input] = ()) -> None:
        self.data: bytes | None = data
        self.inputs: Sequence[Input] = inputs


class Wait(Ask[Ready]):
    """Wait for octets of the peer or for something of the caller, whichever comes first.

    Silence is no fault where a session is attended (`anyurl.access.session.Session` has clocks of its own); else the
    policy's idle limit holds.

    Args:
        at_most: Octets.
    """

    __slots__ = ("channel", "at_most")

    def __init__(self, channel: Channel, at_most: int = RECEIVE_AT_MOST) -> None:
        self.channel: Channel = channel
        self.at_most: int = at_most
