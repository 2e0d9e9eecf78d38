"""Gopher menus, texts and requests: cut anywhere, the same; a request is one line, whatever the selector."""

from __future__ import annotations

from anyurl.schemes.gopher.wire import menus as gopher
from fuzz import kit


def fuzz(data: bytes) -> None:
    """The same octets as a menu, as a text and as a selector."""
    items = kit.whole_and_in_pieces(data, _menu)
    for item in (items or ([], False))[0]:
        kit.same(item.port is None or 0 <= item.port <= 65535, True, f"{item!r} has no such port")
    text = kit.whole_and_in_pieces(data, _text)
    kit.same(len((text or (b"", False))[0]) <= len(data), True, "a text grows")
    line, _ = kit.outcome(lambda: gopher.request(data))
    if line is not None:
        kit.same((line.count(b"\r"), line.count(b"\n"), line.count(b"\0")), (1, 1, 0), "a request is one line")
    gopher.error_in(data)


def _menu(pieces: list[bytes]) -> tuple[list[gopher.MenuItem], bool]:
    reader = gopher.MenuReader()
    items = [item for piece in pieces for item in reader.feed(piece)]
    return items + reader.finish(), reader.ended


def _text(pieces: list[bytes]) -> tuple[bytes, bool]:
    reader = gopher.TextReader()
    text = b"".join(reader.feed(piece) for piece in pieces)
    return text + reader.finish(), reader.ended
