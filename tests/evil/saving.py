"""Section F (and E9, E10): disks, signals, kills and processes, for every scheme whose good thing can be saved.

Rule: before and after each cell every name of the folder is looked at: the final name is what it was, or whole, and
nothing else is left. `add_saving` gives the cells to a column.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from anyurl.errors.reasons import file_of
from tests.evil.cell import Cell, Column
from tests.evil.children import HANG, Child, in_child, limit
from tests.evil.common import deaf
from tests.evil.local import OLD, Folder, save
from tests.evil.outcomes import INTERRUPT, LIMIT, LOCAL, LOST, OK
from tests.evil.player import STREAM_OCTETS, STREAM_SECONDS, hold, mark, reset
from tests.evil.rig import EVIL, GOOD, QUICK, SECRET, Got, Rig, _open_files
from tests.evil.terminal import main

NOBODY = 65_534
FAILURES = 1_000
"""Transfers that are refused, after which nothing may be left."""

RESETS = 60
SETTLED = 9
"""After so many, what a client keeps open is what it will keep."""

STRIDE = 1 if os.environ.get("ANYURL_SLOW") else 3
"""Of the calls before which a child is killed, every third, and in each column others: the columns share what saves.
ANYURL_SLOW has them all."""

DAY = 86_400.0
PROMPT = 10.0
"""Seconds that the end after a signal may take where other processes have the machine; that it was the signal, and no
clock, is said by the word or the status that it ends with."""


def add_saving(column: Column, *, resumes: bool = False, network: bool = True) -> None:
    """Give a column the cells F1 to F14, E9 and E10.

    Args:
        resumes: The scheme can go on with a part: its column has F5 itself.
        network: There is somebody to connect to; else the column has F10, F14 and the phases of F3 and F4 itself.
    """
    column.add(
        Cell("E9", LOCAL, run=lambda rig: _onto_old(rig, force=False)),
        Cell("E10 untold", OK, run=lambda rig: _onto_link(rig, force=False)),
        Cell("E10 forced", OK, run=lambda rig: _onto_link(rig, force=True)),
        Cell("F1", LOCAL, run=lambda rig: _no_room(rig, old=False)),
        Cell("F1 over an old file", LOCAL, run=lambda rig: _no_room(rig, old=True)),
        Cell("F2", LOCAL, run=_not_ours),
        *(
            Cell(f"F3 {phase}", INTERRUPT, run=lambda rig, p=phase: _interrupted(rig, p))
            for phase in (("dns", "connect", "reply", "body", "rename") if network else ("rename",))
        ),
        Cell("F4 at every step", OK, run=lambda rig: _killed_everywhere(rig, force=False)),
        Cell("F4 at every step over an old file", OK, run=lambda rig: _killed_everywhere(rig, force=True)),
        *(Cell(f"F6 {kind}", LOCAL, run=lambda rig, k=kind: _onto(rig, k)) for kind in _PLACES),
        Cell("F7", OK, run=lambda rig: _two_at_once(rig, force=False)),
        Cell("F7 forced", OK, run=lambda rig: _two_at_once(rig, force=True)),
        Cell("F8", OK, run=_closed_pipe),
        Cell("F9", OK, run=_no_descriptors),
        Cell("F12 a child", OK, run=_forked),
        Cell("F12 two threads", OK, run=_two_threads),
        Cell("F13", OK, run=_clock_jumps),
    )
    if network:
        column.add(
            Cell("F3 terminated", INTERRUPT, run=_terminated),
            Cell("F4 in the body", OK, run=_killed_in_the_body),
            Cell("F10", OK, run=_a_thousand, busy=True),
            Cell("F14", OK, run=_tells_nothing, limits=QUICK._fields()),
        )
    if not resumes:
        column.add(Cell("F5", OK, run=_starts_anew))
    if column.stream is not None:
        limits = {"max_bytes": STREAM_OCTETS, "total": STREAM_SECONDS, "listing_entries": 10**9}
        column.add(Cell("F11", LIMIT, column.stream, limits=limits, stream=True))


def _got(word: str) -> Got:
    got = Got()
    got.word = word
    return got


# --- what has the name already ---------------------------------------------------------------------------------------


def _onto_old(rig: Rig, *, force: bool) -> Got:
    server = rig.serve(rig.column.good)
    with Folder() as folder:
        folder.put_old()
        before = folder.snapshot()
        got = save(rig, folder, force=force)
        assert folder.snapshot() == before
        assert server.hits == 0, "it connected before it looked"
        assert save(rig, folder, force=True).word == OK
        assert folder.read() == rig.column.content
    return got


def _onto_link(rig: Rig, *, force: bool) -> Got:
    """A link is never followed: untold it is as a file that is there, and by force it is replaced itself."""
    rig.serve(rig.column.good)
    with Folder() as folder, Folder("aim") as elsewhere:
        elsewhere.put_old()
        os.symlink(elsewhere.file, folder.file)
        got = save(rig, folder, force=force)
        assert elsewhere.read() == OLD
        assert os.path.islink(folder.file) != force
        assert list(folder.snapshot()) == ["saved"]
        assert got.word == (OK if force else LOCAL), got
    got.word = OK
    return got


_PLACES: dict[str, Callable[[Folder], Any]] = {
    "directory": lambda folder: os.mkdir(folder.file),
    "fifo": lambda folder: os.mkfifo(folder.file),
    "socket": lambda folder: _bind(folder.file),
}


def _bind(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(path)


def _onto(rig: Rig, kind: str) -> Got:
    server = rig.serve(rig.column.good)
    with Folder() as folder:
        _PLACES[kind](folder)
        before = folder.snapshot()
        got = save(rig, folder, force=True)
        assert folder.snapshot() == before
        assert server.hits == 0, "it connected before it looked"
    return got


# --- disks -----------------------------------------------------------------------------------------------------------


def _in_child(rig: Rig, folder: Folder, prepare: Callable[[], Any], **how: Any) -> Got:
    """Save in a child that was prepared; what the parent must know of it."""

    def task() -> tuple[str, str]:
        prepare()
        got = save(rig, folder, **how)
        rig.client.close()
        rig.check()
        return got.word, str(got.error)

    result = in_child(task)
    assert result not in (HANG, None), result
    got = _got(result[0])
    got.other = result[1]
    return got


def _no_room(rig: Rig, *, old: bool) -> Got:
    """The disk takes two octets more, and no third one."""
    rig.serve(rig.column.good)
    with Folder() as folder:
        if old:
            folder.put_old()
        before = folder.snapshot()
        got = _in_child(rig, folder, lambda: limit("FSIZE", 2), force=old)
        assert folder.snapshot() == before, "a trace is left"
    return got


def _not_ours(rig: Rig) -> Got:
    server = rig.serve(rig.column.good)
    with Folder() as folder:
        os.chmod(folder.path, 0o555)

        def become_nobody() -> None:
            if os.geteuid() == 0:
                os.setuid(NOBODY)

        got = _in_child(rig, folder, become_nobody)
        assert folder.snapshot() == {}
        assert server.hits == 0, "it connected before it looked"
    return got


# --- signals and kills -----------------------------------------------------------------------------------------------


def _wait_for(what: Callable[[], Any], seconds: float = 10.0) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it never came there"
        time.sleep(0.001)


def _interrupted(rig: Rig, phase: str) -> Got:
    """Ctrl-C in a phase: KeyboardInterrupt within a second, and nothing is left of the file."""
    reader, writer = os.pipe()
    if phase == "connect":
        rig.place(rig.enter((rig.column.silent or deaf)()))
    elif phase != "dns":
        scripts = {
            "reply": [mark("reply"), hold()],
            "body": [*(rig.column.half or ()), hold()],
            "rename": rig.column.good,
        }
        server = rig.serve(scripts[phase])

    def tell() -> None:
        os.write(writer, b"x")

    def task() -> tuple[str, list[str]]:
        if phase == "dns":
            rig.network.names[EVIL] = lambda: tell() or threading.Event().wait(30) or []
        elif phase == "connect":
            _on_event({"socket.connect", "socket.sendto"}, tell)
        elif phase == "rename":
            _on_event({"os.link", "os.rename"}, lambda: os.kill(os.getpid(), signal.SIGINT))
        got = save(rig, folder)
        rig.client.close()
        return got.word, list(folder.snapshot())

    with Folder() as folder:
        child = Child(task)
        if phase in ("dns", "connect"):
            assert os.read(reader, 1) == b"x"
        elif phase != "rename":
            _wait_for(lambda: server.marks)
        if phase != "rename":
            child.signal(signal.SIGINT)
        began = time.monotonic()
        result = child.result()
        took = time.monotonic() - began
        os.close(reader)
        os.close(writer)
        assert result not in (HANG, None), result
        assert took < PROMPT, f"{took:.2f} s after the signal"
        assert result[1] in ([], ["saved"] if phase == "rename" else []), result
        assert folder.read() in (None, rig.column.content)
    return _got(result[0])


def _on_event(names: set[str], act: Callable[[], Any]) -> None:
    """Act when Python is about to make one of these calls, once (in a child: a hook is never taken out again)."""
    done: list[bool] = []

    def hook(event: str, _arguments: Any) -> None:
        if event in names and not done:
            done.append(True)
            act()

    sys.addaudithook(hook)


def _terminated(rig: Rig) -> Got:
    """SIGTERM to the command: exit code 143, nothing left, nothing said that looks like a crash."""
    server = rig.enter(rig.column.player([*rig.column.half, hold()]))
    with Folder() as folder:
        child = Child(lambda: _command(rig, server, "get", "-o", folder.file))
        _wait_for(lambda: server.marks)
        child.signal(signal.SIGTERM)
        began = time.monotonic()
        result = child.result()
        assert time.monotonic() - began < PROMPT
        assert folder.snapshot() == {}
    status = child.status if result is None else result[0]
    assert status in (143, -signal.SIGTERM), (result, child.status)
    return _got(INTERRUPT)


def _command(rig: Rig, server: Any, verb: str, *options: str, stdout: int | None = None) -> tuple[int, str]:
    """The command in this child, on the server's own port; its exit code, and what it said on standard error."""
    said, written = os.pipe()
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(os.open(os.devnull, os.O_RDWR) if stdout is None else stdout, 1)
    os.dup2(written, 2)
    os.close(written)
    url = rig.column.url("127.0.0.1", port=server.port)
    try:
        code = main(verb, url, "--allow-port", str(server.port), *options)
    finally:
        os.dup2(0, 2)
    return code, os.read(said, 65536).decode()


