"""Removal of command-line passwords from the process list, which all users of a machine can read.

Rule: this is best effort: it works on Linux only, and the password was visible until now (some hundredths of a second).
curl does the same (its ``tool_paramhlp.c``, "cleanarg").
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from anyurl.cli.terminal.caret import secret_span

_ARG_START, _ARG_END = 45, 46
"""Indexes of ``arg_start`` and ``arg_end`` among the fields of /proc/self/stat after the name (proc(5): 48 and 49)."""


def hide_passwords(arguments: Sequence[str]) -> None:
    """Overwrite the passwords of these arguments of this process with asterisks."""
    hide(text[span[0] : span[1]] for text in arguments if (span := secret_span(text)) is not None)


def hide(texts: Iterable[str]) -> None:
    """Overwrite every occurrence of these texts in the arguments of this process with asterisks."""
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
