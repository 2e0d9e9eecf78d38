"""Telnet options, negotiated by the Q method (RFC 1143).

Rule: an option is off until both sides have agreed, and an answer is never answered: before RFC 1143 two programs could
answer each other forever. Options that are not in `OPTIONS` are refused, once each.
"""

from __future__ import annotations

from anyurl._typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from typing import Final

WILL: Final = 251
WONT: Final = 252
DO: Final = 253
DONT: Final = 254

BINARY: Final = 0
ECHO: Final = 1
SUPPRESS_GO_AHEAD: Final = 3
TIMING_MARK: Final = 6
TERMINAL_TYPE: Final = 24
WINDOW_SIZE: Final = 31

THEIRS = frozenset({BINARY, ECHO, SUPPRESS_GO_AHEAD})
"""What the service may do: send octets unchanged (RFC 856), echo what is typed (857), leave out GA (858)."""

OURS = frozenset({BINARY, SUPPRESS_GO_AHEAD, TERMINAL_TYPE, WINDOW_SIZE})
"""What this side does: the first and third of those; name the terminal (RFC 1091) and its size (1073).

Never the environment (RFC 1572): it tells a stranger about this machine, and made logins without a password.
"""

_State = Literal["no", "yes", "want-no", "want-yes"]


class Side:
    """One option of one side: what it is, what was asked of it, and what was meanwhile wanted instead (RFC 1143 7).

    Attributes:
        agrees: Whether it may be on at all.
        state: ``no`` and ``yes`` are agreed; ``want-no`` and ``want-yes`` wait for an answer.
        opposite: The opposite was wanted while an answer was awaited (the queue bit).
    """

    __slots__ = ("agrees", "state", "opposite")

    def __init__(self, agrees: bool) -> None:
        self.agrees = agrees
        self.state: _State = "no"
        self.opposite = False

    def heard(self, on: bool) -> bool | None:
        """The peer says that the option is to be on or off; the answer to be given, or None for none."""
        return self._heard_on() if on else self._heard_off()

    def _heard_on(self) -> bool | None:
        if self.state == "no":
            if not self.agrees:
                return False
            self.state = "yes"
            return True
        if self.state == "want-no":  # "off" answered by "on" is an error of the peer's
            self.state = "yes" if self.opposite else "no"
        elif self.state == "want-yes":
            if self.opposite:
                self.state, self.opposite = "want-no", False
                return False
            self.state = "yes"
        self.opposite = False
        return None

    def _heard_off(self) -> bool | None:
        if self.state == "yes":
            self.state = "no"
            return False
        if self.state == "want-no" and self.opposite:
            self.state, self.opposite = "want-yes", False
            return True
        self.state, self.opposite = "no", False
        return None

    def ask(self, on: bool) -> bool | None:
        """This side wants the option on or off; what to say to the peer, or None for nothing (yet)."""
        if self.state in ("yes", "no"):
            if (self.state == "yes") is on:
                return None
            self.state = "want-yes" if on else "want-no"
            return on
        self.opposite = (self.state == "want-yes") is not on
        return None

    @property
    def is_on(self) -> bool:
        """Whether both sides have agreed that it is on."""
        return self.state == "yes"


class TelnetOptions:
    """All options of both sides, and what is to be said about them.

    Args:
        theirs: What the peer may do; a client's by default.
        ours: What this side does.
    """

    __slots__ = ("_allowed", "_theirs", "_ours", "_refused")

    def __init__(self, theirs: frozenset[int] = THEIRS, ours: frozenset[int] = OURS) -> None:
        self._allowed = (theirs, ours)
        self._theirs: dict[int, Side] = {}
        self._ours: dict[int, Side] = {}
        self._refused: set[tuple[int, int]] = set()

    def heard(self, verb: int, option: int) -> bytes:
        """The answer to WILL, WONT, DO or DONT; empty where none is due."""
        theirs = verb in (WILL, WONT)
        answer = self._side(theirs, option).heard(verb in (WILL, DO))
        if answer is None:
            return b""
        if not answer and verb in (WILL, DO) and option != TIMING_MARK:
            # A refusal is said once: whoever asks on is no telnet service, or wants to be answered for ever. A timing
            # mark is no option but a question, and each is answered (RFC 860).
            if (verb, option) in self._refused:
                return b""
            self._refused.add((verb, option))
        return _said(theirs, answer, option)

    def ask(self, theirs: bool, option: int, on: bool = True) -> bytes:
        """What to say so that an option is on or off; empty where that is said already."""
        answer = self._side(theirs, option).ask(on)
        return b"" if answer is None else _said(theirs, answer, option)

    def is_on(self, theirs: bool, option: int) -> bool:
        """Whether an option of theirs or ours is on."""
        side = (self._theirs if theirs else self._ours).get(option)
        return side is not None and side.is_on

    def _side(self, theirs: bool, option: int) -> Side:
        sides, allowed = (self._theirs, self._allowed[0]) if theirs else (self._ours, self._allowed[1])
        if option not in sides:
            sides[option] = Side(option in allowed)
        return sides[option]


def _said(theirs: bool, on: bool, option: int) -> bytes:
    verb = (DO if on else DONT) if theirs else (WILL if on else WONT)
    return bytes((255, verb, option))
