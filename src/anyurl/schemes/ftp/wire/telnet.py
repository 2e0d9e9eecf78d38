"""Telnet commands on an FTP control connection: removed from the replies; every offer is refused once (RFC 959 2.3).

Rule: a client must refuse each option that a server negotiates (RFC 1123 4.1.2.12). 0xFF that does not begin a command
is an octet of the text: servers send names without doubling it, despite RFC 854.
"""

from __future__ import annotations

from anyurl.errors import LimitError

MAX_NEGOTIATIONS = 256
"""Commands per connection: there are 256 options, and none is accepted."""

IAC, _DONT, _DO, _WONT, _WILL = 255, 254, 253, 252, 251
_REFUSALS = {_DO: _WONT, _WILL: _DONT}
_NO_COMMANDS = range(240)


class Negotiation:
    """Octets in, the text of replies out; the refusals to send are in `answers`.

    Attributes:
        answers: Octets that the session must send before anything else, and then clear.
    """

    __slots__ = ("answers", "_held", "_count", "_refused")

    def __init__(self) -> None:
        self.answers = b""
        self._held = b""
        self._count = 0
        self._refused: set[tuple[int, int]] = set()

    @property
    def pending(self) -> bool:
        """Whether an incomplete command is held back."""
        return bool(self._held)

    def feed(self, data: bytes) -> bytes:
        """The text in these octets; the possible beginning of a command is held back, two octets at most.

        Raises:
            LimitError: More is negotiated than there are options.
        """
        if self._held:
            data, self._held = self._held + data, b""
        if IAC not in data:
            return data
        text = bytearray()
        at = 0
        while (found := data.find(IAC, at)) >= 0:
            text += data[at:found]
            at = self._command(data, found, text)
            if at < 0:
                self._held = data[found:]
                return bytes(text)
        return bytes(text + data[at:])

    def _command(self, data: bytes, at: int, text: bytearray) -> int:
        """The position after the command at `at`; -1 if the command is incomplete."""
        if at + 1 >= len(data):
            return -1
        verb = data[at + 1]
        if verb == IAC or verb in _NO_COMMANDS:
            text.append(IAC)
            return at + 2 if verb == IAC else at + 1
        if verb < _WILL:
            self._count_command()
            return at + 2
        if at + 2 >= len(data):
            return -1
        self._negotiate(verb, data[at + 2])
        return at + 3

    def _negotiate(self, verb: int, option: int) -> None:
        self._count_command()
        if verb in _REFUSALS and (verb, option) not in self._refused:
            self._refused.add((verb, option))
            self.answers += bytes((IAC, _REFUSALS[verb], option))

    def _count_command(self) -> None:
        self._count += 1
        if self._count > MAX_NEGOTIATIONS:
            # Attack: endless offers would get endless answers; commands without an answer count, too.
            raise LimitError(
                f"The server sent more than {MAX_NEGOTIATIONS} telnet commands: the limit allows no more.",
                limit="MAX_NEGOTIATIONS",
            )
