"""The `anyurl` command: `main` is its entry point, `run` executes a command line, and each command has a module.

Rule: commands get their facts from the library, and write through `console` only. `import anyurl.cli` loads nothing
else, so that ``anyurl --version`` answers at once.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command with the arguments of the process, and exit.

    It raises only `SystemExit`: an error of the tree becomes one sentence and its exit code (`anyurl.cli.exits`), a
    signal becomes 128 plus its number, and a bug of anyurl becomes a sentence that asks for a report.
    """
    try:
        if sys.argv[1:] == ["--version"]:  # without click, whose import takes twice as long as Python's own start
            from anyurl.cli.terminal.console import show_version

            raise SystemExit(show_version())
        if any("@" in argument for argument in sys.argv):
            from anyurl.cli.argv import hide_passwords

            hide_passwords(sys.argv)
        if "_ANYURL_COMPLETE" in os.environ:
            from anyurl.cli.app import complete

            complete()
        from anyurl.cli.run import run

        raise SystemExit(run(sys.argv[1:]))
    except KeyboardInterrupt:  # before there was anything to undo, or a second one while the first was handled
        raise SystemExit(130) from None
