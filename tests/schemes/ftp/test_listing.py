"""Directories: what a listing becomes, and whose children its entries are."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.dialogue import Entry, Options, Verb
from anyurl.errors import (
    AnyURLError,
    DeniedError,
    LimitError,
    NotFoundError,
    TransferTimeout,
    Truncated,
    UnavailableError,
)
from anyurl.grammar import parse
from anyurl.grammar.grammars import GrammarName
from anyurl.schemes.ftp.listing import BATCH
from anyurl.schemes.ftp.parts import FtpParts
from anyurl.schemes.kit.lines import LINES_AT_MOST
from anyurl.schemes.registry import find_scheme
from anyurl.url import URL
from tests.rows import each_row
from tests.schemes.ftp.ftp_script import END, RESET, VSFTPD, Answer, Rehearsed


def run(text: str, verb: Verb = "list", answers: dict[str, Answer] | None = None, **how: Any) -> Rehearsed:
    url = URL(text)
    how.setdefault("holds", "directory")
    return Rehearsed(find_scheme(url.scheme).verbs[verb](url, Options()), answers, **how)


def seen(entries: list[Entry]) -> list[tuple[str, str, str | None, int | None]]:
    return [(entry.name, str(entry.url), entry.kind, entry.size) for entry in entries]


# --- what the entries are ---------------------------------------------------------------------------------------------


def test_a_directory_by_mlsd() -> None:
    done = run("ftp://h/pub/")
    assert done.error is None
    assert seen(done.entries) == [
        ("README", "ftp://h/pub/README", "document", 29),
        ("pub", "ftp://h/pub/pub/", "listing", None),
    ]
    assert done.entries[0].modified == 786_240_000.0
    assert done.entries[0].attributes == {"type": "file", "size": "29", "modify": "19941201000000"}
    assert done.described is not None
    assert done.described.kind == "listing"


def test_a_directory_by_list() -> None:
    done = run("ftp://h/pub/", features=VSFTPD)
    assert seen(done.entries) == [
        ("README", "ftp://h/pub/README", "document", 29),
        ("pub", "ftp://h/pub/pub/", "listing", None),
    ]
    assert done.entries[0].attributes == {"mode": "-rw-r--r--", "links": "1", "owner": "ftp", "group": "ftp"}


CHILDREN: list[tuple[str, str, bytes, str | None]] = [
    ("a child of the top", "ftp://h", b"a", "ftp://h/a"),
    ("a child of the top, with its slash", "ftp://h/", b"a", "ftp://h/a"),
    ("a child of an encoded directory", "ftp://h/%2Fetc/", b"a", "ftp://h/%2Fetc/a"),
    ("a child of an empty directory", "ftp://h//", b"a", "ftp://h//a"),
    ("a child of a child", "ftp://u@h:2121/a/b/", b"c", "ftp://u@h:2121/a/b/c"),
    ("a child by TLS", "ftps://h/a/", b"c", "ftps://h/a/c"),
    ("a semicolon", "ftp://h/", b"a;type=d", "ftp://h/a%3Btype=d"),
    ("a question mark, a hash, a per cent sign, a space", "ftp://h/", b"?# %", "ftp://h/%3F%23%20%25"),
    ("a path stays one segment", "ftp://h/a/", b"../../etc/passwd", "ftp://h/a/..%2F..%2Fetc%2Fpasswd"),
    ("UTF-8", "ftp://h/", "ü".encode(), "ftp://h/%C3%BC"),
    ("octets that are not UTF-8", "ftp://h/", b"\xff", "ftp://h/%FF"),
    ("a tilde", "ftp://h/", b"~x", "ftp://h/~x"),
    ("a CR could never be asked for", "ftp://h/", b"a\rb", None),
    ("nor could NUL", "ftp://h/", b"a\0b", None),
    ("a fragment of the directory's URL is not the child's", "ftp://h/a/#x", b"b", "ftp://h/a/b"),
]


@each_row(("folder", "name", "child"), [row[1:] for row in CHILDREN], ids=[row[0] for row in CHILDREN])
def test_an_entry_is_a_child_of_its_directory(folder: str, name: bytes, child: str | None) -> None:
    done = run(folder, data=b"type=file; " + name + b"\r\n", answers={"USER": b"230 in\r\n"})
    (entry,) = done.entries
    assert (entry.url if entry.url is None else str(entry.url)) == child
    assert entry.name.encode("utf-8", "surrogateescape") == name
    if entry.url is not None:
        parts, above = entry.url.parts, URL(folder).parts
        assert (parts.directories, parts.name.encode("utf-8", "surrogateescape")) == (above.directories, name)


@pytest.mark.parametrize("grammar", ["rfc1738", "rfc1738-draft07"])
def test_a_child_is_read_as_its_directory_was(grammar: GrammarName) -> None:
    """By today's grammar the host of its text is another one, or none at all."""
    folder = parse("ftp://a?b:c@h/pub/;type=d#f", grammar).replace(parts=FtpParts(("pub",), "", None))
    data = b"type=file; ~x;y\r\ntype=dir; z\r\ntype=file; n\0\r\n"
    done = Rehearsed(find_scheme("ftp").verbs["list"](folder, Options()), data=data, holds="directory")
    assert [(entry.url and (str(entry.url), entry.url.host, entry.url.user)) for entry in done.entries] == [
        ("ftp://a?b:c@h/pub/%7Ex%3By", "h", "a?b"),
        ("ftp://a?b:c@h/pub/z/", "h", "a?b"),
        None,
    ]


