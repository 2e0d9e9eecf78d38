"""Lines of listings, one by one: every style (tests/data/ftp/list_lines.json), the facts of RFC 3659 7, and neither."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.schemes.ftp.wire.commands import MAX_SIZE
from anyurl.schemes.ftp.wire.list import (
    ListedName,
    is_heading,
    is_vms_name,
    read_dos,
    read_eplf,
    read_facts,
    read_unix,
    read_vms,
    text,
)
from tests.rows import each_row

DATA = json.loads((Path(__file__).parents[3] / "data" / "ftp" / "list_lines.json").read_text(encoding="utf-8"))
NOW = float(DATA["now"])
READERS = {
    "unix": lambda line: read_unix(line, NOW),
    "dos": read_dos,
    "vms": read_vms,
    "eplf": read_eplf,
}


def seconds(date: str | None) -> float | None:
    if date is None:
        return None
    shape = "%Y-%m-%d %H:%M:%S" if date.count(":") == 2 else "%Y-%m-%d %H:%M"
    when = dt.datetime.strptime(date, shape).replace(tzinfo=dt.UTC)
    return (when - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)).total_seconds()


def item_of(row: dict[str, Any]) -> ListedName | None:
    if row["item"] is None:
        return None
    name, kind, size, modified, facts = row["item"]
    return ListedName(name.encode("latin-1"), kind, size, seconds(modified), facts)


@each_row("row", DATA["rows"], ids=[f"{row['style']}: {row['reason']}" for row in DATA["rows"]])
def test_a_line_of_its_style(row: dict[str, Any]) -> None:
    assert READERS[row["style"]](row["line"].encode("latin-1")) == item_of(row)


@each_row("row", [row for row in DATA["rows"] if row["item"]], ids=lambda row: row["reason"])
def test_a_line_is_of_no_other_style(row: dict[str, Any]) -> None:
    others = [read(row["line"].encode("latin-1")) for style, read in READERS.items() if style != row["style"]]
    assert others == [None, None, None]


FACTS = [
    ("RFC 3659 7.2", b"type=file;size=25730;modify=19940728095854;perm=; cap60.pl198.tar.gz",
     ListedName(b"cap60.pl198.tar.gz", "document", 25730, 775389534.0,
          {"type": "file", "size": "25730", "modify": "19940728095854", "perm": ""})),
    ("names of facts in any case", b"Type=DIR;Modify=19941201000000; pub",
     ListedName(b"pub", "listing", None, 786240000.0, {"type": "dir", "modify": "19941201000000"})),
    ("spaces in a name", b"type=file; a  b ", ListedName(b"a  b ", "document", None, None, {"type": "file"})),
    ("no facts", b" x", ListedName(b"x")),
    ("the directory itself", b"type=cdir; .", ListedName(b".", "listing", None, None, {"type": "cdir"})),
    ("a link may be either", b"type=OS.unix=slink:/usr/bin; bin",
     ListedName(b"bin", None, None, None, {"type": "OS.unix=slink:/usr/bin"})),
    ("a size that is none", b"type=file;size=-1; x",
     ListedName(b"x", "document", None, None, {"type": "file", "size": "-1"})),
    ("a size that no file has", b"type=file;size=9223372036854775808; x",
     ListedName(b"x", "document", None, None, {"type": "file", "size": "9223372036854775808"})),
    ("a fact without a value", b"type=file;odd; x", ListedName(b"x", "document", None, None, {"type": "file"})),
    ("octets that are not UTF-8", b"type=file; \xff", ListedName(b"\xff", "document", None, None, {"type": "file"})),
    ("the last fact must end, too", b"type=file;size=3 x", None),
    ("no name", b"type=file; ", None),
    ("no space", b"type=file;size=3;x", None),
]  # fmt: skip


@each_row(("line", "item"), [row[1:] for row in FACTS], ids=[row[0] for row in FACTS])
def test_a_line_of_facts(line: bytes, item: ListedName | None) -> None:
    assert read_facts(line) == item


@pytest.mark.parametrize("types", ["dir", "cdir", "pdir", "DIR"])
def test_directories_of_facts(types: str) -> None:
    found = read_facts(b"Type=%b; x" % types.encode())
    assert found == ListedName(b"x", "listing", None, None, {"type": types.lower()})


@each_row(
    ("size", "found"),
    [
        (b"0", 0),
        (b"%d" % MAX_SIZE, MAX_SIZE),
        (b"%d" % (MAX_SIZE + 1), None),
        (b"0" * 18 + b"7", 7),  # nineteen digits
        (b"0" * 19 + b"7", None),
        (b"", None),
        (b"+1", None),
        ("\u0661".encode(), None),  # a digit, but not of the protocol
    ],
)
def test_sizes_of_facts(size: bytes, found: int | None) -> None:
    item = read_facts(b"size=%b; x" % size)
    assert item is not None
    assert (item.size, item.facts["size"]) == (found, text(size))


def test_the_last_of_two_facts_counts_and_values_may_hold_the_equals_sign() -> None:
    found = read_facts(b"unix.mode=0644;UNIX.mode=a=b;=x; y")
    assert found == ListedName(b"y", facts={"unix.mode": "a=b"})


@given(st.dictionaries(st.sampled_from(["perm", "unique", "x.y"]), st.text("abc 0=", max_size=4).map(str.strip)))
def test_facts_come_back(facts: dict[str, str]) -> None:
    facts = {key: value.replace(" ", "") for key, value in facts.items()}
    line = "".join(f"{key}={value};" for key, value in facts.items()) + " a name"
    assert read_facts(line.encode()) == ListedName(b"a name", facts=facts)


@given(st.integers(0, 4_102_444_799))
def test_every_date_until_2099_of_every_style(seconds: int) -> None:
    """As `datetime` has it, to the second or the minute that the style writes."""
    when = dt.datetime.fromtimestamp(seconds, dt.UTC)
    second, minute = when.replace(microsecond=0).timestamp(), when.replace(second=0, microsecond=0).timestamp()
    day = when.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    said = [
        (read_facts(when.strftime("modify=%Y%m%d%H%M%S; x").encode()), second),
        (read_eplf(f"+m{int(second)},\tx".encode()), second),
        (read_unix(when.strftime("-rw-r--r-- 1 a b 3 %b %d  %Y x").encode(), NOW), day),
        (read_unix(when.strftime("-rw-r--r-- 1 a b 3 %Y-%m-%d %H:%M:%S.5 +0000 x").encode(), NOW), second),
        (read_dos(when.strftime("%m-%d-%Y  %I:%M%p  3 x").encode()), minute),
        (read_dos(when.strftime("%Y-%m-%d  %H:%M  3 x").encode()), minute),
        (read_vms(when.strftime("X.Y;1 3 %d-%b-%Y %H:%M:%S").encode()), second),
        (read_vms(when.strftime("X.Y;1 3 %d-%b-%Y").encode()), day),
    ]
    assert [item and item.modified for item, _ in said] == [wanted for _, wanted in said]


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        (b"drwx------+ 3 joe staff 1 Jan 05  2001 x", ("drwx------", "3", "joe", "staff")),
        (b"drwx------ joe 1 Jan 05  2001 x", ("drwx------", None, "joe", None)),
        (b"drwx------ 1 Jan 05  2001 x", ("drwx------", None, None, None)),
        (b"drwx------ 3 joe a b 1 Jan 05  2001 x", ("drwx------", "3", "joe", "a b")),
    ],
)
def test_owners(line: bytes, facts: tuple[str | None, ...]) -> None:
    found = read_unix(line, NOW)
    assert found is not None
    assert tuple(found.facts.get(key) for key in ("mode", "links", "owner", "group")) == facts


@each_row(
    ("letter", "kind"),
    [
        ("-", "document"), ("C", "document"), ("n", "document"), ("d", "listing"), ("l", "link"), ("b", "device"),
        ("c", "device"), ("p", "pipe"), ("s", "socket"), ("D", "door"), ("P", None), ("M", None),
    ],
)  # fmt: skip
def test_letters_of_a_mode(letter: str, kind: str | None) -> None:
    found = read_unix(f"{letter}rw-r--r-- 1 a b 1,  3 Jan 05  2001 x".encode(), NOW)
    assert found is not None
    assert found.kind == (kind if kind in ("document", "listing") else None)
    assert found.facts.get("type") == (None if kind in ("document", "listing") else kind)
    assert found.size == (3 if kind == "document" else None)
    assert found.facts.get("device") == ("1,3" if kind == "device" else None)


@each_row(
    ("line", "found"),
    [
        (b"A.TXT;3", True), (b"A.TXT;99999 \t", True), (b"A;1", True), (b"A" * 255 + b";1", True),
        (b"A" * 256 + b";1", False), (b"A.TXT;999999", False), (b"A.TXT;", False), (b";1", False), (b"A.TXT", False),
        (b"A B;1", False), (b"[A]B;1", False), (b"A.TXT;3 2/9", False), (b"", False),
    ],
)  # fmt: skip
def test_a_name_alone(line: bytes, found: bool) -> None:
    assert is_vms_name(line) is found


@each_row(
    ("line", "found"),
    [
        (b"total 12", True), (b"Total 0", True), (b"insgesamt 12", True), (b"totale 4", True), (b"total", False),
        (b"totals 4", False), (b"Directory DISK$PUB:[ANONYMOUS]", True), (b"Directory of x", False),
        (b"Total of 7 files, 15/45 blocks", True), (b"Total of 1 entry", True), (b"Total of files", False),
        (b"Grand total of 2 directories", True), (b" total 12", False), (b"", False),
    ],
)  # fmt: skip
def test_a_heading(line: bytes, found: bool) -> None:
    assert is_heading(line) is found


def test_names_of_vms() -> None:
    assert read_vms(b".DIR;1  5-JAN-2001") == ListedName(b".DIR", "document", None, 978652800.0, {"version": "1"})
    found = read_vms(b"a.dir;2 1/9 5-jan-2001 [SYS,JOE] (RWED, RE,,)")
    facts = {"version": "2", "blocks": "1", "owner": "SYS,JOE", "mode": "RWED, RE,,"}
    assert found == ListedName(b"a", "listing", None, 978652800.0, facts)
    denied = read_vms(b"P.DIR;1 No privilege for attempted operation ")
    assert denied == ListedName(
        b"P", "listing", facts={"version": "1", "error": "No privilege for attempted operation"}
    )


def test_links_of_ms_dos() -> None:
    found = read_dos(b"11-21-03  09:04AM    <SYMLINKD>    x [C:\\y]")
    assert found is not None
    assert (found.name, found.kind, found.facts) == (b"x", "listing", {"type": "link", "link": "C:\\y"})
    found = read_dos(b"11-21-03  09:04AM    <SYMLINK>     x [y")
    assert found is not None
    assert (found.name, found.kind, found.facts) == (b"x", None, {"type": "link"})
    sizes = [read_dos(b"11-21-03  09:04AM  %b x" % size) for size in (b"0" * 18 + b"7", b"0" * 19 + b"7", b",.,")]
    assert [found and found.size for found in sizes] == [7, None, None]
    for hour, wanted in (("00", None), ("01", 3600.0), ("12", 0.0)):
        found = read_dos(f"01-01-70  {hour}:00AM  3 x".encode())
        assert found is not None
        assert found.modified == wanted


def test_facts_of_eplf() -> None:
    found = read_eplf(b"+i8388621.48594,up644,s%b,x,,m%b,r,\ta\tb" % (b"9" * 19, b"1" * 12))
    facts = {"unique": "8388621.48594", "mode": "644"}
    assert found == ListedName(b"a\tb", "document", None, 111111111111.0, facts)
    assert read_eplf(b"+s%b,m%b,\tx" % (b"0" * 20, b"0" * 13)) == ListedName(b"x")
    assert read_eplf(b"i1,\tx") is None


def test_values() -> None:
    one = ListedName(b"x", "document", 3, 4.0, {"a": "b"})
    assert (one, hash(one)) == (ListedName(b"x", "document", 3, 4.0, {"a": "b"}), hash((b"x", "document", 3, 4.0)))
    assert repr(one) == "Item(b'x', 'document', size=3, modified=4.0, {'a': 'b'})"
    others = [
        ListedName(b"y", "document", 3, 4.0, {"a": "b"}), ListedName(b"x", "listing", 3, 4.0, {"a": "b"}),
        ListedName(b"x", "document", 4, 4.0, {"a": "b"}), ListedName(b"x", "document", 3, 5.0, {"a": "b"}),
        ListedName(b"x", "document", 3, 4.0), b"x",
    ]  # fmt: skip
    assert [other for other in others if other == one] == []
    assert (ListedName(b"x", size=MAX_SIZE).size, ListedName(b"x", size=MAX_SIZE + 1).size) == (MAX_SIZE, None)
    assert text("\u00fc".encode() + b"\xff") == "\u00fc\udcff"


@given(st.binary(max_size=60))
def test_no_line_raises(line: bytes) -> None:
    found = [read_facts(line), read_eplf(line), read_unix(line, NOW), read_dos(line), read_vms(line)]
    assert all(item.name for item in found if item is not None)


@pytest.mark.parametrize(
    ("size", "read"),
    [
        (b"1,234,567", 1_234_567),
        (b"-1073741824", None),
        (b"7", 7),
    ],
)
def test_a_size_is_read_whole_or_not_at_all(size: bytes, read: int | None) -> None:
    item = read_unix(b"-rw-r--r-- 1 a b " + size + b" Jan 05  2001 x", 0.0)
    assert item is not None
    assert (item.name, item.size, item.facts["owner"], item.facts["group"]) == (b"x", read, "a", "b")
