"""The common part of `put` and `append`: uploading a file or standard input to a URL.

Rule: the file is opened before any connection is made, so an unreadable file starts nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from anyurl.cli import content, exits, records
from anyurl.cli.terminal.console import Console
from anyurl.errors import LocalFileError, TransferError
from anyurl.errors.reasons import reason_of
from anyurl.schemes.registry import find_scheme

if TYPE_CHECKING:
    from anyurl.access import Client, Resource
    from anyurl.cli.settings import Settings
    from anyurl.cli.terminal.progress import Progress
    from anyurl.client.options import RequestOptions
    from anyurl.url import URL
    from anyurl.values import Provenance

STANDARD_INPUT = "-"


class Counted:
    """A file that counts the octets read from it."""

    def __init__(self, file: BinaryIO, progress: Progress) -> None:
        self._file = file
        self._progress = progress
        self._ended = False
        self.fileno = file.fileno
        self.tell = file.tell

    def read(self, at_most: int) -> bytes:
        """The next octets; ``b""`` at the end."""
        # A terminal continues after its end (Ctrl-D): another read would wait for a second one.
        data = b"" if self._ended else self._file.read(at_most)
        self._ended = len(data) < at_most
        self._progress.advance(len(data))
        return data

    def seekable(self) -> bool:
        """Whether it can be read again."""
        return self._file.seekable()

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place: a redirected upload is sent again from its start."""
        before = self._file.tell()
        after = self._file.seek(place, whence)
        self._progress.advance(after - before)
        self._ended = False
        return after


def send(
    console: Console,
    settings: Settings,
    url: URL,
    verb: Literal["put", "append"],
    name: str,
    *,
    type: str | None = None,
    yes: bool = False,
    fields: RequestOptions | None = None,
    go_on: bool = False,
    times: bool = False,
) -> int:
    """Send the file of that name; returns the exit code.

    Args:
        type: The media type; None to derive it from the suffix.
        yes: Do not ask for consent before a message is sent.
        fields: The HTTP request options of a put.
        go_on: Continue an interrupted upload.
        times: Give what is put the time of the file, where the server can.
    """
    if settings.explain:
        content.show_plan(console, settings, url, verb)
        return exits.OK
    # Mail is composed from the URL and the file, and so is shown first; an article is just the named file.
    yes = yes or url.scheme != "mailto"
    with opened(console, name) as file, settings.client(console, yes=yes) as client:
        label = url.masked if name == STANDARD_INPUT else os.path.basename(name)
        with console.progress(label, _size(file), hidden=file.isatty()) as progress:  # the person sees the input
            source: Any = Counted(file, progress)
            type = type or (None if name == STANDARD_INPUT else _media_type(name))
            if verb == "append":
                resource = client.append(url, source, type=type, came_from=settings.origin)
            else:
                mtime = _mtime(file) if times else None
                resource = _put(console, client, url, source, settings.origin, type, mtime, go_on, fields or {})
        if console.json:
            console.record({**records.resource_record(resource, None), "size": progress.done})
        elif console.has_audience:
            before = f", after the {resource.start:,} that were there" if resource.start else ""
            sent = progress.done - resource.start
            console.tell(f"{sent:,} octets sent to {resource.url.masked}{before}{progress.took()}")
        content.tell_notes(console, resource)
    # Some recipients were refused: a script must be able to tell from the exit code.
    return exits.SERVER_SAID_NO if resource.attributes.get("refused") else exits.OK


def _put(
    console: Console,
    client: Client,
    url: URL,
    source: Any,
    origin: Provenance,
    type: str | None,
    mtime: float | None,
    go_on: bool,
    fields: RequestOptions,
) -> Resource:
    try:
        return client.put(url, source, type=type, mtime=mtime, go_on=go_on, came_from=origin, **fields)
    except (TransferError, KeyboardInterrupt) as error:
        if find_scheme(url.scheme).resumes_uploads and source.seekable():
            way = "" if go_on else "with --continue "
            if way or isinstance(error, KeyboardInterrupt):
                console.say(f"note: {way}the same command sends what the server does not have yet")
        elif isinstance(error, KeyboardInterrupt):
            console.say("note: the server has nothing of it, or a part; the same command sends all of it again")
        raise


@contextmanager
def opened(console: Console, name: str) -> Iterator[BinaryIO]:
    """Open a file, or standard input for ``-``. Raises LocalFileError."""
    if name == STANDARD_INPUT:
        yield console.input()
        return
    try:
        file = open(name, "rb")  # noqa: SIM115 - closed below; its own errors are not those of what is done with it
    except OSError as error:
        raise LocalFileError(f"Can't read {name}: {reason_of(error)}.") from error
    with file:
        yield file


def _facts(file: BinaryIO) -> os.stat_result | None:
    """The metadata of a regular file; None for anything else."""
    import stat

    try:
        facts = os.fstat(file.fileno())
    except (OSError, ValueError):
        return None
    return facts if stat.S_ISREG(facts.st_mode) else None


def _size(file: BinaryIO) -> int | None:
    facts = _facts(file)
    return None if facts is None else facts.st_size


def _mtime(file: BinaryIO) -> float | None:
    facts = _facts(file)
    return None if facts is None else facts.st_mtime


def _media_type(name: str) -> str | None:
    """The media type by the suffix of a file; None if unknown or compressed."""
    import mimetypes

    type, coding = mimetypes.guess_type(name)
    return type if coding is None else None
