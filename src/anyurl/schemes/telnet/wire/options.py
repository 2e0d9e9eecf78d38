"""Telnet options, negotiated by the Q method (RFC 1143).

Rule: an option is off until both sides have agreed, and replies are never replied to: before RFC 1143, two programs
could reply to each other forever. Unsupported options are refused, once each.
"""

from __future__ import annotations

from typing import Final, Literal

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
"""Options of the service that are accepted: binary (RFC 856), echo (857), suppress go-ahead (858)."""

OURS = frozenset({BINARY, SUPPRESS_GO_AHEAD, TERMINAL_TYPE, WINDOW_SIZE})
"""Options of this side that are accepted: binary, suppress go-ahead, terminal type (RFC 1091), window size (1073).

Never the environment (RFC 1572): it tells a stranger about this machine, and has allowed logins without a password.
"""

_State = Literal["no", "yes", "want-no", "want-yes"]


class Side:
    """One option of one side: its state, and the pending request (RFC 1143 7).

    Attributes:
        agrees: Whether the option may be on at all.
        state: ``no`` and ``yes`` are agreed; ``want-no`` and ``want-yes`` await a reply.
        opposite: The opposite was requested while a reply was awaited (the queue bit).
    """

    __slots__ = ("agrees", "state", "opposite")

    def __init__(self, agrees: bool) -> None:
        self.agrees = agrees
        self.state: _State = "no"
        self.opposite = False

    def heard(self, on: bool) -> bool | None:
        """The peer wants the option on or off; returns the reply to send, or None."""
        return self._heard_on() if on else self._heard_off()

    def _heard_on(self) -> bool | None:
        if self.state == "no":
            if not self.agrees:
                return False
            self.state = "yes"
            return True
        if self.state == "want-no":  # a peer that replies "on" to "off" is in error
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
        """This side wants the option on or off; returns the request to send, or None for nothing (yet)."""
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
    """All options of both sides, and their negotiation.

    Args:
        theirs: The accepted options of the peer; by default those that a client accepts.
        ours: The accepted options of this side.
    """

    __slots__ = ("_allowed", "_theirs", "_ours", "_refused")

    def __init__(self, theirs: frozenset[int] = THEIRS, ours: frozenset[int] = OURS) -> None:
        self._allowed = (theirs, ours)
        self._theirs: dict[int, Side] = {}
        self._ours: dict[int, Side] = {}
        self._refused: set[tuple[int, int]] = set()

    def heard(self, verb: int, option: int) -> bytes:
        """The reply to WILL, WONT, DO or DONT; empty if none is due."""
        theirs = verb in (WILL, WONT)
        answer = self._side(theirs, option).heard(verb in (WILL, DO))
        if answer is None:
            return b""
        if not answer and verb in (WILL, DO) and option != TIMING_MARK:
            # A refusal is sent once: a peer that repeats the request is not a telnet service, or wants endless replies.
            # A timing mark is not an option but a request, and each one is answered (RFC 860).
            if (verb, option) in self._refused:
                return b""
            self._refused.add((verb, option))
        return _said(theirs, answer, option)

    def ask(self, theirs: bool, option: int, on: bool = True) -> bytes:
        """The request that turns an option on or off; empty if it was already sent."""
        answer = self._side(theirs, option).ask(on)
        return b"" if answer is None else _said(theirs, answer, option)

    def is_on(self, theirs: bool, option: int) -> bool:
        """Whether an option of the peer (`theirs`) or of this side is on."""
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
