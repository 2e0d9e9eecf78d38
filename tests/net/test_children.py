"""Children: what a program of ours is given of where we were started, and what a program of the user's is."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from anyurl.errors import LocalFileError
from anyurl.net import children
from anyurl.net.children import GIT, PYTHON, STOPPED, output_of, run_ours, run_users

pytestmark = pytest.mark.promise("children")

TELL = "import json, os, sys; print(json.dumps([os.getcwd(), os.listdir(), sys.path, dict(os.environ), sys.argv]))"


def told(*arguments: str, **more: object) -> tuple[str, list[str], list[str], dict[str, str], list[str]]:
    code, output, errors = asyncio.run(run_ours(PYTHON, ["-c", TELL, *arguments], **more))  # type: ignore[arg-type]
    assert (code, errors) == (0, b"")
    return tuple(json.loads(output))


def test_python_runs_in_an_empty_folder_that_it_does_not_import_from() -> None:
    folder, there, path, _, arguments = told("a b", "-c")
    assert there == []
    assert folder not in path
    assert not os.path.exists(folder)
    assert arguments == ["-c", "a b", "-c"]


@pytest.mark.parametrize("pieces", ["", ".", ":/nonexistent", "{here}", "lib"])
def test_python_imports_from_named_folders_only(pieces: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])  # as `python -m` has it
    monkeypatch.setenv("PYTHONPATH", pieces.format(here=tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", "start.py")
    monkeypatch.setenv("PYTHONHOME", sys.prefix)
    for name in ("bs4", "lib/bs4"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "__init__.py").touch()
    _, _, path, environment, _ = told(libraries=("bs4", "no_such_package"))
    assert [each for each in path if each.startswith(str(tmp_path)) or not os.path.isabs(each)] == []
    assert {name for name in environment if name.startswith("PYTHON")} == {"PYTHONPATH"}


def test_python_finds_what_stands_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert str(tmp_path) in told(libraries=["elsewhere"])[2]
    assert str(Path(children.__file__).parents[2]) in told()[2]


def test_git_is_told_nothing_of_another_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_ALLOW_PROTOCOL", "GIT_CONFIG_GLOBAL"):
        monkeypatch.setenv(name, "given")
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\npwd\nenv | grep ^GIT_ | sort\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    _, output, _ = asyncio.run(run_ours(GIT, [], variables={"GIT_WORK_TREE": "/tree"}))
    folder, *rest = output.decode().splitlines()
    assert folder != os.getcwd()
    assert rest == [
        "GIT_ALLOW_PROTOCOL=",
        "GIT_CONFIG_GLOBAL=given",
        "GIT_CONFIG_NOSYSTEM=1",
        "GIT_NO_LAZY_FETCH=1",
        "GIT_OPTIONAL_LOCKS=0",
        "GIT_WORK_TREE=/tree",
    ]


@pytest.mark.parametrize("piece", ["", ".", "bin"])
def test_no_program_of_the_current_folder_is_found(piece: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / piece).mkdir(exist_ok=True)
    program = tmp_path / piece / "git"
    program.write_text("#!/bin/sh\necho of the folder\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", piece)
    with pytest.raises(LocalFileError, match=r"The program 'git' can't be run: no such file or directory\."):
        asyncio.run(run_ours(GIT, []))


def test_a_program_that_takes_too_long() -> None:
    assert asyncio.run(run_ours(PYTHON, ["-c", "input()"], seconds=0)) == (STOPPED, b"", b"")


def test_what_it_reads_and_writes() -> None:
    code = "import sys; sys.stderr.write('no'); sys.exit(int(sys.stdin.read()))"
    assert asyncio.run(run_ours(PYTHON, ["-c", code], data=b"7")) == (7, b"", b"no")


def test_the_users_program_has_the_users_folder_and_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "given")
    code = "import os, sys; open('told', 'w').write(os.environ['PYTHONPATH'] + sys.argv[1]); sys.exit(3)"
    assert run_users([sys.executable, "-c", code, "; $x"]) == 3
    assert (tmp_path / "told").read_text() == "given; $x"


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    program = str(tmp_path / "no-such")
    with pytest.raises(LocalFileError, match=f"The program {program!r} can't be run: no such file or directory\\."):
        run_users([program])


def test_a_program_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\necho warning: no >&2\nprintf 'error: first \\033 line\\nsecond' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(LocalFileError, match=r"The program 'git' failed: error: first \\x1b line\.$"):
        output_of(GIT, [], {})
