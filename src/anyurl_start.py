"""The first lines of the command, installed or ``python -m anyurl``: Ctrl-C ends it quietly from its first moment on.

Rule: it is no part of the package, whose import takes longer than a person needs to change their mind; and nothing is
imported before Ctrl-C has an answer (`signal` is: it takes as long as all of this).
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the builtin below `signal`, which type checkers don't know
import gc
import os
import sys


def begin() -> None:
    """Answer Ctrl-C from now on, before the command itself can, and don't collect what a start allocates."""
    # Whoever started us may want it ignored (a shell does, of what runs in the background).
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _leave)
    # Nearly all of it lives on: collecting it in vain takes a tenth of the time. PyPy's collector works differently.
    if sys.implementation.name == "cpython":
        gc.set_threshold(50_000, 20, 20)


def main() -> None:
    """Run the command with the arguments of the process, and exit; see `anyurl.cli.main`."""
    begin()
    is_heard = _signal.getsignal(_signal.SIGINT) is _leave
    from anyurl.cli import main as command

    try:
        try:
            if is_heard:
                _signal.signal(_signal.SIGINT, _signal.default_int_handler)
            command()
        finally:  # what is left is the end of the interpreter
            if is_heard:
                _signal.signal(_signal.SIGINT, _leave)
    except KeyboardInterrupt:  # between that and what the command itself answers
        raise SystemExit(130) from None


def _leave(_number: int, _frame: object) -> None:
    """There is nothing to undo yet, or no more."""
    os._exit(130)