def _killed_in_the_body(rig: Rig) -> Got:
    server = rig.serve([*rig.column.half, hold()])
    with Folder() as folder:
        folder.put_old()
        child = Child(lambda: save(rig, folder, force=True).word)
        _wait_for(lambda: server.marks)
        child.signal(signal.SIGKILL)
        assert child.result() is None
        assert folder.read() == OLD
    return _got(OK)


def _killed_everywhere(rig: Rig, *, force: bool) -> Got:
    """kill -9 before each call that touches the file system: the final name is old or whole."""
    rig.serve(rig.column.good)
    for step in range(1 + ord(rig.column.letter) % STRIDE, 100, STRIDE):
        with Folder() as folder:
            if force:
                folder.put_old()

            def task(step: int = step, folder: Folder = folder) -> str:
                count = [0]

                def hook(event: str, _arguments: Any) -> None:
                    if event == "open" or event.startswith("os."):
                        count[0] += 1
                        if count[0] == step:
                            os.kill(os.getpid(), signal.SIGKILL)

                sys.addaudithook(hook)
                return save(rig, folder, force=force).word

            result = in_child(task)
            found = folder.read()
            assert found in (OLD if force else None, rig.column.content), f"step {step}: {found!r}"
            if result is not None:
                assert (result, found) == (OK, rig.column.content)
                assert step > 3, "nothing was hit"
                return _got(OK)
    raise AssertionError("it never came to its end")


