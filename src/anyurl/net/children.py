"""Children: the only place that starts another program.

Rule: files in the current folder may be a stranger's, so none of them runs. A program that the user configured
(`run_users`) gets the user's folder and environment. A program that anyurl itself needs (`run_ours`) is found by an
absolute path and runs in an empty folder; Python imports only from named folders, and git neither fetches nor converts.
"""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from types import MappingProxyType

from anyurl.errors import LocalFileError, escape
from anyurl.errors.reasons import reason_of

PYTHON = sys.executable
GIT = "git"

IN_GIT = {
    "GIT_ALLOW_PROTOCOL": "",  # a repository's promisor remote may be ext::PROGRAM
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}
"""Settings for git. With no protocol allowed, no version of it can fetch anything."""

KEPT_OF_GIT = "GIT_CONFIG_"
"""The user's own settings, such as ``safe.directory``; other variables say which repository a hook belongs to."""

STOPPED = -1
"""The exit code of a program that took too long."""


def run_users(arguments: Sequence[str]) -> int:
    """Run a program that the user configured, with the user's folder, environment and terminal; its exit code.

    No shell parses any argument.

    Raises:
        LocalFileError: The program can't be run.
    """
    try:
        return subprocess.run(arguments, check=False).returncode
    except (OSError, ValueError) as error:
        raise _cannot_run(arguments[0], error) from error


async def run_ours(
    program: str,
    arguments: Sequence[str],
    *,
    data: bytes = b"",
    libraries: Iterable[str] = (),
    seconds: float | None = None,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> tuple[int, bytes, bytes]:
    """Run a program that anyurl needs, in an empty folder: its exit code, its output and its error output.

    Args:
        program: `PYTHON` or `GIT`.
        arguments: Paths in them are absolute; untrusted text is placed where it cannot be an option.
        data: The standard input.
        libraries: The packages that Python may import besides this one and the standard library.
        seconds: After which it is killed; its exit code is then `STOPPED`.
        variables: Of the environment.

    Raises:
        LocalFileError: The program can't be run.
    """
    environment = {name: value for name, value in os.environ.items() if not _is_left(name)}
    environment |= {**IN_GIT, **variables}
    if program == PYTHON:
        arguments = ["-P", *arguments]  # no current folder before the standard library
        environment["PYTHONPATH"] = os.pathsep.join(_places(libraries))
    with tempfile.TemporaryDirectory(prefix="anyurl-") as empty:
        try:
            process = await asyncio.create_subprocess_exec(
                _found(program),
                *arguments,
                cwd=empty,
                env=environment,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except (OSError, ValueError) as error:
            raise _cannot_run(program, error) from error
        assert process.stdin is not None
        try:
            output, errors = await asyncio.wait_for(process.communicate(data), seconds)
        except TimeoutError:
            return STOPPED, b"", b""
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
                # Before Python 3.12, input that could no longer be written would be reported as an unraisable error.
                process.stdin.close()
                with suppress(OSError):
                    await process.stdin.wait_closed()
    assert process.returncode is not None
    return process.returncode, output, errors


def output_of(program: str, arguments: Sequence[str], variables: Mapping[str, str]) -> bytes:
    """The output of a program that anyurl needs, as `run_ours` runs it.

    Raises:
        LocalFileError: The program can't be run, or fails.
    """
    code, output, errors = asyncio.run(run_ours(program, arguments, variables=variables))
    if code:
        said = errors.decode("utf-8", "replace").strip().splitlines() or [str(code)]
        error = next((line for line in said if line.startswith(("fatal:", "error:"))), said[0])  # warnings come first
        raise LocalFileError(f"The program {program!r} failed: {escape(error)}.")
    return output


def _is_left(name: str) -> bool:
    """Whether a variable is left out: PYTHONPATH may name the current folder, GIT_DIR another repository."""
    return name.startswith("PYTHON") or (name.startswith("GIT_") and not name.startswith(KEPT_OF_GIT))


def _found(program: str) -> str:
    """The path of a program: an empty or relative piece of PATH is the current folder. Raises FileNotFoundError."""
    if os.path.isabs(program):
        return program
    name = f"{program}.exe" if os.name == "nt" else program
    for folder in os.get_exec_path():
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)


def _places(libraries: Iterable[str]) -> list[str]:
    """The folders from which anyurl and these packages are imported, without Python's own.

    The current folder is not one of them, unless it contains anyurl itself: ``python -m`` searches it first, so that a
    package in it hides the installed one.
    """
    ours = _place_of("anyurl")
    left = map(os.path.realpath, (os.curdir, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    places = dict.fromkeys((ours, *map(_place_of, libraries)))
    for place in {"", *left} - {ours}:
        places.pop(place, None)
    return list(places)


def _place_of(package: str) -> str:
    """The folder that contains a package or module, or ""."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return ""
    folder = os.path.dirname(spec.origin)
    return os.path.realpath(os.path.dirname(folder) if spec.submodule_search_locations else folder)


def _cannot_run(program: str, error: Exception) -> LocalFileError:
    return LocalFileError(f"The program {program!r} can't be run: {reason_of(error)}.")
