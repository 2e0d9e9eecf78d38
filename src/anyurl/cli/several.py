"""Several URLs of one ``anyurl get``: one by one or in parallel, each saved to its own file or written to the output.

Rule: failures are reported, and the others still downloaded. The name of a file comes from the typed URL.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from anyurl.cli import content, exits, save
from anyurl.cli.terminal.watch import Rate, Watch
from anyurl.errors import AnyURLError, LocalFileError
from anyurl.errors.reasons import reason_of

if TYPE_CHECKING:
    from anyurl.access import Resource
    from anyurl.cli.request import RequestWords
    from anyurl.cli.settings import Settings
    from anyurl.cli.terminal.console import Console
    from anyurl.dialogue import Resume
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


def get(
    console: Console,
    settings: Settings,
    urls: Sequence[URL],
    wanted: RequestWords,
    *,
    saves: bool,
    folder: str | None,
    force: bool,
    parallel: int,
    by_server: bool = False,
) -> int:
    """Get each URL; returns the code of the first failure, or 0.

    Args:
        saves: Save them to files named after the URLs.
        by_server: ... or by the names that the servers give.
        parallel: The most simultaneous transfers.
    """
    from anyurl.cli.request import open_each, open_one
    from anyurl.cli.run import report

    code, taken, tally = exits.OK, set[str](), SavedTally(len(urls))
    with settings.client(console) as client, ExitStack() as stack:
        opened = open_each(console, client, urls, wanted, settings.origin, parallel)
        if saves:
            watch = Watch(console, client, tally.lines, tally.event, lambda: tally.octets, tally.left, tally.kept)
            stack.enter_context(watch)
        for number, (url, resource, error) in enumerate(opened, 1):
            console.subject = url.masked
            try:
                if error is not None:
                    raise error
                if resource is not None:
                    with resource:
                        name = resource.name if by_server else None
                        target = _unused(file_of(url, folder, name), taken) if saves else None
                        again = functools.partial(open_one, console, client, url, wanted, settings.origin)
                        retries = 0 if wanted.is_request else settings.retries
                        _take(console, resource, again, target, force, retries, f"{number}/{len(urls)}")
                        tally.saved(target)
            except AnyURLError as problem:
                tally.failed += 1
                report(console, problem)
                code = code or exits.exit_code(problem)
    return code


class SavedTally:
    """What a command has saved so far.

    Args:
        count: The number of URLs.

    Attributes:
        octets: Those of the saved files.
        failed: The number of failures.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._saved = 0
        self.octets: int = 0
        self.failed: int = 0
        self._rate = Rate()

    def saved(self, target: str | None) -> None:
        """Count one more."""
        self._saved += 1
        if target is not None:
            with suppress(OSError):  # somebody has moved it already
                self.octets += os.stat(target).st_size

    def lines(self) -> list[str]:
        """It, for a person."""
        failed = f", {self.failed:,} failed" if self.failed else ""
        return [f"{self._saved:,} of {self._count:,} saved{failed}"]

    def event(self) -> dict[str, Any]:
        """It, as an object."""
        return {"saved": self._saved, "failed": self.failed, "urls": self._count}

    def left(self) -> float | None:
        """The seconds until all are done, at this rate; None if unknown."""
        done = self._saved + self.failed
        rate = self._rate.per_second(done)
        return (self._count - done) / rate if rate > 0 else None

    def kept(self) -> str:
        """What is there if the command is interrupted."""
        kept = f"{self._saved:,} of {self._count:,} files {'is' if self._saved == 1 else 'are'} kept"
        then = "gets the others, and reports that these exist" if self._saved else "begins anew"
        return f"{kept}; the same command {then}"


def _unused(target: str, taken: set[str]) -> str:
    """The name, with a number behind it if an earlier URL of this command has it; --force is about older files."""
    names = itertools.chain([target], (f"{target}.{number}" for number in itertools.count(1)))
    found = next(name for name in names if name.casefold() not in taken)  # as file systems of macOS and Windows compare
    taken.add(found.casefold())
    return found


def _take(
    console: Console,
    resource: Resource,
    again: Callable[..., Resource],
    target: str | None,
    force: bool,
    retries: int,
    note: str,
) -> None:
    if target is not None:
        from anyurl.access import Destination

        opened: list[Resource] = []

        def open_it(resume: Resume | None) -> Resource:
            opened.append(again(resume=resume) if opened else resource)
            return opened[-1]

        with Destination(target, force=force, reader="options") as destination:
            save.retried(console, destination, resource.url, target, open_it, retries, note)
    elif resource.kind == "service":
        content.show_facts(console, resource)
    else:
        content.hand_over(console, resource)
