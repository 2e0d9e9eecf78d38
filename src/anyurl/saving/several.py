"""Several URLs, each saved to its own file: the remaining ones, and the outcome of each.

Rule: it makes no requests itself, like a `Mirror`. One failure is reported, and the others continue; no file is
replaced without `force`, and two URLs of one name get two files. Names are given in the order of the URLs, so that the
same command finds them again.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Literal, TypeAlias

from anyurl.dialogue import Entry, Resume
from anyurl.errors import AccessError, AnyURLError, UnsupportedError
from anyurl.errors.reasons import is_passing
from anyurl.guard.verdict import Reader
from anyurl.saving.part_file import part_path
from anyurl.saving.pieces import Pause, RateLimit, copied, uri_list
from anyurl.saving.save import Destination, open_regular
from anyurl.url import URL
from anyurl.values import Provenance, Value

MOST_TOLD = 1000
"""Outcomes that are held before they are reported: a long list may have a million files that are there already."""


class SavedUrl(Value):
    """The outcome for one URL.

    Attributes:
        url: The URL.
        path: Its file, or empty.
        outcome: ``saved``; ``kept`` (it was complete); ``again`` (it broke off, and is tried once more); ``failed``.
        size: Octets of the file, or None.
        had: Octets of it that were there before.
        error: Why it failed, or None.
        resource: The saved resource, or None.
    """

    url: URL
    path: str
    outcome: Literal["saved", "kept", "again", "failed"]
    size: int | None = None
    had: int = 0
    error: AnyURLError | None = None
    resource: Any = None


Steps: TypeAlias = Generator[SavedUrl | Pause | None, Any, None]


class SaveItem:
    """One URL to save.

    Attributes:
        url: The URL.
        origin: Who named it.
        path: Its file; empty until its name is known.
        resume: The file that exists already, to be transferred only if it has changed; or None.
        destination: Where it is written, if that is open.
        tries: The number of transfers that broke off.
        is_there: Its file exists, and may be complete.
    """

    __slots__ = ("url", "origin", "path", "resume", "destination", "tries", "is_there")

    def __init__(self, url: URL, origin: Provenance) -> None:
        self.url: URL = url
        self.origin: Provenance = origin
        self.path: str = ""
        self.resume: Resume | None = None
        self.destination: Destination | None = None
        self.tries: int = 0
        self.is_there: bool = False

    def close(self) -> None:
        """Close the file; an incomplete one has no name."""
        destination, self.destination = self.destination, None
        if destination is not None:
            destination.close()


class Several:
    """Several URLs that are saved.

    Args:
        items: The URLs; read one by one, as there is room.
        place: The path of a URL's file, by the server's name for it, if `by_server`.
        by_server: Whether the server's name is wanted.
        force: Replace files that were there before.
        go_on: Resume partial files, and accept files that are complete.
        archives: Everything received is recorded in an archive, so documents are transferred whole or not at all.
        times: Give files the modification time of the resource.
        retries: Transfers of one URL that may break off.
        pace: The limit on the rate, or None.
        reader: The reader of the remedy for an existing file.
    """

    def __init__(
        self,
        items: Iterator[SaveItem],
        place: Callable[[URL, str | None], str],
        *,
        by_server: bool = False,
        force: bool = False,
        go_on: bool = False,
        archives: bool = False,
        times: bool = True,
        retries: int = 0,
        pace: RateLimit | None = None,
        reader: Reader = "arguments",
    ) -> None:
        self.told: deque[SavedUrl] = deque()
        self.pace: RateLimit | None = pace
        self._items = items
        self._place = place
        self._by_server = by_server
        self._force = force
        self._accepts = go_on
        self._resumes = go_on and not archives
        self._archives = archives
        self._times = times
        self._retries = retries
        self._reader: Reader = reader
        self._broken_off: deque[SaveItem] = deque()
        self._taken: dict[str, int] = {}
        """The names that URLs have, in one case, and the last number that was put after each."""
        self._is_exhausted = False

    def targets(self) -> Iterator[SaveItem]:
        """The next URLs to transfer; others are reported in `told`, which is to be emptied when they end."""
        while len(self.told) < MOST_TOLD:
            if self._broken_off:  # before the others: its file is open
                yield self._broken_off.popleft()
                continue
            item = next(self._items, None)
            if item is None:
                self._is_exhausted = True
                return
            try:
                if not self._by_server:
                    item.path = self._unused(self._place(item.url, None))
                    self._look(item)
            except AnyURLError as error:
                self.told.append(SavedUrl(item.url, item.path, "failed", error=error))
            else:
                yield item

    def has_more(self) -> bool:
        """Whether there are others since `targets` ended."""
        return bool(self._broken_off) or not self._is_exhausted

    def leads_on(self, resource: Any) -> bool:
        """No content is read for other URLs."""
        return False

    def close(self) -> None:
        """Close all files."""
        for item in self._broken_off:
            item.close()

    # --- files -------------------------------------------------------------------------------------------------------

    def _unused(self, path: str) -> str:
        """The path, followed by a number if an earlier URL has it; `force` is about older files."""
        found, folded = path, path.casefold()  # as macOS and Windows compare
        while found.casefold() in self._taken:
            self._taken[folded] += 1
            found = f"{path}.{self._taken[folded]}"
        self._taken[found.casefold()] = 0
        return found

    def _look(self, item: SaveItem) -> None:
        """Look at what is there already. Raises LocalFileError: A file that may not be replaced."""
        if os.path.lexists(item.path) and not self._force:
            item.is_there = self._archives and self._accepts and os.path.isfile(item.path)
            if not item.is_there:
                with self._opened(item) as destination:
                    item.resume = destination.resume(item.url)
        elif self._resumes and os.path.lexists(part_path(item.path)):
            with self._opened(item) as destination:
                item.resume = destination.resume(item.url)
        if self._resumes and item.resume is None:
            item.resume = Resume(0)  # what breaks off can then be resumed

    def _opened(self, item: SaveItem) -> Destination:
        return Destination(item.path, force=self._force, go_on=self._resumes, times=self._times, reader=self._reader)

    # --- results -----------------------------------------------------------------------------------------------------

    def settle(
        self, item: SaveItem, resource: Any, error: AnyURLError | None = None, whole: bytes | None = None
    ) -> Steps:
        """Save the resource of a URL, or tell the error of opening it.

        The caller sends the next piece in for each None, None at the end, and throws an error of the transfer in.

        Args:
            whole: The complete document, if it has arrived already: then no pieces are requested.
        """
        is_again = False
        try:
            if error is not None:
                raise error
            yield from self._take(item, resource, whole)
        except AnyURLError as failure:
            is_again = resource is not None and self._may_try_again(item, resource, failure)
            yield SavedUrl(item.url, item.path, "again" if is_again else "failed", error=failure)
            if is_again:
                yield from self._try_again(item, resource)
        finally:
            if not is_again or item not in self._broken_off:
                item.close()

    def _take(self, item: SaveItem, resource: Any, whole: bytes | None) -> Steps:
        if resource.kind in ("service", "mailbox"):
            raise UnsupportedError(
                f"{resource.url.masked} designates a {resource.kind}: there is nothing to save.",
                scheme=resource.url.scheme, verb="get",
            )  # fmt: skip
        if not item.path:
            item.path = self._unused(self._place(item.url, resource.name))
        if item.is_there:
            size = yield from is_complete(item.path, whole)
            if size is not None:
                yield SavedUrl(item.url, item.path, "kept", size, resource=resource)
                return
            self._opened(item).close()  # raises, for there is a file
        if item.destination is None:
            item.destination = self._opened(item)
            item.destination.resume(item.url)
        destination = item.destination
        if destination.has_all_of(resource):
            yield SavedUrl(item.url, item.path, "kept", resource.size, resource=resource)
            return
        destination.prepare(resource)
        yield from copied(whole, lambda piece: destination.write(_octets_of(piece)))
        size = destination.finish()
        outcome: Literal["kept", "saved"] = "kept" if destination.was_complete else "saved"
        yield SavedUrl(item.url, item.path, outcome, size, destination.had, resource=resource)

    def _may_try_again(self, item: SaveItem, resource: Any, failure: AnyURLError) -> bool:
        # The client has retried what could not be opened; this is about contents that break off.
        return (
            item.tries < self._retries
            and resource.kind == "document"
            and isinstance(failure, AccessError)
            and is_passing(failure)
            and (item.destination is None or item.destination.can_begin_anew)
        )

    def _try_again(self, item: SaveItem, resource: Any) -> Steps:
        from anyurl.net.loop.manners import doubled_pause

        yield Pause(doubled_pause(item.tries))
        item.tries += 1
        coded = "content-encoding" in resource.attributes
        item.resume = None if coded or item.destination is None else item.destination.again(item.url)
        self._broken_off.append(item)


def _octets_of(piece: bytes | Sequence[Entry]) -> bytes:
    return piece if isinstance(piece, bytes) else uri_list(piece)


def is_complete(path: str, whole: bytes | None) -> Generator[None, Any, int | None]:
    """The size of a file that has the octets of a resource, or None.

    The caller sends the next piece in for each None, and None at the end.
    """
    file = open_regular(path)
    if file is None:
        return None
    with file:
        status = os.fstat(file.fileno())
        is_same = True

        def compare(piece: bytes) -> None:
            nonlocal is_same
            is_same = is_same and file.read(len(piece)) == piece

        yield from copied(whole, compare)
        return status.st_size if is_same and not file.read(1) else None
