"""Break random lines of the rooms that decide, one at a time, and see whether the tests notice.

``scripts/mutate --random COUNT [--changed [BASE]] [--seed N] [--workers N] [--reach FILE] [PATH...]`` applies COUNT
mutants, each to a copy of the sources, runs the tests that mirror the file and, where they notice nothing, those of
any room that reach the block (``reach.py``), and prints what came of each, how many were killed, and the survivors
with their place and change. Which test reaches what is found out first, by a run of them all; ``--reach`` keeps it
for as long as sources and tests are the same. Files and folders are named below ``src/anyurl``; without any they are
those of ``ROOMS``, and with ``--changed`` the lines of ``GATES`` that have changed since a commit. A survivor is read
by a person, who writes a test where one could tell. It ends with 1 only where a test fails before anything is broken;
that one is named, and left out.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from queue import SimpleQueue

import pytest

from tests.mutants.mutator import Mutant, pick
from tests.mutants.reach import PROCESS, VARIABLE, Reach, key

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
ROOMS = (
    "batch", "client", "dialogue", "files", "grammar", "guard", "net", "proxy", "saving", "schemes", "text", "url",
    "warc",
)  # fmt: skip
"""The rooms that decide what is read, asked for and allowed, and those that do it."""

LEFT_OUT = ("__init__.py", "fake_server.py", "server.py", "url/cut/columns.py", "check/cluster.py")
"""What decides nothing, and what only runs where it is compiled, or where Ray is, neither of which a mutant is."""

COMPILED = {("batch/columns.py", "cut"), ("batch/columns.py", "_schemes"), ("batch/columns.py", "_together")}
"""Functions that only run where the kernel is compiled, in files of which the rest runs everywhere."""

GATES = ("client", "guard", "net", "saving")
"""Those that let a request out."""

ROUND_SECONDS = 60
"""Of tests that reach the block: of more, the quickest. What so many reach is noticed by the first of them."""

PATIENCE_SECONDS = 30
"""For the tests of one mutant, beside five times what they take: a loop without an end counts as noticed."""

ALL_SECONDS = 1800
"""For all tests of the rooms, with each block noted."""

MOST_OCTETS = 4 << 30
"""Of memory for them: so does a list without an end."""


def files(named: list[str], among: Collection[str] = ROOMS) -> dict[str, list[str]]:
    """The files of each room, below ``src/anyurl``; of a folder that is named, all of them."""
    inside = SOURCE / "anyurl"
    within = [name for name in named if not name.endswith(".py")] or ([] if named else among)
    found = [path.relative_to(inside).as_posix() for name in within for path in sorted((inside / name).rglob("*.py"))]
    paths = [name for name in named if name.endswith(".py")] + [path for path in found if not path.endswith(LEFT_OUT)]
    rooms = sorted({path.split("/")[0] for path in paths})
    return {room: [path for path in paths if path.split("/")[0] == room] for room in rooms}


def rounds(mutant: Mutant, reach: Reach) -> Iterator[list[str]]:
    """The tests of a mutant: the mirror of its file; then those that reach its block. With neither, its room.

    Last come those of its room, and of none, that start a process, of which nobody knows what it reaches.
    """
    own = Path("tests", mutant.path).with_name(f"test_{Path(mutant.path).name}")
    room = mutant.path.split("/")[0]
    if (ROOT / own).is_file():
        yield [str(own)]
    reaching = reach.of(key(mutant.path, mutant.block), room, ROUND_SECONDS)
    others = [test for test in reaching if not test.startswith(f"{own}::")]
    if others:
        yield others
    elif not (ROOT / own).is_file():
        folder = Path("tests", mutant.path).parent
        yield [str(folder if (ROOT / folder).is_dir() else Path("tests", room))]
        return
    places = f"tests/{room}/", "tests/test_"
    starting = [test for test in reach.of(PROCESS, room, ROUND_SECONDS) if test.startswith(places)]
    if others := [test for test in starting if test not in reaching and not test.startswith(f"{own}::")]:
        yield others


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_OCTETS, MOST_OCTETS))


def ran(
    source: Path, tests: Collection[str], patience: float, *more: str, reach: Path | None = None
) -> tuple[int, str]:
    """How a run of tests of these sources ended, as pytest tells, and what it said; -1: it was not done in time.

    Args:
        source: The folder that has ``anyurl``.
        tests: Files, folders, or names of single tests.
        patience: Seconds for all of them.
        more: Of pytest's options.
        reach: The folder for what is noted of which test reached what.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "--durations=0", *more]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1", "CI": "true"}
    if reach:
        environment[VARIABLE] = str(reach)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as named:  # a command line has no room for ten thousand
        named.writelines(f"{test}\n" for test in tests)
        named.flush()
        process = subprocess.Popen(
            [*command, "--hypothesis-profile=first", f"@{named.name}"], cwd=ROOT, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="backslashreplace",
            start_new_session=True, preexec_fn=_limit,
        )  # fmt: skip
        try:
            said, _ = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return -1, f"not done after {patience:.0f} s"
    return process.returncode, said


