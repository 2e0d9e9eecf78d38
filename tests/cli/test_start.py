"""Ctrl-C in the first moments of the command: exit code 130, and not a word."""

from __future__ import annotations

import subprocess
import sys
import tomllib

from tests.architecture.source import ROOT
from tests.cli.runner import CLEAN

MOMENTS = 40
BEGIN, FIRST = 4, 10
"""The line of the entry after which Ctrl-C is answered; up to the second one each line is a moment."""

PROGRAM = f"""
import os, sys
from anyurl_start import main

def run(moment):
    '''Run the command, and send Ctrl-C at this line of all that it runs; how many there are with 0.'''
    count = 0
    def lines(frame, event, argument):
        nonlocal count
        if event == "line":
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
            os.write(2, str(count).encode())

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
count = int(count)
for moment in [*range({BEGIN}, {FIRST}), *range({FIRST}, count, count // {MOMENTS})]:
    code, _out, err = child(moment)
    print(moment, code, err)
"""


def test_ctrl_c_at_any_moment_says_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=CLEAN, capture_output=True, check=True, timeout=60)
    whole, *moments = done.stdout.decode().splitlines()
    assert whole.startswith("0 True ")
    assert len(moments) >= MOMENTS
    assert [each for each in moments if not each.endswith(" 130 b''")] == []
    assert done.stderr == b""


def test_who_wants_it_ignored_is_obeyed() -> None:
    program = "import os, anyurl_start; os.kill(os.getpid(), 2); anyurl_start.main()"
    line = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, "-c", program, "parse", "http://h/"]
    done = subprocess.run(line, env=CLEAN, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_it_is_what_is_installed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert settings["project"]["scripts"] == {"anyurl": "anyurl_start:main"}
    assert settings["tool"]["setuptools"]["py-modules"] == ["anyurl_start"]