def test_a_child_whose_url_would_be_longer_than_any_has_none() -> None:
    done = run("ftp://h/" + f"{'a' * 6_000}/" * 10, data=b"type=file; " + b"\xff" * 4000 + b"\r\n")
    assert [entry.url for entry in done.entries] == [None]


UNSAFE = [b"..", b"a/b", b"/etc/passwd", b"a\\b", b"a\x1b[31m", b"a\tb", b"a\x7fb", "a\u202eb".encode(), b"a\0b"]
SAFE = [b"a", b".bashrc", b"-rf", b"a b", b"caf\xe9", "café".encode(), b"...", b"~a", b"a:b"]


@each_row("name", UNSAFE + SAFE)
def test_a_name_that_is_more_than_a_name_is_marked(name: bytes) -> None:
    (entry,) = run("ftp://h/", data=b"type=file; " + name + b"\r\n").entries
    assert entry.attributes.get("unsafe", False) is (name in UNSAFE)


def test_links_are_neither_documents_nor_listings_until_followed() -> None:
    line = b"lrwxrwxrwx 1 ftp ftp 7 Jan 05  2001 bin -> usr/bin\r\n"
    (entry,) = run("ftp://h/", data=line, features=VSFTPD).entries
    assert (entry.kind, str(entry.url), entry.attributes["link"]) == (None, "ftp://h/bin", "usr/bin")


def test_entries_go_out_in_batches_and_as_they_come() -> None:
    lines = [b"type=file; %04d\r\n" % number for number in range(1200)]
    done = run("ftp://h/", data=[[b"".join(lines[:700]), b"".join(lines[700:])]])
    assert [entry.name for entry in done.entries] == [f"{number:04d}" for number in range(1200)]


@pytest.mark.parametrize("path", ["", "x/", "x;type=d"])
def test_no_step_of_a_large_listing_takes_more_than_a_few_entries(path: str) -> None:
    """However much the server has sent already: the loop has other work."""
    done = run(f"ftp://h/{path}", data=b"".join(b"type=file; %05d\r\n" % number for number in range(9000)))
    assert len(done.entries) == sum(done.batches) == 9000
    assert max(done.batches) <= BATCH
    assert done.largest_piece == LINES_AT_MOST


ALSO = b"-rw-r--r-- 1 ftp ftp 1 Jan 05  2001 also\r\n"


@pytest.mark.parametrize(
    ("lines", "note"),
    [
        (b"\x1b[2J what\r\nand this\r\n", "2 lines of the listing are not understood; the first is: “\\x1b[2J what”"),
        (b"what\r\n", "a line of the listing is not understood; it is: “what”"),
    ],
    ids=["two", "one"],
)
def test_the_names_in_lines_that_are_not_understood_are_asked_for(lines: bytes, note: str) -> None:
    done = run("ftp://h/", data=[b"total 3\r\n" + lines + ALSO, b"also\r\nfeb\r\n./jan\r\n.\r\n"], features=VSFTPD)
    assert (done.error, done.notes[0]) == (None, note)
    assert done.notes[1] == "the names alone of 2 entries are known: the server's NLST gave them"
    assert [(entry.name, entry.size) for entry in done.entries] == [("also", 1), ("feb", None), ("jan", None)]


