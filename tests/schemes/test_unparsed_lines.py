"""One odd line hides nothing else: each codec gets a good reply with one odd line in each place.

Every other entry is delivered, and one note counts the odd lines.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import anyurl.schemes
from anyurl import Client, Policy
from anyurl.dialogue import Entry, Options
from anyurl.schemes.ftp.wire.listing import ListingReader
from anyurl.schemes.kit.unparsed import UnparsedLines
from anyurl.schemes.prospero.answers import DirectoryReply
from anyurl.schemes.prospero.wire.messages import read_reply
from anyurl.schemes.wais.parts import WaisParts
from anyurl.schemes.wais.search import find
from anyurl.schemes.wais.wire import fields as tags
from anyurl.schemes.wais.wire.fields import write_field
from anyurl.schemes.wais.wire.messages import WaisMessage
from anyurl.schemes.wais.wire.records import Unknown, hit, search_response
from anyurl.url import URL
from tests.rows import each_row
from tests.schemes.gemini.serving import saying
from tests.schemes.gopher.test_verbs import says
from tests.schemes.steps import Played
from tests.servers import Connection, Server

Lines = Sequence[bytes]
Read = Callable[[Lines], tuple[list[str], list[str]]]
"""Makes the names of entries and the notes of the lines of a reply."""


def block(lines: Lines) -> bytes:
    return b"".join(line + b"\r\n" for line in (*lines, b"."))


def told(server: Server, url: str, verb: str = "list", words: str = "") -> tuple[list[str], list[str]]:
    with server as at, Client(Policy.open()) as client:
        asked = {"words": words} if words else {}
        resource = getattr(client, verb)(url.format(at.authority), **asked)
        entries: list[Entry] = list(resource.entries())
        return [entry.name for entry in entries], list(resource.notes)


def menu(lines: Lines) -> tuple[list[str], list[str]]:
    return told(Server(says(block(lines))), "gopher://{}/1")


def attributes(lines: Lines) -> tuple[list[str], list[str]]:
    return told(Server(says(b"+-1\r\n" + block(lines))), "gopher://{}/1%09%09$")


def news(command: bytes, reply: bytes, path: str, verb: str = "list", words: str = "") -> Read:
    def read(lines: Lines) -> tuple[list[str], list[str]]:
        def part(connection: Connection) -> None:
            connection.send(b"200 hello\r\n")
            while line := connection.line():
                if line.startswith(command):
                    connection.send(reply + b"\r\n" + block(lines))
                elif line.startswith(b"GROUP"):
                    connection.send(b"211 9 1 9 g\r\n")
                elif line.startswith(b"LIST ACTIVE"):
                    connection.send(b"215 these\r\n" + block([b"a.b 2 1 y", b"c.d 2 1 y"]))
                else:
                    connection.send(b"500 no\r\n")

        return told(Server(part), f"nntp://{{}}/{path}" if command == b"OVER" else f"news://{{}}/{path}", verb, words)

    return read


def words(reply: bytes, url: str, verb: str = "list", asked: str = "") -> Read:
    def read(lines: Lines) -> tuple[list[str], list[str]]:
        def part(connection: Connection) -> None:
            connection.send(b"220 hello <1@h>\r\n")
            while line := connection.line():
                if line.startswith((b"SHOW", b"MATCH")):
                    connection.send(reply + b"\r\n" + block(lines) + b"250 ok\r\n")
                else:
                    connection.send(b"250 ok\r\n")

        return told(Server(part), url, verb, asked)

    return read


def directory(style: str) -> Read:
    def read(lines: Lines) -> tuple[list[str], list[str]]:
        reader = ListingReader(style)  # type: ignore[arg-type]
        found = reader.feed(b"".join(line + b"\r\n" for line in lines)) + reader.finish()
        return [item.name.decode() for item in found], [reader.odd.remark()] if reader.odd.count else []

    return read


def links(lines: Lines) -> tuple[list[str], list[str]]:
    reply = DirectoryReply()
    reply.feed(read_reply(b"".join(line + b"\n" for line in lines)))
    return [link.link.name.decode() for link in reply.links], [reply.odd.remark()] if reply.odd.count else []


def definitions(lines: Lines) -> tuple[list[str], list[str]]:
    """Each line is what a reply 151 says of the dictionary; one that does not name it has its text all the same."""

    def part(connection: Connection) -> None:
        connection.send(b"220 hello <1@h>\r\n")
        while line := connection.line():
            if line.startswith(b"DEFINE"):
                found = b"".join(b"151 " + line + b"\r\nIts text.\r\n.\r\n" for line in lines)
                connection.send(b"150 %d found\r\n" % len(lines) + found)
            connection.send(b"250 ok\r\n")

    with Server(part) as server, Client(Policy.open()) as client:
        listing = client.list(f"dict://{server.authority}/d:x")
        entries = list(listing.entries())
        assert len(entries) == len(lines)
        assert client.get(f"dict://{server.authority}/d:x").read().count(b"Its text.") == len(lines)
        return [name for entry in entries if (name := str(entry.attributes["database"]))], list(listing.notes)


def hits(lines: Lines) -> tuple[list[str], list[str]]:
    """Each line is a record of a search."""
    records = [Unknown(tags.HEADER_GROUP, line) for line in lines]
    url = URL("wais://h/db?x")
    assert isinstance(url.parts, WaisParts)
    reply = WaisMessage(search_response(records, status=0).octets()).octets()
    played = Played(find(url, url.parts, b"x", Options()), [reply])
    return [entry.name for entry in played.entries], played.notes


def _hit(name: bytes) -> bytes:
    record = hit(b"\1\1x", score=9, length=1, lines=1, types=[b"TEXT"], source=b"s", date=b"0", headline=name)
    return b"".join(write_field(tag, value) for tag, value in record.fields)


_OVERVIEW = [b"%d\ts %d\tme\tThu, 01 Dec 1994 00:00:00 GMT\t<%d@h>\t\t9\t1" % (n, n, n) for n in range(1, 5)]
_LINK = b"LINK L FILE %b INTERNET-D h ASCII /%b 0"

CASES: dict[str, tuple[Read, Lines, Lines]] = {
    # name: how its lines are read, good lines, odd lines
    "gopher menu": (menu, [b"0a\ta\th\t70", b"1b\tb\th\t70", b"9c\tc\th\t70"], [b"0x\0\tx\th\t70", b"\0", b"."]),
    "gopher+ attributes": (
        attributes, [b"+INFO: 0a\ta\th\t70", b"+INFO: 1b\tb\th\t70"],
        [b"+INFO: 0x\0\tx\th\t70", b"+ADMIN: \0", b" \0", b" a\rb", b"+INFO: 0x\ra\tx\th\t70"],
    ),
    "overview": (
        news(b"OVER", b"224 these", "g/1-9"), _OVERVIEW,
        [b"3\ta\0b" + b"\tx" * 6, b"3\ta\rb" + b"\tx" * 6, b"x", b"\xff"],
    ),
    "groups": (
        news(b"LIST ACTIVE", b"215 these", "*"), [b"a.b 2 1 y", b"c.d 2 1 y"],
        [b"x\0y 2 1 y", b"x\ry 2 1 y", b"x", b"x 1"],
    ),
    "descriptions": (
        news(b"LIST NEWSGROUPS", b"215 these", "*"), [b"a.b\tA", b"c.d\tB"], [b"a.b\tx\0", b"x\r\tx"],
    ),
    "new articles": (
        news(b"NEWNEWS", b"230 these", "a.*", "search", "since:1994-12-20"), [b"<1@h>", b"<2@h>"],
        [b"<x\0@h>", b"<x\r@h>", b"x", b"<x>"],
    ),
    "dictionaries": (words(b"110 these", "dict://{}/"), [b'a "A"', b'b "B"'], [b"x\0 y", b'x "a\rb"', b'"" x']),
    "matches": (
        words(b"152 these", "dict://{}/d:x", "search", "x"), [b'd "a"', b'd "b"'], [b"x\0 y", b'd "a\rb"', b'"" x'],
    ),
    "definitions": (definitions, [b'"x" a "A"', b'"x" b "B"'], [b"", b'"x"', b'"x" ""']),
    "wais hits": (hits, [_hit(b"a"), _hit(b"b")], [b"\0", b"x", _hit(b"c")[:-1], _hit(b"a\0c")]),
    "ftp LIST": (
        directory("list"), [b"-rw-r--r-- 1 a a 5 Jan 01 2020 x", b"drwxr-xr-x 1 a a 5 Jan 01 2020 y"],
        [b"what", b"\0", b"a\rb"],
    ),
    "ftp MLSD": (directory("mlsd"), [b"type=file; x", b"type=dir; y"], [b"what", b"\0"]),
    "prospero": (
        links, [_LINK % (b"a", b"a"), _LINK % (b"b", b"b")],
        [_LINK % (b"\0", b"x"), _LINK[:-1] % (b"a", b"a") + b"x", b"LINK L FILE", b"what", b"a\rb", b"ATTRIBUTE",
         b"FORWARDED"],
    ),
}  # fmt: skip


@each_row("name", CASES)
def test_one_odd_line_hides_nothing_else(name: str) -> None:
    read, good, odd = CASES[name]
    expected, nothing = read(good)
    assert len(expected) >= len(good) - 1
    assert not [note for note in nothing if "not understood" in note]
    for line in odd:
        for at in range(len(good) + 1):
            found, notes = read([*good[:at], line, *good[at:]])
            assert found == expected, (line, at)
            assert len([note for note in notes if "not understood" in note]) == 1, (line, at, notes)


@each_row("name", CASES)
def test_all_odd_lines_are_counted_in_one_note(name: str) -> None:
    read, good, odd = CASES[name]
    lines = [line for pair in zip(odd, [good[-1]] * len(odd), strict=True) for line in pair]
    _, notes = read([good[0], *lines])
    counted = [note for note in notes if "not understood" in note]
    assert len(counted) == 1
    assert counted[0].startswith(f"{len(odd)} lines" if len(odd) > 1 else "a line")


ELSEWHERE = {"gopher+ attributes": (b"+what", b""), "ftp LIST": (b"", b"A.TXT;1")}
"""What is odd as the first line of all, or as the last: a line of no attribute, and half an entry of VMS."""


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_line_that_is_odd_in_one_place_only(name: str) -> None:
    read, good, _ = CASES[name]
    first, last = ELSEWHERE[name]
    found, notes = read([line for line in (first, *good, last) if line])
    assert found == read(good)[0]
    assert len([note for note in notes if "not understood" in note]) == 1


GEMTEXT = [b"=>", b"=> \0 a\0", b"=> http://[ a", b"=> a\rb c", b"\0", b"\r", b"\xff", b"=> \xff"]


@each_row("line", GEMTEXT)
def test_any_line_of_a_gemini_page_is_text(line: bytes) -> None:
    """So that none is odd: a link that leads nowhere is an entry without a URL."""
    good = [b"=> one A", b"=> two B"]
    for at in range(len(good) + 1):
        lines = [*good[:at], line, *good[at:]]
        with saying(b"20 text/gemini\r\n" + b"\r\n".join(lines) + b"\r\n") as server, Client(Policy.open()) as client:
            listing = client.list(f"gemini://{server.authority}/")
            names = [entry.name for entry in listing.entries()]
        assert [name for name in names if name in ("one", "two")] == ["one", "two"]


# --- the list is complete --------------------------------------------------------------------------------------------

SCHEMES = Path(anyurl.schemes.__file__).parent

READERS = {"LineReader", "QuotedLineReader", "ReplyLineReader"}
"""What cuts octets into lines."""

NO_LISTING = {
    "gemini/verbs.py": "one line, the status",
    "gemini/wire/gemtext.py": "any line is text: `test_any_line_of_a_gemini_page_is_text`",
    "kit/replies.py": "replies: what a peer could abuse is read strictly",
    "news/wire/lists.py": "its lines are judged by news/groups.py",
    "prospero/wire/messages.py": "its lines are judged by prospero/answers.py",
    "ftp/wire/fake_server.py": "commands of anyurl",
}
"""Modules that read lines and count none of them as odd: why not."""


def called(path: Path) -> Iterator[tuple[str, ast.expr]]:
    """What the functions of a module call: the function's name, and the expression that is called."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield from ((node.name, each.func) for each in ast.walk(node) if isinstance(each, ast.Call))


