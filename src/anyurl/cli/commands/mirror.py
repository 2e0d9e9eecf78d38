"""``anyurl mirror``: download everything below a URL into a folder."""

from __future__ import annotations

import errno
from collections import Counter
from typing import TYPE_CHECKING

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, as_command
from anyurl.cli.options import url_argument
from anyurl.cli.settings import MOST, Settings, access_options
from anyurl.cli.terminal.console import Console
from anyurl.errors import LocalFileError, escape

if TYPE_CHECKING:
    from anyurl.saving.mirrored import Mirrored
    from anyurl.url import URL


@as_command("mirror", short_help="Download everything below URL into FOLDER.")
@url_argument
@Parameter("folder", metavar="FOLDER", required=True)
@Parameter("--include", metavar="PATTERN", multiple=True, help="Only documents whose name or path matches. Repeatable.")
@Parameter(
    "--exclude", metavar="PATTERN", multiple=True, help="Leave out what matches, including whole folders. Repeatable."
)
@Parameter("--depth", metavar="STEPS", between=(0, MOST), help="The maximum number of steps from URL.")
@Parameter(
    "-p", "--page-requisites", "requisites", is_flag=True,
    help="Also what pages show (styles, scripts, pictures, fonts) beyond --depth, and from elsewhere on the server.",
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
    dry_run: bool,
    force: bool,
    parallel: int,
) -> int:
    """Download everything below URL into FOLDER: the entries of a directory, menu or group, or the targets of a page's
    links.

    What an earlier run saved is replaced if it changed on the server; other files in FOLDER, and those edited since,
    are kept and reported; nothing is deleted. After an interruption, the same command continues. Links are followed
    only on the same server below the path of URL, and robots.txt is obeyed. If a server accepts fewer connections or
    asks for a pause, that is respected. Without a terminal, or with --dry-run, each document is a line: its outcome,
    its path and its URL, separated by tabs.
    """
    if settings.explain:
        from anyurl.cli import content

        content.show_plan(console, settings, url, "get")
        return exits.OK
    settings.transfer_at_once(parallel)
    code, counts, octets, not_replaced, unrequested = exits.OK, Counter[str](), 0, 0, 0
    with settings.client(console) as client:
        found = client.mirror(
            url, folder, include=include, exclude=exclude, depth=depth, dry_run=dry_run, force=force, limit=parallel,
            requisites=requisites, came_from=settings.origin,
        )  # fmt: skip
        with console.progress(url.masked, None, note="0 saved") as progress:
            for each in found:
                counts[each.outcome] += 1
                size = (each.size or 0) if each.outcome == "saved" else 0
                octets += size
                progress.advance(size, escape(each.path), f"{counts['saved']:,} saved")
                if each.error is not None:
                    code = code or exits.exit_code(each.error)
                    not_replaced += isinstance(each.error, LocalFileError) and each.error.errno == errno.EEXIST
                unrequested += each.outcome == "kept" and bool(each.note)
                _tell(console, each, progress.pause, dry_run)
    if unrequested and not console.json:
        documents = "1 document was" if unrequested == 1 else f"{unrequested:,} documents were"
        console.say(f"note: {documents} unchanged and not requested: nothing of them was added to the archive")
    if console.has_audience and not console.json:
        kept = f", {counts['kept']:,} unchanged" if counts["kept"] else ""
        failures = counts["failed"] - not_replaced
        failed = f", {not_replaced:,} not replaced" if not_replaced else ""
        failed += f", {failures:,} failed" if failures else ""
        done = f"{counts['planned']:,} to get" if dry_run else f"{counts['saved']:,} saved ({octets:,} octets)"
        console.tell(f"{folder}: {done}{kept}{failed}{progress.took()}")
    return code


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


def _place(each: Mirrored) -> str:
    """The path and the URL of an outcome, for a sentence about it."""
    return f"{escape(each.path)} ({each.url.masked})" if each.path else each.url.masked
