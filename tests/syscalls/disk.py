"""Save, put and append with every call written down, and cut off before each of them: ``disk.py SHIM FOLDER``.

It runs with ``LD_PRELOAD=SHIM`` (record.c). For each scenario a child process does it once, whole; from the record
follows what a disk may hold after a power cut at each step (`crashes`). Then a child is killed before each of the
calls, and what it left is looked at, and used. Writes one JSON object for each scenario.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from anyurl.errors import ConnectionLost
from anyurl.files.filesystem import Mode, open_file
from anyurl.saving.save import Destination
from anyurl.url import URL
from tests.syscalls.crashes import Disk, after_power_cuts, parse

URL_OF_IT = URL("http://example.org/x")
OLD = b"what was there before"
RESOURCES = {'"1"': b"0123456789" * 4, '"2"': b"abcdefghij" * 3}
"""By their entity tags."""
FIRST, SECOND = RESOURCES.values()
PART, FACTS = "x.anyurl-part", "x.anyurl-part.json"


class Remote:
    """A resource in two pieces, which may be lost after the first."""

    url, modified = URL_OF_IT, None

    def __init__(self, etag: str, start: int = 0, *, lost: bool = False, proven: bool = True) -> None:
        self.etag = etag if proven else None
        self.start = start
        self.size = len(RESOURCES[etag])
        self._data = RESOURCES[etag][start:]
        self._lost = lost

    def iter_bytes(self) -> Iterator[bytes]:
        """The content."""
        yield self._data[:11]
        if self._lost:
            raise ConnectionLost("The connection broke.")
        yield self._data[11:]


def download(path: Path, etag: str = '"1"', *, lost: bool = False, proven: bool = True, **how: bool) -> None:
    """Save it, resumed if that is asked for, and the part is one of the same resource."""
    with Destination(path, **how) as destination:
        wanted = destination.resume(URL_OF_IT)
        start = wanted.start if wanted is not None and wanted.etag == etag else 0
        destination.save(Remote(etag, start, lost=lost, proven=proven))


def break_off(path: Path) -> None:
    """Leave a part."""
    try:
        download(path, lost=True, go_on=True)
    except ConnectionLost:
        pass


def write(path: Path, mode: Mode) -> None:
    """What a file URL does for put and append."""
    channel = open_file(str(path), mode)
    channel.write(FIRST[:11])
    channel.write(FIRST[11:])
    channel.commit()
    channel.close()


def put_old(path: Path) -> None:
    """Let there be an old file."""
    path.write_bytes(OLD)


def both(path: Path) -> None:
    """An old file, and a part."""
    break_off(path)
    put_old(path)


SCENARIOS: dict[str, tuple[Callable[[Path], None] | None, Callable[[Path], None], bytes | None, bytes]] = {
    "new": (None, download, None, FIRST),
    "replaced": (put_old, lambda path: download(path, force=True), OLD, FIRST),
    "resumable": (None, lambda path: download(path, go_on=True), None, FIRST),
    "resumed": (break_off, lambda path: download(path, go_on=True), None, FIRST),
    "resumed and replaced": (both, lambda path: download(path, go_on=True, force=True), OLD, FIRST),
    "restarted": (break_off, lambda path: download(path, '"2"', go_on=True), None, SECOND),
    "restarted, and nothing proves what it is": (
        break_off,
        lambda path: download(path, '"2"', go_on=True, proven=False),
        None,
        SECOND,
    ),
    "put": (None, lambda path: write(path, "replace"), None, FIRST),
    "put over": (put_old, lambda path: write(path, "replace"), OLD, FIRST),
    "append": (put_old, lambda path: write(path, "append"), OLD, OLD + FIRST),
    "append to nothing": (None, lambda path: write(path, "append"), None, FIRST),
}
"""What is there before, what is done, and the content of the file before and after."""


class Scenario:
    """One of them, in folders of its own."""

    def __init__(self, shim: Any, name: str, base: Path) -> None:
        self._shim = shim
        self._name = name
        self._prepare, self._act, self._before, self._after = SCENARIOS[name]
        self._base = base
        self.verbs: list[str] = []
        self.states = self.kills = 0
        self.problems: list[str] = []

    def run(self) -> None:
        """All of it."""
        with tempfile.TemporaryDirectory(dir=self._base) as folder:
            path = self._path(folder)
            disk, inode = _read_disk(Path(folder))
            record, status = self._child(path, 0)
            changes = parse(record)
            self.verbs = [change.verb for change in changes]
            if status:
                self.problems.append(f"undisturbed it ends with {status}")
            for made, after in after_power_cuts(disk, changes):
                self.states += 1
                at = f"power cut after {made} of {len(changes)} ({' '.join(self.verbs[:made])})"
                self._judge(at, lambda name, after=after: after.read(inode, name), whole=made == len(changes))
        for step in range(1, 200):
            if not self._kill(step):
                break

    def _path(self, folder: str) -> Path:
        path = Path(folder) / "x"
        if self._prepare is not None:
            self._prepare(path)
        return path

    def _kill(self, step: int) -> bool:
        """Whether there was a call to be killed before."""
        with tempfile.TemporaryDirectory(dir=self._base) as folder:
            path = self._path(folder)
            _, status = self._child(path, step)
            killed = status == signal.SIGKILL
            self.kills += killed
            self._judge(f"killed before call {step}", lambda name: _content(Path(folder) / name), whole=not killed)
            if "append" in self._name or "put" in self._name:
                return killed
            # The next one finds what the killed one has left, uses it or removes it, and gets the whole.
            download(path, go_on=True, force=True)
            if (left := {name: _content(path.with_name(name)) for name in os.listdir(folder)}) != {"x": FIRST}:
                self.problems.append(f"killed before call {step}: the next one leaves {left}")
            return killed

    def _judge(self, at: str, read: Callable[[str], bytes | None], *, whole: bool) -> None:
        found = read("x")
        allowed = {self._after} if whole else {self._before, self._after}
        if "append" in self._name and not whole:  # its limit: a part of what is new may stay
            allowed |= {(self._before or b"") + FIRST[:end] for end in (0, 11)}
        if found not in allowed:
            self.problems.append(f"{at}: the file is {found!r}")
        facts, part = read(FACTS), read(PART)
        if facts and part and not RESOURCES[json.loads(facts)["etag"]].startswith(part):
            self.problems.append(f"{at}: the part {part!r} is not of what {facts!r} describes")

    def _child(self, path: Path, cut: int) -> tuple[str, int]:
        """Do it in a child process that is killed before a call (0: never); its record, and how it ended."""
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                os.close(reader)
                self._shim.record_begin(writer, cut)
                self._act(path)
                self._shim.record_end()
                status = 0
            finally:
                os._exit(status)
        os.close(writer)
        with os.fdopen(reader) as file:
            record = file.read()
        return record, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) * -1


def _read_disk(folder: Path) -> tuple[Disk, int]:
    inode = folder.stat().st_ino
    found = {path.name: (path.stat().st_ino, path.read_bytes()) for path in folder.iterdir()}
    return Disk({(inode, name): each for name, (each, _) in found.items()}, dict(found.values())), inode


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def main(shim_path: str, base: str) -> None:
    """The program."""
    shim = ctypes.CDLL(shim_path)
    for without in (False, True):
        shim.record_without_unnamed(without)
        for name in SCENARIOS:
            scenario = Scenario(shim, name, Path(base))
            scenario.run()
            facts = {each: getattr(scenario, each) for each in ("verbs", "states", "kills", "problems")}
            sys.stdout.write(json.dumps({"name": name, "unnamed": not without, **facts}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
