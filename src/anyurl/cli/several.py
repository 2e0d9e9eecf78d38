"""Several URLs of one ``anyurl get``: each saved to its own file, in parallel, or written to the output one by one.

Rule: failures are reported, and the others still downloaded. The name of a file comes from the typed URL.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from anyurl.cli import content, exits
from anyurl.cli.run import report
from anyurl.cli.save import tell_complete, tell_saved
from anyurl.cli.terminal.watch import Rate, Watch
from anyurl.errors import AnyURLError, LocalFileError
from anyurl.errors.reasons import reason_of
from anyurl.values import Value

if TYPE_CHECKING:
    from anyurl.access import Resource
    from anyurl.cli.request import RequestWords
    from anyurl.cli.settings import Settings
    from anyurl.cli.terminal.console import Console
    from anyurl.saving.several import SavedUrl, SaveItem
    from anyurl.url import URL

UNNAMED = "index"
"""The file name for a URL that ends with a slash or has no path."""


def file_of(url: URL, folder: str | None, name: str | None = None) -> str:
    """The file that a URL is saved to: the last segment of its path, or the name that a server gives, made safe."""
    from anyurl.access import safe_name
    from anyurl.schemes.kit.scheme import decode

    last = name or decode(url.path.rpartition("/")[2]) or UNNAMED
    return os.path.join(folder or "", safe_name(last))


def make_folder(folder: str) -> None:
    """Make the folder that files are saved to. Raises LocalFileError."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise LocalFileError(f"Can't make the folder {folder}: {reason_of(error)}.") from error


class Saving(Value):
    """How several URLs are saved.

    Attributes:
        folder: The folder of the files; None for the current one.
        by_server: Take the names that the server gives.
        force: Replace files that were there before.
        go_on: Resume partial files, and accept files that are complete.
        times: Give files the modification time of the resource.
        parallel: The number of parallel transfers.
        rate: The most octets per second of all of them, or None.
    """

    folder: str | None
    by_server: bool
    force: bool
    go_on: bool
    times: bool
    parallel: int
    rate: int | None


def save(
    console: Console,
    settings: Settings,
    items: Iterator[SaveItem | AnyURLError],
    count: int | None,
    wanted: RequestWords,
    how: Saving,
) -> int:
    """Save each URL to its own file; returns the code of the first failure, or 0.

    Args:
        items: The URLs, or the errors of invalid ones.
        count: The number of URLs, or None.
    """
    from anyurl.client.client import save_several
    from anyurl.client.together import saved_in_turn
    from anyurl.saving.pieces import RateLimit
    from anyurl.saving.several import Several

    settings.transfer_at_once(how.parallel)
    if how.folder is not None:
        make_folder(how.folder)
    tally = SavedTally(count, go_on=how.go_on, by_server=how.by_server)
    work = Several(
        _reported(console, items, tally), lambda url, name: file_of(url, how.folder, name), by_server=how.by_server,
        force=how.force, go_on=how.go_on, archives=settings.archives, times=how.times,
        retries=0 if wanted.is_request else settings.retries,
        pace=None if how.rate is None else RateLimit(how.rate), reader="options",
    )  # fmt: skip
    with settings.client(console) as client:
        if wanted.is_request:  # it may be sent once only, and to one after the other
            found = saved_in_turn(work, lambda item: wanted.open(console, client, item.url, settings.origin))
        else:
            found = save_several(client, work, how.parallel, settings.origin, **wanted.read(console))
        with (
            closing(found) as outcomes,
            Watch(console, client, tally.lines, tally.event, lambda: tally.octets, tally.left, tally.kept) as watch,
        ):
            for each in outcomes:
                watch.tick()
                tally.add(each)
                _tell(console, each, tally)
    return tally.code


def _reported(console: Console, items: Iterator[SaveItem | AnyURLError], tally: SavedTally) -> Iterator[SaveItem]:
    """The URLs; invalid ones are reported."""
    for item in items:
        if isinstance(item, AnyURLError):
            console.subject = None
            tally.fail(item)
            report(console, item)
        else:
            yield item


