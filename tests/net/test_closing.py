"""Closing: each of several things is closed, whatever comes of the others."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import pytest

from anyurl.net import closing
from anyurl.net.closing import close_all, close_descriptor, close_with

AT_EXIT = """
import sys
from anyurl.net.closing import close_with
class Owner:
    pass
owners = [Owner() for _ in range(4)]
for number, owner in enumerate(owners):
    close_with(owner, lambda number=number: print(number), at_exit=number != 1)
other = Owner()
close_with(other, lambda: 1 / 0, at_exit=True)
del owners[3], owner
print("-")
"""


class Thing:
    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.closed = error, 0

    def close(self) -> None:
        self.closed += 1
        if self.error is not None:
            raise self.error


def test_one_that_fails_keeps_no_other_open() -> None:
    things = [Thing(), Thing(OSError(5, "x")), Thing()]
    close_all(*things)
    assert [thing.closed for thing in things] == [1, 1, 1]
    with pytest.raises(ValueError):  # what is no failure of the system is one of ours
        close_all(Thing(ValueError()))


def test_a_descriptor_is_closed_and_one_that_is_closed_is_no_error() -> None:
    number = os.dup(0)
    close_descriptor(number)
    with pytest.raises(OSError):
        os.fstat(number)
    close_descriptor(-1)


class Owner:
    """Of something."""


def test_what_has_an_owner_is_closed_with_it_once() -> None:
    owner, closed, before = Owner(), list[int](), len(closing._ends)
    close_with(owner, lambda: closed.append(1), at_exit=True)
    assert (closed, len(closing._ends)) == ([], before + 1)
    gc.disable()  # nor is there a cycle that keeps what is closed
    try:
        del owner
    finally:
        gc.enable()
    assert (closed, len(closing._ends)) == ([1], before)


def test_at_exit_the_last_is_closed_first_and_nothing_twice() -> None:
    done = subprocess.run([sys.executable, "-c", AT_EXIT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3", "-", "2", "0"]
    assert done.stderr.count("Traceback") == done.stderr.count("ZeroDivisionError: ") == 1


def test_an_error_of_closing_is_told_and_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: told.append(found.exc_type))

    def fail() -> None:
        raise ValueError

    owners, closed = [Owner(), Owner()], list[int]()
    close_with(owners[0], fail, at_exit=False)
    close_with(owners[1], lambda: closed.append(1), at_exit=False)
    owners.clear()
    assert (told, closed) == ([ValueError], [1])
