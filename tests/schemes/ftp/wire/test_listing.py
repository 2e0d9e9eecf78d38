"""Listings of every style become items, however they are cut; what nobody understands is kept aside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.errors import LimitError
from anyurl.schemes.ftp.wire import listing as ftp_listing
from anyurl.schemes.ftp.wire.list import ListedName
from anyurl.schemes.ftp.wire.listing import ListingReader, Style
from anyurl.schemes.kit.unparsed import MAX_UNPARSED_LINES
from tests.clocks import takes_less

NOW = 1_069_405_445.0
"""21 November 2003, 09:04:05 UTC."""


def read_listing(style: Style, pieces: list[bytes]) -> tuple[list[ListedName], list[bytes]]:
    reader = ListingReader(style, now=NOW)
    items: list[ListedName] = []
    for piece in pieces:
        items += reader.feed(piece)
    return items + reader.finish(), reader.odd.lines


UNIX = b"""total 12
drwxr-xr-x    3 ftp      ftp          4096 Nov 20 08:00 .
drwxr-xr-x    9 ftp      ftp          4096 Nov 20 08:00 ..
-rw-r--r--    1 ftp      ftp            10 Nov 20 08:00 a
what is this?

lrwxrwxrwx    1 ftp      ftp             1 Nov 20 08:00 b -> a
"""


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_unix_listing_however_it_is_cut(end: bytes) -> None:
    data = UNIX.replace(b"\n", end)
    for pieces in ([data], [bytes([octet]) for octet in data], [data.removesuffix(end)]):
        items, odd = read_listing("list", pieces)
        assert [(item.name, item.kind) for item in items] == [(b"a", "document"), (b"b", None)]
        assert odd == [b"what is this?"]


VMS = b"""
Directory DISK$PUB:[ANONYMOUS]

A.TXT;3                   2/9   21-NOV-2003 09:04:05  [SYSTEM,JOE] (RWED,RWED,RE,)
A.TXT;2                   1/9   20-NOV-2003 09:04:05  [SYSTEM,JOE] (RWED,RWED,RE,)
A_LONG_NAME_THAT_HAS_NO_ROOM.TXT;1
                          9/9   19-NOV-2003 09:04:05  [SYSTEM,JOE] (RWED,RWED,RE,)
ALONE.TXT;1
B.TXT;1                   2/9   18-NOV-2003 09:04:05  [SYSTEM,JOE] (RWED,RWED,RE,)
PUB.DIR;1                 1/9   17-NOV-2003 09:04:05  [SYSTEM,JOE] (RWE,RWE,RE,)
LAST.TXT;7

Total of 7 files, 15/45 blocks
"""


def test_a_vms_listing_has_entries_of_two_lines_and_versions() -> None:
    for pieces in ([VMS], [bytes([octet]) for octet in VMS]):
        items, odd = read_listing("list", pieces)
        assert [(item.name, item.kind, item.facts.get("blocks")) for item in items] == [
            (b"A.TXT", "document", "2"),
            (b"A.TXT;2", "document", "1"),
            (b"A_LONG_NAME_THAT_HAS_NO_ROOM.TXT", "document", "9"),
            (b"B.TXT", "document", "2"),
            (b"PUB", "listing", "1"),
        ]
        assert odd == [b"ALONE.TXT;1", b"LAST.TXT;7"]


def test_a_name_at_the_end_waits_for_nothing() -> None:
    assert read_listing("list", [b"ALONE.TXT;1\r\n"]) == ([], [b"ALONE.TXT;1"])


def test_mlsd_leaves_out_the_directory_itself_and_its_parent() -> None:
    data = b"type=cdir; /pub\r\ntype=pdir; /\r\ntype=dir; .\r\ntype=file; ..\r\ntype=dir; a\r\nnonsense\r\n"
    items, odd = read_listing("mlsd", [data])
    # A file called ".." is no parent: it stays, and is marked as unsafe by who makes a URL of it.
    assert [item.name for item in items] == [b"..", b"a"]
    assert odd == [b"nonsense"]


def test_nlst_is_names_and_nothing_else() -> None:
    items, odd = read_listing("nlst", [b"a b\r\n -rw \n\xff\r\n.\r\n\r\nx"])
    assert [item.name for item in items] == [b"a b", b" -rw ", b"\xff", b"x"]
    assert odd == []


def test_lines_kept_aside_are_counted_and_only_the_first_are_kept() -> None:
    reader = ListingReader("list", now=NOW)
    assert reader.feed(b"odd\n" * 1000) + reader.finish() == []
    assert (reader.odd.count, len(reader.odd.lines)) == (1000, MAX_UNPARSED_LINES)


def test_a_line_without_end_is_too_long() -> None:
    reader = ListingReader("list")
    with pytest.raises(LimitError) as caught:
        reader.feed(b"x" * 5000)
    assert caught.value.limit == "MAX_LISTING_LINE_BYTES"


def test_a_listing_without_end_has_too_many_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ftp_listing, "MAX_LISTING_ENTRIES", 100)
    reader = ListingReader("nlst")
    assert len(reader.feed(b"x\n" * 100)) == 100
    with pytest.raises(LimitError) as caught:
        reader.feed(b"x\n")
    assert caught.value.limit == "MAX_LISTING_ENTRIES"


def test_a_listing_without_end_has_too_many_octets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ftp_listing, "MAX_LISTING_BYTES", 100)
    reader = ListingReader("list")
    reader.feed(b"\n" * 100)
    with pytest.raises(LimitError) as caught:
        reader.feed(b"\n")
    assert caught.value.limit == "MAX_LISTING_BYTES"


GRAINS = [b"-rw-r--r-- ", b"drwx [", b"1 ", b"11", b" ", b"Nov ", b"21", b"2003 ", b"09:04", b":05 ", b"AM ", b"<DIR>",
          b"\r\n", b"\n", b";", b";1", b"+i1,", b"\t",
          b"type=file;", b"size=", b" -> ", b"[A]", b"(R)", b"%RMS", b"\xff", b"\0"]  # fmt: skip


@given(st.sampled_from(["mlsd", "list", "nlst"]), st.lists(st.sampled_from(GRAINS)), st.integers(0, 50))
def test_no_listing_raises_and_cuts_change_nothing(style: Style, grains: list[bytes], cut: int) -> None:
    data = b"".join(grains)
    whole = read_listing(style, [data])
    assert read_listing(style, [data[:cut], data[cut:]]) == whole
    assert all(item.name for item in whole[0])


HOSTILE = [
    b"1 ",
    b"1",
    b" ",
    b"1,",
    b"Nov 1 ",
    b"1 Nov ",
    b"[",
    b"(",
    b"; ",
    b"a;1 ",
    b"1-1-1",
    b"Directory [",
    b" -> ",
]


@pytest.mark.parametrize("grain", HOSTILE)
@pytest.mark.parametrize("head", [b"", b"-rw-r--r-- ", b"A;1 ", b"11-21-03  09:04AM ", b"Directory ", b"+"])
def test_a_hostile_line_takes_no_longer_than_any_other(head: bytes, grain: bytes) -> None:
    """Backtracking over its square would take 50 ms a line, and ten minutes for a listing within the limits."""
    line = head + grain * (4000 // len(grain)) + b"\n"
    assert takes_less(0.1, lambda: ListingReader("list", now=NOW).feed(line * 10))
