"""``anyurl mirror``: download everything below a URL into a folder."""

from __future__ import annotations

import errno
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.options import rate_option, url_argument
from anyurl.cli.settings import MOST, Settings, access_options
from anyurl.cli.terminal.console import Console
from anyurl.cli.terminal.watch import Rate, Watch
from anyurl.errors import LocalFileError, escape

if TYPE_CHECKING:
    from anyurl.saving.mirrored import Mirrored
    from anyurl.url import URL


ALSO = (("kept", "unchanged"), ("failed", "failed"))
"""Outcomes that are reported besides the saved ones, and the words for them."""

COUNTED_AFTER = 2.0
"""Seconds between two counts of the waiting items."""


@as_command("mirror", short_help="Download everything below URL into FOLDER.")
@url_argument
@Parameter("folder", metavar="FOLDER", required=True)
@Parameter("--include", metavar="PATTERN", multiple=True, help="Only documents whose name or path matches. Repeatable.")
@Parameter(
    "--exclude", metavar="PATTERN", multiple=True, help="Leave out matching names, including whole folders. Repeatable."
)
@Parameter("--depth", metavar="STEPS", between=(0, MOST), help="The maximum number of steps from URL.")
@Parameter(
    "-p", "--page-requisites", "requisites", is_flag=True,
    help="Also the parts of pages (styles, scripts, pictures, fonts), beyond --depth and from elsewhere on the server.",
)  # fmt: skip
@Parameter(
    "--wacz", metavar="FILE",
    help="Also pack what is received as FILE.wacz, with its index and its pages; the archive FILE.warc.gz is kept "
    "next to it, and a later mirror into the same FILE adds to both.",
)  # fmt: skip
@Parameter("--dry-run", is_flag=True, help="Write nothing: show what would be downloaded.")
@Parameter("--force", is_flag=True, help="Also replace files that this mirror did not save, or that were edited since.")
@Parameter(
    "--parallel",
    metavar="COUNT",
    between=(1, MOST),
    default="8",
    help="The number of parallel transfers; the default is 8.",
)
@rate_option
@access_options
def command(
    console: Console,
    settings: Settings,
    url: URL,
    folder: str,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    depth: int | None,
    requisites: bool,
    wacz: str | None,
    dry_run: bool,
    force: bool,
    parallel: int,
    rate: int | None,
) -> int:
    """Download everything below URL into FOLDER: the entries of a directory, menu or group, or the targets of a page's
    links.

    Files that an earlier run saved are replaced if they changed on the server; other files in FOLDER, and those edited
    since, are kept and reported; nothing is deleted. After an interruption, the same command continues. Links are
    followed only on the same server below the path of URL, and robots.txt is obeyed. If a server accepts fewer
    connections or asks for a pause, that is respected. Without a terminal, or with --dry-run, each document is a line:
    its outcome, its path and its URL, separated by tabs.
    """
    if settings.explain:
        from anyurl.cli import content

        content.show_plan(console, settings, url, "get")
        return exits.OK
    from anyurl.client.mirroring import MirrorRun

    settings.transfer_at_once(parallel)
    if wacz is not None:
        wacz = _prepare(settings, wacz, dry_run=dry_run)
    with settings.client(console) as client:
        found = client.mirror(
            url, folder, include=include, exclude=exclude, depth=depth, dry_run=dry_run, force=force, limit=parallel,
            requisites=requisites, rate=rate, came_from=settings.origin,
        )  # fmt: skip
        assert isinstance(found, MirrorRun)  # no other iterator could be closed
        tally = Tally(folder, found, dry_run=dry_run)
        with (
            closing(found),
            Watch(console, client, tally.lines, tally.event, tally.saved, tally.left, tally.kept) as watch,
        ):
            for each in found:
                tally.add(each)
                watch.tick()
                _tell(console, each, watch.pause, dry_run)
    if wacz is not None:
        _pack(console, wacz, url)
    tally.sum_up(console, watch.took())
    return tally.code


def _tell(console: Console, each: Mirrored, pause: object, dry_run: bool) -> None:
    if console.json:
        console.record({
            "url": each.url.masked, "path": each.path, "outcome": each.outcome, "size": each.size,
            "error": None if each.error is None else type(each.error).__name__,
            "message": escape(str(each.error)) if each.error is not None else each.note or None,
        })  # fmt: skip
        return
    if each.error is not None or (each.note and each.outcome != "kept"):
        if callable(pause):
            pause()
        console.say(f"{_place(each)}: {each.error}" if each.error is not None else f"note: {_place(each)}: {each.note}")
    shown = ("saved", "kept", "failed", "planned") if dry_run else ("saved", "kept", "failed")
    if each.outcome in shown and (dry_run or not console.is_terminal):
        console.table((), [[each.outcome, escape(each.path), each.url.masked]])


