"""kill -9 at random moments, while others are at work in the same folder: ``kills.py FOLDER COUNT``.

Two processes save different resources to one name, in one of the ways in which that can be done, and one of them is
killed at a random moment. Meanwhile a third process takes every other name in the folder away and lays something else
there: another file, a link, an empty file, a folder. After each round the name leads to what was there before or to one
of the two resources, whole; and when the thief has gone, one download more leaves its own file and nothing beside it.
Writes one JSON object.
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from anyurl.errors import LocalFileError, RemoteProtocolError
from anyurl.saving.save import Destination
from anyurl.url import URL

OLD = b"what was there before"
RESOURCES = {b"1": os.urandom(300_000), b"2": os.urandom(200_000)}
PIECE = 16_384
VICTIM = b"what a link leads to, and is never written to"
WAYS = [{}, {"force": True}, {"go_on": True}, {"go_on": True, "force": True}]


class Remote:
    """One of the two resources."""

    url, modified = URL("http://example.org/x"), None

    def __init__(self, number: bytes, start: int) -> None:
        self.etag = f'"{number.decode()}"'
        self.start = start
        self.size = len(RESOURCES[number])
        self._data = RESOURCES[number]

    def iter_bytes(self):  # type: ignore[no-untyped-def]
        """The content."""
        for at in range(self.start, len(self._data), PIECE):
            yield self._data[at : at + PIECE]


def download(path: Path, number: bytes, how: dict[str, bool]) -> None:
    """Save one of them."""
    with Destination(path, **how) as destination:
        wanted = destination.resume(Remote.url)
        start = wanted.start if wanted is not None and wanted.etag == f'"{number.decode()}"' else 0
        destination.save(Remote(number, start))


def child(task: Callable[[], object]) -> int:
    """Do it in a process of its own; an error of ours is its exit code 9."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        task()
        code = 0
    except (LocalFileError, RemoteProtocolError):  # the other one was there first: its file is another document
        code = 9
    finally:
        os._exit(code)


def steal(folder: Path, begun: int) -> None:
    """Take every name but the final one away, for ever, and lay something else there.

    Args:
        begun: A descriptor to say on that it has begun.
    """
    os.write(begun, b"x")
    made = [
        lambda path: path.write_bytes(b"quite another"), lambda path: path.symlink_to(folder.parent / "victim"),
        lambda path: path.touch(), lambda path: path.mkdir(),
    ]  # fmt: skip
    while True:
        for name in os.listdir(folder):
            if name == "x" or name.startswith("stolen"):
                continue
            try:
                os.rename(folder / name, folder / f"stolen-{random.random()}")
                random.choice(made)(folder / name)
            except OSError:
                pass


def begin_to_steal(folder: Path) -> int:
    """A process that is at it."""
    reader, writer = os.pipe()
    pid = child(lambda: steal(folder, writer))
    os.read(reader, 1)
    os.close(reader)
    os.close(writer)
    return pid


def wait_for(pid: int, seconds: float) -> None:
    """Until it has ended, or so long."""
    descriptor = os.pidfd_open(pid)
    select.select([descriptor], [], [], seconds)
    os.close(descriptor)


def measure(folder: Path, how: dict[str, bool]) -> float:
    """Seconds that it takes undisturbed."""
    began = time.monotonic()
    os.waitpid(child(lambda: download(folder / "measured", b"1", how)), 0)
    (folder / "measured").unlink()
    return time.monotonic() - began


def play(folder: Path, how: dict[str, bool], thief: bool) -> tuple[list[str], int]:
    """One round; what is wrong, and how the one that was killed has ended."""
    path = folder / "x"
    if how.get("force"):
        path.write_bytes(OLD)
    allowed = {OLD if how.get("force") else None, *RESOURCES.values()}
    took = measure(folder, how)
    robber = begin_to_steal(folder) if thief else 0
    two, one = (child(lambda number=number: download(path, number, how)) for number in RESOURCES)  # type: ignore[misc]
    wait_for(one, random.random() * took / 2)
    os.kill(one, signal.SIGKILL)
    ends = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in (one, two)]
    if robber:
        os.kill(robber, signal.SIGKILL)
        os.waitpid(robber, 0)
    found = path.read_bytes() if path.exists() else None
    problems = []
    if path.is_symlink() or found not in allowed:
        problems.append(f"{how}: the name leads to {(found or b'')[:40]!r}, {ends}")
    if 0 in ends and found not in RESOURCES.values():
        problems.append(f"{how}: all was said to be well, and the file is {(found or b'')[:40]!r}, {ends}")
    if not set(ends) <= {0, 9, -9}:
        problems.append(f"{how}: they ended with {ends}")
    return problems, ends[0]


def clean_up(folder: Path, how: dict[str, bool]) -> list[str]:
    """What is wrong with what the next download of this kind leaves."""
    (folder / "x").unlink(missing_ok=True)
    if how.get("force"):
        (folder / "x").write_bytes(OLD)
    download(folder / "x", b"2", how)
    left = os.listdir(folder)
    whole = (folder / "x").read_bytes() == RESOURCES[b"2"]
    return [] if (left, whole) == (["x"], True) else [f"{how}: the next one leaves {left}, whole: {whole}"]


def main(base: str, count: str) -> None:
    """The program."""
    problems: list[str] = []
    killed = 0
    victim = Path(base) / "victim"
    victim.write_bytes(VICTIM)
    for number in range(int(count)):
        if number == int(count) // 2 and hasattr(os, "O_TMPFILE"):
            del os.O_TMPFILE  # the second half, as on a system that has none
        how, thief = WAYS[number % 4], number % 8 >= 4
        folder = Path(base) / "folder"
        folder.mkdir()
        found, end = play(folder, how, thief)
        killed += end == -9
        problems += found
        if not thief:
            problems += clean_up(folder, how)
        shutil.rmtree(folder)
    if victim.read_bytes() != VICTIM:
        problems.append("a link was followed")
    sys.stdout.write(json.dumps({"killed": killed, "problems": problems}))


if __name__ == "__main__":
    main(*sys.argv[1:])
