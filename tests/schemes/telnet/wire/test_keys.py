"""What is typed: characters at a time, or lines that are edited here."""

from __future__ import annotations

import pytest

from anyurl.schemes.telnet.wire.keys import MAX_LINE_OCTETS, Keyboard
from anyurl.schemes.telnet.wire.stream import TelnetCodec
from tests.rows import each_row

WILL_ECHO, WONT_ECHO, WILL_SGA = b"\xff\xfb\x01", b"\xff\xfc\x01", b"\xff\xfb\x03"


def keyboard(said: bytes = b"") -> Keyboard:
    """A keyboard at a service that has said this."""
    codec = TelnetCodec()
    codec.receive(said)
    return Keyboard(codec)


@each_row(
    ("keys", "sent", "shown"),
    [
        (b"ls", b"", b"ls"),
        (b"ls\r", b"ls\r\n", b"ls\r\n"),
        (b"ls\n", b"ls\r\n", b"ls\r\n"),
        (b"lz\x7fs\r", b"ls\r\n", b"lz\b \bs\r\n"),
        (b"lz\x08s\r", b"ls\r\n", b"lz\b \bs\r\n"),
        (b"\x7f\x7fx\r", b"x\r\n", b"x\r\n"),  # nothing to erase, nothing erased: the prompt stays
        (b"abc\x15x\r", b"x\r\n", b"abc" + b"\b \b" * 3 + b"x\r\n"),
        ("ü\x7fu\r".encode(), b"u\r\n", "ü\b \bu\r\n".encode()),  # one character, two octets, one column
        (b"\x1b\x7f\r", b"\r\n", b"^[\b \b\b \b\r\n"),  # ESC is shown as ^[: two columns
        (b"a\x12", b"", b"a\r\na"),
        (b"ab\x03", b"\xff\xf4", b"ab^C\r\n"),  # the line is gone, and the service is interrupted
        (b"ab\x1c", b"\xff\xee", b"ab^\\\r\n"),
        (b"\xff\xf4\r", b"\xff\xff\xf4\r\n", b"\xff\xf4\r\n"),
    ],
)
def test_lines_are_edited_where_the_service_does_not(keys: bytes, sent: bytes, shown: bytes) -> None:
    assert keyboard().typed(keys) == (sent, shown)
    one_by_one = keyboard()
    pairs = [one_by_one.typed(bytes((key,))) for key in keys]
    assert (b"".join(pair[0] for pair in pairs), b"".join(pair[1] for pair in pairs)) == (sent, shown)


@pytest.mark.parametrize(
    ("said", "keys", "sent", "shown"),
    [
        (WILL_ECHO, b"ls\x7f\x03\r", b"ls\x7f\x03\r\n", b""),
        (WILL_ECHO + WILL_SGA, b"\x1b[A", b"\x1b[A", b""),
        (WILL_SGA, b"a\x01\r", b"a\x01\r\n", b"a^A\r\n"),
        (WILL_ECHO + b"\xff\xfd\x00", b"a\r", b"a\r", b""),  # octets are sent unchanged
    ],
)
def test_every_key_is_its_own_where_the_service_edits(said: bytes, keys: bytes, sent: bytes, shown: bytes) -> None:
    assert keyboard(said).typed(keys) == (sent, shown)


def test_a_password_is_hidden_while_the_service_hides_it() -> None:
    codec = TelnetCodec()
    typed = Keyboard(codec).typed
    assert typed(b"joe\r") == (b"joe\r\n", b"joe\r\n")
    codec.receive(WILL_ECHO)
    assert typed(b"secret\r") == (b"secret\r\n", b"")
    codec.receive(WONT_ECHO)
    assert typed(b"ls\r") == (b"ls\r\n", b"ls\r\n")


def test_half_a_line_goes_along_when_the_service_begins_to_echo() -> None:
    codec = TelnetCodec()
    typed = Keyboard(codec).typed
    assert typed(b"jo") == (b"", b"jo")
    codec.receive(WILL_ECHO)
    assert typed(b"e") == (b"joe", b"")


def test_a_line_has_a_limit() -> None:
    one = keyboard()
    one.typed(b"x" * MAX_LINE_OCTETS)
    assert one.typed(b"yz") == (b"", b"\a\a")
    assert one.typed(b"\r") == (b"x" * MAX_LINE_OCTETS + b"\r\n", b"\r\n")
