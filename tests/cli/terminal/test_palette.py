"""The palette's claim: its colours can be read on black and on white in every usual palette, and no other one can."""

from __future__ import annotations

import pytest

from anyurl.cli.terminal import palette

NAMES = {"31": 0, "32": 1, "33": 2, "34": 3, "35": 4, "36": 5}
PALETTES = {  # red, green, yellow, blue, magenta, cyan
    "xterm": ("cd0000", "00cd00", "cdcd00", "0000ee", "cd00cd", "00cdcd"),
    "linux": ("aa0000", "00aa00", "aa5500", "0000aa", "aa00aa", "00aaaa"),
    "tango": ("cc0000", "4e9a06", "c4a000", "3465a4", "75507b", "06989a"),
    "macos": ("c23621", "25bc24", "adad27", "492ee1", "d338d3", "33bbc8"),
    "windows": ("c50f1f", "13a10e", "c19c00", "0037da", "881798", "3a96dd"),
}
READABLE = 2.5
"""The contrast (WCAG 2.2) of the worst that is kept; the best of those that are not has 2.2."""


def luminance(colour: str) -> float:
    values = (int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4))
    linear = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values)
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def worst(code: str) -> float:
    """The contrast of a colour where it is least: on black or on white, in any palette."""
    lights = [luminance(colours[NAMES[code]]) for colours in PALETTES.values()]
    return min(min((light + 0.05) / 0.05, 1.05 / (light + 0.05)) for light in lights)


def test_the_colours_are_those_that_can_be_read_on_black_and_on_white() -> None:
    readable = {code for code in NAMES if worst(code) >= READABLE}
    assert readable == {palette.FAULT, palette.CAUTION}


@pytest.mark.parametrize(
    ("environment", "plain", "coloured"),
    [({"TERM": "xterm"}, False, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False, False),
     ({"TERM": "xterm", "NO_COLOR": ""}, False, True), ({"TERM": "dumb"}, True, False)],
)  # fmt: skip
def test_who_wants_no_colours_gets_none(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], plain: bool, coloured: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert (palette.is_plain(), palette.has_colours()) == (plain, coloured)


def test_what_has_no_meaning_is_as_it_is() -> None:
    assert palette.painted("x") == "x"
    assert palette.painted("", palette.FAULT) == ""
    assert palette.painted("x", palette.STRONG, palette.FAULT) == "\x1b[1;31mx\x1b[0m"


@pytest.mark.parametrize(
    ("encoding", "shown"), [("utf-8", "─┬ │ └ host…"), ("latin-1", "-+ | ` host>"), ("ascii", "-+ | ` host>")]
)
def test_a_drawing_is_one_in_every_encoding(encoding: str, shown: str) -> None:
    assert palette.as_ascii("─┬ │ └ host…", encoding) == shown