def noticed(source: Path, tests: list[str], reach: Reach) -> str:
    """What the tests said of these sources: empty where they notice nothing."""
    left_out = [f"--deselect={test}" for test in reach.failed]
    code, said = ran(source, [*tests, *left_out], PATIENCE_SECONDS + 5 * reach.takes(tests), "-x")
    failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR", "E  ", "not done"))]
    nothing = code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)  # all that there are may be left out
    return "" if nothing else failed[0] if failed else f"pytest ended with {code}"


def fate(mutant: Mutant, source: Path, reach: Reach) -> str:
    """What noticed a mutant; empty where it survives. The sources are whole again afterwards."""
    file = source / "anyurl" / mutant.path
    text = file.read_text(encoding="utf-8")
    file.write_text(mutant.applied(text), encoding="utf-8")
    try:
        for tests in rounds(mutant, reach):
            if said := noticed(source, tests, reach):
                return said
        return ""
    finally:
        file.write_text(text, encoding="utf-8")


def picked(count: int, seed: int, rooms: dict[str, list[str]], lines: set[tuple[str, int]] | None) -> list[Mutant]:
    """So many mutants, of each room in turn, and of these lines alone."""
    found = (
        mutant
        for mutant in pick(SOURCE / "anyurl", rooms, seed)
        if (mutant.path, mutant.function.partition(".")[0]) not in COMPILED
        and (lines is None or (mutant.path, mutant.line) in lines)
    )
    return [*islice(found, count)]


# ------------------------------------------------------------------------------------------------- what has changed


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.stderr.write(f"What has changed is not known: git {' '.join(words)} says: {done.stderr}")
        raise SystemExit(3)
    return done.stdout


def base() -> str:
    """The commit where what is to land left the main branch; of the main branch itself, the commit before the last."""
    head = _git("rev-parse", "HEAD")
    for name in ("origin/main", "main"):
        if _git("branch", "--all", "--list", name) and (left := _git("merge-base", "HEAD", name)) != head:
            return left.strip()
    return "HEAD^"


def changed(base: str) -> set[tuple[str, int]]:
    """The lines that are not as they were in a commit, each by its file below ``src/anyurl``."""
    lines: set[tuple[str, int]] = set()
    path = ""
    for line in _git("diff", "--unified=0", "--no-color", "--no-ext-diff", base, "--", "src/anyurl").splitlines():
        if line.startswith("+++ "):
            path = line.removeprefix("+++ b/src/anyurl/")
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines |= {(path, number) for number in range(first, first + count)}
    return lines


# ---------------------------------------------------------------------------------------------------- what is reached


