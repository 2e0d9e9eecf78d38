"""``anyurl completions``: bash completes commands, options and schemes by what it writes; zsh and fish are answered."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from anyurl.cli.app import COMPLETION
from tests.cli.runner import call, run

COMPLETE = """
source {script}
COMP_WORDS=({words}) COMP_CWORD={last}
compopt() {{ :; }}
_anyurl_completion anyurl
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.needs("bash")
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["anyurl", "pa"], ["parse"]),
        (["anyurl", "demo", "go"], ["gopher", "gophers"]),
        (["anyurl", "serve", "http", "pros"], ["prospero"]),
        (["anyurl", "find", "--scheme", "nn"], ["nntp", "nntps"]),
        (["anyurl", "get", "--no-ti"], ["--no-times"]),
        (["anyurl", "demo", "zork"], [""]),
    ],
)
def test_bash_completes(tmp_path: Path, words: list[str], completed: list[str]) -> None:
    (tmp_path / "completions").write_text(run("completions", "bash").stdout, encoding="utf-8")
    program = tmp_path / "anyurl"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m anyurl "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = COMPLETE.format(script=tmp_path / "completions", words=" ".join(words), last=len(words) - 1)
    script = script.replace("_completion anyurl", f"_completion {program}")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout.splitlines(), done.stderr) == (completed, "")


@pytest.mark.parametrize(
    ("shell", "marks"), [("zsh", "#compdef anyurl"), ("fish", "complete --no-files --command anyurl")]
)
def test_the_others_are_written_and_answered(shell: str, marks: str) -> None:
    written = run("completions", shell)
    assert (written.exit_code, written.stderr) == (0, "")
    assert marks in written.stdout
    assert f"{COMPLETION}={shell}_complete" in written.stdout
    words = {"zsh": ("anyurl demo gopher", "2"), "fish": ("anyurl demo", "gopher")}[shell]
    done = call(env={COMPLETION: f"{shell}_complete", "COMP_WORDS": words[0], "COMP_CWORD": words[1]})
    assert done.returncode == 0
    assert {"gopher", "gophers"} <= set(done.stdout.decode().replace(",", "\n").split())


@pytest.mark.parametrize(
    ("words", "incomplete", "answer"),
    [
        ("anyurl get -o", "a", "file,a"),
        ("anyurl find", "a", "file,a"),
        ("anyurl put ftp://h/x", "a", "file,a"),
        ("anyurl columns a.csv -o", "a", "file,a"),
        ("anyurl mirror ftp://h/", "a", "dir,a"),
        ("anyurl check", "a", "file,a"),
        ("anyurl check", "ftp://h", "plain,ftp://host.example/"),
    ],
)
def test_a_value_that_is_a_file_is_completed_by_the_shell(
    tmp_path: Path, words: str, incomplete: str, answer: str
) -> None:
    (tmp_path / "history").write_text("ftp://host.example/a", encoding="utf-8")
    (tmp_path / "config").write_text(f'complete-from = "{tmp_path}/history"\n', encoding="utf-8")
    env = {"ANYURL_CONFIG": str(tmp_path / "config"), COMPLETION: "fish_complete"}
    done = call(env={**env, "COMP_WORDS": f"{words} {incomplete}", "COMP_CWORD": incomplete})
    assert (done.returncode, done.stdout.decode().strip(), done.stderr) == (0, answer, b"")


def test_fish_shows_a_description_to_its_end() -> None:
    """It parts the kind from the value at a comma, and a description may have one."""
    assert 'string split ","' not in run("completions", "fish").stdout


def test_another_shell_is_refused() -> None:
    result = run("completions", "ksh")
    assert result.exit_code == 2
    assert "There are no completions for 'ksh'; there are for bash, zsh, fish." in result.stderr