def _tell(console: Console, each: SavedUrl, tally: SavedTally) -> None:
    console.subject = each.url.masked
    if each.outcome == "again":
        console.say(f"note: {each.path}: {each.error} It is tried again.")
    elif each.error is not None:
        report(console, each.error)
    elif each.outcome == "kept":
        tell_complete(console, each.resource, each.path, each.size or 0)
    else:
        tell_saved(console, each.resource, each.path, each.size or 0, had=each.had, of=each.path)


def write(console: Console, settings: Settings, urls: Sequence[URL], wanted: RequestWords, parallel: int) -> int:
    """Write each URL to the output, one after the other; returns the code of the first failure, or 0."""
    from anyurl.cli.request import open_each

    code = exits.OK
    settings.transfer_at_once(parallel)
    with settings.client(console) as client:
        for url, resource, error in open_each(console, client, urls, wanted, settings.origin, parallel):
            console.subject = url.masked
            try:
                if error is not None:
                    raise error
                if resource is not None:
                    with resource:
                        hand_over(console, resource)
            except AnyURLError as problem:
                report(console, problem)
                code = code or exits.exit_code(problem)
    return code


def hand_over(console: Console, resource: Resource) -> None:
    """Write what a URL of several designates to the output; no session is opened."""
    if resource.kind == "service":
        content.show_facts(console, resource)
    else:
        content.hand_over(console, resource)


class SavedTally:
    """Counts the files that a command has saved so far.

    Args:
        count: The number of URLs, or None.
        go_on: The command resumes partial files, and accepts complete ones.
        by_server: The server names the files, so that the command can't do that.

    Attributes:
        octets: Those that came, of the files that are complete.
        code: The exit code of the first failure, or 0.
    """

    def __init__(self, count: int | None, *, go_on: bool, by_server: bool = False) -> None:
        self.octets: int = 0
        self.code: int = exits.OK
        self._count = count
        self._go_on = go_on
        self._by_server = by_server
        self._saved = self._kept = self._failed = 0
        self._rate = Rate()

    def add(self, each: SavedUrl) -> None:
        """Count one more outcome."""
        if each.outcome == "saved":
            self._saved += 1
            self.octets += (each.size or 0) - each.had
        elif each.outcome == "kept":
            self._kept += 1
        elif each.outcome == "failed" and each.error is not None:
            self.fail(each.error)

    def fail(self, error: AnyURLError) -> None:
        """Count a failure."""
        self._failed += 1
        self.code = self.code or exits.exit_code(error)

    def lines(self) -> list[str]:
        """It, for a person."""
        of = "" if self._count is None else f" of {self._count:,}"
        kept = f", {self._kept:,} complete before" if self._kept else ""
        failed = f", {self._failed:,} failed" if self._failed else ""
        return [f"{self._saved:,}{of} saved{kept}{failed}"]

    def event(self) -> dict[str, Any]:
        """It, as an object."""
        return {"saved": self._saved, "kept": self._kept, "failed": self._failed, "urls": self._count}

    def left(self) -> float | None:
        """The seconds until all are done, at this rate; None if unknown."""
        done = self._saved + self._kept + self._failed
        rate = self._rate.per_second(done)
        return (self._count - done) / rate if rate > 0 and self._count is not None else None

    def kept(self) -> str:
        """The note for an interrupted command."""
        there = self._saved + self._kept
        of = "" if self._count is None else f" of {self._count:,}"
        files = "file" if there == 1 and not of else "files"
        if self._go_on:
            then = "gets the others, and the rest of partial files"
        elif not there:
            then = "begins anew"
        elif self._by_server:
            then = "gets the others, and reports that these exist"
        else:
            then = "with --continue gets the others"
        return f"{there:,}{of} {files} {'is' if there == 1 else 'are'} kept; the same command {then}"