class Tally:
    """Counts the results of a mirror so far.

    Args:
        folder: Where.
        found: The outcomes that are still to come.
        dry_run: Nothing is written.

    Attributes:
        code: The exit code of the first failure, or 0.
    """

    def __init__(self, folder: str, found: Iterator[Mirrored], *, dry_run: bool) -> None:
        self.code: int = exits.OK
        self._folder = folder
        self._found = found
        self._dry = dry_run
        self._counts: Counter[str] = Counter()
        self._octets = self._not_replaced = self._unrequested = 0
        self._rate = Rate()
        self._waiting, self._counted = 0, 0.0

    def add(self, each: Mirrored) -> None:
        """Count one more outcome."""
        self._counts[each.outcome] += 1
        self._octets += (each.size or 0) if each.outcome == "saved" else 0
        if each.error is not None:
            self.code = self.code or exits.exit_code(each.error)
            self._not_replaced += isinstance(each.error, LocalFileError) and each.error.errno == errno.EEXIST
        self._unrequested += each.outcome == "kept" and bool(each.note)

    def saved(self) -> int:
        """Octets of the saved documents."""
        return self._octets

    def lines(self) -> list[str]:
        """It, for a person."""
        counts = self._counts
        more = [f", {counts[name]:,} {word}" for name, word in ALSO if counts[name]]
        return [f"{escape(self._folder)}: {counts['saved']:,} saved{''.join(more)}"]

    def event(self) -> dict[str, Any]:
        """It, as an object."""
        return dict(self._counts)

    def left(self) -> float | None:
        """The seconds until all that is known is done, at this rate; None if unknown."""
        from anyurl.client.mirroring import MirrorRun

        now = time.monotonic()
        if now - self._counted > COUNTED_AFTER and isinstance(self._found, MirrorRun):
            self._waiting, self._counted = self._found.count_waiting(), now
        rate = self._rate.per_second(sum(self._counts.values()))
        return self._waiting / rate if rate > 0 and self._waiting else None  # those under way are not counted

    def kept(self) -> str:
        """The note for an interrupted mirror; empty if nothing is written."""
        count = self._counts["saved"]
        which = f"{count:,} documents are" if count > 1 else "1 document is" if count else "nothing new is"
        kept = f"{which} kept in {self._folder}"
        return "" if self._dry else f"{kept}; the same command continues the mirror"

    def sum_up(self, console: Console, took: str) -> None:
        """Report all of it."""
        if console.json:
            return
        if self._unrequested:
            count = self._unrequested
            documents = "1 document was" if count == 1 else f"{count:,} documents were"
            console.say(f"note: {documents} unchanged and not requested: nothing of them was added to the archive")
        if not console.has_audience:
            return
        counts = self._counts
        kept = f", {counts['kept']:,} unchanged" if counts["kept"] else ""
        failures = counts["failed"] - self._not_replaced
        failed = f", {self._not_replaced:,} not replaced" if self._not_replaced else ""
        failed += f", {failures:,} failed" if failures else ""
        done = f"{counts['saved']:,} saved ({self._octets:,} octets)"
        done = f"{counts['planned']:,} to get" if self._dry else done
        console.tell(f"{self._folder}: {done}{kept}{failed}{took}")


def _pack(console: Console, path: str, home: URL) -> None:
    """Make the WACZ. Raises LocalFileError."""
    from anyurl.warc.wacz import archive_of, pack

    if not os.path.exists(archive_of(path)):
        return  # nothing arrived
    size = pack(path, home.without_fragment().masked)
    if console.has_audience and not console.json:
        console.tell(f"{path}: {size:,} octets")


def _place(each: Mirrored) -> str:
    """The path and the URL of an outcome, for a sentence about it."""
    return f"{escape(each.path)} ({each.url.masked})" if each.path else each.url.masked


def _prepare(settings: Settings, path: str, *, dry_run: bool) -> str:
    """Record in the archive of a WACZ; returns the name of the WACZ.

    Raises:
        UsageError: The archive is named twice, or nothing is transferred.
        LocalFileError: The WACZ can't be made later.
    """
    from anyurl.warc import wacz

    if settings.archives or dry_run:
        raise UsageError("--wacz records in an archive of its own: it can't be combined with --warc and --dry-run.")
    path = path if path.endswith(wacz.SUFFIX) else f"{path}{wacz.SUFFIX}"
    wacz.check(path)
    settings.archive_in(wacz.archive_of(path))
    return path
