"""The rig for local files: a folder whose every name, size, inode and mode is looked at before and after."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from typing import Any

from anyurl import URL
from anyurl.saving.save import Destination
from tests.evil.outcomes import word_of
from tests.evil.rig import Got, Rig

OLD = b"what was there before\n"
Snapshot = dict[str, tuple[int, int, int]]


class Folder:
    """A temporary folder, in which something is saved as ``name``."""

    def __init__(self, name: str = "saved") -> None:
        self.path = tempfile.mkdtemp(prefix="anyurl-evil-")
        self.file = os.path.join(self.path, name)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_exception: object) -> None:
        os.chmod(self.path, 0o700)
        shutil.rmtree(self.path)

    def snapshot(self) -> Snapshot:
        """Every name, with size, inode and mode."""
        return {
            entry.name: (status.st_size, status.st_ino, status.st_mode)
            for entry in os.scandir(self.path)
            for status in [entry.stat(follow_symlinks=False)]
        }

    def put_old(self) -> None:
        """Give the name to an old file."""
        with open(self.file, "wb") as file:
            file.write(OLD)

    def read(self) -> bytes | None:
        """What the name leads to, or None."""
        try:
            with open(self.file, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None


def save(
    rig: Rig, folder: Folder, url: str | None = None, *, progress: Callable[[int], object] | None = None, **how: Any
) -> Got:
    """Save a URL as the command line does: the destination first, then the transfer.

    Args:
        progress: Called when a piece is written.
        how: Of `Destination`: ``force``, ``go_on``.
    """

    def do(got: Got) -> None:
        text = rig.column.whole(url)
        parsed = URL(text)
        with Destination(folder.file, **how) as destination:
            with rig.client.open(parsed, resume=destination.resume(parsed)) as resource:
                got.resource = resource
                got.size = destination.save(resource, progress=progress)

    return doing(rig, do)


def doing(rig: Rig, do: Callable[[Got], None]) -> Got:
    """Whatever else is to have an outcome."""
    got = Got()
    with rig.measured(got):
        try:
            do(got)
        except (Exception, KeyboardInterrupt) as error:
            got.error = error
    got.word = word_of(got.error)
    return got
