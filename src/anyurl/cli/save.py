"""``anyurl get -o``: save a resource to a file, with a progress bar, and report the result."""

from __future__ import annotations

import errno
import itertools
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from anyurl.cli import content, records
from anyurl.cli.arguments import UsageError
from anyurl.errors import AccessError, AnyURLError, LimitError, LocalFileError, RemoteProtocolError, escape

if TYPE_CHECKING:
    from anyurl.access import Resource
    from anyurl.cli.terminal.console import Console
    from anyurl.dialogue import Resume
    from anyurl.saving.save import Destination
    from anyurl.url import URL


def get(
    console: Console,
    open_it: Callable[[Resume | None], Resource],
    url: URL,
    target: str,
    *,
    force: bool,
    go_on: bool,
    times: bool,
    retries: int = 0,
    checksum: str | None = None,
    archives: bool = False,
) -> None:
    """Open a resource and save it; with `go_on` resume an interrupted download, and accept one that is complete.

    Args:
        archives: It is recorded in an archive, which must have all of it: with `go_on`, too, it begins anew, and an
            earlier part is left alone.
    """
    from anyurl.dialogue import Resume
    from anyurl.saving.save import Destination

    resumes = go_on and not archives
    try:
        made = Destination(target, force=force, go_on=resumes, times=times, checksum=checksum, reader="options")
    except ValueError as error:
        if isinstance(error, AnyURLError):
            raise
        raise UsageError(f"Invalid value for '--checksum': {error}.") from None
    except LocalFileError as error:
        # A script that repeats the command until it succeeds must come to its end.
        if force or resumes or not go_on or error.errno != errno.EEXIST:
            raise
        if not _is_complete(console, open_it(Resume(0)), target):
            shown = escape(target)
            console.say(f"note: with --warc nothing is resumed: without it, --continue gets the rest of {shown}")
            raise
        return
    with made as destination:
        wanted = destination.resume(url)
        if wanted is None and resumes:
            wanted = Resume(0)  # there is no part yet, but this download can then be resumed
        if resumes is not go_on:
            console.say("note: with --warc a download begins anew: the archive gets all of it")
        try:
            retried(console, destination, url, target, lambda resume: open_it(resume or wanted), retries)
        except (AnyURLError, KeyboardInterrupt) as error:
            _tell_kept(console, destination, url, error, wanted, force=force, archives=archives)
            raise


def retried(
    console: Console,
    destination: Destination,
    url: URL,
    target: str,
    open_it: Callable[[Resume | None], Resource],
    retries: int,
) -> None:
    """Open and save a resource; one that breaks off is continued where possible, `retries` times.

    Args:
        open_it: Opens it, the first time with None; a failure of it is final, for the client has retried it.
    """
    from anyurl.errors.reasons import is_passing
    from anyurl.net.loop.manners import doubled_pause

    wanted: Resume | None = None
    for attempt in itertools.count():
        with open_it(wanted) as resource:
            try:
                save(console, destination, resource, target)
                return
            except AccessError as error:
                may = attempt < retries and is_passing(error) and resource.kind == "document"
                if not may or not destination.can_begin_anew:
                    raise
                console.say(f"note: {error} It is tried again.")
        time.sleep(doubled_pause(attempt))
        wanted = None if "content-encoding" in resource.attributes else destination.again(url)


def _is_complete(console: Console, resource: Resource, target: str) -> bool:
    """Whether a file is the whole resource already, which is reported; all of it is transferred, for the archive."""
    from anyurl.saving.several import is_complete

    steps = is_complete(target, None)
    with resource:
        try:
            next(steps)
            for piece in resource.iter_bytes():
                steps.send(piece)
            steps.send(None)
        except StopIteration as end:
            if end.value is not None:
                tell_complete(console, resource, target, end.value)
            return end.value is not None
    return False


def tell_complete(console: Console, resource: Resource, target: str, size: int) -> None:
    """Report a file that is the whole resource already."""
    if console.json:
        console.record({**records.resource_record(resource, target), "size": size})
    else:
        console.tell(f"{target}: it is complete with {size:,} octets; nothing is downloaded")


def save(console: Console, destination: Destination, resource: Resource, target: str) -> None:
    """Save an open resource, and report it. Raises AnyURLError."""
    if destination.has_all_of(resource):
        tell_complete(console, resource, target, resource.size or 0)
        return
    label = os.path.basename(target) or target
    with console.progress(label, resource.size, start=resource.start) as progress:
        size = destination.save(resource, progress=_paced(console, progress.advance))
    if destination.was_complete:
        tell_complete(console, resource, target, size)
        return
    tell_saved(console, resource, target, size, progress.took(), had=destination.had)


def _paced(console: Console, advance: Callable[[int], object]) -> Callable[[int], object]:
    pace = console.pace
    if pace is None:
        return advance

    def slowly(octets: int) -> None:
        advance(octets)
        time.sleep(pace.owed(octets))

    return slowly


def _tell_kept(
    console: Console,
    destination: Destination,
    url: URL,
    error: BaseException,
    wanted: Resume | None,
    *,
    force: bool,
    archives: bool,
) -> None:
    """Report what is left of an interrupted download, and how to resume it.

    Args:
        error: The error that interrupted it.
        wanted: Where it was to resume an earlier download.
        force: It began anew, and would again.
        archives: It is recorded in an archive.
    """
    kept = destination.resume(url)
    resumed = wanted is not None and (wanted.start or wanted.compares)
    if (
        kept is not None
        and kept.compares
        and isinstance(error, RemoteProtocolError)
        and resumed
        and destination.received == destination.had
    ):
        console.say(f"note: {destination.part} stays as it was; --force replaces it")
        return
    begins_anew = force and kept is None  # nothing proves that what is kept is worth keeping
    if resumed and isinstance(error, RemoteProtocolError):
        remedy = "the same command tries to get the rest again, and with --force it begins anew"
    else:
        without = [*["that limit"] * isinstance(error, LimitError), *["--force"] * begins_anew]
        remedy = f"the same command{' without ' * bool(without)}{' and '.join(without)} gets the rest"
    if kept is not None or (begins_anew and destination.provable and destination.received and destination.part):
        console.say(f"note: the first {destination.received:,} octets are kept in {destination.part}; {remedy}")
    elif destination.part and resumed:
        console.say("note: nothing of it is kept; the same command begins anew")
    elif destination.received > destination.had and destination.part:
        console.say(
            "note: nothing of it is kept, because a later attempt could not verify that the resource is unchanged"
        )
    elif destination.received > destination.had:
        advice = "; with --continue an interrupted download can be resumed" if destination.provable else ""
        if archives:
            advice = " but in the archive, where it is marked as incomplete; the same command begins anew"
        console.say(f"note: nothing of it is kept{advice}")


def tell_saved(
    console: Console, resource: Resource, target: str, size: int, took: str = "", *, had: int = 0, of: str = ""
) -> None:
    """Report a file that was saved.

    Args:
        had: Octets of it that were there before.
        took: The end of the sentence.
        of: The subject of the notes, if that is not obvious.
    """
    if console.json:
        console.record({**records.resource_record(resource, target), "size": size})
    elif console.has_audience:
        before = f", of which {had:,} were there" if had else ""
        console.tell(f"{target}: {size:,} octets{before}{took}")
    content.tell_notes(console, resource, of)
