"""An index is searched from lynx and w3m: by the form on its page, and by ISINDEX; keys as a person types them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pexpect
import pyte
import pytest

from anyurl.world import World
from tests.web.running import running

MOST_TABS = 40
SECONDS = 20


class Browser(NamedTuple):
    """How a browser is used from its keys.

    Attributes:
        command: It, and its options.
        fill: The keys before and after what is typed into a field.
        mark: What it says of a field that the cursor is on.
        asks: The key for the words of an ISINDEX, and what clears the answer that lynx proposes (the query of the
            page's own link); empty where ISINDEX is a field.
    """

    command: tuple[str, ...]
    fill: tuple[str, str] = ("", "")
    mark: str = ""
    asks: tuple[str, str] | None = None


class Terminal:
    """A browser in a terminal of 40 lines."""

    def __init__(self, browser: Browser, link: str, home: Path) -> None:
        env = {"TERM": "vt100", "LC_ALL": "C.UTF-8", "HOME": str(home), "PATH": os.environ["PATH"]}
        program, *options = browser.command
        self._child = pexpect.spawn(program, [*options, link], env=env, dimensions=(40, 120), encoding="utf-8")
        self._screen = pyte.Screen(120, 40)
        self._stream = pyte.Stream(self._screen)
        self._browser = browser

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
            if words in self.line and (not field or self._browser.mark in self.text):
                return
            self.press("\t")
        pytest.fail(f"no link or field stands at {words!r}:\n{self.text}")

    def enter(self, text: str, send: str = "\t\r") -> None:
        """Type a text into the field at the cursor, and press the button that follows."""
        before, after = self._browser.fill
        self.press(before + text + after)
        self.press(send)

    def search_without_form(self, words: str) -> None:
        """Give the words that the page asks for by ISINDEX."""
        if self._browser.asks is None:
            self.go_to("Without a form")
            self.enter(words, "\r")
        else:
            key, clear = self._browser.asks
            self.press(key)
            self.wait("query:")
            self.press(f"{clear}{words}\r")


W3M = Browser(("w3m", "-cookie"), fill=("\r", "\r"))
LYNX = Browser(("lynx", "-accept_all_cookies"), mark="Enter text", asks=("s", "\x15"))


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as world:
        yield world


@pytest.mark.needs("terminal")
@pytest.mark.parametrize(
    "browser",
    [pytest.param(browser, marks=pytest.mark.needs(browser.command[0])) for browser in (W3M, LYNX)],
    ids=["w3m", "lynx"],
)
@pytest.mark.parametrize(
    ("scheme", "path", "button", "words", "found", "further", "left"),
    [
        ("wais", "/world", "\t\r", "the", "3 entries", "locator", "1 entry"),
        ("gopher", "/77/search", "\t\r", "the", "4 entries", "locator", "2 entries"),
        ("prospero", "/ARCHIE", "\t\t\r", "README", "1 entry", "prospero", "2 entries"),  # archie has a field more
    ],
    ids=["wais", "gopher 7", "archie"],
)
def test_an_index_is_searched(
    world: World,
    browser: Browser,
    scheme: str,
    path: str,
    button: str,
    words: str,
    found: str,
    further: str,
    left: str,
    tmp_path: Path,
) -> None:
    """By the form; then, from the page of what was found, by ISINDEX."""
    with running() as gateway:
        terminal = Terminal(browser, gateway.link, tmp_path)
        try:
            terminal.wait("Go on")
            terminal.go_to("Go on", field=False)
            terminal.press("\r")
            terminal.wait("Address")
            terminal.go_to("Address")
            terminal.enter(f"{scheme}://{world.roots[scheme].authority}{path}")
            terminal.wait("Search")
            terminal.go_to("Search for")
            terminal.enter(words, button)
            terminal.wait(found)
            assert "%anyurl" not in terminal.text
            terminal.search_without_form(further)
            terminal.wait(left)
        finally:
            terminal.close()
