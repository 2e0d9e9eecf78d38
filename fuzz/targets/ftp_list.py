"""FTP listings of every style: cut anywhere, the same items, and no name that is a place of its own."""

from __future__ import annotations

from anyurl.schemes.ftp.wire.listing import ListingReader, Style
from fuzz import kit

_STYLES: tuple[Style, ...] = ("list", "mlsd", "nlst")
_NOW = 1_069_405_445.0


def fuzz(data: bytes) -> None:
    """One octet chooses the style, the rest is the listing."""
    style = _STYLES[(data[0] if data else 0) % 3]
    read = kit.whole_and_in_pieces(data[1:], lambda pieces: _read(pieces, style))
    if read is None:
        return
    items, odd, count = read
    kit.same(len(odd) <= count, True, "more odd lines than were counted")
    for item in items:
        kit.same(b"\n" in item.name, False, f"{item!r} is more than a line")
        kit.same(item.size is None or item.size >= 0, True, f"{item!r} has no such size")


def _read(pieces: list[bytes], style: Style) -> tuple[list[object], list[bytes], int]:
    reader = ListingReader(style, now=_NOW)
    items: list[object] = []
    for piece in pieces:
        items += reader.feed(piece)
    items += reader.finish()
    return items, reader.odd.lines, reader.odd.count
