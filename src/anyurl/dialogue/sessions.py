"""The ask of interactive sessions, which waits for the peer and the caller at once, and its values (RFC 1738 3.8).

Rule: a dialogue never waits for one side while the other has sent something. Keys that a person types and octets that a
program writes are different types: only the former are echoed and edited locally.
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
    """Keys that a person typed, as received from the terminal.

    Attributes:
        octets: As the terminal sends them.
    """

    octets: bytes


class Command(Value):
    """A signal to the service, distinct from any octet of text (RFC 854, control functions).

    Raises:
        LocalProtocolError: There is no signal with that name.

    Attributes:
        name: ``break``, ``interrupt``, ``abort`` or ``are-you-there``.
    """

    name: CommandName

    def __post_init__(self) -> None:
        if self.name not in get_args(CommandName):
            named = ", ".join(map(repr, get_args(CommandName)))
            raise LocalProtocolError(f"{self.name!r} is not a signal for a service; the signals are: {named}.")


Input: TypeAlias = bytes | Keys | Command | Terminal
"""A caller's input to a session: octets from a program, keys from a person, a signal, or a new terminal size."""


class Ready(Value):
    """The answer to `Wait`.

    Attributes:
        data: Octets from the peer, ``b""`` at the end; None if the caller's input came first.
        inputs: The caller's input, in order.
    """

    data: bytes | None
    inputs: Sequence[Input] = ()


class Wait(Ask[Ready]):
    """Wait for octets from the peer or input from the caller, whichever comes first.

    Silence is not an error in an attended session (`anyurl.client.session.Session` has its own clocks); otherwise the
    policy's idle limit applies.

    Args:
        channel: The connection.
        at_most: Octets.
    """

    channel: Channel
    at_most: int = RECEIVE_AT_MOST
