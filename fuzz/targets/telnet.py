"""Telnet: cut anywhere, the same text and the same answers; answers are bounded; what is sent is never a command."""

from __future__ import annotations

from anyurl.schemes.telnet.wire.keys import Keyboard
from anyurl.schemes.telnet.wire.stream import MAX_NEGOTIATIONS, TelnetCodec
from fuzz import kit

LONGEST_ANSWER = 64
"""Octets: a refusal has 3, the terminal's name here 11 and its size 13."""


def fuzz(data: bytes) -> None:
    """The octets of a service; then the same, typed at it."""
    read = kit.whole_and_in_pieces(data, _read)
    if read is not None:
        text, replies = read
        lines = data.count(b"\n")  # each may get the carriage return that its service leaves out
        kit.same(len(text) <= len(data) + lines, True, "a text grows")
        kit.same(len(replies) <= MAX_NEGOTIATIONS * LONGEST_ANSWER, True, "answers without end")
    codec = TelnetCodec("xterm", 80, 24)
    kit.outcome(lambda: codec.receive(data[:64]))
    sent = codec.send(data)
    kit.same(sent.replace(b"\xff\xff", b"").count(b"\xff"), 0, "what is sent holds a command")
    keyboard = Keyboard(TelnetCodec())
    typed, _shown = keyboard.typed(data.replace(b"\x03", b"").replace(b"\x1c", b""))
    kit.same(typed.replace(b"\xff\xff", b"").count(b"\xff"), 0, "what is typed holds a command")


def _read(pieces: list[bytes]) -> tuple[bytes, bytes]:
    codec = TelnetCodec("xterm", 80, 24)
    text = b"".join(map(codec.receive, pieces))
    return text, codec.replies()