def test_a_listing_by_mlsd_that_is_understood_in_part_is_completed_too() -> None:
    done = run("ftp://h/", data=[b"type=file;size=1; a\r\nwhat?\r\n", b"a\r\nb\r\n"])
    assert [(entry.name, entry.size) for entry in done.entries] == [("a", 1), ("b", None)]


def test_a_space_in_a_fact_hides_no_name() -> None:
    lines = b"type=file;size=1;UNIX.group=domain users; a b\r\ntype=dir;UNIX.owner=x y;UNIX.mode=0755; d; e\r\n"
    done = run("ftp://h/", data=lines)
    assert (done.error, done.notes) == (None, [])
    assert [(entry.name, entry.kind, entry.size) for entry in done.entries] == [
        ("a b", "document", 1), ("d; e", "listing", None),
    ]  # fmt: skip
    mlst = b"250-ok\r\n type=file;size=5;UNIX.group=domain users; f\r\n250 end\r\n"
    done = run("ftp://h/f", "stat", answers={"MLST": mlst})
    assert (done.error, done.described and done.described.size) == (None, 5)


@pytest.mark.parametrize("reply", [b"500 what?\r\n", b"502 no\r\n", b"504 no\r\n"])
@pytest.mark.parametrize("url", ["ftp://h/d", "ftp://h/d/"])
def test_a_server_whose_features_name_an_mlsd_that_it_has_not_gets_list(url: str, reply: bytes) -> None:
    done = run(url, data=ALSO, answers={"MLSD": reply, "MLST": reply})
    assert (done.error, [str(entry.url) for entry in done.entries]) == (None, ["ftp://h/d/also"])
    assert "LIST" in done.commands


def test_a_directory_that_mlsd_says_is_not_there_may_have_a_list() -> None:
    assert run("ftp://h/d/", data=ALSO, answers={"MLSD": b"550 failed\r\n"}).error is None


@pytest.mark.parametrize("text", [b"No data sets found.", b"No members found"])
def test_nothing_on_z_os_is_an_empty_directory(text: bytes) -> None:
    done = run("ftp://h/d/", features=VSFTPD, answers={"LIST": b"550 " + text + b"\r\n"})
    assert (done.error, done.entries) == (None, [])


LOCAL = b"-rw-r--r-- 1 ftp ftp 1 Mrz 05  2001 a\r\n"
"""A line with a month of another language."""

NAMES_ALONE = "the names alone are known: the server's NLST gave them"


@pytest.mark.parametrize("names", [b"a\r\nb c\r\n", b""])
def test_of_a_listing_in_which_nothing_is_understood_the_names_are_asked_for(names: bytes) -> None:
    done = run("ftp://h/pub/", data=[LOCAL, names], features=VSFTPD)
    assert (done.error, done.commands[-3:]) == (None, ["LIST", "EPSV", "NLST"])
    expected = [("a", "ftp://h/pub/a", None, None), ("b c", "ftp://h/pub/b%20c", None, None)]
    assert seen(done.entries) == (expected if names else [])
    assert [NAMES_ALONE in note for note in done.notes] == [False, True]
    assert len(done.keeps) == 1


def test_a_server_without_names_leaves_the_remark() -> None:
    done = run("ftp://h/", answers={"NLST": b"502 no\r\n"}, data=LOCAL, features=VSFTPD)
    assert (done.error, done.entries, len(done.notes), len(done.keeps)) == (None, [], 2, 1)
    assert done.notes[1].startswith("the listing is not whole")


def test_names_that_break_off_are_no_whole_listing() -> None:
    done = run("ftp://h/", data=[LOCAL, b"a\r\n"], features=VSFTPD, answers={"NLST": b"150 ok\r\n426 no\r\n"})
    assert isinstance(done.error, Truncated)


