"""Reasons for errors of the system, Python and libraries, phrased to end a message of anyurl.

Rule: every foreign error is put into words here, because a library's own words mean little to a user; an error of the
caller's own code keeps its words. Errors of libcurl and OpenSSL are translated where they are used
(`anyurl.net.http.errors`, `anyurl.net.wire.tls`).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from contextlib import ContextDecorator
from typing import Any

from anyurl.errors import (
    AnyURLError,
    ConnectError,
    ConnectionLost,
    LocalFileError,
    ReplyError,
    TransferTimeout,
    Truncated,
    UnavailableError,
    URLSyntaxError,
    escape,
)

EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""Errors of a system that is out of descriptors or memory."""

MAX_CHARACTERS = 200
"""Limit for foreign text: two and a half lines of a terminal, as for a sample of a peer's data."""


_HOME = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_BUILT_FROM = "src/anyurl/"
"""How the frames of compiled modules begin: the path that the compiler was given."""

_DIGITS = "Exceeds the limit ("
"""How Python's refusal to read an endless number begins (int_info.default_max_str_digits)."""


def reason_of(error: BaseException) -> str:
    """Why it failed: small at its start, with no full stop, on one line and without control characters."""
    if isinstance(error, AnyURLError):
        return str(error).removesuffix(".")
    for kind in type(error).__mro__:
        words = _LIBRARIES.get(f"{kind.__module__}.{kind.__qualname__}")
        if words is not None:
            return words if isinstance(words, str) else words(error)
    if isinstance(error, OSError) and error.errno:
        return system_reason(error.errno)
    if str(error).startswith(_DIGITS):
        return "a number in it has too many digits"
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return escape(lines[0].rstrip(".")[: None if _is_ours(error) else MAX_CHARACTERS])


def _is_ours(error: BaseException) -> bool:
    """Whether the package's own code raised it; its messages are not cut."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and file_of(trace.tb_frame.f_code.co_filename) is not None


def nearest(name: str, known: Iterable[str]) -> str:
    """The known names closest to this one, as the end of a sentence; empty if none is close."""
    from difflib import get_close_matches

    bare = {one.lstrip("-"): one for one in known}
    near = [repr(bare[one]) for one in get_close_matches(name.lstrip("-"), bare, n=2)]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def lack_of(error: BaseException) -> int | None:
    """The number of what the system ran out of (`EXHAUSTED`); None for an error of another kind."""
    if isinstance(error, OSError) and error.errno in EXHAUSTED:
        return error.errno
    if isinstance(error, ImportError):  # its loader of libraries gives no number
        said = [number for number in EXHAUSTED if os.strerror(number) in str(error)]
        return max(said, key=lambda number: len(os.strerror(number)), default=None)  # "... in system" is another one
    return None


PASSING = frozenset((408, 429, 500, 502, 503, 504))
"""Status codes that curl's --retry treats as transient."""


def is_passing(error: BaseException | None) -> bool:
    """Whether the same request may succeed later."""
    if isinstance(error, ReplyError):
        return isinstance(error, UnavailableError) or error.code in PASSING
    if isinstance(error, TransferTimeout):
        return error.clock != "total"
    if isinstance(error, ConnectError):
        return error.stage == "connect"
    return isinstance(error, (ConnectionLost, Truncated))


def no_descriptors(error: BaseException) -> LocalFileError:
    """The error for a process that has run out of descriptors."""
    number = lack_of(error)
    reason = reason_of(error) if number is None else system_reason(number)
    return LocalFileError(f"This process can't open any more descriptors: {reason}.")


def in_the_tree(error: BaseException) -> BaseException:
    """The error of the tree if a descriptor was missing, mostly to load a module with; any other error unchanged."""
    number = None if isinstance(error, AnyURLError) else lack_of(error)
    if number is None:
        return error
    ours = no_descriptors(error)
    ours.errno, ours.__cause__ = number, error
    return ours


class exhaustion_translated(ContextDecorator):  # used as a decorator or after `with`
    """Context for the caller's thread: an exhausted resource of the process becomes an error of the tree.

    A call may import any module, and needs a descriptor for it. The scheduler handles dialogues and handlers, whose
    errors belong to one task each.
    """

    def __enter__(self) -> None:
        """Nothing is needed."""

    def __exit__(self, kind: object, error: BaseException | None, frames: object) -> None:
        if error is not None and (told := in_the_tree(error)) is not error:
            raise told from error


def system_reason(number: int) -> str:
    """The system's text for an error number (`errno`)."""
    words = os.strerror(number)
    return words if words[1:2].isupper() else words[:1].lower() + words[1:]  # RFS and the like stay


def _octet(error: Any) -> str:
    return f"its octet {error.start + 1:,} is not {error.encoding.upper()}"


