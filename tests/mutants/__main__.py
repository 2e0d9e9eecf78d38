"""Break random lines of the rooms that decide, one at a time, and see whether the tests notice.

``scripts/mutate --random COUNT [--seed N] [--workers N] [FILE...]`` applies COUNT mutants, each to a copy of the
sources, runs the tests that mirror the file and, where they notice nothing, those of its room, and prints what came of
each: the survivors with their place and change, and how many were killed. Files are named below ``src/anyurl``; without
any they are those of ``ROOMS``. It ends with 1 only where the tests fail before anything is broken: survivors are read
by a person, who writes a test, or a row of ``equivalent.py`` with the reason why no test can tell.
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

from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.mutator import Mutant, pick

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
ROOMS = ("access", "dialogue", "grammar", "guard", "net", "schemes", "text", "url")
"""The rooms that decide what is read, asked for and allowed, and those that do it."""

PATIENCE_SECONDS = 150
"""For the tests of one mutant: a loop without an end counts as noticed."""

MOST_OCTETS = 4 << 30
"""Of memory for them: so does a list without an end."""

BESIDE = {
    "dialogue": ("tests/access/test_trace.py", "tests/access/test_dry_run.py"),
    "access": ("tests/schemes/http", "tests/schemes/file"),
    "guard": ("tests/access/test_redirect.py", "tests/access/test_requests.py", "tests/net/test_connector.py"),
    "net": ("tests/schemes/http", "tests/access/test_requests.py", "tests/access/test_redirect.py"),
    "text": ("tests/kernel/test_scan.py", "tests/schemes/http/test_listing.py"),
    "url": ("tests/grammar/test_readers.py",),
}
"""What holds promises of a room from outside of it."""


def files(named: list[str]) -> dict[str, list[str]]:
    """The files of each room, below ``src/anyurl``."""
    inside = SOURCE / "anyurl"
    found = [path.relative_to(inside).as_posix() for room in ROOMS for path in sorted((inside / room).rglob("*.py"))]
    paths = named or [path for path in found if not path.endswith(("__init__.py", "fake_server.py"))]
    rooms = sorted({path.split("/")[0] for path in paths})
    return {room: [path for path in paths if path.split("/")[0] == room] for room in rooms}


def rounds(path: str) -> Iterator[list[str]]:
    """The tests of one file: its mirror; then those of its room, of its scheme alone where it is one's."""
    own = Path("tests", path).with_name(f"test_{Path(path).name}")
    if (ROOT / own).is_file():
        yield [str(own)]
    parts = path.split("/")
    room = Path("tests", *parts[: 2 if parts[0] == "schemes" and len(parts) > 2 else 1])
    also = [str(each.relative_to(ROOT)) for each in sorted((ROOT / "tests/schemes").glob("test_*.py"))]
    if not (ROOT / room).is_dir():
        room = Path("tests", parts[0])
    beside = also if parts[0] == "schemes" and room != Path("tests/schemes") else BESIDE.get(parts[0], ())
    yield [str(room), *(each for each in beside if (ROOT / each).exists())]


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_OCTETS, MOST_OCTETS))


def noticed(source: Path, tests: list[str]) -> str:
    """What the tests said of these sources: empty where they notice nothing."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no", "--durations=0", *tests]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1", "CI": "true"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True, preexec_fn=_limit,
    )  # fmt: skip
    try:
        said, _ = process.communicate(timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"not done after {PATIENCE_SECONDS} s"
    if process.returncode == 0:
        return ""
    failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR", "E  "))]
    return failed[0] if failed else f"pytest ended with {process.returncode}"


def fate(mutant: Mutant, source: Path) -> str:
    """What noticed a mutant; empty where it survives. The sources are whole again afterwards."""
    file = source / "anyurl" / mutant.path
    text = file.read_text(encoding="utf-8")
    file.write_text(mutant.applied(text), encoding="utf-8")
    try:
        for tests in rounds(mutant.path):
            if said := noticed(source, tests):
                return said
        return ""
    finally:
        file.write_text(text, encoding="utf-8")


def main() -> int:
    """Do what the arguments say, and print what came of it."""
    parser = argparse.ArgumentParser(prog="scripts/mutate --random", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("count", type=int, metavar="COUNT", help="how many mutants")
    parser.add_argument("file", nargs="*", metavar="FILE", help="below src/anyurl; without any those of the rooms")
    parser.add_argument("--seed", type=int, default=int(time.time()), metavar="N", help="picks the same ones again")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="how many at once (2)")
    given = parser.parse_args()
    rooms = files(given.file)
    picked, known = [], 0
    for mutant in pick(SOURCE / "anyurl", rooms, given.count + len(EQUIVALENT), given.seed):
        if mutant.key in EQUIVALENT:
            known += 1
        elif len(picked) < given.count:
            picked.append(mutant)
    sys.stdout.write(f"seed {given.seed}; {known} that are known to change nothing were left out\n")
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(given.workers):
            place = Path(folder, str(number))
            shutil.copytree(SOURCE, place, ignore=shutil.ignore_patterns("*.so", "*.c", "__pycache__"))
            copies.put(place)
        clean = copies.get()
        for tests in {tuple([*rounds(mutant.path)][-1]): 0 for mutant in picked}:
            if said := noticed(clean, list(tests)):
                sys.stderr.write(f"before anything is broken {' '.join(tests)}: {said}\n")
                return 1
        copies.put(clean)

        def judge(mutant: Mutant) -> str:
            source = copies.get()
            try:
                return fate(mutant, source)
            finally:
                copies.put(source)

        survived = 0
        with ThreadPoolExecutor(given.workers) as pool:
            for mutant, said in zip(picked, pool.map(judge, picked), strict=True):
                survived += not said
                sys.stdout.write(told(mutant, said))
                sys.stdout.flush()
    killed = len(picked) - survived
    rate = f"{killed / len(picked):.0%}" if picked else "nothing"
    sys.stdout.write(f"{len(picked)} mutants: {killed} killed, {survived} survived ({rate} killed)\n")
    return 0


def told(mutant: Mutant, said: str) -> str:
    """A line for what was noticed; for a survivor its change too."""
    place = f"src/anyurl/{mutant.path}:{mutant.line} {mutant.function}"
    if said:
        return f"killed    {place}: {said[:100]}\n"
    return f"SURVIVED  {place}\n    - {mutant.before}\n    + {mutant.after}\n"


if __name__ == "__main__":
    sys.exit(main())
