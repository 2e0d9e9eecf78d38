"""Closing: each of several things is closed, whatever comes of the others."""

from __future__ import annotations

import os

import pytest

from anyurl.files.closing import close_all, close_descriptor


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
