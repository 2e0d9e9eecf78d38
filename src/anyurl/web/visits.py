"""The history, the bookmarks, and the protocol traces of visited pages.

Rule: none of them contains a password. Bookmarks and history are files that only this user can read. The origin of a
page is stored with it: unless the user named it, it is a stranger's when read again. Traces stay in memory.
"""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from anyurl.errors import AnyURLError, LocalFileError, escape
from anyurl.errors.reasons import reason_of
from anyurl.files.lock import alone
from anyurl.files.output import append_text, write_text
from anyurl.url import URL
from anyurl.url.stored import from_stored, to_stored
from anyurl.values import STRANGER, USER, Provenance, Value
from anyurl.web.tokens import TokenStore
from anyurl.web.viewer import Wire

MAX_VISITS = 50
MAX_BOOKMARKS = 500
MAX_TITLE = 200
MAX_FILE_OCTETS = 16 * 1024 * 1024
"""Largest file that is read: each URL has at most some kilobytes."""

MAX_WIRES = 50
"""Pages whose traces are kept: each has at most some ten kilobytes."""


class SeenPage(Value):
    """A visited page.

    Attributes:
        title: Its title.
        url: Its URL, without a password.
        origin: Who named the URL.
    """

    title: str
    url: URL
    origin: Provenance


class PageList:
    """Visited pages in order of the latest visit, each once.

    Args:
        path: The file that stores them; None for memory only. A file with other content is left unchanged.
        most: The most pages that are kept; the oldest are dropped.
        waits: Whether each change waits until it is on the disk, which stops all pages for that time. Otherwise a page
            is added to the end of the file, and it is written as a whole when half of its lines are out of date.

    Attributes:
        fault: Why the file can't be read or written; empty if it can.
    """

    def __init__(self, path: str | None, most: int, *, waits: bool = True) -> None:
        self.fault: str = ""
        self._path = path
        self._most = most
        self._waits = waits
        self._pages: OrderedDict[str, SeenPage] = OrderedDict()
        self._state: object = None
        self._written = 0
        self._read()

    def latest(self) -> list[SeenPage]:
        """All pages, the newest first."""
        return list(reversed(self._pages.values()))

    def add(self, title: str, url: URL, origin: Provenance) -> None:
        """Add a page, or move it to the newest place."""
        bare = url if url.raw_password is None else url.replace(password=None)
        text = to_stored(bare)
        with self._changing(text):
            self._pages.pop(text, None)
            self._pages[text] = SeenPage(title[:MAX_TITLE], bare, origin)
            self._forget_the_oldest()

    def remove(self, url: URL) -> None:
        """Remove a page."""
        with self._changing():
            self._pages.pop(to_stored(url), None)

    def clear(self) -> None:
        """Remove all pages."""
        with self._changing():
            self._pages.clear()

    def _line(self, text: str) -> str:
        """The line of the page of this stored URL."""
        page = self._pages[text]
        return json.dumps({"title": page.title, "url": text, "own": page.origin.own}) + "\n"

    def _forget_the_oldest(self) -> None:
        while len(self._pages) > self._most:
            self._pages.popitem(last=False)

    @contextmanager
    def _changing(self, added: str = "") -> Iterator[None]:
        """Read the file, let the caller change the pages, and write them, under a lock that all gateways use.

        Args:
            added: The stored form of the only page that changes.
        """
        with ExitStack() as held:
            if self._path is not None and not self.fault:
                try:
                    held.enter_context(alone(self._path))
                except LocalFileError as error:
                    self.fault = str(error)
            self._read()
            yield
            self._write(added)

    def _read(self) -> None:
        """Read the file if another gateway has written it."""
        if self._path is None or self.fault or (self._state is not None and self._state == _state_of(self._path)):
            return
        known, self._pages, self._state = self._pages, OrderedDict(), None
        try:
            with open(self._path, "rb") as file:
                octets = file.read(MAX_FILE_OCTETS + 1)
            if len(octets) > MAX_FILE_OCTETS:
                raise ValueError
            lines = octets.decode("utf-8").splitlines(keepends=True)
            if len(lines) > 1 and not lines[-1].endswith("\n"):  # a power failure: the rest of it was not written
                lines.pop()
            for line in lines:
                match json.loads(line):
                    case {"title": str(title), "url": str(text), "own": bool(own)}:
                        before = known.get(text)
                        origin = USER if own else before.origin if before is not None else STRANGER
                        self._pages.pop(text, None)
                        self._pages[text] = SeenPage(title, from_stored(text), origin)
                    case _:
                        raise ValueError
            self._forget_the_oldest()
        except FileNotFoundError:
            pass
        except OSError as error:
            self.fault = f"{escape(self._path)} can't be read: {reason_of(error)}."
        except (ValueError, RecursionError, AnyURLError):
            self.fault = f"{escape(self._path)} does not hold pages: it is left unchanged."

    def _write(self, added: str) -> None:
        if self._path is None or self.fault:
            return
        try:
            if added and not self._waits and self._state is not None and self._written < 2 * self._most:
                append_text(self._line(added), self._path)
                self._written += 1
            else:
                write_text(map(self._line, self._pages), self._path, 0o600, waits=self._waits)
                self._written = len(self._pages)
        except LocalFileError as error:
            self.fault = str(error)
        self._state = _state_of(self._path)


def _state_of(path: str) -> object:
    """The state of a file that changes with each write. None if it can't be found out."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


class Visits:
    """The history, bookmarks and traces of one person.

    Args:
        folder: The folder of the files of bookmarks and history; None for memory only.
        keeps_history: Whether the history outlives the gateway.
    """

    def __init__(self, folder: str | None = None, keeps_history: bool = True) -> None:
        def file(name: str) -> str | None:
            return None if folder is None else os.path.join(folder, name)

        self.bookmarks: PageList = PageList(file("bookmarks"), MAX_BOOKMARKS)
        self.history: PageList = PageList(file("history") if keeps_history else None, MAX_VISITS, waits=False)
        self.wires: TokenStore[Wire] = TokenStore(MAX_WIRES)
