"""Passwords of the command line, taken out of the list of processes, which everybody on a machine can read.

Rule: what can't be done is left: other systems than Linux keep the list elsewhere, and until here (some hundredths of a
second) the password was there to be read. curl does the same (its ``tool_paramhlp.c``, "cleanarg").
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from anyurl.cli.caret import secret_span

_ARG_START, _ARG_END = 45, 46
"""Places of ``arg_start`` and ``arg_end`` among the fields of /proc/self/stat behind the name (proc(5): 48 and 49)."""


def hide_passwords(arguments: Sequence[str]) -> None:
    """Overwrite the passwords of these arguments of this process with asterisks."""
    hide(text[span[0] : span[1]] for text in arguments if (span := secret_span(text)) is not None)


def hide(texts: Iterable[str]) -> None:
    """Overwrite these texts, wherever they stand in the arguments of this process, with asterisks."""
    secrets = {text for text in texts if text}
    if not secrets:
        return
    try:
        with open("/proc/self/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        start, end = int(fields[_ARG_START]), int(fields[_ARG_END])
        with open("/proc/self/mem", "r+b", buffering=0) as memory:
            memory.seek(start)
            shown = written = memory.read(max(end - start, 0))
            for secret in sorted(map(os.fsencode, secrets), key=len, reverse=True):
                shown = shown.replace(secret, b"*" * len(secret))
            if shown != written:
                memory.seek(start)
                memory.write(shown)
    except (OSError, ValueError, IndexError, OverflowError):
        pass
