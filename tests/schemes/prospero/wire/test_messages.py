"""Prospero messages: what they say, and that every one of the recorded ones is written again as it was.

Rule: the values of every request and reply come back through writing and reading; the octets come back, too, where the
real writer wrote them. The exceptions have names and reasons.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import AnyURLError
from anyurl.schemes.prospero.wire.lines import MAX_DEPTH
from anyurl.schemes.prospero.wire.messages import (
    Attribute,
    Complaint,
    Line,
    Link,
    Names,
    ReplyLine,
    ReplyLineReader,
    Text,
    attributes_request,
    list_request,
    read_reply,
    read_request,
    resolve_request,
    write_message,
)
from anyurl.testing import ProtocolContract
from tests.rows import each_row
from tests.schemes.prospero.wire.prospero_transcripts import NAMES, conversations, message

REAL_CLIENTS = tuple(name for name in NAMES if name.startswith(("real-", "loss-")))
"""Transcripts whose requests a real client wrote; in all others they were written by hand, and quoted otherwise."""

REWRITTEN_REPLIES = {
    "authenticate": "an ERROR quotes what it repeats from its first special octet on; we quote what needs it",
    "directory-errors": "the same",
    "errors-commands": "the same",
    "list-filters": "the same",
    "select-lines": "the same",
    "version": "the same",
    "gopher-gateway": "a WARNING is quoted from an earlier octet on than it needs",
    "real-vls-magic": "the real server's empty line behind an ID is not written again",
    "version1-request": "version 1 has no quoting, and one blank behind LINK",
}
"""Replies whose octets are not written again, by the name of their transcript: their values are."""


def messages(name: str) -> list[tuple[bytes, bytes]]:
    """The requests of a transcript and their replies, put together."""
    out = []
    for _cid, its in conversations(name):
        asked = message(each for each in its if each.to_server)
        out.append((asked, message(each for each in its if not each.to_server)))
    return out


@each_row("name", NAMES)
def test_every_recorded_request_comes_back(name: str) -> None:
    for asked, _reply in messages(name):
        commands = read_request(asked)
        written = write_message(commands)
        assert read_request(written) == commands
        if name in REAL_CLIENTS:
            assert written == asked


@each_row("name", NAMES)
def test_every_recorded_reply_comes_back(name: str) -> None:
    same = []
    for _asked, reply in messages(name):
        if name == "hdr-priority":
            continue  # the client never acknowledged, so that the end of the reply is not there
        lines = read_reply(reply)
        written = write_message(lines)
        assert read_reply(written) == lines
        same.append(written == reply)
    assert all(same) is (name not in REWRITTEN_REPLIES)


def test_a_reply_that_was_never_finished_is_read_as_far_as_it_came() -> None:
    [(_asked, reply)] = messages("hdr-priority")
    assert all(isinstance(line, Link) for line in ReplyLineReader().feed(reply))


# --- lines -----------------------------------------------------------------------------------------------------------

LINK = b"LINK  L FILE rfc1738.txt INTERNET-D LOCALHOST(15250) ASCII AFTP'/pub/rfc/rfc1738.txt' 0"


def test_the_version_refusal_has_no_line_feed() -> None:
    assert write_message(read_reply(b"VERSION-NOT-SUPPORTED TRY 1-5")) == b"VERSION-NOT-SUPPORTED TRY 1-5"


class TestReplies(ProtocolContract):
    cases = (
        (b"WARNING MESSAGE x\n" + LINK + b"\nATTRIBUTE OBJECT FIELD OWNER a\n", b"LINK"),
        (b"LINK L NULL it's NULL NULL NULL NULL 0\nFAILURE NOT-FOUND\n", b"'"),
        (b"LINK  L FILE line'\nfeed' INTERNET-D h ASCII '/a\nb' 0\n", b"\n"),
        (b"ID a\rb\nNONE-FOUND\nID c\rd\nSUCCESS\n", b"\r"),
    )

    def read(self, pieces: Sequence[bytes]) -> list[ReplyLine]:
        reader = ReplyLineReader()
        return [line for piece in pieces for line in reader.feed(piece)]


def test_a_line_with_a_bare_cr_is_a_text_in_its_place() -> None:
    assert read_reply(b"ID a\rb\nNONE-FOUND\nc\rd") == [Text(b"ID a\rb"), Line(b"NONE-FOUND"), Text(b"c\rd")]


_OCTETS = st.binary(max_size=8).map(lambda data: data.replace(b"\0", b"'"))
_PLAIN = st.sampled_from([b"L", b"FILE", b"NULL", b"INTERNET-D", b"ASCII", b"DIRECTORY+FILE", b"EXTERNAL"])
_LINKS = st.builds(Link, _PLAIN, _PLAIN, _OCTETS, _PLAIN, _OCTETS, _PLAIN, _OCTETS, st.integers(0, 10**9 - 1))
_ATTRIBUTES = st.builds(
    Attribute, _PLAIN, _PLAIN, _OCTETS, st.just(b"SEQUENCE"), st.lists(_OCTETS, max_size=4).map(tuple),
    st.integers(0, MAX_DEPTH),
)  # fmt: skip
_COMPLAINTS = st.builds(Complaint, st.sampled_from([b"FAILURE", b"WARNING"]), _PLAIN, _OCTETS)


@given(st.lists(_LINKS | _ATTRIBUTES | _COMPLAINTS))
def test_all_values_come_back(lines: list[ReplyLine]) -> None:
    assert read_reply(write_message(lines)) == lines


@given(st.binary())
def test_whatever_comes_only_errors_of_the_tree_come_out(data: bytes) -> None:
    try:
        lines = read_reply(data)
    except AnyURLError:
        return
    assert read_reply(write_message(lines)) == lines


# --- requests --------------------------------------------------------------------------------------------------------

HEAD = b"VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n"


@each_row(
    ("request_", "text"),
    [
        (list_request(b"/pfs/demo"), b"DIRECTORY ASCII '/pfs/demo'\nLIST ATTRIBUTES COMPONENTS\n"),
        (list_request(b"a", 7), b"DIRECTORY ASCII a 7\nLIST ATTRIBUTES COMPONENTS\n"),
        (
            list_request(b"a", 0, (b"docs", b"two words", b"x/y")),
            b"DIRECTORY ASCII a\nLIST ATTRIBUTES COMPONENTS docs/two' words'/x'/y'\n",
        ),
        # An empty name at the beginning crashes the real server.
        (list_request(b"a", 0, (b"", b"docs", b"")), b"DIRECTORY ASCII a\nLIST ATTRIBUTES COMPONENTS docs\n"),
        (list_request(b"a", 0, (b"",)), b"DIRECTORY ASCII a\nLIST ATTRIBUTES COMPONENTS\n"),
        (
            list_request(b"a", 0, (), [(b"ID", b"42")]),
            b"DIRECTORY ASCII a\nSELECT OBJECT FIELD ID SEQUENCE 42\nLIST ATTRIBUTES COMPONENTS\n",
        ),
        (
            resolve_request(b"it's"),
            b"GET-OBJECT-INFO #ALL ASCII it'''s' 0\nDIRECTORY ASCII it'''s' 0\nLIST ATTRIBUTES COMPONENTS\n",
        ),
        (
            resolve_request(b"a", 3, [(b"X Y", b"")]),
            (
                b"GET-OBJECT-INFO #ALL ASCII a 3\nSELECT OBJECT FIELD X' Y' SEQUENCE ''\n"
                b"DIRECTORY ASCII a 3\nSELECT OBJECT FIELD X' Y' SEQUENCE ''\nLIST ATTRIBUTES COMPONENTS\n"
            ),
        ),
        (attributes_request(b"CONTENTS", b"/x", 2), b"GET-OBJECT-INFO CONTENTS ASCII '/x' 2\n"),
    ],
)
def test_what_is_asked(request_: bytes, text: bytes) -> None:
    assert request_ == HEAD + text


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (b"LIST '' COMPONENTS docs/rfc", Line(b"LIST", b"", b"COMPONENTS", Names(b"docs", b"rfc"))),
        (b"LIST '' COMPONENTS docs rfc", Line(b"LIST", b"", b"COMPONENTS", Names(b"docs"), Names(b"rfc"))),
        (b"LIST COMPONENTS README", Line(b"LIST", b"COMPONENTS", Names(b"README"))),  # no options, as version 1
        (b"LIST '' COMPONENTS ''", Line(b"LIST", b"", b"COMPONENTS", Names(b""))),
        (b"LIST", Line(b"LIST")),
        (b"LIST ATTRIBUTES+FILTER COMPONENTS", Line(b"LIST", b"ATTRIBUTES+FILTER", b"COMPONENTS")),
        (
            b"FILTER DIRECTORY SERVER PRE PREDEFINED AR_DOMAIN ARGS org:edu",
            Line(b"FILTER", b"DIRECTORY", b"SERVER", b"PRE", b"PREDEFINED", b"AR_DOMAIN", b"ARGS", b"org:edu"),
        ),
    ],
)
def test_reads_commands(text: bytes, command: Line) -> None:
    assert read_request(text + b"\n") == [command]
    assert write_message([command]) == text + b"\n"
