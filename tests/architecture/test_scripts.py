"""The scripts on machines that lack things: which Python they take, what they say, what they install.

Each test runs the real ``scripts/demo`` in a copy of the scripts, with a PATH that holds the system's tools and what
the test puts there.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import needs
from tests.architecture.source import ROOT

TOOLS = (
    "sh", "dirname", "cksum", "find", "sort", "cp", "rm", "mktemp", "grep", "cat", "mkdir", "touch", "env", "head",
    "sleep", "wc",
)  # fmt: skip
SOURCED = ("setup", "roots")
SCRIPTS = sorted(path for path in (ROOT / "scripts").iterdir() if not path.name.startswith(("debian-", "pypi-")))

Run = Callable[..., subprocess.CompletedProcess[str]]


def script(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)  # it may be a link to a tool of the system
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A clone's scripts beside a folder ``bin`` with nothing but the tools that every system has."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "file.py").touch()
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (tmp_path / "bin" / tool).symlink_to(found)
    script(tmp_path / "bin" / "id", "echo 1000")
    return tmp_path


@pytest.fixture
def run(place: Path) -> Run:
    def run_script(name: str = "demo", **variables: str) -> subprocess.CompletedProcess[str]:
        # /usr/bin is not on this PATH, but the scripts look there too: PYTHON keeps them from it where it matters.
        environment = {"PATH": str(place / "bin"), "HOME": str(place), **variables}
        command = [str(place / "scripts" / name)]
        return subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, check=False)

    return run_script


def no_venv(place: Path) -> Path:
    """A Python as Debian ships it: it works, but lacks ensurepip until a file says that its package was installed."""
    python = place / "bin" / "python3"
    script(
        python,
        f'case "$*" in *ensurepip*) [ -e "{place}/installed" ]; exit ;; *"-m venv"*) exit 3 ;; esac\n'
        f'exec "{sys.executable}" "$@"',
    )
    return python


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_read_by_the_shell_that_it_names(path: Path) -> None:
    shell = "bash" if path.read_text(encoding="utf-8").startswith("#!/bin/bash\n") else "sh"
    needs.need(shell)
    subprocess.run([shell, "-n", str(path)], check=True)
    executable = bool(path.stat().st_mode & stat.S_IXUSR)
    assert executable == (path.name not in SOURCED), "some are sourced, the others are called"


def test_the_list_of_programs_names_each_once() -> None:
    lines = (ROOT / "scripts" / "debian-packages").read_text(encoding="utf-8").splitlines()
    names = [line.split()[-1] for line in lines if line and not line.startswith("#")]
    assert sorted(names) == sorted(set(names))


def test_a_python_without_venv_names_the_package_to_install(place: Path, run: Run) -> None:
    result = run(PYTHON=str(no_venv(place)))
    package = "python{}.{}-venv".format(*sys.version_info)
    assert result.returncode == 1
    assert f"lacks venv or pip. Install the package that has them (Debian, Ubuntu: sudo apt-get install {package};" in (
        result.stderr
    )


def test_as_root_on_debian_the_package_is_installed(place: Path, run: Run) -> None:
    script(place / "bin" / "id", "echo 0")
    script(
        place / "bin" / "apt-get",
        f'echo "$*" >>"{place}/apt"; case "$*" in install*) touch "{place}/installed" ;; esac',
    )
    result = run(PYTHON=str(no_venv(place)))
    package = "python{}.{}-venv".format(*sys.version_info)
    calls = (place / "apt").read_text(encoding="utf-8").splitlines()
    assert calls == ["update -q", f"install -q -y --no-install-recommends {package}"]
    assert (
        f"could not make {place}/.venv" in result.stderr
    )  # it went on to make the environment, which this Python can't


def test_a_python_that_is_too_old_or_none_is_refused(place: Path, run: Run) -> None:
    script(place / "bin" / "old", "exit 1")
    result = run(PYTHON="old")
    assert (result.returncode, result.stderr) == (1, "anyurl: PYTHON is 'old', which is no Python 3.11 or newer.\n")


def test_a_shim_that_does_not_run_is_passed_over(place: Path, run: Run) -> None:
    """As pyenv's are for versions that are not chosen: found on PATH, and failing."""
    script(place / "bin" / "python3", "echo 'command not found' >&2; exit 127")
    script(
        place / "bin" / "python3.13",
        f'case "$*" in *"-m venv"*) echo making >"{place}/made"; exit 3 ;; esac\nexec "{sys.executable}" "$@"',
    )
    result = run()
    assert result.returncode == 1
    assert (place / "made").exists()
    assert f"1 of 3: making {place}/.venv with python3.13" in result.stderr


