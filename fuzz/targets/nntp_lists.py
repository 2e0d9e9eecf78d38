"""Listings of a news server: overviews, groups, heads, dates, encoded words, wildmats."""

from __future__ import annotations

from anyurl.schemes.news.wire.headers import decode_field, read_date, read_head
from anyurl.schemes.news.wire.lists import (
    GroupListReader,
    Wildmat,
    read_active,
    read_capabilities,
    read_description,
    read_header_line,
    read_overview,
    read_selected,
)
from fuzz import kit


def fuzz(data: bytes) -> None:
    """Lines of any listing, read as each of the kinds that there are."""
    kit.whole_and_in_pieces(data, _lines)
    lines = data.split(b"\r\n")
    for line in lines:
        overview = read_overview(line)
        if overview is not None:
            assert int(overview[0]) >= 0
            kit.same(
                decode_field(overview[1]), decode_field(overview[1].encode("utf-8", "surrogateescape")), "a subject"
            )
            kit.same(read_date(overview[3]), read_date(overview[3].encode("utf-8", "surrogateescape")), "a date")
        for group in (read_active(line), read_selected(line.split())):
            assert group is None or group.count is None or group.count >= 0
        read_description(line)
        read_header_line(line)
        decode_field(line)
        read_date(line)
    read_capabilities(lines)
    read_head(data)
    pattern, _, name = data[:200].decode("latin-1").partition("\n")
    taken = Wildmat(pattern).matches(name)
    assert Wildmat(f"{pattern},*").matches(name)
    assert not Wildmat(f"{pattern},!*").matches(name)
    assert taken or not Wildmat(name).matches(name) or pattern != name


def _lines(pieces: list[bytes]) -> list[bytes]:
    reader = GroupListReader()
    return [line for piece in pieces for line in reader.feed(piece)]
