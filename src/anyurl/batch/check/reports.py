"""Reports: a file is there when it is whole, and before that under another name.

Rule: what goes wrong leaves the file that was there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from anyurl.errors import LocalFileError, escape


def write_report(pieces: Iterable[str], path: str) -> None:
    """Write a text to a file, or nothing.

    Raises:
        LocalFileError: It can't be written.
    """
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "x", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except LocalFileError:
        raise
    except OSError as error:
        raise LocalFileError(f"{escape(path)} can't be written: {error.strerror}.") from None
    finally:
        if os.path.exists(part):
            os.unlink(part)