def test_a_kernel_that_is_none_is_a_clear_error(run: Run) -> None:
    result = run(ANYURL_BUILD_KERNEL="maybe")
    assert (result.returncode, result.stderr) == (2, "ANYURL_BUILD_KERNEL is 'maybe'; it may be no, try or yes.\n")


@pytest.fixture
def builds(place: Path) -> Path:
    """Where a Python that installs nothing notes which kernel each wheel was to have; with a C compiler beside it."""
    script(place / "bin" / "cc", "exit 0")
    script(
        place / "bin" / "python3",
        'case "$*" in\n'
        f'*"-m venv"*) mkdir -p "{place}/.venv/bin"; cp "$0" "{place}/.venv/bin/python"; '
        f'echo "#!/bin/sh" >"{place}/.venv/bin/anyurl"; cat "$0" >"{place}/.venv/bin/pip"; '
        f'echo "{place}/.venv/bin/" >>"{place}/.venv/bin/pip"; chmod 755 "{place}/.venv/bin/anyurl" ;;\n'
        f'*"-m pip wheel"*) echo "$ANYURL_BUILD_KERNEL" >>"{place}/builds"; '
        f'mkdir -p "{place}/.venv/wheel"; touch "{place}/.venv/wheel/anyurl-1.whl" ;;\n'
        '*"-m pip"*) ;;\n'
        f'*) exec "{sys.executable}" "$@" ;; esac',
    )
    (place / "bin" / "chmod").symlink_to(shutil.which("chmod") or "")
    (place / "src" / "anyurl").mkdir()
    (place / "pyproject.toml").write_text('[tool.anyurl.compiled.declared]\na = ""\nb = ""\n', encoding="utf-8")
    return place / "builds"


def test_who_wants_no_kernel_waits_for_no_compiler(place: Path, run: Run, builds: Path) -> None:
    for _ in range(2):  # the second time nothing has changed
        assert run(PYTHON=str(place / "bin" / "python3")).returncode == 0
    assert builds.read_text(encoding="utf-8") == "no\n"


def test_what_was_compiled_once_stays_compiled(place: Path, run: Run, builds: Path) -> None:
    python = str(place / "bin" / "python3")
    result = run("build", PYTHON=python)
    assert result.returncode == 0
    assert "2 of 3: compiling the kernel" in result.stderr
    assert run(PYTHON=python).returncode == 0
    assert builds.read_text(encoding="utf-8") == "yes\n"
    (place / "src" / "file.py").write_text("changed", encoding="utf-8")
    assert run(PYTHON=python).returncode == 0
    assert builds.read_text(encoding="utf-8") == "yes\nyes\n"


def test_a_compilation_says_how_far_it_is(place: Path, run: Run, builds: Path) -> None:
    """One of two modules is translated, none is compiled, and pip waits until that was looked at."""
    python = place / "bin" / "python3"
    (place / "ticks").touch()
    script(place / "bin" / "sleep", f'echo >>"{place}/ticks"')
    work = (
        'for copy; do [ ! -d "$copy/src" ] || break; done; mkdir "$copy/build"; touch "$copy/build/a.c"; '
        f'until [ "$(wc -l <"{place}/ticks")" -ge 3 ]; do :; done; '
    )
    note = 'echo "$ANYURL_BUILD_KERNEL"'
    python.write_text(python.read_text(encoding="utf-8").replace(note, work + note), encoding="utf-8")
    assert "anyurl:         25 %\n" in run("build", PYTHON=str(python)).stderr
    assert builds.read_text(encoding="utf-8") == "yes\n"


def test_an_installation_that_fails_says_what_it_needs(place: Path, run: Run) -> None:
    """Without a network: what pip said, then what can be done."""
    script(
        place / "bin" / "python3",
        'case "$*" in\n'
        f'*"-m venv"*) mkdir -p "{place}/.venv/bin"; cp "$0" "{place}/.venv/bin/python"; exit 0 ;;\n'
        '*"-m pip wheel"*) echo "ERROR: no matching distribution" >&2; exit 1 ;;\n'
        '*"-m pip install"*) exit 1 ;;\n'
        f'esac\nexec "{sys.executable}" "$@"',
    )
    result = run(PYTHON=str(place / "bin" / "python3"))
    assert result.returncode == 1
    assert "ERROR: no matching distribution\nanyurl: the installation failed" in result.stderr
    assert "without a network, give pip a place to find them (PIP_FIND_LINKS, PIP_INDEX_URL)" in result.stderr
    assert not (place / ".venv" / "anyurl-stamp").exists()
    assert [name for name in os.listdir(place) if name not in ("scripts", "src", "bin", ".venv")] == []
