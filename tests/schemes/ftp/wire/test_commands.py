"""The FTP codec: commands out, replies in, and what single replies mean (FAULTS rows B1 to B9, C6, G8, G10, G11)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anyurl.errors import AnyURLError, LimitError, LocalProtocolError, RemoteProtocolError
from anyurl.schemes.ftp.wire import commands as ftp
from anyurl.schemes.ftp.wire.commands import REPLIES as FORM
from anyurl.schemes.ftp.wire.commands import encode_command
from anyurl.schemes.kit.replies import Reply, ReplyReader
from tests.rows import each_row

# --- commands --------------------------------------------------------------------------------------------------------

COMMANDS = [
    ("no argument", "PASV", None, b"PASV\r\n"),
    ("an argument", "CWD", b"etc", b"CWD etc\r\n"),
    ("an empty argument keeps its space (RFC 1738 3.2.2)", "CWD", b"", b"CWD \r\n"),
    ("spaces are the argument's own", "RETR", b" a  b ", b"RETR  a  b \r\n"),
    ("a slash, a semicolon, a question mark", "RETR", b"/etc/a;b?c", b"RETR /etc/a;b?c\r\n"),
    ("UTF-8 goes out as it is", "RETR", "ü".encode(), b"RETR \xc3\xbc\r\n"),
    ("0xFF is doubled (RFC 854)", "RETR", b"\xffa\xff\xff", b"RETR \xff\xffa\xff\xff\xff\xff\r\n"),
    ("TAB and ESC are data", "RETR", b"\t\x1b", b"RETR \t\x1b\r\n"),
]


@each_row(("verb", "argument", "line"), [row[1:] for row in COMMANDS], ids=[row[0] for row in COMMANDS])
def test_a_command_is_one_line(verb: str, argument: bytes | None, line: bytes) -> None:
    assert encode_command(verb, argument) == line


def test_0xff_is_itself_to_who_reads_no_telnet() -> None:
    assert encode_command("RETR", b"\xffa\xff\xff", telnet=False) == b"RETR \xffa\xff\xff\r\n"


@pytest.mark.parametrize("argument", [b"a\r\nDELE b", b"a\nb", b"a\rb", b"a\0b", b"\n", b"\r", b"\0"])
def test_an_argument_that_would_end_the_command_is_refused(argument: bytes) -> None:
    with pytest.raises(LocalProtocolError, match=r"^The argument of CWD holds CR, LF or NUL"):
        encode_command("CWD", argument)


@pytest.mark.parametrize("verb", ["", "cwd", "CWD ", "CWD\n", "ABCDE", "C-D", "ÄBC"])
def test_a_verb_is_three_or_four_capitals(verb: str) -> None:
    with pytest.raises(LocalProtocolError):
        encode_command(verb)


@example("CWD", b"\xff\xff")
@given(st.sampled_from(["CWD", "RETR", "USER"]), st.binary())
def test_a_command_never_holds_a_second_one(verb: str, argument: bytes) -> None:
    try:
        line = encode_command(verb, argument)
    except LocalProtocolError:
        assert set(argument) & {0, 10, 13}
        return
    assert line.endswith(b"\r\n")
    assert not set(line[:-2]) & {0, 10, 13}
    assert line[len(verb) + 1 : -2].replace(b"\xff\xff", b"\xff") == argument  # 0xFF was doubled (RFC 854)


# --- replies ---------------------------------------------------------------------------------------------------------


def read_all(pieces: list[bytes]) -> list[Reply] | tuple[list[Reply], type[AnyURLError]]:
    reader = ReplyReader(FORM)
    replies: list[Reply] = []
    try:
        for piece in pieces:
            reader.feed(piece)
            while (reply := reader.next_reply()) is not None:
                replies.append(reply)
    except AnyURLError as error:
        return replies, type(error)
    return replies


REPLIES: list[tuple[str, bytes, list[Reply]]] = [
    ("one line", b"220 ready\r\n", [Reply(220, (b"ready",))]),
    ("a bare LF", b"220 ready\n", [Reply(220, (b"ready",))]),
    ("no text", b"226 \r\n", [Reply(226, (b"",))]),
    ("no text and no space", b"226\r\n", [Reply(226, (b"",))]),
    (
        "many lines (RFC 959 4.2)",
        b"123-First\r\nSecond\r\n 234 A number\r\n123 Last\r\n",
        [Reply(123, (b"First", b"Second", b" 234 A number", b"Last"))],
    ),
    ("a line between with another code", b"220-a\r\n221 b\r\n220 c\r\n", [Reply(220, (b"a", b"221 b", b"c"))]),
    ("the code with a hyphen on each line", b"220-a\r\n220-b\r\n220 c\r\n", [Reply(220, (b"a", b"220-b", b"c"))]),
    ("an empty line between", b"220-a\r\n\r\n220 c\r\n", [Reply(220, (b"a", b"", b"c"))]),
    ("the code with more digits between", b"220-a\r\n2200 b\r\n220 c\r\n", [Reply(220, (b"a", b"2200 b", b"c"))]),
    ("the last line without text", b"211-Features\r\n SIZE\r\n211\r\n", [Reply(211, (b"Features", b" SIZE", b""))]),
    ("two replies at once", b"150 here\r\n226 done\r\n", [Reply(150, (b"here",)), Reply(226, (b"done",))]),
    ("octets that are no UTF-8 (B5)", b"220 \xff\xe9\r\n", [Reply(220, (b"\xff\xe9",))]),
]


@each_row(("data", "expected"), [row[1:] for row in REPLIES], ids=[row[0] for row in REPLIES])
def test_replies_come_out_whole_byte_by_byte_and_with_trailing_octets(data: bytes, expected: list[Reply]) -> None:
    assert read_all([data]) == expected
    assert read_all([bytes([octet]) for octet in data]) == expected
    assert read_all([data + b"22"]) == expected


BAD_REPLIES: list[tuple[str, bytes, list[Reply], type[AnyURLError]]] = [
    ("B9: a code below 100", b"099 x\r\n", [], RemoteProtocolError),
    ("B9: a code of 600 and more", b"777 x\r\n", [], RemoteProtocolError),
    ("B9: two digits", b"22 x\r\n", [], RemoteProtocolError),
    ("B9: letters", b"abc x\r\n", [], RemoteProtocolError),
    ("B9: digits that are not ASCII", "２２０ x\r\n".encode(), [], RemoteProtocolError),
    ("B9: four digits", b"2200 x\r\n", [], RemoteProtocolError),
    ("B8: binary", bytes(range(128, 160)) + b"\n", [], RemoteProtocolError),
    ("A12: the banner of another protocol", b"SSH-2.0-OpenSSH\r\n", [], RemoteProtocolError),
    ("A12: HTTP", b"HTTP/1.1 400 Bad Request\r\n", [], RemoteProtocolError),
    ("an empty line", b"\r\n", [], RemoteProtocolError),
    ("B4: NUL", b"220 ok\r\n220 a\0b\r\n", [Reply(220, (b"ok",))], RemoteProtocolError),
    ("B7: a bare CR", b"220 a\rb\r\n", [], RemoteProtocolError),
    ("B2: a line without end", b"220 " + b"x" * 9000, [], LimitError),
    ("B1: a reply without end", b"220-x\r\n" + b"y\r\n" * 1000, [], LimitError),
    ("B1: a reply of too many octets", b"220-x\r\n" + (b"y" * 8000 + b"\r\n") * 9, [], LimitError),
    ("B3: preliminary replies without end", b"120 wait\r\n" * 6, [Reply(120, (b"wait",))] * 5, LimitError),
]


@each_row(("data", "good", "error"), [row[1:] for row in BAD_REPLIES], ids=[row[0] for row in BAD_REPLIES])
def test_a_bad_reply_ends_it(data: bytes, good: list[Reply], error: type[AnyURLError]) -> None:
    assert read_all([data]) == (good, error)
    assert read_all([bytes([octet]) for octet in data]) == (good, error)


def test_the_longest_reply_is_still_read() -> None:
    data = b"220-x\r\n" + b"y\r\n" * 998 + b"220 z\r\n"
    assert read_all([data]) == [Reply(220, (b"x",) + (b"y",) * 998 + (b"z",))]
    line = b"220 " + b"x" * (ftp.MAX_REPLY_LINE_BYTES - 4)
    assert read_all([line + b"\r\n"]) == [Reply(220, (line[4:],))]


def test_five_preliminary_replies_are_no_flood_and_a_final_one_starts_anew() -> None:
    data = (b"150 wait\r\n" * 5 + b"226 done\r\n") * 3
    assert read_all([data]) == ([Reply(150, (b"wait",))] * 5 + [Reply(226, (b"done",))]) * 3


def test_the_error_quotes_the_line_escaped_and_short() -> None:
    reader = ReplyReader(FORM)
    reader.feed(b"\x1b[31mred " + b"x" * 300 + b"\n")
    with pytest.raises(RemoteProtocolError) as caught:
        reader.next_reply()
    assert caught.value.sample == "\\x1b[31mred " + "x" * 191 + "..."
    assert "\x1b" not in str(caught.value)


def test_pending_tells_octets_that_nobody_took() -> None:
    reader = ReplyReader(FORM)
    assert not reader.pending
    reader.feed(b"220-a\r\n")
    assert reader.next_reply() is None
    assert reader.pending
    reader.feed(b"220 b\r\n2")
    assert reader.next_reply() == Reply(220, (b"a", b"b"))
    assert reader.pending


@given(st.binary(max_size=300), st.integers(0, 300))
def test_only_errors_of_the_tree_come_out_and_cuts_change_nothing(data: bytes, cut: int) -> None:
    assert read_all([data]) == read_all([data[:cut], data[cut:]])


def test_a_reply_is_shown_in_one_short_printable_line() -> None:
    assert str(Reply(550, (b"No such file",))) == "“550 No such file”"
    assert str(Reply(530, (b"Login", b"  ", b" failed\x1b[2J"))) == "“530 Login failed\\x1b[2J”"
    assert Reply(220, (b"x" * 8000,)).said == "220 " + "x" * 196 + "..."


# --- what single replies mean ----------------------------------------------------------------------------------------


def reply(code: int, *lines: bytes) -> Reply:
    return Reply(code, lines)


PORTS: list[tuple[str, Callable[[Reply], int], Reply, int | None]] = [
    ("227 as RFC 959 has it", ftp.passive_port, reply(227, b"Entering Passive Mode (127,0,0,1,195,80)"), 50000),
    ("227 without brackets (RFC 1123 4.1.2.6)", ftp.passive_port, reply(227, b"Passive 127,0,0,1,195,80."), 50000),
    ("227 with another host: only the port is taken", ftp.passive_port, reply(227, b"=10,9,8,7,4,1"), 1025),
    ("227 with spaces", ftp.passive_port, reply(227, b"Passive (127, 0, 0, 1, 195, 80)."), 50000),
    ("227 with port 0", ftp.passive_port, reply(227, b"(127,0,0,1,0,0)"), None),
    ("227 with a number over 255", ftp.passive_port, reply(227, b"(127,0,0,1,256,80)"), None),
    ("227 with five numbers", ftp.passive_port, reply(227, b"(127,0,0,1,195)"), None),
    ("227 with seven digits in one", ftp.passive_port, reply(227, b"(127,0,0,1,195,8000000)"), None),
    ("227 without any", ftp.passive_port, reply(227, b"Entering Passive Mode"), None),
    ("229 as RFC 2428 has it", ftp.extended_passive_port, reply(229, b"Entering (|||50000|)"), 50000),
    ("229 with another delimiter", ftp.extended_passive_port, reply(229, b"(!!!50000!)"), 50000),
    ("229 with the largest port", ftp.extended_passive_port, reply(229, b"(|||65535|)"), 65535),
    ("229 with a host", ftp.extended_passive_port, reply(229, b"(|1|10.9.8.7|50000|)"), None),
    ("229 with a family", ftp.extended_passive_port, reply(229, b"(|1||50000|)"), None),
    ("229 with port 0", ftp.extended_passive_port, reply(229, b"(|||0|)"), None),
    (
        "229 with a port over 65535 (65561 is 25 in 16 bits)",
        ftp.extended_passive_port,
        reply(229, b"(|||65561|)"),
        None,
    ),
    ("229 with mixed delimiters", ftp.extended_passive_port, reply(229, b"(||!50000|)"), None),
    ("229 without brackets", ftp.extended_passive_port, reply(229, b"|||50000|"), None),
    ("229 with a negative port", ftp.extended_passive_port, reply(229, b"(|||-1|)"), None),
    ("229 without a port", ftp.extended_passive_port, reply(229, b"(||||)"), None),
    ("229 in the second line", ftp.extended_passive_port, reply(229, b"first", b"(|||50000|)"), 50000),
    ("229 in the first line", ftp.extended_passive_port, reply(229, b"(|||50000|)", b"that is all"), 50000),
    ("229 in the middle", ftp.extended_passive_port, reply(229, b"a", b"229-(|||50000|)", b"b"), 50000),
    ("227 in the second line", ftp.passive_port, reply(227, b"first", b"(127,0,0,1,195,80)"), 50000),
    ("the last line counts", ftp.passive_port, reply(227, b"(127,0,0,1,0,9)", b"(127,0,0,1,195,80)"), 50000),
]


@each_row(("read", "said", "port"), [row[1:] for row in PORTS], ids=[row[0] for row in PORTS])
def test_ports_of_data_connections(read: Callable[[Reply], int], said: Reply, port: int | None) -> None:
    if port is not None:
        assert read(said) == port
        return
    with pytest.raises(RemoteProtocolError) as caught:
        read(said)
    assert caught.value.sample == said.lines[0].decode()


def test_a_hostile_229_costs_no_time() -> None:
    with pytest.raises(RemoteProtocolError):
        ftp.extended_passive_port(reply(229, b"(" + b"|" * 8000))


SIZES = [
    (b"0", 0),
    (b"1234", 1234),
    (b" 1234 ", 1234),
    (b"9223372036854775807", 2**63 - 1),
    (b"9223372036854775808", None),
    (b"99999999999999999999", None),
    (b"-5", None),
    (b"+5", None),
    (b"1e5", None),
    (b"12 bytes", None),
    (b"", None),
    ("١".encode(), None),
]


@each_row(("text", "size"), SIZES)
def test_a_size_is_believed_only_when_a_file_can_have_it(text: bytes, size: int | None) -> None:
    assert ftp.size_of(reply(213, text)) == size


MOMENTS = [
    (b"19941201000000", 786_240_000.0),
    (b"19941201000000.123", 786_240_000.0),
    (b" 20031121090405 ", 1_069_405_445.0),
    (b"20031321090405", None),
    (b"1994120100000", None),
    (b"191031121090405", None),  # the year 2003 of servers that print "19" and tm_year
    (b"0", None),
    (b"", None),
]


@each_row(("text", "seconds"), MOMENTS)
def test_a_modification_time(text: bytes, seconds: float | None) -> None:
    assert ftp.modified_of(reply(213, text)) == seconds


ANNOUNCED = [
    ("vsftpd", b"Opening BINARY mode data connection for x (1234 bytes).", 1234),
    ("capitals", b"Opening (12 Bytes)", 12),
    ("behind a name that has one", b"Opening connection for a (5 bytes).bin (12 bytes).", 12),
    ("nothing", b"Opening data connection", None),
    ("words in between", b"(about 12 bytes)", None),
    ("more than a file can have", b"(9999999999999999999 bytes)", None),
]


@pytest.mark.parametrize(("text", "size"), [row[1:] for row in ANNOUNCED], ids=[row[0] for row in ANNOUNCED])
def test_a_size_in_passing(text: bytes, size: int | None) -> None:
    assert ftp.announced_size(reply(150, text)) == size


def test_features_are_read_by_name() -> None:
    said = reply(
        211,
        b"Extensions supported:",
        b" MLST Type*;Size*;",
        b" size",
        b" REST STREAM",
        b" \xff",
        b"",
        b" UTF8 ",
        b"End",
    )
    assert ftp.features_of(said) == {"MLST": "Type*;Size*;", "SIZE": "", "REST": "STREAM", "UTF8": ""}
    assert ftp.features_of(reply(211, b"no features")) == {}


FACTS_LINES = [
    ("as RFC 3659 has it", [b"Begin", b" type=file;size=3; a b", b"End"], b"type=file;size=3; a b"),
    ("without the space in front", [b"Begin", b"type=file; a", b"End"], b"type=file; a"),
    ("without facts", [b"Begin", b"  a", b"End"], b" a"),
]


@pytest.mark.parametrize(("lines", "line"), [row[1:] for row in FACTS_LINES], ids=[row[0] for row in FACTS_LINES])
def test_the_line_of_facts(lines: list[bytes], line: bytes) -> None:
    assert ftp.facts_line_of(reply(250, *lines)) == line


def test_a_reply_to_mlst_without_facts_says_nothing() -> None:
    assert ftp.facts_line_of(reply(250, b"Begin", b"", b"End")) is None
    assert ftp.facts_line_of(reply(250, b"ok")) is None


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((b"type=file;size=5; f",), id="one line"),
        pytest.param((b"Start", b"250-type=file;size=5; f", b"End"), id="a code before each"),
        pytest.param((b"type=file;size=5; f", b"End"), id="the first line"),
        pytest.param((b"Start", b" type=file;size=5; f", b"End"), id="as RFC 3659 says"),
    ],
)
def test_facts_are_found_where_servers_write_them(lines: tuple[bytes, ...]) -> None:
    assert ftp.facts_line_of(reply(250, *lines)) == b"type=file;size=5; f"


def test_what_is_asked_for_is_found_in_any_line_of_a_reply() -> None:
    assert ftp.size_of(reply(213, b"the size", b"1234")) == 1234
    assert ftp.size_of(reply(213, b"1234", b"done")) == 1234
    assert ftp.modified_of(reply(213, b"the time", b"19941201000000")) == 786_240_000.0
    assert ftp.features_of(reply(211, b"Features", b"211-MLST size*;", b" UTF8", b"End")) == {
        "MLST": "size*;",
        "UTF8": "",
    }


PATHS: list[tuple[bytes, bytes]] = [
    (b'"/home/me" is the current directory', b"/home/me"),
    (b'"/a ""quoted"" name" created', b'/a "quoted" name'),
    (b'"/"', b"/"),
    (b"/home/me", b""),
    (b'"/home/me', b""),
    (b'"home"', b""),
    (b'"/a\rDELE b"', b""),
    (b'""', b""),
]


@each_row(("text", "path"), PATHS)
def test_the_path_of_pwd(text: bytes, path: bytes) -> None:
    assert ftp.directory_of(reply(257, text)) == path
    assert ftp.directory_of(reply(250, text)) == b""
