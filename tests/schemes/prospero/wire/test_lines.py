"""Lines of Prospero messages: what each says, and that it is written again as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import AnyURLError, LimitError, RemoteProtocolError
from anyurl.schemes.prospero.wire.lines import (
    KNOWN_FIELDS,
    MAX_DEPTH,
    Attribute,
    Complaint,
    Forwarded,
    Line,
    Link,
    Names,
    ReplyLine,
    Text,
    read_attribute,
    read_line,
    read_link,
    read_reply_line,
)
from tests.rows import each_row

LINES: list[tuple[bytes, ReplyLine, str]] = [
    (
        b"LINK  L FILE rfc1738.txt INTERNET-D LOCALHOST(15250) ASCII AFTP'/pub/rfc/rfc1738.txt' 0",
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


@each_row(("raw", "line", "reason"), LINES, ids=[row[2] for row in LINES])
def test_reads_and_writes_the_lines_of_replies(raw: bytes, line: ReplyLine, reason: str) -> None:
    assert read_reply_line(raw) == line
    assert line.write() == raw


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
    complaint = read_reply_line(text)
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
        read_reply_line(raw)


def test_attributes_are_nested_only_so_deep() -> None:
    line = b"ATTRIBUTE%b LINK APPLICATION X SEQUENCE"
    assert read_reply_line(line % (b">" * MAX_DEPTH)) == Attribute(
        b"LINK", b"APPLICATION", b"X", b"SEQUENCE", (), MAX_DEPTH
    )
    with pytest.raises(LimitError, match="An attribute is nested 17 deep") as caught:
        read_reply_line(line % (b">" * (MAX_DEPTH + 1)))
    assert caught.value.limit == "MAX_DEPTH"


def test_a_link_of_version_1_keeps_what_it_has_more() -> None:
    link = read_reply_line(b"LINK L FILE x INTERNET-D h ASCII AFTP/pub/x 0 0")
    assert link == Link(b"L", b"FILE", b"x", b"INTERNET-D", b"h", b"ASCII", b"AFTP/pub/x", 0, (b"0",))


@each_row(
    ("text", "line"),
    [
        (b"", Line(b"")),
        (b"LIST '' COMPONENTS docs/rfc", Line(b"LIST", b"", b"COMPONENTS", Names(b"docs", b"rfc"))),
        (b"LIST COMPONENTS a b", Line(b"LIST", b"COMPONENTS", Names(b"a"), Names(b"b"))),
        (b"LIST '' COMPONENTS ''", Line(b"LIST", b"", b"COMPONENTS", Names(b""))),
        (b"LIST A+B COMPONENTS", Line(b"LIST", b"A+B", b"COMPONENTS")),  # a list of options is structure
        (b"LIST a b COMPONENTS c/d", Line(b"LIST", b"a", b"b", b"COMPONENTS", b"c/d")),  # too late to be the word
        (b"UNRESOLVED a'/'b/c", Line(b"UNRESOLVED", Names(b"a/b", b"c"))),
        (b"DIRECTORY ASCII '/a b' 3", Line(b"DIRECTORY", b"ASCII", b"/a b", b"3")),
    ],
)
def test_a_command(text: bytes, line: Line) -> None:
    assert read_line(text) == read_line(line.write()) == line


def test_tokens_as_octets() -> None:
    assert Line(b"UNRESOLVED", b"x", Names(b"a", b"b/c"), Names(b"")).octets() == (b"x", b"a/b/c", b"")
    assert [Names(*names).write() for names in ((b"",), (b"a", b"b"), (b"a/b",))] == [b"''", b"a/b", b"a'/b'"]


@pytest.mark.parametrize(
    ("rest", "expires"),
    [((), None), ((b"DEST-EXP",), None), ((b"DEST-EXP", b"1995"), b"1995"), ((b"X", b"1995"), None)],
)
def test_when_a_link_expires(rest: tuple[bytes, ...], expires: bytes | None) -> None:
    assert Link(b"L", b"FILE", b"x", b"T", b"h", b"ASCII", b"y", 0, rest).expires == expires


@pytest.mark.parametrize(
    ("version", "value"),
    [(b"0", 0), (b"-1", -1), (b"99999999999", 99999999999), (b"-9999999999", -9999999999), (b"007", 7)],
)
def test_versions(version: bytes, value: int) -> None:
    assert read_link(b"L FILE x T h ASCII y " + version).version == value
    for wrong in (b"", b"-", b"--1", b"1.0", b"100000000000", b"-99999999999"):
        with pytest.raises(RemoteProtocolError):
            read_link(b"L FILE x T h ASCII y " + (wrong or b"''"))


@each_row("name", KNOWN_FIELDS)
def test_the_type_of_a_known_field_may_be_said_or_not(name: bytes) -> None:
    type = KNOWN_FIELDS[name]
    value = b"L FILE x T h ASCII y 0" if type == b"LINK" else b"a b"
    bare, said = (read_attribute(b"LINK FIELD " + name + middle + value) for middle in (b" ", b" " + type + b" "))
    assert (bare.type, said.type, bare.value) == (b"", type, said.value)
    assert isinstance(said.value, Link) is (type == b"LINK")
    assert bare.tokens == ((b"h", b"y") if type == b"LINK" else (b"a", b"b"))
    # The same name elsewhere is nobody's: its first token is the type.
    assert read_attribute(b"LINK APPLICATION " + name + b" X a").type == b"X"


def test_complaints_are_written_as_they_are_read() -> None:
    for complaint in (
        Complaint(b"FAILURE", b"", b"words"), Complaint(b"ERROR", b"", b""), Complaint(b"ERROR", b"", b"two words"),
        Complaint(b"WARNING", b"MESSAGE", b"it's"),
    ):  # fmt: skip
        assert read_reply_line(complaint.write()) == complaint


def test_what_forwards_has_no_name() -> None:
    found = read_reply_line(b"FORWARDED INTERNET-D h(7) ASCII '/x'")
    assert found == Forwarded(Link(b"L", b"OBJECT", b"", b"INTERNET-D", b"h(7)", b"ASCII", b"/x", 0))
    found = read_reply_line(b"FORWARDED INTERNET-D h ASCII x 3 more")
    assert found == Forwarded(Link(b"L", b"OBJECT", b"", b"INTERNET-D", b"h", b"ASCII", b"x", 3, (b"more",)))


@given(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b" ").replace(b"\r", b" ").replace(b"\0", b"'")))
def test_whatever_a_line_holds(data: bytes) -> None:
    for line in (data, b"LINK " + data, b"ATTRIBUTE " + data, b"FORWARDED " + data, b"ERROR " + data):
        try:
            found = read_reply_line(line)
        except AnyURLError:
            continue
        assert read_reply_line(found.write()) == found
