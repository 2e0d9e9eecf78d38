"""The first lines of the installed command: what lies in the folder where it was started is no part of it.

Rule: it is no part of the package, whose first import would already be searched for in that folder; and nothing is
imported here but what Python itself has loaded by now.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command with the arguments of the process, and exit; see `anyurl.cli.main`."""
    forget_folder()
    try:
        from anyurl.cli import main as command

        command()
    except KeyboardInterrupt:
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
