"""Column L: files of this machine (RFC 1738 3.10, RFC 8089). Here the disk is the hostile server."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable
from typing import Any

from anyurl import Policy
from anyurl.dialogue import Resume
from tests.evil.cell import Cell, Column
from tests.evil.children import Child
from tests.evil.local import OLD, Folder, Snapshot, doing, save
from tests.evil.naming import NAMES, check_saved_name
from tests.evil.outcomes import DENY, INTERRUPT, LIMIT, LOCAL, OK, TRUNC
from tests.evil.player import STREAM_OCTETS, STREAM_SECONDS
from tests.evil.rig import SECRET, Got, Rig
from tests.evil.saving import add_saving
from tests.evil.terminal import BIDI_NAME, EVIL_TEXT, check_harmless, on_terminal

CONTENT = b"something good\n"
HUGE = 2**32 + 1


def _good_file() -> str:
    """A file that is as it should be, for as long as this process lives."""
    folder = tempfile.mkdtemp(prefix="anyurl-evil-")
    atexit.register(_remove, folder, os.getpid())
    os.chmod(folder, 0o755)
    path = os.path.join(folder, "good")
    with open(path, "wb") as file:
        file.write(CONTENT)
    os.chmod(path, 0o644)
    return path


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


GOOD_FILE = _good_file()


class Disk:
    """What a player is to the other schemes: it has nothing to be started, and nobody connects to it."""

    hits, host, port = 0, "127.0.0.1", 4000
    received: tuple[()] = ()
    complaints: tuple[()] = ()
    _threads: tuple[()] = ()

    def __init__(self, *scripts: Any, host: str = "127.0.0.1", context: object = None) -> None:
        self.scripts = scripts

    def become(self, *scripts: Any) -> None:
        """It stays what it is."""

    def __enter__(self) -> Disk:
        return self

    def __exit__(self, *_exception: object) -> None:
        pass


class Files(Column):
    """A column whose URLs have no host."""

    def url(self, host: str, path: str | None = None, *, port: int | None = None) -> str:
        return f"file://{GOOD_FILE if path is None else path}"


COLUMN = Files(
    "L", "file", good="the disk", path="", content=CONTENT, policy=Policy.default(), player=Disk
)  # fmt: skip
add_saving(COLUMN, resumes=True, network=False)


def among(fill: Callable[[Folder], Any], path: str = "", verb: str = "get", **how: Any) -> Callable[[Rig], Got]:
    """A folder that something is put into, and then a path in it is fetched."""

    def run(rig: Rig) -> Got:
        with Folder() as folder:
            fill(folder)
            before = folder.snapshot()
            got = rig.fetch(f"file://{folder.path}{path}", verb, **how)
            assert folder.snapshot() == before
        return got

    return run


def file(name: str, octets: bytes = b"x") -> Callable[[Folder], None]:
    """Put a file there."""

    def fill(folder: Folder) -> None:
        with open(os.path.join(os.fsencode(folder.path), os.fsencode(name)), "wb") as made:
            made.write(octets)

    return fill


def _sparse(folder: Folder, size: int = HUGE) -> None:
    with open(folder.file, "wb") as made:
        made.truncate(size)
        made.seek(size - 5)
        made.write(b"last\n")


def _edges(rig: Rig) -> Got:
    """Beyond 4 GiB: the size is told, and what stands behind the edge is read."""
    with Folder() as folder:
        _sparse(folder)
        facts = rig.fetch(f"file://{folder.file}", "stat").resource
        assert facts.size == HUGE
        for start in (2**31, 2**32 - 4, 2**32):
            resume = Resume(HUGE - 5 if start == 2**31 else start, None, facts.modified, HUGE)
            got = rig.fetch(f"file://{folder.file}", resume=resume)
            assert (got.word, got.resource.start, got.data[-1:]) == (OK, resume.start, b"\n"), got
    return got


def _whole(rig: Rig) -> Got:
    with Folder() as folder:
        _sparse(folder, STREAM_OCTETS)
        return rig.fetch(f"file://{folder.file}", keep=False)


def _shrinks(rig: Rig) -> Got:
    def do(got: Got) -> None:
        with rig.client.open(f"file://{folder.file}") as resource:
            pieces = resource.iter_bytes()
            next(pieces)
            os.truncate(folder.file, 200_000)
            for _ in pieces:
                pass

    with Folder() as folder:
        file("saved", bytes(1_000_000))(folder)
        got = doing(rig, do)
    return got


def _grows(rig: Rig) -> Got:
    """What is added while it is read is not part of what was described."""

    def do(got: Got) -> None:
        with rig.client.open(f"file://{folder.file}") as resource:
            pieces = resource.iter_bytes()
            got.size = len(next(pieces))
            with open(folder.file, "ab") as more:
                more.write(bytes(1_000_000))
            got.size += sum(map(len, pieces))

    with Folder() as folder:
        file("saved", bytes(300_000))(folder)
        got = doing(rig, do)
    assert got.size == 300_000
    return got


def _hostile_names(rig: Rig) -> Got:
    """Every name that a disk can hold is listed with its octets, and would be saved as something harmless."""
    wanted = {name for name, _ in NAMES.values() if b"/" not in name and b"\0" not in name and 2 < len(name) <= 255}
    with Folder() as folder:
        for name in wanted:
            file(os.fsdecode(name))(folder)
        got = rig.fetch(f"file://{folder.path}/", "list")
    assert {os.fsencode(name) for name in got.names} == wanted
    for entry in got.entries:
        check_saved_name(entry.name)
        assert entry.url is not None
    return got


def _shown(rig: Rig, verb: str, name: bytes, octets: bytes, shows: str) -> Got:
    with Folder() as folder:
        file(os.fsdecode(name), octets)(folder)
        path = folder.path + ("/" if verb == "ls" else "/" + os.fsdecode(name))
        written, code = on_terminal(verb, f"file://{path}")
    shown = check_harmless(written)
    assert shows in shown, shown
    got = Got()
    got.word = OK if code == 0 else f"exit code {code}: {shown}"
    return got


def _goes_on(change: Callable[[Folder], Any] | None) -> Callable[[Rig], Got]:
    """A copy broke off; it is gone on with only when size and time of the file are what they were."""

    def run(rig: Rig) -> Got:
        with Folder() as source, Folder() as folder:
            file("saved", CONTENT)(source)
            facts = rig.fetch(f"file://{source.file}", "stat").resource
            if change is not None:
                change(source)
            got = rig.fetch(f"file://{source.file}", resume=Resume(9, None, facts.modified, facts.size))
            assert got.resource.start == (9 if change is None else 0)
            with open(source.file, "rb") as now:
                assert got.data == now.read()[got.resource.start :]
            assert save(rig, folder, f"file://{source.file}", go_on=True).word == OK
        return got

    return run


def _touch(folder: Folder) -> None:
    os.utime(folder.file, (1, 1))


def _interrupted(number: int) -> Callable[[Rig], Got]:
    """A signal in the middle of a copy that takes long."""

    def run(rig: Rig) -> Got:
        with Folder() as source, Folder() as folder:
            _sparse(source)
            folder.put_old()
            reader, writer = os.pipe()

            def task() -> tuple[str, Snapshot]:
                told = iter([lambda: os.write(writer, b"x")])
                got = save(rig, folder, f"file://{source.file}", progress=lambda _: next(told, lambda: 0)(), force=True)
                return got.word, folder.snapshot()

            child = Child(task)
            assert os.read(reader, 1) == b"x"
            child.signal(number)
            result = child.result()
            os.close(reader)
            os.close(writer)
            assert folder.read() == OLD
            assert list(folder.snapshot()) == ["saved"] or not hasattr(os, "O_TMPFILE")
            if number == signal.SIGINT:
                assert (result[0], set(result[1])) == (INTERRUPT, {"saved"}), result
        got = Got()
        got.word = INTERRUPT if number == signal.SIGINT else OK
        return got

    return run


def _tells_nothing(rig: Rig) -> Got:
    got = rig.fetch(f"file://joe:{SECRET}@evil.test/x")
    assert SECRET not in repr(got.error)
    got.word = OK
    return got


def _fails_a_thousand_times(rig: Rig) -> Got:
    rig.fetch()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(1000):
        assert rig.fetch("file:///nowhere/at/all").word == LOCAL
        rig.results.clear()
    assert len(os.listdir("/proc/self/fd")) <= before
    got = rig.fetch()
    return got


def _loop(folder: Folder) -> None:
    os.symlink("saved", folder.file)


def _socket(folder: Folder) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(folder.file)


LOOPS = {"itself": _loop, "a ring": lambda folder: (os.symlink("b", f"{folder.path}/saved"),
                                                    os.symlink("saved", f"{folder.path}/b"))}  # fmt: skip

COLUMN.add(
    Cell("B5", OK, run=among(file("caf\udce9"), "/", "list"), holds=lambda got: got.names == ["caf\udce9"]),
    Cell("B5 fetched", OK, run=among(file("caf\udce9"), "/caf%E9"), holds=lambda got: got.data == b"x"),
    *(Cell(f"B16 {name}", LOCAL, run=among(fill, "/saved")) for name, fill in LOOPS.items()),
    Cell("C1", TRUNC, run=_shrinks),
    Cell("C10 it grows", OK, run=_grows),
    Cell("C9 zeros", LOCAL, url="file:///dev/zero"),
    Cell("C9 nothing", LOCAL, url="file:///dev/null"),
    Cell("C9 made by the kernel", LOCAL, url="file:///proc/self/environ"),
    Cell("C9 a fifo", LOCAL, run=among(lambda folder: os.mkfifo(folder.file), "/saved")),
    Cell("C9 a socket", LOCAL, run=among(_socket, "/saved")),
    Cell("C9 by a link", LOCAL, run=among(lambda folder: os.symlink("/dev/zero", folder.file), "/saved")),
    Cell("C10", OK, run=_edges),
    Cell("D7", OK, run=lambda rig: _shown(rig, "get", b"x.txt", EVIL_TEXT, "red")),
    Cell("D7 in a name", OK, run=lambda rig: _shown(rig, "ls", b"a\x1b[31m\x07b\x9bc", b"", "\\x1b[31m")),
    Cell("D8", OK, run=lambda rig: _shown(rig, "ls", BIDI_NAME, b"", "\\u202e")),
    Cell("E5", OK, run=_hostile_names),
    *(Cell(f"E6 {verb}", DENY, url="file:///tmp/a%00b", verb=verb) for verb in ("get", "list", "stat")),
    Cell("F3 in the body", INTERRUPT, run=_interrupted(signal.SIGINT)),
    Cell("F4 in the body", OK, run=_interrupted(signal.SIGKILL)),
    Cell("F5 the rest", OK, run=_goes_on(None)),
    Cell("F5 another time", OK, run=_goes_on(_touch)),
    Cell("F5 it became smaller", OK, run=_goes_on(lambda folder: os.truncate(folder.file, 4))),
    Cell("F10", OK, run=_fails_a_thousand_times, busy=True),
    Cell("F11", OK, run=_whole, limits={"total": STREAM_SECONDS}, stream=True),
    Cell("F11 a limit", LIMIT, run=_whole, limits={"max_bytes": 1_000_000}, stream=True),
    Cell("F14", OK, run=_tells_nothing),
    Cell("G10", DENY, url="file:///tmp/a%00b"),
    Cell("G15 another machine", DENY, url="file://evil.test/etc/passwd"),
    Cell("G15 by address", DENY, url="file://127.0.0.1/etc/passwd"),
    Cell("G15 unc", DENY, url="file://server/share/x"),
    Cell("G15 an encoded slash", DENY, url="file:///etc%2Fpasswd"),
    Cell("G15 backslashes", DENY, url="file:\\\\server\\share\\x"),
    Cell("G15 for strangers", DENY, url="file:///etc/hostname", rig={"policy": Policy.untrusted()}, good=False),
)  # fmt: skip
