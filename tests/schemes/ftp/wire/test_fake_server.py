"""The ideal FTP server: what it answers to whom, however the commands come."""

from __future__ import annotations

from typing import Literal

import pytest

from anyurl.errors import LimitError
from anyurl.schemes.ftp.wire.fake_server import FACTS, FEATURES, FILE, LIST, MLSD, NAMES, FakeFtpServer
from anyurl.schemes.ftp.wire.list import read_facts, read_unix
from anyurl.testing import three_ways
from tests.rows import each_row

LIST_ONLY = ("SIZE", "MDTM")


def says(command: bytes, server: FakeFtpServer | None = None) -> bytes:
    return (server or FakeFtpServer()).received(1, command + b"\r\n")


def test_it_answers_every_command_however_it_comes() -> None:
    asked = b"USER a\r\nPASS b\r\nCWD c\r\nTYPE I\r\nSIZE d\r\nEPSV\r\nRETR d\r\nFROBNICATE\r\nQUIT\r\n"
    answers = set()
    for pieces in three_ways(asked, b"NO"):
        server = FakeFtpServer()
        assert server.connected(1) == b"220 (ideal FTP server)\r\n"
        answers.add(b"".join(server.received(1, piece) for piece in pieces))
    (answer,) = answers
    codes = [b"331", b"230", b"250", b"200", b"213", b"229", b"150", b"226", b"502", b"221", b""]
    assert [line[:3] for line in answer.split(b"\r\n")] == codes


@each_row(
    ("command", "answer"),
    [
        (b"PWD", b'257 "/" is the current directory'),
        (b"PASV", b"227 Entering Passive Mode (127,0,0,1,192,0)"),  # 192 * 256: the port of EPSV
        (b"EPSV", b"229 Entering Extended Passive Mode (|||49152|)"),
        (b"MDTM x", b"213 19941201000000"),
        (b"SYST", b"215 UNIX Type: L8"),
        (b"REST 3", b"350 Restart position accepted."),
        (b"OPTS UTF8 ON", b"200 Always in UTF8 mode."),
        (b"AUTH TLS", b"234 Proceed with negotiation."),
        (b"PBSZ 0", b"200 PBSZ set to 0."),
        (b"PROT P", b"200 PROT now Private."),
        (b"STOR x", b"150 Ok to send data.\r\n226 Transfer complete."),
        (b"APPE x", b"150 Ok to send data.\r\n226 Transfer complete."),
        (b"LIST", b"150 Here comes the directory listing.\r\n226 Directory send OK."),
        (b"NLST x", b"150 Here comes the directory listing.\r\n226 Directory send OK."),
        (b"MLSD", b"150 Here comes the directory listing.\r\n226 Directory send OK."),
        (b"MLST x", b"250-Listing\r\n " + FACTS + b" x\r\n250 End"),
        (b"MLST", b"250-Listing\r\n " + FACTS + b" .\r\n250 End"),
        (b"SIZE x", b"213 %d" % len(FILE)),
        (b"retr x", b"502 Command not implemented."),  # ours are in capitals
        (b"", b"502 Command not implemented."),
    ],
)
def test_its_words(command: bytes, answer: bytes) -> None:
    assert says(command) == answer + b"\r\n"


def test_its_features_are_those_that_it_was_given() -> None:
    assert (
        says(b"FEAT") == b"211-Features:\r\n" + "".join(f" {each}\r\n" for each in FEATURES).encode() + b"211 End\r\n"
    )
    assert says(b"FEAT", FakeFtpServer(features=())) == b"211-Features:\r\n211 End\r\n"
    old = FakeFtpServer("directory", features=LIST_ONLY)
    assert [says(verb, old)[:3] for verb in (b"MLSD", b"MLST x", b"LIST")] == [b"502", b"502", b"150"]
    assert old.connected(2) == LIST


def test_a_directory_is_a_directory() -> None:
    for holds in ("directory", "names"):
        line = says(b"MLST pub", FakeFtpServer(holds)).split(b"\r\n")[1]  # type: ignore[arg-type]
        found = read_facts(line[1:])
        assert found is not None
        assert (found.name, found.kind) == (b"pub", "listing")


@pytest.mark.parametrize(
    ("holds", "commands", "content"),
    [
        ("file", [b"TYPE I"], FILE),
        ("file", [b"TYPE A"], FILE.replace(b"\n", b"\r\n")),
        ("file", [b"TYPE A", b"TYPE I"], FILE),
        ("directory", [], MLSD),
        ("names", [], NAMES),
        ("names", [b"TYPE I"], FILE),
    ],
)
def test_what_a_data_connection_brings(
    holds: Literal["file", "directory", "names"], commands: list[bytes], content: bytes
) -> None:
    server = FakeFtpServer(holds)
    for command in commands:
        assert says(command, server).startswith(b"200 Switching to " + (b"ASCII" if b"A" in command else b"Binary"))
    assert server.connected(2) == server.connected(7) == content
    assert server.received(2, b"QUIT\r\n") == b""


def test_a_text_has_no_size_before_it_is_sent() -> None:
    """RFC 3659 4: the size of what would be sent, which nobody knows without sending it."""
    server = FakeFtpServer()
    says(b"TYPE A", server)
    assert says(b"SIZE x", server) == b"550 SIZE not allowed in ASCII mode.\r\n"


def test_its_listings_tell_the_same() -> None:
    facts = [read_facts(line) for line in MLSD.splitlines()]
    unix = [read_unix(line, 0.0) for line in LIST.splitlines()]
    told = [(b"README", "document", len(FILE), 786240000.0), (b"pub", "listing", None, 786240000.0)]
    for items in (facts, unix):
        assert [item and (item.name, item.kind, item.size, item.modified) for item in items] == told
    assert NAMES.splitlines() == [name for name, *_ in told]


def test_a_command_without_end_is_too_long() -> None:
    with pytest.raises(LimitError) as caught:
        FakeFtpServer().received(1, b"x" * 8193)
    assert caught.value.limit == "MAX_COMMAND_BYTES"
