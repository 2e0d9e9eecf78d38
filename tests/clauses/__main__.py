"""Break one behaviour after the other, each in a copy of the sources, and see that the tests of what it breaks fail.

``python -m tests.clauses [WORD...]`` does those whose names hold one of these words; without any all. Exits with 1
where the tests of a statement, or of a promise, don't notice.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.architecture.test_clauses import CLAUSES
from tests.clauses.mutations import MUTATIONS, broken
from tests.clauses.promises import PROMISES

TABLES = {"clause": MUTATIONS, "promise": PROMISES}
"""By the marker of the tests, what is broken."""

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 300
"""For the tests of one mutation: they take some five seconds, and a broken loop must not hang."""

PATIENCE_AT_FIRST = 1200
"""For all of the tests, before anything is broken."""

ANSWERED = (0, 1)
"""The exit codes of pytest that say that tests were run: all were well, or some failed."""


def failing(
    source: Path, ids: list[str], kind: str = "clause", patience: int = PATIENCE_SECONDS
) -> tuple[set[str], str]:
    """The statements, or promises, of which a test fails with these sources, and the last of what pytest says."""
    marked = [one for one in CLAUSES.markers(kind) if one.id in ids]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-rfE", "--durations=0"]
    if len(ids) == 1:
        command += ["-x"]  # one test that notices is enough
    command += [word for id in ids for word in (f"--{kind}", id)] + sorted({one.path for one in marked})
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1", "CI": "true"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=patience, check=False
    )
    # What can't even be imported is noticed by every test of the file.
    failed = re.findall(r"^(?:FAILED|ERROR) ([^:\s]+?\.py)(?:::(\S+?))?(?:\[.*)?(?: - .*)?$", done.stdout, re.MULTILINE)
    if done.returncode not in ANSWERED and not failed:
        raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    found = {one.id for one in marked for path, test in failed if path == one.path and test in ("", one.test)}
    return found, done.stdout.strip().rpartition("\n")[2]


def copy(place: Path) -> Path:
    """The sources alone: what is compiled would not be broken by it."""
    shutil.copytree(ROOT / "src", place, ignore=shutil.ignore_patterns("*.so", "*.c", "__pycache__"))
    return place


def missed(kind: str, row: tuple[str, str, str, str, str, str]) -> tuple[list[str], str]:
    """The statements, or promises, of a mutation whose tests don't notice it, and the last of what pytest says."""
    _, ids, path, function, old, new = row
    with tempfile.TemporaryDirectory() as folder:
        source = copy(Path(folder, "src"))
        file = source / "anyurl" / path
        file.write_text(broken(file.read_text(encoding="utf-8"), function, old, new), encoding="utf-8")
        found, said = failing(source, ids.split(), kind)
    return [id for id in ids.split() if id not in found], said


def main(words: list[str]) -> int:
    """Do those that are asked for, and print what came of each."""
    rows = [(kind, row) for kind, table in TABLES.items() for row in table]
    rows = [(kind, row) for kind, row in rows if not words or any(word in row[0] for word in words)]
    for kind in TABLES:
        ids = sorted({id for each, row in rows if each == kind for id in row[1].split()})
        with tempfile.TemporaryDirectory() as folder:
            found, said = failing(copy(Path(folder, "src")), ids, kind, PATIENCE_AT_FIRST) if ids else (set(), "")
        if found:
            sys.stderr.write(f"before anything is broken the tests of {', '.join(sorted(found))} fail: {said}\n")
            return 1
    survived = 0
    with ThreadPoolExecutor(int(os.environ.get("ANYURL_WORKERS", "2"))) as pool:
        for (_, row), (ids, said) in zip(rows, pool.map(missed, *zip(*rows, strict=True)), strict=True):
            survived += bool(ids)
            sys.stdout.write(f"{'SURVIVED ' + ' '.join(ids) if ids else 'noticed'}\t{row[0]} ({row[1]}): {said}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(rows)} behaviours were broken; {survived} of them not noticed by each of their tests\n")
    return 1 if survived or not rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
