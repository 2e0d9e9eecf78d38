"""Passwords from the user's ``.netrc``: only where the policy reads it, and only for the very host and user that ask.

The rule: a file that others may read is no place for a password and is not used; the ``default`` entry is not used
either, since a URL could send it anywhere. Nothing is ever written. Of several entries for one host the last counts.
"""

from __future__ import annotations

import errno
import os
import stat

from anyurl.dialogue import Secret
from anyurl.errors import escape
from anyurl.net.files.channel import complaint, local_error

MAX_NETRC_BYTES = 1024 * 1024
"""Ten thousand entries; what is larger is something else."""


def netrc_path() -> str:
    """Where it is: ``$NETRC`` (as curl and requests have it), else ``~/.netrc``."""
    return os.environ.get("NETRC") or os.path.join(os.path.expanduser("~"), ".netrc")


def netrc_secret(host: str, user: str, *, path: str | None = None) -> Secret | None:
    """The password that the user's netrc has for a user of a host, or None.

    Args:
        host: Compared without regard to case and a final dot.
        user: Compared exactly; an entry without ``login`` is anybody's. ``""`` takes whoever the entry names.
        path: Of the file; the user's own when None.

    Raises:
        LocalFileError: The file is there, but others may read it, or it can't be understood.
    """
    path = netrc_path() if path is None else path
    if not _is_ours(path):
        return None
    name = host.lower().removesuffix(".")
    for machine, (login, _account, password) in _read(path).items():
        if machine.lower().removesuffix(".") == name and (login in ("", user) or not user) and password:
            return Secret(password, login)
    return None


def _is_ours(path: str) -> bool:
    """Whether there is a file, and nobody but the user can read it."""
    what = f"Reading {escape(path)}"
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise local_error(error, what) from error
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_NETRC_BYTES:
        raise complaint(errno.EINVAL, what, f"it is no netrc file of at most {MAX_NETRC_BYTES:,} octets")
    if status.st_uid not in (os.geteuid(), 0):
        raise complaint(errno.EPERM, what, "it belongs to somebody else")
    if status.st_mode & 0o077:
        raise complaint(errno.EPERM, what, "others may read or write the passwords in it (chmod 600 changes that)")
    return True


def _read(path: str) -> dict[str, tuple[str, str, str]]:
    import netrc

    what = f"Reading {escape(path)}"
    try:
        hosts = netrc.netrc(path).hosts
    except OSError as error:
        raise local_error(error, what) from error
    except netrc.NetrcParseError as error:
        fault = f"line {error.lineno} is not understood"
    except ValueError:
        fault = "it is not text"
    else:
        entries = ((host, entry) for host, entry in hosts.items() if host != "default")
        return {host: (login or "", account or "", word or "") for host, (login, account, word) in entries}
    # Raised out here: the parser's error holds the token that it did not understand, which may be a password, and must
    # not travel along as the context of ours.
    raise complaint(errno.EINVAL, what, fault)
