"""How the tests of the command run it: in this process for what it says, in another one for how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import click
from click.testing import CliRunner, Result

from anyurl.cli.run import run as run_command

PROGRAM = [sys.executable, "-m", "anyurl"]

CLEAN = {name: value for name, value in os.environ.items() if name not in ("ANYURL_IDENTITY", "NNTPSERVER", "NO_COLOR")}


class Program(click.Command):
    """The whole command, as click's runner calls one."""

    def main(self, args: Any = None, *_more: Any, **_extra: Any) -> Any:
        """Run one command line, and exit with its code, which is a number: None would pass for 0."""
        code = run_command(list(args))
        assert type(code) is int
        raise SystemExit(code)


def run(*args: str, input: bytes | None = None, env: dict[str, str] | None = None) -> Result:
    """Run a command line in this process; neither stream is a terminal."""
    return CliRunner().invoke(Program("anyurl"), list(args), input=input, env=env)


def records(result: Result) -> list[Any]:
    """The JSON objects of its standard output."""
    return [json.loads(line) for line in result.stdout.splitlines()]


def call(
    *args: str, input: bytes | None = None, timeout: float = 30, **more: Any
) -> subprocess.CompletedProcess[bytes]:
    """Run a command line in a process of its own."""
    return subprocess.run(
        [*PROGRAM, *args],
        input=input,
        capture_output=True,
        timeout=timeout,
        env={**CLEAN, **more.pop("env", {})},
        **more,
    )
