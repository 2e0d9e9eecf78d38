"""Ctrl-C in the first moments of the command: exit code 130, and not a word."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from tests.architecture.source import ROOT
from tests.cli.runner import CLEAN

FIRST = 6
"""Up to this line each one is a moment."""

PROGRAM = f"""
import os, runpy, signal, sys
from importlib.util import find_spec
DEFAULT = signal.getsignal(signal.SIGINT)
OURS = tuple(find_spec(name).origin.removesuffix("__init__.py") for name in ("anyurl", "anyurl_start"))

def installed():
    from anyurl_start import main
    main()

def module():
    sys.argv[0], sys.orig_argv = "-m", [sys.executable, "-m", "anyurl", *sys.argv[1:]]
    runpy.run_module("anyurl", run_name="__main__", alter_sys=True)

main = {{"installed": installed, "module": module}}[sys.argv[1]]
MOMENTS = int(sys.argv[2])

def run(moment):
    '''Run the command, and send Ctrl-C at this line of all that it runs once that has an answer; how many there are
    with 0, and how many of the command's own came before.'''
    before = count = 0
    def lines(frame, event, argument):
        nonlocal before, count
        if frame.f_code.co_name == "cb":  # importlib's callback of a weak reference, out of which nothing is raised
            return None
        if event == "line" and not count and signal.getsignal(signal.SIGINT) is DEFAULT:
            before += frame.f_code.co_filename.startswith(OURS)
        elif event == "line":
            count += 1
            if count == moment:
                sys.settrace(None)
                os.kill(os.getpid(), 2)
        return lines
    sys.argv[1:] = ["parse", "http://h/"]
    sys.settrace(lines)
    try:
        main()
    finally:
        sys.settrace(None)
        if not moment:
            os.write(2, f"{{before}} {{count}}".encode())

def child(moment):
    reader, writer = os.pipe()
    said, told = os.pipe()
    pid = os.fork()
    if not pid:
        os.dup2(writer, 2)
        os.dup2(told, 1)
        run(moment)
    os.close(writer)
    os.close(told)
    with open(reader, "rb") as stderr, open(said, "rb") as stdout:
        out, err = stdout.read(), stderr.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out, err

code, out, count = child(0)
print(code, b"scheme" in out, count.decode())
count = int(count.split()[1])
for moment in [*range(1, {FIRST}), *range({FIRST}, count, count // MOMENTS)]:
    code, _out, err = child(moment)
    print(moment, code, err)
"""


@pytest.mark.parametrize(
    ("entry", "before", "count"),
    [
        ("installed", 15, 40),  # its imports and two functions begin, and the line that answers
        ("module", 20, 10),  # the first lines of the package as well; from there on it is the same
    ],
)
def test_ctrl_c_at_any_moment_says_nothing(entry: str, before: int, count: int) -> None:
    line = [sys.executable, "-c", PROGRAM, entry, str(count)]
    done = subprocess.run(line, env=CLEAN, capture_output=True, check=True, timeout=60)
    whole, *moments = done.stdout.decode().splitlines()
    assert whole.startswith("0 True ")
    assert int(whole.split()[2]) <= before
    assert len(moments) >= count
    assert [each for each in moments if not each.endswith(" 130 b''")] == []
    assert done.stderr == b""


def test_who_wants_it_ignored_is_obeyed() -> None:
    program = "import os, anyurl_start; os.kill(os.getpid(), 2); anyurl_start.main()"
    line = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, "-c", program, "parse", "http://h/"]
    done = subprocess.run(line, env=CLEAN, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="PyPy's collector works differently")
def test_nothing_is_collected_in_vain() -> None:
    """What a start allocates lives on."""
    program = (
        "import anyurl_start, gc, sys; anyurl_start.begin(); before = gc.get_stats()[0]['collections']; "
        "import anyurl.cli.run, anyurl.cli.get, anyurl.access.client; print(gc.get_stats()[0]['collections'] - before)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "0\n"


def test_it_is_what_is_installed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert settings["project"]["scripts"] == {"anyurl": "anyurl_start:main"}
    assert settings["tool"]["setuptools"]["py-modules"] == ["anyurl_start"]
