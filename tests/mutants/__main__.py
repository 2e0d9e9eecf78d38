"""Break random lines of the rooms that decide, one at a time, and see whether the tests notice.

``scripts/mutate --random COUNT [--seed N] [--workers N] [--reach FILE] [FILE...]`` applies COUNT mutants, each to a
copy of the sources, runs the tests that mirror the file and, where they notice nothing, those of any room that call the
function (``reach.py``), and prints what came of each: the survivors with their place and change, and how many were
killed. Which test calls what is found out first, by a run of them all; ``--reach`` keeps it. Files are named below
``src/anyurl``; without any they are those of ``ROOMS``. It ends with 1 only where the tests fail before anything is
broken: survivors are read by a person, who writes a test, or a row of ``equivalent.py`` with the reason why no test
can tell.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

import pytest

from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.mutator import Mutant, pick
from tests.mutants.reach import VARIABLE, Reach

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
ROOMS = ("access", "batch", "dialogue", "grammar", "guard", "net", "schemes", "text", "url")
"""The rooms that decide what is read, asked for and allowed, and those that do it."""

ROUND_SECONDS = 60
"""Of tests that call the function: of more, the quickest. What so many call is noticed by the first of them."""

PATIENCE_SECONDS = 30
"""For the tests of one mutant, beside five times what they take: a loop without an end counts as noticed."""

ALL_SECONDS = 1800
"""For all tests of the rooms, with each call noted."""

MOST_OCTETS = 4 << 30
"""Of memory for them: so does a list without an end."""


def files(named: list[str]) -> dict[str, list[str]]:
    """The files of each room, below ``src/anyurl``."""
    inside = SOURCE / "anyurl"
    found = [path.relative_to(inside).as_posix() for room in ROOMS for path in sorted((inside / room).rglob("*.py"))]
    paths = named or [path for path in found if not path.endswith(("__init__.py", "fake_server.py"))]
    rooms = sorted({path.split("/")[0] for path in paths})
    return {room: [path for path in paths if path.split("/")[0] == room] for room in rooms}


def rounds(mutant: Mutant, reach: Reach) -> Iterator[list[str]]:
    """The tests of a mutant: the mirror of its file; then those that call its function. With neither, its room."""
    own = Path("tests", mutant.path).with_name(f"test_{Path(mutant.path).name}")
    if (ROOT / own).is_file():
        yield [str(own)]
    called = [test for test in reach.of(mutant.path, mutant.function, ROUND_SECONDS) if not test.startswith(f"{own}::")]
    if called:
        yield called
    elif not (ROOT / own).is_file():
        room = Path("tests", mutant.path).parent
        yield [str(room if (ROOT / room).is_dir() else Path("tests", mutant.path.split("/")[0]))]


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_OCTETS, MOST_OCTETS))


def noticed(source: Path, tests: list[str], patience: float, *more: str, reach: Path | None = None) -> str:
    """What the tests said of these sources: empty where they notice nothing.

    Args:
        source: The folder that has ``anyurl``.
        tests: Files, folders, or names of single tests.
        patience: Seconds for all of them.
        more: Of pytest's options.
        reach: Where it is written which test called what.
    """
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no", "--durations=0", *more]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1", "CI": "true"}
    if reach:
        environment[VARIABLE] = str(reach)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as named:  # a command line has no room for ten thousand
        named.writelines(f"{test}\n" for test in tests)
        named.flush()
        process = subprocess.Popen(
            [*command, f"@{named.name}"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True, preexec_fn=_limit,
        )  # fmt: skip
        try:
            said, _ = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return f"not done after {patience:.0f} s"
    if process.returncode == 0:
        return ""
    if process.returncode == pytest.ExitCode.USAGE_ERROR:
        raise SystemExit(
            f"{said[-500:]}\nThese are not the tests that were asked: which reach what is to be found out anew."
        )
    failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR", "E  "))]
    return failed[0] if failed else f"pytest ended with {process.returncode}"


def fate(mutant: Mutant, source: Path, reach: Reach) -> str:
    """What noticed a mutant; empty where it survives. The sources are whole again afterwards."""
    file = source / "anyurl" / mutant.path
    text = file.read_text(encoding="utf-8")
    file.write_text(mutant.applied(text), encoding="utf-8")
    try:
        for tests in rounds(mutant, reach):
            if said := noticed(source, tests, PATIENCE_SECONDS + 5 * reach.takes(tests), "--hypothesis-profile=first"):
                return said
        return ""
    finally:
        file.write_text(text, encoding="utf-8")


def picked(count: int, seed: int, named: list[str]) -> list[Mutant]:
    """So many mutants that are not known to change nothing, of each room in turn."""
    every = pick(SOURCE / "anyurl", files(named), count + len(EQUIVALENT), seed)
    return [mutant for mutant in every if mutant.key not in EQUIVALENT][:count]


def reached(source: Path, kept: Path) -> str:
    """Find out which test calls what, where it is not kept from before; why not, when the tests fail as it is."""
    tests = [f"tests/{room}" for room in (*ROOMS, "kernel")] + [str(each) for each in Path("tests").glob("test_*.py")]
    return "" if kept.exists() else noticed(source, tests, ALL_SECONDS, "-p", "tests.mutants.reach", reach=kept)


def main() -> int:
    """Do what the arguments say, and print what came of it."""
    parser = argparse.ArgumentParser(prog="scripts/mutate --random", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("count", type=int, metavar="COUNT", help="how many mutants")
    parser.add_argument("file", nargs="*", metavar="FILE", help="below src/anyurl; without any those of the rooms")
    parser.add_argument("--seed", type=int, default=int(time.time()), metavar="N", help="picks the same ones again")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="how many at once (2)")
    parser.add_argument(
        "--reach", type=Path, metavar="FILE", help="which test calls what: read if it exists, else written"
    )
    given = parser.parse_args()
    mutants = picked(given.count, given.seed, given.file)
    sys.stdout.write(f"seed {given.seed}\n")
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(given.workers):
            place = Path(folder, str(number))
            shutil.copytree(SOURCE, place, ignore=shutil.ignore_patterns("*.so", "*.c", "__pycache__"))
            copies.put(place)
        kept = given.reach or Path(folder, "reach")
        if said := reached(place, kept):
            sys.stderr.write(f"before anything is broken: {said}\n")
            return 1
        reach = Reach.read(kept)

        def judge(mutant: Mutant) -> str:
            source = copies.get()
            try:
                return fate(mutant, source, reach)
            finally:
                copies.put(source)

        survived = 0
        with ThreadPoolExecutor(given.workers) as pool:
            for mutant, said in zip(mutants, pool.map(judge, mutants), strict=True):
                survived += not said
                sys.stdout.write(told(mutant, said))
                sys.stdout.flush()
    killed = len(mutants) - survived
    rate = f"{killed / len(mutants):.0%}" if mutants else "nothing"
    sys.stdout.write(f"{len(mutants)} mutants: {killed} killed, {survived} survived ({rate} killed)\n")
    return 0


def told(mutant: Mutant, said: str) -> str:
    """A line for what was noticed; for a survivor its change too."""
    place = f"src/anyurl/{mutant.path}:{mutant.line} {mutant.function}"
    if said:
        return f"killed    {place}: {said[:100]}\n"
    return f"SURVIVED  {place}\n    - {mutant.before}\n    + {mutant.after}\n"


if __name__ == "__main__":
    sys.exit(main())