# --- processes -------------------------------------------------------------------------------------------------------


def _two_at_once(rig: Rig, *, force: bool) -> Got:
    rig.serve(rig.column.good)
    with Folder() as folder:
        reader, writer = os.pipe()

        def task() -> str:
            os.close(writer)
            os.read(reader, 1)  # both begin when the parent closes its end
            return save(rig, folder, force=force).word

        children = [Child(task) for _ in range(2)]
        os.close(writer)
        words = sorted(str(child.result()) for child in children)
        os.close(reader)
        assert words == ([OK, OK] if force else sorted([OK, LOCAL])), words
        assert folder.read() == rig.column.content
        assert list(folder.snapshot()) == ["saved"]
    return _got(OK)


def _closed_pipe(rig: Rig) -> Got:
    server = rig.enter(rig.column.player(rig.column.good))
    reader, writer = os.pipe()
    os.close(reader)
    code, said = in_child(lambda: _command(rig, server, "get", stdout=writer))
    os.close(writer)
    assert (code, said) == (141, "")
    return _got(OK)


def _no_descriptors(rig: Rig) -> Got:
    """With ever more descriptors to spare: a clean error until it works, and nothing lost once there are enough."""
    rig.serve(rig.column.good)
    rig.good_server()

    def task() -> list[str]:
        words = []
        enough = limit_now()
        for spare in range(12):
            limit("NOFILE", _with_to_spare(spare))
            words.append(rig.fetch().word)
            limit("NOFILE", enough)
        words.append(rig.fetch().word)
        rig.client.close()
        rig.check()
        return words

    words = in_child(task)
    assert words not in (HANG, None)
    assert set(words[:-1]) <= {LOCAL, LOST, OK}, words
    assert words[0] != OK, words
    assert words[-1] == OK, words
    return _got(OK)