EMPTY = [("450", b"450 No files found\r\n"), ("550", b"550 No files found.\r\n")]


@pytest.mark.parametrize("reply_error", [row[1] for row in EMPTY], ids=[row[0] for row in EMPTY])
@pytest.mark.parametrize(("url", "command"), [("ftp://h/a/", "LIST"), ("ftp://h/a/;type=d", "NLST")])
def test_no_files_is_an_empty_directory(url: str, command: str, reply_error: bytes) -> None:
    done = run(url, answers={command: reply_error}, features=VSFTPD)
    assert (done.error, done.entries, len(done.keeps)) == (None, [], 1)


# --- which command ----------------------------------------------------------------------------------------------------


def test_a_server_that_knows_no_feat_is_asked_by_list() -> None:
    done = run("ftp://h/", answers={"FEAT": b"500 ?\r\n"}, data=b"")
    assert done.commands[2:] == ["FEAT", "EPSV", "LIST"]


@pytest.mark.parametrize("answer", [b"500 ?\r\n", b"502 no\r\n", b"504 no\r\n"])
def test_a_server_whose_mlsd_is_unknown_after_all_is_asked_by_list(answer: bytes) -> None:
    done = run("ftp://h/", answers={"MLSD": answer}, data=b"")
    assert (done.error, done.commands[2:]) == (None, ["FEAT", "EPSV", "MLSD", "OPTS UTF8 ON", "EPSV", "LIST"])


def test_utf8_is_asked_for_before_list_and_not_before_mlsd() -> None:
    assert run("ftp://h/", features=("UTF8",)).commands[2:] == ["FEAT", "OPTS UTF8 ON", "EPSV", "LIST"]
    assert run("ftp://h/", features=("UTF8", "MLST")).commands[2:] == ["FEAT", "EPSV", "MLSD"]


NAMES: list[tuple[str, str, bytes, list[tuple[str, str]]]] = [
    ("names as they stand in the directory", "ftp://h/pub/x;type=d", b"a\r\nb c\r\n",
     [("a", "ftp://h/pub/x/a"), ("b c", "ftp://h/pub/x/b%20c")]),
    ("names as the argument leads to them", "ftp://h/pub/x;type=d", b"x/a\r\nx/b\r\n",
     [("a", "ftp://h/pub/x/a"), ("b", "ftp://h/pub/x/b")]),
    ("the name of a file", "ftp://h/pub/x;type=d", b"x\r\n", [("x", "ftp://h/pub/x")]),
    ("a file with the name of its directory", "ftp://h/pub/x;type=d", b"x\r\ny\r\n",
     [("x", "ftp://h/pub/x/x"), ("y", "ftp://h/pub/x/y")]),
    ("the directory itself is no child", "ftp://h/pub/x;type=d", b".\r\n..\r\na\r\n", [("a", "ftp://h/pub/x/a")]),
    ("nor is it when it stands behind the argument", "ftp://h/pub/x;type=d", b"x/.\r\nx/..\r\nx/a\r\n",
     [("a", "ftp://h/pub/x/a")]),
    ("without a name", "ftp://h/pub/;type=d", b"a\r\n", [("a", "ftp://h/pub/a")]),
    ("nothing", "ftp://h/pub/x;type=d", b"", []),
]  # fmt: skip


@each_row(("url", "data", "entries"), [row[1:] for row in NAMES], ids=[row[0] for row in NAMES])
@each_row("verb", ["get", "list"])
def test_names_belong_where_they_are(verb: Verb, url: str, data: bytes, entries: list[tuple[str, str]]) -> None:
    done = run(url, verb, data=data, holds="names")
    assert done.error is None
    assert [(entry.name, str(entry.url)) for entry in done.entries] == entries
    assert {entry.kind for entry in done.entries} <= {None}


# --- a name that may be a directory or a file -------------------------------------------------------------------------


def test_a_name_that_is_a_directory() -> None:
    done = run("ftp://h/pub/x", data=b"type=file;size=3; a\r\n")
    assert seen(done.entries) == [("a", "ftp://h/pub/x/a", "document", 3)]


