"""The commands and objects of a Prospero server, against what the real one was seen to answer."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.schemes.prospero.wire.commands import (
    INTERNET,
    NO_PLACE,
    RELEASE,
    Commands,
    Item,
    Store,
    Stored,
    access,
    link,
    pattern,
    sequence,
)
from anyurl.schemes.prospero.wire.messages import ASCII, CONTENTS, Attribute, Line, Link, ReplyLine, read_reply
from tests.rows import each_row
from tests.schemes.prospero.wire.prospero_demo import HERE, store
from tests.schemes.prospero.wire.prospero_transcripts import NAMES, conversations, message

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


# --- objects ---------------------------------------------------------------------------------------------------------


def test_what_is_told_of_an_object() -> None:
    own = sequence(b"OBJECT", b"FIELD", b"OWN", b"x")
    size, modes = (sequence(b"OBJECT", b"INTRINSIC", name, b"1") for name in (b"SIZE", b"UNIX-MODES"))
    item = Item(attributes=[own], derived=[size, modes], contents=b"data")
    assert item.told(set()) == [own]
    assert item.told({b"SIZE"}) == item.told({b"SIZE", b"NONE"}) == [own, size]
    assert item.told({b"#ALL"}) == item.told({b"SIZE", b"UNIX-MODES"}) == [own, size, modes]
    assert item.told({CONTENTS}) == [Attribute(b"OBJECT", b"INTRINSIC", CONTENTS, b"SEQUENCE", (b"DATA", b"data"))]
    assert Item().told({CONTENTS}) == []
    assert Item(contents=b"").told({CONTENTS})[0].value == (b"DATA", b"")


def test_links_are_of_a_directory_alone() -> None:
    stored = Stored(link(b"FILE", b"a", b"here:191", b"/a"), iter([sequence(b"LINK", b"FIELD", b"A", b"1")]))
    assert Item().links is None
    assert Item(iter([])).links == []
    assert Item([stored]).links == [stored]
    assert len(stored.attributes) == 1
    moved = link(b"FILE", b"b", b"here:191", b"/b")
    assert (Item(forwarded=moved).forwarded, Item().forwarded, Item().hidden, Item(hidden="all").hidden) == (
        moved, None, "", "all",
    )  # fmt: skip


def test_names_are_looked_up_whole_and_then_by_rule() -> None:
    item, made = Item(), Item()
    asked: list[bytes] = []

    def make(rest: bytes) -> Item | None:
        asked.append(rest)
        return made if rest == b"x" else None

    store = Store({b"/a": item, b"R/fixed": item}, (b"/a", b"R/"), {b"R/": make})
    assert [store.find(name) for name in (b"/a", b"R/fixed", b"R/x", b"R/y", b"/b", b"/a/", b"")] == [
        item, item, made, None, None, None, None,
    ]  # fmt: skip
    assert asked == [b"x", b"y"]
    assert [store.is_published(name) for name in (b"/a", b"/abc", b"R/x", b"/", b"/b", b"")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip
    assert Store({}, ()).is_published(b"/a") is False
    assert Store({}, ()).find(b"/a") is None


def test_links_and_attributes() -> None:
    assert link(b"FILE", b"n", b"h", b"/n") == Link(b"L", b"FILE", b"n", INTERNET, b"h", ASCII, b"/n", 0)
    union = link(b"DIRECTORY", b"n", b"h", b"/n", 7, type=b"U")
    assert (union.type, union.version) == (b"U", 7)
    assert sequence(b"LINK", b"FIELD", b"A", b"1", b"2") == Attribute(b"LINK", b"FIELD", b"A", b"", (b"1", b"2"))
    assert sequence(b"LINK", b"INTRINSIC", b"A") == Attribute(b"LINK", b"INTRINSIC", b"A", b"SEQUENCE", ())
    method = access(b"AFTP", b"BINARY")
    assert (method.precedence, method.namespace, method.name) == (b"CACHED", b"FIELD", b"ACCESS-METHOD")
    assert method.value == (b"AFTP", *NO_PLACE, b"BINARY") == (b"AFTP", b"", b"", b"", b"", b"BINARY")
    assert access(b"X", place=(b"1", b"2", b"3", b"4")).value == (b"X", b"1", b"2", b"3", b"4")


@given(st.binary(max_size=8), st.binary(max_size=8))
def test_any_octets_are_a_pattern(words: bytes, name: bytes) -> None:
    try:
        expected = re.search(words, name) is not None
    except (re.error, OverflowError):
        expected = False
    assert pattern(words, name) is expected
    assert pattern(re.escape(words), name) is (words in name)


@pytest.mark.parametrize("words", [b"(", b"[", b"*", b"(" * 5000 + b")" * 5000, b"a{99999999999}"])
def test_patterns_that_are_none_find_nothing(words: bytes) -> None:
    assert pattern(words, words) is False
