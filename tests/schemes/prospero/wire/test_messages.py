"""Prospero messages: what they say, and that every one of the recorded ones is written again as it was.

Rule: the values of every request and reply come back through writing and reading; the octets come back, too, where the
real writer wrote them. The exceptions have names and reasons.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import AnyURLError, LimitError, RemoteProtocolError
from anyurl.schemes.prospero.wire.lines import MAX_DEPTH
from anyurl.schemes.prospero.wire.messages import (
    Attribute,
    Complaint,
    Forwarded,
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


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_request_comes_back(name: str) -> None:
    for asked, _reply in messages(name):
        commands = read_request(asked)
        written = write_message(commands)
        assert read_request(written) == commands
        if name in REAL_CLIENTS:
            assert written == asked


@pytest.mark.parametrize("name", NAMES)
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

LINES: list[tuple[bytes, ReplyLine, str]] = [
    (
        LINK,
        Link(
            b"L", b"FILE", b"rfc1738.txt", b"INTERNET-D", b"LOCALHOST(15250)", b"ASCII", b"AFTP/pub/rfc/rfc1738.txt", 0
        ),
        "a link, two blanks behind its word",
    ),
    (
        b"LINK  L FILE x INTERNET-D h ASCII y 0 DEST-EXP 19951231235959Z",
        Link(b"L", b"FILE", b"x", b"INTERNET-D", b"h", b"ASCII", b"y", 0, (b"DEST-EXP", b"19951231235959Z")),
        "a link that expires",
    ),
    (
        b"LINK  L DIRECTORY+FILE x INTERNET-D h ASCII '' 3",
        Link(b"L", b"DIRECTORY+FILE", b"x", b"INTERNET-D", b"h", b"ASCII", b"", 3),
        "the plus sign of a target is structure; a name may be empty",
    ),
    (
        b"LINK L NULL listonly NULL NULL NULL NULL 0",
        Link(b"L", b"NULL", b"listonly", b"NULL", b"NULL", b"NULL", b"NULL", 0),
        "a link that may not be read, one blank behind its word",
    ),
    (
        b"LINK L NULL two words NULL NULL NULL NULL 0",
        Link(b"L", b"NULL", b"two words", b"NULL", b"NULL", b"NULL", b"NULL", 0),
        "its name is not quoted",
    ),
    (
        b"LINK L NULL it's NULL NULL NULL NULL 0",
        Link(b"L", b"NULL", b"it's", b"NULL", b"NULL", b"NULL", b"NULL", 0),
        "so that an apostrophe in it is no quote",
    ),
    (
        b"LINK  L NULL '''both''' NULL NULL NULL NULL 0",
        Link(b"L", b"NULL", b"'both'", b"NULL", b"NULL", b"NULL", b"NULL", 0),
        "unless it must be quoted to be read",
    ),
    (
        b"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 271828' bytes'",
        Attribute(b"OBJECT", b"INTRINSIC", b"SIZE", b"SEQUENCE", (b"271828 bytes",)),
        "an attribute with its type",
    ),
    (
        b"ATTRIBUTE LINK APPLICATION EMPTY SEQUENCE",
        Attribute(b"LINK", b"APPLICATION", b"EMPTY", b"SEQUENCE", ()),
        "a sequence of nothing",
    ),
    (
        b"ATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP '' '' '' '' BINARY",
        Attribute(b"CACHED", b"FIELD", b"ACCESS-METHOD", b"", (b"AFTP", b"", b"", b"", b"", b"BINARY")),
        "a well-known FIELD has no type word",
    ),
    (
        b"ATTRIBUTE LINK FIELD ID SEQUENCE REMOTE 777",
        Attribute(b"LINK", b"FIELD", b"ID", b"SEQUENCE", (b"REMOTE", b"777")),
        "or has it all the same",
    ),
    (
        b"ATTRIBUTE LINK FIELD OWNER SEQUENCE",
        Attribute(b"LINK", b"FIELD", b"OWNER", b"", (b"SEQUENCE",)),
        "with nothing behind it, the word is the value",
    ),
    (
        b"ATTRIBUTE LINK FIELD FILTER FILTER  DIRECTORY CLIENT POST PREDEFINED ATTRIBUTE ARGS size 10",
        Attribute(
            b"LINK", b"FIELD", b"FILTER", b"FILTER",
            (b"DIRECTORY", b"CLIENT", b"POST", b"PREDEFINED", b"ATTRIBUTE", b"ARGS", b"size", b"10"),
        ),
        "a filter, two blanks behind its type",
    ),
    (
        b"ATTRIBUTE LINK APPLICATION SEE-ALSO LINK L FILE '' INTERNET-D h ASCII '/pfs/x' 0",
        Attribute(
            b"LINK", b"APPLICATION", b"SEE-ALSO", b"LINK",
            Link(b"L", b"FILE", b"", b"INTERNET-D", b"h", b"ASCII", b"/pfs/x", 0),
        ),
        "a link as a value",
    ),
    (
        b"ATTRIBUTE> CACHED APPLICATION SUB SEQUENCE nested one",
        Attribute(b"CACHED", b"APPLICATION", b"SUB", b"SEQUENCE", (b"nested", b"one"), 1),
        "an attribute of that link",
    ),
    (
        b"FORWARDED INTERNET-D other.example(1600) ASCII '/pfs/x' 0",
        Forwarded(Link(b"L", b"OBJECT", b"", b"INTERNET-D", b"other.example(1600)", b"ASCII", b"/pfs/x", 0)),
        "moved",
    ),
    (b"UNRESOLVED rfc x", Line(b"UNRESOLVED", Names(b"rfc"), Names(b"x")), "one token a name"),
    (b"UNRESOLVED rfc/x'/y'", Line(b"UNRESOLVED", Names(b"rfc", b"x/y")), "older servers: one token, with slashes"),
    (b"FAILURE NOT-FOUND", Complaint(b"FAILURE", b"NOT-FOUND"), "a failure"),
    (
        b"FAILURE NOT-FOUND FILTER This server does not support it.",
        Complaint(b"FAILURE", b"NOT-FOUND", b"FILTER This server does not support it."),
        "with words, whose blanks are no separators",
    ),
    (b"ERROR Unknown message: BOGUS", Complaint(b"ERROR", b"", b"Unknown message: BOGUS"), "an error has no code"),
    (b"WARNING OUT-OF-DATE", Complaint(b"WARNING", b"OUT-OF-DATE"), "a warning"),
    (b"NONE-FOUND", Line(b"NONE-FOUND"), "nothing there"),
    (b"SUCCESS", Line(b"SUCCESS"), "done"),
    (b"VERSION 5 P53.17May94b", Line(b"VERSION", b"5", b"P53.17May94b"), "the version of the server"),
    (b"ID REMOTE 42", Line(b"ID", b"REMOTE", b"42"), "an identifier on a line of its own"),
    (b"ACL ASRTHOST '' ALRWD alice@127.0.0.1", Line(b"ACL", b"ASRTHOST", b"", b"ALRWD", b"alice@127.0.0.1"), "an ACL"),
    (b"PARAMETER NOTSET MOTD", Line(b"PARAMETER", b"NOTSET", b"MOTD"), "a parameter"),
    (b"  Files: 0(1)open, 0 waits", Text(b"  Files: 0(1)open, 0 waits"), "a line that nobody knows is no error"),
    (b"ATTRIBUTES of mine", Text(b"ATTRIBUTES of mine"), "nor is one that begins like another"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "line", "reason"), LINES, ids=[row[2] for row in LINES])
def test_reads_and_writes_the_lines_of_replies(raw: bytes, line: ReplyLine, reason: str) -> None:
    assert read_reply(raw + b"\n") == [line]
    assert write_message([line]) == raw + b"\n"


def test_the_version_refusal_has_no_line_feed() -> None:
    assert write_message(read_reply(b"VERSION-NOT-SUPPORTED TRY 1-5")) == b"VERSION-NOT-SUPPORTED TRY 1-5"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"ERROR Invalid arguments: DIRECTORY' ASCII'", b"Invalid arguments: DIRECTORY ASCII"),
        (b"WARNING MESSAGE don''t", b"dont"),  # quotes around nothing
        (b"WARNING MESSAGE 'don''t'", b"don't"),
        (b"FAILURE TOO-MANY  a   b", b"a   b"),
    ],
)
def test_unquotes_texts_and_keeps_their_blanks(text: bytes, value: bytes) -> None:
    [complaint] = read_reply(text)
    assert isinstance(complaint, Complaint)
    assert complaint.text == value


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"LINK  L FILE x INTERNET-D h ASCII y", "A LINK of a Prospero directory has eight tokens or more"),
        (b"LINK  L FILE x INTERNET-D h ASCII y seven", "The version of a Prospero object is a number"),
        (b"LINK  L FILE x INTERNET-D h ASCII y 99999999999999", "The version of a Prospero object is a number"),
        (b"ATTRIBUTE OBJECT FIELD", "An ATTRIBUTE has a precedence, a namespace and a name"),
        (b"ATTRIBUTE LINK APPLICATION SEE-ALSO LINK L FILE", "A LINK of a Prospero directory has eight tokens"),
        (b"FORWARDED INTERNET-D h ASCII", "FORWARDED names the new place in five tokens"),
    ],
)
def test_what_lacks_tokens_is_an_error(raw: bytes, words: str) -> None:
    with pytest.raises(RemoteProtocolError, match=words):
        read_reply(raw)


def test_attributes_are_nested_only_so_deep() -> None:
    line = b"ATTRIBUTE%b LINK APPLICATION X SEQUENCE"
    assert read_reply(line % (b">" * MAX_DEPTH))[0] == Attribute(
        b"LINK", b"APPLICATION", b"X", b"SEQUENCE", (), MAX_DEPTH
    )
    with pytest.raises(LimitError, match="An attribute is nested 17 deep") as caught:
        read_reply(line % (b">" * (MAX_DEPTH + 1)))
    assert caught.value.limit == "MAX_DEPTH"


def test_a_link_of_version_1_keeps_what_it_has_more() -> None:
    [link] = read_reply(b"LINK L FILE x INTERNET-D h ASCII AFTP/pub/x 0 0")
    assert link == Link(b"L", b"FILE", b"x", b"INTERNET-D", b"h", b"ASCII", b"AFTP/pub/x", 0, (b"0",))


class TestReplies(ProtocolContract):
    cases = (
        (b"WARNING MESSAGE x\n" + LINK + b"\nATTRIBUTE OBJECT FIELD OWNER a\n", b"LINK"),
        (b"LINK L NULL it's NULL NULL NULL NULL 0\nFAILURE NOT-FOUND\n", b"'"),
        (b"LINK  L FILE line'\nfeed' INTERNET-D h ASCII '/a\nb' 0\n", b"\n"),
    )

    def read(self, pieces: Sequence[bytes]) -> list[ReplyLine]:
        reader = ReplyLineReader()
        return [line for piece in pieces for line in reader.feed(piece)]


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


@pytest.mark.parametrize(
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
