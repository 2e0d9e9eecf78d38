"""Secrets that are kept elsewhere: passwords of the user's ``.netrc``, a file or a variable with a token.

What ``.netrc`` has is used only where the policy reads it, and only for the very host and user that ask.

The rule: a file that others may read is no place for a password and is not used; the ``default`` entry is not used
either, since a URL could send it anywhere. Nothing is ever written. Of several entries for one host the last counts.
"""

from __future__ import annotations

import errno
import os
import stat

from anyurl.dialogue import Secret
from anyurl.errors import LocalFileError, escape
from anyurl.net.files.channel import complaint, local_error
from anyurl.net.files.system import is_own, others_may
from anyurl.url.taken import checked

MAX_NETRC_BYTES = 1024 * 1024
"""Ten thousand entries; what is larger is something else."""


MAX_SECRET_BYTES = 64 * 1024
"""Of a file with a token or a password: the longest tokens have some kilobytes."""


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
    if not is_own(status, or_root=True):
        raise complaint(errno.EPERM, what, "it belongs to somebody else")
    if others_may(status, 0o077):
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


class SecretFile(Secret):
    """A password or token in a file, read each time it is needed, so that it can be rotated."""

    __slots__ = ("path",)

    @checked
    def __init__(self, path: str | os.PathLike[str], user: str = "") -> None:
        self.path: str = os.fspath(path)
        super().__init__(f"file {self.path}", user)

    def reveal(self) -> str:
        """What stands in the file, without white space round it.

        Raises:
            LocalFileError: It can't be read, is empty or too long, or is no text.
        """
        what = f"Reading {escape(self.path)}"
        try:
            with open(self.path, "rb") as file:
                data = file.read(MAX_SECRET_BYTES + 1)
        except OSError as error:
            raise local_error(error, what) from error
        if len(data) > MAX_SECRET_BYTES:
            raise LocalFileError(f"{what}: more than {MAX_SECRET_BYTES:,} octets are no password and no token.")
        return _one_line(data.decode("utf-8", "surrogateescape"), what)


class SecretVariable(Secret):
    """A password or token in an environment variable, read each time it is needed."""

    __slots__ = ("name",)

    @checked
    def __init__(self, name: str, user: str = "") -> None:
        super().__init__(f"variable {name}", user)
        self.name: str = name

    def reveal(self) -> str:
        """What the variable holds, without white space round it.

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
