"""Secrets from outside the program: the user's ``.netrc``, token files and environment variables.

Passwords in ``.netrc`` are used only if the policy allows it, and only for exactly the host and user in question.

The rule: a file that other users can read is not used; neither is the ``default`` entry, since a URL could send it
anywhere. Nothing is ever written. Of several entries for one host and user the first counts.
"""

from __future__ import annotations

import errno
import os
import stat

from anyurl.client.netrc import Account, read_netrc
from anyurl.dialogue import Secret
from anyurl.errors import LocalFileError, escape
from anyurl.files.channel import complaint, local_error
from anyurl.files.system import is_own, others_may
from anyurl.url.arguments import checked

MAX_NETRC_BYTES = 1024 * 1024
"""Ten thousand entries; a larger file is something else."""


MAX_SECRET_BYTES = 64 * 1024
"""The largest token or password file: the longest tokens have a few kilobytes."""


def netrc_path() -> str:
    """The path of the netrc file: ``$NETRC`` (as in curl and requests), else ``~/.netrc``."""
    return os.environ.get("NETRC") or os.path.join(os.path.expanduser("~"), ".netrc")


def netrc_secret(host: str, user: str, *, path: str | None = None) -> Secret | None:
    """The password in the user's netrc for a user of a host, or None.

    Args:
        host: Compared without case and final dot.
        user: Compared exactly; an entry without ``login`` matches any user. ``""`` means the user in the entry.
        path: The file; None means the user's own.

    Raises:
        LocalFileError: The file exists, but other users can read it, or the entry of the host is malformed.
    """
    path = netrc_path() if path is None else path
    if not _is_ours(path):
        return None
    name = host.lower().removesuffix(".")
    entries = [entry for entry in _read(path) if entry.machine == name]
    for entry in sorted(entries, key=lambda entry: entry.login != user):  # an entry of this user before one of any
        if not entry.odd and entry.password and (entry.login in ("", user) or not user):
            return Secret(entry.password, entry.login)
    for entry in entries:
        if entry.odd:
            fault = f"the entry in line {entry.line} is not understood; a login or password like 'login' needs quotes"
            raise complaint(errno.EINVAL, f"Reading {escape(path)}", fault)
    return None


def _is_ours(path: str) -> bool:
    """Whether there is a file that only the user can read."""
    what = f"Reading {escape(path)}"
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise local_error(error, what) from error
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_NETRC_BYTES:
        raise complaint(errno.EINVAL, what, f"it is not a netrc file of at most {MAX_NETRC_BYTES:,} octets")
    if not is_own(status, or_root=True):
        raise complaint(errno.EPERM, what, "it belongs to another user")
    if others_may(status, 0o077):
        raise complaint(errno.EPERM, what, "others may read or write the passwords in it (chmod 600 changes that)")
    return True


def _read(path: str) -> list[Account]:
    try:
        with open(path, "rb") as file:
            return read_netrc(file.read(MAX_NETRC_BYTES))
    except OSError as error:
        raise local_error(error, f"Reading {escape(path)}") from error


class SecretFile(Secret):
    """A password or token in a file, read each time it is needed, so that it can be rotated.

    Attributes:
        path: The name of the file.
        user: The user whose password it is, or empty.
    """

    __slots__ = ("path",)

    @checked
    def __init__(self, path: str | os.PathLike[str], user: str = "") -> None:
        self.path: str = os.fspath(path)
        super().__init__(f"file {self.path}", user)

    def reveal(self) -> str:
        """The content of the file, without surrounding white space.

        Raises:
            LocalFileError: It can't be read, is empty or too long, or is not text.
        """
        what = f"Reading {escape(self.path)}"
        try:
            with open(self.path, "rb") as file:
                data = file.read(MAX_SECRET_BYTES + 1)
        except OSError as error:
            raise local_error(error, what) from error
        if len(data) > MAX_SECRET_BYTES:
            raise LocalFileError(f"{what}: more than {MAX_SECRET_BYTES:,} octets are not a password or a token.")
        # Editors of Windows write a byte order mark, which is not part of a password.
        return _one_line(data.decode("utf-8-sig", "surrogateescape"), what)


class SecretVariable(Secret):
    """A password or token in an environment variable, read each time it is needed.

    Attributes:
        name: The name of the variable.
        user: The user whose password it is, or empty.
    """

    __slots__ = ("name",)

    @checked
    def __init__(self, name: str, user: str = "") -> None:
        super().__init__(f"variable {name}", user)
        self.name: str = name

    def reveal(self) -> str:
        """The value of the variable, without surrounding white space.

        Raises:
            LocalFileError: There is no such variable, or it is empty.
        """
        return _one_line(os.environ.get(self.name, ""), f"Reading the variable {escape(self.name)}")


def _one_line(text: str, what: str) -> str:
    text = text.strip()
    if not text:
        raise LocalFileError(f"{what}: it is empty; one line with the secret would do.")
    if any(char < " " or char == "\x7f" for char in text):
        raise LocalFileError(f"{what}: it has more than one line, or a control character.")
    return text
