"""An index is searched from lynx and w3m: by the form on its page, keys typed as a person types them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

from anyurl.world import World
from tests.web.running import running

MOST_TABS = 40
SECONDS = 20


class Terminal:
    """A browser in a terminal of 40 lines; ``fill`` is what it wants before and after what is typed into a field.

    ``mark`` is what it says of a field that the cursor is on.
    """

    def __init__(self, command: list[str], fill: tuple[str, str], mark: str, home: Path) -> None:
        env = {"TERM": "vt100", "LC_ALL": "C.UTF-8", "HOME": str(home), "PATH": os.environ["PATH"]}
        self._child = pexpect.spawn(command[0], command[1:], env=env, dimensions=(40, 120), encoding="utf-8")
        self._screen = pyte.Screen(120, 40)
        self._stream = pyte.Stream(self._screen)
        self._fill = fill
        self._mark = mark

    def close(self) -> None:
        self._child.close(force=True)

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    @property
    def line(self) -> str:
        """The one that the cursor is on."""
        return self._screen.display[self._screen.cursor.y]

    def read(self, seconds: float = 0.3) -> None:
        """What it shows until it is silent for so long."""
        while True:
            try:
                self._stream.feed(self._child.read_nonblocking(65536, seconds))
            except (pexpect.TIMEOUT, pexpect.EOF):
                return

    def wait(self, words: str) -> None:
        end = time.monotonic() + SECONDS
        while words not in self.text:
            assert time.monotonic() < end, f"{words!r} does not come:\n{self.text}"
            self.read()

    def press(self, keys: str) -> None:
        self._child.send(keys)
        self.read()

    def go_to(self, words: str, *, field: bool = True) -> None:
        """Tab on until the cursor is on a line with these words, and there on a field."""
        for _ in range(MOST_TABS):
            if words in self.line and (not field or self._mark in self.text):
                return
            self.press("\t")
        pytest.fail(f"no link or field stands at {words!r}:\n{self.text}")

    def enter(self, text: str) -> None:
        """Type a text into the field at the cursor, and press the button that follows."""
        before, after = self._fill
        self.press(before + text + after)
        self.press("\t\r")


BROWSERS = [
    pytest.param((["w3m", "-cookie"], ("\r", "\r"), ""), marks=pytest.mark.needs("w3m"), id="w3m"),
    pytest.param((["lynx", "-accept_all_cookies"], ("", ""), "Enter text"), marks=pytest.mark.needs("lynx"), id="lynx"),
]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as world:
        yield world


@pytest.mark.needs("terminal")
@pytest.mark.parametrize("browser", BROWSERS)
@pytest.mark.parametrize(
    ("scheme", "path", "words", "found"),
    [
        ("wais", "/world", "the", "3 "),
        ("gopher", "/77/search", "the", "4 "),
        ("prospero", "/ARCHIE", "README", "README"),
    ],
    ids=["wais", "gopher 7", "archie"],
)
def test_an_index_is_searched(
    world: World,
    browser: tuple[list[str], tuple[str, str], str],
    scheme: str,
    path: str,
    words: str,
    found: str,
    tmp_path: Path,
) -> None:
    command, fill, mark = browser
    url = f"{scheme}://{world.roots[scheme].authority}{path}"
    with running() as gateway:
        terminal = Terminal([*command, gateway.link], fill, mark, tmp_path)
        try:
            terminal.wait("Go on")
            terminal.go_to("Go on", field=False)
            terminal.press("\r")
            terminal.wait("Address")
            terminal.go_to("Address")
            terminal.enter(url)
            terminal.wait("Search")
            terminal.go_to("Search for")
            terminal.enter(words)
            terminal.wait(found)
            assert "%anyurl" not in terminal.text
        finally:
            terminal.close()
