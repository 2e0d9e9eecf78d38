"""The `anyurl` command: `main` is its door, `run` the list of its commands, and one file each of them.

Rule: what a command knows it learns from the library, what it shows it shows through `console`. `import anyurl.cli`
loads nothing else, so that ``anyurl --version`` answers at once.
"""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run the command with the arguments of the process, and exit.

    Nothing comes out of it but `SystemExit`: an error of the tree is one sentence and its exit code
    (`anyurl.cli.exits`), a signal is 128 and its number, and a fault of anyurl's own is a sentence that asks for a
    report.
    """
    # Nearly all that a start makes stays: the collector would look through it again and again for nothing, which takes
    # a tenth of the time until the command begins. PyPy collects in another way.
    if sys.implementation.name == "cpython":
        gc.set_threshold(50_000, 20, 20)
    try:
        if sys.argv[1:] == ["--version"]:  # without click, whose import takes twice as long as Python's own start
            from anyurl.cli.console import show_version

            raise SystemExit(show_version())
        if any("@" in argument for argument in sys.argv):
            from anyurl.cli.argv import hide_passwords

            hide_passwords(sys.argv)
        if "_ANYURL_COMPLETE" in os.environ:
            from anyurl.cli.app import complete

            complete()
        from anyurl.cli.run import run

        raise SystemExit(run(sys.argv[1:]))
    except KeyboardInterrupt:  # before there was anything to undo, or while the first one was being answered
        raise SystemExit(130) from None
