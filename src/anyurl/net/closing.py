"""Closing descriptors and sockets, now or when their owner is gone; errors of close are ignored.

Rule: a descriptor is released even if close fails (close(2)), and data that must be on disk was already secured by
fsync. So a failing close does not make a successful operation fail.
"""

from __future__ import annotations

import atexit
import os
import sys
from _weakref import ref
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from weakref import ReferenceType

_ends: dict[ReferenceType[object], tuple[Callable[[], None], bool]] = {}
"""By owners that are there, what closes what is theirs, and whether it is done at the exit as well."""


class Closeable(Protocol):
    """A socket, or a selector."""

    def close(self) -> None:
        """Close it."""
        ...


def close_all(*things: Closeable) -> None:
    """Close each of these."""
    for thing in things:
        try:
            thing.close()
        except OSError:
            pass


def close_with(owner: object, close: Callable[[], None], *, at_exit: bool) -> None:
    """Call `close` once when `owner` is gone, or at the exit of the interpreter.

    It is what `weakref.finalize` does, whose module takes as long to load as a connection.

    Args:
        owner: An object with an identity: of several that are equal, one would be forgotten.
        at_exit: False for what ends with the process.
    """
    _ends[ref(owner, _end)] = close, at_exit


def _end(owner: ReferenceType[object]) -> None:
    close, _ = _ends.pop(owner)
    close()


@atexit.register
def _end_all() -> None:
    """The last first, as they may need those before them."""
    for owner, (_, at_exit) in reversed(list(_ends.items())):
        if at_exit and owner in _ends:
            try:
                _end(owner)
            except Exception as error:
                sys.excepthook(type(error), error, error.__traceback__)


def close_descriptor(fd: int) -> None:
    """Close a descriptor of the system."""
    try:
        os.close(fd)
    except OSError:
        pass
