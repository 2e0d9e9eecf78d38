"""Passwords of the command line in the list of processes, which every user of a machine may read."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.runner import CLEAN

SHOWN = """
import sys
from anyurl.cli.argv import hide, hide_passwords
if sys.argv[1] == "hide":
    hide(sys.argv[2:])
else:
    hide_passwords(sys.argv)
sys.stdout.buffer.write(open("/proc/self/cmdline", "rb").read())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is of Linux")
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["get", "ftp://u:secret@h/"], ["get", "ftp://u:******@h/"]),
        (["get", "ftp://u:a@h/", "ftp://u:bcd@h/"], ["get", "ftp://u:*@h/", "ftp://u:***@h/"]),
        (["get", "ftp://u:s/cret@h/x"], ["get", "ftp://u:******@h/x"]),
        (["get", "ftp://u:gr\u00fcn@h/"], ["get", "ftp://u:*****@h/"]),  # octets, so that its length stays
        (["get", "ftp://u:pw@h/pw"], ["get", "ftp://u:**@h/**"]),  # wherever it stands
        (["get", "ftp://u@h/"], ["get", "ftp://u@h/"]),
        (["get", "ftp://u:@h/"], ["get", "ftp://u:@h/"]),
        (["hide", "ab", "abc", ""], ["hide", "**", "***", ""]),  # the longer one first
        (["hide"], ["hide"]),
    ],
    ids=lambda value: value[-1],
)
def test_what_the_list_of_processes_shows(arguments: list[str], shown: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHOWN, *arguments], env=CLEAN, capture_output=True, check=True, timeout=30
    )
    assert done.stdout.decode().split("\0")[3:-1] == shown


def test_a_machine_without_such_a_list_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    from anyurl.cli import argv

    def closed(*_given: object, **_more: object) -> None:
        raise OSError("no such list")

    monkeypatch.setattr("builtins.open", closed)
    argv.hide(["secret"])