def test_a_name_that_is_a_file() -> None:
    done = run("ftp://h/pub/x", answers={"MLSD": b"501 not a directory\r\n"}, holds="file")
    assert done.error is None
    assert done.commands[-2:] == ["MLSD x", "MLST x"]
    assert done.described is not None
    assert done.described.kind == "listing"
    assert seen(done.entries) == [("x", "ftp://h/pub/x", "document", 29)]


def test_a_name_that_is_nothing() -> None:
    done = run("ftp://h/pub/x", answers={"MLSD": b"550 no such\r\n", "MLST": b"550 no such\r\n"})
    assert type(done.error) is NotFoundError
    assert str(done.error) == "h does not list 'x': “550 no such”."


def test_a_directory_that_may_not_be_listed_is_no_file() -> None:
    done = run("ftp://h/pub/x", answers={"MLSD": b"550 Permission denied\r\n"})
    assert type(done.error) is DeniedError


def test_a_name_that_is_a_file_on_a_server_without_mlsd() -> None:
    data = b"-rw-r--r-- 1 a b 1 Jan 05  2001 xx\r\n-rw-r--r-- 1 a b 7 Jan 05  2001 x\r\n"
    done = run("ftp://h/pub/x", answers={"CWD x": b"550 no\r\n"}, data=data, features=VSFTPD)
    assert done.error is None
    assert done.commands[2:] == ["CWD pub", "FEAT", "CWD x", "EPSV", "LIST"]
    assert seen(done.entries) == [("x", "ftp://h/pub/x", "document", 7)]


def test_a_name_that_is_nothing_on_a_server_without_mlsd() -> None:
    done = run("ftp://h/pub/x", answers={"CWD x": b"550 no such\r\n"}, features=VSFTPD)
    assert type(done.error) is NotFoundError
    done = run("ftp://h/pub/x", answers={"CWD x": b"550 no such\r\n", "LIST": b"450 no\r\n"}, features=VSFTPD)
    assert type(done.error) is NotFoundError


# --- faults -----------------------------------------------------------------------------------------------------------

FAULTS: list[tuple[str, str, dict[str, Any], type[AnyURLError]]] = [
    ("no such directory", "ftp://h/a/", {"answers": {"CWD": b"550 no\r\n"}}, NotFoundError),
    ("listing refused", "ftp://h/", {"answers": {"MLSD": b"550 Permission denied\r\n"}}, DeniedError),
    ("listing refused for now", "ftp://h/", {"answers": {"LIST": b"425 no\r\n"}, "features": VSFTPD}, UnavailableError),
    ("names refused", "ftp://h/x;type=d", {"answers": {"NLST": b"550 no such\r\n"}}, NotFoundError),
    ("C4: broken off", "ftp://h/", {"answers": {"MLSD": b"150 x\r\n426 aborted\r\n"}}, Truncated),
    ("C5: no last word", "ftp://h/", {"answers": {"MLSD": b"150 x\r\n"}}, Truncated),
    ("C5: closed", "ftp://h/", {"answers": {"MLSD": [[b"150 x\r\n", END]]}}, Truncated),
    ("C5: names without a last word", "ftp://h/x;type=d", {"answers": {"NLST": b"150 x\r\n"}}, Truncated),
    ("a line without end", "ftp://h/", {"data": b"x" * 5000}, LimitError),
    (
        "MLST without facts",
        "ftp://h/x",
        {"answers": {"MLSD": b"550 no\r\n", "MLST": b"250 ok\r\n"}},
        NotFoundError,
    ),
]


@each_row(("url", "how", "error"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_a_fault_ends_with_an_error_of_the_tree(url: str, how: dict[str, Any], error: type[AnyURLError]) -> None:
    done = run(url, **how)
    assert type(done.error) is error
    assert done.keeps == []


def test_a_reset_in_a_listing_is_an_error() -> None:
    done = run("ftp://h/", data=[[b"type=file; a\r\n", RESET]])
    assert done.error is RESET


def test_the_total_clock_is_not_mistaken_for_a_missing_word() -> None:
    late = TransferTimeout("too long", clock="total")
    assert run("ftp://h/", answers={"MLSD": [[b"150 x\r\n", late]]}).error is late
