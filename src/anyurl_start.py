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
    forget_folder()
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


def forget_folder() -> None:
    """Import nothing from the current folder from now on: what lies there may be a stranger's.

    It is in `sys.path` by ``python -m``, and by an empty or relative piece of PYTHONPATH. What Python itself and the
    script import before this line was already searched there. The folder that anyurl stands in stays.
    """
    try:
        here = os.getcwd()
    except OSError:  # it was removed: nothing can be imported from it
        return
    ours = os.path.dirname(os.path.abspath(__file__))
    if sys.path[0] in ("", here) and here != ours:
        del sys.path[0]
    given = os.environ.get("PYTHONPATH")
    pieces = given.split(os.pathsep) if given else []
    left = {os.path.abspath(piece) for piece in pieces if not os.path.isabs(piece)}
    left -= {ours, *map(os.path.normpath, filter(os.path.isabs, pieces))}
    sys.path[:] = [entry for entry in sys.path if entry not in left]


def _leave(_number: int, _frame: object) -> None:
    """There is nothing to undo yet, or no more."""
    os._exit(130)
