"""The commands of the world's Prospero server against what the real one was seen to answer."""

from __future__ import annotations

import pytest

from anyurl.schemes.prospero.wire.messages import Line, ReplyLine, read_reply
from anyurl.world.prospero_commands import RELEASE, Commands
from tests.rows import each_row
from tests.schemes.prospero.wire.prospero_transcripts import NAMES, conversations, message
from tests.world.prospero_demo import HERE, store

OTHERS = {
    "gopher-gateway": "a gateway to gopher is not part of this world",
    "list-acl": "access lists are refused: this world has none",
    "real-list_acl": "access lists are refused: this world has none",
    "real-pstatus": "the report of STATUS has the server's own figures",
    "version1-request": "version 1 of the protocol is not spoken",
    "hdr-ardp-v1-like": "no ARDP header",
    "hdr-priority": "only the first window of the reply was captured",
    "hdr-none-v5": "no ARDP header",
    "hdr-none-v5-big": "no ARDP header",
    "real-client-partial": "a part that was written for one request",
    "real-client-wait": "a part that was written for one request",
}
"""Transcripts whose replies are other ones here, and why."""

DIFFERENT = {
    ("authenticate", 0): "alice may read what nobody else may: this world knows nobody",
    ("edit-refused", 2): "UPDATE is unknown here, and is refused as such",
    ("forwarded-unsupported", 0): "the real server was built without forwarding; this one knows no such directory",
    ("status-parameter", 0): "the report of STATUS has the server's own figures",
    ("get-object-info-native", 4): "a directory has another date",
    ("get-object-info", 16): "the real server published all of /srv",
    ("errors-commands", 8): "the real server quotes to the first NUL only",
    ("list-sorted", 0): "this run was made before the demo had its directory of magic numbers",
}


def same(line: ReplyLine) -> ReplyLine | None:
    """A line of a reply without what is the server's own: its name, and its words."""
    if isinstance(line, Line) and line.word == b"VERSION":
        return Line(b"VERSION", b"5", RELEASE)
    if isinstance(line, Line) and line.word == b"VERSION-NOT-SUPPORTED":
        return Line(line.word)
    return line


def exchanges(name: str) -> list[tuple[bytes, bytes]]:
    """Every request of a transcript that was answered, and its reply."""
    found = []
    for _cid, its in conversations(name):
        request = message(each for each in its if each.to_server)
        reply = message(each for each in its if not each.to_server and not each.dropped)
        answered = [each for each in its if not each.to_server and len(each.data) > each.data[0]]
        if answered:
            found.append((request, reply))
    return found


@each_row("name", [name for name in NAMES if name not in OTHERS and exchanges(name)])
def test_every_request_of_a_transcript_is_answered_as_it_was(name: str) -> None:
    commands = Commands(store(), HERE)
    for index, (request, reply) in enumerate(exchanges(name)):
        if (name, index) in DIFFERENT:
            continue
        ours = list(map(same, read_reply(commands.answer(request))))
        theirs = list(map(same, read_reply(reply)))
        assert ours == theirs, (index, request)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (b"VERSION\r\nSTATUS\r\n", [b"VERSION", b"ERROR"]),  # the real server sees an empty line between CR and LF
        (b"VERSION\nSTATUS\r\n", [b"VERSION", b"Prospero", b" Data:", b"ERROR"]),
        (b"VERSION\n\nSTATUS\n", [b"VERSION", b"ERROR"]),
        (b"\nVERSION\n", [b"ERROR"]),
        (b"\r", [b"ERROR"]),
        (b"GET-OBJECT-INFO #ALL ASCII 'line\r\n\nfeed' 0\n", [b"FAILURE"]),  # in quotes they are data
    ],
)
def test_an_empty_line_ends_a_request(request_: bytes, words: list[bytes]) -> None:
    reply = Commands(store(), HERE).answer(request_)
    assert [line.removeprefix(b" ").split(b" ")[0] for line in reply.split(b"\n")[:-1]] == [
        word.strip() for word in words
    ]
    if words[-1] == b"ERROR":
        assert reply.endswith(b"ERROR Malformed input line: Read Prospero message with an empty line.\n")