def _character(error: Any) -> str:
    return f"its character {error.start + 1:,} can't be written in {error.encoding.upper()}"


def _json(error: Any) -> str:
    return f"line {error.lineno}, column {error.colno} is not JSON"


def _toml(error: BaseException) -> str:
    import re

    place = re.search(r"line (\d+), column (\d+)\)?$", str(error))  # its own attributes: only from Python 3.14 on
    return f"line {place[1]}, column {place[2]} is not TOML" if place else "its end is missing, or it is not TOML"


_SQLITE = {
    "BUSY": "another process is using it", "LOCKED": "another process is using it",
    "FULL": "the disk is full", "IOERR": "the disk can't be read or written", "CANTOPEN": "it can't be opened",
    "READONLY": "it may not be written to", "PERM": "it may not be opened",
    "NOTADB": "something else is in it", "CORRUPT": "it is damaged", "TOOBIG": "a field of it is too long",
}  # fmt: skip
"""By the primary code of SQLite (SQLITE_IOERR_WRITE is an IOERR)."""


def _sqlite(error: Any) -> str:
    name = (getattr(error, "sqlite_errorname", None) or "").removeprefix("SQLITE_").partition("_")[0]
    return _SQLITE.get(name, "it is damaged, or something else is in it")


DAMAGED = "it is damaged, or not what its name says"
"""Of a file that a library can't read."""

_ARROW = (
    (r"Expected (\d+) columns, got (\d+)", r"a row has \2 fields where there are \1 columns"),
    (r"In CSV column #\d+: (?:Row #\d+: )?CSV conversion error to string", "a field is not UTF-8"),
    (
        r"In CSV column #\d+: (?:Row #\d+: )?CSV conversion error to (.+): invalid value '(.*)'",
        r"'\2' is in a column whose first rows are all of type \1",
    ),
    (r"Column\(/(.+)\) changed from (\w+) to (\w+)", r"'\1' is of type \2 in one row, and \3 in another"),
    (r"Column\(/(.+)\) was specified twice", r"a row has '\1' twice"),
    (r"Column\(\) changed", "a row is not a JSON object"),
    ("unexpected field", "a row has a field that the first rows lack"),
    (r"^Empty (?:CSV file|JSON stream)$|size is 0 bytes", "it is empty"),
)
"""Messages of pyarrow about rows, and their plain forms."""


def _arrow(error: BaseException) -> str:
    import re

    for pattern, words in _ARROW:
        found = re.search(pattern, str(error))
        if found:
            return escape(found.expand(words)[:MAX_CHARACTERS])
    return DAMAGED


def _module(error: Any) -> str:
    return f"it needs {error.name!r}, which is not installed"


_DAMAGED = "its octets are damaged"

_LIBRARIES: dict[str, str | Callable[[Any], str]] = {
    "builtins.EOFError": "it ends too early",
    "builtins.MemoryError": "there is not enough memory",
    "builtins.ModuleNotFoundError": _module,
    "builtins.RecursionError": "it is nested too deeply",
    "builtins.UnicodeDecodeError": _octet,
    "builtins.UnicodeEncodeError": _character,
    "binascii.Error": _DAMAGED,
    "brotli.error": _DAMAGED,
    "_lzma.LZMAError": _DAMAGED,
    "gzip.BadGzipFile": _DAMAGED,
    "zlib.error": _DAMAGED,
    "zipfile.BadZipFile": _DAMAGED,
    "tarfile.TarError": _DAMAGED,
    "compression.zstd.ZstdError": _DAMAGED,
    "backports.zstd.ZstdError": _DAMAGED,
    "json.decoder.JSONDecodeError": _json,
    "socket.gaierror": lambda error: error.strerror or "the look-up failed",  # its numbers are not the system's
    "tomllib.TOMLDecodeError": _toml,
    "sqlite3.Error": _sqlite,
    "pyarrow.lib.ArrowException": _arrow,
    "ssl.SSLError": "the two sides don't agree",
}
"""By the full names of the classes, so that none of them is imported here."""


def sentence_of(error: AnyURLError) -> str:
    """The message of an error as a sentence; that of a syntax error is only a phrase."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}." if isinstance(error, URLSyntaxError) else text


def fault_of(error: Exception) -> str:
    """Where an unforeseen error came up, and its kind; not its text, which may hold anything."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    places = [(file_of(frame.filename), frame.lineno) for frame in frames]
    ours = [f" in {file}, line {line}" for file, line in places if file]
    return f"This is a fault of anyurl itself ({type(error).__name__}{ours[-1] if ours else ''})"


def file_of(path: str) -> str | None:
    """The file of the package that a frame's path names, from the package's folder; None: another program's."""
    return next((path.removeprefix(start) for start in (_HOME, _BUILT_FROM) if path.startswith(start)), None)
