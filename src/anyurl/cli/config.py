"""The user's settings file: ``~/.config/anyurl/config.toml``, or the file that ``ANYURL_CONFIG`` names (empty: none).

Rule: its keys are command-line options, and the tables ``gateways``, ``tokens`` and ``programs``; the command line and
the environment override it. Third-party code (``plugins``) is loaded only if it is named here. A file that other users
can write is not read: it could redirect every transfer.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from typing import Any

from anyurl.cli.arguments import UsageError
from anyurl.errors import AnyURLError, escape
from anyurl.errors.reasons import reason_of

MAX_CONFIG_BYTES = 1024 * 1024
"""The largest settings file: a larger one is something else."""

MAX_NUMBER_BITS = 64
"""The most bits of a number: as in TOML; Python refuses to write very long numbers."""

SETTINGS = ("identity", "mail-from", "mail-server", "max-bytes", "news-server", "policy", "timeout")
"""The options that the file may set."""

PLUGINS = "plugins"
"""The key of third-party schemes, which every command loads."""

COMPLETE_FROM = "complete-from"
"""The key of a file from whose URLs a shell may complete hosts."""

GATEWAYS = "gateways"
PROGRAMS = "programs"
TOKENS = "tokens"

TABLES = {
    GATEWAYS: ("templates", 'doi = "https://doi.org/{path}"'),
    TOKENS: ("files with a token", '"https://api.github.com" = "/etc/anyurl/github-token"'),
    PROGRAMS: ("command lines", 'tn3270 = "x3270 {host}:{port}"'),
}
"""The tables of the file: the types of their values, and an example."""


def config_path() -> str | None:
    """The path of the file: ``$ANYURL_CONFIG``, or in ``$XDG_CONFIG_HOME`` or ``~/.config``; None without a file."""
    named = os.environ.get("ANYURL_CONFIG")
    if named is not None:
        return named or None
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    path = os.path.join(folder, "anyurl", "config.toml")
    return path if os.path.exists(path) else None


def read_config(path: str | None = None) -> Mapping[str, Any]:
    """The settings of the file by key; empty if there is no file.

    Args:
        path: The path of the file; None for the user's own.

    Raises:
        LocalFileError: The file can't be read, or others may write to it.
        UsageError: It contains something other than settings.
    """
    path = config_path() if path is None else path
    if path is None:
        return {}
    from anyurl.files.channel import local_error
    from anyurl.files.system import flags

    what = f"Reading {escape(path)}"
    try:
        # Opening a FIFO there must not block the command.
        handle = os.open(path, flags("RDONLY", "NONBLOCK", "CLOEXEC"))
        try:
            _check(os.fstat(handle), what)
            with open(handle, "rb", closefd=False) as file:
                data = file.read(MAX_CONFIG_BYTES + 1)
        finally:
            os.close(handle)
    except AnyURLError:
        raise
    except OSError as error:
        raise local_error(error, what) from error
    return understood(data, escape(path))


def _check(status: os.stat_result, what: str) -> None:
    from anyurl.files.channel import complaint
    from anyurl.files.system import is_own, others_may

    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_CONFIG_BYTES:
        raise complaint(errno.EINVAL, what, f"it is not a settings file of at most {MAX_CONFIG_BYTES:,} octets")
    if not is_own(status, or_root=True):
        raise complaint(errno.EPERM, what, "it belongs to another user")
    if others_may(status, 0o022):
        raise complaint(errno.EPERM, what, "others may write to it (chmod go-w changes that)")


def understood(data: bytes, name: str) -> Mapping[str, Any]:
    """Parse settings. Raises UsageError with one line that says where they are invalid."""
    from anyurl.files.toml import read_toml

    try:
        found = read_toml(data.decode("utf-8-sig"))  # editors of Windows write a byte order mark
    except (ValueError, RecursionError) as error:  # also for a number with too many digits
        raise UsageError(f"{name} is not a settings file: {reason_of(error)}.") from None
    for key, value in found.items():
        if key in TABLES:
            if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
                what, example = TABLES[key]
                raise UsageError(f"{name}: {key} must be a table of {what}, as in {example}.")
        elif key == PLUGINS:
            if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
                raise UsageError(f'{name}: {key} must be a list of names, as in ["finger"].')
        elif key not in (*SETTINGS, COMPLETE_FROM):
            known = ", ".join((*TABLES, *SETTINGS, PLUGINS, COMPLETE_FROM))
            raise UsageError(f"{name}: there is no setting '{escape(key[:100])}'; there are {known}.")
        elif isinstance(value, bool) or not isinstance(value, str | int | float):
            raise UsageError(f"{name}: {key} must be a text or a number.")
        elif isinstance(value, int) and value.bit_length() > MAX_NUMBER_BITS:
            raise UsageError(f"{name}: {key} is too large a number.")
    return found


def as_defaults(config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as defaults of options, by parameter name."""
    return {key.replace("-", "_"): str(value) for key, value in config.items() if key in SETTINGS}