def mark() -> str:
    """What tells one state of sources and tests from another."""
    paths = sorted(path for folder in (SOURCE, ROOT / "tests") for path in folder.rglob("*") if path.suffix != ".pyc")
    digest = hashlib.sha256()
    for path in paths:
        if path.is_file():
            digest.update(f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def reached(source: Path, rooms: Collection[str], workers: int) -> Reach:
    """Which test of these rooms, and of none, reaches what; what fails as it is is among ``failed``."""
    folders = [f"tests/{room}" for room in rooms if (ROOT / "tests" / room).is_dir()]
    tests = [*folders, *sorted(f"tests/{path.name}" for path in (ROOT / "tests").glob("test_*.py"))]
    with tempfile.TemporaryDirectory() as folder:
        options = ("-p", "tests.mutants.reach", "-n", str(workers), "--dist", "worksteal")
        code, said = ran(source, tests, ALL_SECONDS, *options, reach=Path(folder))
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            raise SystemExit(f"{said[-2000:]}\nThe tests could not be run.")
        found = Reach.read(sorted(Path(folder).iterdir()))
    # What counts calls, or the octets of memory, may fail for the notes alone.
    found.failed = {test for test in found.failed if ran(source, [test], PATIENCE_SECONDS + found.seconds[test])[0]}
    return found


def kept(file: Path | None, source: Path, rooms: Collection[str], workers: int) -> Reach:
    """The same, from a file that was written for the same sources and tests; where there is none, it is written."""
    now = f"{mark()} {' '.join(rooms)}"
    if file and file.exists() and (found := Reach.read([file])).mark == now:
        return found
    began = time.monotonic()
    found = reached(source, rooms, workers)
    found.mark = now
    sys.stdout.write(f"{len(found.seconds)} tests reach {len(found.tests)} blocks ({time.monotonic() - began:.0f} s)\n")
    if file:
        found.write(file)
    return found


# ------------------------------------------------------------------------------------------------------ the command


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="scripts/mutate --random", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("count", type=int, metavar="COUNT", help="how many mutants")
    parser.add_argument(
        "path", nargs="*", metavar="PATH", help="a file or folder below src/anyurl; without any those of the rooms"
    )
    parser.add_argument(
        "--changed", nargs="?", const="", metavar="BASE",
        help="of lines that have changed since a commit: where the branch left the main one",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=int(time.time()), metavar="N", help="picks the same ones again")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="how many at once (2)")
    parser.add_argument("--reach", type=Path, metavar="FILE", help="keeps which test reaches what, for the next time")
    return parser.parse_args()


def main() -> int:
    """Do what the arguments say, and print what came of it."""
    given = arguments()
    since = None if given.changed is None else given.changed or base()
    rooms = files(given.path, ROOMS if since is None else GATES)
    mutants = picked(given.count, given.seed, rooms, None if since is None else changed(since))
    if since is not None and not mutants:
        sys.stdout.write(f"no line of {', '.join(rooms)} that a mutant could change is other than in {since}\n")
        return 0
    sys.stdout.write(f"seed {given.seed}\n")
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(given.workers):
            shutil.copytree(SOURCE, Path(folder, str(number)), ignore=shutil.ignore_patterns("__pycache__", "*.so"))
            copies.put(Path(folder, str(number)))
        reach = kept(
            given.reach, Path(folder, "0"), sorted({*(ROOMS if since is None else GATES), *rooms}), given.workers
        )
        for test in sorted(reach.failed):
            sys.stdout.write(f"left out, for it fails as it is: {test}\n")
        sys.stdout.flush()

        def judge(mutant: Mutant) -> str:
            source = copies.get()
            try:
                return fate(mutant, source, reach)
            finally:
                copies.put(source)

        survivors = []
        with ThreadPoolExecutor(given.workers) as pool:
            for mutant, said in zip(mutants, pool.map(judge, mutants), strict=True):
                survivors += [] if said else [mutant]
                sys.stdout.write(told(mutant, said))
                sys.stdout.flush()
    killed = len(mutants) - len(survivors)
    rate = f"{killed / len(mutants):.0%}" if mutants else "nothing"
    sys.stdout.write(f"{len(mutants)} mutants: {killed} killed, {len(survivors)} survived ({rate} killed)\n")
    sys.stdout.writelines(told(mutant, "") for mutant in survivors)
    return 1 if reach.failed else 0


def told(mutant: Mutant, said: str) -> str:
    """A line for what was noticed; for a survivor its change too."""
    place = f"src/anyurl/{mutant.path}:{mutant.line} {mutant.function}"
    if said:
        return f"killed    {place}: {said[:100]}\n"
    return f"SURVIVED  {place}\n    - {mutant.before}\n    + {mutant.after}\n"


if __name__ == "__main__":
    sys.exit(main())
