"""The example of each engine on the page about scale, and tables from files, in a process and a network of its own.

`ANYURL_ENGINES` names those that are tried, `cluster`, a check of which one task is killed, and `machines`, a check of
which a machine is lost. `.ci/full` has all of them, where they are installed: together they take 3 GB.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import anyurl
from tests.architecture.source import ROOT

ENGINES = os.environ.get("ANYURL_ENGINES", "pandas").split()
PROGRAMS = {
    "cluster": (ROOT / "tests" / "batch" / "killed_worker.py", 300),
    "machines": (ROOT / "tests" / "batch" / "lost_machine.py", 3600),
}
"""Programs beside the examples, and the seconds that they may take."""

ALONE = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]


def examples() -> dict[str, str]:
    """By engine."""
    found = {}
    for section in (ROOT / "docs" / "scale.md").read_text(encoding="utf-8").split("\n### ")[1:]:
        text, has_one, rest = section.partition("\n```python\n")
        if has_one:
            found[text.splitlines()[0]] = rest.partition("\n```\n")[0] + "\n"
    return found


@pytest.mark.needs("namespace")
@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine(engine: str) -> None:
    # Ray makes sockets below: the folder of a test would have too long a name for them.
    with tempfile.TemporaryDirectory() as folder:
        done, said = tried(engine, Path(folder))
    assert done == 0, said


def tried(engine: str, folder: Path) -> tuple[int, str]:
    """How it ended, and what it said."""
    seconds = 300
    if engine in PROGRAMS:
        program, seconds = PROGRAMS[engine]
        command = [sys.executable, str(program)]
    else:
        (folder / "example").write_text(examples()[engine], encoding="utf-8")
        command = [sys.executable, "-m", "tests.batch.engine_tables", engine, str(folder / "example")]
    places = [str(Path(anyurl.__file__).parent.parent), str(ROOT)]
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder),
        "PYTHONPATH": os.pathsep.join(places),
        "PYSPARK_PYTHON": sys.executable, "RAY_USAGE_STATS_ENABLED": "0",
        "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={folder}",
    }  # fmt: skip
    with subprocess.Popen(
        [*ALONE, *command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as child:
        try:
            said = child.communicate(timeout=seconds)[0]
        finally:
            child.kill()
    return child.returncode, said


def test_the_long_run_has_every_engine() -> None:
    full = (ROOT / ".ci" / "full").read_text(encoding="utf-8")
    (named,) = re.findall(r"ANYURL_ENGINES=('.*?')", full)
    assert sorted(shlex.split(named)[0].split()) == sorted([*examples(), *PROGRAMS])