def _with_to_spare(count: int) -> int:
    """The limit below which just so many numbers of descriptors are free."""
    used = {int(name) for name in os.listdir("/proc/self/fd")[:-1]}
    number = free = 0
    while free < count or number in used:
        free += number not in used
        number += 1
    return number


def limit_now() -> int:
    import resource

    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def _a_thousand(rig: Rig) -> Got:
    """Refused and reset, again and again, by one client: what is open after a thousand was open after ten."""
    for count in range(FAILURES + RESETS):
        if count == FAILURES:
            rig.serve([reset()])
        word = rig.fetch().word
        assert word == LOST, word
        rig.results.clear()
        if count in (SETTLED, FAILURES + SETTLED):
            before = _open_now(rig)
        elif count in (FAILURES - 1, FAILURES + RESETS - 1):
            _check_fewer(rig, before)
    return _got(OK)


def _check_fewer(rig: Rig, before: int) -> None:
    """libcurl says good-bye to a connection for two seconds, and looks at the clock when it is next used."""
    if _open_now(rig) <= before:
        return
    time.sleep(2.1)
    rig.fetch()
    now = _open_now(rig)
    assert now <= before + 1, f"{now} instead of {before}: {_open_files()}"


def _open_now(rig: Rig) -> int:
    """Descriptors and threads, but for those of connections that the server has not let go of yet."""
    _wait_for(lambda: all(not thread.is_alive() for server in rig.servers for thread in server._threads))
    return len(os.listdir("/proc/self/fd")) + threading.active_count()


def _forked(rig: Rig) -> Got:
    """A child has its own connections; the parent's go on as if there were none."""
    rig.serve(rig.column.good)
    rig.good_server()
    with rig.client.open(rig.column.url(EVIL)) as resource:
        assert in_child(lambda: rig.fetch(rig.column.url(GOOD)).data) == rig.column.content
        assert resource.read() == rig.column.content
    return rig.fetch()


def _two_threads(rig: Rig) -> Got:
    rig.serve(rig.column.good)
    words: list[str] = []
    threads = [threading.Thread(target=lambda: words.append(rig.fetch().word)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert words == [OK, OK]
    return rig.fetch()


def _clock_jumps(rig: Rig) -> Got:
    """The wall clock is set a day forward and back while something is transferred: no clock of ours notices."""
    rig.serve(rig.column.good)
    real, jumps = time.time, [0]

    def jumping() -> float:
        jumps[0] += 1
        return real() + DAY * (-1) ** jumps[0]

    time.time = jumping
    try:
        return rig.fetch()
    finally:
        time.time = real


def _tells_nothing(rig: Rig) -> Got:
    """A password is in no message, no repr and no local variable of a traceback."""
    rig.serve([reset()], [*rig.column.half, reset()], [hold()])
    for _ in range(3):
        got = rig.fetch()
        assert got.error is not None
        check_trace(got.error)
        for thing in (got.error, got.resource, rig.client, rig.policy):
            assert SECRET not in repr(thing)
            assert SECRET not in str(thing)
    return _got(OK)


def check_trace(error: BaseException) -> None:
    """No local variable of the library's frames shows the password (what the test wrote down is its own business)."""
    frames = traceback.TracebackException.from_exception(error, capture_locals=True)
    while frames is not None:
        for frame in frames.stack:
            if file_of(frame.filename):
                shown = {name: value for name, value in (frame.locals or {}).items() if SECRET in value}
                assert not shown, f"{frame.filename}:{frame.lineno}: {shown}"
        assert SECRET not in str(frames)
        frames = frames.__cause__ or frames.__context__  # type: ignore[assignment]


def _starts_anew(rig: Rig) -> Got:
    """Nothing proves that it is still the same thing: what had come is not joined with what comes."""
    rig.serve([*rig.column.half, reset()])
    with Folder() as folder:
        first = save(rig, folder, go_on=True)
        assert first.word != OK
        assert folder.read() is None
        rig.servers[0].become(rig.column.good)
        got = save(rig, folder, go_on=True)
        assert folder.read() == rig.column.content
        assert list(folder.snapshot()) == ["saved"]
    return got
