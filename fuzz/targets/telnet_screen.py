"""The screen: cut anywhere, the same; nothing reaches the terminal but text, colours and cursor."""

from __future__ import annotations

import re

from anyurl.schemes.telnet.wire.screen import Screen
from fuzz import kit

HARMLESS = re.compile(
    r"(?:[^\x00-\x1f\x7f-\x9f\ud800-\udfff]|[\a\b\t\n\v\f\r\x0e\x0f]"
    r"|\x1b(?:\[(?:[0-9;:]*[mA-IZadefJKLMPSTX@`rsu]|\?[0-9;]+[hl])|[()][0AB]|[78DEM=>]))*"
)


def fuzz(data: bytes) -> None:
    """What a service sends to a person."""
    shown = kit.whole_and_in_pieces(data, _show)
    kit.same(HARMLESS.fullmatch(shown or "") is not None, True, f"{shown!r} reaches the terminal")


def _show(pieces: list[bytes]) -> str:
    screen = Screen()
    return "".join(map(screen.show, pieces)) + screen.end()