def modules() -> dict[str, Path]:
    return {path.relative_to(SCHEMES).as_posix(): path for path in sorted(SCHEMES.rglob("*.py"))}


def test_every_module_that_reads_lines_counts_the_odd_ones() -> None:
    named = {
        name: {node.id for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Name)}
        for name, path in modules().items()
    }
    reading = {name for name, names in named.items() if names & READERS}
    assert {name for name in reading if "UnparsedLines" not in named[name]} == set(NO_LISTING)


def test_every_place_that_counts_odd_lines_is_tried_by_these_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    places = {
        (name, function)
        for name, path in modules().items()
        for function, call in called(path)
        if ast.unparse(call).endswith(("odd.add", "odd.read"))
    }
    tried = set()

    def noting(method: str) -> None:
        does = getattr(UnparsedLines, method)

        def noted(*args: Any) -> Any:
            code = sys._getframe(1).f_code
            if SCHEMES in (path := Path(code.co_filename)).parents:
                tried.add((path.relative_to(SCHEMES).as_posix(), code.co_name))
            return does(*args)

        monkeypatch.setattr(UnparsedLines, method, noted)

    noting("add")
    noting("read")
    for name, (read, good, odd) in CASES.items():
        first, last = ELSEWHERE.get(name, (b"", b""))
        read([line for line in (first, *good, *odd, last) if line])
    assert tried - {("kit/unparsed.py", "read")} == places - {("kit/unparsed.py", "read")}
