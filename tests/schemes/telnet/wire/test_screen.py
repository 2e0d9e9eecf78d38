"""What of a service's octets may reach a terminal (ECMA-48, xterm's control sequences)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.schemes.telnet.wire.screen import (
    LEAVE_OTHER_SCREEN,
    MAX_SEQUENCE_CHARACTERS,
    MAX_STRING_CHARACTERS,
    RESET,
    RESET_REGION,
    Screen,
)
from tests.rows import each_row

HARMLESS = re.compile(
    r"(?:[^\x00-\x1f\x7f-\x9f\ud800-\udfff]|[\a\b\t\n\v\f\r\x0e\x0f]"
    r"|\x1b(?:\[(?:[0-9;:]*[mA-IZadefJKLMPSTX@`rsu]|\?[0-9;]+[hl])|[()][0AB]|[78DEM=>]))*"
)
"""All that may ever come out."""


@pytest.mark.promise("terminals")
@each_row(
    "passes",
    [
        "plain text\r\n",
        "\a\b\t\v\f",
        "\x1b[31;1mred\x1b[0m",
        "\x1b[38;2;255;128;0mtrue colour",
        "\x1b[4:3mcurly",
        "\x1b[2J\x1b[H\x1b[10;20H",
        "\x1b[K\x1b[1@\x1b[2L\x1b[3M\x1b[4P",
        "\x1b[?25l\x1b[?1049h\x1b[?7l\x1b[?1h",
        "\x1b7\x1b8\x1bM\x1bD\x1bE",
        "\x1b(0lqqk\x1b(B\x0e\x0f",
        "Grüße 東京 🌊",
    ],
)
def test_text_colours_and_cursor_pass(passes: str) -> None:
    assert Screen().show(passes.encode()) == passes


@pytest.mark.promise("terminals")
@each_row(
    ("octets", "shown", "why"),
    [
        (b"a\x1b]52;c;YQ==\x07b", "ab", "the clipboard"),
        (b"a\x1b]0;title\x1b\\b", "ab", "the title, which can be asked back into the keyboard"),
        (b"a\x1bP$q q\x1b\\b", "ab", "DCS: settings are reported"),
        (b"a\x1b_G\x1b\\b", "ab", "APC"),
        (b"a\x1b^x\x1b\\b", "ab", "PM"),
        (b"a\x1bXx\x1b\\b", "ab", "SOS"),
        (b"a\x1b]0;x\x1b[31m\x07b", "ab", "a sequence inside a string is part of it"),
        (b"a\x1b[6nb", "ab", "the cursor's place is reported"),
        (b"a\x1b[cb", "ab", "the terminal's kind is reported"),
        (b"a\x1b[>0cb", "ab", "and its version"),
        (b"a\x1b[21tb", "ab", "the title is reported"),
        (b"a\x1b[5ib", "ab", "the printer"),
        (b"a\x1b[?1000hb", "ab", "mouse reports"),
        (b"a\x1b[?1004hb", "ab", "focus reports"),
        (b"a\x1b[?2004hb", "ab", "bracketed paste"),
        (b"a\x1b[?25;1000;7hb", "a\x1b[?25;7hb", "of several modes, those that pass"),
        (b"a\x1b[4hb", "ab", "insert mode outlives the session"),
        (b"a\x1b[?12hb", "ab", "how the cursor blinks is the person's to choose, and nobody could put it back"),
        (b"a\x1bHb\x1b[3gc", "abc", "tab stops outlive the session"),
        (b"a\x1b[!pb", "ab", "soft reset"),
        (b"a\x1b[999999999bb", "ab", "a character repeated without end"),
        (b"a\x1bcb", "ab", "full reset"),
        (b"a\x1b#8b", "ab", "the alignment pattern: the 8 belongs to it"),
        (b"a\x1b%@b", "ab", "another encoding"),
        (b"a\x1b(Kb", "ab", "another character set"),
        (b"a\x1b\x1b[31mb", "a\x1b[31mb", "a lone ESC is left out"),
        (b"a\x1b[31\x1b[32mb", "a\x1b[32mb", "a sequence that breaks off"),
        (b"a\x1b[31\x18mb", "amb", "CAN ends a sequence"),
        (b"a\x05b\x11c\x13d\x1ae\x7ff\0g", "abcdefg", "ENQ asks for the answerback; XON and XOFF stop the terminal"),
        (b"a\xc2\x9b31mb", "a31mb", "CSI as one C1 control in UTF-8"),
        (b"a\x9b31mb", "a31mb", "and as one octet"),
        (b"a\xc2\x9d52;c;YQ==\x07b", "a52;c;YQ==\ab", "OSC as one C1 control"),
        (b"caf\xe9 \xff", "café ÿ", "no UTF-8: Latin-1"),
        (b"a\x80\x9fb", "ab", "C1 controls in Latin-1"),
        ("a\u202eb\u2066c".encode(), "a\\u202eb\\u2066c", "what turns a line round is named"),
        ("a\u2028b".encode(), "a\\u2028b", "a line end to some terminals"),
    ],
)
def test_what_reaches_beyond_the_session_does_not(octets: bytes, shown: str, why: str) -> None:
    assert Screen().show(octets) == shown, why
    one_by_one = Screen()
    assert "".join(one_by_one.show(octets[at : at + 1]) for at in range(len(octets))) == shown, why


def test_a_string_that_never_ends_is_given_up() -> None:
    screen = Screen()
    assert screen.show(b"\x1b]" + b"x" * MAX_STRING_CHARACTERS) == ""
    assert screen.show(b"xback") == "back"


def test_a_sequence_that_never_ends_is_given_up() -> None:
    screen = Screen()
    assert screen.show(b"\x1b[" + b"1" * MAX_SEQUENCE_CHARACTERS) == ""
    assert screen.show(b"1mback") == "mback"


@pytest.mark.parametrize(
    ("said", "end"),
    [
        (b"\x1b[31m", RESET),
        (b"\x1b[2;10r", RESET_REGION + RESET),
        (b"\x1b[?1049h", LEAVE_OTHER_SCREEN + RESET),
        (b"\x1b[?1049h\x1b[?1049l", RESET),
    ],
)
def test_the_terminal_is_put_back(said: bytes, end: str) -> None:
    screen = Screen()
    screen.show(said)
    assert screen.end() == end


@pytest.mark.promise("terminals")
@given(
    st.lists(st.binary() | st.sampled_from([b"\x1b", b"\x1b[", b"\x1b]", b"\x1bP", b"\x1b[?1049", b"h", b"m", b"\\"]))
)
def test_nothing_else_ever_comes_out(pieces: list[bytes]) -> None:
    screen, whole = Screen(), Screen()
    shown = "".join(map(screen.show, pieces))
    assert HARMLESS.fullmatch(shown)
    assert whole.show(b"".join(pieces)) == shown


@pytest.mark.parametrize(
    ("charset", "octets", "shown"),
    [
        ("cp437", b"\xc9\xcd\xbb \x81\x9b", "╔═╗ ü¢"),
        ("gbk", b"\xc4\xe3\xba\xc3", "你好"),
        ("big5", b"\xa7A\xa6n", "你好"),
        ("koi8-r", b"\xf0\xd2\xc9", "При"),
        ("cp437", b"\x1b[1m\xe1\x1b]0;x\x07", "\x1b[1mß"),
        (None, b"\xe9\xc3\xa9", "éé"),
    ],
)
def test_another_charset_is_shown(charset: str | None, octets: bytes, shown: str) -> None:
    screen = Screen(charset)
    assert "".join(screen.show(octets[at : at + 1]) for at in range(len(octets))) == shown
