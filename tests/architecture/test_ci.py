"""`.ci/run` and `.ci/full` tell the truth: of each step, of what was not run, of which tests they leave out.

The steps are run by the real ``.ci/steps``; only what a step does is made up.
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

CI = ROOT / ".ci"
REPORT = """\
===== slowest 3 durations =====
1.02s call     tests/x/test_a.py::test_slow
0.50s call     tests/x/test_b.py::test_quick
(1 durations < 0.005s hidden.  Use -vv to show these durations.)
===== short test summary info =====
FAILED tests/x/test_c.py::test_red
==== 1 failed, 2 passed in 3.21s ====
"""

pytestmark = pytest.mark.needs("bash")


def ci(tmp_path: Path, text: str) -> tuple[int, str, list[str]]:
    """What a script of these steps comes to: its exit code, what it prints, and the lines from the last heading on."""
    (tmp_path / "report").write_text(REPORT, encoding="utf-8")
    done = subprocess.run(
        ["bash", "-c", f". {CI}/steps\n{text}"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=20,
        check=False,
    )
    assert os.listdir(tmp_path) == ["report"], "the folder of logs is left"
    return (
        done.returncode,
        done.stdout,
        re.sub(r"(?<= )\d+ s\b", "N s", done.stdout.rpartition("\n=== ")[2]).splitlines(),
    )


def test_a_step_that_is_not_named_is_not_run(tmp_path: Path) -> None:
    steps = "step 9 far echo words; step 9 main cat report; finish main"
    code, _, end = ci(tmp_path, f'only=" far "; {steps}')
    assert (code, end) == (0, ["verdicts after N s", "ok      N s  far"])
    code, said, _ = ci(tmp_path, f'only=" fra "; {steps}')
    assert (code, said) == (2, "no step is named fra\n")


def test_every_step_ok(tmp_path: Path) -> None:
    code, said, end = ci(tmp_path, "beside 9 far echo words; step 9 main cat report; gather far; finish main")
    assert "\n=== far\nwords\n" in said
    assert "\n=== the slowest tests of main\n1.02s call     tests/x/test_a.py::test_slow\n0.50s" in said
    assert (code, end) == (0, ["verdicts after N s", "ok      N s  far", "ok      N s  main", REPORT.splitlines()[-1]])


@pytest.mark.parametrize(
    ("step", "verdict"),
    [
        ("step 9 odd false", "FAILED  N s  odd: exit code 1"),
        ("step 9 odd bash -c 'exit 3'", "FAILED  N s  odd: not run, for what it needs is not here"),
        ("step 1 odd sleep 60", "FAILED  N s  odd: not done after N s"),
        ("step 9 odd no-such-command", "FAILED  N s  odd: exit code 127"),
        ("beside 9 odd false; gather odd", "FAILED  N s  odd: exit code 1"),
        ("beside 9 odd sleep 60", "FAILED  N s  odd: not done"),  # nobody waited for it
        ("not_run odd 'there is no such Python'", "FAILED  N s  odd: not run, there is no such Python"),
        ('step 9 odd "${run_in[@]}" 2.6 true', "FAILED  N s  odd: not run, for what it needs is not here"),
    ],
)
def test_a_step_that_is_not_ok_fails_the_whole(tmp_path: Path, step: str, verdict: str) -> None:
    code, _, end = ci(tmp_path, f"{step}\nstep 9 main cat report\nstep 9 last true\nfinish main")
    assert (code, end[1:]) == (1, [verdict, "ok      N s  main", "ok      N s  last", REPORT.splitlines()[-1]])


def test_other_runs_are_summed_up_before_the_main_one(tmp_path: Path) -> None:
    """Each of a step that calls pytest twice, and what it took."""
    lines = [
        "took 9 s, and 17 s of processor, in 3 processes",
        "== 7 passed in 1s ==",
        "== 1 failed, 2 passed in 1s ==",
    ]
    said = "\\n".join([*lines, ""])
    code, _, end = ci(tmp_path, f"step 9 pure printf '{said}'; step 9 main cat report; finish main pure")
    told = [f"pure: {line}".replace(" 9 s", " N s").replace(" 17 s", " N s") for line in lines]
    assert (code, end[-4:]) == (0, [*told, REPORT.splitlines()[-1]])


def test_a_run_without_a_summary_is_no_success(tmp_path: Path) -> None:
    assert ci(tmp_path, "step 9 main true; finish main")[0] == 1


def test_what_runs_beside_does_not_outlive_the_whole(tmp_path: Path) -> None:
    """As long as it lives the output is open, and is read to its end here."""
    assert ci(tmp_path, "exec 3>&1; beside 60 far sleep 60; exit 5")[:2] == (5, "")


@pytest.mark.parametrize("name", ["run", "full", "steps"])
def test_the_files_are_shell(name: str) -> None:
    subprocess.run(["bash", "-n", str(CI / name)], check=True)
    assert os.access(CI / name, os.X_OK) == (name != "steps"), "steps is sourced, the others are called"


def test_each_run_is_of_all_tests_with_either_kernel() -> None:
    ran = {
        name: set(
            re.findall(r"^step \d+ (\S+) (.*scripts/(?:test|fresh).*)$", (CI / name).read_text("utf-8"), re.MULTILINE)
        )
        for name in ("run", "full")
    }
    assert ran["run"] == {("main", "scripts/test --no-skip"), ("fresh", "scripts/fresh")}
    assert {(name, call) for name, call in ran["full"] if call.endswith("--no-skip")} == {
        (step, f'"${{run_in[@]}}" {environment} scripts/test --no-skip')
        for step, environment in (("pure", "pure"), ("pure-3.13", "pure-3.13"), ("python3.13", "3.13"))
    }


def test_what_a_bare_installation_says_is_what_the_code_says() -> None:
    """`.ci/bare.py` runs for minutes, in other environments; the page of the messages follows from the code."""
    page = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `MissingExtraError` \| (.*) \|$", page, re.MULTILINE)
    said = [re.sub(r"[A-Z]{4,}", ".+", re.escape(row)) for row in rows]
    expected = [sentence for _, sentence in runpy.run_path(str(CI / "bare.py"))["MISSING"]]
    assert [each for each in expected if not any(re.fullmatch(row, each) for row in said)] == []
